/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of the gRPC client; private to this folder. */
#ifndef GRPC_CLIENT_PARTS_H
#define GRPC_CLIENT_PARTS_H

#include "base/budget.h"
#include "grpc/client.h"
#include "grpc/head.h"
#include "grpc/inbox.h"
#include "grpc/queue.h"
#include "grpc/wire.h"
#include "net/dial.h"

enum { HTTP_STATUS_OK = 200 };

/* A list of asks, the oldest first. */
struct ask_list {
	struct grpc_ask *first;
	int n;
};

struct grpc_client {
	struct loop *loop;
	struct grpc_client_config config; /* with defaults filled in; its texts are copies */
	struct budget messages;           /* memory of incomplete messages, unless it is shared */
	struct quota *quota;
	struct conn *conns;         /* all of them, the oldest first */
	struct conn *conn;          /* the connection for new asks; NULL: none */
	struct grpc_client_tcp tcp; /* from the configuration; copies */
	struct tls_role role;       /* on TCP */
	struct dial *dial;          /* on TCP: connects; NULL: not connecting */
	struct tls *shakes;         /* on TCP: the TLS handshake; NULL: none */
	struct ask_list waiting;    /* to be sent */
	struct ask_list parked;  /* their connection is closed, and messages are left to receive */
	struct ask_list over;    /* ended; done is to be called */
	struct ask_list telling; /* ended; done is called in this turn */
	size_t waiting_bytes;    /* queued by the waiting asks */
	struct timer *act;       /* connects, and sends waiting asks */
	/* Set by client.c and called by ask.c: an ask waits, or another ask may start */
	void (*asks_changed)(struct grpc_client *c);
	struct timer *tell;
	int64_t pause_ms, next_ms; /* no connection is tried before next_ms */
	uint64_t random;
	struct str trouble; /* why there is no connection; "": not tried yet */
};

/* A connection. */
struct conn {
	struct wire wire;
	struct grpc_client *client;
	struct conn *prev, *next;
	struct ask_list asks;
	struct timer *tick;
	bool greeted; /* the settings of the server have arrived */
	bool asked;   /* a PING was sent at the last tick */
};

struct grpc_ask {
	struct grpc_client *client;
	struct grpc_ask *prev, *next;
	struct ask_list *list; /* the list that the ask is in */
	struct conn *conn;     /* NULL: the ask waits, is parked, or has ended */
	int32_t stream;
	char *method;
	const struct grpc_ask_events *events; /* NULL: cancelled */
	void *ctx;
	int64_t began_ms, deadline_ms;
	struct timer *deadline, *resume;
	struct queue outbox, held; /* held: received while the ask was paused */
	struct inbox inbox;
	struct head head;        /* of the response, then of its trailers */
	bool sent;               /* its headers were sent */
	bool finished;           /* we send no more messages */
	bool deferred;           /* libnghttp2 waits for more of the outbox */
	bool drained;            /* writable is to be called: the outbox is empty */
	bool responded;          /* the headers of the response have arrived */
	bool paused, ended;      /* ended: everything has arrived */
	bool closed;             /* libnghttp2 has closed the stream */
	enum grpc_effect effect; /* valid when the ask is over, or ended */
	enum grpc_status status;
	struct str text;
};

/* A call was answered, so the server works. Ends the pause before the next connection. */
static inline void client_is_well(struct grpc_client *c) { c->pause_ms = c->next_ms = 0; }

/* ---- ask.c: called by client.c ---- */

void ask_move(struct grpc_ask *a, struct ask_list *to); /* NULL: out of its list */
/* Queues the headers of the ask. False: the connection accepts no more asks. */
bool ask_submit(struct grpc_ask *a, struct conn *t);
void ask_data(struct grpc_ask *a, const uint8_t *bytes, size_t n);
/* last: the headers end the stream. */
void ask_headers_came(struct grpc_ask *a, bool last);
/* The stream ended after messages, without trailers. */
void ask_data_ended(struct grpc_ask *a);
/* code: of RST_STREAM. */
void ask_stream_closed(struct grpc_ask *a, uint32_t code);
/*
 * Ends the ask, and cancels its stream. The first outcome counts; done is called in the
 * next turn.
 */
void ask_over(struct grpc_ask *a, enum grpc_effect effect, enum grpc_status status,
	const char *text);
/* asks_tell calls done of the asks that are over; asks_end ends all asks of a list. */
void asks_tell(void *client);
void asks_end(struct ask_list *list);

#endif
