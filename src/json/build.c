/* SPDX-License-Identifier: Apache-2.0 */
/* Builds documents inside an arena. */
#include <string.h>
#include <yyjson.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"

struct jdoc {
	struct arena *arena;
	yyjson_alc alc;
	yyjson_mut_doc *doc;
};

static yyjson_mut_val *in(const struct jval *v) { return (yyjson_mut_val *)(uintptr_t)v; }
static struct jval *out(yyjson_mut_val *v) { return (struct jval *)v; }

static void *from_arena(void *arena, size_t bytes) { return arena_alloc(arena, bytes); }

static void *grow_in_arena(void *arena, void *old, size_t old_bytes, size_t bytes)
{
	void *p = arena_alloc(arena, bytes);
	return memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
}

static void leave_to_arena(void *arena, void *p)
{
	(void)arena;
	(void)p;
}

struct jdoc *jdoc_new(struct arena *arena)
{
	struct jdoc *d = arena_alloc(arena, sizeof(*d));
	d->arena = arena;
	d->alc = (yyjson_alc){ from_arena, grow_in_arena, leave_to_arena, arena };
	d->doc = yyjson_mut_doc_new(&d->alc);
	return d;
}

struct jval *j_obj(struct jdoc *d) { return out(yyjson_mut_obj(d->doc)); }
struct jval *j_arr(struct jdoc *d) { return out(yyjson_mut_arr(d->doc)); }

/*
 * Replaces invalid UTF-8, which a text may contain that was cut or came from a peer:
 * yyjson does not write it.
 */
static const char *repaired(struct jdoc *d, const char *s)
{
	char *text = arena_alloc(d->arena, 3 * strlen(s) + 1), *to = text;
	while (*s) {
		size_t n = str_utf8(s);
		memcpy(to, n ? s : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		s += n ? n : 1;
	}
	return text;
}

struct jval *j_str(struct jdoc *d, const char *s)
{
	const char *p = s;
	if (!s)
		return j_null(d);
	for (size_t n; *p && (n = str_utf8(p)); p += n)
		;
	return out(yyjson_mut_strcpy(d->doc, *p ? repaired(d, s) : s));
}

struct jval *j_int(struct jdoc *d, int64_t i) { return out(yyjson_mut_sint(d->doc, i)); }
struct jval *j_bool(struct jdoc *d, bool b) { return out(yyjson_mut_bool(d->doc, b)); }
struct jval *j_null(struct jdoc *d) { return out(yyjson_mut_null(d->doc)); }

struct jval *j_copy(struct jdoc *d, const struct json *v)
{
	return v ? out(yyjson_val_mut_copy(d->doc, (yyjson_val *)(uintptr_t)v)) : j_null(d);
}

struct jval *j_set(struct jdoc *d, struct jval *object, const char *key, struct jval *v)
{
	yyjson_mut_obj_put(in(object), yyjson_mut_strcpy(d->doc, key), in(v));
	return v;
}

struct jval *j_get(struct jval *object, const char *key)
{
	return out(yyjson_mut_obj_get(in(object), key));
}
void j_del(struct jval *object, const char *key) { yyjson_mut_obj_remove_key(in(object), key); }

struct jval *j_push(struct jdoc *d, struct jval *array, struct jval *v)
{
	(void)d;
	yyjson_mut_arr_append(in(array), in(v));
	return v;
}

struct jval *j_child(struct jdoc *d, struct jval *object, const char *key)
{
	struct jval *child = j_get(object, key);
	return yyjson_mut_is_obj(in(child)) ? child : j_set(d, object, key, j_obj(d));
}

const char *j_text(struct jdoc *d, const struct jval *v)
{
	size_t n;
	return yyjson_mut_val_write_opts(in(v), YYJSON_WRITE_NOFLAG, &d->alc, &n, NULL);
}

struct json_doc *j_doc(struct jdoc *d, const struct jval *v)
{
	struct json_doc *doc;
	const char *text = j_text(d, v);
	return failed(json_parse(text, strlen(text), SIZE_MAX, &doc)) ? NULL : doc;
}

struct member {
	const char *key;
	yyjson_mut_val *value;
};

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static struct jval *sorted(struct jdoc *d, yyjson_mut_val *v)
{
	size_t i, n;
	yyjson_mut_val *key, *item;
	if (yyjson_mut_is_arr(v)) {
		struct jval *array = j_arr(d);
		yyjson_mut_arr_foreach(v, i, n, item) j_push(d, array, sorted(d, item));
		return array;
	}
	if (!yyjson_mut_is_obj(v))
		return out(yyjson_mut_val_mut_copy(d->doc, v));
	struct member *members = arena_array(d->arena, struct member, yyjson_mut_obj_size(v) + 1);
	yyjson_mut_obj_foreach(v, i, n, key, item)
		members[i] = (struct member){ yyjson_mut_get_str(key), item };
	qsort(members, n, sizeof(*members), by_key);
	struct jval *object = j_obj(d);
	for (i = 0; i < n; i++)
		yyjson_mut_obj_add(in(object), yyjson_mut_strcpy(d->doc, members[i].key),
			in(sorted(d, members[i].value)));
	return object;
}

const char *j_text_sorted(struct jdoc *d, const struct jval *v)
{
	return j_text(d, sorted(d, in(v)));
}
