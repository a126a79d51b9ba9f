/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the gRPC client under test, and what it is told of them.
 *
 *     struct told t = { 0 };
 *     ask_once(loop, client, &t, "/test.Echo/Once", "hello");
 *     told_wait(&t);
 *     told_is(&t, GRPC_ANSWERED, GRPC_OK);
 *     told_free(&t);
 */
#ifndef TESTS_LIB_ASKS_H
#define TESTS_LIB_ASKS_H

#include "grpc/client.h"
#include "lib/test.h"

/* The first three may be set before the ask begins. */
struct told {
	int64_t timeout_ms; /* 0: 30 s */
	int pauses_after;   /* so many messages; 0: never */
	bool forgets;       /* messages are only counted */
	struct loop *loop;
	struct grpc_ask *ask; /* NULL: it is over */
	int messages, writable, done;
	size_t size;      /* of all messages */
	struct str bytes; /* of the last one */
	enum grpc_effect effect;
	enum grpc_status status;
	char text[512];
};

/* Begins; nothing is sent yet. */
void ask_begin(struct loop *l, struct grpc_client *c, struct told *t, const char *method);
/* One message and the end. */
void ask_once(struct loop *l, struct grpc_client *c, struct told *t, const char *method,
	const char *message);
/* The loop turns until it is over, or so many messages are there. */
void told_wait(struct told *t);
void told_wait_messages(struct told *t, int n);
/* The call is over, with one callback and this outcome. */
void told_is(const struct told *t, enum grpc_effect effect, enum grpc_status status);
void told_free(struct told *t);

#endif
