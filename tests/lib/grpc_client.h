/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gRPC client of its own, on the client's side of libnghttp2 and on the thread of the
 * loop under test: the loop turns while it waits.
 *
 *     struct grpc_client *g = client_open(loop, "/path/of/socket");
 *     struct reply *r = client_call(g, "/test.Echo/Once", NULL);
 *     client_send(r, "hello", 5);
 *     client_end(r);
 *     client_wait(r);
 *     assert_int_equal(r->status, 0);
 *     client_close(g);
 */
#ifndef TESTS_LIB_GRPC_CLIENT_H
#define TESTS_LIB_GRPC_CLIENT_H

#include <nghttp2/nghttp2.h>

#include "base/str.h"
#include "lib/test.h"
#include "net/loop.h"

struct grpc_client;

/* The outcome of one call. */
struct reply {
	struct grpc_client *client;
	struct reply *prev, *next;
	int32_t stream;
	int http, status; /* 0, and -1: none came */
	char *message;    /* grpc-message, as it was sent; NULL: none */
	struct str bytes; /* the messages with their prefixes */
	bool closed;      /* the call is over */
	uint32_t reset;   /* the code of RST_STREAM; NO_ERROR: none, or that */
	struct str out;   /* what is to be sent, from sent on */
	size_t sent;
	bool ends;
};

struct grpc_client {
	struct loop *loop;
	int fd;
	nghttp2_session *session;
	struct reply *replies;
	bool reads_nothing; /* messages are kept from it by flow control */
	bool ended;         /* the server closed, or the connection died */
	uint32_t goaway;    /* its code; UINT32_MAX: none came */
	int pongs;
};

/* Headers that are other than usual; NULL: as usual; "": left out. */
struct oddity {
	const char *method, *authority, *content_type, *te, *timeout, *audience, *filler;
};

struct grpc_client *client_open(struct loop *l, const char *path);
void client_close(struct grpc_client *g); /* with its replies */
/* Sends and reads what there is; the loop turns once. */
void client_turn(struct grpc_client *g);

struct reply *client_call(struct grpc_client *g, const char *path, const struct oddity *odd);
/* One message, and bytes as they are. */
void client_send(struct reply *r, const void *bytes, size_t n);
void client_send_raw(struct reply *r, const void *bytes, size_t n);
void client_end(struct reply *r);
void client_cancel(struct reply *r);
/* Until the call is over, and until so many messages are there. */
void client_wait(struct reply *r);
void client_wait_messages(struct reply *r, size_t n);
/* Until the server has closed the connection. */
void client_wait_end(struct grpc_client *g);

size_t reply_messages(const struct reply *r);
/* The message of this number; the test fails when it is not there. */
const void *reply_message(const struct reply *r, size_t number, size_t *n);

#endif
