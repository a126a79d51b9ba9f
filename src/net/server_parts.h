/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the HTTP server; private to this folder.
 *
 *     server.c           libmicrohttpd on the loop: start, turn, free
 *     server_exchange.c  a request and its answer
 *     server_bodies.c    the memory limit for request bodies
 *     server_limits.c    connections and their time limits
 *     server_listen.c    addresses and unix sockets
 *     server_tls.c       the certificate and its key, with reload
 *     server_client.c    the certificates of clients
 *
 * A connection whose answer comes later is suspended: libmicrohttpd ignores its socket
 * until it is resumed. Meanwhile we watch the socket, to detect that the client
 * disconnects.
 */
#ifndef NET_SERVER_PARTS_H
#define NET_SERVER_PARTS_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"
#include "net/fd.h"
#include "net/listen.h"
#include "net/server.h"

enum {
	SERVER_IDLE_SECONDS = 15,
	SERVER_CONNECTIONS = 64,
	SERVER_SPARE_CONNECTIONS = 16, /* connections that are being closed */
	SERVER_HEAD_BYTES = 16 << 10,
	SERVER_REQUEST_MS = 30000,
	SERVER_RELOAD_MS = 5000,
	SERVER_STREAM_BYTES = 1 << 20,
	SERVER_PIECE_BYTES = 4 << 10,
};

/* The party that a connection waits for. */
enum turn {
	TURN_CLIENT_SENDS,
	TURN_KEPT, /* the client may send a request, also the first */
	TURN_HANDLER,
	TURN_CLIENT_TAKES,
	TURN_CLIENT_TAKES_STREAM, /* the rest of a stream after its end */
	TURN_OVER,                /* the connection is being closed */
};

enum { ADDRESS_BYTES = 16 };

/* State shared by the connections of one address, or of one user of a unix socket. */
struct client {
	unsigned char address[ADDRESS_BYTES]; /* without the port; or the uid */
	size_t n_connections, bodies_bytes;
	size_t n_awaited; /* counted when room is made */
	UT_hash_handle hh;
};

struct connection {
	struct connection *prev, *next; /* utlist: the oldest first */
	int fd;
	struct client *client;
	enum turn turn;
	int64_t since_ms, began_ms;
};

struct exchange {
	struct exchange *prev, *next; /* utlist */
	struct http_server *server;
	struct MHD_Connection *mhd;
	char *method, *path;
	int64_t since_ms; /* start of the wait for its body */
	struct str body;
	size_t counted; /* bytes of its body in bodies_bytes of its server and its client */
	bool whole;     /* the body is complete, or absent */
	bool too_large, too_many, asked, in_handler;
	bool goes_on;             /* with asks_first: the bytes after the head are read */
	void (*there)(void *ctx); /* with asks_first: receives the body; NULL: unset */
	struct MHD_Response *response;
	struct {
		const char *name, *value;
	} headers[2]; /* additional headers of the answer; NULL: none */
	int status;
	bool suspended; /* and its socket is watched */
	struct fd_watch *watch;
	bool over; /* only libmicrohttpd still uses it */
	bool streams, ended, broken;
	bool cut;       /* broken off: the client must see that the end is missing */
	struct str out; /* of a stream: bytes not sent yet */
	size_t out_sent;
	void (*gone)(void *ctx);
	void (*drained)(void *ctx);
	void *ctx;
};

struct listener {
	int fd, port;
	char *path; /* of a unix socket */
	dev_t device;
	ino_t inode;
};

struct tls_pair;

struct http_server {
	struct loop *loop;
	struct MHD_Daemon *daemon;
	struct listener listener;
	struct fd_watch *watch;
	struct timer *timer, *clock;
	struct tls_pair *tls; /* NULL: no TLS */
	size_t max_body_bytes, max_connections, n_connections;
	size_t max_bodies_bytes, small_body_bytes, bodies_bytes;
	bool asks_first;
	int64_t request_ms, keep_ms, stream_ms;
	bool finishing;
	http_handler *handler;
	void *ctx;
	struct connection *connections;
	struct client *clients; /* uthash by address */
	struct exchange *exchanges;
	int busy;  /* depth of callers' callbacks on the stack */
	bool dead; /* destroy the server when busy is 0 */
	void (*destroy)(struct http_server *s);
};

/* Enclose code that may call a handler; server_leave may free the server. */
static inline void server_enter(struct http_server *s) { s->busy++; }
static inline void server_leave(struct http_server *s)
{
	if (--s->busy == 0 && s->dead)
		s->destroy(s);
}

/* Maximum idle time of a connection */
static inline unsigned server_idle_seconds(const struct http_server *s)
{
	int64_t keep = s->keep_ms / 1000 + 1;
	return (unsigned)(keep > SERVER_IDLE_SECONDS ? keep : SERVER_IDLE_SECONDS);
}

/* server_exchange.c: called by libmicrohttpd */
enum MHD_Result exchange_step(void *server, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **exchange);
void exchange_completed(void *server, struct MHD_Connection *c, void **exchange,
	enum MHD_RequestTerminationCode how);
size_t exchange_unescape(void *unused, struct MHD_Connection *c, char *text);
/* Sends the complete answer, which the exchange then owns. */
void exchange_respond(struct exchange *x, int status, const char *type, struct MHD_Response *r);
void exchanges_tell_gone(struct http_server *s); /* calls gone of all exchanges */
void exchanges_resume(struct http_server *s);    /* lets the server stop */

/* server_bodies.c */
/* Adds bytes to the body. At the memory limit, marks a body as too_many. */
void body_take(struct exchange *x, const char *bytes, size_t n);
void body_release(struct exchange *x);

/* server_limits.c */
struct client *client_of(struct MHD_Connection *c);
void connection_notified(void *server, struct MHD_Connection *c, void **connection,
	enum MHD_ConnectionNotificationCode what);
void connection_turn(struct http_server *s, struct MHD_Connection *c, enum turn turn);
/*
 * The client has closed its sending side, and not its socket. On TCP this cannot be seen:
 * false.
 */
bool connection_still_reads(struct MHD_Connection *c);
/*
 * We have shut the connection down. A request that was sent before may still be read, but
 * must not be carried out, because no answer could be sent.
 */
bool connection_is_over(struct MHD_Connection *c);
/* The head of the connection's next request has arrived. */
void connection_goes_on(struct http_server *s, struct MHD_Connection *c);

/* server_listen.c */
struct err listener_open(const char *address, unsigned socket_mode, struct listener *out);
void listener_remove(struct listener *l); /* removes the socket file; MHD owns the descriptor */

/* server_tls.c */
struct err pair_open(struct loop *l, const struct http_server_config *config,
	struct tls_pair **out);
/* The options of a daemon with TLS, for MHD_OPTION_ARRAY. */
const struct MHD_OptionItem *pair_options(void);
struct err pair_take(struct tls_pair *t, const char *cert_pem, const char *key_pem);
const char *pair_cert(const struct tls_pair *t); /* PEM; NULL: none yet */
/* Sets the pair for the handshakes of this turn; NULL: none. */
void pair_use(const struct tls_pair *t);
void pair_close(struct tls_pair *t); /* accepts NULL */
/* The trusted authorities of clients; NULL: no client certificates. */
gnutls_x509_trust_list_t pair_clients(const struct tls_pair *t);

/* server_client.c */
/*
 * Whether the client presented a certificate; whether one of these authorities signed it.
 */
bool client_shows_one(gnutls_session_t session);
bool client_is_trusted(gnutls_session_t session, gnutls_x509_trust_list_t by);

#endif
