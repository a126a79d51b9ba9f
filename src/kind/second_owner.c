/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the uid of a namespace, and retries until it has one. */
#include "kind/second_owner.h"

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"

enum { ANSWER_MS = 5000, SOON_MS = 1000, LATER_MS = 300000 };

struct second_owner {
	struct kube *kube;
	char *ns, *uid; /* uid: NULL before the first answer */
	void (*known)(void *ctx);
	void *ctx;
	struct http_call *call;
	struct timer *again;
	bool said;
};

static void ask(void *ctx);

/*
 * Warns once. The NodeSet works without the uid too, but its deletion in the foreground
 * then ends its jobs.
 */
static void say(struct second_owner *k, struct err err)
{
	if (k->said)
		return;
	k->said = true;
	AUTO(str_free) struct str why = { 0 };
	str_addf(&why, "%s%s", err.text, kube_remedy(err));
	log_warn(
		"pods get no second owner, so that a deletion of their NodeSet in the foreground would end their jobs",
		"namespace", k->ns, "why", str_text(&why));
}

static void answered(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct second_owner *k = ctx;
	bool lasting = err.kind == ERR_DENIED || err.kind == ERR_NOT_FOUND;
	(void)retry_after_ms;
	k->call = NULL;
	if (lasting)
		say(k, err);
	if (failed(err))
		k->again = timer_start(k->kube->loop, lasting ? LATER_MS : SOON_MS, ask, k);
	if (failed(err) && (!lasting || k->uid))
		return; /* nothing new */
	free(k->uid);
	k->uid = own_strdup(failed(err) ? "" : json_str(json_at(object, "metadata", "uid"), ""));
	k->known(k->ctx);
}

static void ask(void *ctx)
{
	struct second_owner *k = ctx;
	struct arena a = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, RES_NAMESPACE, NULL, k->ns, NULL),
		.timeout_ms = ANSWER_MS,
	};
	k->again = NULL;
	k->call = kube_send(k->kube, &r, answered, k);
	arena_free(&a);
}

struct second_owner *second_owner_new(struct kube *kube, const char *ns, void (*known)(void *ctx),
	void *ctx)
{
	struct second_owner *k = own_alloc(sizeof(*k));
	*k = (struct second_owner){
		.kube = kube,
		.ns = own_strdup(ns),
		.known = known,
		.ctx = ctx,
	};
	ask(k);
	return k;
}

void second_owner_free(struct second_owner *k)
{
	if (!k)
		return;
	if (k->call)
		http_cancel(k->kube->http, k->call);
	timer_stop(k->kube->loop, k->again);
	free(k->ns);
	free(k->uid);
	free(k);
}

const char *second_owner_uid(const struct second_owner *k) { return k->uid; }
