/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of a pod is as old as the last answer of its virtual node, and of the
 * red-box behind that. The taints of the Node show whether they answer.
 */
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "plan/job/sheet.h"

/* The first row that applies counts. */
static const struct {
	const char *key, *value; /* value NULL: any */
	const char *reason, *text;
} rows[] = {
	{ "node.kubernetes.io/unreachable", NULL, "VirtualNodeAway", "does not answer" },
	{ "node.kubernetes.io/not-ready", NULL, "VirtualNodeAway", "is not ready" },
	{ TAINT_UNAVAILABLE, "red-box-away", "RedBoxAway",
		"does not hear from its red-box or from slurmctld" },
	{ TAINT_UNAVAILABLE, "partition-gone", "PartitionGone",
		"has lost its partition: Slurm does not have it any more" },
};

static const struct json *node_named(const struct json *list, const char *name)
{
	for (struct json_iter it = json_iter(list); json_next(&it);)
		if (str_eq(json_str(json_at(it.value, "metadata", "name"), ""), name))
			return it.value;
	return NULL;
}

static const struct json *taint_of(const struct json *node, const char *key, const char *value)
{
	for (struct json_iter it = json_iter(json_at(node, "spec", "taints")); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "key"), ""), key) &&
			(!value || str_eq(json_str(json_get(it.value, "value"), ""), value)))
			return it.value;
	return NULL;
}

/* The taint has the time when the silence was noticed. */
static const char *silence_text(struct job_sheet *s, const struct json *taint, const char *what)
{
	const char *added = json_str(json_get(taint, "timeAdded"), "");
	const char *node = job_pod_of(s)->node_name;
	char since[TIME_RFC3339_BYTES];
	int64_t ms;
	if (!time_parse(added, &ms))
		return arena_printf(s->arena, "virtual node %s %s", node, what);
	time_format(ms, since);
	return arena_printf(s->arena, "virtual node %s %s, as was seen at %s", node, what, since);
}

struct job_silence job_silence_of(struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	if (!pod || str_empty(pod->node_name) || pod_phase_over(pod->phase))
		return (struct job_silence){ 0 };
	const struct json *node = node_named(s->view->nodes.list, pod->node_name);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct json *taint = taint_of(node, rows[i].key, rows[i].value);
		if (taint)
			return (struct job_silence){ rows[i].reason,
				silence_text(s, taint, rows[i].text) };
	}
	return (struct job_silence){ 0 };
}
