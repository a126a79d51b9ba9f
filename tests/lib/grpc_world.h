/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gRPC server with methods that tests call, behind a socket of its own:
 *
 *     /test.Echo/Once   one message and the end: the message comes back
 *     /test.Echo/Count  one message: it comes back as often as it has bytes
 *     /test.Echo/Sum    messages and the end: how many bytes they had, as text
 *     /test.Echo/Chat   each message comes back; the end is answered by the end
 *     /test.Echo/Fail   one message: its first byte is the status, the rest the sentence
 *     /test.Echo/Hang   nothing ever comes back
 *     /test.Echo/Flood  messages of 16 KiB without end, never more than 64 KiB queued
 *     /other.Service/Once  as the first
 */
#ifndef TESTS_LIB_GRPC_WORLD_H
#define TESTS_LIB_GRPC_WORLD_H

#include "grpc/server.h"

struct grpc_world {
	struct loop *loop;
	struct grpc_server *server;
	struct grpc_config config;
	char folder[64], path[96];
	/* Calls and messages of the methods. */
	int begun, gone, messages;
	int writable; /* of Chat: how often its queue was empty again */
	size_t message_most, queued_most;
	struct grpc_peer peer;
	int64_t deadline_ms; /* of the last call */
	bool admits;
};

/* The loop, the socket, and a configuration that a test may change before it starts. */
void grpc_world_new(struct grpc_world *w);
void grpc_world_start(struct grpc_world *w);
/* Ends the program when a call that began was not told gone. */
void grpc_world_free(struct grpc_world *w);
/* A socket that listens at a path. */
int grpc_world_listen(const char *path);

#endif
