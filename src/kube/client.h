/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kubernetes API client: one JSON request, one decoded answer. Errors carry the text of
 * the API server's Status and a kind: 404 NOT_FOUND; 409 EXISTS (reason AlreadyExists) or
 * CONFLICT; 410 EXPIRED; 401, 403 DENIED; 400, 405, 406, 415, 422 INVALID; 413 TOO_LARGE;
 * 429, 5xx RETRY, except 504 LOST (the server timed out; the request may still be carried
 * out). 403 on a create in a terminating namespace (cause NamespaceTerminating) is
 * NOT_FOUND, because the create is no longer useful. An unreadable 2xx answer is LOST. An
 * object, or an item of a list, that is nested too deep is cut: see json_is_cut.
 */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "json/json.h"
#include "object/resource.h"
#include "net/http.h"

struct kube {
	struct http *http;
	struct loop *loop;
	const char *host; /* of the API server, for metrics: "10.96.0.1:443"; NULL: unknown */
};

enum kube_patch { PATCH_NONE, PATCH_MERGE, PATCH_JSON };

struct kube_request {
	const char *method; /* "GET", "POST", "PUT", "PATCH", "DELETE" */
	const char *path;   /* from resource_path, with a query if any */
	enum kube_patch patch;
	const char *body; /* JSON text, copied; NULL: none */
	int64_t timeout_ms;
	int64_t max_wait_ms;        /* as in struct http_request */
	const int64_t *leave_by_ms; /* as in struct http_request */
	size_t max_answer_bytes;    /* as in struct http_request */
	/* The answer is a secret: overwritten after done returns; at most 2 MiB */
	bool secret;
	/*
	 * Called with done's ctx before done, when a 2xx answer has a warning for people,
	 * for example about an unknown field. May be NULL.
	 */
	void (*warned)(void *ctx, const char *text);
	/*
	 * For a list: begun receives the list's metadata, then item receives each item.
	 * Both get done's ctx; their arguments are valid during the call. done receives
	 * the list without its items. The request cannot be cancelled after begun is
	 * called. The items are valid only if done reports no error. An answer without a
	 * resourceVersion is not a list, and done receives all of it. NULL: the answer is
	 * one object.
	 */
	void (*begun)(void *ctx, const struct json *metadata);
	json_item_fn *item;
};

/*
 * object: the answer's root, valid during the callback; NULL when err is set.
 */
typedef void kube_done(void *ctx, struct err err, const struct json *object,
	int64_t retry_after_ms);
struct http_call *kube_send(struct kube *k, const struct kube_request *r, kube_done *done,
	void *ctx);

/* Converts an answer of the API server to an error; OK for 2xx. */
struct err kube_status_error(int http_status, const struct json *status);
/*
 * The remedy for a 401 or 403 answer: "; ...", to append to the error text. "" for other
 * errors.
 */
const char *kube_remedy(struct err err);

#endif
