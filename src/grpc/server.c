/* SPDX-License-Identifier: Apache-2.0 */
/* Who is let in, and the end of all. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "grpc/server_parts.h"

enum {
	MESSAGE_BYTES = 4 << 20,
	ALL_MESSAGES_BYTES = 64 << 20,
	CONNECTIONS = 64,
	CALLS = 1000,
	PREFACE_MS = 10000,
	SILENCE_MS = 120000,
	AGAIN_MS = 100,
	ACCEPTS = 16, /* in one turn */
};

/* ---- room ---- */

static int count_of(const struct grpc_server *s, int64_t uid)
{
	const struct connection *c;
	int n = 0;
	DL_FOREACH(s->connections, c)
	n += c->peer.uid == uid;
	return n;
}

/* The user who has most; in doubt the one that asks for one more. */
static int64_t greediest(const struct grpc_server *s, int64_t asks)
{
	const struct connection *c;
	int64_t uid = asks;
	int most = count_of(s, asks) + 1;
	DL_FOREACH(s->connections, c)
	{
		int n = count_of(s, c->peer.uid);
		if (c->peer.uid != asks && n > most) {
			most = n;
			uid = c->peer.uid;
		}
	}
	return uid;
}

static bool make_room(struct grpc_server *s, const struct grpc_peer *peer)
{
	struct connection *c, *oldest = NULL, *idle = NULL;
	if (s->n_connections < s->config.max_connections)
		return true;
	int64_t uid = greediest(s, peer->uid);
	DL_FOREACH(s->connections, c)
	{
		if (c->peer.uid != uid)
			continue;
		oldest = oldest ? oldest : c;
		idle = idle || c->calls ? idle : c;
	}
	if (!idle && uid == peer->uid)
		return false;
	connection_free(idle ? idle : oldest);
	return true;
}

void server_add(struct grpc_server *s, int fd, const struct grpc_peer *peer)
{
	bool admitted = !s->config.admits || s->config.admits(s->config.ctx, peer);
	if (admitted && make_room(s, peer) && !s->finishing)
		connection_new(s, fd, peer);
	else
		close(fd);
}

/* ---- accepting ---- */

static struct err start_accepting(struct grpc_server *s);

static void accept_again(void *server)
{
	struct grpc_server *s = server;
	s->again = NULL;
	if (failed(start_accepting(s)))
		s->again = timer_start(s->loop, AGAIN_MS, accept_again, s);
}

/* Descriptors or memory ran out: the socket stays readable, and we try again later. */
static void pause_accepting(struct grpc_server *s)
{
	if (!s->complained)
		log_warn("no connection can be taken for now", "error", strerror(errno));
	s->complained = true;
	fd_watch_stop(TAKE(s->watch));
	s->again = timer_start(s->loop, AGAIN_MS, accept_again, s);
}

static void accept_one(struct grpc_server *s, int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);
	s->complained = false;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0) {
		close(fd);
		return;
	}
	const struct grpc_peer peer = { who.pid, who.uid, who.gid };
	server_add(s, fd, &peer);
}

static void acceptable(void *server, int events)
{
	struct grpc_server *s = server;
	(void)events;
	for (int i = 0; i < ACCEPTS && s->watch; i++) {
		int fd = accept4(s->config.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			accept_one(s, fd);
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR && errno != ECONNABORTED)
			pause_accepting(s);
	}
}

static struct err start_accepting(struct grpc_server *s)
{
	return fd_watch_start(s->loop, s->config.listen_fd, FD_READABLE, acceptable, s, &s->watch);
}

/* ---- its life ---- */

static void stop_accepting(struct grpc_server *s)
{
	fd_watch_stop(TAKE(s->watch));
	timer_stop(s->loop, TAKE(s->again));
	if (!s->finishing)
		close(s->config.listen_fd);
	s->finishing = true;
}

static void fill_in(struct grpc_config *c)
{
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
	fill_in(&s->config);
	s->messages.limit = ALL_MESSAGES_BYTES;
	s->messages.least = s->config.max_message_bytes;
	fcntl(config->listen_fd, F_SETFL, fcntl(config->listen_fd, F_GETFL) | O_NONBLOCK);
	struct err e = start_accepting(s);
	if (failed(e)) {
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
