/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP server on the loop of libuv: one handler for all requests, on TCP or behind a
 * unix socket, with or without TLS. It speaks only HTTP/1.1 and 1.0, because
 * libmicrohttpd has no HTTP/2.
 *
 *     static void handle(void *ctx, struct exchange *x)
 *     {
 *             struct str body = { 0 };
 *             str_addf(&body, "you asked for %s\n", exchange_path(x));
 *             exchange_reply(x, 200, "text/plain", &body);
 *     }
 *
 * An exchange is a request and its answer. The handler is called when the complete
 * request has arrived, and does one of three things:
 *
 *   - it answers: exchange_reply;
 *   - it answers later: exchange_later, and exchange_reply when the time has come;
 *   - it streams: exchange_stream, then exchange_write as often as it likes, now or
 *     later, and exchange_end.
 *
 * After exchange_reply or exchange_end the handler must not use the exchange. If the
 * client disconnects before that, or the server is freed, gone(ctx) is called once, and
 * the exchange is freed. On TCP, a client that closes its sending side counts as gone,
 * because it looks like a client that died; on a unix socket only the client of a stream
 * does, because it leaves this way. If a handler does none of the three, the client gets
 * 500.
 *
 * Slow and hostile clients do not block others. A request has at most 16 KiB of head and
 * max_body_bytes of body (413). A request must arrive within request_ms of the connection
 * or of the previous answer, and the client must read its answer in the same time. An
 * idle connection is closed after 15 s. When all connections are in use, a new connection
 * replaces one that waits for its client: the oldest of the address with the most such
 * connections.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "net/loop.h"
#include "net/x509.h"

struct http_server;
struct exchange;

/* Called on the loop's thread. A handler may free the server. */
typedef void http_handler(void *ctx, struct exchange *x);

/* Everything is copied. */
struct http_server_config {
	/*
	 * ":8080", "127.0.0.1:0", "[::1]:8080", or "unix:/path/of/socket". The server
	 * replaces the socket file of a dead process; that of a running process causes
	 * ERR_INVALID. The socket file is removed with the server.
	 */
	const char *address;
	unsigned socket_mode; /* of the socket file; 0: 0600 */
	/*
	 * PEM files of the certificate and key for TLS (at least 1.2). When the files
	 * change, new connections get the new pair, and open connections continue. An
	 * unusable pair is logged, and the old pair stays. NULL: no TLS.
	 */
	const char *cert_file, *key_file;
	/*
	 * PEM file of authorities: a client must present a client certificate of one of
	 * them. The file is reloaded like the others. NULL: no client certificates.
	 */
	const char *client_ca_file;
	/*
	 * The client certificate is requested, but optional: exchange_client returns the
	 * subject of a valid one
	 */
	bool client_optional;
	/*
	 * Called with the handler's ctx after the pair was reloaded from the files. May
	 * be NULL
	 */
	void (*pair_changed)(void *ctx);
	int64_t reload_ms; /* interval of checks of the files; 0: 5 s */
	/*
	 * TLS without files: http_server_use_pair sets the pair, and until then no client
	 * can connect
	 */
	bool tls;
	size_t max_body_bytes; /* 0: only GET and HEAD, without a body */
	/*
	 * Limit for the bodies of all requests in flight. Above it, incomplete bodies are
	 * dropped and answered with 503: first bodies that take longer than a fifth of
	 * request_ms, then bodies longer than small_body_bytes, and among these the
	 * longest body of the address that holds the most bytes. 0: no limit
	 */
	size_t max_bodies_bytes, small_body_bytes;
	/*
	 * The handler is called when the head of a request has arrived, and decides
	 * whether to receive the body (exchange_take_body), so that no body of an
	 * unauthenticated client is stored. Without that call the body is discarded
	 */
	bool asks_first;
	int max_connections; /* 0: 64 */
	int64_t request_ms;  /* 0: 30 s */
	/*
	 * Maximum idle time of a connection before a request. Set it longer than the
	 * client's own limit, because a request on a connection that we are closing gets
	 * no answer. 0: request_ms
	 */
	int64_t keep_ms;
	/*
	 * Maximum time without reading for the client of a stream, and maximum time for
	 * reading the rest after the end of the stream. 0: 15 s, and request_ms
	 */
	int64_t stream_ms;
	http_handler *handler;
	void *ctx;
};
struct err http_server_new(struct loop *uv_loop, const struct http_server_config *config,
	struct http_server **out);
int http_server_port(const struct http_server *s); /* 0 for a unix socket */
/*
 * With .tls: sets the pair for new handshakes, from PEM texts, which are copied.
 * ERR_INVALID: not usable, and the old pair stays.
 */
struct err http_server_use_pair(struct http_server *s, const char *cert_pem, const char *key_pem);
/* PEM of the certificate for new connections, valid until it changes; NULL: none. */
const char *http_server_cert(const struct http_server *s);
/* Closes each connection after its next answer. */
void http_server_finish(struct http_server *s);
/* The number of open connections, including idle ones. */
size_t http_server_connections(const struct http_server *s);
/*
 * The number of requests whose heads have arrived, and whose answers are not sent yet;
 * without those that were broken off.
 */
size_t http_server_exchanges(const struct http_server *s);
void http_server_free(struct http_server *s); /* accepts NULL */

/* ---- the request; returned texts live as long as the exchange ---- */
const char *exchange_method(const struct exchange *x); /* "GET" */
/* The path, unescaped except for %00; without the query. */
const char *exchange_path(const struct exchange *x);
/* An argument of the query, unescaped; "" without a value, NULL when absent. */
const char *exchange_query(const struct exchange *x, const char *name);
/* The first header of this name (case-insensitive); NULL when absent. */
const char *exchange_header(const struct exchange *x, const char *name);
/*
 * With .client_ca_file: the subject of the client's certificate, in the arena. False: the
 * client presented no client certificate that one of the authorities has signed and that
 * is valid now.
 */
bool exchange_client(const struct exchange *x, struct arena *a, struct x509_subject *out);
/* The address of the client, in hexadecimal; on a unix socket each user has one. */
enum { EXCHANGE_FROM_BYTES = 33 };
const char *exchange_from(const struct exchange *x, char out[static EXCHANGE_FROM_BYTES]);
/* The process at the other end of a unix socket, when it connected; on TCP -1. */
struct exchange_peer {
	int64_t pid, uid, gid;
	int64_t since_ms; /* when the connection began, as loop_now_ms */
};
struct exchange_peer exchange_peer(const struct exchange *x);
/*
 * With .asks_first, after exchange_later: calls there with the ctx of exchange_later when
 * the body has arrived, even an empty one. Never calls there from within this call. If
 * the body is too long, the server answers the request and calls gone.
 */
void exchange_take_body(struct exchange *x, void (*there)(void *ctx));
/* The body, terminated; "" when there is none. */
const char *exchange_body(const struct exchange *x, size_t *bytes);
/* Frees the body, which counts against max_bodies_bytes until then, or to the answer. */
void exchange_drop_body(struct exchange *x);

/* ---- the answer; the type is a literal ---- */
/* Adds a header to the answer; call it before the answer. Literals, at most two. */
void exchange_add_header(struct exchange *x, const char *name, const char *value);
/* Takes ownership of the body, which is empty afterwards. */
void exchange_reply(struct exchange *x, int status, const char *type, struct str *body);
/*
 * A long text at the beginning of several answers, which share one copy. The text is
 * freed when its maker has left it and the last of these answers was sent.
 * http_shared_new takes ownership of the text
 */
struct http_shared;
struct http_shared *http_shared_new(struct str *text);
const char *http_shared_text(const struct http_shared *s, size_t *bytes);
/* Add an owner of the text, and remove an owner. */
struct http_shared *http_shared_join(struct http_shared *s);
void http_shared_leave(struct http_shared *s); /* accepts NULL */
/* True if the text has an owner besides its maker. NULL: false. */
bool http_shared_is_read(const struct http_shared *s);
/*
 * Replies with the shared text, then rest, of which it takes ownership. shared NULL: only
 * rest.
 */
void exchange_reply_shared(struct exchange *x, int status, const char *type,
	struct http_shared *shared, struct str *rest);
/*
 * In the handler: announces an answer that follows later. After the handler: replaces
 * gone and ctx, so that other code can continue the exchange.
 */
void exchange_later(struct exchange *x, void (*gone)(void *ctx), void *ctx);
/*
 * Sends the head of an answer without a length; may also be called later. For HEAD this
 * completes the answer, and gone is called.
 */
void exchange_stream(struct exchange *x, int status, const char *type, void (*gone)(void *ctx),
	void *ctx);
/*
 * Sends a piece at once. Returns false, and sends nothing, while 1 MiB is queued for a
 * slow client. In that case end the stream, or try again later. A client that reads
 * nothing for 15 s counts as gone.
 */
bool exchange_write(struct exchange *x, const void *bytes, size_t n);
/* Number of queued bytes of a stream. */
size_t exchange_waiting(const struct exchange *x);
/*
 * Calls drained, with the ctx of gone, whenever the client has read the whole stream so
 * far, until the stream is ended.
 */
void exchange_on_drained(struct exchange *x, void (*drained)(void *ctx));
/* Sends the queued rest, and ends the answer. */
void exchange_end(struct exchange *x);
/* Ends an incomplete stream: the client sees that its end is missing. */
void exchange_break(struct exchange *x);

#endif
