/* SPDX-License-Identifier: Apache-2.0 */
/* A connection of the server: its lifecycle, and the limits of its client. */
#include <utlist.h>

#include "base/own.h"
#include "grpc/server_parts.h"

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

static void connection_new(struct grpc_server *s, struct end end, const struct grpc_peer *peer,
	char *user)
{
	static const struct wire_events events = { settle, over };
	struct connection *c = own_alloc(sizeof(*c));
	c->server = s;
	c->peer = *peer;
	c->peer.since_ms = loop_now_ms(s->loop);
	c->user = user;
	c->quota = quota_of(&s->messages, user);
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
	quota_leave(c->quota);
	free(c->user);
	free(c);
}

/* ---- the share of each user ---- */

static int count_of(const struct grpc_server *s, const char *user)
{
	const struct connection *c;
	int n = 0;
	DL_FOREACH(s->connections, c)
	n += str_eq(c->user, user);
	return n;
}

/* The user with the most connections; in a tie the user that requests one more. */
static const char *greediest(const struct grpc_server *s, const char *asks)
{
	const struct connection *c;
	const char *user = asks;
	int most = count_of(s, asks) + 1;
	DL_FOREACH(s->connections, c)
	{
		int n = count_of(s, c->user);
		if (!str_eq(c->user, asks) && n > most) {
			most = n;
			user = c->user;
		}
	}
	return user;
}

static bool make_room(struct grpc_server *s, const char *asks)
{
	struct connection *c, *oldest = NULL, *idle = NULL;
	if (s->n_connections < s->config.max_connections)
		return true;
	const char *user = greediest(s, asks);
	s->connections_closed++;
	DL_FOREACH(s->connections, c)
	{
		if (!str_eq(c->user, user))
			continue;
		oldest = oldest ? oldest : c;
		idle = idle || c->calls ? idle : c;
	}
	if (!idle && str_eq(user, asks))
		return false;
	connection_free(idle ? idle : oldest);
	return true;
}

void connection_add(struct grpc_server *s, struct end end, const struct grpc_peer *peer)
{
	AUTO(str_free) struct str user = { 0 };
	if (peer->name)
		str_addf(&user, "name %s", peer->name);
	else
		str_addf(&user, "uid %lld", (long long)peer->uid);
	if (!s->finishing && make_room(s, str_text(&user)))
		connection_new(s, end, peer, str_take(&user));
	else
		end_close(end);
}
