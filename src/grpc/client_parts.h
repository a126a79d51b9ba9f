/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the gRPC client share; private to this folder. */
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

/* Asks, the oldest first. */
struct ask_list {
	struct grpc_ask *first;
	int n;
};

struct grpc_client {
	struct loop *loop;
	struct grpc_client_config config; /* without zeros; its texts are copies */
	struct budget messages;           /* those that are not whole */
	struct purse *purse;
	struct trunk *trunks;       /* all of them, the oldest first */
	struct trunk *trunk;        /* the one that takes asks; NULL: none */
	struct grpc_client_tcp tcp; /* of the configuration; copies */
	struct tls_role role;       /* by TCP */
	struct dial *dial;          /* by TCP: connects; NULL: it does not */
	struct tls *shakes;         /* likewise: shakes hands */
	struct ask_list waiting;    /* to be sent */
	struct ask_list parked;     /* their trunk has gone, not all messages are taken */
	struct ask_list over;       /* to be told */
	struct ask_list telling;    /* those of this turn */
	size_t waiting_bytes;       /* that those who wait will send */
	struct timer *act;          /* connects, sends who waits */
	struct timer *tell;
	int64_t pause_ms, next_ms; /* no connection is tried before next_ms */
	uint64_t random;
	struct str trouble; /* why there is no connection; "": it was not tried */
};

/* A connection. */
struct trunk {
	struct wire wire;
	struct grpc_client *client;
	struct trunk *prev, *next;
	struct ask_list asks;
	struct timer *tick;
	bool greeted; /* the settings of the server came */
	bool asked;   /* by PING at the last tick */
};

struct grpc_ask {
	struct grpc_client *client;
	struct grpc_ask *prev, *next;
	struct ask_list *list; /* that it is in */
	struct trunk *trunk;   /* NULL: it waits, is parked, or is over */
	int32_t stream;
	char *method;
	const struct grpc_ask_events *events; /* NULL: cancelled */
	void *ctx;
	int64_t deadline_ms;
	struct timer *deadline, *resume;
	struct queue outbox, held; /* held: came while it was paused */
	struct inbox inbox;
	struct head head;    /* of the answer, then of its end */
	bool sent;           /* its headers went out */
	bool finished;       /* no more messages of ours */
	bool deferred;       /* libnghttp2 waits for more of the outbox */
	bool drained;        /* it is to hear that the outbox is empty */
	bool responded;      /* the headers of the answer came */
	bool paused, ended;  /* ended: all has come */
	bool closed;         /* libnghttp2 has no such stream any more */
	enum grpc_fate fate; /* when it is over, or ended */
	enum grpc_status status;
	struct str text;
};

/* ---- client.c ---- */

/* Something that waits may be possible now. */
void client_act(struct grpc_client *c);
/* A call was answered: the server is well. */
void client_is_well(struct grpc_client *c);

/* ---- connect.c ---- */

/* A trunk, now or later, or a try that fails; the pause grows. */
void client_connect(struct grpc_client *c);
bool client_is_connecting(const struct grpc_client *c);
void client_stop_connecting(struct grpc_client *c);

/* ---- trunk.c ---- */

/* The end is its own from now on. */
void trunk_new(struct grpc_client *c, struct end end);
/* No more asks than it has. */
void trunk_retire(struct trunk *t);
/* The server thinks that there are too many PINGs. */
void trunk_not_so_often(struct trunk *t);
/* What is not over becomes so, because of why. */
void trunk_free(struct trunk *t, const char *why);
/* Sends those who wait, as many as it takes. */
void trunk_fill(struct trunk *t);
/* A session whose callbacks take the trunk; in client_session.c. */
nghttp2_session *trunk_session(struct trunk *t);

/* ---- ask.c ---- */

void ask_move(struct grpc_ask *a, struct ask_list *to); /* NULL: out of any */
/* Its headers are queued. False: the trunk takes no more. */
bool ask_submit(struct grpc_ask *a, struct trunk *t);
/* The next bytes of its outbox, as libnghttp2 asks for them. */
nghttp2_ssize ask_read(struct grpc_ask *a, uint8_t *to, size_t most, uint32_t *flags);
void ask_data(struct grpc_ask *a, const uint8_t *bytes, size_t n);
/* The last bytes have come. It is over when they are taken. */
void ask_ended(struct grpc_ask *a, enum grpc_fate fate, enum grpc_status status, const char *text);
/* The first outcome counts; told on the next turn. What goes on is given up. */
void ask_over(struct grpc_ask *a, enum grpc_fate fate, enum grpc_status status, const char *text);
/* It is over, because its deadline has passed. */
void ask_too_late(struct grpc_ask *a);
/* Tells those that are over; and those of a list, now. */
void asks_tell(void *client);
void asks_end(struct ask_list *list);

/* ---- ending.c: what the frames of a server say about the end of a call ---- */

/* last: nothing comes behind them. */
void ask_headers_came(struct grpc_ask *a, bool last);
/* Nothing comes behind messages. */
void ask_data_ended(struct grpc_ask *a);
/* With a code of RST_STREAM. */
void ask_stream_closed(struct grpc_ask *a, uint32_t code);
/* Messages beyond the limits. */
void ask_refuse(void *ask, enum inbox_fault fault, const char *text);

#endif
