/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the token of clients from a file. */
#include "exporter/scrapers.h"

#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "exporter/token.h"
#include "net/files.h"
#include "net/secret.h"

enum { RELOAD_MS = 5000 };

struct scrapers {
	char *path;
	struct str token;
	struct file_watch *watch;
};

/* The characters of a token, by RFC 6750. */
static const char of_tokens[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=";

static struct err take(struct scrapers *s)
{
	AUTO(str_wipe) struct str token = { 0 };
	struct err e = exporter_read_token(s->path, &token);
	if (failed(e))
		return e;
	if (str_empty(token.text) || token.text[strspn(token.text, of_tokens)])
		return err_new(ERR_INVALID,
			"%s has no token for clients: a token has only letters, digits and -._~+/=",
			s->path);
	str_wipe(&s->token);
	s->token = token;
	token = (struct str){ 0 };
	return OK;
}

static bool changed(void *ctx, bool again)
{
	struct scrapers *s = ctx;
	struct err e = take(s);
	if (!failed(e))
		log_info("the token of clients is read again", "file", s->path);
	else if (!again)
		log_warn("the token of clients stays as it was", "why", e.text);
	return !failed(e);
}

struct err scrapers_new(struct loop *l, const char *path, struct scrapers **out)
{
	struct scrapers *s = own_alloc(sizeof(*s));
	s->path = own_strdup(path);
	*out = s;
	struct err e = take(s);
	if (!failed(e))
		s->watch = file_watch_start(l, &path, 1, RELOAD_MS, changed, s);
	return failed(e) ? err_wrap(e, "--scrape-token-file") : OK;
}

bool scrapers_permit(const struct scrapers *s, const char *authorization)
{
	const char *token = bearer_of(authorization);
	return token && secret_same(str_text(&s->token), token);
}

void scrapers_free(struct scrapers *s)
{
	if (!s)
		return;
	file_watch_stop(s->watch);
	str_wipe(&s->token);
	free(s->path);
	free(s);
}
