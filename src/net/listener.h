/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which user listens at a port of this machine. Any user may listen at a port of the
 * loopback, so the address of a server shows nothing about it.
 */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include "base/err.h"
#include "net/tcp_table.h"

/*
 * ERR_RETRY: a stranger has it, or the tables cannot be read; remedy ends the sentence.
 */
struct err listener_check(const struct tcp_link *l, const struct listener_users *users,
	const char *remedy);

#endif
