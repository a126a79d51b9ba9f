/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which pods are ours: those that we control, and orphans that fit. */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "children/pod.h"
#include "json/build.h"
#include "object/selector.h"
#include "plan/nodeset/claim.h"
#include "plan/nodeset/worksheet.h"

enum claim decide_claim(const struct claim_facts *f)
{
	if (f->orphaned)
		return f->fits || f->invalid ? CLAIM_OURS : CLAIM_IGNORE;
	if (f->controlled)
		return f->fits || f->invalid ? CLAIM_OURS
			: f->terminating     ? CLAIM_IGNORE
					     : CLAIM_RELEASE;
	return f->fits && !f->terminating && !f->deleting && f->sent ? CLAIM_ADOPT : CLAIM_IGNORE;
}

static const char *label_of_pod(const void *pod, const char *key) { return pod_label(pod, key); }

/*
 * Nearly every selector has matchLabels only. These are compared without walking JSON for
 * each pod.
 */
struct matcher {
	const struct json *selector;
	struct kv *equal;
	size_t n_equal;
	bool general;
};

static struct matcher matcher_new(struct worksheet *w)
{
	const struct json *labels = json_get(w->set.selector, "matchLabels");
	struct matcher m = {
		.selector = w->set.selector,
		.general = json_count(json_get(w->set.selector, "matchExpressions")) > 0,
	};
	m.equal = arena_array(w->arena, struct kv, json_count(labels) + 1);
	struct json_iter it = json_iter(labels);
	while (json_next(&it))
		m.equal[m.n_equal++] = (struct kv){ it.key, json_str(it.value, "") };
	return m;
}

static bool matches(const struct matcher *m, const struct pod_fact *p)
{
	for (size_t i = 0; i < m->n_equal; i++) {
		const char *value = pod_label(p, m->equal[i].key);
		if (!value || !str_eq(value, m->equal[i].value))
			return false;
	}
	return !m->general || selector_matches(m->selector, label_of_pod, p);
}

/*
 * The end of the pod's work as Slurm reports it or, without a report, as its annotation
 * says. An unknown end counts as the latest.
 */
static int64_t end_of_work(const struct worksheet *w, const struct pod *p)
{
	int64_t ms = 0;
	const char *deadline = p->noted_end;
	bool known = pod_node_known(w, p) == YES;
	/* A suspended job leaves the node idle, but still holds it. */
	bool busy = known && ((p->node->state & NODE_BUSY_MASK) || p->node->held == YES);
	if (known && !busy && p->node->held != UNKNOWN)
		return 0;
	if (busy && p->node->busy_until_s > 0)
		return p->node->busy_until_s < INT64_MAX / 1000 ? p->node->busy_until_s * 1000
								: INT64_MAX;
	if (deadline && time_parse(deadline, &ms))
		return ms;
	return busy ? INT64_MAX : 0;
}

static bool ready_long_enough(const struct worksheet *w, const struct pod *p)
{
	if (!w->set.min_ready_s)
		return true;
	int64_t left_ms = p->fact->ready_since_ms + w->set.min_ready_s * 1000 - w->now_wall_ms;
	if (p->fact->ready_since_ms && left_ms <= 0)
		return true;
	/*
	 * The Ready condition has whole seconds. After a jump of the clock, the wait must
	 * not be longer than the period itself.
	 */
	plan_again(w->out,
		left_ms > 0 && left_ms <= w->set.min_ready_s * 1000 ? left_ms + 1000
								    : w->set.min_ready_s * 1000);
	return false;
}

static const struct slurm_node_fact nobodys_node = SLURM_NODE_NOTHING;

bool pod_was_returning(const struct pod_fact *p)
{
	const char *by = pod_annotation(p, ANNOTATION_CORDONED_BY);
	bool cordoned = str_eq(pod_annotation(p, ANNOTATION_POD_CORDON), "true");
	return str_eq(by, CORDONED_BY_RETURNING) || str_eq(by, CORDONED_BY_AGAIN) ||
		(str_eq(by, CORDONED_BY_OPERATOR) && !cordoned);
}

static void read_cordon(struct pod *p)
{
	const char *by = pod_annotation(p->fact, ANNOTATION_CORDONED_BY);
	p->cordoned = str_eq(pod_annotation(p->fact, ANNOTATION_POD_CORDON), "true");
	bool ours = str_eq(by, CORDONED_BY_OPERATOR) || str_eq(by, CORDONED_BY_AGAIN);
	p->cordoned_by_us = p->cordoned && ours;
	p->returning = !p->cordoned_by_us && (ours || str_eq(by, CORDONED_BY_RETURNING));
	p->was_returning = pod_was_returning(p->fact);
	assert(p->cordoned || !p->cordoned_by_us);
	assert(!p->returning || !p->cordoned_by_us);
}

static struct pod row(struct worksheet *w, size_t i, bool adopting)
{
	const struct pod_fact *f = w->view->pods[i];
	struct pod p = {
		.fact = f,
		.node = &w->view->slurm_nodes[i],
		.phase = f->phase,
		.bound = !str_empty(f->node_name),
		.ready = f->ready,
		.terminating = f->terminating,
		.stuck = f->stuck,
		.phase_seen_ms = f->phase_seen_ms,
		.ordinal = pod_ordinal(w->set.name, f->name),
		.slurm_name = pod_slurm_name(f),
	};
	const char *hash = pod_label(f, LABEL_HASH);
	p.misnamed = pod_misnamed(w, f);
	if (p.misnamed)
		p.node = &nobodys_node;
	p.at_its_address = pod_may_be_at(f, p.node->address) ||
		pod_is_on_machine(f, p.node->hostname);
	p.hash = hash ? hash : "";
	p.noted_end = pod_annotation(f, ANNOTATION_POD_DEADLINE);
	p.noted_slurm = pod_annotation(f, ANNOTATION_REGISTERED);
	p.noted_here = str_eq(p.noted_slurm, w->view->slurm.cluster);
	if (!str_to_i64(pod_annotation(f, ANNOTATION_DELETION_COST), INT32_MIN, INT32_MAX, &p.cost))
		p.cost = 0;
	p.held = f->in_flight;
	p.adopting = adopting;
	read_cordon(&p);
	p.updated = w->hash && (str_empty(p.hash) ? f->cut : str_eq(p.hash, w->hash));
	p.healthy = f->phase == POD_RUNNING && f->ready && pod_live(&p);
	p.available = p.healthy && ready_long_enough(w, &p);
	p.ends_ms = end_of_work(w, &p);
	p.other_slurm = pod_registered_with_another(w, &p);
	p.lacks_second_owner = pod_lacks_second_owner(w, f);
	p.relabel = p.ordinal >= 0 && !f->cut && !str_eq(pod_label(f, LABEL_POD_NAME), f->name);
	assert(p.healthy || !p.available);
	return p;
}

static void add_owners(struct worksheet *w, struct jval *patch, const struct pod_fact *f)
{
	const char *end = "/metadata/ownerReferences/-", *second_owner = w->view->namespace_uid;
	if (!f->n_owners)
		pod_operation(w, patch, "add", "/metadata/ownerReferences", j_arr(w->d));
	pod_operation(w, patch, "add", end, nodeset_reference(w->d, &w->set));
	if (!str_empty(second_owner) && !str_eq(f->second_owner_uid, second_owner))
		pod_operation(w, patch, "add", end,
			second_owner_reference(w->d, w->set.ns, second_owner));
	note_nodeset(w, patch, f);
}

static void remove_owner(struct worksheet *w, struct jval *patch, int at)
{
	if (at >= 0)
		pod_operation(w, patch, "remove",
			arena_printf(w->arena, "/metadata/ownerReferences/%d", at), NULL);
}

/*
 * Removes the owners NodeSet and Namespace, the last one first: a removal moves the
 * entries behind it.
 */
static void remove_owners(struct worksheet *w, struct jval *patch, const struct pod_fact *f)
{
	int second_owner_at = str_eq(f->second_owner_uid, w->view->namespace_uid)
		? f->second_owner_at
		: -1;
	bool second_owner_last = second_owner_at > f->controller_at;
	remove_owner(w, patch, second_owner_last ? second_owner_at : f->controller_at);
	remove_owner(w, patch, second_owner_last ? f->controller_at : second_owner_at);
	if (pod_annotation(f, ANNOTATION_NODESET_UID))
		pod_operation(w, patch, "remove",
			"/metadata/annotations/" ANNOTATION_NODESET_UID_ESCAPED, NULL);
}

/* Owner references to other objects stay. */
static void order_owner(struct worksheet *w, struct pod *p, enum claim c)
{
	struct jval *patch = pod_operations(w, p->fact);
	if (c == CLAIM_ADOPT)
		add_owners(w, patch, p->fact);
	else
		remove_owners(w, patch, p->fact);
	const char *why = c == CLAIM_ADOPT
		? arena_printf(w->arena,
			  "pod %s has no controller and fits the NodeSet: adopting it",
			  p->fact->name)
		: arena_printf(w->arena,
			  "pod %s does not match the selector or the names of the NodeSet any more: letting it be",
			  p->fact->name);
	struct action *a = order(w, DO(PATCH, POD), p->fact->name, why);
	a->guard = (struct guard){
		.uid = p->fact->uid,
		.resource_version = p->fact->resource_version,
	};
	a->body = j_text(w->d, patch);
	a->event_done = "SuccessfulUpdate";
	a->event_failed = "FailedUpdate";
	p->held = true;
}

/* Only for a NodeSet that is being deleted: any other NodeSet adopts such pods. */
static bool is_orphaned(struct worksheet *w, const struct pod_fact *f, enum orphaned *fate)
{
	const char *uid = pod_annotation(f, ANNOTATION_NODESET_UID);
	if (!w->set.deleting || !str_empty(f->controller.uid) || !str_eq(uid, w->set.uid))
		return false;
	if (*fate == ORPHANED_UNDECIDED && !w->undecided) {
		*fate = orphaned_fate(w);
		w->undecided = *fate == ORPHANED_UNDECIDED;
	}
	return *fate == ORPHANED_OURS;
}

/*
 * Several slurmds that use one wrong name (one -N for the whole template) are one node to
 * Slurm, at the address of the last slurmd. Slurm shows no node for the others, but they
 * may run jobs.
 */
static void find_hidden(struct worksheet *w)
{
	bool wrong_name = false;
	for (size_t i = 0; i < w->n_pods; i++)
		wrong_name |= !str_empty(w->pods[i].node->elsewhere);
	for (size_t i = 0; wrong_name && i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		p->hidden = p->node->known == NO && p->phase == POD_RUNNING &&
			!pod_was_registered(w, p);
	}
}

static void fetch_ahead(const struct nodeset_view *view, size_t i)
{
	if (i + FACT_AHEAD >= view->n_pods)
		return;
	pod_fact_fetch(view->pods[i + FACT_AHEAD]);
	pod_texts_fetch(view->pods[i + TEXTS_AHEAD]);
}

void step_claim_pods(struct worksheet *w)
{
	enum orphaned fate = ORPHANED_UNDECIDED;
	struct matcher m = matcher_new(w);
	bool invalid = w->stopped || (w->n_faults && w->faults[0].fatal);
	assert(!w->pods); /* called once a plan */
	w->pods = arena_array(w->arena, struct pod, w->view->n_pods + 1);
	for (size_t i = 0; i < w->view->n_pods; i++) {
		const struct pod_fact *f = w->view->pods[i];
		fetch_ahead(w->view, i);
		bool controlled = str_eq(f->controller.uid, w->set.uid);
		struct claim_facts facts = {
			.controlled = controlled,
			.orphaned = is_orphaned(w, f, &fate),
			.fits = !invalid && matches(&m, f) &&
				pod_ordinal(w->set.name, f->name) >= 0 &&
				(controlled || !pod_misnamed(w, f)),
			.deleting = w->set.deleting,
			.invalid = invalid || (controlled && f->cut),
			.terminating = f->terminating,
			.sent = !str_empty(f->resource_version) && !f->cut,
		};
		enum claim c = str_empty(f->controller.uid) || facts.controlled
			? decide_claim(&facts)
			: CLAIM_IGNORE;
		struct pod p = row(w, i, c == CLAIM_ADOPT);
		/* A pod whose adoption is in flight may be ours in a moment. */
		bool adopting = f->in_flight && str_empty(f->controller.uid);
		w->n_owned += facts.controlled || adopting || (facts.orphaned && c == CLAIM_OURS);
		bool now = c == CLAIM_RELEASE ||
			(c == CLAIM_ADOPT && w->revision_kept && w->view->namespace_uid);
		if (now && !f->in_flight)
			order_owner(w, &p, c);
		if (c == CLAIM_OURS || c == CLAIM_ADOPT)
			w->pods[w->n_pods++] = p;
	}
	for (size_t i = 0; i < w->n_pods; i++)
		w->pods[i].displaced = pod_is_displaced(w, &w->pods[i]);
	find_hidden(w);
	w->pods_stay = fate == ORPHANED_FREE;
}
