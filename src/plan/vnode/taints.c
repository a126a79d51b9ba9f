/* SPDX-License-Identifier: Apache-2.0 */
/* The taints of a virtual node: its own, that of a trouble, those of its partition. */
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "plan/vnode/node_parts.h"

static struct jval *add_taint(struct node_sheet *s, struct jval *list, const char *key,
	const char *value, const char *effect)
{
	struct jval *t = j_push(s->d, list, j_obj(s->d));
	j_set_str(s->d, t, "key", key);
	j_set_str(s->d, t, "value", value);
	j_set_str(s->d, t, "effect", effect);
	return t;
}

/* The taint has the time when it was first added. */
static void add_dated_taint(struct node_sheet *s, struct jval *list, const char *value)
{
	char now[TIME_RFC3339_BYTES];
	const char *since = "";
	struct json_iter it = json_iter(json_at(s->view->node, "spec", "taints"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "key"), ""), TAINT_UNAVAILABLE) &&
			str_eq(json_str(json_get(it.value, "value"), ""), value))
			since = json_str(json_get(it.value, "timeAdded"), "");
	time_format(s->now_wall_ms, now);
	struct jval *taint = add_taint(s, list, TAINT_UNAVAILABLE, value, "NoSchedule");
	j_set_str(s->d, taint, "timeAdded", str_empty(since) ? now : since);
}

/* True if the taint shows the state of the partition. */
static bool is_of_partition(const struct json *taint)
{
	const char *key = json_str(json_get(taint, "key"), "");
	const char *value = json_str(json_get(taint, "value"), "");
	bool of_state = false;
	for (size_t i = 0; i < VPARTITIONS; i++)
		of_state |= vpartition_rows[i].taint && str_eq(value, vpartition_rows[i].taint);
	return str_eq(key, TAINT_RESTRICTED) || (str_eq(key, TAINT_UNAVAILABLE) && of_state);
}

static bool is_our_taint(const struct json *taint)
{
	const char *key = json_str(json_get(taint, "key"), "");
	const char *effect = json_str(json_get(taint, "effect"), "");
	if (str_eq(effect, "PreferNoSchedule"))
		return str_eq(key, TAINT_UNAVAILABLE) || str_eq(key, TAINT_RESTRICTED);
	return str_eq(effect, "NoSchedule") &&
		(str_eq(key, TAINT_PROVIDER) || str_eq(key, TAINT_UNAVAILABLE));
}

/* While the resources are unknown, the taints of the partition stay. */
static void keep_state_taints(struct node_sheet *s, struct jval *list)
{
	struct json_iter it = json_iter(json_at(s->view->node, "spec", "taints"));
	while (json_next(&it)) {
		const char *effect = json_str(json_get(it.value, "effect"), "");
		bool hidden = s->trouble != VNODE_FINE && str_eq(effect, "NoSchedule");
		if (is_our_taint(it.value) && is_of_partition(it.value) && !hidden)
			j_push(s->d, list, j_copy(s->d, it.value));
	}
}

/* A Node has only one taint with a key and an effect, and a trouble comes first. */
static void add_state_taints(struct node_sheet *s, struct jval *list)
{
	const struct vpartition_row *row = &vpartition_rows[vpartition_of(s->now)];
	if (!s->view->resources)
		keep_state_taints(s, list);
	if (row->taint && s->trouble == VNODE_FINE)
		add_taint(s, list, TAINT_UNAVAILABLE, row->taint, row->effect);
	if (vpartition_is_restricted(s->now))
		add_taint(s, list, TAINT_RESTRICTED, "true", "PreferNoSchedule");
}

void vnode_add_taints(struct node_sheet *s, struct jval *spec)
{
	static const char *const values[] = {
		[VNODE_AWAY] = "red-box-away",
		[VNODE_GONE] = "partition-gone",
	};
	struct jval *list = j_set(s->d, spec, "taints", j_arr(s->d));
	struct json_iter it = json_iter(json_at(s->view->node, "spec", "taints"));
	while (json_next(&it))
		if (!is_our_taint(it.value))
			j_push(s->d, list, j_copy(s->d, it.value));
	add_taint(s, list, TAINT_PROVIDER, PROVIDER_WLM, "NoSchedule");
	if (s->trouble != VNODE_FINE)
		add_dated_taint(s, list, values[s->trouble]);
	add_state_taints(s, list);
}
