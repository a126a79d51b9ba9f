/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SlurmJob or WlmJob and its pods as any user may write them, planned. The input: a
 * byte whose lowest two bits choose the kind; the object; and behind lines that are empty
 * the pod and the one that copies its results.
 *
 * For every input the plan is sound: every body is JSON, every deletion and the one
 * creation of its pod are guarded, and nothing is made beside a pod or after one.
 */
#include <string.h>

#include "api/job.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/pod/pod.h"
#include "plan/job/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *collector_of(const struct job_view *view, struct arena *arena)
{
	struct job j;
	job_read(view->resource, view->object, &j);
	return job_collector_name(arena, &j);
}

static void look_at(const struct action *a, const struct job_view *view, struct arena *arena)
{
	const char *status = json_str(json_at(view->object, "status", "status"), "");
	bool creates = operation_is(a->operation, DO(CREATE, POD)),
	     copies = creates && str_eq(a->name, collector_of(view, arena));
	if (a->body && !json_parse_in(arena, a->body, strlen(a->body), SIZE_MAX))
		__builtin_trap();
	if (a->operation.verb == VERB_DELETE && (!a->guard.uid || !a->guard.resource_version))
		__builtin_trap();
	if (copies && view->collector)
		__builtin_trap();
	if (creates && !copies &&
		(view->pod || !str_empty(status) || a->guard.read != READ_PLANNED))
		__builtin_trap();
}

/* The text before the next line that is empty; NULL: no object. */
static const struct json *next_object(struct arena *arena, const char **at, const char *last)
{
	size_t left = (size_t)(last - *at);
	const char *end = memmem(*at, left, "\n\n", 2);
	size_t length = end ? (size_t)(end - *at) : left;
	const struct json *v = json_parse_in(arena, *at, length, SIZE_MAX);
	*at = end ? end + 2 : last;
	return json_is_obj(v) ? v : NULL;
}

static struct pod_fact *next_pod(struct arena *arena, const char **at, const char *last)
{
	const struct json *pod = next_object(arena, at, last);
	return pod ? pod_fact_new(pod) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(arena_free) struct arena arena = { 0 };
	if (n < 2)
		return 0;
	const char *at = (const char *)bytes + 1, *last = (const char *)bytes + n;
	const struct json *object = next_object(&arena, &at, last);
	AUTO(own_free) struct pod_fact *fact = next_pod(&arena, &at, last);
	AUTO(own_free) struct pod_fact *collector = next_pod(&arena, &at, last);
	if (!object)
		return 0;
	struct job_options options = job_options_usual;
	options.image = "i";
	struct job_view view = {
		.resource = bytes[0] & 1 ? RES_WLMJOB
			: bytes[0] & 2   ? RES_OLDER_SLURMJOB
					 : RES_SLURMJOB,
		.object = object,
		.pods_known = true,
		.pod = fact,
		.collector = collector,
		.options = &options,
		.server = { .known = true, .url = "https://u", .key = "sha256//k" },
	};
	struct plan plan = { .arena = &arena };
	job_plan(&view, INT64_C(1767225600000), &plan);
	for (size_t i = 0; i < plan.n; i++)
		look_at(&plan.actions[i], &view, &arena);
	return 0;
}
