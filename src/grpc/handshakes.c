/* SPDX-License-Identifier: Apache-2.0 */
/* TCP clients during the TLS handshake: not authenticated yet, and few at a time. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "grpc/server_parts.h"

enum {
	LINE_COSTS_MS = 1000,
	LINES_MOST_MS = 20 * LINE_COSTS_MS,
};

struct handshake {
	struct grpc_server *server;
	struct handshake *prev, *next;
	struct tls *tls;
	char address[INET6_ADDRSTRLEN];
};

static struct tls *leave(struct handshake *g)
{
	struct tls *t = g->tls;
	DL_DELETE(g->server->handshakes, g);
	g->server->n_handshakes--;
	free(g);
	return t;
}

/*
 * Rate-limits log lines about refused clients: twenty lines at once, then one a second.
 */
static void tell(struct grpc_server *s, const char *address, const char *why)
{
	int64_t now_ms = loop_now_ms(s->loop);
	int64_t paid_ms = (s->told_ms > now_ms ? s->told_ms : now_ms) + LINE_COSTS_MS;
	if (paid_ms - now_ms > LINES_MOST_MS)
		return;
	s->told_ms = paid_ms;
	log_warn("refused a TCP client", "address", address, "why", why);
}

static void shaken(void *handshake, const char *why)
{
	struct handshake *g = handshake;
	struct grpc_server *s = g->server;
	if (why) {
		tell(s, g->address, why);
		tls_close(leave(g));
		return;
	}
	const struct grpc_peer peer = { -1, -1, -1, tls_client_name(g->tls) };
	log_info("a TCP client has connected", "client", peer.name, "address", g->address);
	struct tls *t = leave(g);
	connection_add(s, (struct end){ tls_fd(t), t }, &peer);
}

static int count_of(const struct grpc_server *s, const char *address)
{
	const struct handshake *g;
	int n = 0;
	DL_FOREACH(s->handshakes, g)
	n += str_eq(g->address, address);
	return n;
}

/*
 * Drops the oldest handshake of the address with the most handshakes, so that an address
 * with many handshakes cannot keep other clients out.
 */
static void make_room(struct grpc_server *s)
{
	struct handshake *g, *chosen = NULL;
	int most = 0;
	DL_FOREACH(s->handshakes, g)
	{
		int n = count_of(s, g->address);
		if (n > most) {
			most = n;
			chosen = g;
		}
	}
	tell(s, chosen->address, "too many handshakes at a time");
	tls_close(leave(chosen));
}

static void write_address(char out[static INET6_ADDRSTRLEN], const struct sockaddr_storage *from)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	memcpy(&in, from, sizeof(in));
	memcpy(&in6, from, sizeof(in6));
	bool v6 = from->ss_family == AF_INET6;
	inet_ntop(from->ss_family, v6 ? (const void *)&in6.sin6_addr : &in.sin_addr, out,
		INET6_ADDRSTRLEN);
}

void handshake_came(struct grpc_server *s, int fd, const struct sockaddr_storage *from)
{
	int on = 1;
	if (s->n_handshakes >= s->tcp.max_handshakes)
		make_room(s);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	struct handshake *g = own_alloc(sizeof(*g));
	g->server = s;
	write_address(g->address, from);
	g->tls = tls_start(s->loop, s->tcp.keys, fd, s->tcp.role, s->tcp.handshake_ms, shaken, g);
	DL_APPEND(s->handshakes, g);
	s->n_handshakes++;
}

void handshakes_free(struct grpc_server *s)
{
	while (s->handshakes)
		tls_close(leave(s->handshakes));
}
