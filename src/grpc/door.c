/* SPDX-License-Identifier: Apache-2.0 */
/* A listening socket, and its clients. */
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

static struct err start_accepting(struct door *d);

static void accept_again(void *door)
{
	struct door *d = door;
	d->again = NULL;
	if (failed(start_accepting(d)))
		d->again = timer_start(d->server->loop, AGAIN_MS, accept_again, d);
}

/*
 * Pauses accepting when descriptors or memory ran out: the socket stays readable, so
 * retry later.
 */
static void pause_accepting(struct door *d)
{
	if (!d->complained)
		log_warn("no connection can be taken for now", "error", strerror(errno));
	d->complained = true;
	fd_watch_stop(TAKE(d->watch));
	d->again = timer_start(d->server->loop, AGAIN_MS, accept_again, d);
}

static void acceptable(void *door, int events)
{
	struct door *d = door;
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

static struct err start_accepting(struct door *d)
{
	return fd_watch_start(d->server->loop, d->fd, FD_READABLE, acceptable, d, &d->watch);
}

struct err door_open(struct door *d, struct grpc_server *s, int fd,
	void (*came)(struct grpc_server *s, int fd, const struct sockaddr_storage *from))
{
	*d = (struct door){ .server = s, .fd = fd, .came = came };
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return start_accepting(d);
}

void door_leave(struct door *d)
{
	if (!d->server)
		return;
	fd_watch_stop(TAKE(d->watch));
	timer_stop(d->server->loop, TAKE(d->again));
}

void door_close(struct door *d)
{
	door_leave(d);
	if (TAKE(d->server))
		close(d->fd);
}
