/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A NodeSet, its pods, revisions and claims as any user may write them, planned. The
 * input (pieces as in lib/fuzz_peer.h): the NodeSet; then objects, the first byte of each
 * saying what it is: 'p' a pod, followed by two bytes for its Slurm node; 'r' a revision;
 * 'c' a claim.
 *
 * For every input the plan is sound: every body is JSON, every deletion is guarded, and
 * no pod that may run a job goes while Slurm does not say.
 */
#include <string.h>

#include "api/nodeset.h"
#include "engine/pod/pod.h"
#include "lib/fuzz_peer.h"
#include "plan/nodeset/plan.h"
#include "slurm/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST = 24, NOW_MS = 1000000 };

struct world {
	struct json_doc *docs[2 * MOST + 1];
	size_t n_docs;
	struct pod_fact *pods[MOST];
	struct slurm_node_fact nodes[MOST];
	struct object_fact revisions[MOST], claims[MOST];
	size_t n_pods, n_revisions, n_claims;
};

static const struct json *keep(struct world *w, const char *text, size_t n)
{
	struct json_doc *doc = NULL;
	if (w->n_docs == LENGTH(w->docs) || failed(json_parse(text, n, SIZE_MAX, &doc)))
		return NULL;
	w->docs[w->n_docs++] = doc;
	return json_is_obj(json_root(doc)) ? json_root(doc) : NULL;
}

static struct slurm_node_fact node_of(unsigned char a, unsigned char b)
{
	static const char *const reasons[] = { "",
		"slurm-operator: NodeSet (ns/foo) is letting the pod go", "bad disk", "\xff\xfe" };
	static const uint32_t states[] = { NODE_IDLE, NODE_IDLE | NODE_DRAIN,
		NODE_ALLOCATED | NODE_DRAIN, NODE_MIXED, NODE_DOWN, NODE_OTHER,
		NODE_IDLE | NODE_DRAIN | NODE_UNDRAIN, NODE_IDLE | NODE_DRAIN | NODE_COMPLETING };
	int64_t age_ms = b & 0x10 ? 100 : 60000;
	struct slurm_node_fact f = {
		.known = a % 3,
		.seen_ms = NOW_MS - age_ms,
		.named_ms = NOW_MS - 2 * age_ms,
		.reason = "",
		.comment = "",
		.address = "",
		.holder = { .user = "" },
		.in_flight = b & 0x20,
		.shared = (a >> 6) == 3,
	};
	if (f.known == NO)
		f.absent_since_ms = b & 0x40 ? 1 : NOW_MS;
	if (f.known == YES) {
		f.state = states[b % LENGTH(states)];
		f.reason = reasons[(a >> 2) % LENGTH(reasons)];
		f.held = (a >> 4) % 3;
		f.free_since_ms = b & 0x40 ? NOW_MS - 200 : NOW_MS;
		f.busy_until_s = b & 0x80 ? INT64_MAX : a * 1000;
	}
	return f;
}

/* A name is there once: the store sees to that. */
static bool has_pod(const struct world *w, const struct json *o)
{
	for (size_t i = 0; i < w->n_pods; i++)
		if (strcmp(w->pods[i]->name, json_str(json_at(o, "metadata", "name"), "")) == 0)
			return true;
	return false;
}

static void add(struct world *w, const char *text, size_t n)
{
	bool pod = n > 3 && text[0] == 'p';
	const struct json *o = n > 3 ? keep(w, text + (pod ? 3 : 1), n - (pod ? 3 : 1)) : NULL;
	if (!o)
		return;
	if (pod && w->n_pods < MOST && !has_pod(w, o)) {
		w->pods[w->n_pods] = pod_fact_new(o);
		w->nodes[w->n_pods++] = node_of((unsigned char)text[1], (unsigned char)text[2]);
	} else if (text[0] == 'r' && w->n_revisions < MOST) {
		w->revisions[w->n_revisions++] = (struct object_fact){ o, false };
	} else if (text[0] == 'c' && w->n_claims < MOST) {
		w->claims[w->n_claims++] = (struct object_fact){ o, false };
	}
}

static void check_deletion(const struct world *w, const struct action *a, bool release_now,
	bool usable)
{
	size_t i = 0;
	while (i < w->n_pods && (strcmp(w->pods[i]->name, a->name) != 0))
		i++;
	if (i == w->n_pods || !a->guard.uid || strcmp(w->pods[i]->uid, a->guard.uid) != 0 ||
		!a->guard.resource_version || w->pods[i]->terminating)
		abort();
	const struct pod_fact *p = w->pods[i];
	bool may_run = p->phase != POD_FAILED && p->phase != POD_SUCCEEDED &&
		!(p->phase <= POD_PENDING && !*p->node_name);
	bool free_of_jobs = usable &&
		(w->nodes[i].known == NO ||
			(w->nodes[i].known == YES && node_state_drained(w->nodes[i].state) &&
				w->nodes[i].held == NO)) &&
		!w->nodes[i].shared;
	if (may_run && !release_now && !(free_of_jobs && a->guard.node.name))
		abort();
}

static void check(const struct world *w, const struct plan *plan, const struct nodeset *set,
	bool usable)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct action *a = &plan->actions[i];
		AUTO(json_auto) struct json_doc *body = NULL;
		bool needs_body = operation_backend(a->operation) == BACKEND_KUBE &&
			a->operation.verb != VERB_DELETE;
		if (!a->why || !a->ns || (needs_body && !a->body) ||
			(a->body && failed(json_parse(a->body, strlen(a->body), SIZE_MAX, &body))))
			abort();
		if (a->operation.verb == VERB_TELL && !a->reason)
			abort();
		if (operation_is(a->operation, DO(DELETE, POD)))
			check_deletion(w, a, set->release_now, usable);
	}
}

static void plan_for(struct world *w, const struct json *object, unsigned flags)
{
	struct arena arena AUTO(arena_free) = { 0 };
	struct plan plan = { .arena = &arena };
	struct nodeset set;
	struct fault faults[NODESET_MAX_FAULTS];
	struct nodeset_view view = {
		.object = object,
		.pods = (const struct pod_fact *const *)w->pods,
		.slurm_nodes = w->nodes,
		.n_pods = w->n_pods,
		.revisions = w->revisions,
		.n_revisions = w->n_revisions,
		.claims = w->claims,
		.n_claims = w->n_claims,
		.max_creates = 500,
		.max_writes = flags & 1 ? 1 : 500,
		.kube_seen_ms = NOW_MS - (flags & 8 ? 200000 : 100),
		.namespace_uid = "ns-uid",
		.cluster = flags & 1 ? YES
			: flags & 2  ? NO
				     : UNKNOWN,
		.slurm = { .usable = flags & 4 ? NO : YES,
			.nodes_seen_ms = NOW_MS - 100,
			.whole_seen_ms = NOW_MS - (flags & 1 ? 100 : 60000),
			.jobs_seen_ms = NOW_MS - 100,
			.trouble = "",
			.cluster = "lab",
			.jobs_trouble = "", },
	};
	nodeset_read(object, &set);
	for (size_t i = nodeset_faults(&set, faults); i--;)
		if (!failed(faults[i].err) || !faults[i].err.text[0])
			abort();
	nodeset_plan(&view, NOW_MS, INT64_C(1767225600000), &plan);
	check(w, &plan, &set, view.cluster == YES && view.slurm.usable == YES);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct world w = { 0 };
	struct pieces p = { (const char *)bytes + 1, n ? n - 1 : 0 };
	size_t size;
	AUTO(own_free) char *text = piece_take(&p, &size, false);
	const struct json *object = n ? keep(&w, text, size) : NULL;
	while (object && p.n) {
		AUTO(own_free) char *more = piece_take(&p, &size, false);
		add(&w, more, size);
	}
	if (object)
		plan_for(&w, object, bytes[0]);
	for (size_t i = 0; i < w.n_pods; i++)
		free(w.pods[i]);
	for (size_t i = 0; i < w.n_docs; i++)
		json_free(w.docs[i]);
	return 0;
}
