/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the facts of plan/vnode/rule.h from what is known of a pod. */
#include "api/names.h"
#include "base/str.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/vnode/sheet.h"

bool vpod_is_disrupted(const struct json *pod)
{
	return condition_is(condition_find(json_at(pod, "status", "conditions"),
				    "DisruptionTarget"),
		"True");
}

static enum vpod_owner owner_of(const struct vpod_sheet *s, bool asks)
{
	const struct vpod_view *v = s->view;
	if (v->owner->none || (s->pod && !asks))
		return VOWNER_GONE; /* nothing controls it any more */
	return vpod_is_recent(s, v->owner->asked_ms, VPOD_OWNER_MS) ? v->owner->is : VOWNER_UNKNOWN;
}

/* The annotation must name this very pod: copies of a pod have its annotations. */
static enum vpod_inputs inputs_of(const struct vpod_sheet *s, enum vpod_owner owner)
{
	const struct vpod_view *v = s->view;
	const char *there = vpod_annotation(s->pod, ANNOTATION_INPUTS_THERE);
	if (!str_empty(there) && str_eq(there, metadata_of(s->pod).uid))
		return VINPUTS_THERE;
	if (!v->owner->inputs && str_empty(vpod_annotation(s->pod, ANNOTATION_INPUTS_WANTED)))
		return owner == VOWNER_LIVE ? VINPUTS_NONE : VINPUTS_UNKNOWN;
	return str_empty(vpod_annotation(s->pod, ANNOTATION_INPUTS_FAILED)) ? VINPUTS_AWAITED
									    : VINPUTS_FAILED;
}

static bool is_sure(const struct vpod_view *v)
{
	int64_t sent_ms = v->report->submitted_ms, known_ms = v->object->known_ms;
	int64_t since = sent_ms > known_ms ? sent_ms : known_ms;
	return v->report->asked_ms - since >= VPOD_SETTLE_MS;
}

static enum vpod_job job_of(const struct vpod_sheet *s)
{
	const struct vreport *r = s->view->report;
	if (!r->asked_ms)
		return VJOB_UNKNOWN;
	return r->job == VJOB_NONE && vmissing_is_lost(r->missing, s->now_ms) ? VJOB_LOST : r->job;
}

/* The slurmctld that answered then has the end on its disk, or has run ever since. */
static bool is_end_kept(const struct vreport *r)
{
	return r->ended_ms && r->asked_ms - r->ended_ms >= VPOD_KEPT_MS;
}

/* red-box has reported the job since the deletion. */
static bool has_looked(const struct vpod_view *v)
{
	return v->object->deleted_ms && v->report->asked_ms >= v->object->deleted_ms;
}

static bool cannot_ask(const struct vpod_view *v)
{
	return v->red_box_away || v->object->way == VWAY_LOST ||
		vpod_fails(v->attempt, VPOD_ASK_JOB);
}

struct vpod_facts vpod_facts_of(const struct vpod_sheet *s)
{
	const struct vpod_view *v = s->view;
	const struct vreport *r = v->report;
	bool asks = !str_empty(vpod_wanted_key(s->pod));
	bool begun = v->object->begun || !str_empty(vpod_begun_key(s->pod));
	return (struct vpod_facts){
		.in_flight = v->in_flight,
		.there = s->pod != NULL,
		.asks = asks,
		.owner = owner_of(s, asks),
		.pod_read = v->owner->pod_read || v->owner->none,
		.has_script = v->owner->script,
		.end_told = v->owner->told,
		.unserved = v->owner->unserved_ms &&
			s->now_ms - v->owner->unserved_ms >= VPOD_UNSERVED_MS,
		.owner_told = v->owner->told && !v->owner->copies,
		.orphaned = s->pod && begun && (!asks || v->owner->orphans),
		.inputs = inputs_of(s, owner_of(s, asks)),
		.begun = begun,
		.has_id = r->id || vpod_job_id(s->pod),
		.way = v->object->way,
		.others = !begun && vpod_is_of_others(s->pod),
		.ended = s->pod ? vpod_has_ended(s->pod) : v->object->ended,
		.deleting = metadata_of(s->pod).deleting,
		.disrupted = vpod_is_disrupted(s->pod),
		.taken = !s->pod && v->object->taken,
		.job = job_of(s),
		.none_sure = is_sure(v),
		.end_kept = is_end_kept(r),
		.refused = r->refused != NULL,
		.looked = has_looked(v),
		.unasked = cannot_ask(v),
		.closed = r->closed_ms != 0,
		.asked_since = r->closed_ms && r->asked_ms >= r->closed_ms,
		.cancelled = vpod_is_recent(s, r->cancelled_ms, VPOD_AGAIN_MS),
		.let_go = vpod_is_recent(s, v->object->let_go_ms, VPOD_AGAIN_MS),
	};
}
