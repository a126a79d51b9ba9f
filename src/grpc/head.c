/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a call: parsed, checked, and matched with the table of methods. */
#include "grpc/head.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"

enum {
	HTTP_OK = 200,
	HTTP_BAD_REQUEST = 400,
	HTTP_BAD_METHOD = 405,
	HTTP_BAD_TYPE = 415,
	HEADER_COSTS = 32, /* RFC 9113 10.5.1: overhead of each header in addition to its bytes */
	MESSAGE_BYTES = 2000,
};

/* The headers that are used. */
static const struct {
	const char *name;
	size_t at;
} kept[] = {
	{ ":method", offsetof(struct head, method) },
	{ ":path", offsetof(struct head, path) },
	{ "content-type", offsetof(struct head, content_type) },
	{ "te", offsetof(struct head, te) },
	{ "grpc-timeout", offsetof(struct head, timeout) },
	{ HEAD_AUDIENCE, offsetof(struct head, audience) },
	{ ":status", offsetof(struct head, http) },
	{ "grpc-status", offsetof(struct head, status) },
	{ "grpc-message", offsetof(struct head, message) },
};

void head_add(struct head *h, const void *name, size_t name_bytes, const void *value,
	size_t value_bytes)
{
	h->bytes += name_bytes + value_bytes + HEADER_COSTS;
	if (h->bytes > HEAD_MOST_BYTES)
		return;
	for (size_t i = 0; i < LENGTH(kept); i++) {
		if (strlen(kept[i].name) != name_bytes || memcmp(kept[i].name, name, name_bytes))
			continue;
		struct str *s = (struct str *)(void *)((char *)h + kept[i].at);
		h->spoiled = h->spoiled || s->text || memchr(value, 0, value_bytes);
		str_clear(s);
		str_reserve(s, 1); /* text is not NULL even for an empty value */
		str_add_bytes(s, value, value_bytes);
	}
}

void head_free(struct head *h)
{
	for (size_t i = 0; i < LENGTH(kept); i++)
		str_free((struct str *)(void *)((char *)h + kept[i].at));
}

/* ---- grpc-timeout ---- */

/* The units, as fractions of milliseconds. */
static const struct {
	char unit;
	int64_t times, over;
} units[] = {
	{ 'H', 3600000, 1 },
	{ 'M', 60000, 1 },
	{ 'S', 1000, 1 },
	{ 'm', 1, 1 },
	{ 'u', 1, 1000 },
	{ 'n', 1, 1000000 },
};

/* Parses up to eight digits and a unit; rounds up. */
static bool parse_timeout(const char *text, int64_t *ms)
{
	enum { MOST_DIGITS = 8 };
	size_t digits = strspn(text, "0123456789");
	int64_t number = 0;
	if (digits == 0 || digits > MOST_DIGITS || strlen(text) != digits + 1)
		return false;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (text[i] - '0');
	for (size_t i = 0; i < LENGTH(units); i++) {
		if (units[i].unit != text[digits])
			continue;
		*ms = (number * units[i].times + units[i].over - 1) / units[i].over;
		return true;
	}
	return false;
}

int64_t head_timeout_ms(const struct head *h)
{
	int64_t ms = INT64_MAX;
	if (h->timeout.text)
		parse_timeout(str_text(&h->timeout), &ms);
	return ms;
}

int head_number(const struct str *value, int most)
{
	int64_t n;
	return str_to_i64(str_text(value), 0, most, &n) ? (int)n : -1;
}

/* ---- checks of a call ---- */

static bool is_post(const struct head *h) { return str_eq(str_text(&h->method), "POST"); }

/* Whether content-type is application/grpc, with or without +proto and parameters. */
bool head_is_grpc(const struct head *h)
{
	static const char grpc[] = "application/grpc", proto[] = "+proto";
	const char *rest = str_text(&h->content_type);
	if (strncasecmp(rest, grpc, strlen(grpc)) != 0)
		return false;
	rest += strlen(grpc);
	if (strncasecmp(rest, proto, strlen(proto)) == 0)
		rest += strlen(proto);
	return !*rest || *rest == ';' || *rest == ' ';
}

/*
 * Whether the header te allows trailers: with it, a proxy in between shows that it
 * forwards trailers. A unix socket has no proxy in between, so a call without te is
 * accepted.
 */
static bool takes_trailers(const struct head *h)
{
	return !h->te.text || strcasecmp(str_text(&h->te), "trailers") == 0;
}

static bool has_timeout(const struct head *h)
{
	int64_t ms;
	return !h->timeout.text || parse_timeout(str_text(&h->timeout), &ms);
}

static bool is_small(const struct head *h) { return h->bytes <= HEAD_MOST_BYTES; }

static bool is_whole(const struct head *h) { return !h->spoiled; }

/* The requirements of each call; the first violation is reported. */
static const struct {
	bool (*holds)(const struct head *h);
	int http;
	enum grpc_status status;
	const char *text;
} rules[] = {
	{ is_small, HTTP_OK, GRPC_RESOURCE_EXHAUSTED, "the headers have more than 16384 bytes" },
	{ is_whole, HTTP_BAD_REQUEST, GRPC_INTERNAL, "a header occurs twice, or has a NUL byte" },
	{ is_post, HTTP_BAD_METHOD, GRPC_INTERNAL, "the HTTP method should be POST" },
	{ head_is_grpc, HTTP_BAD_TYPE, GRPC_INTERNAL,
		"content-type should be application/grpc or application/grpc+proto" },
	{ takes_trailers, HTTP_BAD_REQUEST, GRPC_INTERNAL, "te should be trailers" },
	{ has_timeout, HTTP_BAD_REQUEST, GRPC_INTERNAL,
		"grpc-timeout should be up to eight digits and one of H, M, S, m, u, n" },
};

bool head_judge(const struct head *h, struct refusal *why)
{
	for (size_t i = 0; i < LENGTH(rules); i++) {
		if (rules[i].holds(h))
			continue;
		why->http = rules[i].http;
		why->status = rules[i].status;
		str_add(&why->text, rules[i].text);
		return false;
	}
	return true;
}

/* ---- the method ---- */

static bool has_service(const struct grpc_method *methods, const char *path, size_t n)
{
	for (const struct grpc_method *m = methods; m->path; m++)
		if (strncmp(m->path, path, n) == 0)
			return true;
	return false;
}

/* The messages are those of grpc-go, which clients may parse. */
const struct grpc_method *head_method(const struct head *h, const struct grpc_method *methods,
	struct refusal *why)
{
	const char *path = str_text(&h->path), *slash = strrchr(path, '/');
	for (const struct grpc_method *m = methods; m->path; m++)
		if (str_eq(m->path, path))
			return m;
	why->http = HTTP_OK;
	why->status = GRPC_UNIMPLEMENTED;
	if (path[0] != '/' || slash == path)
		str_addf(&why->text, "malformed method name: \"%s\"", path);
	else if (has_service(methods, path, (size_t)(slash - path) + 1))
		str_addf(&why->text, "unknown method %s for service %.*s", slash + 1,
			(int)(slash - path - 1), path + 1);
	else
		str_addf(&why->text, "unknown service %.*s", (int)(slash - path - 1), path + 1);
	return NULL;
}

/* ---- the audience ---- */

bool head_is_for(const struct head *h, const char *const *names, struct refusal *why)
{
	if (!h->audience.text || !names)
		return true;
	for (const char *const *name = names; *name; name++)
		if (str_eq(str_text(&h->audience), *name))
			return true;
	why->http = HTTP_OK;
	why->status = GRPC_UNAVAILABLE;
	str_addf(&why->text, "the call is for %s, and this is %s", str_text(&h->audience),
		*names ? *names : "nobody");
	return false;
}

/* ---- grpc-message ---- */

void percent_encode(struct str *out, const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = strnlen(text, MESSAGE_BYTES + 1);
	if (n > MESSAGE_BYTES) /* do not cut a UTF-8 character */
		for (n = MESSAGE_BYTES; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
			n--;
	for (size_t i = 0, left = 0; i < n; i++) {
		left = left ? left : str_utf8(text + i); /* bytes left of the character */
		unsigned char c = left ? (unsigned char)text[i] : '?';
		left -= left > 0;
		const char escape[] = { '%', digits[c >> 4], digits[c & 15] };
		bool plain = c >= ' ' && c <= '~' && c != '%';
		str_add_bytes(out, plain ? (const char *)&c : escape, plain ? 1 : sizeof(escape));
	}
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* Decodes %XX; keeps any other text. */
void percent_decode(struct str *out, const char *text)
{
	AUTO(str_free) struct str plain = { 0 };
	for (const char *s = text; *s; s++) {
		int high = *s == '%' ? hex_digit(s[1]) : -1, low = high < 0 ? -1 : hex_digit(s[2]);
		char byte = low < 0 ? *s : (char)(high << 4 | low);
		str_add_bytes(&plain, byte ? &byte : " ", 1);
		s += low < 0 ? 0 : 2;
	}
	str_add_foreign(out, str_text(&plain), MESSAGE_BYTES);
}
