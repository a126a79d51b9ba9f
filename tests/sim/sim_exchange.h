/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP between a client and the REST interface of red-box, in place of src/net/server*.c:
 * requests without streams. A request takes a while to arrive, its body comes later than
 * its head, and the answer takes a while back. The client may leave at any time; a server
 * that goes breaks its connections.
 */
#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include "net/server.h"
#include "sim/sim_rand.h"

struct sim_rest_request {
	const char *address; /* "unix:/path", as the server has it; copied, as all else */
	const char *method, *path, *key, *body;
};

/* status 0: the connection broke, and the client does not know what became of it. */
typedef void sim_answered(void *ctx, int status, const char *body);

/* The exchange is gone when done was called, never from within. */
struct exchange *sim_exchange_send(struct loop *l, struct sim_rand *r,
	const struct sim_rest_request *q, sim_answered *done, void *ctx);
/* The client goes away: done is not called. */
void sim_exchange_leave(struct exchange *x);

#endif
