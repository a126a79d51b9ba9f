/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a request to the API server, and interprets its answer. */
#include "kube/client.h"

#include <stdio.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"

/*
 * State of a request; freed at the end, or by the HTTP client when the request is
 * cancelled.
 */
struct pending {
	kube_done *done;
	void (*warned)(void *ctx, const char *text);
	void (*begun)(void *ctx, const struct json *metadata);
	json_item_fn *item;
	bool secret;
	void *ctx;
	/* For metrics */
	struct loop *loop;
	int64_t began_ms;
	char method[8];
	const char *host;
};

/* A Secret has at most 1 MiB, which base64 makes longer by a third. */
enum { WARNING_TEXT_BYTES = 300, SECRET_BYTES = (2 << 20) - 1 };

/* ---- errors ---- */

static bool has_cause(const struct json *status, const char *reason)
{
	for (struct json_iter it = json_iter(json_at(status, "details", "causes")); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "reason"), ""), reason))
			return true;
	return false;
}

static enum err_kind kind_of(int http_status, const struct json *status)
{
	const char *reason = json_str(json_get(status, "reason"), "");
	switch (http_status) {
	case 400:
	case 405:
	case 406:
	case 415:
	case 422:
		return ERR_INVALID;
	case 401:
		return ERR_DENIED;
	case 403:
		return has_cause(status, "NamespaceTerminating") ? ERR_NOT_FOUND : ERR_DENIED;
	case 404:
		return ERR_NOT_FOUND;
	case 409:
		return str_eq(reason, "AlreadyExists") ? ERR_EXISTS : ERR_CONFLICT;
	case 410:
		return ERR_EXPIRED;
	case 413:
		return ERR_TOO_LARGE;
	case 429:
		return ERR_RETRY;
	case 504: /* the API server timed out; the request may still be carried out */
		return ERR_LOST;
	}
	return http_status >= 500 ? ERR_RETRY : ERR_INVALID;
}

struct err kube_status_error(int http_status, const struct json *status)
{
	const char *message = json_str(json_get(status, "message"), "");
	const char *reason = json_str(json_get(status, "reason"), "");
	struct err e;
	if (http_status >= 200 && http_status < 300)
		return OK;
	if (message[0])
		e = err_new(kind_of(http_status, status), "the API server answered %d: %s",
			http_status, message);
	else
		e = err_new(kind_of(http_status, status), "the API server answered %d%s%s",
			http_status, reason[0] ? " " : "", reason);
	e.code = http_status;
	return e;
}

const char *kube_remedy(struct err err)
{
	static const struct {
		int code;
		const char *remedy;
	} rows[] = {
		{ 401, "; it does not know the token: the ServiceAccount was deleted or recreated, or the token has expired; recreate the pods (kubectl rollout restart deployment/slurm-operator, or deployment/slurm-virtual-node)" },
		{ 403, "; give the manager the roles that \"slurm-operator rbac\" prints, virtual nodes those of \"slurm-operator rbac --virtual-node\"" },
	};
	for (size_t i = 0; err.kind == ERR_DENIED && i < LENGTH(rows); i++)
		if (rows[i].code == err.code)
			return rows[i].remedy;
	return "";
}

/*
 * The error of an answer that is not a Status. Such an answer comes from a proxy, or from
 * a server that is starting.
 */
static struct err text_error(const struct http_answer *a)
{
	struct err e = kube_status_error(a->status, NULL);
	size_t line = strcspn(a->body, "\r\n");
	if (line == 0)
		return e;
	struct err with_text = err_new(e.kind, "%s: %.*s", e.text, (int)(line > 200 ? 200 : line),
		a->body);
	with_text.code = e.code;
	return with_text;
}

/* ---- metrics ---- */

/* The names that dashboards for Go operators use. */
METRIC(requests_total, "rest_client_requests_total", METRIC_COUNTER,
	"Requests to the API server, without watches. The code is <error> if the API server did not answer.",
	"code,method,host", METRIC_OF_KUBE_CLIENT);
static const double request_bounds[] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60 };
METRIC(request_seconds, "rest_client_request_duration_seconds", METRIC_HISTOGRAM,
	"Time from the start of a request, including its wait in the queue of the client, to its response. Watches are not included.",
	"verb,host", METRIC_OF_KUBE_CLIENT, request_bounds, LENGTH(request_bounds));

/* ---- one request ---- */

/*
 * Passes on the text of a warning such as 299 - "a text with \"quotes\"". A header of
 * another form is passed on unchanged.
 */
static void give_warning(const struct pending *p, const char *header)
{
	AUTO(str_free) struct str text = { 0 }, said = { 0 };
	const char *from = strchr(header, '"');
	for (const char *at = from ? from + 1 : header; *at && (*at != '"' || !from); at++) {
		if (*at == '\\' && at[1])
			at++;
		str_add_bytes(&text, at, 1);
	}
	str_add_foreign(&said, str_text(&text), WARNING_TEXT_BYTES);
	p->warned(p->ctx, str_text(&said));
}

static struct err read_list(const struct pending *p, const struct http_answer *a,
	struct json_doc **rest)
{
	AUTO(json_auto) struct json_doc *metadata = NULL;
	struct err e = json_parse_member(a->body, a->body_bytes, "metadata", &metadata);
	if (failed(e))
		return e;
	if (str_empty(json_str(json_get(json_root(metadata), "resourceVersion"), NULL)))
		return json_parse_cut(a->body, a->body_bytes, a->body_bytes, rest); /* not a list */
	p->begun(p->ctx, json_root(metadata));
	return json_parse_items(a->body, a->body_bytes, a->body_bytes, "items", p->item, p->ctx,
		rest);
}

static struct err read_body(const struct pending *p, const struct http_answer *a, bool good,
	struct json_doc **doc)
{
	if (!a->body_bytes)
		return OK;
	return good && p->item ? read_list(p, a, doc)
			       : json_parse_cut(a->body, a->body_bytes, a->body_bytes, doc);
}

static void finish(struct pending *p, const struct http_answer *a)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	bool good = a->status >= 200 && a->status < 300;
	struct err parsed = read_body(p, a, good, &doc);
	if (!good && !doc) {
		p->done(p->ctx, text_error(a), NULL, a->retry_after_ms);
		return;
	}
	if (failed(parsed)) {
		struct err e = err_new(ERR_LOST, "the answer of the API server is not readable: %s",
			parsed.text);
		p->done(p->ctx, e, NULL, a->retry_after_ms);
		return;
	}
	struct err e = kube_status_error(a->status, json_root(doc));
	if (!failed(e) && p->warned && a->warning)
		give_warning(p, a->warning);
	p->done(p->ctx, e, failed(e) ? NULL : json_root(doc), a->retry_after_ms);
	if (p->secret)
		json_wipe(TAKE(doc));
}

static void count(const struct pending *p, const struct http_answer *answer)
{
	char code[16] = "<error>";
	int64_t took_ms = loop_now_ms(p->loop) - p->began_ms;
	if (answer)
		snprintf(code, sizeof(code), "%d", answer->status);
	metric_add(&requests_total, 1, code, p->method, p->host);
	metric_observe(&request_seconds, (double)took_ms / 1000, p->method, p->host);
}

static void answered(void *pending, struct err err, const struct http_answer *answer)
{
	struct pending *p = pending;
	count(p, failed(err) ? NULL : answer);
	if (failed(err))
		p->done(p->ctx, err, NULL, -1);
	else
		finish(p, answer);
	free(p);
}

struct http_call *kube_send(struct kube *k, const struct kube_request *r, kube_done *done,
	void *ctx)
{
	static const char *const types[] = {
		[PATCH_NONE] = "application/json",
		[PATCH_MERGE] = "application/merge-patch+json",
		[PATCH_JSON] = "application/json-patch+json",
	};
	const struct http_header headers[] = { { "Accept", "application/json" },
		{ "Content-Type", types[r->patch] } };
	struct pending *p = own_alloc(sizeof(*p));
	struct http_request request = {
		.method = r->method,
		.path = r->path,
		.headers = headers,
		.n_headers = r->body ? 2 : 1,
		.body = r->body,
		.body_bytes = r->body ? strlen(r->body) : 0,
		.timeout_ms = r->timeout_ms,
		.max_wait_ms = r->max_wait_ms,
		.leave_by_ms = r->leave_by_ms,
		.secret = r->secret,
		.max_answer_bytes = r->secret ? SECRET_BYTES : r->max_answer_bytes,
		.drop = free,
	};

	p->loop = k->loop;
	p->began_ms = loop_now_ms(k->loop);
	snprintf(p->method, sizeof(p->method), "%s", r->method);
	p->host = k->host ? k->host : "";
	p->done = done;
	p->warned = r->warned;
	p->begun = r->begun;
	p->item = r->item;
	p->secret = r->secret;
	p->ctx = ctx;
	return http_send(k->http, &request, answered, p);
}
