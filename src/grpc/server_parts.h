/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of the gRPC server; private to this folder. */
#ifndef GRPC_SERVER_PARTS_H
#define GRPC_SERVER_PARTS_H

#include <sys/socket.h>

#include "base/budget.h"
#include "grpc/head.h"
#include "grpc/inbox.h"
#include "grpc/queue.h"
#include "grpc/server.h"
#include "grpc/wire.h"

/* A listening socket. */
struct grpc_listener {
	struct grpc_server *server;
	int fd;                 /* -1: closed */
	struct fd_watch *watch; /* NULL: not accepting */
	struct timer *again;    /* retries after descriptors or memory ran out */
	bool complained;        /* logged once that no connection can be accepted */
	/* Receives a client; it closes the socket or passes it on to an owner. */
	void (*came)(struct grpc_server *s, int fd, const struct sockaddr_storage *from);
};

struct handshake;

struct grpc_server {
	struct loop *loop;
	struct grpc_config config; /* with defaults filled in */
	struct grpc_tcp tcp;       /* with defaults filled in; keys NULL: no TCP */
	struct grpc_listener unix_grpc_listener, tcp_grpc_listener;
	struct handshake *handshakes; /* clients in the handshake, the oldest first */
	int n_handshakes;
	int64_t told_ms;        /* rate limit of log lines about refused clients */
	struct budget messages; /* memory of incomplete messages */
	struct connection *connections;
	int n_connections;
	size_t under_way;
	uint64_t connections_closed, messages_refused; /* as in grpc_counts */
	bool finishing;                                /* the listening sockets are closed */
};

struct connection {
	struct grpc_server *server;
	struct connection *prev, *next; /* the oldest first */
	struct wire wire;
	struct grpc_peer peer;
	char *user;          /* "uid N" or "name N" of the client */
	struct quota *quota; /* of its user */
	struct timer *tick;  /* limits the wait for the preface, then the silence */
	bool greeted;        /* the client's preface and settings have arrived */
	bool asked;          /* a PING was sent at the last tick */
	int64_t calm_ms;     /* rate limit of resets: the time when all resets are paid for */
	struct grpc_call *calls;
};

struct grpc_call {
	struct connection *connection;
	struct grpc_call *prev, *next;
	int32_t stream;
	struct head head;                 /* until the call begins */
	const struct grpc_method *method; /* NULL: not begun, refused, or gone was called */
	void *state;
	int64_t began_ms, deadline_ms;
	struct timer *deadline;
	struct inbox inbox;
	struct queue queue; /* messages with their prefixes */
	enum grpc_status status;
	struct str text; /* of grpc-message, encoded */
	bool ended;      /* the client sends no more */
	bool responded;  /* our headers are queued */
	bool finished;   /* status and text are set */
	bool deferred;   /* libnghttp2 waits for more of the queue */
	bool drained;    /* writable is to be called: the queue is empty */
	bool closed;     /* the stream is closed: free the call */
};

/* ---- grpc_listener.c ---- */

/* Opens the listener, which owns fd on success. */
struct err grpc_listener_open(struct grpc_listener *d, struct grpc_server *s, int fd,
	void (*came)(struct grpc_server *s, int fd, const struct sockaddr_storage *from));
/* Stops accepting; fd belongs to the caller again. */
void grpc_listener_leave(struct grpc_listener *d);
void grpc_listener_close(struct grpc_listener *d); /* also when it was never opened */

/* ---- handshakes.c ---- */

/* Starts the TLS handshake of a TCP client. */
void handshake_came(struct grpc_server *s, int fd, const struct sockaddr_storage *from);
void handshakes_free(struct grpc_server *s);

/* ---- connection.c ---- */

/*
 * Adds a connection of any user, which the server owns from now on. Closes the end
 * instead if the user has too many connections.
 */
void connection_add(struct grpc_server *s, struct end end, const struct grpc_peer *peer);
void connection_free(struct connection *c); /* calls gone for its calls */
/* Sends queued frames at the end of this turn, or in the next turn. */
static inline void connection_changed(struct connection *c) { wire_changed(&c->wire); }

/* ---- session.c ---- */

/* Makes a session whose callbacks receive the connection, and queues our settings. */
nghttp2_session *session_new(struct connection *c);

/* ---- call.c ---- */

/* Makes a call when its headers begin. */
struct grpc_call *call_new(struct connection *c, int32_t stream);
void call_begin(struct grpc_call *c); /* its headers have arrived */
/* Receives bytes of its messages, split anywhere. */
void call_data(struct grpc_call *c, const uint8_t *bytes, size_t n);
void call_end(struct grpc_call *c); /* the client sends no more */
/* Copies the next bytes of the queue for libnghttp2. */
nghttp2_ssize call_read(struct grpc_call *c, uint8_t *to, size_t most, uint32_t *flags);
/* Calls gone and writable where due, at the end of a turn. */
void calls_settle(struct connection *c);

#endif
