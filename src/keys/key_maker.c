/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, creates and patches Secrets, one request at a time. */
#include "keys/key_maker.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "net/key.h"

enum { REQUEST_MS = 10000, AGAIN_MS = 1000, PATIENCE_MS = 120000 };

struct key_maker {
	const struct key_maker_config *config;
	struct http_call *call;
	struct timer *timer;
	size_t at;                  /* index of the Secret in wishes */
	struct secret_step written; /* the step of the Secret */
	int64_t succeeded_ms;       /* when the last Secret was completed */
	char said[ERR_TEXT_BYTES];  /* the failure that was logged last */
};

static void look(void *ctx);

static const struct secret_wish *wish_of(const struct key_maker *m)
{
	return &m->config->wishes->of[m->at];
}

static void send(struct key_maker *m, struct kube_request *r, kube_done *done)
{
	r->secret = true;
	r->timeout_ms = r->max_wait_ms = REQUEST_MS;
	m->call = kube_send(m->config->kube, r, done, m);
}

static void again_in(struct key_maker *m, int64_t ms)
{
	m->timer = timer_start(m->config->kube->loop, ms, look, m);
}

/*
 * Retries even a forbidden request: the Role of this process may be created a moment
 * later.
 */
static void fail(struct key_maker *m, struct err e)
{
	struct err told = err_wrap(e, "Secret %.253s", wish_of(m)->name);
	if (!str_eq(told.text, m->said))
		m->config->say(m->config->ctx, told.text);
	memcpy(m->said, told.text, sizeof(m->said));
	if (loop_now_ms(m->config->kube->loop) - m->succeeded_ms >= PATIENCE_MS)
		m->config->done(m->config->ctx, 1);
	else
		again_in(m, AGAIN_MS);
}

static void next(struct key_maker *m, const char *what)
{
	struct str line AUTO(str_free) = { 0 };
	str_addf(&line, "Secret %s: %s", wish_of(m)->name, what);
	m->config->say(m->config->ctx, str_text(&line));
	m->succeeded_ms = loop_now_ms(m->config->kube->loop);
	m->at++;
	if (m->at == m->config->wishes->n)
		m->config->done(m->config->ctx, 0);
	else
		look(m);
}

/* ---- keys ---- */

static struct err make_key(const struct key_wish *k, char **text)
{
	switch (k->sort) {
	case KEYS_TEXT:
		return key_text(k->length, text);
	case KEYS_ECDSA:
		return key_private(KEY_ECDSA, text);
	case KEYS_ED25519:
		return key_private(KEY_ED25519, text);
	case KEYS_RSA:
		return key_private(KEY_RSA, text);
	}
	return err_new(ERR_INTERNAL, "no such key");
}

static void wipe_all(char *(*values)[KEYS_EACH])
{
	for (size_t i = 0; i < KEYS_EACH; i++)
		own_wipe((*values)[i]);
}

static struct err make_missing(const struct secret_wish *w, const struct secret_step *s,
	char *values[KEYS_EACH])
{
	for (size_t i = 0; i < w->n_keys; i++) {
		AUTO(own_wipe_at) char *text = NULL;
		if (!s->missing[i])
			continue;
		struct err e = make_key(&w->keys[i], &text);
		if (failed(e))
			return e;
		values[i] = base64_encode(text, strlen(text));
	}
	return OK;
}

/* ---- the Secret ---- */

static const char *what_was_done(const struct key_maker *m)
{
	bool added = false;
	for (size_t i = 0; i < KEYS_EACH; i++)
		added |= m->written.missing[i];
	return m->written.verb == SECRET_CREATE ? "made"
		: added                         ? "a missing key was added"
			: "its keys are unchanged, its annotations were updated";
}

static void written(void *ctx, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct key_maker *m = ctx;
	(void)object, (void)retry_after_ms;
	m->call = NULL;
	if (e.kind == ERR_EXISTS || e.kind == ERR_CONFLICT || e.kind == ERR_NOT_FOUND)
		again_in(m, 0);
	else if (failed(e))
		fail(m, e);
	else
		next(m, what_was_done(m));
}

static void write_secret(struct key_maker *m, const struct json *there)
{
	struct arena memory AUTO(arena_free) = { 0 };
	AUTO(wipe_all) char *values[KEYS_EACH] = { 0 };
	const struct secret_wish *w = wish_of(m);
	bool make = m->written.verb == SECRET_CREATE;
	struct err e = make_missing(w, &m->written, values);
	if (failed(e)) {
		fail(m, e);
		return;
	}
	struct kube_request r = {
		.method = make ? "POST" : "PATCH",
		.path = resource_path(&memory, RES_SECRET, m->config->ns, make ? NULL : w->name,
			NULL),
		.patch = make ? PATCH_NONE : PATCH_MERGE,
		.body = secret_body(&memory, w, &m->written, there, values),
	};
	send(m, &r, written);
}

static void secret_read(void *ctx, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct key_maker *m = ctx;
	(void)retry_after_ms;
	m->call = NULL;
	if (failed(e) && e.kind != ERR_NOT_FOUND) {
		fail(m, e);
		return;
	}
	m->written = secret_decide(wish_of(m), failed(e) ? NULL : object);
	if (m->written.verb == SECRET_LEAVE)
		next(m, "stays as it is");
	else
		write_secret(m, object);
}

static void look(void *ctx)
{
	struct key_maker *m = ctx;
	struct arena memory AUTO(arena_free) = { 0 };
	m->timer = NULL;
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&memory, RES_SECRET, m->config->ns, wish_of(m)->name, NULL),
	};
	send(m, &r, secret_read);
}

/* ---- lifecycle ---- */

struct key_maker *key_maker_new(const struct key_maker_config *config)
{
	struct key_maker *m = own_alloc(sizeof(*m));
	m->config = config;
	m->succeeded_ms = loop_now_ms(config->kube->loop);
	look(m);
	return m;
}

void key_maker_free(struct key_maker *m)
{
	if (!m)
		return;
	http_cancel(m->config->kube->http, m->call);
	timer_stop(m->config->kube->loop, m->timer);
	free(m);
}
