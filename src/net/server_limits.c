/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections of the server: each has to send its request and take its answer in time,
 * and makes room for others when it does not.
 */
#include "net/server_parts.h"

#include <sys/socket.h>
#include <utlist.h>

#include "base/own.h"

/* libmicrohttpd sees the end of the connection and cleans up. */
static void order_end(struct connection *c)
{
	c->turn = TURN_OVER;
	shutdown(c->fd, SHUT_RDWR);
}

static void clock_struck(void *server)
{
	struct http_server *s = server;
	struct connection *c;
	int64_t now = loop_now_ms(s->loop);
	DL_FOREACH(s->connections, c)
	if ((c->turn == TURN_CLIENT_SENDS || c->turn == TURN_CLIENT_TAKES) &&
		now - c->since_ms >= s->request_ms)
		order_end(c);
	s->clock = s->connections ? timer_start(s->loop, s->request_ms / 4 + 1, clock_struck, s)
				  : NULL;
}

static void make_room(struct http_server *s)
{
	struct connection *c, *oldest = NULL;
	DL_FOREACH(s->connections, c)
	if (c->turn == TURN_CLIENT_SENDS && (!oldest || c->since_ms < oldest->since_ms))
		oldest = c;
	if (oldest)
		order_end(oldest);
}

static void add(struct http_server *s, int fd, void **connection)
{
	struct connection *c = own_alloc(sizeof(*c));
	if (s->n_connections >= s->max_connections)
		make_room(s);
	c->fd = fd;
	c->since_ms = loop_now_ms(s->loop);
	DL_APPEND(s->connections, c);
	s->n_connections++;
	*connection = c;
	if (!s->clock)
		s->clock = timer_start(s->loop, s->request_ms / 4 + 1, clock_struck, s);
}

void connection_notified(void *server, struct MHD_Connection *mhd, void **connection,
	enum MHD_ConnectionNotificationCode what)
{
	struct http_server *s = server;
	struct connection *c = *connection;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		add(s, MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
			connection);
		return;
	}
	DL_DELETE(s->connections, c);
	s->n_connections--;
	free(c);
}

void connection_turn(struct http_server *s, struct MHD_Connection *mhd, enum turn turn)
{
	struct connection *c =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	if (c->turn == TURN_OVER)
		return;
	c->turn = turn;
	c->since_ms = loop_now_ms(s->loop);
}
