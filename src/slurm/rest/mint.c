/* SPDX-License-Identifier: Apache-2.0 */
/* Makes tokens. */
#include "slurm/rest/mint.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "net/mac.h"
#include "slurm/rest/token.h"

enum { KEY_LEAST_BYTES = 16, KEY_MOST_BYTES = 4096 };

static void add_part(struct str *out, const void *bytes, size_t n)
{
	AUTO(own_wipe_at) char *text = base64url_encode(bytes, n);
	str_add(out, out->len ? "." : "");
	str_add(out, text);
}

static void add_claims(struct str *out, const char *user, int64_t now_s, int64_t life_s)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *claims = j_obj(d);
	j_set(d, claims, "exp", j_int(d, now_s + life_s));
	j_set(d, claims, "iat", j_int(d, now_s));
	j_set_str(d, claims, "sun", user);
	const char *text = j_text(d, claims);
	add_part(out, text, strlen(text));
}

static struct err sign(struct str *out, const char *key, size_t key_bytes)
{
	unsigned char code[MAC_SHA256_BYTES];
	struct err e = mac_sha256(key, key_bytes, out->text, out->len, code);
	if (!failed(e))
		add_part(out, code, sizeof(code));
	return e;
}

static struct err check_length(size_t n)
{
	if (n < KEY_LEAST_BYTES)
		return err_new(ERR_INVALID, "it has %zu bytes, and must have %d at least", n,
			KEY_LEAST_BYTES);
	if (n > KEY_MOST_BYTES)
		return err_new(ERR_INVALID, "it has %zu bytes, and may have %d at most", n,
			KEY_MOST_BYTES);
	return OK;
}

struct err token_mint(const char *key, const char *user, int64_t now_s, int64_t life_s,
	char **token)
{
	static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
	char *bytes = NULL;
	size_t n = 0;
	if (!base64_decode(key, strlen(key), &bytes, &n))
		return err_new(ERR_INVALID, "it is not in base64");
	AUTO(str_wipe) struct str out = { 0 };
	add_part(&out, header, sizeof(header) - 1);
	add_claims(&out, user, now_s, life_s);
	struct err e = check_length(n);
	if (!failed(e))
		e = sign(&out, bytes, n);
	explicit_bzero(bytes, n);
	free(bytes);
	if (!failed(e))
		*token = own_strdup(str_text(&out));
	return e;
}

bool token_is_minted(const char *token, const char *key, const char *user, int64_t *begins_s,
	int64_t *ends_s)
{
	AUTO(own_wipe_at) char *ours = NULL;
	if (!token_times(token, begins_s, ends_s))
		return false;
	struct err e = token_mint(key, user, *begins_s, *ends_s - *begins_s, &ours);
	return !failed(e) && str_eq(ours, token);
}
