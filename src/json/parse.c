/* SPDX-License-Identifier: Apache-2.0 */
/* Parses text into values. */
#include <string.h>
#include <yyjson.h>

#include "base/own.h"
#include "base/str.h"
#include "json/json.h"
#include "json/parts.h"

struct text {
	const char *bytes;
	size_t n;
};

static bool is_escaped(const char *quote)
{
	size_t n = 0;
	while (quote[-1 - (ptrdiff_t)n] == '\\')
		n++;
	return n % 2;
}

/* Returns the index after the string whose opening quote is at i. */
static size_t past_string(struct text t, size_t i)
{
	const char *at = t.bytes + i, *end = t.bytes + t.n;
	do
		at = memchr(at + 1, '"', (size_t)(end - at - 1));
	while (at && is_escaped(at));
	return at ? (size_t)(at - t.bytes) + 1 : t.n;
}

/*
 * Refuses text that is nested too deep: yyjson parses any depth, but its functions to
 * compare and copy values recurse.
 */
static struct err check_depth(struct text t, size_t most)
{
	for (size_t i = 0, depth = 0; i < t.n; i = t.bytes[i] == '"' ? past_string(t, i) : i + 1) {
		char c = t.bytes[i];
		if (opens(c) && ++depth > most)
			return err_new(ERR_INVALID, "JSON nested deeper than %d levels at byte %zu",
				JSON_MAX_DEPTH, i);
		depth -= closes(c) && depth;
	}
	return OK;
}

/* Parses a text whose depth has been checked. alc NULL: from malloc. */
static struct err read_text(struct text t, const yyjson_alc *alc, struct json_doc **doc)
{
	yyjson_read_err why;
	yyjson_doc *parsed = yyjson_read_opts((char *)(uintptr_t)t.bytes, t.n, YYJSON_READ_NOFLAG,
		alc, &why);
	if (!parsed)
		return err_new(ERR_INVALID, "not JSON: %s at byte %zu", why.msg, why.pos);
	*doc = (struct json_doc *)parsed;
	return OK;
}

static struct err parse(struct text t, size_t most_depth, const yyjson_alc *alc,
	struct json_doc **doc)
{
	struct err e = check_depth(t, most_depth);
	*doc = NULL;
	return failed(e) ? e : read_text(t, alc, doc);
}

/* Copies t without values nested deeper than most; adds a mark after the first brace. */
static char *cut_text(struct text t, size_t most, size_t *n)
{
	static const char mark[] = "\"" JSON_CUT "\":true,", null[] = "null";
	char *out = own_alloc(2 * t.n + sizeof(mark)); /* "[]" becomes "null" */
	size_t depth = 0, end = 0;
	bool marked = false; /* invalid JSON may have several outer braces */
	for (size_t i = 0, next; i < t.n; i = next) {
		char c = t.bytes[i];
		next = c == '"' ? past_string(t, i) : i + 1;
		depth += opens(c);
		if (depth <= most) {
			memcpy(out + end, t.bytes + i, next - i);
			end += next - i;
		} else if (opens(c) && depth == most + 1) {
			memcpy(out + end, null, 4);
			end += 4;
		}
		if (c == '{' && depth == 1 && !marked) {
			memcpy(out + end, mark, sizeof(mark) - 1);
			end += sizeof(mark) - 1;
			marked = true;
		}
		depth -= closes(c) && depth;
	}
	*n = end;
	return out;
}

struct err json_parse_to(const char *text, size_t n, size_t most_depth, struct json_doc **doc)
{
	return parse((struct text){ text, n }, most_depth, NULL, doc);
}

static struct err parse_cut(struct text t, size_t most_depth, struct json_doc **doc)
{
	if (!failed(check_depth(t, most_depth)))
		return read_text(t, NULL, doc);
	size_t n;
	AUTO(own_free) char *text = cut_text(t, most_depth, &n);
	return read_text((struct text){ text, n }, NULL, doc);
}

bool json_is_cut(const struct json *object) { return json_bool(json_get(object, JSON_CUT), false); }

static struct err check_size(size_t n, size_t max_bytes)
{
	return n > max_bytes
		? err_new(ERR_TOO_LARGE, "JSON of %zu bytes is over the limit of %zu", n, max_bytes)
		: OK;
}

struct err json_parse(const char *text, size_t n, size_t max_bytes, struct json_doc **doc)
{
	struct err e = check_size(n, max_bytes);
	*doc = NULL;
	return failed(e) ? e : parse((struct text){ text, n }, JSON_MAX_DEPTH, NULL, doc);
}

struct err json_parse_cut(const char *text, size_t n, size_t max_bytes, struct json_doc **doc)
{
	struct err e = check_size(n, max_bytes);
	*doc = NULL;
	return failed(e) ? e : parse_cut((struct text){ text, n }, JSON_OBJECT_DEPTH, doc);
}

static struct err check_values(struct text t, size_t most)
{
	size_t n = 1;
	for (size_t i = 0; i < t.n; i = t.bytes[i] == '"' ? past_string(t, i) : i + 1)
		n += precedes_value(t.bytes[i]);
	return n > most
		? err_new(ERR_TOO_LARGE, "JSON of %zu values is over the limit of %zu", n, most)
		: OK;
}

struct err json_parse_cut_at(const char *text, size_t n, const struct json_limits *most,
	struct json_doc **doc)
{
	struct text t = { text, n };
	struct err e = check_size(n, most->bytes);
	*doc = NULL;
	if (!failed(e))
		e = check_values(t, most->values);
	return failed(e) ? e : parse_cut(t, most->depth, doc);
}

static void *in_arena(void *arena, size_t bytes) { return arena_alloc(arena, bytes); }

static void *larger_in_arena(void *arena, void *old, size_t old_bytes, size_t bytes)
{
	void *p = arena_alloc(arena, bytes);
	memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
	return p;
}

static void with_the_arena(void *arena, void *p) { (void)arena, (void)p; }

const struct json *json_parse_in(struct arena *arena, const char *text, size_t n, size_t max_bytes)
{
	const yyjson_alc alc = { in_arena, larger_in_arena, with_the_arena, arena };
	struct json_doc *doc;
	if (n > max_bytes || failed(parse((struct text){ text, n }, JSON_MAX_DEPTH, &alc, &doc)))
		return NULL;
	return json_root(doc);
}

/* ---- one member ---- */

static char at(struct text t, size_t i) { return i < t.n ? t.bytes[i] : '\0'; }

static size_t past_space(struct text t, size_t i)
{
	while (is_space(at(t, i)))
		i++;
	return i;
}

/* Returns the index after the value at i; i itself if no value begins there. */
static size_t past_value(struct text t, size_t i)
{
	for (size_t depth = 0; i < t.n && (depth || !ends_value(t.bytes[i]));) {
		char c = t.bytes[i];
		depth += opens(c);
		depth -= closes(c);
		i = c == '"' ? past_string(t, i) : i + 1;
	}
	return i;
}

/*
 * Returns the index of the value of a member; 0 if there is no such member, or if a name
 * up to it has an escape.
 */
static size_t find_member(struct text t, const char *key)
{
	size_t i = past_space(t, 0);
	if (at(t, i) != '{')
		return 0;
	do {
		size_t name = past_space(t, i + 1);
		size_t name_end = at(t, name) == '"' ? past_string(t, name) : name;
		size_t colon = past_space(t, name_end);
		size_t value = past_space(t, colon + 1);
		if (name_end == name || at(t, colon) != ':' ||
			memchr(t.bytes + name, '\\', name_end - name))
			return 0;
		if (name_end - name == strlen(key) + 2 &&
			memcmp(t.bytes + name + 1, key, strlen(key)) == 0)
			return value;
		i = past_space(t, past_value(t, value));
	} while (at(t, i) == ',');
	return 0;
}

struct err json_parse_member(const char *text, size_t n, const char *key, struct json_doc **out)
{
	struct text t = { text, n };
	size_t start = find_member(t, key);
	*out = NULL;
	if (!start)
		return OK;
	return parse_cut((struct text){ text + start, past_value(t, start) - start },
		JSON_OBJECT_DEPTH, out);
}
