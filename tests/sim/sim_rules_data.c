/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules on what the garbage collector takes, claims and pods, and on pods that end at
 * once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_oracle.h"

/* Also when the collector took the reference, because the NodeSet is being deleted. */
static const struct sim_version *owner_of(const struct sim_oracle *o, const struct sim_version *v)
{
	const char *controller = sim_owner_uid(v);
	const char *uid = *controller ? controller : sim_oracle_orphaned_of(o, v->uid);
	const struct sim_version *owner = *uid ? sim_store_by_uid(&o->kube->store, uid) : NULL;
	return owner && owner->resource == RES_NODESET ? owner : NULL;
}

static bool phase_is(const struct sim_version *pod, const char *phase)
{
	return strcmp(sim_str(sim_get(pod->root, "status"), "phase"), phase) == 0;
}

enum { LATE_MS = 5000 }; /* what has changed so lately need not be known */

/* ---- data ---- */

static bool deletes(const struct sim_version *nodeset, const char *when)
{
	return strcmp(sim_str(sim_at(nodeset->root, "spec", "persistentVolumeClaimRetentionPolicy"),
			      when),
		       "Delete") == 0;
}

/*
 * A life that has not been shown a list of each resource does nothing: what the one
 * before knew still stands.
 */
void sim_oracle_note_known(struct sim_oracle *o)
{
	int64_t at_ms = o->kube->loop->now_ms - LATE_MS;
	int64_t nodesets = sim_oracle_all_shown(o, RES_NODESET, at_ms);
	static const enum resource others[] = { RES_POD, RES_PVC, RES_REVISION, RES_CLUSTER };
	bool whole = true;
	for (size_t i = 0; i < LENGTH(others); i++)
		whole &= sim_oracle_all_shown(o, others[i], at_ms) >= 0;
	if (whole && nodesets >= 0 && at_ms >= o->life_ms)
		o->known_rv = nodesets;
}

/*
 * Whether is(nodeset) holds in its newest state or held in any since the one that was
 * known a while ago, also when it is gone.
 */
static bool at_any_time(const struct sim_oracle *o, const char *uid,
	bool (*is)(const struct sim_version *nodeset, int64_t n), int64_t n)
{
	const struct sim_store *s = &o->kube->store;
	const struct sim_version *now = sim_store_by_uid(s, uid);
	if ((now && is(now, n)) || o->known_rv < s->forgotten)
		return true;
	for (size_t i = s->n_history; i > 0 && s->history[i - 1].rv > o->known_rv; i--) {
		const struct sim_change *c = &s->history[i - 1];
		if (strcmp(c->after->uid, uid) == 0 &&
			(is(c->after, n) || (c->before && is(c->before, n))))
			return true;
	}
	return false;
}

static bool fewer_wanted(const struct sim_version *nodeset, int64_t live)
{
	return sim_replicas(nodeset) < live;
}

/* The program's deletion of that pod; NULL: it did not delete it. */
static const struct oracle_deleted *deletion_of(const struct sim_oracle *o, const char *uid)
{
	for (size_t i = 0; i < o->n_deleted; i++)
		if (strcmp(o->deleted[i].uid, uid) == 0)
			return &o->deleted[i];
	return NULL;
}

/* The end of a pod of this NodeSet by another client. */
static bool ends_pod(const struct sim_oracle *o, const struct sim_change *c,
	const struct sim_version *nodeset)
{
	if (!c->before || c->after->resource != RES_POD || sim_terminating(c->before) ||
		owner_of(o, c->before) != nodeset)
		return false;
	return (c->type == CHANGE_DELETED || sim_terminating(c->after)) &&
		!deletion_of(o, c->after->uid);
}

/*
 * How many of them the program has not been shown; those of the pod with that uid alone,
 * or of all others.
 */
static int64_t ends_unseen(const struct sim_oracle *o, const struct sim_version *nodeset,
	const char *uid, bool its_own)
{
	const struct sim_store *s = &o->kube->store;
	int64_t from = sim_oracle_all_shown(o, RES_POD, o->kube->loop->now_ms - LATE_MS), n = 0;
	for (size_t i = s->n_history; i > 0 && s->history[i - 1].rv > from; i--)
		n += ends_pod(o, &s->history[i - 1], nodeset) &&
			(strcmp(s->history[i - 1].after->uid, uid) == 0) == its_own;
	return n;
}

/* "foo-1" is 1 for NodeSet foo; -1: no name of its pods, as "foo-1-0", of a neighbour. */
static int64_t ordinal_in(const struct sim_version *nodeset, const struct sim_version *pod)
{
	size_t n = strlen(nodeset->name), digits;
	if (strcmp(pod->ns, nodeset->ns) != 0 || strncmp(pod->name, nodeset->name, n) != 0 ||
		pod->name[n] != '-')
		return -1;
	digits = strspn(pod->name + n + 1, "0123456789");
	return digits && !pod->name[n + 1 + digits] ? atoll(pod->name + n + 1) : -1;
}

/*
 * The names before that of the pod that are free: they are given first, so that it may
 * not be made again although it is not one too many now.
 */
static int64_t free_before(const struct sim_oracle *o, const struct sim_version *nodeset,
	const struct sim_version *pod)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	int64_t ordinal = pod ? ordinal_in(nodeset, pod) : -1, free = ordinal;
	for (size_t i = 0; i < pods->n && ordinal > 0; i++) {
		const struct sim_version *p = pods->at[i];
		int64_t its = ordinal_in(nodeset, p);
		bool stays = !sim_terminating(p) || owner_of(o, p) != nodeset;
		free -= its >= 0 && stays && its < ordinal;
	}
	return free > 0 ? free : 0;
}

/*
 * Whether the pod is one too many by what the program had been shown: the program cannot
 * know that another has gone before a watch shows it.
 */
static bool one_too_many(const struct sim_oracle *o, const struct sim_version *nodeset,
	const struct sim_version *pod, const char *uid)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	/* what it has asked for may be there at any moment */
	int64_t live = 1 + ends_unseen(o, nodeset, uid, false) + free_before(o, nodeset, pod) +
		(int64_t)sim_net_posts(o->kube->net, "/pods", nodeset->uid);
	for (size_t i = 0; i < pods->n; i++)
		live += owner_of(o, pods->at[i]) == nodeset && !sim_terminating(pods->at[i]) &&
			strcmp(pods->at[i]->uid, uid) != 0;
	/* others whose deletion was decided at the same time */
	for (size_t i = 0; i < o->n_deleted; i++)
		live += strcmp(o->deleted[i].uid, uid) != 0 && o->deleted[i].of &&
			strcmp(o->deleted[i].of, nodeset->uid) == 0 &&
			o->kube->loop->now_ms - o->deleted[i].taken_ms < LATE_MS;
	return at_any_time(o, nodeset->uid, fewer_wanted, live);
}

static void note_excess(struct sim_oracle *o, const char *uid)
{
	o->excess = own_realloc(o->excess, (o->n_excess + 1) * sizeof(*o->excess));
	o->excess[o->n_excess++].uid = own_strdup(uid);
}

/* A pod is told to go, or has gone: fewer may have been wanted since it was told to. */
void sim_oracle_on_excess(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *nodeset = w->before && (w->marked || w->removed)
		? owner_of(o, w->before)
		: NULL;
	if (nodeset && one_too_many(o, nodeset, w->before, w->before->uid))
		note_excess(o, w->before->uid);
}

/*
 * A NodeSet is deleted so that its pods stay as they are: those that were one too many
 * keep the claims that were to go with them, whichever client deletes them.
 */
void sim_oracle_on_orphaned(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_list *pods = &o->kube->store.of[RES_POD];
	if (!w->marked || !sim_has_finalizer(w->after, "orphan"))
		return;
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_version *nodeset = owner_of(o, pods->at[i]);
		if (nodeset && strcmp(nodeset->uid, w->after->uid) == 0 &&
			one_too_many(o, nodeset, pods->at[i], pods->at[i]->uid))
			note_excess(o, pods->at[i]->uid);
	}
}

static bool was_excess(const struct sim_oracle *o, const char *uid)
{
	for (size_t i = 0; i < o->n_excess; i++)
		if (strcmp(o->excess[i].uid, uid) == 0)
			return true;
	return false;
}

/* The last state of the NodeSet with that uid, gone or not; NULL: forgotten. */
static const struct sim_version *last_of(const struct sim_oracle *o, const char *uid)
{
	const struct sim_store *s = &o->kube->store;
	const struct sim_version *v = sim_store_by_uid(s, uid);
	for (size_t i = s->n_history; i > 0 && !v; i--)
		if (strcmp(s->history[i - 1].after->uid, uid) == 0)
			v = s->history[i - 1].after;
	return v;
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	size_t m = strlen(end);
	return n > m && text[n - m - 1] == '-' && strncmp(text + n - m, end, m) == 0;
}

/* "d-foo-1" is of NodeSet foo, and of its pod foo-1; "d-foo-1-0" is of neither. */
static bool is_claim_of(const char *claim, const char *nodeset)
{
	size_t n = strlen(claim);
	while (n > 0 && claim[n - 1] >= '0' && claim[n - 1] <= '9')
		n--;
	return n > 0 && claim[n - 1] == '-' && ends_with(claim, n - 1, nodeset);
}

/* A claim goes with none but its own pod, or the NodeSet of it. */
static void check_whose_claim(struct sim_oracle *o, const struct sim_write *w, yyjson_val *ref)
{
	const char *claim = w->after->name, *owner = sim_str(ref, "name"),
		   *kind = sim_str(ref, "kind");
	bool its_own = strcmp(kind, "NodeSet") == 0 ? is_claim_of(claim, owner)
		: strcmp(kind, "Pod") == 0          ? ends_with(claim, strlen(claim), owner)
						    : true;
	if (!its_own)
		sim_oracle_break(o, "P9", w->request,
			"claim %s/%s was given to %s %s, whose it is not", w->after->ns, claim,
			kind, owner);
}

static const struct sim_version *nodeset_named(const struct sim_oracle *o, const char *ns,
	const char *claim)
{
	const struct sim_list *sets = &o->kube->store.of[RES_NODESET];
	for (size_t i = 0; i < sets->n; i++)
		if (strcmp(sets->at[i]->ns, ns) == 0 && is_claim_of(claim, sets->at[i]->name))
			return sets->at[i];
	return NULL;
}

/* The program itself did, and its answer may have been lost. */
static bool deleted_just_now(const struct sim_oracle *o, const char *uid)
{
	const struct oracle_deleted *d = deletion_of(o, uid);
	return d && o->kube->loop->now_ms - d->taken_ms < LATE_MS;
}

/*
 * A claim gets a pod as its owner, to go with it when it is scaled in. When that pod was
 * ended a moment ago, the program could not know: the claim goes by the same word of the
 * user as if the pod had still been there.
 */
void sim_oracle_on_claim(struct sim_oracle *o, const struct sim_write *w)
{
	yyjson_val *ref;
	const struct sim_version *nodeset = nodeset_named(o, w->after->ns, w->after->name);
	if (w->actor != ACTOR_OPERATOR || !nodeset)
		return;
	sim_oracle_claim_written(o, w->after);
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(w->after), "ownerReferences"));
	while ((ref = yyjson_arr_iter_next(&it))) {
		const char *uid = sim_str(ref, "uid");
		bool of_pod = strcmp(sim_str(ref, "kind"), "Pod") == 0;
		check_whose_claim(o, w, ref);
		bool unseen = ends_unseen(o, nodeset, uid, true) || deleted_just_now(o, uid);
		if (of_pod && unseen &&
			one_too_many(o, nodeset, sim_store_by_uid(&o->kube->store, uid), uid))
			note_excess(o, uid);
	}
}

/*
 * A NodeSet without claim templates has no say: the claim is as a NodeSet before it
 * wished, that was deleted so that its pods stay as they are.
 */
static bool has_claims(const struct sim_version *nodeset)
{
	return yyjson_arr_size(sim_at(nodeset->root, "spec", "volumeClaimTemplates")) > 0;
}

/*
 * The selector does not fit, or there is too much in the namespace: nothing of the
 * NodeSet is touched, and claims keep their owners.
 */
static bool is_stopped(const struct sim_version *nodeset, int64_t n)
{
	(void)n;
	yyjson_val *metadata = sim_get(sim_at(nodeset->root, "spec", "template"), "metadata");
	return yyjson_equals_str(sim_get(sim_condition(nodeset, "Degraded"), "reason"),
		       "NamespaceTooLarge") ||
		!sim_selects(nodeset, sim_get(metadata, "labels"));
}

/* The collector takes a claim: the policy must want that. */
void sim_oracle_on_end_of_claim(struct sim_oracle *o, const struct sim_write *w)
{
	yyjson_val *ref;
	if (w->actor != ACTOR_GC || !w->marked || !w->before)
		return;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(w->before), "ownerReferences"));
	while ((ref = yyjson_arr_iter_next(&it))) {
		const char *uid = sim_str(ref, "uid"), *kind = sim_str(ref, "kind");
		const struct sim_version *set = strcmp(kind, "NodeSet") == 0
			? last_of(o, uid)
			: nodeset_named(o, w->before->ns, w->before->name);
		if (!set)
			continue;
		if (strcmp(kind, "NodeSet") == 0 && !deletes(set, "whenDeleted"))
			sim_oracle_break(o, "P9", NULL,
				"claim %s went with its NodeSet, but whenDeleted is Retain",
				w->before->name);
		/*
		 * the program wanted to take the pod away from its owners, and was not
		 * let
		 */
		bool denied = sim_oracle_claim_denied(o, w->before) ||
			at_any_time(o, set->uid, is_stopped, 0);
		if (strcmp(kind, "Pod") == 0 && !denied && has_claims(set) &&
			(!deletes(set, "whenScaled") || !was_excess(o, uid)))
			sim_oracle_break(o, "P9", NULL, "claim %s went with pod %s, which was %s",
				w->before->name, sim_str(ref, "name"),
				deletes(set, "whenScaled") ? "not scaled in"
							   : "to leave it: whenScaled is Retain");
	}
}

/* ---- jobs ---- */

static bool let_go(const struct sim_version *nodeset, int64_t n)
{
	(void)n;
	return strcmp(sim_annotation(nodeset, "nodeset.slinky.slurm.net/release-now"), "true") == 0;
}

const char *sim_oracle_orphaned_of(const struct sim_oracle *o, const char *uid)
{
	/* The last one: it may have been adopted meanwhile */
	for (size_t i = o->n_orphaned; i > 0; i--)
		if (strcmp(o->orphaned[i - 1].uid, uid) == 0)
			return o->orphaned[i - 1].of;
	return "";
}

/*
 * The reference to a NodeSet that is deleted in the foreground goes from a pod that has
 * another owner.
 */
static void note_orphaned(struct sim_oracle *o, const struct sim_version *before,
	const struct sim_version *after)
{
	const struct sim_version *nodeset = owner_of(o, before);
	if (*sim_owner_uid(after) || !nodeset || !sim_has_finalizer(nodeset, "foregroundDeletion"))
		return;
	o->orphaned = own_realloc(o->orphaned, (o->n_orphaned + 1) * sizeof(*o->orphaned));
	o->orphaned[o->n_orphaned++] = (struct oracle_orphaned){
		.uid = own_strdup(before->uid),
		.of = own_strdup(nodeset->uid),
	};
}

/* The collector takes a pod, because its NodeSet is deleted in the foreground. */
void sim_oracle_on_collected(struct sim_oracle *o, const struct sim_write *w)
{
	if (w->actor == ACTOR_GC && w->before && !w->marked && !w->removed)
		note_orphaned(o, w->before, w->after);
	if (w->actor != ACTOR_GC || !w->marked || !w->before || phase_is(w->before, "Failed"))
		return;
	const struct sim_version *nodeset = owner_of(o, w->before);
	const struct sim_node *n = sim_oracle_node_of(o, w->before->uid);
	if (nodeset && sim_has_finalizer(nodeset, "foregroundDeletion") && n && sim_node_job(n) &&
		!at_any_time(o, nodeset->uid, let_go, 0))
		sim_oracle_break(o, "P1", NULL,
			"pod %s/%s was taken by the garbage collector while its Slurm node %s runs "
			"job %lld",
			w->before->ns, w->before->name, n->name, (long long)sim_node_job(n));
}

/* ---- back-off ---- */

static struct oracle_short *entry_of(struct sim_oracle *o, const struct sim_version *pod)
{
	char name[OBJECT_KEY_BYTES];
	object_key(name, pod->ns, pod->name);
	for (size_t i = 0; i < o->n_short; i++)
		if (strcmp(o->short_lived[i].name, name) == 0)
			return &o->short_lived[i];
	o->short_lived = own_realloc(o->short_lived, (o->n_short + 1) * sizeof(*o->short_lived));
	o->short_lived[o->n_short] = (struct oracle_short){ .name = own_strdup(name) };
	return &o->short_lived[o->n_short++];
}

/* A pod that ends at once, again and again, is made again with a growing pause. */
void sim_oracle_on_again(struct sim_oracle *o, const struct sim_write *w)
{
	enum { MINUTE_MS = 60000 };
	const struct sim_version *pod = w->after;
	int64_t now = o->kube->loop->now_ms;
	if (w->actor == ACTOR_OPERATOR && !w->before) {
		struct oracle_short *e = entry_of(o, pod);
		const struct sim_version *nodeset = owner_of(o, pod);
		int64_t generation = nodeset ? sim_int(sim_meta(nodeset), "generation", 0) : 0;
		/*
		 * A pod that a user deleted is another matter, and so is one of a NodeSet
		 * that a user has scaled in and out, or given another template
		 */
		e->n = e->ended && e->generation == generation ? e->n : 0;
		e->generation = generation;
		e->ended = false;
		int64_t *at = &e->made_ms[e->n++ % ORACLE_SHORT];
		if (e->n > ORACLE_SHORT && now - *at < MINUTE_MS)
			sim_oracle_break(o, "P6", w->request,
				"pod %s ends at once, and was made %d times within a minute",
				pod->name, ORACLE_SHORT);
		*at = now;
	} else if (!w->removed && phase_is(pod, "Running")) {
		entry_of(o, pod)->n = 0;
	} else if (!w->removed && phase_is(pod, "Failed") && w->actor == ACTOR_KUBELET) {
		entry_of(o, pod)->ended = true;
	}
}

void sim_oracle_data_free(struct sim_oracle *o)
{
	for (size_t i = 0; i < o->n_excess; i++)
		free(o->excess[i].uid);
	free(o->excess);
	for (size_t i = 0; i < o->n_orphaned; i++) {
		free(o->orphaned[i].uid);
		free(o->orphaned[i].of);
	}
	free(o->orphaned);
	for (size_t i = 0; i < o->n_short; i++)
		free(o->short_lived[i].name);
	free(o->short_lived);
}
