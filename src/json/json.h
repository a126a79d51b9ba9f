/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON; json/build.h builds it. This folder is the only user of yyjson.
 *
 * A struct json_doc owns one parsed, immutable document; const struct json * points into
 * it. Every getter accepts NULL and returns NULL or the stated default, so a path through
 * absent members needs no checks. Absent is not zero: use json_is_null and the _is
 * functions where the difference matters.
 *
 * json_parse is safe for foreign text: it refuses more than max_bytes, nesting deeper
 * than JSON_MAX_DEPTH, trailing garbage and bad UTF-8, with the position in the error.
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct json;     /* an immutable value */
struct json_doc; /* owns values */

enum {
	JSON_MAX_DEPTH = 64,
	/*
	 * Maximum depth of an object of the API server, in a list, an event or a response
	 */
	JSON_OBJECT_DEPTH = JSON_MAX_DEPTH - 2,
};
/*
 * The first member of an object from which json_parse_cut or json_parse_items has cut
 * values.
 */
#define JSON_CUT "<cut>"

/*
 * ERR_TOO_LARGE over max_bytes; ERR_INVALID names the position. Free *out with json_free.
 */
struct err json_parse(const char *text, size_t n, size_t max_bytes, struct json_doc **out);
/*
 * json_parse for planners: the values live as long as the arena. NULL: the text is
 * invalid.
 */
const struct json *json_parse_in(struct arena *arena, const char *text, size_t n, size_t max_bytes);
/*
 * json_parse for an object of the API server, which may have any depth. Values nested
 * deeper than JSON_OBJECT_DEPTH become null, and json_is_cut(root) is then true.
 */
struct err json_parse_cut(const char *text, size_t n, size_t max_bytes, struct json_doc **out);
/*
 * Limits for a document with such objects, from any sender. depth: at most
 * JSON_MAX_DEPTH. values: a value takes 16 bytes in memory, but its text may have only
 * two.
 */
struct json_limits {
	size_t bytes, values, depth;
};
struct err json_parse_cut_at(const char *text, size_t n, const struct json_limits *most,
	struct json_doc **out);
/* Whether values of this object were cut: do not rely on its content. */
bool json_is_cut(const struct json *object);
/*
 * Parses only the member key of the root, with cuts as in json_parse_cut. *out is NULL
 * without an error when the member is absent.
 */
struct err json_parse_member(const char *text, size_t n, const char *key, struct json_doc **out);
/* Accepts NULL. */
void json_free(struct json_doc *doc);
static inline void json_auto(struct json_doc **doc) { json_free(*doc); }
/* Overwrites the texts of a parsed document that contains a secret, and frees it. */
void json_wipe(struct json_doc *doc);
static inline void json_wipe_at(struct json_doc **doc) { json_wipe(*doc); }
/* The outermost value; NULL for NULL. */
const struct json *json_root(const struct json_doc *doc);

/*
 * A streaming parser for a long list. The root's member key is an array: its items are
 * parsed one at a time and passed to item(), valid during that call only. So memory holds
 * one item instead of all. Items are passed before the rest of the text has arrived, so a
 * result made from them counts only if json_list_end returns OK. The parser refuses what
 * json_parse refuses. If the name of the array is written with escapes, the whole text is
 * parsed at the end, and the items are passed then.
 *
 *     l = json_list_new(&config);
 *     ... json_list_add(l, piece, n) ... for each piece
 *     struct err e = json_list_end(l, &rest);
 *     json_list_free(l);
 */
typedef void json_item_fn(void *ctx, const struct json *item);
struct json_list;
struct json_list_config {
	const char *key; /* lives as long as the list */
	/* Limits (ERR_TOO_LARGE) of the whole text, an item, the text around the list */
	size_t max_bytes, max_item_bytes, max_rest_bytes;
	/*
	 * Limit (ERR_TOO_LARGE) of values in one item; 0: none. A value takes 16 bytes
	 * while the item is parsed, but its text may have only two
	 */
	size_t max_item_values;
	bool cuts; /* an item that is nested too deep is cut (json_parse_cut), not refused */
	json_item_fn *item;
	void *ctx;
};
struct json_list *json_list_new(const struct json_list_config *config); /* is copied */
/* Parses the next piece; an error is final. */
struct err json_list_add(struct json_list *l, const char *bytes, size_t n);
/* *rest is the document without the items, for json_free; NULL with an error. */
struct err json_list_end(struct json_list *l, struct json_doc **rest);
size_t json_list_bytes(const struct json_list *l); /* bytes in memory now */
void json_list_free(struct json_list *l);          /* accepts NULL */

/* Parses a complete list of the API server; an item that is too deep is cut. */
struct err json_parse_items(const char *text, size_t n, size_t max_bytes, const char *key,
	json_item_fn *item, void *ctx, struct json_doc **rest);

/* The approximate memory of a document with this value, in bytes. */
size_t json_memory(const struct json *v);
/* Copies the value into a separate document of the exact size. */
struct json_doc *json_copy(const struct json *value);

/* The member of an object; NULL when it is absent, or when object is not an object. */
const struct json *json_get(const struct json *object, const char *key);
/* json_at(pod, "metadata", "name"): each key in turn. */
const struct json *json_at_(const struct json *object, ...) __attribute__((sentinel));
#define json_at(object, ...) json_at_((object), __VA_ARGS__, (char *)0)
/* Linear for arrays of mixed values: prefer json_next */
const struct json *json_item(const struct json *array, size_t index);
size_t json_count(const struct json *array_or_object); /* 0 for anything else */

const char *json_str(const struct json *v, const char *fallback); /* fallback when not a string */
/* Length of a string, with the NUL bytes in it ("\u0000"); 0 for anything else */
size_t json_str_bytes(const struct json *v);
/* Fallback when not an integer that fits */
int64_t json_i64(const struct json *v, int64_t fallback);
bool json_bool(const struct json *v, bool fallback);
bool json_is_str(const struct json *v);
bool json_is_int(const struct json *v);
bool json_is_obj(const struct json *v);
bool json_is_arr(const struct json *v);
bool json_is_null(const struct json *v); /* absent or null */
bool json_equal(const struct json *a, const struct json *b);
/* The nesting depth of the value; 0 for a scalar. */
int json_depth(const struct json *v);

/*
 * for (struct json_iter it = json_iter(v); json_next(&it);) ... it.key ("" in arrays),
 * it.value
 */
struct json_iter {
	const char *key;
	const struct json *value;
	const void *private_[2];
	size_t left;
};
struct json_iter json_iter(const struct json *array_or_object);
bool json_next(struct json_iter *it);

/* The value as text; from malloc, the caller frees. */
char *json_text(const struct json *v, size_t *bytes);

#endif
