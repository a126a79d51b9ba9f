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
 * A call begins when its headers are there, gets each message whole, hears once when the
 * client will send no more, and is over when gone is called: after grpc_finish was sent,
 * when the client cancelled, when its deadline passed or its connection broke. After gone
 * the call is not to be used. A call that has begun is told gone exactly once. One that
 * is finished is under way for as long as its client leaves what is queued unread.
 *
 * Callbacks come from the loop, never from within a function of this header, with one
 * exception: grpc_server_free calls gone for each call that is not over. No callback may
 * call grpc_server_free.
 *
 * How many messages come is not checked: a method that wants one says so itself, in
 * message at the second and in ended when none came.
 *
 * What no method sees, because it is answered here: a method that is not there
 * (UNIMPLEMENTED), a message that is compressed (UNIMPLEMENTED) or too long
 * (RESOURCE_EXHAUSTED), headers that gRPC does not allow, a call that is for another
 * audience (UNAVAILABLE), a deadline that passed. Any :authority is taken: some clients
 * send the path of the socket.
 *
 * A hostile client harms itself. Of each connection there are at most max_calls calls,
 * and of each call one message that is not whole; those of all connections have 64 MiB
 * together, of which one user may have half of what others leave: a uid, or the name that
 * the certificate of a client has. Headers have at
 * most 16 KiB. What is queued for a client that does not read is up to the method:
 * grpc_queued_bytes and writable. A connection is closed when its client has not said
 * what HTTP/2 begins with after preface_ms, answers no PING in silence_ms, or resets more
 * than 50 calls a second for long; all that it may have at a time it may reset at once.
 * When all connections are taken, the user who has most of them loses the oldest that has
 * no call, or the oldest; a new one of that very user is refused rather than one with
 * calls ended.
 *
 * By TCP only clients of the role are let in, and nothing else of a client is looked at
 * before. Handshakes have a total of handshake_ms and a number of their own; when that is
 * reached, the address that has most of them loses its oldest.
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
	/* Each may be NULL. ctx is that of the configuration. */
	void (*begin)(void *ctx, struct grpc_call *c);
	void (*message)(void *ctx, struct grpc_call *c, const void *bytes, size_t n);
	void (*ended)(void *ctx, struct grpc_call *c);    /* the client sends no more */
	void (*writable)(void *ctx, struct grpc_call *c); /* what was queued has been sent */
	void (*gone)(void *ctx, struct grpc_call *c);
};

/* Who is at the other end. */
struct grpc_peer {
	/* Of a unix socket (SO_PEERCRED), when it connected; by TCP -1 */
	int64_t pid, uid, gid;
	const char *name; /* of its certificate, in the words of the role; NULL: none */
	int64_t since_ms; /* of a call: when its connection began, as loop_now_ms */
};

/* Clients by TCP. What is pointed to stays the caller's and outlives the server. */
struct grpc_tcp {
	int listen_fd; /* a listening socket; the server's once it has started */
	struct tls_keys *keys;
	const struct tls_role *role; /* of a server, with the protocol "h2" */
	int64_t handshake_ms;        /* 0: 10 s */
	int max_handshakes;          /* at a time; 0: 32 */
};

struct grpc_config {
	int listen_fd;              /* a listening socket; the server's once it has started */
	const struct grpc_tcp *tcp; /* beside it; NULL: nobody. Copied */
	const struct grpc_method *methods; /* ended by a path of NULL; stays the caller's */
	/* May this peer of the unix socket connect? NULL: anybody may. */
	bool (*admits)(void *ctx, const struct grpc_peer *peer);
	void *ctx; /* of the methods, and of admits */
	/*
	 * The names of this server, ended by NULL: a call that says another one in its
	 * headers (x-audience) ends with UNAVAILABLE. NULL: each call is for it. It stays
	 * with the caller
	 */
	const char *const *audience;
	size_t max_message_bytes; /* 0: 4 MiB */
	int max_connections;      /* 0: 64 */
	int max_calls;            /* of one connection at a time; 0: 1,000 */
	int64_t preface_ms;       /* 0: 10 s */
	int64_t silence_ms;       /* 0: 2 min without a byte: PING; as long again: closed */
};

/* ERR_INTERNAL when the loop takes no more; each listen_fd is the caller's still. */
struct err grpc_server_start(struct loop *uv_loop, const struct grpc_config *config,
	struct grpc_server **out);
/*
 * No new connections and calls (GOAWAY); those that are under way go on, and each
 * connection is closed after its last.
 */
void grpc_server_finish(struct grpc_server *s);
/* Calls that have begun and are not over. */
size_t grpc_server_under_way(const struct grpc_server *s);
/* Ends all calls and connections; accepts NULL. */
void grpc_server_free(struct grpc_server *s);

/* The call's own state is the method's to make and, in gone, to free. */
void grpc_call_set(struct grpc_call *c, void *state);
void *grpc_call_state(const struct grpc_call *c);
const struct grpc_peer *grpc_call_peer(const struct grpc_call *c);
/* As loop_now_ms; INT64_MAX: the client gave none. */
int64_t grpc_call_deadline_ms(const struct grpc_call *c);

/*
 * Queues one message; copied. Nothing happens after grpc_finish, or when the client has
 * gone. writable is called when the queue is empty again.
 */
void grpc_send(struct grpc_call *c, const void *bytes, size_t n);
/* Of messages that wait for the client to read; 0 after the client has gone. */
size_t grpc_queued_bytes(const struct grpc_call *c);
/*
 * The end of the call, behind what is queued. message: 2,000 bytes of it are
 * sent; what is no UTF-8 goes out as "?"; "" with GRPC_OK. The first one counts.
 */
void grpc_finish(struct grpc_call *c, enum grpc_status status, const char *message);

#endif
