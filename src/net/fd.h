/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that others opened, watched on the loop of libuv: a pipe, a socket, the
 * epoll descriptor of a library.
 *
 *     fd_watch_start(loop, fd, FD_READABLE, ready, ctx, &watch);
 *
 * ready is called on each turn on which one of the events is there, until the watch is
 * stopped: whoever leaves bytes unread is called again. The descriptor stays the
 * caller's: stop the watch first, close it then. One watch for each descriptor at a time.
 */
#ifndef NET_FD_H
#define NET_FD_H

#include "base/err.h"
#include "net/loop.h"

enum {
	FD_READABLE = 1,
	FD_WRITABLE = 2,
	FD_GONE = 4, /* the peer of a socket will send no more: it closed, or it died */
};

struct fd_watch;
/* An error of the descriptor counts as each event that was asked for. */
typedef void fd_ready(void *ctx, int events);

/* A regular file is always ready and cannot be watched: ERR_INTERNAL. */
struct err fd_watch_start(struct loop *uv_loop, int fd, int events, fd_ready *ready, void *ctx,
	struct fd_watch **out);
/* Ready is not called any more. May be called from within it; accepts NULL. */
void fd_watch_stop(struct fd_watch *w);

#endif
