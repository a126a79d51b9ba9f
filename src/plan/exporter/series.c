/* SPDX-License-Identifier: Apache-2.0 */
/* The series of each scope: the group of objects, and the numbers. */
#include "plan/exporter/series.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "plan/exporter/rpcs.h"
#include "plan/exporter/waits.h"

/* ---- nodes and partitions ---- */

static struct group *nodes_group(const struct exporter_facts *f, struct arena *a)
{
	struct group *g = group_new(f->nodes->n, a);
	group_limit(g, f->limits.nodes);
	for (size_t i = 0; i < g->n; i++)
		group_set_labels(g, i, "node", &f->nodes->v[i].name, a);
	return g;
}

static struct group *partitions_group(const struct exporter_partitions *p, struct arena *a)
{
	struct group *g = group_new(p->n, a);
	for (size_t i = 0; i < p->n; i++)
		group_set_labels(g, i, "partition", &p->v[i].name, a);
	return g;
}

static const double *partition_numbers(const struct exporter_partitions *p, struct arena *a)
{
	double *v = arena_array(a, double, 2 * p->n + 2);
	for (size_t i = 0; i < p->n; i++) {
		v[2 * i + PARTITION_NODES] = (double)p->v[i].nodes;
		v[2 * i + PARTITION_CPUS] = (double)p->v[i].cpus;
	}
	return v;
}

static struct series of_waits(const struct exporter_facts *f, const struct group *g,
	struct arena *a)
{
	enum { STRIDE = WAIT_BOUNDS + 2 };
	double *v = arena_array(a, double, STRIDE *(g->n + 1));
	for (size_t i = 0; f->waits && i < g->n; i++) {
		const struct partition_waits *w = exporter_waits_of(f->waits,
			f->partitions->v[i].name);
		for (int k = 0; w && k <= WAIT_BOUNDS; k++)
			v[i * STRIDE + (size_t)k] = w->started[k];
		v[i * STRIDE + STRIDE - 1] = w ? w->sum_s : 0;
	}
	return (struct series){ f->waits && f->jobs ? v : NULL, STRIDE, g };
}

/* ---- users and accounts ---- */

static void set_user(struct group *g, size_t i, int64_t uid, const char *name, struct arena *a)
{
	char id[24] = "";
	if (uid >= 0)
		snprintf(id, sizeof(id), "%" PRId64, uid);
	group_set_labels(g, i, "userid,username", (const char *[]){ id, name }, a);
}

static struct group *users_group(const struct exporter_jobs *jobs, struct arena *a)
{
	struct group *g = group_new(jobs->n_users, a);
	for (size_t i = 0; i < jobs->n_users; i++)
		set_user(g, i, jobs->users[i].uid, jobs->users[i].name, a);
	return g;
}

static struct group *names_group(const struct exporter_names *names, const char *label,
	struct arena *a)
{
	struct group *g = group_new(names->n, a);
	for (size_t i = 0; i < names->n; i++)
		group_set_labels(g, i, label, &names->v[i], a);
	return g;
}

static struct series of_nodes(const node_counts *counts, const struct group *g)
{
	return (struct series){ counts ? *counts : NULL, NODE_MEASURES, g };
}

static struct series of_jobs(const job_counts *counts, const struct group *g)
{
	return (struct series){ counts ? *counts : NULL, JOB_MEASURES, g };
}

static void add_users(const struct exporter_facts *f, const struct exporter_counts *c,
	struct arena *a, struct series *out)
{
	struct group *users = users_group(f->jobs, a);
	struct group *accounts = names_group(&f->jobs->accounts, "account", a);
	struct group *names = names_group(&f->jobs->user_names, "user", a);
	group_rank(users, &c->users[0][JOBS_ANY], JOB_MEASURES, f->limits.users, a);
	group_rank(accounts, &c->accounts[0][JOBS_ANY], JOB_MEASURES, f->limits.accounts, a);
	group_rank(names, &c->user_names[0][JOBS_ANY], JOB_MEASURES, f->limits.users, a);
	out[OF_USER] = of_jobs(c->users, users);
	out[OF_ACCOUNT] = of_jobs(c->accounts, accounts);
	out[OF_USER_NAME] = of_jobs(f->per_user_names ? c->user_names : NULL, names);
}

/* ---- all of it ---- */

/* The number of rows left out is unknown (NaN) while the source is unknown. */
static void add_left_out(size_t gres, struct arena *a, struct series *out)
{
	enum { KINDS = 4 };
	static const char *const kinds[KINDS] = { "nodes", "users", "accounts", "gres" };
	static const enum exporter_scope scopes[] = { OF_EACH_NODE, OF_USER, OF_ACCOUNT };
	struct group *g = group_new(KINDS, a);
	double *v = arena_array(a, double, KINDS);
	for (size_t i = 0; i < KINDS; i++)
		group_set_labels(g, i, "of", &kinds[i], a);
	for (size_t i = 0; i < LENGTH(scopes); i++) {
		const struct series *of = &out[scopes[i]];
		v[i] = of->base ? (double)of->group->left_out : __builtin_nan("");
	}
	v[LENGTH(scopes)] = out[OF_ALL_NODES].base ? (double)gres : __builtin_nan("");
	out[OF_LEFT_OUT] = (struct series){ v, 1, g };
}

void series_of_facts(const struct exporter_facts *f, const struct exporter_counts *c,
	struct arena *a, struct series *out)
{
	const struct group *one = group_alone(a);
	if (f->nodes) {
		out[OF_ALL_NODES] = of_nodes(c->nodes, one);
		out[OF_EACH_NODE] = of_nodes(c->each_node, nodes_group(f, a));
	}
	if (f->jobs) {
		out[OF_ALL_JOBS] = of_jobs(c->jobs, one);
		add_users(f, c, a, out);
	}
	if (f->partitions) {
		const struct group *g = partitions_group(f->partitions, a);
		out[OF_PARTITION] = (struct series){ partition_numbers(f->partitions, a), 2, g };
		out[OF_PARTITION_WAITS] = of_waits(f, g, a);
		out[OF_PARTITION_NODES] = of_nodes(c->partition_nodes, g);
		out[OF_PARTITION_JOBS] = of_jobs(c->partition_jobs, g);
		out[OF_PARTITION_JOBS_01] = of_jobs(c->partition_jobs_01, g);
	}
	add_left_out(series_of_gres(f, a, out), a, out);
}

static struct series of_rpcs(const struct exporter_rpcs *rpcs, bool users, struct arena *a)
{
	struct group *g = group_new(rpcs->n, a);
	double *v = arena_array(a, double, RPC_MEASURES *(rpcs->n + 1));
	for (size_t i = 0; i < rpcs->n; i++) {
		if (users)
			set_user(g, i, rpcs->v[i].uid, rpcs->v[i].name, a);
		else
			group_set_labels(g, i, "type", &rpcs->v[i].name, a);
		v[RPC_MEASURES * i + RPC_COUNT] = (double)rpcs->v[i].count;
		v[RPC_MEASURES * i + RPC_TIME] = (double)rpcs->v[i].total_us;
	}
	group_rank(g, &v[RPC_TIME], RPC_MEASURES, EXPORTER_RPCS_SHOWN, a);
	return (struct series){ v, RPC_MEASURES, g };
}

void series_of_statistics(const struct exporter_diag *diag, struct arena *a, struct series *out)
{
	if (diag) {
		out[OF_RPC_TYPE] = of_rpcs(&diag->types, false, a);
		out[OF_RPC_USER] = of_rpcs(&diag->users, true, a);
	}
	double *v = arena_array(a, double, n_exporter_statistics);
	for (size_t i = 0; diag && i < n_exporter_statistics; i++)
		v[i] = diag->told[i] ? (double)diag->v[i] : __builtin_nan("");
	out[OF_STATISTICS] = (struct series){ diag ? v : NULL, n_exporter_statistics,
		group_alone(a) };
}

void series_of_self(const struct exporter_self *self, struct arena *a, struct series *out)
{
	static const char *const results[] = { "changed", "unchanged", "failed" };
	struct group *sources = group_new(EXPORTER_SOURCES, a), *version = group_new(1, a);
	struct group *reads = group_new((size_t)EXPORTER_SOURCES * READ_RESULTS, a);
	static const double one = 1;
	for (size_t i = 0; i < EXPORTER_SOURCES; i++) {
		group_set_labels(sources, i, "source", &exporter_source_names[i], a);
		for (size_t k = 0; k < READ_RESULTS; k++)
			group_set_labels(reads, i * READ_RESULTS + k, "source,result",
				(const char *[]){ exporter_source_names[i], results[k] }, a);
	}
	group_set_labels(version, 0, "version", &self->version, a);
	out[OF_SOURCE] = (struct series){ *self->source, SOURCE_MEASURES, sources };
	out[OF_READS] = (struct series){ *self->reads, 1, reads };
	out[OF_PROCESS] = (struct series){ self->process, PROCESS_MEASURES, group_alone(a) };
	out[OF_PROGRAM] = (struct series){ &one, 1, version };
}
