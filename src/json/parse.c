/* SPDX-License-Identifier: Apache-2.0 */
/* From text to values: at once, or the items of one long array one at a time. */
#include <string.h>
#include <yyjson.h>

#include "base/own.h"
#include "base/str.h"
#include "json/json.h"

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

/* i is at the opening quote, before which nothing is looked at. */
static size_t past_string(struct text t, size_t i)
{
	const char *at = t.bytes + i, *end = t.bytes + t.n;
	do
		at = memchr(at + 1, '"', (size_t)(end - at - 1));
	while (at && is_escaped(at));
	return at ? (size_t)(at - t.bytes) + 1 : t.n;
}

/*
 * yyjson parses any depth, but its comparison and copy functions recurse: refuse before
 * they see it.
 */
static struct err check_depth(struct text t, size_t most)
{
	for (size_t i = 0, depth = 0; i < t.n; i = t.bytes[i] == '"' ? past_string(t, i) : i + 1) {
		char c = t.bytes[i];
		if ((c == '{' || c == '[') && ++depth > most)
			return err_new(ERR_INVALID, "JSON nested deeper than %d levels at byte %zu",
				JSON_MAX_DEPTH, i);
		if ((c == '}' || c == ']') && depth)
			depth--;
	}
	return OK;
}

/* What is not nested too deep. alc NULL: from malloc. */
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

/* t without what is nested deeper than most; a mark stands behind the first brace. */
static char *cut_text(struct text t, size_t most, size_t *n)
{
	static const char mark[] = "\"" JSON_CUT "\":true,", null[] = "null";
	char *out = own_alloc(2 * t.n + sizeof(mark)); /* "[]" becomes "null" */
	size_t depth = 0, end = 0;
	for (size_t i = 0, next; i < t.n; i = next) {
		char c = t.bytes[i];
		bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
		next = c == '"' ? past_string(t, i) : i + 1;
		depth += opens;
		if (depth <= most) {
			memcpy(out + end, t.bytes + i, next - i);
			end += next - i;
		} else if (opens && depth == most + 1) {
			memcpy(out + end, null, 4);
			end += 4;
		}
		if (c == '{' && depth == 1) {
			memcpy(out + end, mark, sizeof(mark) - 1);
			end += sizeof(mark) - 1;
		}
		depth -= closes && depth;
	}
	*n = end;
	return out;
}

static struct err parse_cut(struct text t, struct json_doc **doc)
{
	if (!failed(check_depth(t, JSON_OBJECT_DEPTH)))
		return read_text(t, NULL, doc);
	size_t n;
	AUTO(own_free) char *text = cut_text(t, JSON_OBJECT_DEPTH, &n);
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
	return failed(e) ? e : parse_cut((struct text){ text, n }, doc);
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

/*
 * ---- one long array ----
 *
 * Only the bounds of each value are searched here. The parser reads each item, and the
 * text around the array: so whatever json_parse refuses is refused here as well
 * (tests/fuzz/fuzz_json_list.c compares the two).
 */

static char at(struct text t, size_t i) { return i < t.n ? t.bytes[i] : '\0'; }

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static size_t past_space(struct text t, size_t i)
{
	while (is_space(at(t, i)))
		i++;
	return i;
}

static bool ends_value(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ':' || is_space(c);
}

/* i itself when no value begins there. */
static size_t past_value(struct text t, size_t i)
{
	for (size_t depth = 0; i < t.n && (depth || !ends_value(t.bytes[i]));) {
		char c = t.bytes[i];
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
		i = c == '"' ? past_string(t, i) : i + 1;
	}
	return i;
}

/*
 * Where the value of a member begins; 0 when it is not found by its bytes: there is no
 * such member, or a name with an escape before it.
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
	return parse_cut((struct text){ text + start, past_value(t, start) - start }, out);
}

/* Who takes the items, and whether one that is too deep is cut or refused. */
struct taker {
	json_item_fn *item;
	void *ctx;
	bool cuts;
};

static struct err give_item(struct text t, size_t start, size_t end, const struct taker *to)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct text one = { t.bytes + start, end - start };
	struct err e = to->cuts ? parse_cut(one, &doc) : parse(one, JSON_OBJECT_DEPTH, NULL, &doc);
	if (failed(e))
		return err_wrap(e, "the item that begins at byte %zu", start);
	to->item(to->ctx, json_root(doc));
	return OK;
}

/* From the opening bracket on; *end is the closing one. */
static struct err give_items(struct text t, size_t open, size_t *end, const struct taker *to)
{
	size_t i = past_space(t, open + 1);
	for (bool more = at(t, i) != ']'; more;) {
		size_t item_end = past_value(t, i);
		struct err e = give_item(t, i, item_end, to);
		if (failed(e))
			return e;
		i = past_space(t, item_end);
		more = at(t, i) == ',';
		if (!more && at(t, i) != ']')
			return err_new(ERR_INVALID,
				"not JSON: neither a comma nor the end of the array at byte %zu",
				i);
		if (more)
			i = past_space(t, i + 1);
	}
	*end = i;
	return OK;
}

static struct err parse_whole(struct text t, const char *key, const struct taker *to,
	struct json_doc **doc)
{
	struct err e = parse(t, JSON_MAX_DEPTH, NULL, doc);
	const struct json *list = json_get(json_root(*doc), key);
	for (struct json_iter it = json_iter(json_is_arr(list) ? list : NULL); json_next(&it);)
		to->item(to->ctx, it.value);
	return e;
}

static struct err parse_list(struct text t, const char *key, const struct taker *to,
	struct json_doc **rest)
{
	AUTO(str_free) struct str around = { 0 };
	size_t open = find_member(t, key), close = open;
	if (!open || at(t, open) != '[')
		return parse_whole(t, key, to, rest);
	struct err e = give_items(t, open, &close, to);
	if (failed(e))
		return e;
	str_add_bytes(&around, t.bytes, open + 1);
	str_add_bytes(&around, t.bytes + close, t.n - close);
	e = parse((struct text){ str_text(&around), around.len }, JSON_MAX_DEPTH, NULL, rest);
	return failed(e) ? err_wrap(e, "around the list \"%s\"", key) : OK;
}

static struct err parse_items(struct text t, size_t max_bytes, const char *key,
	const struct taker *to, struct json_doc **rest)
{
	struct err e = check_size(t.n, max_bytes);
	*rest = NULL;
	return failed(e) ? e : parse_list(t, key, to, rest);
}

struct err json_parse_list(const char *text, size_t n, size_t max_bytes, const char *key,
	json_item_fn *item, void *ctx, struct json_doc **rest)
{
	const struct taker to = { item, ctx, .cuts = false };
	return parse_items((struct text){ text, n }, max_bytes, key, &to, rest);
}

struct err json_parse_items(const char *text, size_t n, size_t max_bytes, const char *key,
	json_item_fn *item, void *ctx, struct json_doc **rest)
{
	const struct taker to = { item, ctx, .cuts = true };
	return parse_items((struct text){ text, n }, max_bytes, key, &to, rest);
}
