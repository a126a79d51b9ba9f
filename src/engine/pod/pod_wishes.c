/* SPDX-License-Identifier: Apache-2.0 */
/* The requirements on node labels of an unschedulable pod. */
#include "engine/pod/pod_wishes.h"

#include "object/condition.h"
#include "object/metadata.h"

static bool is_of_job(const struct json *pod)
{
	enum resource r = resource_of_owner(controller_of(pod));
	return r == RES_SLURMJOB || r == RES_OLDER_SLURMJOB || r == RES_WLMJOB;
}

static bool is_unschedulable(const struct json *pod)
{
	const struct json *c = condition_find(json_at(pod, "status", "conditions"), "PodScheduled");
	return condition_is(c, "False") &&
		str_eq(json_str(json_get(c, "reason"), ""), "Unschedulable") &&
		str_empty(json_str(json_at(pod, "spec", "nodeName"), ""));
}

static void add(struct str *out, const char *label, char sign, const char *value)
{
	if (out->len + strlen(label) + strlen(value) + 2 <= WISHES_BYTES)
		str_addf(out, "%s%c%s\n", label, sign, value);
}

/* Adds an expression with "Gt" or "In" and one value. */
static void add_expression(struct str *out, const struct json *e)
{
	const char *label = json_str(json_get(e, "key"), ""),
		   *word = json_str(json_get(e, "operator"), ""),
		   *value = json_str(json_item(json_get(e, "values"), 0), "");
	if (json_count(json_get(e, "values")) != 1)
		return;
	if (str_eq(word, "Gt"))
		add(out, label, '>', value);
	else if (str_eq(word, "In"))
		add(out, label, '=', value);
}

/* If there are several terms, one suffices, so none of them is a requirement. */
static void add_affinity(struct str *out, const struct json *spec)
{
	const struct json *terms = json_at(spec, "affinity", "nodeAffinity",
		"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
	struct json_iter it = json_iter(json_get(json_item(terms, 0), "matchExpressions"));
	while (json_count(terms) == 1 && json_next(&it))
		add_expression(out, it.value);
}

void pod_wishes(const struct json *pod, struct str *out)
{
	if (!is_unschedulable(pod) || !is_of_job(pod))
		return;
	const struct json *spec = json_get(pod, "spec");
	add_affinity(out, spec);
	for (struct json_iter it = json_iter(json_get(spec, "nodeSelector")); json_next(&it);)
		add(out, it.key, '=', json_str(it.value, ""));
}
