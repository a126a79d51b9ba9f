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
 * An ask is a client call. message receives each complete message. done receives the
 * outcome, once, and then the ask is freed. Each ask has a deadline, which is sent to the
 * server and also enforced by the client: done is called at the deadline at the latest,
 * whatever the server does.
 *
 * Callbacks come from the loop, never from within a function of this header, with one
 * exception: grpc_client_free ends each ask with GRPC_CANCELLED. No callback may call
 * grpc_client_free, and no callback of grpc_client_free may start an ask.
 *
 * All asks share one connection. The client connects when it first needs to, and again
 * when the connection is lost, at once or after a pause that grows from 100 ms to 10 s
 * while no call is answered. Meanwhile asks wait, and those whose deadline passes end
 * with GRPC_UNAVAILABLE and the cause. Asks also wait while max_calls, or as many as the
 * server allows at a time, are in flight. No ask is sent twice.
 *
 * The client sends a PING to a server that is silent for ping_ms while it owes an answer.
 * The client closes the connection when nothing arrives in patience_ms, or when the
 * server sends no HTTP/2 settings in that time. patience_ms also limits connecting, and
 * the TLS handshake. When a server refuses PINGs as too many, the client halves their
 * rate.
 *
 * A hostile server harms its own calls only. Each call has one incomplete message, and
 * the incomplete messages of all calls share 64 MiB. A call whose receiver pauses buffers
 * 128 KiB: flow control leaves the rest with the server. Headers have at most 16 KiB.
 */
#ifndef GRPC_CLIENT_H
#define GRPC_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"
#include "grpc/status.h"
#include "net/loop.h"
#include "net/tls.h"

struct grpc_client;
struct grpc_ask;

/* The outcome of a call: whether a call that changes something may be repeated. */
enum grpc_effect {
	GRPC_ANSWERED, /* the server ended the call: see its status */
	/*
	 * The server has not begun the call, and never will, because nothing was sent, or
	 * the server refused it (REFUSED_STREAM, an earlier GOAWAY). The call may be
	 * repeated.
	 */
	GRPC_NOT_SENT,
	GRPC_EFFECT_UNKNOWN, /* the call may have been done, may be done later, or never */
};

struct grpc_outcome {
	enum grpc_effect effect;
	/* The server's status, or the status of gRPC that fits best */
	enum grpc_status status;
	/* A sentence, from the server with GRPC_ANSWERED; "" with GRPC_OK */
	const char *message;
	int64_t took_ms; /* since grpc_ask_start */
};

struct grpc_ask_events {
	/* Each may be NULL. The bytes are valid until message returns. */
	void (*message)(void *ctx, struct grpc_ask *a, const void *bytes, size_t n);
	void (*writable)(void *ctx, struct grpc_ask *a); /* the queue has been sent */
	void (*done)(void *ctx, const struct grpc_outcome *o);
};

/* A server on TCP. The client resolves its name at each connection. */
struct grpc_client_tcp {
	const char *host, *port;
	const char *server_name; /* the name in its certificate; NULL: the host */
	struct tls_keys *keys;   /* the caller's; outlive the client */
};

/* Limits: one message of a server; all incomplete messages together. */
enum { GRPC_CLIENT_MESSAGE_BYTES = 4 << 20, GRPC_CLIENT_MESSAGES_BYTES = 64 << 20 };

struct grpc_client_config {
	const char *path;                  /* of the socket; copied; NULL: tcp, or fd */
	const struct grpc_client_tcp *tcp; /* its texts are copied; NULL: fd */
	/*
	 * A connected socket, which the client owns. When it is lost, all asks end at
	 * once
	 */
	int fd;
	const char *authority; /* NULL: "localhost"; copied */
	/* The intended server of the calls (see grpc/server.h); NULL: any. Copied */
	const char *audience;
	size_t max_message_bytes; /* of a message from the server; 0: 4 MiB */
	int max_calls;            /* in flight at a time; 0: 1,000 */
	/*
	 * Asks that wait; 0: 1,000. More, or over 64 MiB of messages:
	 * GRPC_RESOURCE_EXHAUSTED
	 */
	int max_waiting;
	int64_t ping_ms;     /* 0: 10 s */
	int64_t patience_ms; /* 0: 10 s */
	uint64_t seed;       /* of the jitter of pauses */
	/*
	 * The budget for incomplete messages, with the name of the client's quota.
	 * Several clients may share a budget, which must outlive them. NULL: a private
	 * budget
	 */
	struct budget *messages;
	const char *share;
};

/* Does not connect yet. ERR_INVALID: the path is too long for a socket. */
struct err grpc_client_new(struct loop *uv_loop, const struct grpc_client_config *config,
	struct grpc_client **out);
/* Ends all asks; accepts NULL. */
void grpc_client_free(struct grpc_client *c);

/*
 * method: "/package.Service/Method". The events stay the caller's; ctx is passed to them.
 */
struct grpc_ask *grpc_ask_start(struct grpc_client *c, const char *method, int64_t timeout_ms,
	const struct grpc_ask_events *events, void *ctx);
/*
 * Queues a copy of one message; no effect after grpc_ask_end, or when the ask has ended.
 */
void grpc_ask_send(struct grpc_ask *a, const void *bytes, size_t n);
/* Bytes of messages that wait to be sent. */
size_t grpc_ask_queued_bytes(const struct grpc_ask *a);
/* Ends the client's side of the call, after the queued messages. */
void grpc_ask_end(struct grpc_ask *a);
/*
 * Pauses the ask: message is not called. done is called only at the deadline, or when no
 * messages are left.
 */
void grpc_ask_pause(struct grpc_ask *a);
void grpc_ask_resume(struct grpc_ask *a);
/*
 * Frees the ask without further callbacks, not even done. Messages that were sent stay
 * sent.
 */
void grpc_ask_cancel(struct grpc_ask *a);

#endif
