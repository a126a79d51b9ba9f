/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds JSON. A struct jdoc is a mutable document inside an arena; its values live as
 * long as the arena. Strings are copied. Invalid UTF-8 in them becomes U+FFFD, so that
 * every document can be printed.
 */
#ifndef JSON_BUILD_H
#define JSON_BUILD_H

#include "json/json.h"

struct jdoc;
struct jval;

/* Makes an empty document. */
struct jdoc *jdoc_new(struct arena *arena);
struct jval *j_obj(struct jdoc *d);
struct jval *j_arr(struct jdoc *d);
struct jval *j_str(struct jdoc *d, const char *s); /* NULL gives null */
struct jval *j_int(struct jdoc *d, int64_t i);
struct jval *j_bool(struct jdoc *d, bool b);
struct jval *j_null(struct jdoc *d);
struct jval *j_copy(struct jdoc *d, const struct json *v); /* NULL gives null */

/*
 * Sets (replaces) a member and returns the value, so that j_set(d, o, "metadata",
 * j_obj(d)) nests.
 */
struct jval *j_set(struct jdoc *d, struct jval *object, const char *key, struct jval *v);
struct jval *j_get(struct jval *object, const char *key); /* NULL when absent */
void j_del(struct jval *object, const char *key);
struct jval *j_push(struct jdoc *d, struct jval *array, struct jval *v);
/* The member key of an object; becomes an empty object if it is not an object. */
struct jval *j_child(struct jdoc *d, struct jval *object, const char *key);
static inline struct jval *j_set_str(struct jdoc *d, struct jval *o, const char *k, const char *s)
{
	return j_set(d, o, k, j_str(d, s));
}
static inline struct jval *j_set_int(struct jdoc *d, struct jval *o, const char *k, int64_t i)
{
	return j_set(d, o, k, j_int(d, i));
}
static inline struct jval *j_set_bool(struct jdoc *d, struct jval *o, const char *k, bool b)
{
	return j_set(d, o, k, j_bool(d, b));
}

/* The text of a value, in the arena of d. */
const char *j_text(struct jdoc *d, const struct jval *v);
/* Copies the value into a separate document; NULL: nested too deep. */
struct json_doc *j_doc(struct jdoc *d, const struct jval *v);
/*
 * The text with the members of every object in byte order: equal values give equal bytes.
 */
const char *j_text_sorted(struct jdoc *d, const struct jval *v);
/*
 * The text that the API server itself writes for the value. A patch that makes the API
 * server store the value again changes no byte of it (canonical.c).
 */
const char *j_text_canonical(struct arena *a, const struct jval *v);

#endif
