/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SlurmJob or WlmJob and its pod as anybody may write them, planned. The input: a byte
 * whose lowest bit chooses the kind; the object; and behind a line that is empty the pod.
 *
 * Whatever they say, the plan is sound: every body is JSON, every deletion and the one
 * creation are guarded, and nothing is made beside a pod or after one.
 */
#include <string.h>

#include "api/job.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/pod.h"
#include "plan/job/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void look_at(const struct action *a, const struct job_view *view, struct arena *arena)
{
	const char *status = json_str(json_at(view->object, "status", "status"), "");
	bool creates = deed_is(a->deed, DO(CREATE, POD));
	if (a->body && !json_parse_in(arena, a->body, strlen(a->body), SIZE_MAX))
		__builtin_trap();
	if (a->deed.verb == VERB_DELETE && (!a->guard.uid || !a->guard.resource_version))
		__builtin_trap();
	if (creates && (view->pod || !str_empty(status) || a->guard.read != READ_PLANNED))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(arena_free) struct arena arena = { 0 };
	if (n < 2)
		return 0;
	const char *text = (const char *)bytes + 1;
	const char *end = memmem(text, n - 1, "\n\n", 2);
	size_t length = end ? (size_t)(end - text) : n - 1;
	const struct json *object = json_parse_in(&arena, text, length, SIZE_MAX);
	const struct json *pod = end ? json_parse_in(&arena, end + 2, n - 1 - length - 2, SIZE_MAX)
				     : NULL;
	AUTO(own_free) struct pod_fact *fact = json_is_obj(pod) ? pod_fact_new(pod) : NULL;
	if (!json_is_obj(object))
		return 0;
	struct job_view view = {
		.resource = bytes[0] & 1 ? RES_WLMJOB : RES_SLURMJOB,
		.object = object,
		.pods_known = true,
		.pod = fact,
	};
	struct plan plan = { .arena = &arena };
	job_plan(&view, INT64_C(1767225600000), &plan);
	for (size_t i = 0; i < plan.n; i++)
		look_at(&plan.actions[i], &view, &arena);
	return 0;
}
