/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gRPC server (HTTP/2 on a unix socket, and by TLS on TCP) on the loop of libuv.
 *
 *     static const struct grpc_method methods[] = {
 *             { "/api.WorkloadManager/JobInfo", .message = asked, .gone = over },
 *             { NULL },
 *     };
 *     grpc_server_start(loop, &config, &server);
 *
 * A call begins when its headers have arrived. message receives each complete message,
 * ended is called once when the client will send no more, and gone ends the call: after
 * grpc_finish was sent, when the client cancelled, when its deadline passed or its
 * connection broke. Do not use the call after gone, which is called exactly once for each
 * call that has begun. A finished call stays in flight for as long as its client leaves
 * queued messages unread.
 *
 * Callbacks come from the loop, never from within a function of this header, with one
 * exception: grpc_server_free calls gone for each call that is not over. No callback may
 * call grpc_server_free.
 *
 * The server does not check the number of messages: a method that expects one must itself
 * refuse the second in message, and a missing one in ended.
 *
 * The server itself answers an unknown method (UNIMPLEMENTED), a message that is
 * compressed (UNIMPLEMENTED) or too long (RESOURCE_EXHAUSTED), headers that gRPC does not
 * allow, a call for another audience (UNAVAILABLE), and an expired deadline. Any
 * :authority is accepted: some clients send the path of the socket.
 *
 * A hostile client harms only itself. Each connection has at most max_calls calls, and
 * each call one incomplete message. The incomplete messages of all connections share 64
 * MiB, and each user may use half of what the other users leave free. A user is a uid, or
 * the name in the certificate of a client. Headers have at most 16 KiB. The method limits
 * the queue of a client that does not read: see grpc_queued_bytes and writable. A
 * connection is closed when its client has not sent the HTTP/2 preface after preface_ms,
 * answers no PING in silence_ms, or resets more than 50 calls a second for long; it may
 * reset max_calls calls at once. When all connections are in use, the user with the most
 * connections loses its oldest connection without a call, or else its oldest connection.
 * If that user is the one that connects, and all its connections have calls, the new
 * connection is refused.
 *
 * On TCP only clients of the role are accepted; until then, the server parses only the
 * TLS handshake of a client. A handshake takes handshake_ms at most. At most
 * max_handshakes run at a time; at that limit the address with the most handshakes loses
 * its oldest.
 */
#ifndef GRPC_SERVER_H
#define GRPC_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "grpc/status.h"
#include "net/loop.h"
#include "net/tls.h"

struct grpc_server;
struct grpc_call;

struct grpc_method {
	const char *path; /* "/package.Service/Method" */
	/* Each may be NULL. ctx is from the configuration. */
	void (*begin)(void *ctx, struct grpc_call *c);
	void (*message)(void *ctx, struct grpc_call *c, const void *bytes, size_t n);
	void (*ended)(void *ctx, struct grpc_call *c);    /* the client sends no more */
	void (*writable)(void *ctx, struct grpc_call *c); /* the queue has been sent */
	void (*gone)(void *ctx, struct grpc_call *c);
};

/* The client of a connection. */
struct grpc_peer {
	/* On a unix socket (SO_PEERCRED), when it connected; on TCP -1 */
	int64_t pid, uid, gid;
	const char *name; /* from its certificate, as listed in the role; NULL: none */
	int64_t since_ms; /* of a call: when its connection began, as loop_now_ms */
};

/* The end of a call, for counters of calls. */
struct grpc_over {
	const char *path;        /* of its method; NULL: refused before its method */
	enum grpc_status status; /* GRPC_CANCELLED: ended by the client */
	int64_t took_ms;
};

/* Clients on TCP. Pointers stay the caller's and must outlive the server. */
struct grpc_tcp {
	int listen_fd; /* a listening socket; the server's once it has started */
	struct tls_keys *keys;
	const struct tls_role *role; /* a server's role, with the protocol "h2" */
	int64_t handshake_ms;        /* 0: 10 s */
	int max_handshakes;          /* at a time; 0: 32 */
};

struct grpc_config {
	int listen_fd;              /* a listening socket; the server's once it has started */
	const struct grpc_tcp *tcp; /* in addition; NULL: no TCP. Copied */
	const struct grpc_method *methods; /* ended by a row without a path; stays the caller's */
	/* Whether this peer of the unix socket may connect. NULL: every peer may. */
	bool (*admits)(void *ctx, const struct grpc_peer *peer);
	/* A call is over. NULL: calls are not counted */
	void (*over)(void *ctx, const struct grpc_over *o);
	void *ctx; /* of the methods, of admits and over */
	/*
	 * The names of this server, ended by NULL: a call with another name in its
	 * headers (x-audience) ends with UNAVAILABLE. NULL: every call is accepted. Stays
	 * the caller's
	 */
	const char *const *audience;
	size_t max_message_bytes; /* 0: 4 MiB */
	int max_connections;      /* 0: 64 */
	int max_calls;            /* of one connection at a time; 0: 1,000 */
	int64_t preface_ms;       /* 0: 10 s */
	/* Silence before a PING, and again before the connection is closed; 0: 2 min */
	int64_t silence_ms;
};

/*
 * ERR_INTERNAL when the loop accepts no more descriptors; each listen_fd stays the
 * caller's.
 */
struct err grpc_server_start(struct loop *uv_loop, const struct grpc_config *config,
	struct grpc_server **out);
/*
 * Refuses new connections and calls (GOAWAY). Calls in flight continue, and each
 * connection is closed after its last call.
 */
void grpc_server_finish(struct grpc_server *s);
/* The number of calls that have begun and are not over. */
size_t grpc_server_under_way(const struct grpc_server *s);
/* The load of a server now, and how often a limit was hit since its start. */
struct grpc_counts {
	size_t on_unix, on_tcp; /* connections */
	size_t handshakes;
	size_t calls;
	size_t message_bytes;        /* of incomplete messages */
	uint64_t connections_closed; /* or refused, because there were too many */
	uint64_t messages_refused;   /* because memory was short */
};
struct grpc_counts grpc_server_counts(const struct grpc_server *s);
/* Ends all calls and connections; accepts NULL. */
void grpc_server_free(struct grpc_server *s);

/* Sets the method's state of the call; the method frees it in gone. */
void grpc_call_set(struct grpc_call *c, void *state);
void *grpc_call_state(const struct grpc_call *c);
const struct grpc_peer *grpc_call_peer(const struct grpc_call *c);
/* The deadline, as loop_now_ms; INT64_MAX: the client sent none. */
int64_t grpc_call_deadline_ms(const struct grpc_call *c);

/*
 * Queues a copy of one message; no effect after grpc_finish, or when the client has
 * disconnected. writable is called when the queue is empty again.
 */
void grpc_send(struct grpc_call *c, const void *bytes, size_t n);
/*
 * Bytes of messages that wait for the client to read; 0 after the client has
 * disconnected.
 */
size_t grpc_queued_bytes(const struct grpc_call *c);
/*
 * Ends the call, after the queued messages. At most 2,000 bytes of message are sent, and
 * invalid UTF-8 is sent as "?"; message is "" with GRPC_OK. Only the first grpc_finish of
 * a call counts.
 */
void grpc_finish(struct grpc_call *c, enum grpc_status status, const char *message);

#endif
