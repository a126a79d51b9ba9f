/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the conditions of a status, and keeps those of other writers. */
#include "object/condition.h"

#include "base/str.h"
#include "json/build.h"

static const char *const status_words[] = {
	[COND_FALSE] = "False",
	[COND_TRUE] = "True",
	[COND_UNKNOWN] = "Unknown",
};

const struct json *condition_find(const struct json *conditions, const char *type)
{
	for (struct json_iter it = json_iter(conditions); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "type"), ""), type))
			return it.value;
	return NULL;
}

bool condition_is(const struct json *condition, const char *status)
{
	return str_eq(json_str(json_get(condition, "status"), ""), status);
}

/*
 * Returns lastTransitionTime: that of the old condition if it had this status, else now.
 */
static const char *since(const struct json *was, const char *status, int64_t now_wall_ms,
	char text[static TIME_RFC3339_BYTES])
{
	const char *then = json_str(json_get(was, "lastTransitionTime"), "");
	int64_t parsed;
	if (str_eq(json_str(json_get(was, "status"), ""), status) && time_parse(then, &parsed))
		return then;
	time_format(now_wall_ms, text);
	return text;
}

void condition_set(struct jdoc *d, struct jval *conditions, const struct json *old,
	const struct condition *c, int64_t generation, int64_t now_wall_ms)
{
	const char *status = status_words[c->status];
	char now[TIME_RFC3339_BYTES];
	struct jval *v = j_push(d, conditions, j_obj(d));
	j_set_str(d, v, "type", c->type);
	j_set_str(d, v, "status", status);
	if (generation > 0)
		j_set_int(d, v, "observedGeneration", generation);
	j_set_str(d, v, "lastTransitionTime",
		since(condition_find(old, c->type), status, now_wall_ms, now));
	j_set_str(d, v, "reason", c->reason);
	j_set_str(d, v, "message", c->message ? c->message : "");
}

static bool listed(const char *const *types, const char *type)
{
	for (; *types; types++)
		if (str_eq(*types, type))
			return true;
	return false;
}

void condition_keep_foreign(struct jdoc *d, struct jval *conditions, const struct json *old,
	const char *const *ours)
{
	for (struct json_iter it = json_iter(old); json_next(&it);)
		if (!listed(ours, json_str(json_get(it.value, "type"), "")))
			j_push(d, conditions, j_copy(d, it.value));
}
