/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renews credentials while clients live. A token file is read again every minute. A
 * plug-in runs again before its token expires, without blocking the loop; a certificate
 * that it returns is used from then on. Both are renewed at once after a 401 answer,
 * because a new token may already exist. Files with certificates are read again when they
 * change.
 */
#include "kube/config_parts.h"

#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "net/files.h"

enum {
	RENEW_MS = 60000,
	RENEW_BEFORE_MS = 60000,
	RENEW_UNKNOWN_MS = 600000, /* for a plug-in that states no expiry */
	RETRY_MS = 10000,
	REFUSED_MS = 10000, /* minimum interval of renewals after a 401 */
};

struct renewal {
	struct kube_config *config;
	struct loop *loop;
	const struct renewal_handler *handler;
	void *ctx;
	struct timer *timer;
	struct plugin *plugin;
	struct file_watch *files; /* NULL when no certificate is from a file */
	char *cert_pem;           /* before the plug-in ran */
	int64_t refused_ms;       /* time of the last renewal after a 401; 0: never */
};

static void renew(void *ctx);

/* ---- tokens ---- */

static void again_in(struct renewal *r, int64_t ms)
{
	r->timer = timer_start(r->loop, ms, renew, r);
}

static int64_t pause_before(const struct renewal *r, int64_t expires_in_ms)
{
	if (r->config->token_file)
		return RENEW_MS;
	if (expires_in_ms < 0)
		return RENEW_UNKNOWN_MS;
	return expires_in_ms > RENEW_BEFORE_MS + RETRY_MS ? expires_in_ms - RENEW_BEFORE_MS
							  : RETRY_MS;
}

static void use(struct renewal *r, struct err e, const char *token, int64_t expires_in_ms)
{
	if (failed(e)) {
		log_warn("the credentials for the API server could not be renewed", "error",
			e.text);
		again_in(r, RETRY_MS);
		return;
	}
	r->handler->token(r->ctx, token);
	again_in(r, pause_before(r, expires_in_ms));
}

static void renew_from_file(struct renewal *r)
{
	AUTO(own_wipe_at) char *token = NULL;
	int64_t expires_in_ms;
	struct err e = kube_config_token(r->config, &token, &expires_in_ms);
	use(r, e, token, expires_in_ms);
}

static void plugin_ended(void *ctx, struct err e, const char *token, int64_t expires_in_ms)
{
	struct renewal *r = ctx;
	r->plugin = NULL;
	AUTO(own_free) char *was = TAKE(r->cert_pem);
	if (!str_eq(was, r->config->cert_pem))
		r->handler->certificates(r->ctx);
	use(r, e, token, expires_in_ms);
}

static void renew(void *ctx)
{
	struct renewal *r = ctx;
	r->timer = NULL;
	if (!r->config->exec) {
		renew_from_file(r);
		return;
	}
	free(r->cert_pem);
	r->cert_pem = own_strdup(r->config->cert_pem);
	struct err e = plugin_start(r->config, r->loop, plugin_ended, r, &r->plugin);
	if (failed(e))
		use(r, e, NULL, -1);
}

void renewal_refused(struct renewal *r)
{
	int64_t now = loop_now_ms(r->loop);
	bool renews = r->config->token_file || r->config->exec;
	if (!renews || r->plugin || (r->refused_ms && now - r->refused_ms < REFUSED_MS))
		return;
	r->refused_ms = now;
	timer_stop(r->loop, TAKE(r->timer));
	renew(r);
}

/* ---- certificates ---- */

static bool files_changed(void *ctx, bool again)
{
	struct renewal *r = ctx;
	bool changed = false;
	struct err e = config_reload(r->config, &changed);
	if (failed(e) && !again)
		log_warn(
			"the new certificates for the API server are not usable: the old ones stay",
			"error", e.text);
	if (!failed(e) && changed) {
		log_info("new certificates for the API server: connections from now on use them");
		r->handler->certificates(r->ctx);
	}
	return !failed(e);
}

static void watch_files(struct renewal *r)
{
	const struct kube_config *c = r->config;
	const char *const all[] = { c->ca_file, c->cert_file, c->key_file };
	const char *paths[LENGTH(all)];
	size_t n = 0;
	for (size_t i = 0; i < LENGTH(all); i++)
		if (all[i])
			paths[n++] = all[i];
	if (n)
		r->files = file_watch_start(r->loop, paths, n,
			c->reload_ms ? c->reload_ms : CERTIFICATES_RELOAD_MS, files_changed, r);
}

/* ---- start and stop ---- */

struct renewal *renewal_start(struct kube_config *c, struct loop *uv_loop, int64_t expires_in_ms,
	const struct renewal_handler *h, void *ctx)
{
	struct renewal *r = own_alloc(sizeof(*r));
	r->config = c;
	r->loop = uv_loop;
	r->handler = h;
	r->ctx = ctx;
	if (c->token_file || c->exec)
		again_in(r, pause_before(r, expires_in_ms));
	watch_files(r);
	return r;
}

void renewal_stop(struct renewal *r)
{
	if (!r)
		return;
	timer_stop(r->loop, r->timer);
	plugin_cancel(r->plugin);
	file_watch_stop(r->files);
	free(r->cert_pem);
	free(r);
}
