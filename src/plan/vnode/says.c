/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the report of a job in its pod, as this virtual node or another one has written
 * it.
 */
#include "plan/vnode/pod.h"

#include "api/job.h"
#include "api/names.h"
#include "base/str.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "object/resource.h"
#include "plan/vnode/sheet.h"

const char *vpod_annotation(const struct json *pod, const char *key)
{
	return json_str(json_get(json_at(pod, "metadata", "annotations"), key), "");
}

const char *vpod_wanted_key(const struct json *pod)
{
	const struct json *owner = controller_of(pod);
	enum resource r = resource_of_owner(owner);
	bool ours = job_is_resource(r) &&
		job_is_pod_name(r, json_str(json_get(owner, "name"), ""), metadata_of(pod).name);
	return ours ? json_str(json_get(owner, "uid"), "") : "";
}

/*
 * If the condition was removed: the noted key, if the pod was begun and its owner has it.
 */
const char *vpod_begun_key(const struct json *pod)
{
	const struct json *c = condition_find(json_at(pod, "status", "conditions"),
		CONDITION_JOB_KEY);
	const char *noted = vpod_annotation(pod, ANNOTATION_JOB_KEY);
	bool begun = !str_empty(json_str(json_at(pod, "status", "startTime"), ""));
	if (condition_is(c, "True"))
		return json_str(json_get(c, "message"), "");
	return begun && str_eq(noted, vpod_wanted_key(pod)) ? noted : "";
}

int64_t vpod_job_id(const struct json *pod)
{
	int64_t id;
	return str_to_i64(vpod_annotation(pod, ANNOTATION_JOB_ID), 1, INT64_MAX, &id) ? id : 0;
}

const char *vpod_noted_path(const struct json *pod, bool standard_error)
{
	const struct json *c = condition_find(json_at(pod, "status", "conditions"),
		standard_error ? CONDITION_JOB_ERRORS : CONDITION_JOB_OUTPUT);
	return condition_is(c, "True") ? json_str(json_get(c, "message"), "") : "";
}

static bool is_terminal(const struct json *pod)
{
	const char *phase = json_str(json_at(pod, "status", "phase"), "");
	return str_eq(phase, "Succeeded") || str_eq(phase, "Failed");
}

static const struct json *state_of(const struct json *pod, const char *which)
{
	const struct json *first = json_item(json_at(pod, "status", "containerStatuses"), 0);
	return json_at(first, "state", which);
}

/*
 * The pod garbage collector sets Failed and nothing else. This does not show that the job
 * has ended.
 */
bool vpod_has_ended(const struct json *pod)
{
	bool said = !json_is_null(state_of(pod, "terminated")) ||
		!str_empty(json_str(json_at(pod, "status", "reason"), ""));
	return is_terminal(pod) && (said || str_empty(vpod_begun_key(pod)));
}

bool vpod_is_refused(const struct json *pod)
{
	return str_empty(vpod_wanted_key(pod)) && str_empty(vpod_begun_key(pod)) &&
		vpod_has_ended(pod);
}

/* The status shows a run, but lacks our key: another virtual node has run the pod. */
bool vpod_is_of_others(const struct json *pod)
{
	if (!str_empty(vpod_begun_key(pod)))
		return false;
	return str_eq(json_str(json_at(pod, "status", "phase"), ""), "Running") ||
		!json_is_null(state_of(pod, "running")) ||
		!json_is_null(state_of(pod, "terminated"));
}

bool vpod_tells_of_tasks(const struct json *pod)
{
	return !str_empty(vpod_annotation(pod, ANNOTATION_JOB_ARRAY)) ||
		!str_empty(vpod_annotation(pod, ANNOTATION_JOB_ENDED));
}

/* A pod without the condition has the account "". */
bool vpod_says_account(const struct json *pod, const char *account)
{
	const struct json *c = condition_find(json_at(pod, "status", "conditions"),
		CONDITION_JOB_KEY);
	return str_eq(json_str(json_get(c, "reason"), ""), account);
}
