/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte string. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

void str_reserve(struct str *s, size_t extra)
{
	size_t need = s->len + extra + 1;
	if (need <= s->cap)
		return;
	size_t cap = s->cap ? s->cap : 64;
	while (cap < need)
		cap *= 2;
	s->text = own_realloc(s->text, cap);
	s->cap = cap;
	s->text[s->len] = '\0';
}

void str_add_bytes(struct str *s, const void *bytes, size_t n)
{
	str_reserve(s, n);
	if (n)
		memcpy(s->text + s->len, bytes, n);
	s->len += n;
	s->text[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	if (text)
		str_add_bytes(s, text, strlen(text));
}

void str_addf(struct str *s, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n > 0) {
		str_reserve(s, (size_t)n);
		vsnprintf(s->text + s->len, (size_t)n + 1, format, again);
		s->len += (size_t)n;
	}
	va_end(again);
}

void str_clear(struct str *s)
{
	s->len = 0;
	if (s->text)
		s->text[0] = '\0';
}

const char *str_text(const struct str *s) { return s->text ? s->text : ""; }

char *str_take(struct str *s)
{
	str_reserve(s, 0);
	s->text[s->len] = '\0';
	char *text = s->text;
	*s = (struct str){ 0 };
	return text;
}

void str_free(struct str *s)
{
	free(s->text);
	*s = (struct str){ 0 };
}

void str_wipe(struct str *s)
{
	if (s->text)
		explicit_bzero(s->text, s->len);
	str_free(s);
}

char *str_put(char *at, const char *end, const char *text)
{
	size_t n = strnlen(text, (size_t)(end - at) - 1);
	memcpy(at, text, n);
	at[n] = '\0';
	return at + n;
}

bool str_has_prefix(const char *s, const char *prefix)
{
	return strncmp(s ? s : "", prefix, strlen(prefix)) == 0;
}

size_t str_utf8(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] >= 0xc2 && p[0] <= 0xdf ? 2
		: (p[0] & 0xf0) == 0xe0         ? 3
		: p[0] >= 0xf0 && p[0] <= 0xf4  ? 4
						: 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* overlong encodings, surrogates, code points above U+10FFFF */
	bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
		(p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f);
	return bad ? 0 : n;
}

/* Prefixes of UTF-8 with two and three bytes; the last byte is from first to last. */
static const struct {
	const char *start;
	unsigned char first, last;
} controls[] = {
	{ "\xc2", 0x80, 0x9f },     /* U+0080 to U+009F: C1 */
	{ "\xe2\x80", 0xa8, 0xae }, /* U+2028 to U+202E: line ends, directions of writing */
	{ "\xe2\x81", 0xa6, 0xa9 }, /* U+2066 to U+2069: directions of writing */
};

bool str_is_control(const char *s)
{
	unsigned char c = (unsigned char)*s;
	for (size_t i = 0; i < LENGTH(controls); i++) {
		size_t n = strlen(controls[i].start);
		unsigned char end = strncmp(s, controls[i].start, n) == 0 ? (unsigned char)s[n] : 0;
		if (end >= controls[i].first && end <= controls[i].last)
			return true;
	}
	return (c && c < 0x20) || c == 0x7f;
}

void str_make_plain(char *text)
{
	char *to = text;
	for (size_t n; *text; text += n) {
		bool control = str_is_control(text);
		n = str_utf8(text) ? str_utf8(text) : 1;
		if (!control)
			memmove(to, text, n);
		else
			*to = ' ';
		to += control ? 1 : n;
	}
	*to = '\0';
}

void str_add_foreign(struct str *s, const char *text, size_t most)
{
	size_t used = 0;
	for (size_t n; text && *text; text += n ? n : 1) {
		bool plain = (n = str_utf8(text)) && !str_is_control(text);
		used += plain ? n : 1;
		if (used > most) {
			str_add(s, "...");
			return;
		}
		str_add_bytes(s, plain ? text : " ", plain ? n : 1);
	}
}

bool str_to_i64(const char *s, int64_t min, int64_t max, int64_t *out)
{
	bool minus = s && *s == '-';
	const char *at = minus ? s + 1 : s;
	int64_t value = 0;
	if (str_empty(at) || (*at == '0' && (at[1] || minus)))
		return false;
	/* A plan parses ten thousand pod names: strtoll would be slow. */
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, minus ? '0' - *at : *at - '0', &value))
			return false;
	if (*at || value < min || value > max)
		return false;
	*out = value;
	return true;
}

void str_add_code_list(struct str *s, const char *list)
{
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");
		str_addf(s, "%s`%.*s`", at == list ? "" : ", ", (int)n, at);
		at += n + (at[n] == ',');
	}
}
