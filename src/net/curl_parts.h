/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the libcurl client; private to this folder.
 *
 *     http_curl.c    the queue: send, cancel, finish, free
 *     curl_address.c the address of the destination
 *     curl_easy.c    a request as an easy handle
 *     curl_error.c   the error of a failed request
 *     curl_memory.c  overwrites memory that libcurl frees
 *     curl_socket.c  the multi interface on the loop: sockets and time
 *
 * Callbacks of callers do not run inside libcurl. Received bytes and ended requests are
 * collected, and passed on after libcurl has returned. So a caller may send, cancel and
 * free from within its callbacks.
 */
#ifndef NET_CURL_PARTS_H
#define NET_CURL_PARTS_H

#include <curl/curl.h>

#include "base/str.h"
#include "net/http.h"
#include "net/loop_uv.h"

enum {
	/*
	 * Fits into two HTTP/2 connections: an API server accepts 100 concurrent requests
	 * on each (Kubernetes 1.34)
	 */
	CURL_MAX_IN_FLIGHT = 180,
	CURL_IDLE_HANDLES = 32,
	CURL_PLAIN_CONNECTIONS = 16, /* HTTP/1.1 carries one request for each connection */
	CURL_TLS_CONNECTIONS = 4,
	CURL_CONNECT_TIMEOUT_MS = 5000,
	CURL_IDLE_S = 15,         /* the next request closes a plain connection idle for longer */
	CURL_SPARE_FDS = 4,       /* a connection and its name lookup need fewer */
	CURL_WARNING_BYTES = 400, /* of a Warning header, which is for people */
	CURL_DEFAULT_TIMEOUT_MS = 30000,
	CURL_DEFAULT_ANSWER_BYTES = 64 << 20,
	CURL_UPLOAD_BUFFER_BYTES = 16 << 10,
	/*
	 * Limit of a streamed answer in one turn of the loop. Without it libcurl reads as
	 * long as a fast peer sends
	 */
	CURL_PIECE_BYTES = 64 << 10,
	/*
	 * Maximum sleep, because libcurl may fail to wake one of many uploads on a
	 * connection
	 */
	CURL_GUARD_MS = 50,
};

struct curl_http;

enum call_place { CALL_QUEUED, CALL_ACTIVE, CALL_BROKEN };

struct http_call {
	struct http_call *prev, *next; /* utlist: the list for this place */
	struct curl_http *http;
	enum call_place place;
	char *method, *url, *body;
	size_t body_bytes, body_sent;
	struct curl_slist *headers; /* headers of the request */
	struct curl_slist *all_headers;
	int64_t timeout_ms, idle_timeout_ms, max_wait_ms, queued_ms;
	const int64_t *leave_by_ms;
	size_t max_answer_bytes;
	bool (*on_data)(void *ctx, const char *bytes, size_t n); /* on_body as well */
	bool stream;
	void (*drop)(void *ctx);
	http_done *done;
	void *ctx;

	CURL *easy;
	char curl_error[CURL_ERROR_SIZE];
	struct str answer; /* the body so far; with on_data: the bytes not passed on yet */
	int64_t asked_ms, last_data_ms, retry_after_ms;
	char warning[CURL_WARNING_BYTES];
	int status;
	struct timer *idle_timer;
	bool too_large, secret;
	bool paused;    /* its reader has received enough in this turn of the loop */
	bool has_data;  /* in the list of calls with bytes to pass on */
	bool in_caller; /* its on_data is running */
	bool cancelled; /* cancelled while on_data was running */
	struct http_call *next_ready;
	struct err broken; /* why the call could not start, or had no socket */
};

/* A multi handle of libcurl on the loop. */
struct curl_mux {
	void (*hand_out)(struct curl_mux *m); /* passes on what libcurl received */
	struct curl_http *http;
	CURLM *multi; /* NULL until the first request */
	struct timer *timer, *guard, *resume;
	struct mux_socket *sockets;
	struct http_call *active; /* utlist */
	struct http_call *ready;  /* calls with bytes for on_data, by next_ready */
	int n_active;
	bool guarded;
	bool closing;
};

struct curl_http {
	struct http base; /* first: a struct http * is this */
	struct loop *loop;
	struct curl_mux requests, streams;
	struct http_call *queue, *broken; /* utlist */
	struct timer *broken_timer;
	int max_in_flight;
	CURL *idle[CURL_IDLE_HANDLES];
	int n_idle;
	int in_caller; /* depth of callers' callbacks on the stack */
	bool dead;     /* freed by one of the callbacks */

	char *url_start;   /* prefix of the URL, before the path */
	char *unix_socket; /* path of the unix socket; NULL: TCP */
	char *ca_pem, *cert_pem, *key_pem, *user_agent, *bearer, *public_key;
	struct curl_slist *connect_to;
	struct http_listeners listeners; /* remedy NULL: any listener */
	bool tls, loopback, insecure, no_proxy, refuse_local;
};

static inline struct curl_mux *call_mux(struct http_call *c)
{
	return c->stream ? &c->http->streams : &c->http->requests;
}

/* curl_address.c */
struct err destination_read(struct curl_http *h, const struct http_config *config);
void destination_free(struct curl_http *h); /* frees the members that destination_read set */
bool text_clean(const char *text);          /* no control character; NULL is clean */

/* curl_easy.c */
CURL *easy_take(struct curl_http *h);
void easy_give_back(struct curl_http *h, CURL *easy);
struct err easy_prepare(struct http_call *c);

/* curl_error.c */
struct err easy_outcome(struct http_call *c, CURLcode code);
struct err call_error(const struct http_call *c, struct err e); /* prefixed with the request */

/* curl_memory.c */
void curl_memory_init(void); /* curl_global_init */

/* curl_socket.c */
void mux_init(struct curl_mux *m, struct curl_http *h, bool guarded,
	void (*hand_out)(struct curl_mux *m));
struct err mux_add(struct curl_mux *m, struct http_call *c);
void mux_remove(struct curl_mux *m, struct http_call *c);
void mux_close(struct curl_mux *m);
/* Resumes paused transfers in the next turn of the loop. */
void mux_resume(struct curl_mux *m);

#endif
