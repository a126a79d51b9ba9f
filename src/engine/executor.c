#include "engine/executor.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/failures.h"
#include "engine/slow_start.h"
#include "engine/waits.h"

static struct metric actions_total = { "slurm_operator_actions_total", METRIC_COUNTER, "Actions carried out, by kind and outcome.", "kind,outcome",
	NULL, NULL, 0 };

enum {
	MAX_GUARDED = 64,       /* deletions that rely on Slurm, at a time: each is looked at right before it is sent, so none may wait in a queue */
	GUARDED_WAIT_MS = 1000, /* one that has waited longer for its look, or for its turn, is decided anew */
	LOOK_MS = 5000,         /* a look that was asked for before that says nothing */
};
enum { KEY_BYTES = 900 }; /* a namespace, two names and a word */
enum { STATUS_MS = 250 }; /* while a thousand pods come or go, a status for each of them would cost as much as they do */

/* One action on its way. */
struct job {
	struct executor *x;
	struct job *prev, *next;
	struct http_call *call;
	enum action_kind kind;
	enum resource resource;
	bool kube, reading;
	uint64_t ticket; /* of the store */
	char *ns, *name, *key, *why, *event_done, *event_failed;
	char **nodes; /* of an update of Slurm: each waits for itself after a failure */
	size_t n_nodes;
	struct object_ref about; /* strings are the job's own */
	struct err err;          /* of the write, while the object is read again */
	/* Of a deletion that relies on Slurm; its strings are the job's own. */
	struct guard guard;
	char *cluster;
	int64_t began_ms;
};

struct executor {
	struct executor_config config;
	struct job *jobs;
	struct wait *waits;
	struct slow_start *starts;
	struct failures *failures;
	int in_flight, guarded;
	bool stopped;
};

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

static int64_t now_ms(const struct executor *x) { return loop_now_ms(x->config.kube->loop); }

/* ---- jobs ---- */

static void job_free(struct job *j)
{
	struct executor *x = j->x;
	if (j->prev)
		j->prev->next = j->next;
	else
		x->jobs = j->next;
	if (j->next)
		j->next->prev = j->prev;
	x->in_flight--;
	x->guarded -= j->guard.node.name != NULL;
	free((char *)(uintptr_t)j->guard.uid);
	free((char *)(uintptr_t)j->guard.resource_version);
	free((char *)(uintptr_t)j->guard.node.name);
	free((char *)(uintptr_t)j->guard.node.address);
	free(j->cluster);
	free(j->ns);
	free(j->name);
	free(j->key);
	while (j->n_nodes)
		free(j->nodes[--j->n_nodes]);
	free(j->nodes);
	free(j->why);
	free(j->event_done);
	free(j->event_failed);
	free((char *)(uintptr_t)j->about.ns);
	free((char *)(uintptr_t)j->about.name);
	free((char *)(uintptr_t)j->about.uid);
	free(j);
}

static struct job *job_new(struct executor *x, const struct action *a, const struct object_ref *about, const char *key)
{
	struct job *j = own_alloc(sizeof(*j));
	*j = (struct job){
		.x = x, .next = x->jobs, .kind = a->kind, .resource = a->resource, .ns = own_strdup(a->ns), .name = own_strdup(a->name),
		.key = own_strdup(key), .why = own_strdup(a->why), .event_done = own_strdup(a->event_done), .event_failed = own_strdup(a->event_failed),
		.about = { about->resource, own_strdup(about->ns), own_strdup(about->name), own_strdup(about->uid) },
	};
	if (x->jobs)
		x->jobs->prev = j;
	x->jobs = j;
	x->in_flight++;
	return j;
}

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
	free(x);
}

/* A deletion of what is gone needs nothing more. */
static bool as_good_as_done(const struct job *j, struct err err)
{
	return err.kind == ERR_NOT_FOUND && (j->kind == ACT_DELETE_POD || j->kind == ACT_DELETE_REVISION);
}

/* Those that come in numbers. */
static bool creates(enum action_kind kind) { return kind == ACT_CREATE_POD || kind == ACT_CREATE_PVC; }
/* In a namespace that is going nothing can be created, and nobody need be told. */
static bool in_vain(const struct job *j, struct err err) { return err.kind == ERR_NOT_FOUND && creates(j->kind); }

static void tell(const struct job *j, struct err err)
{
	const char *reason = failed(err) ? j->event_failed : j->event_done;
	metric_add(&actions_total, 1, action_kind_names[j->kind], failed(err) ? err_kind_name(err.kind) : "ok");
	if (failed(err) && !in_vain(j, err))
		log_warn("action failed", "action", action_kind_names[j->kind], "namespace", j->ns, "name", j->name, "why", j->why, "error", err.text);
	else if (!failed(err))
		log_line(j->kind == ACT_PATCH_STATUS ? LOG_DEBUG : LOG_INFO, "action done", "action",
			action_kind_names[j->kind], "namespace", j->ns, "name", j->name, "why", j->why, (char *)0);
	/* Conflicts and lost answers are the machine's own business: the next plan settles them. */
	bool for_people = !failed(err) || (err.kind != ERR_CONFLICT && err.kind != ERR_LOST && err.kind != ERR_EXISTS && !in_vain(j, err));
	if (reason && for_people && j->x->config.events) {
		struct str message = { 0 };
		str_addf(&message, failed(err) ? "%s: %s" : "%s", j->why, err.text);
		events_emit(j->x->config.events, &j->about, failed(err), reason, str_text(&message));
		str_free(&message);
	}
}

static const char *starts_key(char buffer[128], const char *uid)
{
	snprintf(buffer, 128, "creations of %s", uid);
	return buffer;
}

/* That a pod exists says nothing about the others. */
static void creation_ended(struct executor *x, const struct job *j, struct err err)
{
	char key[128];
	enum err_kind why = err.kind == ERR_EXISTS ? ERR_NONE : err.kind, first = slow_start_ended(&x->starts, j->about.uid, why);
	if (first != ERR_NONE)
		waits_longer(&x->waits, starts_key(key, j->about.uid), first, now_ms(x));
	else if (why == ERR_NONE)
		waits_end(&x->waits, starts_key(key, j->about.uid));
}

static void target_waits(const struct job *j, const char *key, struct err err)
{
	struct executor *x = j->x;
	if (failed(err))
		waits_longer(&x->waits, key, err.kind, now_ms(x));
	else if (j->kind == ACT_PATCH_STATUS)
		waits_until(&x->waits, key, now_ms(x) + STATUS_MS);
	else
		waits_end(&x->waits, key);
}

static const char *node_key(char buffer[KEY_BYTES], const char *key, const char *node)
{
	snprintf(buffer, KEY_BYTES, "%s%s", key, node);
	return buffer;
}

/* A status that cannot be written could not tell it either. */
static void note_failure(const struct job *j, const char *key, const char *target, struct err err)
{
	struct executor *x = j->x;
	if (!failed(err))
		failures_ended(&x->failures, key);
	else if (j->kind != ACT_PATCH_STATUS && err.kind != ERR_CANCELLED && !in_vain(j, err))
		failures_failed(&x->failures, j->about.uid, key, j->kind, target, err, now_ms(x));
}

static void target_ended(const struct job *j, const char *key, const char *target, struct err err)
{
	target_waits(j, key, err);
	note_failure(j, key, target, err);
}

static void job_end(struct job *j, struct err err)
{
	struct executor *x = j->x;
	char key[KEY_BYTES];
	tell(j, err);
	if (creates(j->kind))
		creation_ended(x, j, err);
	if (!j->n_nodes)
		target_ended(j, j->key, j->name, err);
	for (size_t i = 0; i < j->n_nodes; i++)
		target_ended(j, node_key(key, j->key, j->nodes[i]), j->nodes[i], err);
	struct object_ref about = { j->about.resource, own_strdup(j->about.ns), own_strdup(j->about.name), own_strdup(j->about.uid) };
	job_free(j);
	x->config.outcome(x->config.ctx, &about);
	free((char *)(uintptr_t)about.ns);
	free((char *)(uintptr_t)about.name);
	free((char *)(uintptr_t)about.uid);
}

/* ---- Kubernetes ---- */

static void read_back(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct job *j = ctx;
	(void)retry_after_ms;
	store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name, failed(err) ? NULL : object, false);
	job_end(j, j->err);
}

static void read_again(struct job *j)
{
	struct arena a = { 0 };
	struct kube_request r = { .method = "GET", .path = resource_path(&a, j->resource, j->ns, j->name, NULL), .timeout_ms = 10000 };
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
		store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name, NULL, true);
		job_end(j, e);
	} else if (err.kind == ERR_LOST || err.kind == ERR_EXISTS || err.kind == ERR_CONFLICT) {
		j->err = err;
		read_again(j);
	} else {
		/* A deletion answers with the object or with a Status: only the first tells something. */
		bool tells = !failed(err) && json_is_str(json_at(object, "metadata", "uid"));
		store_outcome(j->x->config.store, j->ticket, j->resource, j->ns, j->name, tells ? object : NULL, deletion && !failed(err));
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

enum verb { VERB_CREATE, VERB_PATCH, VERB_PATCH_STATUS, VERB_DELETE, VERB_SLURM, VERB_EVENT };
static const enum verb verbs[ACT_KINDS] = {
	[ACT_CREATE_POD] = VERB_CREATE,      [ACT_CREATE_PVC] = VERB_CREATE,      [ACT_CREATE_REVISION] = VERB_CREATE,
	[ACT_PATCH_POD] = VERB_PATCH,        [ACT_PATCH_PVC] = VERB_PATCH,        [ACT_PATCH_REVISION] = VERB_PATCH,
	[ACT_PATCH_OBJECT] = VERB_PATCH,     [ACT_PATCH_STATUS] = VERB_PATCH_STATUS,
	[ACT_DELETE_POD] = VERB_DELETE,      [ACT_DELETE_REVISION] = VERB_DELETE,
	[ACT_DRAIN_NODES] = VERB_SLURM,      [ACT_UNDRAIN_NODES] = VERB_SLURM,    [ACT_RESUME_NODES] = VERB_SLURM,
	[ACT_COMMENT_NODE] = VERB_SLURM,
	[ACT_DELETE_NODE] = VERB_SLURM,
	[ACT_EMIT_EVENT] = VERB_EVENT,
};

static struct job *begin_kube(struct executor *x, const struct action *a, const struct object_ref *about, const char *key)
{
	bool owned = a->kind == ACT_CREATE_POD || a->kind == ACT_CREATE_REVISION;
	uint64_t ticket = store_sent(x->config.store, a->resource, a->ns, a->name, verbs[a->kind] == VERB_CREATE ? a->body : NULL, owned ? about->uid : NULL);
	struct job *j = job_new(x, a, about, key);
	j->ticket = ticket;
	j->kube = true;
	return j;
}

static void send_kube(struct job *j, const char *body, const struct guard *guard)
{
	struct arena arena = { 0 };
	struct kube_request r = { .body = body, .timeout_ms = 30000 };
	enum verb verb = verbs[j->kind];
	r.method = verb == VERB_CREATE ? "POST" : verb == VERB_DELETE ? "DELETE" : "PATCH";
	r.path = resource_path(&arena, j->resource, j->ns, verb == VERB_CREATE ? NULL : j->name, verb == VERB_PATCH_STATUS ? "status" : NULL);
	bool patches = verb == VERB_PATCH || verb == VERB_PATCH_STATUS;
	r.patch = !patches ? PATCH_NONE : body[0] == '[' ? PATCH_JSON : PATCH_MERGE;
	if (verb == VERB_DELETE) {
		r.body = delete_options(&arena, guard);
		store_deletion_sent(j->x->config.store, j->resource, j->ns, j->name);
	}
	if (guard->node.name)
		r.max_wait_ms = GUARDED_WAIT_MS;
	j->call = kube_send(j->x->config.kube, &r, written, j);
	arena_free(&arena);
}

/* ---- deletions that rely on Slurm ---- */

/* A look that has just been answered, and was not asked for long ago. */
static bool has_looked(const struct executor *x, const struct slurm_node_fact *f)
{
	return f->looked_ms && now_ms(x) - f->looked_told_ms <= GUARDED_WAIT_MS && now_ms(x) - f->looked_ms <= LOOK_MS;
}

/* The newest facts must say what the planner saw: an administrator may have resumed the node meanwhile, or a slurmd have registered. */
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

/* After a look that took long, it is planned anew: the deletion may not be wanted any more. If it is, that look will do. */
static void looked(void *ctx, struct err err)
{
	struct job *j = ctx;
	struct executor *x = j->x;
	const char *node = j->guard.node.name;
	struct slurm_link *link = x->config.link_of(x->config.ctx, j->about.ns, j->cluster);
	if (failed(err))
		give_up(j, err_wrap(err, "looking at Slurm node %s once more before the deletion of its pod", node));
	else if (now_ms(x) - j->began_ms > GUARDED_WAIT_MS)
		give_up(j, err_new(ERR_CONFLICT, "the look at Slurm node %s took so long that the deletion of its pod is decided anew", node));
	else if (!link || x->stopped || !guard_holds(x, link, &j->guard))
		give_up(j, err_new(ERR_CONFLICT, "Slurm node %s is not as it was when the deletion of its pod was ordered", node));
	else
		send_kube(j, NULL, &j->guard);
}

static struct guard guard_copy(const struct guard *g)
{
	return (struct guard){ own_strdup(g->uid), own_strdup(g->resource_version), { own_strdup(g->node.name), own_strdup(g->node.address) }, g->absent };
}

static void send_guarded(struct executor *x, const struct action *a, const struct object_ref *about, const char *key, const char *cluster,
	struct slurm_link *link)
{
	bool looked_already = guard_holds(x, link, &a->guard);
	struct job *j = begin_kube(x, a, about, key);
	j->guard = guard_copy(&a->guard);
	j->cluster = own_strdup(cluster);
	j->began_ms = now_ms(x);
	x->guarded++;
	if (looked_already)
		send_kube(j, NULL, &j->guard);
	else
		slurm_link_look(link, j->guard.node.name, looked, j);
}

/* ---- Slurm ---- */

static void slurm_told(void *ctx, struct err err) { job_end(ctx, err); }

/* Slurm refuses an update for one of its nodes and carries it out for the others: who waits is found out node by node. */
static int64_t send_slurm(struct executor *x, const struct action *a, const struct object_ref *about, const char *key, struct slurm_link *link)
{
	static const enum slurm_update what[ACT_KINDS] = {
		[ACT_DRAIN_NODES] = SLURM_DRAIN, [ACT_UNDRAIN_NODES] = SLURM_UNDRAIN, [ACT_RESUME_NODES] = SLURM_RESUME,
		[ACT_COMMENT_NODE] = SLURM_COMMENT };
	char **nodes = own_alloc(a->n_nodes * sizeof(char *)), buffer[KEY_BYTES];
	size_t n = 0;
	int64_t least_ms = 0;
	for (size_t i = 0; i < a->n_nodes; i++) {
		int64_t left_ms = waits_left_ms(x->waits, node_key(buffer, key, a->nodes[i]), now_ms(x));
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
		slurm_link_update(link, what[a->kind], (const char *const *)nodes, n, a->text, slurm_told, j);
	return least_ms;
}

/* ---- choosing ---- */

static const char *target_key(char buffer[KEY_BYTES], const struct action *a)
{
	snprintf(buffer, KEY_BYTES, "%s %s/%s ", action_kind_names[a->kind], a->ns ? a->ns : "", a->name ? a->name : "");
	return buffer;
}

static bool busy(const struct executor *x, const struct action *a)
{
	if (verbs[a->kind] == VERB_SLURM)
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
	const char *text = a->text ? a->text : a->why;
	if (x->config.events && a->promised)
		events_emit_promised(x->config.events, about, a->reason, text);
	else if (x->config.events)
		events_emit(x->config.events, about, a->warning, a->reason, text);
}

/* 0: sent or not needed; otherwise the time after which to ask again. */
static int64_t act(struct executor *x, const struct action *a, const struct object_ref *about, const char *cluster)
{
	char key[KEY_BYTES];
	if (verbs[a->kind] == VERB_EVENT) {
		emit_event(x, a, about);
		return 0;
	}
	char starts[128];
	int64_t left_ms = waits_left_ms(x->waits, target_key(key, a), now_ms(x));
	if (!left_ms && creates(a->kind))
		left_ms = waits_left_ms(x->waits, starts_key(starts, about->uid), now_ms(x));
	if (left_ms)
		return left_ms;
	if (busy(x, a))
		return 0; /* its outcome makes a new plan */
	struct slurm_link *link = cluster ? x->config.link_of(x->config.ctx, about->ns, cluster) : NULL;
	if (creates(a->kind) && !slow_start_take(&x->starts, about->uid))
		return 1000; /* the end of the batch makes a new plan, earlier */
	if (a->guard.node.name)
		return link && x->guarded < MAX_GUARDED ? (send_guarded(x, a, about, key, cluster, link), 0) : 200;
	if (verbs[a->kind] == VERB_SLURM)
		return link ? send_slurm(x, a, about, key, link) : 0;
	send_kube(begin_kube(x, a, about, key), a->body, &a->guard);
	return 0;
}

size_t executor_failing(const struct executor *x, const char *uid, struct failing_action *out, size_t most)
{
	return failures_of(x->failures, uid, out, most);
}

static void still_wanted(struct executor *x, const struct action *a)
{
	char key[KEY_BYTES], of_node[KEY_BYTES];
	target_key(key, a);
	if (!a->n_nodes && verbs[a->kind] != VERB_EVENT)
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

static int64_t run_actions(struct executor *x, const struct plan *plan, const struct object_ref *about, const char *cluster)
{
	int64_t again = 0;
	int room = x->config.max_per_object - in_flight_for(x, about->uid);
	bool any = false;
	for (size_t i = 0; i < plan->n; i++)
		any |= creates(plan->actions[i].kind);
	if (!any)
		slow_start_rest(&x->starts, about->uid);
	for (size_t i = 0; i < plan->n; i++) {
		/* The rest of the plan is not lost: the outcome of any of those in flight makes a new one. */
		if (x->in_flight >= x->config.max_in_flight || room <= 0)
			return again ? again : 1000;
		int before = x->in_flight;
		int64_t in = act(x, &plan->actions[i], about, cluster);
		room -= x->in_flight - before;
		if (in && (!again || in < again))
			again = in;
	}
	return again;
}

int64_t executor_run(struct executor *x, const struct plan *plan, const struct object_ref *about, const char *cluster)
{
	if (x->stopped)
		return 0;
	waits_sweep(&x->waits, now_ms(x));
	int64_t look = forget_failures(x, plan, about->uid);
	int64_t again = run_actions(x, plan, about, cluster);
	return !again || (look && look < again) ? look : again;
}
