/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches descriptors of other code on the loop of libuv: a pipe, a socket, the epoll
 * descriptor of a library.
 *
 *     fd_watch_start(loop, fd, FD_READABLE, ready, ctx, &watch);
 *
 * ready is called in each turn in which one of the events holds, until the watch is
 * stopped. For example, it is called again while unread bytes are left. The caller owns
 * the descriptor, and must stop the watch before closing it. A descriptor has at most one
 * watch at a time.
 */
#ifndef NET_FD_H
#define NET_FD_H

#include "base/err.h"
#include "net/loop.h"

enum {
	FD_READABLE = 1,
	FD_WRITABLE = 2,
	FD_GONE = 4, /* the peer of a socket sends no more: it closed the socket, or died */
};

struct fd_watch;
/* An error of the descriptor counts as each watched event. */
typedef void fd_ready(void *ctx, int events);

/* A regular file is always ready and cannot be watched: ERR_INTERNAL. */
struct err fd_watch_start(struct loop *uv_loop, int fd, int events, fd_ready *ready, void *ctx,
	struct fd_watch **out);
/* Stops calling ready. May be called from within ready; accepts NULL. */
void fd_watch_stop(struct fd_watch *w);

#endif
