/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the Secret and the webhook configurations, with one request at a time:
 *
 *     read the Secret --> decide --> write it --> serve with it --> read and patch each
 *     configuration --> all of it again after a while
 */
#include "webhook/authority_parts.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "json/build.h"
#include "webhook/remedy.h"
#include "object/metadata.h"
#include "object/query.h"

static const char *const configurations[] = { "validatingwebhookconfigurations",
	"mutatingwebhookconfigurations" };
enum { CONFIGURATIONS = LENGTH(configurations) };

struct authority {
	struct authority_config config;
	char *ns, *secret, *service, *configuration; /* what config points to */
	struct names names;
	struct http_call *call;
	struct timer *timer;
	struct keys keys, written; /* written: being written to the Secret */
	char *version;             /* resourceVersion of the Secret; NULL: no Secret */
	char *in_use;              /* the certificate in use */
	size_t at;                 /* index of the current configuration */
	size_t current;            /* number of configurations that have the bundle */
	enum authority_step step;  /* the step that is being written */
	bool stored;               /* keys are those of the Secret */
	bool published, reachable; /* reachable: the configurations have a CA that is usable */
	char said[ERR_TEXT_BYTES]; /* the error logged last */
};

static void look(void *ctx);

/* ---- requests ---- */

static void send(struct authority *a, const struct kube_request *r, kube_done *done)
{
	struct kube_request with_limit = *r;
	assert(!a->call);
	with_limit.timeout_ms = with_limit.max_wait_ms = REQUEST_MS;
	a->call = kube_send(a->config.kube, &with_limit, done, a);
}

static void again_in(struct authority *a, int64_t ms)
{
	timer_stop(a->config.kube->loop, a->timer);
	a->timer = timer_start(a->config.kube->loop, ms, look, a);
}

/* Logs a failure once, however long it lasts. The certificate in use stays. */
static void fail(struct authority *a, const char *doing, struct err e)
{
	struct err told = err_wrap(e, "%s", doing);
	if (!str_eq(told.text, a->said))
		log_warn("the webhook's certificate cannot be kept current", "why", told.text,
			"remedy", webhook_remedy(e));
	memcpy(a->said, told.text, sizeof(a->said));
	again_in(a, HURRY_MS);
}

static const char *configuration_path(const struct authority *a, struct arena *arena)
{
	AUTO(str_free) struct str path = { 0 };
	str_add(&path, "/apis/admissionregistration.k8s.io/v1");
	query_segment(&path, configurations[a->at], a->configuration);
	return arena_strdup(arena, str_text(&path));
}

/* ---- webhook configurations ---- */

static void next_configuration(struct authority *a);

static void patched(void *ctx, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct authority *a = ctx;
	(void)object, (void)retry_after_ms;
	a->call = NULL;
	if (failed(e)) {
		fail(a, "writing the caBundle", e);
		return;
	}
	log_info("the caBundle was written", "of", configurations[a->at], "name", a->configuration);
	a->current++;
	a->at++;
	next_configuration(a);
}

static void configuration_read(void *ctx, struct err e, const struct json *object,
	int64_t retry_after_ms)
{
	struct authority *a = ctx;
	struct arena memory AUTO(arena_free) = { 0 };
	(void)retry_after_ms;
	a->call = NULL;
	if (failed(e)) {
		if (e.kind == ERR_NOT_FOUND)
			a->published = a->reachable = false;
		fail(a, "reading the webhook configuration", e);
		return;
	}
	const char *patch = bundle_patch(&memory, object, a->keys.bundle);
	if (!patch) {
		a->current++;
		a->at++;
		next_configuration(a);
		return;
	}
	struct kube_request r = { .method = "PATCH",
		.path = configuration_path(a, &memory),
		.patch = PATCH_JSON,
		.body = patch };
	send(a, &r, patched);
}

static void next_configuration(struct authority *a)
{
	struct arena memory AUTO(arena_free) = { 0 };
	if (a->at < CONFIGURATIONS) {
		struct kube_request r = { .method = "GET", .path = configuration_path(a, &memory) };
		send(a, &r, configuration_read);
		return;
	}
	a->published = a->reachable = a->current == CONFIGURATIONS;
	a->said[0] = '\0';
	again_in(a, LOOK_MS);
}

/* ---- the Secret ---- */

static void serve(struct authority *a)
{
	if (!str_eq(a->in_use, a->keys.server.cert_pem)) {
		a->config.use(a->config.ctx, &a->keys.server);
		free(a->in_use);
		a->in_use = own_strdup(a->keys.server.cert_pem);
	}
	a->at = a->current = 0;
	next_configuration(a);
}

static void note_version(struct authority *a, const struct json *secret)
{
	free(a->version);
	a->version = own_strdup(metadata_of(secret).resource_version);
}

static void take(struct authority *a, struct keys *keys, const struct json *secret)
{
	if (!str_eq(a->keys.bundle, keys->bundle))
		a->published = false;
	keys_free(&a->keys);
	a->keys = *keys;
	*keys = (struct keys){ 0 };
	a->stored = true;
	note_version(a, secret);
}

static const char *const steps[] = {
	[AUTHORITY_REST] = "",
	[AUTHORITY_BEGIN] = "it was made",
	[AUTHORITY_NEW_CA] = "rotating: a new CA is trusted, too",
	[AUTHORITY_NEW_SERVER] = "the certificate was renewed",
	[AUTHORITY_DROP_OLD] = "rotated: the old CA is no longer trusted",
};

static void written(void *ctx, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct authority *a = ctx;
	(void)retry_after_ms;
	a->call = NULL;
	if (e.kind == ERR_EXISTS || e.kind == ERR_CONFLICT || e.kind == ERR_NOT_FOUND) {
		keys_free(&a->written); /* another replica was first */
		again_in(a, 0);
		return;
	}
	if (failed(e)) {
		keys_free(&a->written);
		fail(a, "writing the Secret", e);
		return;
	}
	log_info("the webhook's certificate is kept", "what", steps[a->step], "secret", a->secret);
	take(a, &a->written, object);
	serve(a);
}

static const char *secret_body(const struct authority *a, struct arena *memory)
{
	struct jdoc *d = jdoc_new(memory);
	struct jval *root = j_obj(d), *m = j_child(d, root, "metadata");
	keys_write(d, j_child(d, root, "data"), &a->written);
	if (a->version) {
		j_set_str(d, m, "resourceVersion", a->version);
		return j_text(d, root);
	}
	j_set_str(d, root, "apiVersion", "v1");
	j_set_str(d, root, "kind", "Secret");
	j_set_str(d, root, "type", "kubernetes.io/tls");
	j_set_str(d, m, "name", a->secret);
	j_set_str(d, j_child(d, m, "labels"), "app.kubernetes.io/name", "slurm-operator-webhook");
	return j_text(d, root);
}

static void write_secret(struct authority *a)
{
	struct arena memory AUTO(arena_free) = { 0 };
	bool make = !a->version;
	struct kube_request r = {
		.method = make ? "POST" : "PATCH",
		.path = resource_path(&memory, RES_SECRET, a->ns, make ? NULL : a->secret, NULL),
		.patch = make ? PATCH_NONE : PATCH_MERGE,
		.body = secret_body(a, &memory),
		.secret = true,
	};
	send(a, &r, written);
}

static struct authority_facts judge(const struct authority *a, const struct keys *k)
{
	return keys_judge(k, &a->names, loop_wall_ms(a->config.kube->loop) / 1000);
}

static void act(struct authority *a)
{
	int64_t now_s = loop_wall_ms(a->config.kube->loop) / 1000;
	struct authority_facts f = judge(a, &a->keys);
	f.stored = a->stored;
	f.published = a->published;
	enum authority_step step = authority_decide(&f, now_s, a->config.overlap_s);
	if (step == AUTHORITY_REST) {
		serve(a);
		return;
	}
	a->reachable &= step != AUTHORITY_BEGIN;
	keys_free(&a->written);
	struct err e = keys_after(step, &a->keys, &a->names, now_s, &a->written);
	if (failed(e)) {
		fail(a, "making a certificate", e);
		return;
	}
	a->step = step;
	write_secret(a);
}

static void secret_read(void *ctx, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct authority *a = ctx;
	(void)retry_after_ms;
	a->call = NULL;
	if (failed(e) && e.kind != ERR_NOT_FOUND) {
		fail(a, "reading the Secret", e);
		return;
	}
	struct keys keys AUTO(keys_free) = keys_read(object);
	free(TAKE(a->version));
	if (!failed(e) && (judge(a, &keys).server_good || !judge(a, &a->keys).server_good)) {
		take(a, &keys, object);
	} else {
		a->stored = false; /* deleted or damaged: the keys in use stay */
		if (!failed(e))
			note_version(a, object);
	}
	act(a);
}

static void look(void *ctx)
{
	struct authority *a = ctx;
	struct arena memory AUTO(arena_free) = { 0 };
	a->timer = NULL;
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&memory, RES_SECRET, a->ns, a->secret, NULL),
		.secret = true,
	};
	send(a, &r, secret_read);
}

/* ---- creation and end ---- */

struct authority *authority_new(const struct authority_config *config)
{
	struct authority *a = own_alloc(sizeof(*a));
	a->config = *config;
	a->ns = own_strdup(config->ns);
	a->secret = own_strdup(config->secret);
	a->service = own_strdup(config->service);
	a->configuration = own_strdup(config->configuration);
	a->names = names_of(a->service, a->ns);
	look(a);
	return a;
}

void authority_free(struct authority *a)
{
	if (!a)
		return;
	http_cancel(a->config.kube->http, a->call);
	timer_stop(a->config.kube->loop, a->timer);
	keys_free(&a->keys);
	keys_free(&a->written);
	names_free(&a->names);
	free(a->version);
	free(a->in_use);
	free(a->ns);
	free(a->secret);
	free(a->service);
	free(a->configuration);
	free(a);
}

const char *authority_trouble(const struct authority *a)
{
	return !a->in_use       ? "there is no certificate yet"
		: !a->reachable ? "the webhook configurations do not have the CA yet"
				: "";
}
