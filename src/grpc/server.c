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

/* A client has connected to the unix socket. */
static void came(struct grpc_server *s, int fd, const struct sockaddr_storage *from)
{
	struct ucred who;
	socklen_t n = sizeof(who);
	(void)from;
	bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0;
	const struct grpc_peer peer = { who.pid, who.uid, who.gid, NULL };
	if (known && (!s->config.admits || s->config.admits(s->config.ctx, &peer)))
		connection_add(s, (struct end){ fd, NULL }, &peer);
	else
		close(fd);
}

/* ---- lifecycle ---- */

static void stop_accepting(struct grpc_server *s)
{
	grpc_listener_close(&s->unix_grpc_listener);
	grpc_listener_close(&s->tcp_grpc_listener);
	handshakes_free(s);
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
	struct err e = grpc_listener_open(&s->unix_grpc_listener, s, config->listen_fd, came);
	if (!failed(e) && config->tcp)
		e = grpc_listener_open(&s->tcp_grpc_listener, s, config->tcp->listen_fd,
			handshake_came);
	if (failed(e)) {
		grpc_listener_leave(&s->unix_grpc_listener);
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

struct grpc_counts grpc_server_counts(const struct grpc_server *s)
{
	struct grpc_counts counts = {
		.handshakes = (size_t)s->n_handshakes,
		.calls = s->under_way,
		.message_bytes = s->messages.used,
		.connections_closed = s->connections_closed,
		.messages_refused = s->messages_refused,
	};
	const struct connection *c;
	DL_FOREACH(s->connections, c)
	(*(c->peer.uid >= 0 ? &counts.on_unix : &counts.on_tcp))++;
	return counts;
}

void grpc_server_free(struct grpc_server *s)
{
	if (!s)
		return;
	stop_accepting(s);
	while (s->connections)
		connection_free(s->connections);
	free(s);
}
