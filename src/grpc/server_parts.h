/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the gRPC server share; private to this folder. */
#ifndef GRPC_SERVER_PARTS_H
#define GRPC_SERVER_PARTS_H

#include <sys/socket.h>

#include "base/budget.h"
#include "grpc/head.h"
#include "grpc/inbox.h"
#include "grpc/queue.h"
#include "grpc/server.h"
#include "grpc/wire.h"

/* A socket on which clients come. */
struct door {
	struct grpc_server *server;
	int fd;                 /* -1: closed */
	struct fd_watch *watch; /* NULL: nobody is let in */
	struct timer *again;    /* when descriptors or memory had run out */
	bool complained;        /* that no connection can be taken: once is enough */
	/* A client, whose socket it closes or gives to somebody who does. */
	void (*came)(struct grpc_server *s, int fd, const struct sockaddr_storage *from);
};

struct guest;

struct grpc_server {
	struct loop *loop;
	struct grpc_config config; /* without zeros */
	struct grpc_tcp tcp;       /* likewise; keys NULL: none */
	struct door unix_door, tcp_door;
	struct guest *guests; /* clients that shake hands, the oldest is first */
	int n_guests;
	int64_t told_ms;        /* when lines about clients that were refused are paid for */
	struct budget messages; /* those that are not whole */
	struct connection *connections;
	int n_connections;
	size_t under_way;
	bool finishing; /* the doors are closed */
};

struct connection {
	struct grpc_server *server;
	struct connection *prev, *next; /* the oldest is first */
	struct wire wire;
	struct grpc_peer peer;
	char *user;          /* whoever it is: text of uid or name */
	struct purse *purse; /* of its user */
	struct timer *tick;  /* until the preface, then now and then while it is silent */
	bool greeted;        /* the client's preface and settings came */
	bool asked;          /* by PING at the last tick */
	int64_t calm_ms;     /* when its resets will have been paid for */
	struct grpc_call *calls;
};

struct grpc_call {
	struct connection *connection;
	struct grpc_call *prev, *next;
	int32_t stream;
	struct head head;                 /* until it began */
	const struct grpc_method *method; /* NULL: not begun, refused, or told gone */
	void *state;
	int64_t deadline_ms;
	struct timer *deadline;
	struct inbox inbox;
	struct queue queue; /* messages with their prefixes */
	enum grpc_status status;
	struct str text; /* of the end, as it is sent */
	bool ended;      /* the client sends no more */
	bool responded;  /* our headers are queued */
	bool finished;   /* status and text are there */
	bool deferred;   /* libnghttp2 waits for more of the queue */
	bool drained;    /* the method is to hear that the queue is empty */
	bool closed;     /* the stream is no more: to be freed */
};

/* ---- server.c ---- */

/* The server's from now on, whoever its user is. */
void server_add(struct grpc_server *s, struct end end, const struct grpc_peer *peer);

/* ---- door.c ---- */

/* fd is the door's when it does not fail. */
struct err door_open(struct door *d, struct grpc_server *s, int fd,
	void (*came)(struct grpc_server *s, int fd, const struct sockaddr_storage *from));
/* Nobody comes any more; the fd is the caller's again. */
void door_leave(struct door *d);
void door_close(struct door *d); /* one that was never opened as well */

/* ---- guests.c ---- */

/* A client by TCP: it has to shake hands. */
void guest_came(struct grpc_server *s, int fd, const struct sockaddr_storage *from);
void guests_free(struct grpc_server *s);

/* ---- connection.c ---- */

/* The end is its own from now on; so is the user, from malloc. */
void connection_new(struct grpc_server *s, struct end end, const struct grpc_peer *peer,
	char *user);
void connection_free(struct connection *c); /* tells its calls that they are gone */
/* Something was queued: sent at the end of the turn, or on the next one. */
void connection_changed(struct connection *c);
/* A call was reset, by the client or because of it: too often, and that is its end. */
void connection_count_reset(struct connection *c);

/* ---- session.c ---- */

/* Its callbacks take the connection; its own settings are queued. */
nghttp2_session *session_new(struct connection *c);

/* ---- call.c ---- */

/* Its headers begin. */
struct grpc_call *call_new(struct connection *c, int32_t stream);
void call_begin(struct grpc_call *c); /* its headers are there */
/* Bytes of its messages, cut anywhere. */
void call_data(struct grpc_call *c, const uint8_t *bytes, size_t n);
void call_end(struct grpc_call *c); /* the client sends no more */
/* The next bytes of its queue, as libnghttp2 asks for them. */
nghttp2_ssize call_read(struct grpc_call *c, uint8_t *to, size_t most, uint32_t *flags);
/* The end of a turn: who is to be told that it is gone, or may send more. */
void calls_settle(struct connection *c);

#endif
