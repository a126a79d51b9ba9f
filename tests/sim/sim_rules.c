/* SPDX-License-Identifier: Apache-2.0 */
/* The rules: each looks at one write of the program and the truth of the world. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_oracle.h"

static const struct sim_version *owner_of(const struct sim_oracle *o, const struct sim_version *v)
{
	const char *uid = sim_owner_uid(v);
	if (!*uid)
		uid = sim_oracle_orphaned_of(o, v->uid);
	return *uid ? sim_store_by_uid(&o->kube->store, uid) : NULL;
}

bool sim_oracle_at_any_time(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_version *now, bool (*is)(const struct sim_version *v, const void *with),
	const void *with)
{
	const struct sim_store *s = &o->kube->store;
	int64_t from = sim_oracle_view(o, now->resource, rq);
	if (is(now, with) || from < s->forgotten)
		return true;
	for (size_t i = s->n_history; i > 0 && s->history[i - 1].rv > from; i--) {
		const struct sim_change *c = &s->history[i - 1];
		if (strcmp(c->after->uid, now->uid) == 0 &&
			(is(c->after, with) || (c->before && is(c->before, with))))
			return true;
	}
	return false;
}

/* The user's explicit wish that jobs do not count. */
static bool let_go(const struct sim_version *nodeset, const void *with)
{
	(void)with;
	return strcmp(sim_annotation(nodeset, "nodeset.slinky.slurm.net/release-now"), "true") == 0;
}

/*
 * Whether the program could know an action of another client on a Slurm node at that
 * time. An answer of the same millisecond may have been given just before. Which Cluster
 * an answer was for is not seen here: where several have the Slurm, only the time tells.
 */
static bool could_know(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_node *n, int64_t did_ms, int64_t patience_ms)
{
	bool told = !sim_oracle_shared(o, n->s) &&
		sim_oracle_nodes_shown(o, rq, n->s, rq->sent_ms - o->race_ms) > did_ms;
	return told || rq->sent_ms - did_ms > patience_ms;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- P1, P2: a pod is ended ---- */

static bool phase_over(const struct sim_version *pod)
{
	const char *phase = sim_str(sim_get(pod->root, "status"), "phase");
	return strcmp(phase, "Failed") == 0 || strcmp(phase, "Succeeded") == 0;
}

static bool stays(const struct sim_version *nodeset, const void *with)
{
	(void)with;
	return !sim_has_finalizer(nodeset, "orphan");
}

/*
 * A pod of a StatefulSet, say, that has such a name need not run a slurmd. When it does,
 * the node's address tells whose it is.
 */
static bool may_be_meant(const struct sim_oracle *o, const struct sim_version *pod,
	const struct sim_request *rq)
{
	const char *uid = sim_owner_uid(pod);
	const struct sim_version *owner = sim_store_by_uid(&o->kube->store, uid);
	const struct sim_node *n = sim_oracle_node_named(o, pod);
	return !*uid || (owner && owner->resource == RES_NODESET) ||
		(n && !n->down && strcmp(n->uid, pod->uid) == 0 &&
			could_know(o, rq, n, n->registered_ms, o->fresh_ms));
}

/*
 * Another pod that names the same Slurm node, since long enough. Only its own word tells
 * which of them Slurm means.
 */
static const struct sim_version *namesake(const struct sim_oracle *o, const struct sim_version *pod,
	const struct sim_request *rq)
{
	const struct sim_store *s = &o->kube->store;
	int64_t from = sim_oracle_view(o, RES_POD, rq);
	for (size_t i = 0; i < s->of[RES_POD].n; i++) {
		const struct sim_version *v = s->of[RES_POD].at[i];
		bool runs = *sim_str(sim_get(v->root, "spec"), "nodeName") && !phase_over(v) &&
			!sim_terminating(v);
		/* its newest state is one that the program had been shown */
		if (v != pod && strcmp(v->uid, pod->uid) != 0 && runs && may_be_meant(o, v, rq) &&
			v->rv <= from && sim_oracle_slurm_of(o, v) == sim_oracle_slurm_of(o, pod) &&
			strcmp(sim_slurm_name(v), sim_slurm_name(pod)) == 0)
			return v;
	}
	return NULL;
}

static void check_whose(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *pod = w->before, *nodeset = owner_of(o, pod),
				 *other = namesake(o, pod, w->request);
	bool runs = *sim_str(sim_get(pod->root, "spec"), "nodeName") && !phase_over(pod);
	if (nodeset && !stays(nodeset, NULL) &&
		!sim_oracle_at_any_time(o, w->request, nodeset, stays, NULL))
		sim_oracle_break(o, "P8", w->request,
			"pod %s/%s was deleted, but its NodeSet is deleted so that its pods stay",
			pod->ns, pod->name);
	if (runs && other &&
		!(nodeset && sim_oracle_at_any_time(o, w->request, nodeset, let_go, NULL)))
		sim_oracle_break(o, "P2", w->request,
			"pod %s/%s was ended by what Slurm says of node %s, which pod %s names too",
			pod->ns, pod->name, sim_slurm_name(pod), other->name);
}

/*
 * No Slurm has ever had it, and its kubelet says that it waits: it goes by what is known
 * of Kubernetes, whichever Slurm answers. That a job has it all the same is P1, when it
 * ends (sim_oracle_on_end).
 */
static bool never_worked(const struct sim_version *pod, const struct sim_node *n)
{
	yyjson_val *first = yyjson_arr_get_first(sim_get(sim_get(pod->root, "status"),
		"containerStatuses"));
	return !n && sim_get(sim_get(first, "state"), "waiting");
}

static void check_end(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *pod = w->before;
	const struct sim_node *n = sim_oracle_node_of(o, pod->uid);
	const struct sim_version *nodeset = owner_of(o, pod);
	if (phase_over(pod) || !*sim_str(sim_get(pod->root, "spec"), "nodeName"))
		return;
	if (nodeset && sim_oracle_at_any_time(o, w->request, nodeset, let_go, NULL))
		return;
	if (!never_worked(pod, n) && sim_oracle_strange(o, w->request, sim_oracle_slurm_of(o, pod)))
		sim_oracle_break(o, "P11", w->request,
			"pod %s/%s was ended while another Slurm answers than the one that it "
			"works for",
			pod->ns, pod->name);
	if (!n)
		return;
	/*
	 * an administrator's undrain, or a slurmd that comes up, a moment ago cannot be
	 * known
	 */
	if (!could_know(o, w->request, n, later(n->admin_ms, n->registered_ms), o->fresh_ms))
		return;
	if (sim_node_job(n))
		sim_oracle_break(o, "P1", w->request,
			"pod %s/%s was ended while its Slurm node %s runs job %lld", pod->ns,
			pod->name, n->name, (long long)sim_node_job(n));
	else if (!n->drain && !n->down && !n->not_responding)
		sim_oracle_break(o, "P2", w->request,
			"pod %s/%s was ended while its Slurm node %s was idle but not drained: a "
			"job could have started on it",
			pod->ns, pod->name, n->name);
}

/* ---- P4: not too many at once ---- */

static bool ours(const struct sim_version *pod, const struct sim_version *nodeset)
{
	return strcmp(sim_owner_uid(pod), nodeset->uid) == 0;
}

/* A pod that had failed before it was deleted was not taken down by the program. */
static bool was_taken_down(const struct sim_oracle *o, const char *uid)
{
	for (size_t i = 0; i < o->n_deleted; i++)
		if (o->deleted[i].up && strcmp(o->deleted[i].uid, uid) == 0)
			return true;
	return false;
}

static int64_t max_unavailable(const struct sim_version *nodeset)
{
	yyjson_val *v = sim_get(sim_at(sim_get(nodeset->root, "spec"), "updateStrategy",
					"rollingUpdate"),
		"maxUnavailable");
	int64_t replicas = sim_replicas(nodeset);
	if (yyjson_is_int(v))
		return yyjson_get_sint(v);
	if (!yyjson_is_str(v) || !strchr(yyjson_get_str(v), '%'))
		return 1;
	return (strtoll(yyjson_get_str(v), NULL, 10) * replicas + 99) / 100;
}

struct tally {
	int64_t live, available, excused;
};

static bool counts(const struct sim_version *pod, const void *with)
{
	(void)with;
	return sim_pod_available(pod, 0, 0);
}

/*
 * A pod that is not available now, was so when the program decided, and did not cease to
 * be by the program's doing.
 */
static bool excused(const struct sim_oracle *o, const struct sim_write *w,
	const struct sim_version *pod)
{
	bool own_doing = strcmp(pod->uid, w->before->uid) == 0 || was_taken_down(o, pod->uid);
	return !own_doing && sim_oracle_at_any_time(o, w->request, pod, counts, NULL);
}

/* False: the history does not reach back far enough to judge. */
static bool tally(const struct sim_oracle *o, const struct sim_write *w,
	const struct sim_version *nodeset, struct tally *t)
{
	int64_t min_ready_s = sim_int(sim_get(nodeset->root, "spec"), "minReadySeconds", 0),
		wall = sim_loop_server_ms(o->kube->loop);
	const struct sim_store *s = &o->kube->store;
	int64_t from = sim_oracle_view(o, RES_POD, w->request);
	/* the pod itself is counted as it was before the deletion */
	*t = (struct tally){
		.live = 1,
		.available = sim_pod_available(w->before, min_ready_s, wall),
	};
	for (size_t i = 0; i < s->of[RES_POD].n; i++) {
		const struct sim_version *v = s->of[RES_POD].at[i];
		if (!ours(v, nodeset) || strcmp(v->uid, w->before->uid) == 0)
			continue;
		bool available = sim_pod_available(v, min_ready_s, wall);
		t->live += !sim_terminating(v);
		t->available += available;
		t->excused += !available && excused(o, w, v);
	}
	for (size_t i = s->n_history; i > 0 && s->history[i - 1].rv > from; i--) {
		const struct sim_change *c = &s->history[i - 1];
		if (c->type == CHANGE_DELETED && c->after->resource == RES_POD &&
			ours(c->after, nodeset))
			t->excused += excused(o, w, c->after);
	}
	return from >= s->forgotten;
}

static bool on_delete_only(const struct sim_version *nodeset)
{
	return strcmp(sim_str(sim_at(nodeset->root, "spec", "updateStrategy"), "type"),
		       "OnDelete") == 0;
}

/*
 * Whether one more may be deleted by what this state of the NodeSet says. with: the
 * tally.
 */
static bool allows(const struct sim_version *nodeset, const void *with)
{
	const struct tally *t = with;
	int64_t replicas = sim_replicas(nodeset);
	bool scale_in = t->live > replicas;
	return scale_in || let_go(nodeset, NULL) ||
		replicas - t->available - t->excused < max_unavailable(nodeset);
}

static bool updates(const struct sim_version *nodeset, const void *with)
{
	(void)with;
	return !on_delete_only(nodeset);
}

static void check_budget(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *pod = w->before, *nodeset = owner_of(o, pod);
	struct tally t;
	bool known = sim_oracle_node_of(o, pod->uid) || sim_oracle_node_named(o, pod);
	if (!nodeset || sim_terminating(nodeset) || !known)
		return;
	/* one that is not available takes nothing away */
	if (!sim_pod_available(pod, sim_int(sim_get(nodeset->root, "spec"), "minReadySeconds", 0),
		    sim_loop_server_ms(o->kube->loop)))
		return;
	if (!tally(o, w, nodeset, &t) || sim_oracle_at_any_time(o, w->request, nodeset, allows, &t))
		return;
	if (!sim_pod_current(pod, nodeset) &&
		!sim_oracle_at_any_time(o, w->request, nodeset, updates, NULL))
		sim_oracle_break(o, "P4", w->request,
			"pod %s/%s was deleted for an update although the strategy is OnDelete",
			pod->ns, pod->name);
	else
		sim_oracle_break(o, "P4", w->request,
			"pod %s/%s was deleted while %lld of %lld were available and "
			"maxUnavailable is %lld",
			pod->ns, pod->name, (long long)t.available,
			(long long)sim_replicas(nodeset), (long long)max_unavailable(nodeset));
}

static void remember_deleted(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *nodeset = owner_of(o, w->before);
	if (o->n_deleted == o->cap_deleted) {
		o->cap_deleted = o->cap_deleted ? o->cap_deleted * 2 : 32;
		o->deleted = own_realloc(o->deleted, o->cap_deleted * sizeof(*o->deleted));
	}
	bool wished = nodeset && sim_oracle_at_any_time(o, w->request, nodeset, let_go, NULL);
	o->deleted[o->n_deleted++] = (struct oracle_deleted){
		.uid = own_strdup(w->before->uid),
		.of = own_strdup(nodeset ? nodeset->uid : NULL),
		.sent_ms = w->request->sent_ms,
		.taken_ms = o->kube->loop->now_ms,
		.up = sim_pod_available(w->before, 0, 0),
		.free = wished || phase_over(w->before),
	};
}

/*
 * P1 once more, for jobs that start in a pod that is ending already: because its slurmd
 * had just been started when the pod was deleted for having no node, or because the
 * program lifted the drain after all.
 */
void sim_oracle_on_end(struct sim_oracle *o, const char *uid)
{
	const struct oracle_deleted *d = NULL;
	const struct sim_node *n = sim_oracle_node_of(o, uid);
	for (size_t i = 0; i < o->n_deleted; i++)
		if (strcmp(o->deleted[i].uid, uid) == 0)
			d = &o->deleted[i];
	if (!d || d->free || !n || !sim_node_job(n) || n->admin_ms > d->sent_ms - o->fresh_ms)
		return;
	if (n->lifted_ms > d->taken_ms && n->drainer == DRAINED_BY_NOBODY)
		sim_oracle_break(o, "P1", NULL,
			"the pod of node %s ends with job %lld: its drain was lifted %lld ms after "
			"the pod was deleted",
			n->name, (long long)sim_node_job(n),
			(long long)(n->lifted_ms - d->taken_ms));
	if (d->sent_ms - n->started_ms > o->absent_ms)
		return;
	sim_oracle_break(o, "P1", NULL,
		"the pod of node %s ends with job %lld: it was deleted %lld ms after its slurmd "
		"was started, before Slurm knew it",
		n->name, (long long)sim_node_job(n), (long long)(d->sent_ms - n->started_ms));
}

/* ---- P8: deleting a NodeSet ---- */

static bool has_second_owner(const struct sim_version *pod)
{
	yyjson_val *ref;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(pod), "ownerReferences"));
	while ((ref = yyjson_arr_iter_next(&it)))
		if (strcmp(sim_str(ref, "kind"), "Namespace") == 0)
			return true;
	return false;
}

/* Deleted so that its pods stay, however long ago. */
static bool was_to_leave_them(const struct sim_oracle *o, const struct sim_version *nodeset)
{
	const struct sim_store *s = &o->kube->store;
	for (size_t i = 0; i < s->n_history; i++)
		if (strcmp(s->history[i].after->uid, nodeset->uid) == 0 &&
			!stays(s->history[i].after, NULL))
			return true;
	return false;
}

/*
 * When the pods are to stay, one whose adoption came too late to be orphaned with the
 * others stays as well, by its second owner.
 */
void sim_oracle_on_release(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	if (let_go(w->before, NULL))
		return;
	bool leaves = was_to_leave_them(o, w->before);
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_version *pod = pods->at[i];
		const struct sim_node *n = sim_oracle_node_of(o, pod->uid);
		if (!ours(pod, w->before) || !n || (leaves && has_second_owner(pod)))
			continue;
		if (sim_node_job(n) && !phase_over(pod))
			sim_oracle_break(o, "P8", w->request,
				"NodeSet %s/%s was let go while the node of its pod %s runs job "
				"%lld",
				w->before->ns, w->before->name, pod->name,
				(long long)sim_node_job(n));
	}
}

void sim_oracle_on_end_of_pod(struct sim_oracle *o, const struct sim_write *w)
{
	bool deletes = strcmp(w->verb, "delete") == 0;
	if (!w->before) {
		sim_oracle_on_create(o, w);
	} else if (deletes && w->marked) {
		check_whose(o, w);
		check_end(o, w);
		check_budget(o, w);
		remember_deleted(o, w);
	} else if (deletes && w->removed) {
		check_end(o, w); /* its time was cut short */
	}
}

/* ---- P3: drains of others; P1: nodes set down ---- */

void sim_oracle_on_update(void *ctx, const struct sim_node_update *u)
{
	struct sim_oracle *o = ((const struct oracle_slurm *)ctx)->o;
	const struct sim_node *n = u->node;
	int64_t job = sim_node_job(n);
	sim_oracle_on_sent(o, u->request);
	if (job && (u->down || u->deleted))
		sim_oracle_break(o, "P1", u->request, "node %s was %s while it runs job %lld",
			n->name, u->down ? "set down" : "deleted", (long long)job);
	if (!n->drain || n->drainer != DRAINED_BY_ADMIN || (!u->drain && !u->undrain))
		return;
	bool told = sim_oracle_nodes_shown(o, u->request, n->s, u->request->sent_ms) >= 0;
	if (told && !could_know(o, u->request, n, n->admin_ms, o->patience_ms))
		return;
	if (u->undrain)
		sim_oracle_break(o, "P3", u->request,
			"the drain of node %s was removed; an administrator had set it: %s",
			n->name, n->reason);
	else if (u->reason && strcmp(u->reason, n->reason) != 0)
		sim_oracle_break(o, "P3", u->request,
			"the reason of node %s, which an administrator had drained, was "
			"overwritten: %s",
			n->name, n->reason);
}
