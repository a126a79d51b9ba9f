/* SPDX-License-Identifier: Apache-2.0 */
/* Drops what nobody reads from an object before it is kept. */
#include "engine/trim.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "object/metadata.h"

/* Of any version. */
static bool is_of_group(const struct json *reference, const char *group)
{
	const char *version = json_str(json_get(reference, "apiVersion"), "");
	size_t n = strlen(group);
	return strncmp(version, group, n) == 0 && version[n] == '/';
}

static bool is_kind_of_ours(const struct json *reference)
{
	const char *kind = json_str(json_get(reference, "kind"), "");
	for (const struct resource_row *r = resource_rows; r < resource_rows + RES_COUNT; r++)
		if (r->custom && str_eq(r->kind, kind) && is_of_group(reference, r->group))
			return true;
	return false;
}

/* Or may become ours, while nothing controls it. */
static bool is_ours(const struct json *object)
{
	const struct json *controller = controller_of(object);
	return !controller || is_kind_of_ours(controller);
}

static bool nobody_reads(const struct resource_row *row, const struct json *object, const char *key)
{
	for (size_t i = 0; i < LENGTH(row->unread) && row->unread[i]; i++)
		if (str_eq(key, row->unread[i]))
			return true;
	return row->unread_of_others && str_eq(key, row->unread_of_others) && !is_ours(object);
}

/* ---- what is too large ---- */

enum { MEMBER_BYTES = 64 }; /* of its key and what stands for its value */

/*
 * A copy of what fits into *left: a value that takes at most a half of it, and of a
 * larger object what fits into that half. So no member leaves nothing for the next.
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
		if (str_eq(it.key, "managedFields") || key > half)
			continue;
		half -= key;
		j_set(d, part, it.key, part_of(d, it.value, &half));
	}
	return part;
}

static struct jval *large_object(struct jdoc *d, const struct resource_row *row,
	const struct json *object)
{
	struct jval *copy = j_obj(d);
	size_t left = row->most_kb << 10;
	j_set(d, copy, JSON_CUT, j_bool(d, true));
	j_set(d, copy, OBJECT_LARGE, j_bool(d, true));
	for (struct json_iter it = json_iter(object); json_next(&it);)
		if (!nobody_reads(row, object, it.key) && !str_eq(it.key, JSON_CUT))
			j_set(d, copy, it.key, part_of(d, it.value, &left));
	return copy;
}

static size_t kept_bytes(const struct resource_row *row, const struct json *object)
{
	size_t bytes = 0;
	for (struct json_iter it = json_iter(object); json_next(&it);)
		if (!nobody_reads(row, object, it.key))
			bytes += strlen(it.key) + json_memory(it.value);
	return bytes - json_memory(json_at(object, "metadata", "managedFields"));
}

/* ---- all of it ---- */

static struct jval *small_object(struct jdoc *d, const struct resource_row *row,
	const struct json *object)
{
	struct jval *copy = j_copy(d, object);
	j_del(j_child(d, copy, "metadata"), "managedFields");
	for (size_t i = 0; i < LENGTH(row->unread) && row->unread[i]; i++)
		j_del(copy, row->unread[i]);
	if (row->unread_of_others && !is_ours(object))
		j_del(copy, row->unread_of_others);
	return copy;
}

struct json_doc *object_trimmed(enum resource r, const struct json *object)
{
	struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	const struct resource_row *row = &resource_rows[r];
	bool large = row->most_kb && kept_bytes(row, object) > row->most_kb << 10;
	const char *text = j_text(d,
		large ? large_object(d, row, object) : small_object(d, row, object));
	struct json_doc *doc = NULL, *exact = NULL;
	if (!failed(json_parse(text, strlen(text), SIZE_MAX, &doc)))
		exact = json_copy(json_root(doc));
	json_free(doc);
	arena_free(&a);
	return exact;
}
