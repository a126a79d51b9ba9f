/* SPDX-License-Identifier: Apache-2.0 */
/* Status line, and the few headers that matter. */
#include "net/http_head.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"

enum { HEAD_BYTES = 32 << 10, STATUS_AT = 9, RETRY_MOST_S = 3600 };

static struct err no_http(void)
{
	return err_new(ERR_INVALID, "the peer does not answer in HTTP/1");
}

/* "HTTP/1.1 200 OK" */
static struct err read_status(struct http_head *h, const char *line)
{
	int64_t status;
	if (!str_has_prefix(line, "HTTP/1.") || strlen(line) < STATUS_AT + 3 ||
		line[STATUS_AT - 1] != ' ')
		return no_http();
	AUTO(own_free) char *digits = own_strndup(line + STATUS_AT, 3);
	if (!str_to_i64(digits, 100, 599, &status) ||
		(line[STATUS_AT + 3] && line[STATUS_AT + 3] != ' '))
		return no_http();
	h->status = (int)status;
	return OK;
}

/* The value of a line "Name: value", without what is around it; NULL: it is another. */
static const char *value_of(char *line, const char *name)
{
	size_t n = strlen(name);
	if (strncasecmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	char *value = line + n + 1;
	value += strspn(value, " \t");
	for (size_t end = strlen(value); end && strchr(" \t", value[end - 1]);)
		value[--end] = '\0';
	return value;
}

static struct err read_header(struct http_head *h, char *line)
{
	int64_t number;
	const char *value;
	if ((value = value_of(line, "Content-Length"))) {
		bool is = str_to_i64(value, 0, INT64_MAX, &number);
		if (!is || (h->body_bytes >= 0 && h->body_bytes != number))
			return err_new(ERR_INVALID, "an answer whose Content-Length is no number");
		h->body_bytes = number;
	} else if ((value = value_of(line, "Transfer-Encoding"))) {
		if (strcasecmp(value, "identity") != 0)
			return err_new(ERR_INVALID,
				"an answer in chunks, which HTTP/1.0 does not have");
	} else if ((value = value_of(line, "Retry-After"))) {
		if (str_to_i64(value, 0, RETRY_MOST_S, &number))
			h->retry_after_ms = number * 1000;
	}
	return OK;
}

static struct err read_head(struct http_head *h, char *text)
{
	struct err e = OK;
	bool first = true;
	h->body_bytes = h->retry_after_ms = -1;
	for (char *next; !failed(e) && *text; text = next) {
		next = strchrnul(text, '\n');
		next += *next ? 1 : 0;
		text[strcspn(text, "\r\n")] = '\0';
		e = first ? read_status(h, text) : read_header(h, text);
		first = false;
	}
	if (!failed(e) && (h->status < 200 || h->status == 204 || h->status == 304))
		h->body_bytes = 0;
	h->whole = !failed(e);
	return e;
}

/* Behind the empty line; 0: it has not come. */
static size_t end_of(const struct str *s)
{
	const char *text = str_text(s);
	const char *a = memmem(text, s->len, "\r\n\r\n", 4), *b = memmem(text, s->len, "\n\n", 2);
	if (a && (!b || a < b))
		return (size_t)(a - text) + 4;
	return b ? (size_t)(b - text) + 2 : 0;
}

struct err http_head_take(struct http_head *h, const char *bytes, size_t n, size_t *used)
{
	size_t had = h->text.len, take = n < HEAD_BYTES - had ? n : HEAD_BYTES - had;
	str_add_bytes(&h->text, bytes, take);
	*used = take;
	size_t end = end_of(&h->text);
	if (!end && strncmp(str_text(&h->text), "HTTP/1.", h->text.len < 7 ? h->text.len : 7) != 0)
		return no_http();
	if (!end && h->text.len == HEAD_BYTES)
		return err_new(ERR_INVALID, "an answer whose head has more than %d bytes",
			HEAD_BYTES);
	if (!end)
		return OK;
	*used = end - had;
	h->text.text[end] = '\0';
	h->text.len = end;
	if (strlen(h->text.text) != end)
		return no_http();
	return read_head(h, h->text.text);
}
