/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a patch would change anything, although the API server drops and adds
 * empty members.
 */
#include "base/str.h"
#include "plan/vnode/sheet.h"

enum { DEEP = 16 }; /* our patches have fewer levels */

static bool is_empty(const struct json *v)
{
	return json_is_null(v) || (json_is_str(v) && str_empty(json_str(v, ""))) ||
		(json_is_obj(v) && !json_count(v));
}

static bool says(const struct json *old, const struct json *new, int deep);

static bool says_members(const struct json *old, const struct json *new, int deep)
{
	for (struct json_iter it = json_iter(new); json_next(&it);)
		if (!says(json_get(old, it.key), it.value, deep))
			return false;
	return true;
}

static bool says_items(const struct json *old, const struct json *new, int deep)
{
	struct json_iter a = json_iter(old), b = json_iter(new);
	if (json_count(old) != json_count(new))
		return false;
	while (json_next(&a) && json_next(&b))
		if (!says(a.value, b.value, deep))
			return false;
	return true;
}

static bool says(const struct json *old, const struct json *new, int deep)
{
	if (is_empty(new) && is_empty(old))
		return true;
	if (deep == DEEP)
		return false;
	if (json_is_obj(new) && json_is_obj(old))
		return says_members(old, new, deep + 1);
	if (json_is_arr(new) && json_is_arr(old))
		return says_items(old, new, deep + 1);
	return json_equal(old, new);
}

bool vnode_says(const struct json *old, const struct json *new) { return says(old, new, 0); }
