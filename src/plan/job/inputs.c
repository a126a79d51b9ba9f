/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the outcome of the inputs into the pod of the job. The virtual node submits
 * nothing before the pod says that the inputs are there.
 */
#include "api/names.h"
#include "base/str.h"
#include "json/build.h"
#include "object/metadata.h"
#include "plan/job/sheet.h"

static bool says(const struct pod_fact *pod, const char *annotation)
{
	return !str_empty(pod_annotation(pod, annotation));
}

bool job_awaits_inputs(const struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	if (!pod || (pod->phase != POD_PENDING && pod->phase != POD_EMPTY))
		return false;
	const char *there = pod_annotation(pod, ANNOTATION_INPUTS_THERE);
	return !(there && str_eq(there, pod->uid)) && !says(pod, ANNOTATION_INPUTS_FAILED) &&
		!says(pod, ANNOTATION_JOB_KEY) && !says(pod, ANNOTATION_JOB_ID);
}

/* Patches this very version of the pod, so that the facts about it still hold. */
static void annotate(struct job_sheet *s, const char *key, const char *value, const char *why)
{
	const struct pod_fact *pod = job_pod_of(s);
	struct jval *body = patch_of(s->d, pod->uid, pod->resource_version);
	j_set_str(s->d, j_child(s->d, patch_metadata(s->d, body), "annotations"), key, value);
	struct action *a = job_order(s, DO(PATCH, POD), pod->name, why);
	a->guard = (struct guard){ .uid = pod->uid, .resource_version = pod->resource_version };
	a->body = j_text(s->d, body);
	a->event_failed = "FailedUpdate";
}

void job_tell_inputs(struct job_sheet *s)
{
	const struct job_copy *c = &s->copies[JOB_INPUTS];
	const struct pod_fact *pod = job_pod_of(s);
	if (!pod || !job_awaits_inputs(s))
		return;
	if (c->step == COLLECT_DONE)
		annotate(s, ANNOTATION_INPUTS_THERE, pod->uid,
			arena_printf(s->arena, "pod %s has brought the inputs of the job",
				c->name));
	if (c->step == COLLECT_GIVE_UP)
		annotate(s, ANNOTATION_INPUTS_FAILED,
			arena_printf(s->arena, "pod %s failed: %s", c->name, job_copy_end(s, c)),
			arena_printf(s->arena, "pod %s cannot bring the inputs of the job",
				c->name));
}
