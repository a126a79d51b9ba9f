/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the Node of a virtual node. */
#include "kind/results_server.h"

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"

enum { ANSWER_MS = 5000, FRESH_MS = 20000 };

struct results_server {
	struct kube *kube;
	void (*known)(void *ctx);
	void *ctx;
	struct http_call *call;
	int64_t sent_ms; /* monotonic: of the current call, or of the last one */
	char *node;      /* the Node of the request; NULL: no request yet */
	bool answered;   /* the fields below are its answer */
	char *url, *key; /* NULL: not in the Node */
	char *trouble;   /* the error of the read; NULL: none */
};

static void forget(struct results_server *s)
{
	s->answered = false;
	free(TAKE(s->url));
	free(TAKE(s->key));
	free(TAKE(s->trouble));
}

static char *annotation(const struct json *node, const char *key)
{
	const char *text = json_str(json_at(node, "metadata", "annotations", key), "");
	return str_empty(text) ? NULL : own_strdup(text);
}

static char *trouble_of(struct err err)
{
	struct str text = { 0 };
	str_addf(&text, "%s%s", err.text,
		err.kind == ERR_DENIED
			? "; give the manager the right to get nodes (docs/manager.md)"
			: "");
	return str_take(&text);
}

/* After a failure that may pass, the server stays unknown. */
static void answered(void *ctx, struct err err, const struct json *node, int64_t retry_after_ms)
{
	struct results_server *s = ctx;
	bool lasting = err.kind == ERR_DENIED || err.kind == ERR_NOT_FOUND;
	(void)retry_after_ms;
	s->call = NULL;
	forget(s);
	if (failed(err) && !lasting)
		return;
	s->answered = true;
	if (failed(err)) {
		s->trouble = trouble_of(err);
	} else {
		s->url = annotation(node, ANNOTATION_RESULTS_URL);
		s->key = annotation(node, ANNOTATION_RESULTS_KEY);
	}
	s->known(s->ctx);
}

static void end_call(struct results_server *s)
{
	if (s->call)
		http_cancel(s->kube->http, TAKE(s->call));
}

static void ask(struct results_server *s, const char *node)
{
	AUTO(arena_free) struct arena a = { 0 };
	end_call(s);
	forget(s);
	if (!s->node || !str_eq(s->node, node)) {
		free(s->node);
		s->node = own_strdup(node);
	}
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, RES_NODE, NULL, node, NULL),
		.timeout_ms = ANSWER_MS,
	};
	s->sent_ms = loop_now_ms(s->kube->loop);
	s->call = kube_send(s->kube, &r, answered, s);
}

struct results_server *results_server_new(struct kube *kube, void (*known)(void *ctx), void *ctx)
{
	struct results_server *s = own_alloc(sizeof(*s));
	*s = (struct results_server){ .kube = kube, .known = known, .ctx = ctx };
	return s;
}

void results_server_free(struct results_server *s)
{
	if (!s)
		return;
	end_call(s);
	forget(s);
	free(s->node);
	free(s);
}

struct job_server results_server_of(struct results_server *s, const char *node)
{
	bool same = s->node && str_eq(s->node, node);
	bool lately = loop_now_ms(s->kube->loop) - s->sent_ms < FRESH_MS;
	if (!same || (!lately && !s->call))
		ask(s, node);
	if (!s->answered)
		return (struct job_server){ .url = "", .key = "" };
	return (struct job_server){
		.known = true,
		.trouble = s->trouble,
		.url = s->url ? s->url : "",
		.key = s->key ? s->key : "",
	};
}
