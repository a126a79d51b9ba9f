/* SPDX-License-Identifier: Apache-2.0 */
/* A connection of the server: its lifecycle, and the limits of its client. */
#include <utlist.h>

#include "base/own.h"
#include "grpc/server_parts.h"

enum {
	RESET_COSTS_MS = 20,
	RESETS_BESIDE = 200, /* allowed at once beside one for each call */
};

void connection_changed(struct connection *c) { wire_changed(&c->wire); }

/*
 * Limits the rate of resets: each costs RESET_COSTS_MS, and too much debt is an attack.
 */
void connection_count_reset(struct connection *c)
{
	int64_t now_ms = loop_now_ms(c->server->loop);
	int64_t most_ms = (int64_t)(c->server->config.max_calls + RESETS_BESIDE) * RESET_COSTS_MS;
	c->calm_ms = (c->calm_ms > now_ms ? c->calm_ms : now_ms) + RESET_COSTS_MS;
	if (c->calm_ms - now_ms > most_ms)
		nghttp2_session_terminate_session(c->wire.session, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* Finds a dead client: its process may have ended behind a tunnel that is still open. */
static void tick(void *connection)
{
	struct connection *c = connection;
	bool dead = !c->greeted || (c->asked && !c->wire.heard);
	c->tick = NULL;
	if (dead) {
		connection_free(c);
		return;
	}
	c->asked = !c->wire.heard;
	c->wire.heard = false;
	c->tick = timer_start(c->server->loop, c->server->config.silence_ms, tick, c);
	if (!c->asked)
		return;
	nghttp2_submit_ping(c->wire.session, NGHTTP2_FLAG_NONE, NULL);
	connection_changed(c);
}

static void settle(void *connection) { calls_settle(connection); }
static void over(void *connection) { connection_free(connection); }

void connection_new(struct grpc_server *s, struct end end, const struct grpc_peer *peer, char *user)
{
	static const struct wire_events events = { settle, over };
	struct connection *c = own_alloc(sizeof(*c));
	c->server = s;
	c->peer = *peer;
	c->peer.since_ms = loop_now_ms(s->loop);
	c->user = user;
	c->purse = purse_of(&s->messages, user);
	c->wire = (struct wire){ s->loop, end, session_new(c), c, &events };
	c->tick = timer_start(s->loop, s->config.preface_ms, tick, c);
	DL_APPEND(s->connections, c);
	s->n_connections++;
	wire_start(&c->wire); /* sends our settings */
}

void connection_free(struct connection *c)
{
	struct grpc_server *s = c->server;
	struct grpc_call *call;
	/* drop whatever its methods still send */
	c->wire.broken = c->wire.in_turn = true;
	DL_FOREACH(c->calls, call)
	call->closed = true;
	calls_settle(c);
	DL_DELETE(s->connections, c);
	s->n_connections--;
	timer_stop(s->loop, c->tick);
	wire_close(&c->wire);
	purse_leave(c->purse);
	free(c->user);
	free(c);
}
