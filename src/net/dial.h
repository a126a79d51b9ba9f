/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection by TCP to a host and a port, on the loop of libuv. The name is looked up
 * anew each time, beside the loop, and each of its addresses is tried.
 *
 *     struct dial *d = dial_start(loop, "login.example", "4443", 10000, dialled, ctx);
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include "net/loop.h"

struct dial;
/*
 * fd: connected, without blocking and the caller's; -1: there is none, and why says so in
 * one sentence. The dial is gone.
 */
typedef void dial_done(void *ctx, int fd, const char *why);

/*
 * Texts are copied. done comes after time_ms at the latest, never from within this call.
 */
struct dial *dial_start(struct loop *uv_loop, const char *host, const char *port, int64_t time_ms,
	dial_done *done, void *ctx);
/* done does not come. Accepts NULL. */
void dial_stop(struct dial *d);

#endif
