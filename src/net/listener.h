/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the user who listens at a port of this machine. Any user may listen at a port of
 * the loopback, so the address of a server does not identify its user.
 */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include "base/err.h"
#include "net/tcp_table.h"

/*
 * ERR_RETRY: an untrusted user listens there, or the tables cannot be read. The error
 * text ends with remedy.
 */
struct err listener_check(const struct tcp_link *l, const struct listener_users *users,
	const char *remedy);

#endif
