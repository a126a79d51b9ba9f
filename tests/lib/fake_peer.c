/* SPDX-License-Identifier: Apache-2.0 */
/* A peer on 127.0.0.1 that answers with given bytes (see fake_peer.h). */
#include "lib/fake_peer.h"

/* One connection, plain or with TLS. */
struct peer_end {
	int fd;
	SSL *tls;
};

static ssize_t peer_read(struct peer_end *e, char *to, size_t n)
{
	return e->tls ? SSL_read(e->tls, to, (int)n) : read(e->fd, to, n);
}

static void peer_write(struct peer_end *e, const char *from, size_t n)
{
	while (n) {
		ssize_t sent = e->tls ? SSL_write(e->tls, from, (int)n)
				      : send(e->fd, from, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		from += sent;
		n -= (size_t)sent;
	}
}

/* True when head and body are there. */
static bool peer_whole(const char *request)
{
	const char *body = strstr(request, "\r\n\r\n"),
		   *length = strstr(request, "Content-Length: ");
	return body && (!length || strlen(body + 4) >= (size_t)atoi(length + 16));
}

/* Reads one request into p->request. */
static bool peer_take(struct peer *p, struct peer_end *e)
{
	size_t n = 0;
	ssize_t got;
	memset(p->request, 0, sizeof(p->request));
	while (!(p->any_request ? n > 0 : peer_whole(p->request)) &&
		(got = peer_read(e, p->request + n, sizeof(p->request) - 1 - n)) > 0)
		n += (size_t)got;
	return n > 0;
}

static void peer_serve(struct peer *p, struct peer_end *e)
{
	char rest[512];
	if (p->answer && peer_take(p, e))
		peer_write(e, p->answer, p->answer_bytes);
	if (p->cut_second && p->connections == 1)
		peer_take(p, e);
	while (p->keep && peer_read(e, rest, sizeof(rest)) > 0)
		;
}

static void *run(void *peer)
{
	struct peer *p = peer;
	int fd;
	while ((fd = accept(p->listener, NULL, NULL)) >= 0) {
		struct peer_end e = { fd, p->tls ? SSL_new(p->tls) : NULL };

		p->connections++;
		if (e.tls)
			SSL_set_fd(e.tls, fd);
		if (!e.tls || SSL_accept(e.tls) == 1) {
			peer_serve(p, &e);
		} else { /* our alert must arrive before the reset that unread bytes would cause */
			char rest[512];

			shutdown(fd, SHUT_WR);
			while (read(fd, rest, sizeof(rest)) > 0)
				;
		}
		if (e.tls) {
			SSL_shutdown(e.tls);
			SSL_free(e.tls);
		}
		close(fd);
	}
	return NULL;
}

static int listen_at(struct in_addr address, int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = address };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, n) != 0 || listen(fd, 16) != 0 ||
		getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		abort();
	*port = ntohs(at.sin_port);
	return fd;
}

static struct in_addr loopback(void) { return (struct in_addr){ htonl(INADDR_LOOPBACK) }; }

int peer_listen(int *port) { return listen_at(loopback(), port); }

static void start(struct peer *p, struct in_addr address, SSL_CTX *tls, const char *answer)
{
	*p = (struct peer){
		.tls = tls,
		.answer = answer,
		.answer_bytes = answer ? strlen(answer) : 0,
	};
	p->listener = listen_at(address, &p->port);
	if (pthread_create(&p->thread, NULL, run, p) != 0)
		abort();
}

void peer_start(struct peer *p, SSL_CTX *tls, const char *answer)
{
	start(p, loopback(), tls, answer);
}

void peer_start_at(struct peer *p, struct in_addr address, const char *answer)
{
	start(p, address, NULL, answer);
}

void peer_stop(struct peer *p)
{
	shutdown(p->listener, SHUT_RDWR); /* ends accept */
	pthread_join(p->thread, NULL);
	close(p->listener);
}
