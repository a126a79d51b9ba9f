/* SPDX-License-Identifier: Apache-2.0 */
/* Creates claims before their pods, and gives them the owner of the retention policy. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "children/pod.h"
#include "children/pvc.h"
#include "plan/nodeset/worksheet.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct claim_row *)a)->name, ((const struct claim_row *)b)->name);
}

/* A sorted index, made once a plan and only for a NodeSet with claim templates. */
static struct claim_row *claim_rows(struct worksheet *w)
{
	if (w->claims)
		return w->claims;
	w->claims = arena_array(w->arena, struct claim_row, w->view->n_claims + 1);
	for (size_t i = 0; i < w->view->n_claims; i++) {
		const struct object_fact *fact = &w->view->claims[i];
		w->claims[i].fact = fact;
		w->claims[i].name = json_str(json_at(fact->object, "metadata", "name"), "");
	}
	if (w->view->n_claims > 1)
		qsort(w->claims, w->view->n_claims, sizeof(*w->claims), by_name);
	return w->claims;
}

static struct claim_row *find(struct worksheet *w, const char *name)
{
	struct claim_row key = { .name = name }, *rows = claim_rows(w);
	return w->view->n_claims ? bsearch(&key, rows, w->view->n_claims, sizeof(*rows), by_name)
				 : NULL;
}

static bool ending(const struct json *claim)
{
	return !json_is_null(json_at(claim, "metadata", "deletionTimestamp"));
}

static enum pvc_verdict verdict_of(struct worksheet *w, const struct pod *p,
	const struct json *claim, const char **patch)
{
	return pvc_retention(w->d, &w->set, claim, p->fact->name, p->fact->uid,
		p->leave == LEAVE_SCALE_IN, patch);
}

static void order_create(struct worksheet *w, const struct json *template, const char *name,
	const char *pod)
{
	order_creation(w, DO(CREATE, PVC), name,
		arena_printf(w->arena, "creating claim %s for pod %s", name, pod),
		pvc_build(w->d, &w->set, template, name));
}

static void order_patch(struct worksheet *w, const struct json *claim, const char *name,
	const char *patch)
{
	struct metadata m = metadata_of(claim);
	struct action *a = order(w, DO(PATCH, PVC), name,
		arena_printf(w->arena, "claim %s gets the owner that its retention policy says",
			name));
	a->guard = (struct guard){ .uid = m.uid, .resource_version = m.resource_version };
	a->body = patch;
	a->event_failed = "FailedUpdate";
}

static bool uses(const struct pod *p, const char *claim)
{
	for (size_t i = 0; i < p->fact->n_claims; i++)
		if (str_eq(p->fact->claims[i].claim, claim))
			return true;
	return false;
}

/*
 * A claim that was deleted is created again if its pod needs it to be bound to a
 * Kubernetes node. A bound pod has its volumes.
 */
static bool wanted_again(const struct worksheet *w, const struct pod *p, const char *claim)
{
	bool waits = pod_live(p) && p->leave == STAY && str_empty(p->fact->node_name);
	return waits && !w->set.deleting && may_create(w) && uses(p, claim);
}

static void keep_in_line(struct worksheet *w, const struct pod *p, const char *name,
	const struct claim_row *row)
{
	const char *patch;
	if (row->fact->in_flight || ending(row->fact->object))
		return;
	enum pvc_verdict verdict = verdict_of(w, p, row->fact->object, &patch);
	if (verdict == PVC_CONFLICT && !w->tally.conflict)
		w->tally.conflict = name;
	if (verdict == PVC_FOREIGN && !w->tally.foreign_claim)
		w->tally.foreign_claim = name;
	/*
	 * The pod's deletion was ordered while the claim was to stay: with the pod as
	 * owner, the claim would be deleted, too
	 */
	bool too_late = p->leave == LEAVE_SCALE_IN && pod_may_be_going(p);
	if (patch && !too_late)
		order_patch(w, row->fact->object, name, patch);
}

static void keep_claims_of(struct worksheet *w, const struct pod *p, bool kept)
{
	struct json_iter it = json_iter(w->set.claim_templates);
	while (json_next(&it)) {
		const char *name = pvc_name(w->arena, it.value, p->fact->name);
		struct claim_row *row = find(w, name);
		if (row)
			row->has_pod = true;
		if (row && kept)
			keep_in_line(w, p, name, row);
		else if (!row && wanted_again(w, p, name))
			order_create(w, it.value, name, p->fact->name);
	}
}

/* The pod after which the claim is named; NULL: the name is not one of ours. */
static const char *pod_of_claim(const struct worksheet *w, const char *claim)
{
	struct json_iter it = json_iter(w->set.claim_templates);
	while (json_next(&it)) {
		size_t n = strlen(pvc_template_name(it.value));
		bool fits = strncmp(claim, pvc_template_name(it.value), n) == 0 && claim[n] == '-';
		if (fits && pod_ordinal(w->set.name, claim + n + 1) >= 0)
			return claim + n + 1;
	}
	return NULL;
}

/*
 * A claim that stays after the NodeSet must not have it as owner, with a pod or without.
 */
static void take_owner_off(struct worksheet *w, const struct claim_row *row)
{
	const char *patch, *pod = pod_of_claim(w, row->name);
	const struct json *claim = row->fact->object;
	if (!pod || !pvc_belongs_to(claim, w->set.uid) || ending(claim))
		return;
	if (pvc_retention(w->d, &w->set, claim, pod, "", false, &patch) != PVC_CHANGE)
		return;
	w->n_claims_left++;
	if (!row->fact->in_flight)
		order_patch(w, claim, row->name, patch);
}

void step_claims(struct worksheet *w)
{
	if (!json_count(w->set.claim_templates))
		return;
	int64_t not_again = first_not_made_again(w);
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		/*
		 * While a pod terminates, the policy may still change: then the claim of
		 * a pod that was scaled in stays, too.
		 */
		bool kept = pod_live(p) || p->ordinal < not_again || w->set.when_scaled == RETAIN;
		keep_claims_of(w, p, kept && !str_empty(p->fact->uid));
	}
	for (size_t i = 0; i < w->view->n_claims && w->set.when_deleted == RETAIN; i++)
		if (!claim_rows(w)[i].has_pod)
			take_owner_off(w, &claim_rows(w)[i]);
}

bool claims_settled(struct worksheet *w, const struct pod *p)
{
	bool settled = true;
	struct json_iter it = json_iter(w->set.claim_templates);
	while (json_next(&it)) {
		const char *patch;
		const struct claim_row *row = find(w, pvc_name(w->arena, it.value, p->fact->name));
		if (!row || ending(row->fact->object))
			continue;
		const struct json *claim = row->fact->object;
		bool goes_along = p->leave != LEAVE_SCALE_IN && pvc_belongs_to(claim, p->fact->uid);
		settled &= !row->fact->in_flight && !goes_along;
		settled &= verdict_of(w, p, claim, &patch) != PVC_CHANGE;
	}
	return settled;
}

/* A claim that is being deleted would take the new pod's data with it. */
static bool usable(struct worksheet *w, const struct claim_row *row, const char *pod)
{
	const char *patch;
	if (row->fact->in_flight)
		return false;
	const struct json *claim = row->fact->object;
	bool stale = pvc_of_earlier_nodeset(&w->set, claim);
	if (w->set.when_scaled == DELETE_CLAIM)
		stale |= pvc_retention(w->d, &w->set, claim, pod, "", false, &patch) == PVC_STALE;
	if (!stale && !ending(row->fact->object))
		return true;
	if (!w->tally.ending_claim)
		w->tally.ending_claim = row->name;
	return false;
}

bool claims_ready(struct worksheet *w, const char *pod)
{
	bool ready = true;
	struct json_iter it = json_iter(w->set.claim_templates);
	while (json_next(&it)) {
		const char *name = pvc_name(w->arena, it.value, pod);
		const struct claim_row *row = find(w, name);
		if (!row)
			order_create(w, it.value, name, pod);
		ready &= row && usable(w, row, pod);
	}
	return ready;
}
