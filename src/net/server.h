/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP server on the loop of libuv: one handler for all requests, on TCP or behind a
 * unix socket, with or without TLS. HTTP/1.1 and 1.0: libmicrohttpd, which does the work,
 * has no HTTP/2.
 *
 *     static void handle(void *ctx, struct exchange *x)
 *     {
 *             struct str body = { 0 };
 *             str_addf(&body, "you asked for %s\n", exchange_path(x));
 *             exchange_reply(x, 200, "text/plain", &body);
 *     }
 *
 * An exchange is one request and the answer to it. The handler is called when the whole
 * request is there, and does one of three things:
 *
 *   - it answers: exchange_reply;
 *   - it answers later: exchange_later, and exchange_reply when the time has come;
 *   - it streams: exchange_stream, then exchange_write as often as it likes, now or
 *     later, and exchange_end.
 *
 * After exchange_reply and exchange_end the exchange is not the handler's any more. Until
 * then the client may go away, or the server be freed: gone(ctx) is called, once, and the
 * exchange is no more. A client that closes its sending side counts as gone: nobody can
 * tell it from one that died. A handler that does none of the three has its client
 * answered 500.
 *
 * Slow and evil clients hold nobody up: a request has at most 16 KiB of head and
 * max_body_bytes of body (413), has to be there request_ms after the connection or the
 * answer before it, and its answer has to be taken in the same time. A connection on
 * which nothing happens is closed after 15 s. When all connections are taken, the address
 * that has most of those that keep us waiting makes room for a new one, with its oldest.
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

/* On the loop's thread. It may free the server. */
typedef void http_handler(void *ctx, struct exchange *x);

/* Everything is copied. */
struct http_server_config {
	/*
	 * ":8080", "127.0.0.1:0", "[::1]:8080", or "unix:/path/of/socket". The socket
	 * file that a dead process left is replaced, that of a living one is not:
	 * ERR_INVALID. It is removed with the server.
	 */
	const char *address;
	unsigned socket_mode; /* of the socket file; 0: 0600 */
	/*
	 * PEM files: with them the server speaks TLS (1.2 at least). When they change,
	 * new connections get the new pair, those that are open live on. A pair that is
	 * not usable is logged, and the old one stays. NULL: plain.
	 */
	const char *cert_file, *key_file;
	/*
	 * PEM: a client has to show a certificate of one of these authorities, made for
	 * clients. Changes like the others. NULL: nobody is asked for one.
	 */
	const char *client_ca_file;
	/*
	 * Clients are asked for it, and served without as well: exchange_client tells who
	 * showed one that counts
	 */
	bool client_optional;
	/*
	 * With the handler's ctx: the pair of the files has been replaced. May be NULL
	 */
	void (*pair_changed)(void *ctx);
	int64_t reload_ms; /* how often the files are looked at; 0: 5 s */
	/*
	 * TLS without a pair in files: http_server_use_pair gives it, and until then
	 * nobody can connect
	 */
	bool tls;
	size_t max_body_bytes; /* 0: no body is taken, and GET and HEAD alone */
	/*
	 * Of all requests that are under way. When there is no room, the bodies that are
	 * not whole make room, and are answered 503: those first that take longer than a
	 * fifth of request_ms, then those longer than small_body_bytes, and of these the
	 * longest one of the address that holds most. 0: any
	 */
	size_t max_bodies_bytes, small_body_bytes;
	/*
	 * The handler is called when the head of a request is there, and says whether its
	 * body is to be taken (exchange_take_body): nothing is kept of a client before it
	 * is known who it is. What it sends all the same is thrown away
	 */
	bool asks_first;
	int max_connections; /* 0: 64 */
	int64_t request_ms;  /* 0: 30 s */
	/*
	 * So long a connection may wait for its next request. Longer than the client
	 * keeps it: who sends on a connection that we are closing is not answered. 0: as
	 * request_ms
	 */
	int64_t keep_ms;
	/*
	 * So long the client of a stream may take nothing, and so long may what waits at
	 * its end take. 0: 15 s, and request_ms
	 */
	int64_t stream_ms;
	http_handler *handler;
	void *ctx;
};
struct err http_server_new(struct loop *uv_loop, const struct http_server_config *config,
	struct http_server **out);
int http_server_port(const struct http_server *s); /* 0 for a unix socket */
/*
 * With .tls: PEM texts, copied; handshakes from now on have them. ERR_INVALID: not
 * usable, the old ones stay.
 */
struct err http_server_use_pair(struct http_server *s, const char *cert_pem, const char *key_pem);
/*
 * PEM of the certificate that it shows to new connections, until it changes; NULL: none.
 */
const char *http_server_cert(const struct http_server *s);
/* Each answer is the last one of its connection from now on. */
void http_server_finish(struct http_server *s);
/* Requests that are not answered yet. */
size_t http_server_under_way(const struct http_server *s);
void http_server_free(struct http_server *s); /* accepts NULL */

/* ---- the request; what is returned lives as long as the exchange ---- */
const char *exchange_method(const struct exchange *x); /* "GET" */
/* The path with its escapes undone, but for %00; without the query. */
const char *exchange_path(const struct exchange *x);
/* An argument of the query, its escapes undone; "" without a value, NULL when absent. */
const char *exchange_query(const struct exchange *x, const char *name);
/* The first header of this name (in any case); NULL when absent. */
const char *exchange_header(const struct exchange *x, const char *name);
/*
 * With .client_ca_file: whom the certificate of the client names, in the arena. False: it
 * showed none, or none that one of the authorities has signed, that was made for clients
 * and is valid now.
 */
bool exchange_client(const struct exchange *x, struct arena *a, struct x509_subject *out);
/* The address from which it came, in hexadecimal; a unix socket has one for all. */
enum { EXCHANGE_FROM_BYTES = 33 };
const char *exchange_from(const struct exchange *x, char out[static EXCHANGE_FROM_BYTES]);
/*
 * With .asks_first, after exchange_later, and with its ctx: there is called when the body
 * is there, also when it is empty, and never from within. One that is too long is
 * answered by the server: gone is called.
 */
void exchange_take_body(struct exchange *x, void (*there)(void *ctx));
/* Terminated; "" when there is none. */
const char *exchange_body(const struct exchange *x, size_t *bytes);

/* ---- the answer; the type is a literal ---- */
/* Takes the body over: it is empty afterwards. */
void exchange_reply(struct exchange *x, int status, const char *type, struct str *body);
/*
 * A long text that several answers begin with, without a copy each: it is kept until its
 * maker has left it and the last of them was sent. Takes the text over
 */
struct http_shared;
struct http_shared *http_shared_new(struct str *text);
const char *http_shared_text(const struct http_shared *s, size_t *bytes);
void http_shared_leave(struct http_shared *s); /* accepts NULL */
/* The text, then rest, which is taken over. shared NULL: rest alone. */
void exchange_reply_shared(struct exchange *x, int status, const char *type,
	struct http_shared *shared, struct str *rest);
/*
 * From within the handler: the answer comes later. Later: somebody else will give it, and
 * is told when the client has gone.
 */
void exchange_later(struct exchange *x, void (*gone)(void *ctx), void *ctx);
/*
 * The head of an answer without a length. May come later too. The answer to HEAD is whole
 * with it: gone is called.
 */
void exchange_stream(struct exchange *x, int status, const char *type, void (*gone)(void *ctx),
	void *ctx);
/*
 * A piece goes out at once. False, and nothing is taken, when a MiB waits for a client
 * that takes it slowly: end the stream, or come back. One that takes nothing for 15 s is
 * gone.
 */
bool exchange_write(struct exchange *x, const void *bytes, size_t n);
/* Bytes of a stream that wait for its client. */
size_t exchange_waiting(const struct exchange *x);
/*
 * Of a stream: drained is called, with the ctx of gone, whenever all that was written has
 * been taken, until the stream is ended.
 */
void exchange_on_drained(struct exchange *x, void (*drained)(void *ctx));
/* Sends what waits, and ends the answer. */
void exchange_end(struct exchange *x);
/* The same for a stream that is not whole: the client sees that its end is missing. */
void exchange_break(struct exchange *x);

#endif
