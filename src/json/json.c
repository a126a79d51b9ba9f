/* SPDX-License-Identifier: Apache-2.0 */
/* Getters of a parsed document: an absent value is never an error. */
#include "json/json.h"

#include <stdarg.h>
#include <string.h>
#include <yyjson.h>

#include "base/own.h"

/* struct json is yyjson_val and struct json_doc is yyjson_doc, for this folder only. */
static yyjson_val *in(const struct json *v) { return (yyjson_val *)(uintptr_t)v; }
static const struct json *out(yyjson_val *v) { return (const struct json *)v; }

void json_wipe(struct json_doc *doc)
{
	yyjson_doc *d = (yyjson_doc *)doc;
	if (d && d->str_pool)
		explicit_bzero(d->str_pool, d->dat_read);
	json_free(doc);
}

void json_free(struct json_doc *doc) { yyjson_doc_free((yyjson_doc *)doc); }
const struct json *json_root(const struct json_doc *doc)
{
	return out(yyjson_doc_get_root((yyjson_doc *)(uintptr_t)doc));
}

/* The values of an immutable document are contiguous in memory. */
size_t json_memory(const struct json *v)
{
	size_t bytes = 0;
	if (!v)
		return 0;
	for (yyjson_val *x = in(v), *end = unsafe_yyjson_get_next(in(v)); x < end; x++)
		bytes += sizeof(*x) + (yyjson_is_str(x) ? yyjson_get_len(x) + 1 : 0);
	return bytes;
}

struct json_doc *json_copy(const struct json *value)
{
	yyjson_mut_doc *m = yyjson_mut_doc_new(NULL);
	yyjson_mut_doc_set_root(m, yyjson_val_mut_copy(m, in(value)));
	yyjson_doc *exact = yyjson_mut_doc_imut_copy(m, NULL);
	yyjson_mut_doc_free(m);
	return (struct json_doc *)exact;
}

const struct json *json_get(const struct json *object, const char *key)
{
	return out(yyjson_obj_get(in(object), key));
}

const struct json *json_at_(const struct json *object, ...)
{
	va_list keys;
	va_start(keys, object);
	for (const char *key; object && (key = va_arg(keys, const char *));)
		object = json_get(object, key);
	va_end(keys);
	return object;
}

const struct json *json_item(const struct json *array, size_t index)
{
	return out(yyjson_arr_get(in(array), index));
}

size_t json_count(const struct json *v)
{
	return yyjson_is_arr(in(v)) || yyjson_is_obj(in(v)) ? yyjson_get_len(in(v)) : 0;
}

const char *json_str(const struct json *v, const char *fallback)
{
	return json_is_str(v) ? yyjson_get_str(in(v)) : fallback;
}

size_t json_str_bytes(const struct json *v) { return json_is_str(v) ? yyjson_get_len(in(v)) : 0; }

int64_t json_i64(const struct json *v, int64_t fallback)
{
	if (yyjson_is_uint(in(v)))
		return yyjson_get_uint(in(v)) <= INT64_MAX ? (int64_t)yyjson_get_uint(in(v))
							   : fallback;
	return yyjson_is_sint(in(v)) ? yyjson_get_sint(in(v)) : fallback;
}

bool json_bool(const struct json *v, bool fallback)
{
	return yyjson_is_bool(in(v)) ? yyjson_get_bool(in(v)) : fallback;
}
bool json_is_str(const struct json *v) { return yyjson_is_str(in(v)); }
bool json_is_int(const struct json *v) { return yyjson_is_int(in(v)); }
bool json_is_obj(const struct json *v) { return yyjson_is_obj(in(v)); }
bool json_is_arr(const struct json *v) { return yyjson_is_arr(in(v)); }
bool json_is_null(const struct json *v) { return !v || yyjson_is_null(in(v)); }

bool json_equal(const struct json *a, const struct json *b)
{
	if (!a || !b)
		return a == b;
	return yyjson_equals(in(a), in(b));
}

int json_depth(const struct json *v)
{
	int most = 0;
	if (!json_is_obj(v) && !json_is_arr(v))
		return 0;
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int below = json_depth(it.value);
		most = below > most ? below : most;
	}
	return most + 1;
}

struct json_iter json_iter(const struct json *v)
{
	struct json_iter it = { .key = "", .left = json_count(v) };
	if (it.left)
		it.private_[0] = unsafe_yyjson_get_first(in(v));
	it.private_[1] = yyjson_is_obj(in(v)) ? v : NULL;
	return it;
}

bool json_next(struct json_iter *it)
{
	if (!it->left)
		return false;
	it->left--;
	yyjson_val *here = (yyjson_val *)(uintptr_t)it->private_[0];
	if (it->private_[1]) {
		it->key = yyjson_get_str(here);
		here++;
	}
	it->value = out(here);
	it->private_[0] = unsafe_yyjson_get_next(here);
	return true;
}

char *json_text(const struct json *v, size_t *bytes)
{
	return yyjson_val_write(in(v), YYJSON_WRITE_NOFLAG, bytes);
}
