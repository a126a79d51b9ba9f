/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that begin with a shared text. */
#include <stdlib.h>

#include "base/own.h"
#include "net/server_parts.h"

struct http_shared {
	char *text;
	size_t bytes;
	size_t users; /* its maker, and each answer not sent yet */
};

struct http_shared *http_shared_new(struct str *text)
{
	struct http_shared *s = own_alloc(sizeof(*s));
	s->bytes = text->len;
	s->text = str_take(text);
	s->users = 1;
	return s;
}

const char *http_shared_text(const struct http_shared *s, size_t *bytes)
{
	*bytes = s ? s->bytes : 0;
	return s ? s->text : "";
}

struct http_shared *http_shared_join(struct http_shared *s)
{
	s->users++;
	return s;
}

void http_shared_leave(struct http_shared *s)
{
	if (!s || --s->users)
		return;
	free(s->text);
	free(s);
}

bool http_shared_is_read(const struct http_shared *s) { return s && s->users > 1; }

/* The memory that an answer keeps until it is sent. */
struct parts {
	struct http_shared *shared;
	char *rest;
};

static void parts_free(void *ctx)
{
	struct parts *p = ctx;
	http_shared_leave(p->shared);
	free(p->rest);
	free(p);
}

void exchange_reply_shared(struct exchange *x, int status, const char *type,
	struct http_shared *shared, struct str *rest)
{
	struct parts *p = own_alloc(sizeof(*p));
	struct MHD_IoVec parts[2];
	unsigned n = 0;
	if (shared && shared->bytes)
		parts[n++] = (struct MHD_IoVec){ shared->text, shared->bytes };
	if (rest->len)
		parts[n++] = (struct MHD_IoVec){ rest->text, rest->len };
	p->shared = shared;
	if (shared)
		shared->users++;
	p->rest = str_take(rest);
	exchange_respond(x, status, type, MHD_create_response_from_iovec(parts, n, parts_free, p));
}
