/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a connection, its turns and its end. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "grpc/server_parts.h"

enum {
	READ_BYTES = 32 << 10,   /* of a connection in one turn */
	GATHER_BYTES = 32 << 10, /* small frames go out together */
	SENDS = 8,               /* in one turn */
	MOST_FRAMES = 2000,      /* that wait for a client to read, messages not counted */
	RESET_COSTS_MS = 20,
	RESETS_MOST_MS = 500 * RESET_COSTS_MS,
};

/* ---- out ---- */

static bool is_blocked(const struct connection *c) { return c->sent < c->out.len; }

static void gather(struct connection *c)
{
	const uint8_t *bytes;
	nghttp2_ssize n = 0;
	while (c->out.len < GATHER_BYTES && (n = nghttp2_session_mem_send2(c->session, &bytes)) > 0)
		str_add_bytes(&c->out, bytes, (size_t)n);
	c->broken = c->broken || n < 0;
}

/* Until there is no more, or the socket is full; others have their turn, too. */
static void send_some(struct connection *c)
{
	for (int i = 0; i < SENDS && !c->broken; i++) {
		if (!is_blocked(c))
			gather(c);
		if (!is_blocked(c))
			return;
		ssize_t n = send(c->fd, c->out.text + c->sent, c->out.len - c->sent,
			MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		c->broken = n < 0;
		c->sent += n > 0 ? (size_t)n : 0;
		if (is_blocked(c))
			continue;
		str_clear(&c->out);
		c->sent = 0;
	}
}

/* ---- turns ---- */

static void ready(void *connection, int events);

static void watch(struct connection *c)
{
	int wanted = FD_READABLE | (is_blocked(c) ? FD_WRITABLE : 0);
	if (c->watch && c->watched == wanted)
		return;
	fd_watch_stop(TAKE(c->watch));
	c->watched = wanted;
	if (failed(fd_watch_start(c->server->loop, c->fd, wanted, ready, c, &c->watch)))
		c->broken = true;
}

static bool is_over(const struct connection *c)
{
	return !nghttp2_session_want_read(c->session) && !nghttp2_session_want_write(c->session) &&
		!is_blocked(c);
}

/* Sends what was queued, and tells methods what has become of their calls. */
static void take_turn(struct connection *c)
{
	c->in_turn = true;
	send_some(c);
	calls_settle(c);
	c->in_turn = false;
	if (!c->broken && !is_over(c))
		watch(c);
	if (c->broken || is_over(c))
		connection_free(c);
	else if (!is_blocked(c) && nghttp2_session_want_write(c->session))
		connection_changed(c);
}

static void kicked(void *connection)
{
	struct connection *c = connection;
	c->kick = NULL;
	take_turn(c);
}

void connection_changed(struct connection *c)
{
	if (!c->in_turn && !c->kick)
		c->kick = timer_start(c->server->loop, 0, kicked, c);
}

/* ---- in ---- */

static void receive(struct connection *c)
{
	uint8_t bytes[READ_BYTES];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->heard = true;
	/*
	 * A client that sends no more cannot give us room for answers: that is the end of
	 * its calls, too.
	 */
	if (n <= 0 || nghttp2_session_mem_recv2(c->session, bytes, (size_t)n) < 0 ||
		nghttp2_session_get_outbound_queue_size(c->session) > MOST_FRAMES)
		c->broken = true;
}

static void ready(void *connection, int events)
{
	struct connection *c = connection;
	c->in_turn = true;
	if (events & FD_READABLE)
		receive(c);
	take_turn(c);
}

/* Each reset costs time that goes by; too much debt is an attack. */
void connection_count_reset(struct connection *c)
{
	int64_t now_ms = loop_now_ms(c->server->loop);
	c->calm_ms = (c->calm_ms > now_ms ? c->calm_ms : now_ms) + RESET_COSTS_MS;
	if (c->calm_ms - now_ms > RESETS_MOST_MS)
		nghttp2_session_terminate_session(c->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* ---- its life ---- */

/* Its process may be gone behind a tunnel that still stands. */
static void tick(void *connection)
{
	struct connection *c = connection;
	bool dead = !c->greeted || (c->asked && !c->heard);
	c->tick = NULL;
	if (dead) {
		connection_free(c);
		return;
	}
	c->asked = !c->heard;
	c->heard = false;
	c->tick = timer_start(c->server->loop, c->server->config.silence_ms, tick, c);
	if (!c->asked)
		return;
	nghttp2_submit_ping(c->session, NGHTTP2_FLAG_NONE, NULL);
	connection_changed(c);
}

void connection_new(struct grpc_server *s, int fd, const struct grpc_peer *peer)
{
	struct connection *c = own_alloc(sizeof(*c));
	AUTO(str_free) struct str user = { 0 };
	str_addf(&user, "%lld", (long long)peer->uid);
	c->server = s;
	c->fd = fd;
	c->peer = *peer;
	c->purse = purse_of(&s->messages, str_text(&user));
	c->session = session_new(c);
	c->tick = timer_start(s->loop, s->config.preface_ms, tick, c);
	DL_APPEND(s->connections, c);
	s->n_connections++;
	watch(c);
	connection_changed(c); /* our settings go out, or it is freed */
}

void connection_free(struct connection *c)
{
	struct grpc_server *s = c->server;
	struct grpc_call *call;
	c->broken = c->in_turn = true; /* what its methods still say is in vain */
	DL_FOREACH(c->calls, call)
	call->closed = true;
	calls_settle(c);
	DL_DELETE(s->connections, c);
	s->n_connections--;
	fd_watch_stop(c->watch);
	close(c->fd);
	timer_stop(s->loop, c->tick);
	timer_stop(s->loop, c->kick);
	nghttp2_session_del(c->session);
	purse_leave(c->purse);
	str_free(&c->out);
	free(c);
}
