/* SPDX-License-Identifier: Apache-2.0 */
/* A listening socket: accepts clients. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "grpc/server_parts.h"

enum {
	AGAIN_MS = 100,
	ACCEPTS = 16, /* accepts in one turn */
};

static struct err start_accepting(struct grpc_listener *d);

static void accept_again(void *grpc_listener)
{
	struct grpc_listener *d = grpc_listener;
	d->again = NULL;
	if (failed(start_accepting(d)))
		d->again = timer_start(d->server->loop, AGAIN_MS, accept_again, d);
}

/*
 * Pauses accepting when descriptors or memory ran out: the socket stays readable, so
 * retry later.
 */
static void pause_accepting(struct grpc_listener *d)
{
	if (!d->complained)
		log_warn("cannot accept connections for now", "error", strerror(errno));
	d->complained = true;
	fd_watch_stop(TAKE(d->watch));
	d->again = timer_start(d->server->loop, AGAIN_MS, accept_again, d);
}

static void acceptable(void *grpc_listener, int events)
{
	struct grpc_listener *d = grpc_listener;
	(void)events;
	for (int i = 0; i < ACCEPTS && d->watch; i++) {
		struct sockaddr_storage from = { 0 };
		socklen_t n = sizeof(from);
		int fd = accept4(d->fd, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			d->complained = false;
			d->came(d->server, fd, &from);
		} else if (errno == EAGAIN) {
			return;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			pause_accepting(d);
		}
	}
}

static struct err start_accepting(struct grpc_listener *d)
{
	return fd_watch_start(d->server->loop, d->fd, FD_READABLE, acceptable, d, &d->watch);
}

struct err grpc_listener_open(struct grpc_listener *d, struct grpc_server *s, int fd,
	void (*came)(struct grpc_server *s, int fd, const struct sockaddr_storage *from))
{
	*d = (struct grpc_listener){ .server = s, .fd = fd, .came = came };
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return start_accepting(d);
}

void grpc_listener_leave(struct grpc_listener *d)
{
	if (!d->server)
		return;
	fd_watch_stop(TAKE(d->watch));
	timer_stop(d->server->loop, TAKE(d->again));
}

void grpc_listener_close(struct grpc_listener *d)
{
	grpc_listener_leave(d);
	if (TAKE(d->server))
		close(d->fd);
}
