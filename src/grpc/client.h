/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gRPC client (HTTP/2 to a unix socket, or by TLS on TCP) on the loop of libuv.
 *
 *     grpc_client_new(loop, &config, &client);
 *     static const struct grpc_ask_events events = { .message = answered, .done = over };
 *     struct grpc_ask *a = grpc_ask_start(client, "/api.WorkloadManager/JobInfo", 30000,
 *             &events, ctx);
 *     grpc_ask_send(a, bytes, n);
 *     grpc_ask_end(a);
 *
 * An ask is a call that we make. It hears each message whole, and hears once, by done,
 * how it ended; then it is gone. Each one has a deadline, which the server is told and
 * which is kept here, too: done comes at the deadline, whatever the server does.
 *
 * Callbacks come from the loop, never from within a function of this header, with one
 * exception: grpc_client_free ends each ask with GRPC_CANCELLED. No callback may call
 * grpc_client_free, and none that comes from it may start an ask.
 *
 * All asks share one connection. It is made when it is first needed, and again when it is
 * lost, at once or after a pause that grows from 100 ms to 10 s while no call is
 * answered. Meanwhile asks wait, and those whose deadline passes end with
 * GRPC_UNAVAILABLE and what is wrong. They also wait while max_calls, or as many as the
 * server allows at a time, are under way. No ask is sent twice.
 *
 * A server that says nothing for ping_ms while it owes an answer is sent a PING. The
 * connection is given up when nothing comes in patience_ms, and so is one whose server
 * does not begin as HTTP/2 does in that time; so long may connecting take, and so long
 * shaking hands. A server that wants no such PINGs gets
 * them half as often.
 *
 * A hostile server harms its calls only. Of each there is one message that is not whole,
 * and those of all have 64 MiB together; a call whose receiver pauses holds 128 KiB, as
 * flow control keeps the rest with the server. Headers have at most 16 KiB.
 */
#ifndef GRPC_CLIENT_H
#define GRPC_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "grpc/status.h"
#include "net/loop.h"
#include "net/tls.h"

struct grpc_client;
struct grpc_ask;

/* Whether a call that changes something may be made again. */
enum grpc_fate {
	GRPC_ANSWERED, /* the server said how it ended: its status tells */
	/*
	 * The server has not begun it, and will not: nothing of it was sent, or the
	 * server said so (REFUSED_STREAM, GOAWAY before it). It may be made again.
	 */
	GRPC_NOT_SENT,
	GRPC_FATE_UNKNOWN, /* it may be done, be done still, or never */
};

struct grpc_outcome {
	enum grpc_fate fate;
	/* Of the server; else what fits best, in the words of gRPC */
	enum grpc_status status;
	/* One sentence, of the server when it is GRPC_ANSWERED; "" with GRPC_OK */
	const char *message;
};

struct grpc_ask_events {
	/* Each may be NULL. The bytes are there until message returns. */
	void (*message)(void *ctx, struct grpc_ask *a, const void *bytes, size_t n);
	void (*writable)(void *ctx, struct grpc_ask *a); /* what was queued has been sent */
	void (*done)(void *ctx, const struct grpc_outcome *o);
};

/* A server by TCP. Its name is looked up at each connection. */
struct grpc_client_tcp {
	const char *host, *port;
	const char *server_name; /* that its certificate is for; NULL: the host */
	struct tls_keys *keys;   /* the caller's; outlive the client */
};

struct grpc_client_config {
	const char *path;                  /* of the socket; copied; NULL: tcp, or fd */
	const struct grpc_client_tcp *tcp; /* its texts are copied; NULL: fd */
	/* Connected, and the client's from now on. Once it is lost, asks end at once */
	int fd;
	const char *authority; /* NULL: "localhost"; copied */
	/* For whom the calls are (see grpc/server.h); NULL: whoever answers. Copied */
	const char *audience;
	size_t max_message_bytes; /* that the server sends; 0: 4 MiB */
	int max_calls;            /* under way at a time; 0: 1,000 */
	/* 0: 1,000. Beyond it, or 64 MiB of their messages: GRPC_RESOURCE_EXHAUSTED */
	int max_waiting;
	int64_t ping_ms;     /* 0: 10 s */
	int64_t patience_ms; /* 0: 10 s */
	uint64_t seed;       /* of the pauses, which are spread */
};

/* ERR_INVALID: the path is too long for a socket. Nothing is connected yet. */
struct err grpc_client_new(struct loop *uv_loop, const struct grpc_client_config *config,
	struct grpc_client **out);
/* Ends all asks; accepts NULL. */
void grpc_client_free(struct grpc_client *c);

/* method: "/package.Service/Method". The events stay the caller's; ctx is theirs. */
struct grpc_ask *grpc_ask_start(struct grpc_client *c, const char *method, int64_t timeout_ms,
	const struct grpc_ask_events *events, void *ctx);
/* Queues one message; copied. Nothing happens after grpc_ask_end, or when it is over. */
void grpc_ask_send(struct grpc_ask *a, const void *bytes, size_t n);
/* Of messages that wait to be sent. */
size_t grpc_ask_queued_bytes(const struct grpc_ask *a);
/* No more messages of ours, behind what is queued. */
void grpc_ask_end(struct grpc_ask *a);
/*
 * While it is paused no message comes. Nor does done, when messages are there that have
 * not been taken; but it does come at the deadline.
 */
void grpc_ask_pause(struct grpc_ask *a);
void grpc_ask_resume(struct grpc_ask *a);
/* No callback comes any more, done neither; the ask is gone. What was sent is sent. */
void grpc_ask_cancel(struct grpc_ask *a);

#endif
