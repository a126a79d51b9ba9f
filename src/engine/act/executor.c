/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out the actions of a plan that can be carried out now. */
#include "engine/act/executor.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/act/executor_parts.h"
#include "engine/act/failures.h"
#include "engine/act/slow_start.h"
#include "engine/act/reverted.h"
#include "engine/act/waits.h"

enum {
	SWEEP_MS = 10000,
	/* Actions in flight that a namespace may always have */
	LEAST_ROOM = 32,
	/* Memory for bodies in flight, and the part that a namespace may always use */
	BODIES_BYTES = 16777216,
	BODIES_LEAST_BYTES = 2097152,
	BODIES_AGAIN_MS = 200,
	/*
	 * At the limit of actions in flight, the end of any of them makes a new plan, so
	 * this time is only a precaution
	 */
	FULL_MS = 1000,
	MORE_MS = 50,
};

struct executor *executor_new(const struct executor_config *config)
{
	struct executor *x = own_alloc(sizeof(*x));
	x->config = *config;
	x->bodies = (struct budget){ .limit = BODIES_BYTES, .least = BODIES_LEAST_BYTES };
	x->guarded = (struct budget){ .limit = MAX_GUARDED, .least = LEAST_GUARDED };
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
	while (x->sent_actions) {
		http_cancel(x->config.kube->http, TAKE(x->sent_actions->call));
		sent_action_free(x->sent_actions);
	}
	shows_sweep(x, true);
	waits_free(&x->waits);
	slow_start_free(&x->starts);
	failures_free(&x->failures);
	reverted_free(&x->reverted);
	free(x);
}

/* ---- Slurm ---- */

void executor_new_token(struct executor *x, const char *ns, const char *cluster)
{
	char key[KEY_BYTES];
	for (enum verb v = VERB_NONE; v < VERB_COUNT; v++)
		if (verb_rows[v].backend == BACKEND_SLURM)
			waits_end_all(&x->waits,
				target_key(key, (struct operation){ v, RES_SLURM_NODE }, ns,
					cluster));
}

static void end_wait(void *executor, const char *key)
{
	struct executor *x = executor;
	waits_end(&x->waits, key);
}

void executor_asked_anew(struct executor *x, const char *uid)
{
	char key[128];
	waits_end(&x->waits, starts_key(key, uid));
	failures_each(x->failures, uid, end_wait, x);
}

/* ---- choosing ---- */

/* Counts of actions in flight: of an object, of its namespace, of the object by verb. */
struct under_way {
	int of_object, of_namespace, of_verb[VERB_COUNT];
};

static struct under_way under_way(const struct executor *x, const struct object_ref *about)
{
	struct under_way u = { 0 };
	for (const struct sent_action *e = x->sent_actions; e; e = e->next) {
		bool own = str_eq(e->about.uid, about->uid);
		u.of_object += own;
		u.of_verb[e->operation.verb] += own;
		u.of_namespace += str_eq(e->about.ns, about->ns);
	}
	return u;
}

/*
 * The number of further actions that may be in flight. A namespace may use half of what
 * the others leave, so that none of them takes all: a Slurm that does not answer holds
 * each action for half a minute. Several such namespaces would leave nothing, so each
 * namespace may always have LEAST_ROOM.
 */
static int room_beside(const struct executor *x, const struct under_way *u)
{
	int left_by_others = x->config.max_in_flight - (x->in_flight - u->of_namespace);
	int share = left_by_others / 2 - u->of_namespace;
	int room = x->config.max_per_object - u->of_object;
	if (share < LEAST_ROOM - u->of_namespace)
		share = LEAST_ROOM - u->of_namespace;
	return room < share ? room : share;
}

/* A sent action keeps a copy of its body until the API server has answered. */
static bool has_room_for(struct executor *x, const char *ns, const char *body)
{
	struct quota *p = quota_of(&x->bodies, ns);
	bool room = str_empty(body) || quota_has_room(p, strlen(body));
	quota_leave(p);
	return room;
}

static size_t waiting_creations(const struct executor *x, const char *ns)
{
	char key[KEY_BYTES];
	size_t n = 0;
	for (enum resource r = RES_NONE; r < RES_COUNT; r++)
		if (resource_rows[r].in_numbers)
			n += waits_count(x->waits,
				targets_key(key, (struct operation){ VERB_CREATE, r }, ns),
				now_of(x));
	return n;
}

size_t executor_max_creates(const struct executor *x, const struct object_ref *about)
{
	struct under_way u = under_way(x, about);
	int room = x->config.max_per_object - u.of_object;
	size_t start = slow_start_room(x->starts, about->uid);
	if (room <= 0 || !start)
		return 0;
	return (start < (size_t)room ? start : (size_t)room) + waiting_creations(x, about->ns);
}

size_t executor_max_writes(const struct executor *x, const struct object_ref *about, size_t waiting)
{
	struct under_way u = under_way(x, about);
	int room = x->config.max_per_object - u.of_object;
	return (room > 0 ? (size_t)room : 0) + waiting;
}

/* An Event with with_status is emitted when the status is written, not here. */
static int64_t backend_event(struct executor *x, const struct delivery *d)
{
	const struct action *a = d->action;
	if (!x->config.events || a->with_status)
		return 0;
	if (a->promised)
		events_emit_promised(x->config.events, d->about, a->reason, a->why);
	else
		events_emit(x->config.events, d->about, a->warning, a->reason, a->why);
	return 0;
}

/* 0: sent or not needed; otherwise the time until the next try. */
static int64_t act(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *cluster, size_t *waiting)
{
	static backend_send *const backends[BACKEND_COUNT] = {
		[BACKEND_KUBE] = backend_kube,
		[BACKEND_SLURM] = backend_slurm,
		[BACKEND_TOKEN] = backend_token,
		[BACKEND_EVENT] = backend_event,
	};
	char key[KEY_BYTES];
	struct delivery d = { a, about, cluster, target_key(key, a->operation, a->ns, a->name),
		reverted_what(a) };
	backend_send *send = backends[operation_backend(a->operation)];
	int64_t left_ms = waits_left_ms(x->waits, key, now_of(x));
	if (!left_ms)
		left_ms = reverted_left_ms(x->reverted, key, d.what, now_of(x));
	*waiting += left_ms != 0;
	return left_ms ? left_ms : send ? send(x, &d) : 0;
}

size_t executor_failing(const struct executor *x, const char *uid, struct failing_action *out,
	size_t most)
{
	return failures_of(x->failures, uid, out, most);
}

static void still_wanted(struct executor *x, const struct action *a)
{
	char key[KEY_BYTES], of_node[KEY_BYTES];
	target_key(key, a->operation, a->ns, a->name);
	if (!a->n_nodes)
		failures_wanted(x->failures, key, now_of(x));
	for (size_t i = 0; i < a->n_nodes; i++)
		failures_wanted(x->failures, node_key(of_node, key, a->nodes[i]), now_of(x));
}

/* Drops failures of actions that plans no longer order. */
static int64_t forget_failures(struct executor *x, const struct plan *plan, const char *uid)
{
	for (size_t i = 0; x->failures && i < plan->n; i++)
		still_wanted(x, &plan->actions[i]);
	return failures_sweep(&x->failures, uid, now_of(x));
}

/* Keeps the smallest time above 0. */
static void again(struct carried_out *out, int64_t in_ms)
{
	if (in_ms && (!out->again_ms || in_ms < out->again_ms))
		out->again_ms = in_ms;
}

static struct carried_out run_actions(struct executor *x, const struct plan *plan,
	const struct object_ref *about, const char *cluster)
{
	struct carried_out out = { 0 };
	struct under_way u = under_way(x, about);
	int room = room_beside(x, &u);
	bool any = false;
	for (size_t i = 0; i < plan->n; i++)
		any |= operation_in_numbers(plan->actions[i].operation);
	if (!any)
		slow_start_rest(&x->starts, about->uid);
	for (size_t i = 0; i < plan->n; i++) {
		/*
		 * The rest of the plan is not lost: the outcome of any action in flight
		 * makes a new plan.
		 */
		if (room <= 0) {
			again(&out, out.again_ms ? 0 : FULL_MS);
			return out;
		}
		enum verb verb = plan->actions[i].operation.verb;
		int most = verb_rows[verb].at_a_time;
		if (most && u.of_verb[verb] >= most)
			continue;
		if (!has_room_for(x, about->ns, plan->actions[i].body)) {
			again(&out, BODIES_AGAIN_MS);
			continue;
		}
		int before = x->in_flight;
		again(&out, act(x, &plan->actions[i], about, cluster, &out.waiting));
		int sent = x->in_flight - before;
		if (verb == VERB_PATCH_STATUS && sent)
			sent_action_take_news(x->sent_actions, plan);
		u.of_verb[verb] += sent;
		room -= sent;
	}
	/* Waiting actions took the place of others. The next plan has room for both. */
	again(&out, plan->more && out.waiting ? MORE_MS : 0);
	return out;
}

void executor_tell(struct executor *x, const struct plan *plan, const struct object_ref *about)
{
	for (size_t i = 0; i < plan->n && executor_acts(x); i++)
		if (operation_backend(plan->actions[i].operation) == BACKEND_EVENT)
			backend_event(x,
				&(struct delivery){ &plan->actions[i], about, NULL, NULL, 0 });
}

struct carried_out executor_run(struct executor *x, const struct plan *plan,
	const struct object_ref *about, const char *cluster)
{
	if (!executor_acts(x))
		return (struct carried_out){ 0 };
	if (now_of(x) - x->swept_ms > SWEEP_MS) {
		waits_sweep(&x->waits, now_of(x));
		reverted_sweep(&x->reverted, now_of(x));
		shows_sweep(x, false);
		x->swept_ms = now_of(x);
	}
	int64_t look_ms = forget_failures(x, plan, about->uid);
	struct carried_out out = run_actions(x, plan, about, cluster);
	again(&out, look_ms);
	return out;
}
