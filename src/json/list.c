/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams one long array: its items one at a time, and the text around it.
 *
 * This file only finds the bounds of each value. The parser reads each item and the text
 * around the array, so that it refuses what json_parse refuses
 * (tests/fuzz/fuzz_json_list.c compares the two, with the text cut anywhere).
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "json/json.h"
#include "json/parts.h"

/* The place of the next byte in the document. */
enum place {
	BEFORE, /* the array has not begun */
	FIRST,  /* the first item, or the end of an empty array */
	NEXT,   /* the first byte of an item */
	INSIDE, /* inside an item */
	AFTER,  /* after an item: a comma or the end of the array */
	BEHIND, /* after the array */
};

struct json_list {
	struct json_list_config config;
	enum place place;
	size_t depth, read, item_at; /* read: bytes so far */
	size_t values;               /* upper bound of the values in the item so far */
	bool in_string, escaped;
	/*
	 * Before the array: the next string is a name; this string is; the last name was
	 * the key
	 */
	bool name_next, is_name, is_key;
	bool value_next; /* the next value is that of the key */
	bool whole;      /* the array cannot be found byte by byte: parse the whole text */
	size_t name_at;  /* index in around */
	struct str around, item;
	struct err err;
};

struct json_list *json_list_new(const struct json_list_config *config)
{
	struct json_list *l = own_alloc(sizeof(*l));
	l->config = *config;
	return l;
}

void json_list_free(struct json_list *l)
{
	if (!l)
		return;
	str_free(&l->around);
	str_free(&l->item);
	free(l);
}

size_t json_list_bytes(const struct json_list *l) { return l->around.cap + l->item.cap; }

/* ---- an item ---- */

static struct err give_item(struct json_list *l)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	const char *text = str_text(&l->item);
	struct err e = l->config.cuts ? json_parse_cut(text, l->item.len, SIZE_MAX, &doc)
				      : json_parse_to(text, l->item.len, JSON_OBJECT_DEPTH, &doc);
	if (failed(e))
		return err_wrap(e, "the item that begins at byte %zu", l->item_at);
	l->config.item(l->config.ctx, json_root(doc));
	str_clear(&l->item);
	return OK;
}

/* Returns how many of these bytes belong to the item. */
static size_t inside(struct json_list *l, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = bytes[i];
		if (l->in_string) {
			l->in_string = l->escaped || c != '"';
			l->escaped = !l->escaped && c == '\\';
			continue;
		}
		if (!l->depth && ends_value(c))
			return i;
		l->in_string = c == '"';
		l->values += precedes_value(c);
		l->depth += opens(c);
		l->depth -= closes(c);
	}
	return n;
}

static struct err too_long(const char *what, size_t most)
{
	return err_new(ERR_TOO_LARGE, "%s is longer than %zu bytes", what, most);
}

static struct err take_item(struct json_list *l, const char *bytes, size_t n, size_t *used)
{
	*used = inside(l, bytes, n);
	str_add_bytes(&l->item, bytes, *used);
	if (l->item.len > l->config.max_item_bytes)
		return too_long("an item of the list", l->config.max_item_bytes);
	if (l->config.max_item_values && l->values > l->config.max_item_values)
		return err_new(ERR_TOO_LARGE, "an item of the list has more than %zu values",
			l->config.max_item_values);
	if (*used == n)
		return OK;
	l->place = AFTER;
	return give_item(l);
}

/* Handles a byte between two items, or between an item and a bracket. */
static struct err take_between(struct json_list *l, char c)
{
	if (is_space(c))
		return OK;
	if (c == ']' && l->place != NEXT) {
		l->place = BEHIND;
		str_add_bytes(&l->around, &c, 1);
	} else if (l->place == AFTER && c == ',') {
		l->place = NEXT;
	} else {
		return err_new(ERR_INVALID,
			"not JSON: a comma or the end of the array is missing at byte %zu",
			l->read);
	}
	return OK;
}

static bool begins_item(const struct json_list *l, char c)
{
	return (l->place == FIRST && c != ']' && !is_space(c)) ||
		(l->place == NEXT && !is_space(c));
}

/* ---- the text around ---- */

static void end_string(struct json_list *l)
{
	const char *name = str_text(&l->around) + l->name_at;
	size_t n = strlen(l->config.key);
	l->in_string = false;
	if (l->is_name)
		l->is_key = l->around.len - l->name_at == n + 2 &&
			memcmp(name + 1, l->config.key, n) == 0;
}

static void in_string(struct json_list *l, char c)
{
	if (c == '"' && !l->escaped)
		end_string(l);
	l->whole |= c == '\\' && l->is_name; /* it may be the key, written with escapes */
	l->escaped = !l->escaped && c == '\\';
}

/* Handles a byte before the array, which is already in around. */
static void before(struct json_list *l, char c)
{
	bool is_value = l->value_next;
	if (l->in_string) {
		in_string(l, c);
		return;
	}
	if (is_space(c))
		return;
	if (is_value && c == '[') {
		l->place = FIRST;
		l->depth = 0;
		return;
	}
	l->value_next = c == ':' && l->depth == 1 && l->is_key;
	l->in_string = c == '"';
	l->is_name = c == '"' && l->name_next;
	l->is_key = false;
	l->name_at = l->around.len - 1;
	l->depth += opens(c);
	l->depth -= closes(c) && l->depth;
	l->name_next = l->depth == 1 && (c == '{' || c == ',');
	/* The root is not an object, or its member is not an array */
	l->whole |= is_value || (l->depth == 1 && c == '[');
}

static struct err take_around(struct json_list *l, const char *bytes, size_t n, size_t *used)
{
	if (l->place == BEHIND || l->whole) {
		str_add_bytes(&l->around, bytes, n);
		*used = n;
	} else {
		for (*used = 0; *used < n && l->place == BEFORE && !l->whole; ++*used) {
			str_add_bytes(&l->around, bytes + *used, 1);
			before(l, bytes[*used]);
		}
	}
	return l->around.len > l->config.max_rest_bytes
		? too_long("the text around the list", l->config.max_rest_bytes)
		: OK;
}

/* ---- a piece ---- */

static struct err list_read(struct json_list *l, const char *bytes, size_t n, size_t *used)
{
	if (l->place == BEFORE || l->place == BEHIND)
		return take_around(l, bytes, n, used);
	if (begins_item(l, *bytes)) {
		l->place = INSIDE;
		l->item_at = l->read;
		l->values = 0;
	}
	if (l->place == INSIDE)
		return take_item(l, bytes, n, used);
	*used = 1;
	return take_between(l, *bytes);
}

struct err json_list_add(struct json_list *l, const char *bytes, size_t n)
{
	size_t used;
	if (!failed(l->err) && n > l->config.max_bytes - l->read)
		l->err = too_long("the list", l->config.max_bytes);
	for (; n && !failed(l->err); bytes += used, n -= used) {
		l->err = list_read(l, bytes, n, &used);
		l->read += used;
	}
	return l->err;
}

static void give_found(const struct json_list *l, const struct json *root)
{
	const struct json *list = json_get(root, l->config.key);
	for (struct json_iter it = json_iter(json_is_arr(list) ? list : NULL); json_next(&it);)
		l->config.item(l->config.ctx, it.value);
}

struct err json_list_end(struct json_list *l, struct json_doc **rest)
{
	*rest = NULL;
	if (!failed(l->err) && l->place != BEFORE && l->place != BEHIND)
		l->err = err_new(ERR_INVALID, "not JSON: the array has no end");
	if (failed(l->err))
		return l->err;
	l->err = json_parse(str_text(&l->around), l->around.len, SIZE_MAX, rest);
	if (l->place == BEFORE)
		give_found(l, json_root(*rest));
	else if (failed(l->err))
		l->err = err_wrap(l->err, "around the list \"%s\"", l->config.key);
	return l->err;
}

struct err json_parse_items(const char *text, size_t n, size_t max_bytes, const char *key,
	json_item_fn *item, void *ctx, struct json_doc **rest)
{
	struct json_list *l = json_list_new(&(struct json_list_config){
		.key = key,
		.max_bytes = max_bytes,
		.max_item_bytes = SIZE_MAX,
		.max_rest_bytes = SIZE_MAX,
		.cuts = true,
		.item = item,
		.ctx = ctx,
	});
	(void)json_list_add(l, text, n);
	struct err e = json_list_end(l, rest);
	json_list_free(l);
	return e;
}
