/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connects to a host and a port on TCP, on the loop of libuv. Each dial resolves the name
 * again, in a thread, and tries each of its addresses.
 *
 *     struct dial *d = dial_start(loop, "login.example", "4443", 10000, dialled, ctx);
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include "net/loop.h"

struct dial;
/*
 * fd: a connected, non-blocking socket, which the caller owns; -1: failed, and why is one
 * sentence. The dial has been freed.
 */
typedef void dial_done(void *ctx, int fd, const char *why);

/*
 * Texts are copied. done is called after time_ms at the latest, never from within this
 * call.
 */
struct dial *dial_start(struct loop *uv_loop, const char *host, const char *port, int64_t time_ms,
	dial_done *done, void *ctx);
/* Frees the dial without calling done. Accepts NULL. */
void dial_stop(struct dial *d);

#endif
