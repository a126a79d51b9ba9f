/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that stays authenticated: the HTTP client with a timer beside it. A token file
 * is read again every minute. A plug-in runs again before its token ends, without holding
 * up the loop. Either comes at once when the API server does not know the token (401):
 * somebody may have put another one there. Certificates that a plug-in gives are those of
 * its first run.
 */
#include "kube/config_parts.h"

#include "base/log.h"
#include "base/own.h"

enum {
	RENEW_MS = 60000,
	RENEW_BEFORE_MS = 60000,
	RENEW_UNKNOWN_MS = 600000, /* a plug-in that does not say until when */
	RETRY_MS = 10000,
	REFUSED_MS = 10000, /* at most so often after a 401 */
};

struct authed {
	struct http base; /* first: a struct http * is this */
	struct http *inner;
	struct loop *loop;
	struct timer *timer;
	struct kube_config config;
	struct plugin *plugin;
	int64_t refused_ms; /* when a 401 made us renew last; 0: never */
};

/* A request on its way. */
struct asked {
	struct authed *by;
	http_done *done;
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	void *ctx;
};

static struct authed *authed(struct http *h) { return (struct authed *)h; }

static void renew(void *ctx);

static void again_in(struct authed *a, int64_t ms)
{
	a->timer = timer_start(a->loop, ms, renew, a);
}

static int64_t pause_before(const struct authed *a, int64_t expires_in_ms)
{
	if (a->config.token_file)
		return RENEW_MS;
	if (expires_in_ms < 0)
		return RENEW_UNKNOWN_MS;
	return expires_in_ms > RENEW_BEFORE_MS + RETRY_MS ? expires_in_ms - RENEW_BEFORE_MS
							  : RETRY_MS;
}

static void use(struct authed *a, struct err e, const char *token, int64_t expires_in_ms)
{
	if (failed(e)) {
		log_warn("the credentials for the API server could not be renewed", "error",
			e.text);
		again_in(a, RETRY_MS);
		return;
	}
	http_set_bearer(a->inner, token);
	again_in(a, pause_before(a, expires_in_ms));
}

static void renew_from_file(struct authed *a)
{
	AUTO(own_wipe_at) char *token = NULL;
	int64_t expires_in_ms;
	struct err e = kube_config_token(&a->config, &token, &expires_in_ms);
	use(a, e, token, expires_in_ms);
}

static void plugin_ended(void *ctx, struct err e, const char *token, int64_t expires_in_ms)
{
	struct authed *a = ctx;
	a->plugin = NULL;
	use(a, e, token, expires_in_ms);
}

static void renew(void *ctx)
{
	struct authed *a = ctx;
	struct err e;
	a->timer = NULL;
	if (!a->config.exec) {
		renew_from_file(a);
		return;
	}
	e = plugin_start(&a->config, a->loop, plugin_ended, a, &a->plugin);
	if (failed(e))
		use(a, e, NULL, -1);
}

/* ---- the client ---- */

static void refused(struct authed *a)
{
	int64_t now = loop_now_ms(a->loop);
	bool renews = a->config.token_file || a->config.exec;
	if (!renews || a->plugin || (a->refused_ms && now - a->refused_ms < REFUSED_MS))
		return;
	a->refused_ms = now;
	timer_stop(a->loop, a->timer);
	renew(a);
}

static void answered(void *asked, struct err err, const struct http_answer *answer)
{
	struct asked q = *(struct asked *)asked;
	free(asked);
	if (answer && answer->status == 401)
		refused(q.by);
	q.done(q.ctx, err, answer);
}

static bool data_came(void *asked, const char *bytes, size_t n)
{
	struct asked *q = asked;
	return q->on_data(q->ctx, bytes, n);
}

static void dropped(void *asked)
{
	struct asked q = *(struct asked *)asked;
	free(asked);
	if (q.drop)
		q.drop(q.ctx);
}

static struct http_call *send(struct http *h, const struct http_request *r, http_done *done,
	void *ctx)
{
	struct asked *q = own_alloc(sizeof(*q));
	struct http_request ours = *r;
	*q = (struct asked){ authed(h), done, r->on_data, r->drop, ctx };
	ours.on_data = r->on_data ? data_came : NULL;
	ours.drop = dropped;
	return http_send(authed(h)->inner, &ours, answered, q);
}

static void cancel(struct http *h, struct http_call *c) { http_cancel(authed(h)->inner, c); }
static void set_bearer(struct http *h, const char *token)
{
	http_set_bearer(authed(h)->inner, token);
}

static void free_client(struct http *h)
{
	struct authed *a = authed(h);
	timer_stop(a->loop, a->timer);
	plugin_cancel(a->plugin);
	http_free(a->inner);
	kube_config_free(&a->config);
	free(a);
}

static const struct http_ops authed_ops = { send, cancel, set_bearer, free_client };

static struct err open_inner(struct authed *a)
{
	const struct http_config config = {
		.base_url = a->config.server,
		.ca_pem = a->config.ca_pem,
		.cert_pem = a->config.cert_pem,
		.key_pem = a->config.key_pem,
		.server_name = a->config.server_name,
		.insecure = a->config.insecure,
	};

	return http_curl_new(a->loop, &config, &a->inner);
}

struct err kube_config_connect(struct kube_config *c, struct loop *uv_loop, struct http **out)
{
	AUTO(own_wipe_at) char *token = NULL;
	int64_t expires_in_ms;
	struct err e = kube_config_token(c, &token, &expires_in_ms);
	if (failed(e))
		return e;
	struct authed *a = own_alloc(sizeof(*a));
	a->base.ops = &authed_ops;
	a->loop = uv_loop;
	config_copy(c, &a->config);
	e = open_inner(a);
	if (failed(e)) {
		free_client(&a->base);
		return e;
	}
	http_set_bearer(a->inner, token);
	if (c->token_file || c->exec)
		again_in(a, pause_before(a, expires_in_ms));
	*out = &a->base;
	return OK;
}
