/* SPDX-License-Identifier: Apache-2.0 */
/* Drops unread members of an object before it is kept. */
#include "engine/store/trim.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/condition.h"
#include "object/metadata.h"

static bool nobody_reads(const struct resource_row *row, const struct json *object, const char *key)
{
	for (size_t i = 0; i < LENGTH(row->unread) && row->unread[i]; i++)
		if (str_eq(key, row->unread[i]))
			return true;
	return row->unread_of_others && str_eq(key, row->unread_of_others) && !may_be_ours(object);
}

/* The annotation of kubectl apply, which is a second copy of the object. */
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static const struct json *last_applied(const struct json *object)
{
	return json_at(object, "metadata", "annotations", LAST_APPLIED);
}

/* The object was refused, for a reason that may end without a change of the object. */
static bool waits_for_others(const struct resource_row *row, const struct json *object)
{
	return row->judged_by &&
		condition_is(condition_find(json_at(object, "status", "conditions"),
				     row->judged_by),
			"False");
}

/* The member that is not read any more (resource_row.spent); NULL: there is none. */
static const struct json *spent_of(const struct resource_row *row, const struct json *object)
{
	if (!row->spent)
		return NULL;
	const char *by = json_str(json_at(object, "status", row->spent_by), "");
	bool done = !str_empty(by) && !waits_for_others(row, object);
	bool spent = done || refusal_of(row, object);
	return spent ? json_at(object, "spec", row->spent) : NULL;
}

/* ---- objects that are too large ---- */

enum { MEMBER_BYTES = 64 }; /* memory of a key and of a null in place of its value */
#define STATUS "status"

/*
 * A copy of the value if it fits into half of *left. From a larger object the members
 * are copied that fit into that half; another larger value becomes null. So each member
 * leaves memory for the next one.
 */
static struct jval *part_of(struct jdoc *d, const struct json *v, size_t *left)
{
	size_t bytes = json_memory(v), half = *left / 2;
	if (bytes <= half) {
		*left -= bytes;
		return j_copy(d, v);
	}
	*left -= half;
	if (!json_is_obj(v))
		return j_null(d);
	struct jval *part = j_obj(d);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		size_t key = strlen(it.key) + MEMBER_BYTES;
		if (key > half)
			continue;
		half -= key;
		j_set(d, part, it.key, part_of(d, it.value, &half));
	}
	return part;
}

static size_t kept_bytes(const struct resource_row *row, const struct json *object)
{
	size_t bytes = 0;
	for (struct json_iter it = json_iter(object); json_next(&it);)
		if (!nobody_reads(row, object, it.key))
			bytes += strlen(it.key) + json_memory(it.value);
	return bytes - json_memory(json_at(object, "metadata", "managedFields")) -
		json_memory(last_applied(object)) - json_memory(spent_of(row, object));
}

static size_t most_bytes_of(const struct resource_row *row)
{
	return row->most_kb ? row->most_kb << 10 : SIZE_MAX;
}

static bool is_too_large(const struct resource_row *row, const struct json *object)
{
	return kept_bytes(row, object) > most_bytes_of(row);
}

bool object_would_be_large(enum resource r, const struct json *object)
{
	return is_too_large(&resource_rows[r], object);
}

/* Keeps the identity of the object, however little of the rest is kept. */
static void keep_names(struct jdoc *d, struct jval *copy, const struct json *object)
{
	static const char *const names[] = { "name", "namespace", "uid", "resourceVersion" };
	for (size_t i = 0; i < LENGTH(names); i++)
		j_set(d, j_child(d, copy, "metadata"), names[i],
			j_copy(d, json_at(object, "metadata", names[i])));
}

/* The part of an object that fits into left bytes, marked as cut. */
static struct jval *part_of_object(struct jdoc *d, const struct resource_row *row,
	const struct json *object, size_t left)
{
	struct jval *copy = j_obj(d);
	j_set(d, copy, JSON_CUT, j_bool(d, true));
	if (is_too_large(row, object))
		j_set(d, copy, OBJECT_LARGE, j_bool(d, true));
	/*
	 * The status comes first, so that it is whole: our writes are compared with it.
	 */
	if (json_is_obj(json_get(object, STATUS)))
		j_set(d, copy, STATUS, part_of(d, json_get(object, STATUS), &left));
	for (struct json_iter it = json_iter(object); json_next(&it);)
		if (!str_eq(it.key, JSON_CUT) && !str_eq(it.key, STATUS))
			j_set(d, copy, it.key, part_of(d, it.value, &left));
	keep_names(d, copy, object);
	return copy;
}

/* ---- whole objects ---- */

static struct jval *small_object(struct jdoc *d, const struct resource_row *row,
	const struct json *object)
{
	struct jval *copy = j_copy(d, object);
	j_del(j_child(d, copy, "metadata"), "managedFields");
	if (last_applied(object))
		j_del(j_get(j_get(copy, "metadata"), "annotations"), LAST_APPLIED);
	if (spent_of(row, object))
		j_del(j_get(copy, "spec"), row->spent);
	for (size_t i = 0; i < LENGTH(row->unread) && row->unread[i]; i++)
		j_del(copy, row->unread[i]);
	if (row->unread_of_others && !may_be_ours(object))
		j_del(copy, row->unread_of_others);
	return copy;
}

size_t object_bytes(enum resource r, const struct json *object)
{
	const struct resource_row *row = &resource_rows[r];
	size_t bytes = kept_bytes(row, object), most = most_bytes_of(row);
	return bytes < most ? bytes : most;
}

/*
 * Trimming makes several copies of an object, and a copy of 1.5 MB of JSON may take 18
 * MB. So an object that is far too large is first cut to twice the size that may be kept.
 */
static bool is_far_too_large(const struct json *object)
{
	enum { FAR_TOO_LARGE = 2 << 20 };
	return json_memory(object) > FAR_TOO_LARGE;
}

struct json_doc *object_trimmed(enum resource r, const struct json *object, size_t most_bytes)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	const struct resource_row *row = &resource_rows[r];
	size_t most = most_bytes < most_bytes_of(row) ? most_bytes : most_bytes_of(row);
	bool too_large = kept_bytes(row, object) > most;
	AUTO(json_auto) struct json_doc *part = NULL, *rough = NULL;
	if (too_large && is_far_too_large(object))
		rough = j_doc(d, part_of_object(d, row, object, 2 * most));
	AUTO(json_auto) struct json_doc *small = j_doc(d,
		small_object(d, row, rough ? json_root(rough) : object));
	if (too_large)
		part = j_doc(d, part_of_object(d, row, json_root(small), most));
	return json_copy(json_root(part ? part : small));
}
