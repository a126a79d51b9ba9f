/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the times of a token, and finds its flaws. */
#include "slurm/rest/token.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/time.h"
#include "json/json.h"

enum { MOST_BYTES = 16384 };

#define PREFIX "SLURM_JWT="

/*
 * The decoded claims: the second of three parts with dots between them. NULL: no such
 * part.
 */
static char *claims_of(const char *token)
{
	const char *from = strchr(token, '.'), *to = from ? strchr(from + 1, '.') : NULL;
	if (!to || strchr(to + 1, '.') || to - from > MOST_BYTES)
		return NULL;
	struct str text = { 0 };
	for (const char *p = from + 1; p < to; p++)
		str_add_bytes(&text, *p == '-' ? "+" : *p == '_' ? "/" : p, 1);
	while (text.len % 4)
		str_add(&text, "=");
	char *bytes = NULL;
	size_t n = 0;
	if (!base64_decode(str_text(&text), text.len, &bytes, &n))
		bytes = NULL;
	str_free(&text);
	return bytes;
}

static void say(struct str *why, const char *text)
{
	if (why)
		str_add(why, text);
}

static enum token_flaw look_at_claims(const char *claims, int64_t now_s, struct str *why)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	char when[TIME_RFC3339_BYTES];
	if (failed(json_parse(claims, strlen(claims), MOST_BYTES, &doc)))
		return TOKEN_NO_JWT;
	int64_t end_s = json_i64(json_get(json_root(doc), "exp"), INT64_MAX);
	if (end_s < 0 || end_s > now_s)
		return TOKEN_FINE;
	time_format(end_s * 1000, when);
	say(why, "it expired at ");
	say(why, when);
	return TOKEN_EXPIRED;
}

bool token_times(const char *token, int64_t *begins_s, int64_t *ends_s)
{
	AUTO(own_free) char *claims = claims_of(token ? token : "");
	AUTO(json_auto) struct json_doc *doc = NULL;
	if (!claims || failed(json_parse(claims, strlen(claims), MOST_BYTES, &doc)))
		return false;
	int64_t iat = json_i64(json_get(json_root(doc), "iat"), -1);
	int64_t exp = json_i64(json_get(json_root(doc), "exp"), -1);
	if (iat < 0 || exp < iat)
		return false;
	*begins_s = iat;
	*ends_s = exp;
	return true;
}

enum token_flaw token_look(const char *token, int64_t now_s, struct str *why)
{
	if (str_has_prefix(token, PREFIX)) {
		say(why,
			"it begins with \"" PREFIX
			"\", as scontrol token prints it: store only the text after that");
		return TOKEN_PREFIXED;
	}
	AUTO(own_free) char *claims = claims_of(token ? token : "");
	enum token_flaw flaw = claims ? look_at_claims(claims, now_s, why) : TOKEN_NO_JWT;
	if (flaw == TOKEN_NO_JWT)
		say(why,
			"it is not a JWT (three parts with dots between them) such as scontrol token prints");
	return flaw;
}
