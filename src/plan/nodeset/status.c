/* SPDX-License-Identifier: Apache-2.0 */
/* The status: counters and conditions, written only if something has changed. */
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/selector.h"
#include "plan/nodeset/autoscale.h"

static void count_node(struct tally *t, uint32_t state)
{
	/* The first base state that is set, in this order, is the state of the node. */
	if (state & NODE_ALLOCATED)
		t->allocated++;
	else if (state & NODE_DOWN)
		t->down++;
	else if (state & (NODE_ERROR | NODE_FUTURE))
		;
	else if (state & NODE_IDLE)
		t->idle++;
	else if (state & NODE_MIXED)
		t->allocated++;
	t->drain += (state & NODE_DRAIN) != 0;
}

static void count_pods(struct worksheet *w)
{
	struct tally *t = &w->tally;
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		bool there = p->phase != POD_EMPTY;
		t->creating += str_empty(p->fact->resource_version);
		t->replicas += there;
		t->updated += there && pod_live(p) && p->updated;
		t->ready += p->phase == POD_RUNNING && p->ready;
		t->available += p->available;
		if (pod_node_known(w, p) == YES)
			count_node(t, p->node->state);
	}
}

static const struct counter {
	const char *key;
	size_t at;
	bool slurm; /* unchanged while Slurm's facts are unknown */
} counters[] = {
	{ "replicas", offsetof(struct tally, replicas), false },
	{ "updatedReplicas", offsetof(struct tally, updated), false },
	{ "readyReplicas", offsetof(struct tally, ready), false },
	{ "availableReplicas", offsetof(struct tally, available), false },
	{ "slurmIdle", offsetof(struct tally, idle), true },
	{ "slurmAllocated", offsetof(struct tally, allocated), true },
	{ "slurmDown", offsetof(struct tally, down), true },
	{ "slurmDrain", offsetof(struct tally, drain), true },
};

static void add_counters(struct worksheet *w, struct jval *status)
{
	for (size_t i = 0; i < LENGTH(counters); i++) {
		const struct json *old = json_get(w->set.status, counters[i].key);
		int64_t value = *(const int64_t *)(const void *)((const char *)&w->tally +
			counters[i].at);
		j_set_int(w->d, status, counters[i].key,
			counters[i].slurm && !w->usable ? json_i64(old, 0) : value);
	}
	int64_t unavailable = w->tally.replicas - w->tally.available;
	j_set_int(w->d, status, "unavailableReplicas", unavailable > 0 ? unavailable : 0);
}

static void add_identity(struct worksheet *w, struct jval *status)
{
	const char *old_hash = json_str(json_get(w->set.status, "nodeSetHash"), "");
	j_set_int(w->d, status, "observedGeneration", w->set.generation);
	j_set_str(w->d, status, "nodeSetHash", w->hash ? w->hash : old_hash);
	j_set_int(w->d, status, "collisionCount", w->collisions);
	j_set_str(w->d, status, "selector",
		selector_empty(w->set.selector) ? "" : selector_text(w->arena, w->set.selector));
}

static void publish(struct worksheet *w, struct jval *status)
{
	bool other = w->view->in_flight || (w->autoscale && w->autoscale->ordered);
	const char *patch = other ? NULL : status_patch(w->d, w->arena, w->set.object, status);
	if (!patch)
		return;
	struct action *a = order_own(w, DO(PATCH_STATUS, NODESET),
		"the status of the NodeSet has changed", patch);
	a->event_failed = "FailedUpdate";
}

/*
 * If the NodeSet is stopped or being deleted, pods are compared with the published hash:
 * the newest revision may be unusable, and none is created any more.
 */
static void compare_with_published(struct worksheet *w)
{
	const char *hash = json_str(json_get(w->set.status, "nodeSetHash"), "");
	for (size_t i = 0; i < w->n_pods; i++)
		w->pods[i].updated = !str_empty(hash) && str_eq(w->pods[i].hash, hash);
}

void step_status(struct worksheet *w)
{
	if (w->set.deleting && !deletion_waits(w) && !w->view->n_failing)
		return; /* this plan removes the finalizer */
	if (w->set.deleting)
		compare_with_published(w);
	count_pods(w);
	struct jval *status = j_obj(w->d);
	add_counters(w, status);
	add_identity(w, status);
	autoscale_add_status(w, status);
	j_set(w->d, status, "conditions", conditions_of(w));
	j_set_str(w->d, status, "trouble", w->trouble);
	publish(w, status);
}

void step_status_stopped(struct worksheet *w)
{
	struct jval *status = j_obj(w->d);
	w->stopped = true;
	step_claim_pods(w);
	compare_with_published(w);
	count_pods(w);
	add_counters(w, status);
	j_set_int(w->d, status, "observedGeneration", w->set.generation);
	/* The schema requires these two from the first write on. */
	j_set_str(w->d, status, "nodeSetHash",
		json_str(json_get(w->set.status, "nodeSetHash"), ""));
	j_set_str(w->d, status, "selector", json_str(json_get(w->set.status, "selector"), ""));
	j_set(w->d, status, "conditions", conditions_stopped(w));
	j_set_str(w->d, status, "trouble", w->trouble);
	publish(w, status);
}
