/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of HTTP clients on a loop. Callbacks receive the answers. Two
 * implementations: libcurl's multi interface on libuv (net/http_curl.c) and the
 * simulator's servers (tests/sim).
 *
 * A struct http is one destination with its TLS identity and limits. The client speaks
 * HTTP/2 when the server offers it by ALPN (https), HTTP/1.1 otherwise. Requests beyond
 * max_in_flight wait in order in its own queue. Streams (watches) do not count against
 * max_in_flight and use connections of their own.
 *
 * A POST is sent at most once: if its connection fails, it ends with ERR_LOST. The client
 * itself may resend requests with other methods.
 *
 * done is called exactly once for each http_send, and never from within http_send. It is
 * not called after http_cancel.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/listener.h"
#include "net/loop.h"

struct http;
struct http_call;

struct http_header {
	const char *name, *value;
};

struct http_request {
	const char *method; /* "GET", "POST", "PATCH", "PUT", "DELETE" */
	/* Path and query, starting with "/": appended to the base URL */
	const char *path;
	const struct http_header *headers; /* in addition to those of the destination */
	size_t n_headers;
	const char *body; /* copied; NULL for none */
	size_t body_bytes;
	int64_t timeout_ms; /* whole request; 0: the destination's default (30 s) */
	/*
	 * Maximum wait in the queue. A request that waits longer is not sent, but ends
	 * with ERR_RETRY: the reason for the request may no longer hold. 0: no limit.
	 */
	int64_t max_wait_ms;
	/*
	 * Monotonic deadline for sending: a request that still waits then is not sent,
	 * but ends with ERR_RETRY. The value may change meanwhile, and must outlive the
	 * request. NULL: none
	 */
	const int64_t *leave_by_ms;
	/*
	 * 0: the destination's default (64 MiB); more ends the request with ERR_TOO_LARGE
	 */
	size_t max_answer_bytes;
	/*
	 * The answer holds a secret: max_answer_bytes are allocated at the beginning, and
	 * overwritten at the end
	 */
	bool secret;
	/*
	 * Streams: called with each piece of a 200 answer's body as it arrives; the
	 * answer passed to done then has no body. A false return ends the stream with
	 * ERR_CANCELLED. There is no total timeout; idle_timeout_ms limits the time
	 * between pieces (0: no limit).
	 */
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	int64_t idle_timeout_ms;
	/*
	 * For long answers that are not buffered: called with each piece of a 200
	 * answer's body as it arrives; the answer passed to done then has no body. A
	 * false return ends the request with ERR_CANCELLED. Do not cancel the request
	 * from within. max_answer_bytes limits only answers of another status. All other
	 * members work as without on_body. Do not set on_data as well.
	 */
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
	/*
	 * Called with ctx instead of done when the request is cancelled (also by
	 * http_free): frees what ctx owns and does nothing else. May be NULL.
	 */
	void (*drop)(void *ctx);
};

struct http_answer {
	int status;       /* HTTP status; any status is an answer, not an error */
	const char *body; /* terminated, valid during the callback only; "" when empty */
	size_t body_bytes;
	int64_t asked_ms;       /* monotonic time at which sending began */
	int64_t retry_after_ms; /* from Retry-After; -1 when absent */
	/*
	 * The value of the first Warning header (RFC 7234, 5.5), truncated; NULL when
	 * absent
	 */
	const char *warning;
};

/*
 * err: ERR_RETRY when the peer received nothing (connection refused, name unknown);
 * ERR_LOST when the peer may have received the request, but no complete answer arrived
 * (timeout, reset); ERR_DENIED when TLS verification failed; ERR_TOO_LARGE. A caller may
 * treat the ERR_LOST of a GET like ERR_RETRY. answer is NULL when err is set.
 */
typedef void http_done(void *ctx, struct err err, const struct http_answer *answer);

struct http_ops {
	struct http_call *(*send)(struct http *, const struct http_request *, http_done *done,
		void *ctx);
	void (*cancel)(struct http *, struct http_call *);
	void (*set_bearer)(struct http *, const char *token);
	void (*free)(struct http *);
};

struct http {
	const struct http_ops *ops;
};

static inline struct http_call *http_send(struct http *h, const struct http_request *r,
	http_done *done, void *ctx)
{
	return h->ops->send(h, r, done, ctx);
}
static inline void http_cancel(struct http *h, struct http_call *c)
{
	if (c)
		h->ops->cancel(h, c);
}
/* "Authorization: Bearer" of all later requests; NULL removes it. */
static inline void http_set_bearer(struct http *h, const char *token)
{
	h->ops->set_bearer(h, token);
}
/* Cancels everything in flight. Accepts NULL. */
static inline void http_free(struct http *h)
{
	if (h)
		h->ops->free(h);
}

struct http_listeners {
	struct listener_users users; /* in addition to root and our user */
	const char *remedy;          /* the end of the error text */
};

/* Where and how to connect; everything is copied. */
struct http_config {
	/*
	 * "https://host:port" without a trailing slash, or "unix:/path/of/socket" for
	 * plain HTTP/1.1 on a unix socket. The path of a request is appended.
	 */
	const char *base_url;
	const char *ca_pem;             /* the only trusted authorities; NULL: the system's */
	const char *cert_pem, *key_pem; /* client certificate; NULL: none */
	/*
	 * Verify the certificate for this name instead of the URL's host; NULL: the host
	 */
	const char *server_name;
	bool insecure; /* do not verify; only at the request of a user */
	/*
	 * "sha256//BASE64" (x509_public_key): accept only a certificate with this key,
	 * with any issuer and any names. Another key causes ERR_DENIED. NULL: no pinned
	 * key
	 */
	const char *public_key;
	/* Ignore proxies of the environment, which would see requests over plain HTTP */
	bool no_proxy;
	/*
	 * Connect only to servers on the network. A request ends with ERR_RETRY if the
	 * address of the peer is loopback, link-local, or not of a single machine
	 * (net/peer.h), for any host name. "unix:" is ERR_INVALID. No proxy is used,
	 * because it would hide the peer.
	 */
	bool refuse_local;
	/*
	 * Over plain HTTP to this machine, send requests only to trusted users
	 * (net/listener.h). If another user listens there, a request ends with ERR_RETRY.
	 * NULL: any user may listen. users and remedy must outlive the client
	 */
	const struct http_listeners *listeners;
	int max_in_flight;      /* 0: 180 */
	const char *user_agent; /* NULL: "slurm-operator" */
};
struct err http_curl_new(struct loop *uv_loop, const struct http_config *config, struct http **out);

/* The transport of a base_url, and third parties that may read its requests. */
enum http_way {
	HTTP_BY_SOCKET,     /* "unix:"; no third party */
	HTTP_BY_LOOPBACK,   /* http:// with a numeric loopback address; no third party */
	HTTP_BY_TLS,        /* https://; no third party */
	HTTP_IN_PLAIN_TEXT, /* http:// to a name or another address; anyone on the path */
};
/* ERR_INVALID: http_curl_new would refuse the base_url. */
struct err http_curl_look(const char *base_url, enum http_way *out);

/*
 * Makes an HTTP client for a Slurm REST server: http_curl_new in the real program,
 * another one in the simulator.
 */
typedef struct err http_factory(void *ctx, const struct http_config *config, struct http **out);

#endif
