/* SPDX-License-Identifier: Apache-2.0 */
/* The token of a link: read from its Secret, or made of the key there. */
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"
#include "slurm/rest/mint.h"
#include "slurm/rest/token.h"

enum {
	KEYS_SHOWN = 5,
	/* lifetime of a token that is made; it is replaced after half of it */
	TOKEN_LIFE_MS = 900000,
	SECRET_READ_MS = 8000,
	TOKEN_MOST_BYTES = 65536, /* each request carries it in a header */
};

#define KEY_MEMBER "jwt_hs256.key"

static void take(struct slurm_link *l, char *token)
{
	own_wipe(l->token);
	l->token = token;
	l->fact.token_begins_s = l->fact.token_ends_s = 0;
	token_times(token, &l->fact.token_begins_s, &l->fact.token_ends_s);
}

void link_pass_drop(struct slurm_link *l)
{
	take(l, NULL);
	own_wipe(TAKE(l->key));
	own_wipe(TAKE(l->key_before));
	free(TAKE(l->token_users));
	l->key_taken = false;
}

char *link_secret_text(const struct json *secret, const char *member)
{
	const char *text = json_str(json_at(secret, "data", member), NULL);
	char *bytes = NULL;
	size_t n;
	return text && base64_decode(text, strlen(text), &bytes, &n) ? bytes : NULL;
}

struct http_call *link_secret_read(struct slurm_link *l, const char *name, kube_done *done,
	void *ctx)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct kube_request request = {
		.method = "GET",
		.path = resource_path(&a, RES_SECRET, l->ns, name, NULL),
		.timeout_ms = SECRET_READ_MS,
		.secret = true,
	};
	return kube_send(l->config.kube, &request, done, ctx);
}

/* Adds "; its keys are: a, b": only names, never values. */
static void add_keys(struct str *out, const struct json *data)
{
	size_t n = json_count(data);
	struct json_iter it = json_iter(data);
	str_add(out, n ? "; its keys are: " : "; it has no keys");
	for (size_t i = 0; i < KEYS_SHOWN && json_next(&it); i++) {
		str_add(out, i ? ", " : "");
		str_add_foreign(out, it.key, 60);
	}
	if (n > KEYS_SHOWN)
		str_addf(out, " and %zu more", n - KEYS_SHOWN);
}

static struct err lacks(const struct slurm_link *l, const struct json *secret, const char *member,
	const char *what)
{
	struct str why AUTO(str_free) = { 0 };
	str_addf(&why, "Secret %s/%s has no key \"%s\" with %s in it", l->ns, l->secret_name,
		member, what);
	add_keys(&why, json_get(secret, "data"));
	return err_new(ERR_INVALID, "%s", str_text(&why));
}

/* ---- a token from the Secret ---- */

static struct err read_token(struct slurm_link *l, const struct json *secret, bool *another)
{
	AUTO(own_wipe_at) char *token = link_secret_text(secret, TOKEN_MEMBER);
	if (str_empty(token))
		return lacks(l, secret, TOKEN_MEMBER, "a token");
	if (strlen(token) > TOKEN_MOST_BYTES)
		return err_new(ERR_INVALID,
			"the token in key \"" TOKEN_MEMBER
			"\" of Secret %s/%s has %zu bytes, and must have %d at most",
			l->ns, l->secret_name, strlen(token), TOKEN_MOST_BYTES);
	*another = !str_eq(token, l->token);
	take(l, TAKE(token));
	return OK;
}

/* ---- a token that is made ---- */

static struct err mint(const struct slurm_link *l, const char *key, char **token)
{
	return token_mint(key, l->user, loop_wall_ms(l->config.loop) / 1000, TOKEN_LIFE_MS / 1000,
		token);
}

static struct err make(struct slurm_link *l, const char *key)
{
	char *token = NULL;
	struct err e = mint(l, key, &token);
	if (failed(e))
		return err_wrap(e, "the key \"" KEY_MEMBER "\" of Secret %s/%s cannot be used",
			l->ns, l->secret_name);
	take(l, token);
	l->made_ms = loop_wall_ms(l->config.loop);
	return OK;
}

void link_pass_renew(struct slurm_link *l)
{
	int64_t age_ms = loop_wall_ms(l->config.loop) - l->made_ms;
	if (!l->key || (age_ms >= 0 && age_ms < TOKEN_LIFE_MS / 2) || failed(make(l, l->key)))
		return;
	if (l->slurm)
		slurm_renew_token(l->slurm, l->token);
}

bool link_pass_refused(const struct slurm_link *l)
{
	bool up = l->fact.health == SLURM_UP;
	return l->fact.checked && (l->fact.health == SLURM_DENIED || (!up && l->lists_refused));
}

/*
 * While Slurm refuses tokens, the key that it accepted last and the key of the Secret are
 * tried in turn. A Slurm that is away does not refuse: it may come back with the former
 * key.
 */
static const char *next_key(const struct slurm_link *l, const char *key)
{
	if (l->key && !link_pass_refused(l))
		return l->key;
	return l->key_before && str_eq(key, l->key) ? l->key_before : key;
}

static struct err use_key(struct slurm_link *l, const char *key)
{
	char *copy = own_strdup(key);
	struct err e = make(l, copy);
	if (failed(e)) {
		own_wipe(copy);
		return e;
	}
	if (l->key_taken) {
		own_wipe(l->key_before);
		l->key_before = TAKE(l->key);
	}
	own_wipe(l->key);
	l->key = copy;
	l->key_taken = l->lists_refused = false;
	return OK;
}

/*
 * Reports a new key that is not valid. A Slurm that restarts with this key would refuse
 * all tokens of the former key.
 */
static void check_new_key(struct slurm_link *l, const char *key)
{
	AUTO(own_wipe_at) char *token = NULL;
	struct err e = mint(l, key, &token);
	if (!failed(e))
		return;
	e = err_new(e.kind,
		"but the new key \"" KEY_MEMBER "\" of Secret %s/%s cannot be used: %.200s", l->ns,
		l->secret_name, e.text);
	memcpy(l->secret_trouble, e.text, sizeof(l->secret_trouble));
}

/*
 * Slurm reads its key only when it starts. So the former key is used while Slurm accepts
 * its tokens, and the new key is used after the first refusal.
 */
static struct err read_key(struct slurm_link *l, const struct json *secret, bool *another)
{
	const char *key = json_str(json_at(secret, "data", KEY_MEMBER), "");
	if (str_empty(key))
		return lacks(l, secret, KEY_MEMBER, "the JWT key of Slurm");
	const char *next = next_key(l, key);
	*another = !str_eq(next, l->key);
	if (*another)
		return use_key(l, next);
	if (!str_eq(key, l->key))
		check_new_key(l, key);
	link_pass_renew(l);
	return OK;
}

struct err link_pass_read(struct slurm_link *l, const struct json *secret, bool *another)
{
	struct err e = l->user ? read_key(l, secret, another) : read_token(l, secret, another);
	if (!failed(e) && *another && l->slurm)
		slurm_set_token(l->slurm, l->token);
	return e;
}
