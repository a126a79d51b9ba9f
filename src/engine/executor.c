/* SPDX-License-Identifier: Apache-2.0 */
/* What of a plan can be carried out now. */
#include "engine/executor.h"

#include <stdio.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/executor_parts.h"
#include "engine/failures.h"
#include "engine/slow_start.h"
#include "engine/undone.h"
#include "engine/waits.h"

enum { SWEEP_MS = 10000 };

struct executor *executor_new(const struct executor_config *config)
{
	struct executor *x = own_alloc(sizeof(*x));
	x->config = *config;
	x->config.max_in_flight = config->max_in_flight ? config->max_in_flight : 1000;
	x->config.max_per_object = config->max_per_object ? config->max_per_object : 500;
	return x;
}

int executor_in_flight(const struct executor *x) { return x->in_flight; }
void executor_stop(struct executor *x) { x->stopped = true; }

void executor_free(struct executor *x)
{
	if (!x)
		return;
	while (x->jobs) {
		http_cancel(x->config.kube->http, x->jobs->call);
		job_free(x->jobs);
	}
	waits_free(&x->waits);
	slow_start_free(&x->starts);
	failures_free(&x->failures);
	undone_free(&x->undone);
	free(x);
}

/* ---- Slurm ---- */

void executor_new_token(struct executor *x, const char *ns, const char *cluster)
{
	char key[KEY_BYTES];
	for (int kind = 0; kind < ACT_KINDS; kind++) {
		if (executor_verbs[kind] != VERB_SLURM)
			continue;
		snprintf(key, sizeof(key), "%s %s/%s ", action_kind_names[kind], ns, cluster);
		waits_end_all(&x->waits, key);
	}
}

static void slurm_told(void *ctx, struct err err) { job_end(ctx, err); }

static int64_t node_left_ms(const struct executor *x, const struct action *a, const char *key,
	uint32_t what, const char *node)
{
	char buffer[KEY_BYTES];
	int64_t left_ms = waits_left_ms(x->waits, node_key(buffer, key, node), now_ms(x));
	return left_ms
		? left_ms
		: undone_left_ms(x->undone, undone_node(buffer, a->kind, a->ns, a->name, node),
			  what, now_ms(x));
}

/*
 * Slurm refuses an update for one of its nodes and carries it out for the others: who
 * waits is found out node by node.
 */
static int64_t send_slurm(struct executor *x, const struct action *a,
	const struct object_ref *about, const char *key, struct slurm_link *link)
{
	static const enum slurm_update what[ACT_KINDS] = {
		[ACT_DRAIN_NODES] = SLURM_DRAIN,
		[ACT_UNDRAIN_NODES] = SLURM_UNDRAIN,
		[ACT_RESUME_NODES] = SLURM_RESUME,
		[ACT_COMMENT_NODE] = SLURM_COMMENT,
	};
	char **nodes = own_alloc(a->n_nodes * sizeof(char *));
	size_t n = 0;
	int64_t least_ms = 0;
	uint32_t does = undone_what(a);
	for (size_t i = 0; i < a->n_nodes; i++) {
		int64_t left_ms = node_left_ms(x, a, key, does, a->nodes[i]);
		if (!left_ms)
			nodes[n++] = own_strdup(a->nodes[i]);
		else if (!least_ms || left_ms < least_ms)
			least_ms = left_ms;
	}
	if (!n) {
		free(nodes);
		return least_ms;
	}
	struct job *j = job_new(x, a, about, key);
	j->nodes = nodes;
	j->n_nodes = n;
	if (a->kind == ACT_DELETE_NODE)
		slurm_link_delete_node(link, nodes[0], slurm_told, j);
	else
		slurm_link_update(link, what[a->kind], (const char *const *)nodes, n, a->text,
			slurm_told, j);
	return least_ms;
}

/* ---- choosing ---- */

static const char *target_key(char buffer[KEY_BYTES], const struct action *a)
{
	snprintf(buffer, KEY_BYTES, "%s %s/%s ", action_kind_names[a->kind], a->ns ? a->ns : "",
		a->name ? a->name : "");
	return buffer;
}

static bool busy(const struct executor *x, const struct action *a)
{
	if (executor_verbs[a->kind] == VERB_SLURM)
		return false;
	const struct record *rec = store_get(x->config.store, a->resource, a->ns, a->name);
	return rec && rec->in_flight;
}

static int in_flight_for(const struct executor *x, const char *uid)
{
	int n = 0;
	for (const struct job *j = x->jobs; j; j = j->next)
		n += str_eq(j->about.uid, uid);
	return n;
}

size_t executor_max_creates(const struct executor *x, const char *uid)
{
	int room = x->config.max_per_object - in_flight_for(x, uid);
	size_t start = slow_start_room(x->starts, uid);
	if (room <= 0 || !start)
		return 0;
	return (start < (size_t)room ? start : (size_t)room) + waits_count(x->waits, now_ms(x));
}

static void emit_event(struct executor *x, const struct action *a, const struct object_ref *about)
{
	if (x->config.events && a->promised)
		events_emit_promised(x->config.events, about, a->reason, a->why);
	else if (x->config.events)
		events_emit(x->config.events, about, a->warning, a->reason, a->why);
}

/* 0: sent or not needed; otherwise the time after which to ask again. */
static int64_t act(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *cluster)
{
	char key[KEY_BYTES];
	if (executor_verbs[a->kind] == VERB_EVENT) {
		if (!a->with_status)
			emit_event(x, a, about);
		return 0;
	}
	char starts[128];
	int64_t left_ms = waits_left_ms(x->waits, target_key(key, a), now_ms(x));
	if (!left_ms && creates(a->kind))
		left_ms = waits_left_ms(x->waits, starts_key(starts, about->uid), now_ms(x));
	if (!left_ms)
		left_ms = undone_left_ms(x->undone, key, undone_what(a), now_ms(x));
	if (left_ms)
		return left_ms;
	if (busy(x, a))
		return 0; /* its outcome makes a new plan */
	struct slurm_link *link = cluster ? x->config.link_of(x->config.ctx, about->ns, cluster)
					  : NULL;
	if (creates(a->kind) && !slow_start_take(&x->starts, about->uid))
		return 1000; /* the end of the batch makes a new plan, earlier */
	if (a->guard.node.name)
		return link && x->guarded < MAX_GUARDED
			? send_guarded(x, a, about, key, cluster, link)
			: 200;
	if (executor_verbs[a->kind] == VERB_SLURM)
		return link ? send_slurm(x, a, about, key, link) : 0;
	send_kube(begin_kube(x, a, about, key), a->body, &a->guard);
	return 0;
}

size_t executor_failing(const struct executor *x, const char *uid, struct failing_action *out,
	size_t most)
{
	return failures_of(x->failures, uid, out, most);
}

static void still_wanted(struct executor *x, const struct action *a)
{
	char key[KEY_BYTES], of_node[KEY_BYTES];
	target_key(key, a);
	if (!a->n_nodes && executor_verbs[a->kind] != VERB_EVENT)
		failures_wanted(x->failures, key, now_ms(x));
	for (size_t i = 0; i < a->n_nodes; i++)
		failures_wanted(x->failures, node_key(of_node, key, a->nodes[i]), now_ms(x));
}

/* What no plan asks for any more fails no more. */
static int64_t forget_failures(struct executor *x, const struct plan *plan, const char *uid)
{
	for (size_t i = 0; x->failures && i < plan->n; i++)
		still_wanted(x, &plan->actions[i]);
	return failures_sweep(&x->failures, uid, now_ms(x));
}

static int64_t run_actions(struct executor *x, const struct plan *plan,
	const struct object_ref *about, const char *cluster)
{
	int64_t again = 0;
	int room = x->config.max_per_object - in_flight_for(x, about->uid);
	bool any = false;
	for (size_t i = 0; i < plan->n; i++)
		any |= creates(plan->actions[i].kind);
	if (!any)
		slow_start_rest(&x->starts, about->uid);
	for (size_t i = 0; i < plan->n; i++) {
		/*
		 * The rest of the plan is not lost: the outcome of any of those in flight
		 * makes a new one.
		 */
		if (x->in_flight >= x->config.max_in_flight || room <= 0)
			return again ? again : 1000;
		int before = x->in_flight;
		int64_t in = act(x, &plan->actions[i], about, cluster);
		if (plan->actions[i].kind == ACT_PATCH_STATUS && x->in_flight > before)
			job_take_news(x->jobs, plan);
		room -= x->in_flight - before;
		if (in && (!again || in < again))
			again = in;
	}
	return again;
}

int64_t executor_run(struct executor *x, const struct plan *plan, const struct object_ref *about,
	const char *cluster)
{
	if (x->stopped)
		return 0;
	waits_sweep(&x->waits, now_ms(x));
	if (now_ms(x) - x->swept_ms > SWEEP_MS) {
		undone_sweep(&x->undone, now_ms(x));
		x->swept_ms = now_ms(x);
	}
	int64_t look = forget_failures(x, plan, about->uid);
	int64_t again = run_actions(x, plan, about, cluster);
	return !again || (look && look < again) ? look : again;
}
