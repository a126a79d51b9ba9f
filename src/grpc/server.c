/* SPDX-License-Identifier: Apache-2.0 */
/* The server: admits clients, and ends all connections. */
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "grpc/server_parts.h"

enum {
	MESSAGE_BYTES = 4 << 20,
	ALL_MESSAGES_BYTES = 64 << 20,
	CONNECTIONS = 64,
	CALLS = 1000,
	PREFACE_MS = 10000,
	SILENCE_MS = 120000,
	HANDSHAKE_MS = 10000,
	HANDSHAKES = 32,
};

/* ---- limit of connections ---- */

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

void server_add(struct grpc_server *s, struct end end, const struct grpc_peer *peer)
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

/* A client has connected to the unix socket. */
static void came(struct grpc_server *s, int fd, const struct sockaddr_storage *from)
{
	struct ucred who;
	socklen_t n = sizeof(who);
	(void)from;
	bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0;
	const struct grpc_peer peer = { who.pid, who.uid, who.gid, NULL };
	if (known && (!s->config.admits || s->config.admits(s->config.ctx, &peer)))
		server_add(s, (struct end){ fd, NULL }, &peer);
	else
		close(fd);
}

/* ---- lifecycle ---- */

static void stop_accepting(struct grpc_server *s)
{
	door_close(&s->unix_door);
	door_close(&s->tcp_door);
	guests_free(s);
	s->finishing = true;
}

static void fill_in(struct grpc_server *s)
{
	struct grpc_config *c = &s->config;
	if (c->tcp)
		s->tcp = *c->tcp;
	c->tcp = NULL;
	s->tcp.handshake_ms = s->tcp.handshake_ms ? s->tcp.handshake_ms : HANDSHAKE_MS;
	s->tcp.max_handshakes = s->tcp.max_handshakes ? s->tcp.max_handshakes : HANDSHAKES;
	c->max_message_bytes = c->max_message_bytes ? c->max_message_bytes : MESSAGE_BYTES;
	c->max_connections = c->max_connections ? c->max_connections : CONNECTIONS;
	c->max_calls = c->max_calls ? c->max_calls : CALLS;
	c->preface_ms = c->preface_ms ? c->preface_ms : PREFACE_MS;
	c->silence_ms = c->silence_ms ? c->silence_ms : SILENCE_MS;
}

struct err grpc_server_start(struct loop *uv_loop, const struct grpc_config *config,
	struct grpc_server **out)
{
	struct grpc_server *s = own_alloc(sizeof(*s));
	s->loop = uv_loop;
	s->config = *config;
	fill_in(s);
	s->messages.limit = ALL_MESSAGES_BYTES;
	s->messages.least = s->config.max_message_bytes;
	struct err e = door_open(&s->unix_door, s, config->listen_fd, came);
	if (!failed(e) && config->tcp)
		e = door_open(&s->tcp_door, s, config->tcp->listen_fd, guest_came);
	if (failed(e)) {
		door_leave(&s->unix_door);
		free(s);
		return err_wrap(e, "starting to listen");
	}
	*out = s;
	return OK;
}

void grpc_server_finish(struct grpc_server *s)
{
	struct connection *c;
	if (s->finishing)
		return;
	stop_accepting(s);
	DL_FOREACH(s->connections, c)
	{
		nghttp2_submit_goaway(c->wire.session, NGHTTP2_FLAG_NONE,
			nghttp2_session_get_last_proc_stream_id(c->wire.session), NGHTTP2_NO_ERROR,
			NULL, 0);
		connection_changed(c);
	}
}

size_t grpc_server_under_way(const struct grpc_server *s) { return s->under_way; }

void grpc_server_free(struct grpc_server *s)
{
	if (!s)
		return;
	stop_accepting(s);
	while (s->connections)
		connection_free(s->connections);
	free(s);
}
