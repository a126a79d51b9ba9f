/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for tests of bad clients: they talk in bytes, others are served meanwhile. */
#ifndef TESTS_LIB_GRPC_SCENE_H
#define TESTS_LIB_GRPC_SCENE_H

#include "lib/grpc_client.h"
#include "lib/grpc_world.h"
#include "lib/raw_client.h"

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
enum { PREFACE_BYTES = sizeof(preface) - 1 };

static inline int given_a_world(void **state)
{
	struct grpc_world *w = own_alloc(sizeof(*w));
	grpc_world_new(w);
	*state = w;
	return 0;
}

static inline int given_a_server(void **state)
{
	given_a_world(state);
	grpc_world_start(*state);
	return 0;
}

static inline int free_world(void **state)
{
	grpc_world_free(*state);
	free(*state);
	return 0;
}

static inline struct raw connected(struct grpc_world *w)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", w->path);
	return raw_open(w->loop, AF_UNIX, &at, sizeof(at));
}

/* Well-behaved clients are served meanwhile. */
static inline void then_others_are_served(struct grpc_world *w)
{
	struct grpc_client *g = client_open(w->loop, w->path);
	struct reply *r = client_call(g, "/test.Echo/Once", NULL);
	client_send(r, "hello", 5);
	client_end(r);
	client_wait(r);
	assert_int_equal(r->status, GRPC_OK);
	assert_int_equal(reply_messages(r), 1);
	client_close(g);
}

static inline void passed(void *over) { *(bool *)over = true; }

static inline void when_passed(struct grpc_world *w, int64_t ms)
{
	bool over = false;
	timer_start(w->loop, ms, passed, &over);
	while (!over)
		raw_turn(w->loop);
}

#endif
