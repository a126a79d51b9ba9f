/* SPDX-License-Identifier: Apache-2.0 */
/* Series of GRES: for each node, partition, user and account, and each kind it has. */
#include <string.h>

#include "plan/exporter/members.h"
#include "plan/exporter/series.h"
#include "slurm/job_state.h"
#include "slurm/state.h"

/* The row of an owner or kind without a series. */
#define NONE SIZE_MAX

/* Owners times kinds; only owners and kinds with series have rows. */
struct table {
	const struct group *owners, *kinds;
	size_t *owner_rows, *kind_rows;
	double (*v)[GRES_MEASURES];
};

/* ---- kinds ---- */

/* amounts: one for each kind. */
static struct group *kinds_of(const struct exporter_gres_list *l, const double *amounts,
	size_t most, struct arena *a)
{
	struct group *g = group_new(l->n_kinds, a);
	for (size_t i = 0; i < l->n_kinds; i++)
		group_set_labels(g, i, "gres,type",
			(const char *[]){ l->kinds[i].name, l->kinds[i].type }, a);
	group_rank(g, amounts, 1, most, a);
	return g;
}

static struct group *rank_kinds(const struct exporter_gres_list *l, size_t most, struct arena *a)
{
	double *amounts = arena_array(a, double, l->n_kinds + 1);
	for (size_t i = 0; i < l->n; i++)
		amounts[l->v[i].kind] += (double)(l->v[i].total ? l->v[i].total : l->v[i].alloc);
	return kinds_of(l, amounts, most, a);
}

/* ---- a table ---- */

static size_t member(const struct group *g, size_t row) { return g->order ? g->order[row] : row; }

static size_t *rows_of(const struct group *g, struct arena *a)
{
	size_t all = g->n + g->left_out, *rows = arena_array(a, size_t, all + 1);
	memset(rows, 0xff, all * sizeof(*rows)); /* NONE */
	for (size_t i = 0; i < g->n; i++)
		rows[member(g, i)] = i;
	return rows;
}

static struct table table_of(const struct group *owners, const struct group *kinds, struct arena *a)
{
	return (struct table){
		.owners = owners,
		.kinds = kinds,
		.owner_rows = rows_of(owners, a),
		.kind_rows = rows_of(kinds, a),
		.v = arena_alloc(a, (owners->n * kinds->n + 1) * sizeof(double[GRES_MEASURES])),
	};
}

static void add(struct table *t, size_t owner, size_t kind, const double *numbers)
{
	size_t row = t->owner_rows[owner], column = t->kind_rows[kind];
	if (row == NONE || column == NONE)
		return;
	for (int i = 0; i < GRES_MEASURES; i++)
		t->v[row * t->kinds->n + column][i] += numbers[i];
}

/* {partition="a"} and {gres="gpu",type=""} make {partition="a",gres="gpu",type=""}. */
static void join_labels(struct group *g, size_t i, const char *owner, const char *kind,
	struct arena *a)
{
	size_t n = strlen(owner);
	g->labels[i] = n ? arena_printf(a, "%.*s,%s", (int)(n - 1), owner, kind + 1) : kind;
	g->lengths[i] = strlen(g->labels[i]);
}

static bool is_empty(const double *numbers)
{
	return numbers[GRES_TOTAL] <= 0 && numbers[GRES_ALLOC] <= 0;
}

/* The cells that are not empty. */
static struct series series_of_table(const struct table *t, struct arena *a)
{
	size_t cells = t->owners->n * t->kinds->n, n = 0;
	for (size_t i = 0; i < cells; i++)
		n += !is_empty(t->v[i]);
	struct group *g = group_new(n, a);
	n = 0;
	for (size_t i = 0; i < cells; i++) {
		if (is_empty(t->v[i]))
			continue;
		size_t owner = member(t->owners, i / t->kinds->n);
		join_labels(g, n, t->owners->labels[owner],
			t->kinds->labels[member(t->kinds, i % t->kinds->n)], a);
		memmove(t->v[n++], t->v[i], sizeof(*t->v));
	}
	return (struct series){ *t->v, GRES_MEASURES, g };
}

/* ---- nodes ---- */

enum {
	NODES_OUT = NODE_DOWN | NODE_ERROR | NODE_FUTURE | NODE_UNKNOWN | NODE_FAIL |
		NODE_INVALID_REG | NODE_NOT_RESPONDING
};

static void measure(const struct exporter_gres *g, uint32_t state, double *v)
{
	bool out = (state & NODES_OUT) || ((state & NODE_DRAIN) && !(state & NODE_UNDRAIN));
	v[GRES_TOTAL] = (double)g->total;
	v[GRES_ALLOC] = (double)g->alloc;
	v[GRES_IDLE] = g->total > g->alloc ? (double)(g->total - g->alloc) : 0;
	v[GRES_UNAVAILABLE] = out ? v[GRES_IDLE] : 0;
	v[GRES_DOWN] = (state & NODE_DOWN) ? (double)g->total : 0;
	v[GRES_DRAIN] = (state & NODE_DRAIN) ? (double)g->total : 0;
}

static struct series of_each_node(const struct exporter_nodes *nodes, const struct table *all,
	const struct group *shown, struct arena *a)
{
	const struct exporter_gres_list *l = &nodes->gres;
	struct group *g = group_new(l->n, a);
	double(*v)[GRES_MEASURES] = arena_alloc(a, (l->n + 1) * sizeof(*v));
	g->n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct exporter_gres *of = &l->v[i];
		if (of->of >= shown->n || all->kind_rows[of->kind] == NONE)
			continue;
		measure(of, nodes->v[of->of].state, v[g->n]);
		join_labels(g, g->n, shown->labels[of->of], all->kinds->labels[of->kind], a);
		g->n++;
	}
	return (struct series){ *v, GRES_MEASURES, g };
}

static size_t add_nodes(const struct exporter_facts *f, struct arena *a, struct series *out)
{
	const struct exporter_nodes *nodes = f->nodes;
	const struct group *kinds = rank_kinds(&nodes->gres, f->limits.gres, a);
	const struct members *in = members_of_lists(&nodes->lists, f->partitions, a);
	struct table all = table_of(out[OF_ALL_NODES].group, kinds, a), parts = { 0 };
	if (f->partitions)
		parts = table_of(out[OF_PARTITION].group, kinds, a);
	for (size_t i = 0; i < nodes->gres.n; i++) {
		const struct exporter_gres *g = &nodes->gres.v[i];
		const struct exporter_node *node = &nodes->v[g->of];
		double numbers[GRES_MEASURES];
		measure(g, node->state, numbers);
		add(&all, 0, g->kind, numbers);
		for (size_t k = 0; k < in[node->list].n; k++)
			add(&parts, in[node->list].v[k], g->kind, numbers);
	}
	out[OF_EACH_NODE_GRES] = of_each_node(nodes, &all, out[OF_EACH_NODE].group, a);
	out[OF_ALL_NODES_GRES] = series_of_table(&all, a);
	if (f->partitions)
		out[OF_PARTITION_NODES_GRES] = series_of_table(&parts, a);
	return kinds->left_out;
}

/* ---- jobs ---- */

static void add_jobs(const struct exporter_facts *f, struct arena *a, struct series *out)
{
	const struct exporter_jobs *jobs = f->jobs;
	const struct group *kinds = rank_kinds(&jobs->gres, f->limits.gres, a);
	const struct members *in = members_of_lists(&jobs->lists, f->partitions, a);
	struct table all = table_of(out[OF_ALL_JOBS].group, kinds, a), parts = { 0 };
	struct table users = table_of(out[OF_USER].group, kinds, a);
	struct table accounts = table_of(out[OF_ACCOUNT].group, kinds, a);
	if (f->partitions)
		parts = table_of(out[OF_PARTITION].group, kinds, a);
	for (size_t i = 0; i < jobs->gres.n; i++) {
		const struct exporter_gres *g = &jobs->gres.v[i];
		const struct exporter_job *j = &jobs->v[g->of];
		const double numbers[GRES_MEASURES] = { [GRES_ALLOC] = (double)g->alloc };
		if (!job_state_holds(j->state))
			continue;
		add(&all, 0, g->kind, numbers);
		add(&users, j->user, g->kind, numbers);
		add(&accounts, j->account, g->kind, numbers);
		for (size_t k = 0; k < in[j->list].n; k++)
			add(&parts, in[j->list].v[k], g->kind, numbers);
	}
	out[OF_ALL_JOBS_GRES] = series_of_table(&all, a);
	out[OF_USER_GRES] = series_of_table(&users, a);
	out[OF_ACCOUNT_GRES] = series_of_table(&accounts, a);
	if (f->partitions)
		out[OF_PARTITION_JOBS_GRES] = series_of_table(&parts, a);
}

size_t series_of_gres(const struct exporter_facts *f, struct arena *a, struct series *out)
{
	size_t left_out = f->nodes ? add_nodes(f, a, out) : 0;
	if (f->jobs)
		add_jobs(f, a, out);
	return left_out;
}
