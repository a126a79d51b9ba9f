/* SPDX-License-Identifier: Apache-2.0 */
/* Writes of Kubernetes, and deletions that rely on Slurm. */
#include "base/own.h"
#include "base/str.h"
#include "engine/executor_parts.h"

enum {
	/*
	 * A deletion that has waited longer for its look, or for its turn, is decided
	 * anew
	 */
	GUARDED_WAIT_MS = 1000,
	/* A list that was asked for since then and names the node is a look at it, too */
	LIST_LOOK_MS = 1500,
	LIST_AGAIN_MS = 100, /* a deletion that waits for such a list is tried again */
	LOOKS_MOST = 8,      /* single reads on their way: more only take the time of the list */
	LOOK_MS = 5000,      /* a look that was asked for before that says nothing */
	READ_AGAIN_MS = 500,
	READ_DOUBLES = 5, /* up to 16 s */
};

/* A deletion of what is gone needs nothing more. */
static bool as_good_as_done(const struct job *j, struct err err)
{
	return err.kind == ERR_NOT_FOUND &&
		(j->kind == ACT_DELETE_POD || j->kind == ACT_DELETE_REVISION);
}

/* ---- Kubernetes ---- */

static void read_again(struct job *j);

static void read_once_more(void *ctx)
{
	struct job *j = ctx;
	j->timer = NULL;
	read_again(j);
}

/*
 * A creation whose answer was lost may have been done: until somebody tells, it counts as
 * coming.
 */
static bool nobody_tells(const struct job *j, struct err err)
{
	bool away = err.kind == ERR_LOST || err.kind == ERR_RETRY;
	return creates(j->kind) && j->err.kind == ERR_LOST && away && !j->x->stopped;
}

static void read_back(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct job *j = ctx;
	(void)retry_after_ms;
	j->call = NULL;
	if (nobody_tells(j, err)) {
		j->timer = timer_start(j->x->config.kube->loop, READ_AGAIN_MS << j->reads,
			read_once_more, j);
		j->reads += j->reads < READ_DOUBLES;
		return;
	}
	store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name,
		failed(err) ? NULL : object, false);
	job_end(j, j->err);
}

static void read_again(struct job *j)
{
	struct arena a = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, j->resource, j->ns, j->name, NULL),
		.timeout_ms = 10000,
	};
	j->call = kube_send(j->x->config.kube, &r, read_back, j);
	arena_free(&a);
}

static void written(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct job *j = ctx;
	bool deletion = j->kind == ACT_DELETE_POD || j->kind == ACT_DELETE_REVISION;
	(void)retry_after_ms;
	j->call = NULL;
	if (as_good_as_done(j, err)) {
		struct err e = OK;
		store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name, NULL,
			true);
		job_end(j, e);
	} else if (err.kind == ERR_LOST || err.kind == ERR_EXISTS || err.kind == ERR_CONFLICT) {
		j->err = err;
		read_again(j);
	} else {
		/*
		 * A deletion answers with the object or with a Status: only the first
		 * tells something.
		 */
		bool tells = !failed(err) && json_is_str(json_at(object, "metadata", "uid"));
		store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name,
			tells ? object : NULL, deletion && !failed(err));
		job_end(j, err);
	}
}

static const char *delete_options(struct arena *a, const struct guard *g)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *o = j_obj(d), *pre = j_child(d, o, "preconditions");
	if (g->uid)
		j_set_str(d, pre, "uid", g->uid);
	if (g->resource_version)
		j_set_str(d, pre, "resourceVersion", g->resource_version);
	return j_text(d, o);
}

const enum verb executor_verbs[ACT_KINDS] = {
	[ACT_CREATE_POD] = VERB_CREATE,
	[ACT_CREATE_PVC] = VERB_CREATE,
	[ACT_CREATE_REVISION] = VERB_CREATE,
	[ACT_PATCH_POD] = VERB_PATCH,
	[ACT_PATCH_PVC] = VERB_PATCH,
	[ACT_PATCH_REVISION] = VERB_PATCH,
	[ACT_PATCH_OBJECT] = VERB_PATCH,
	[ACT_PATCH_STATUS] = VERB_PATCH_STATUS,
	[ACT_DELETE_POD] = VERB_DELETE,
	[ACT_DELETE_REVISION] = VERB_DELETE,
	[ACT_DRAIN_NODES] = VERB_SLURM,
	[ACT_UNDRAIN_NODES] = VERB_SLURM,
	[ACT_RESUME_NODES] = VERB_SLURM,
	[ACT_COMMENT_NODE] = VERB_SLURM,
	[ACT_DELETE_NODE] = VERB_SLURM,
	[ACT_EMIT_EVENT] = VERB_EVENT,
};

struct job *begin_kube(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *key)
{
	bool owned = a->kind == ACT_CREATE_POD || a->kind == ACT_CREATE_REVISION;
	uint64_t ticket = store_sent(x->config.store, a->resource, a->ns, a->name,
		executor_verbs[a->kind] == VERB_CREATE ? a->body : NULL, owned ? about->uid : NULL);
	struct job *j = job_new(x, a, about, key);
	j->ticket = ticket;
	return j;
}

/*
 * A field that nobody knows, for one: the API server takes the pod without it, and tells
 * only the one who made it.
 */
static void pod_warned(void *ctx, const char *text)
{
	const struct job *j = ctx;
	AUTO(str_free) struct str message = { 0 };
	str_addf(&message, "the API server warns of the pods that are made from spec.template: %s",
		text);
	if (j->x->config.events)
		events_emit(j->x->config.events, &j->about, true, "TemplateWarning",
			str_text(&message));
}

void send_kube(struct job *j, const char *body, const struct guard *guard)
{
	struct arena arena = { 0 };
	struct kube_request r = { .body = body, .timeout_ms = 30000 };
	enum verb verb = executor_verbs[j->kind];
	r.method = verb == VERB_CREATE ? "POST" : verb == VERB_DELETE ? "DELETE" : "PATCH";
	r.path = resource_path(&arena, j->resource, j->ns, verb == VERB_CREATE ? NULL : j->name,
		verb == VERB_PATCH_STATUS ? "status" : NULL);
	bool patches = verb == VERB_PATCH || verb == VERB_PATCH_STATUS;
	r.patch = !patches ? PATCH_NONE : body[0] == '[' ? PATCH_JSON : PATCH_MERGE;
	if (verb == VERB_DELETE) {
		r.body = delete_options(&arena, guard);
		store_deletion_sent(j->x->config.store, j->resource, j->ns, j->name);
	}
	if (j->kind == ACT_CREATE_POD)
		r.warned = pod_warned;
	if (guard->node.name)
		r.max_wait_ms = GUARDED_WAIT_MS;
	j->call = kube_send(j->x->config.kube, &r, written, j);
	arena_free(&arena);
}

/* ---- deletions that rely on Slurm ---- */

/*
 * A look that has just been answered, and was not asked for long ago. A list that was
 * asked for a moment ago and names the node is as good: where a thousand nodes are free
 * at once, it is a look at all of them. It does not tell that a node is absent, though: a
 * slurmd may be registering.
 */
static bool has_looked(const struct executor *x, const struct slurm_node_fact *f)
{
	if (f->known == YES && f->named_ms && now_ms(x) - f->named_ms <= LIST_LOOK_MS)
		return true;
	return f->looked_ms && now_ms(x) - f->looked_told_ms <= GUARDED_WAIT_MS &&
		now_ms(x) - f->looked_ms <= LOOK_MS;
}

/*
 * The newest facts must say what the planner saw: an administrator may have resumed the
 * node meanwhile, or a slurmd have registered.
 */
static bool guard_holds(const struct executor *x, struct slurm_link *link, const struct guard *g)
{
	struct slurm_fact slurm = slurm_link_slurm(link);
	struct slurm_node_fact f = slurm_link_node(link, &g->node);
	if (slurm.usable != YES || f.in_flight || f.elsewhere || !has_looked(x, &f))
		return false;
	if (g->absent)
		return f.known == NO;
	bool drained = f.known == YES && node_state_drained(f.state) && f.free_since_ms;
	return drained && f.held == NO && slurm.jobs_seen_ms >= f.free_since_ms;
}

/* Nothing was sent: the next plan looks at the world as it is now. */
static void give_up(struct job *j, struct err err)
{
	store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name, NULL, false);
	job_end(j, err);
}

/*
 * After a look that took long, it is planned anew: the deletion may not be wanted any
 * more. If it is, that look will do.
 */
static void looked(void *ctx, struct err err)
{
	struct job *j = ctx;
	struct executor *x = j->x;
	const char *node = j->guard.node.name;
	struct slurm_link *link = x->config.link_of(x->config.ctx, j->about.ns, j->cluster);
	if (failed(err))
		give_up(j,
			err_wrap(err,
				"looking at Slurm node %s once more before the deletion of its pod",
				node));
	else if (now_ms(x) - j->began_ms > GUARDED_WAIT_MS)
		give_up(j,
			err_new(ERR_CONFLICT,
				"the look at Slurm node %s took so long that the deletion of its "
				"pod is decided anew",
				node));
	else if (!link || x->stopped || !guard_holds(x, link, &j->guard))
		give_up(j,
			err_new(ERR_CONFLICT,
				"Slurm node %s is not as it was when the deletion of its pod was "
				"ordered",
				node));
	else
		send_kube(j, NULL, &j->guard);
}

static struct guard guard_copy(const struct guard *g)
{
	return (struct guard){
		.uid = own_strdup(g->uid),
		.resource_version = own_strdup(g->resource_version),
		.node = {
			.name = own_strdup(g->node.name),
			.address = own_strdup(g->node.address),
			.second_address = own_strdup(g->node.second_address),
			.machine = own_strdup(g->node.machine),
		},
		.absent = g->absent,
	};
}

/*
 * Of many nodes each one is not looked at singly: those looks would stand in a queue
 * until they are too old. A list that comes a moment later is a look at all of them.
 */
int64_t send_guarded(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *key, const char *cluster, struct slurm_link *link)
{
	bool looked_already = guard_holds(x, link, &a->guard);
	if (!looked_already && slurm_link_looks(link) >= LOOKS_MOST) {
		slurm_link_list_now(link);
		return LIST_AGAIN_MS;
	}
	struct job *j = begin_kube(x, a, about, key);
	j->guard = guard_copy(&a->guard);
	j->cluster = own_strdup(cluster);
	j->began_ms = now_ms(x);
	x->guarded++;
	if (looked_already)
		send_kube(j, NULL, &j->guard);
	else
		slurm_link_look(link, j->guard.node.name, looked, j);
	return 0;
}
