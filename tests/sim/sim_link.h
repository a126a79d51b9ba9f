/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket between a virtual node and red-box: both ends of gRPC, in place of
 * src/grpc, for calls with one request and one answer. Each call is a point at which a
 * fault may happen: "500" and "503" kill red-box before and after it took the call, "429"
 * cuts the way to it for minutes, of "error-inside" the answer never comes, crashes are
 * those of the virtual node. A call of a virtual node that has died arrives at once, or
 * up to a quarter of an hour later.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "grpc/client.h"
#include "grpc/server.h"
#include "lib/sim_loop.h"
#include "sim/sim_fault.h"

struct sim_link {
	struct sim_loop *loop;
	struct sim_faults *faults;
	uint64_t seed;
	bool away; /* nothing gets through */
	struct timer *back;
	/* The red-box that listens; service NULL: none */
	const struct grpc_method *methods;
	void *service;
	struct grpc_ask *asks;
	struct grpc_call *calls;
	void (*crash_box)(void *ctx);
	void (*crash_client)(void *ctx);
	void *ctx;
};

void sim_link_init(struct sim_link *l, struct sim_loop *loop, struct sim_faults *faults,
	uint64_t seed);
/* The client for the virtual node. */
static inline struct grpc_client *sim_link_client(struct sim_link *l)
{
	return (struct grpc_client *)l;
}
/* Red-box has died: its calls are gone, before what they point to. */
void sim_link_box_died(struct sim_link *l);
/* A call is on its way, and its caller is gone. */
bool sim_link_has_late(const struct sim_link *l);
void sim_link_cut(struct sim_link *l, int64_t for_ms);
void sim_link_mend(struct sim_link *l);
void sim_link_free(struct sim_link *l);

#endif
