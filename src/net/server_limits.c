/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes connections whose client does not send its request or read its answer in time.
 */
#include "net/server_parts.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

#include "base/own.h"

/* Shuts the socket down. libmicrohttpd detects the end and frees the connection. */
static void order_end(struct connection *c)
{
	c->turn = TURN_OVER;
	shutdown(c->fd, SHUT_RDWR);
}

/* Whether the connection waits for its client. */
static bool awaited(const struct connection *c)
{
	return c->turn == TURN_CLIENT_SENDS || c->turn == TURN_KEPT ||
		c->turn == TURN_CLIENT_TAKES || c->turn == TURN_CLIENT_TAKES_STREAM;
}

static int64_t patience_ms(const struct http_server *s, const struct connection *c)
{
	if (c->turn == TURN_KEPT && s->keep_ms)
		return s->keep_ms;
	return c->turn == TURN_CLIENT_TAKES_STREAM && s->stream_ms ? s->stream_ms : s->request_ms;
}

static void clock_struck(void *server)
{
	struct http_server *s = server;
	struct connection *c;
	int64_t now = loop_now_ms(s->loop);
	DL_FOREACH(s->connections, c)
	if (awaited(c) && now - c->since_ms >= patience_ms(s, c))
		order_end(c);
	s->clock = s->connections ? timer_start(s->loop, s->request_ms / 4 + 1, clock_struck, s)
				  : NULL;
}

/* Counts for each client the connections that wait for it. */
static void count_awaited(struct http_server *s)
{
	struct connection *c;
	DL_FOREACH(s->connections, c)
	c->client->n_awaited = 0;
	DL_FOREACH(s->connections, c)
	c->client->n_awaited += awaited(c);
}

/*
 * Closes the connection that has waited longest for its client, at the address with the
 * most such connections. Thus a client with many connections does not block other
 * clients.
 */
static void make_room(struct http_server *s)
{
	struct connection *c, *chosen = NULL;
	size_t most = 0;
	count_awaited(s);
	DL_FOREACH(s->connections, c)
	{
		size_t n = awaited(c) ? c->client->n_awaited : 0;
		if (n > most || (n && n == most && c->since_ms < chosen->since_ms)) {
			most = n;
			chosen = c;
		}
	}
	if (chosen)
		order_end(chosen);
}

/* The user at the other end of a unix socket; on other sockets -1. */
static struct exchange_peer peer_of(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);
	bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
		peer.uid != (uid_t)-1;
	return known ? (struct exchange_peer){ peer.pid, peer.uid, peer.gid, 0 }
		     : (struct exchange_peer){ -1, -1, -1, 0 };
}

/* On a unix socket all connections of one user count as one client's. */
static struct client *client_at(struct http_server *s, const struct sockaddr *at, int fd)
{
	unsigned char address[ADDRESS_BYTES] = { 0 };
	struct client *c;
	if (at->sa_family == AF_UNIX)
		memcpy(address, &(int64_t){ peer_of(fd).uid }, sizeof(int64_t));
	else if (at->sa_family == AF_INET)
		memcpy(address, &((const struct sockaddr_in *)at)->sin_addr, 4);
	else if (at->sa_family == AF_INET6)
		memcpy(address, &((const struct sockaddr_in6 *)at)->sin6_addr, ADDRESS_BYTES);
	HASH_FIND(hh, s->clients, address, ADDRESS_BYTES, c);
	if (!c) {
		c = own_alloc(sizeof(*c));
		memcpy(c->address, address, ADDRESS_BYTES);
		HASH_ADD(hh, s->clients, address, ADDRESS_BYTES, c);
	}
	c->n_connections++;
	return c;
}

static void client_leave(struct http_server *s, struct client *c)
{
	if (--c->n_connections)
		return;
	HASH_DEL(s->clients, c);
	free(c);
}

static void add(struct http_server *s, struct MHD_Connection *mhd, void **connection)
{
	struct connection *c = own_alloc(sizeof(*c));
	if (s->n_connections >= s->max_connections)
		make_room(s);
	c->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	c->client = client_at(s,
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr,
		c->fd);
	/* Go opens connections in advance and keeps them (net/http, dialConnFor) */
	c->turn = TURN_KEPT;
	c->since_ms = c->began_ms = loop_now_ms(s->loop);
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
		add(s, mhd, connection);
		return;
	}
	DL_DELETE(s->connections, c);
	s->n_connections--;
	client_leave(s, c->client);
	free(c);
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
	return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

struct client *client_of(struct MHD_Connection *mhd) { return connection_of(mhd)->client; }

const char *exchange_from(const struct exchange *x, char out[static EXCHANGE_FROM_BYTES])
{
	const struct client *c = client_of(x->mhd);
	for (size_t i = 0; i < ADDRESS_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", c->address[i]);
	return out;
}

struct exchange_peer exchange_peer(const struct exchange *x)
{
	const struct connection *c = connection_of(x->mhd);
	struct exchange_peer peer = peer_of(c->fd);
	peer.since_ms = c->began_ms;
	return peer;
}

void connection_turn(struct http_server *s, struct MHD_Connection *mhd, enum turn turn)
{
	struct connection *c = connection_of(mhd);
	if (c->turn == TURN_OVER)
		return;
	c->turn = turn;
	c->since_ms = loop_now_ms(s->loop);
}

bool connection_still_reads(struct MHD_Connection *mhd)
{
	struct pollfd client = { .fd = connection_of(mhd)->fd }; /* POLLHUP alone */
	int domain = AF_UNSPEC;
	socklen_t n = sizeof(domain);
	getsockopt(client.fd, SOL_SOCKET, SO_DOMAIN, &domain, &n);
	return domain == AF_UNIX && poll(&client, 1, 0) == 0;
}

bool connection_is_over(struct MHD_Connection *mhd)
{
	return connection_of(mhd)->turn == TURN_OVER;
}

void connection_goes_on(struct http_server *s, struct MHD_Connection *mhd)
{
	const struct connection *c = connection_of(mhd);
	if (s->keep_ms && c->turn == TURN_KEPT)
		connection_turn(s, mhd, TURN_CLIENT_SENDS);
}
