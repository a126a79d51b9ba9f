/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a value as the API server does: like Go's encoding/json for maps. Numbers are
 * 64-bit integers or doubles, as in Kubernetes. Decoding the text and encoding it again
 * gives the same bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"

static void write_value(struct arena *a, struct str *s, yyjson_mut_val *v);

/*
 * Escapes the characters that JSON requires, and those that HTML or JavaScript would
 * interpret.
 */
static const char *escape(unsigned char c)
{
	static const char *const rows[] = {
		['"'] = "\\\"",
		['\\'] = "\\\\",
		['\b'] = "\\b",
		['\f'] = "\\f",
		['\n'] = "\\n",
		['\r'] = "\\r",
		['\t'] = "\\t",
		['<'] = "\\u003c",
		['>'] = "\\u003e",
		['&'] = "\\u0026",
	};
	return c < LENGTH(rows) ? rows[c] : NULL;
}

static void write_string(struct str *s, const char *text, size_t n)
{
	str_add(s, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		bool line_end = n - i >= 3 && memcmp(text + i, "\xe2\x80", 2) == 0 &&
			(text[i + 2] == '\xa8' || text[i + 2] == '\xa9');
		if (escape(c))
			str_add(s, escape(c));
		else if (c < 0x20)
			str_addf(s, "\\u%04x", c);
		else if (line_end)
			str_add(s, text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029");
		else
			str_add_bytes(s, &text[i], 1);
		i += line_end ? 2 : 0;
	}
	str_add(s, "\"");
}

/* Prints "1.5e+09" with the fewest digits that give the same number back. */
static int shortest(char out[32], double v)
{
	int digits = 1;
	for (; digits < 17; digits++) {
		snprintf(out, 32, "%.*e", digits - 1, v);
		if (!(strtod(out, NULL) < v) && !(strtod(out, NULL) > v))
			return digits;
	}
	snprintf(out, 32, "%.*e", digits - 1, v);
	return digits;
}

/* Prints an exponent only for very large and very small numbers. */
static void write_double(struct str *s, double v)
{
	char text[32], *e;
	int digits = shortest(text, v);
	e = strchr(text, 'e');
	long exponent = strtol(e + 1, NULL, 10);
	if (fpclassify(v) == FP_ZERO) {
		str_add(s, "0"); /* minus zero does not survive decoding */
	} else if (fabs(v) < 1e-6 || fabs(v) >= 1e21) {
		str_add_bytes(s, text, (size_t)(e - text));
		str_addf(s, "e%c%ld", exponent < 0 ? '-' : '+', labs(exponent));
	} else if (exponent < digits - 1) {
		str_addf(s, "%.*f", (int)(digits - 1 - exponent), v);
	} else {
		for (const char *p = text; p < e; p++)
			if (*p != '.')
				str_add_bytes(s, p, 1);
		for (long zeros = exponent - digits + 1; zeros > 0; zeros--)
			str_add(s, "0");
	}
}

static void write_number(struct str *s, yyjson_mut_val *v)
{
	if (yyjson_mut_is_sint(v))
		str_addf(s, "%lld", (long long)yyjson_mut_get_sint(v));
	else if (yyjson_mut_is_uint(v) && yyjson_mut_get_uint(v) <= INT64_MAX)
		str_addf(s, "%llu", (unsigned long long)yyjson_mut_get_uint(v));
	else
		write_double(s, yyjson_mut_get_num(v));
}

static void write_array(struct arena *a, struct str *s, yyjson_mut_val *v)
{
	size_t i, n;
	yyjson_mut_val *item;
	str_add(s, "[");
	yyjson_mut_arr_foreach(v, i, n, item)
	{
		str_add(s, i ? "," : "");
		write_value(a, s, item);
	}
	str_add(s, "]");
}

struct member {
	const char *key;
	size_t n;
	yyjson_mut_val *value;
};

static int by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int first = memcmp(x->key, y->key, x->n < y->n ? x->n : y->n);
	return first ? first : (x->n > y->n) - (x->n < y->n);
}

static void write_object(struct arena *a, struct str *s, yyjson_mut_val *v)
{
	size_t i, n;
	yyjson_mut_val *key, *item;
	struct member *members = arena_array(a, struct member, yyjson_mut_obj_size(v) + 1);
	yyjson_mut_obj_foreach(v, i, n, key, item)
	{
		members[i] = (struct member){ yyjson_mut_get_str(key), yyjson_mut_get_len(key),
			item };
	}
	qsort(members, n, sizeof(*members), by_key);
	str_add(s, "{");
	for (i = 0; i < n; i++) {
		str_add(s, i ? "," : "");
		write_string(s, members[i].key, members[i].n);
		str_add(s, ":");
		write_value(a, s, members[i].value);
	}
	str_add(s, "}");
}

static void write_value(struct arena *a, struct str *s, yyjson_mut_val *v)
{
	if (yyjson_mut_is_obj(v))
		write_object(a, s, v);
	else if (yyjson_mut_is_arr(v))
		write_array(a, s, v);
	else if (yyjson_mut_is_str(v))
		write_string(s, yyjson_mut_get_str(v), yyjson_mut_get_len(v));
	else if (yyjson_mut_is_num(v))
		write_number(s, v);
	else
		str_add(s,
			yyjson_mut_is_bool(v) ? yyjson_mut_get_bool(v) ? "true" : "false" : "null");
}

const char *j_text_canonical(struct arena *a, const struct jval *v)
{
	AUTO(str_free) struct str s = { 0 };
	write_value(a, &s, (yyjson_mut_val *)(uintptr_t)v);
	return arena_strdup(a, str_text(&s));
}
