/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user at the other end of a TCP connection that stays on this machine, by the tables
 * of the kernel. Pure.
 *
 * The kernel names the user of each socket in /proc/net/tcp and tcp6 (of our network
 * namespace). Two rows count: the socket that listens at the server's end, because its
 * user can accept a connection that is not accepted yet; and the connection itself,
 * because the process that accepted it may have stopped listening since.
 */
#ifndef NET_TCP_TABLE_H
#define NET_TCP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { LISTENER_IP_BYTES = 16 };

/* An IPv4 address has the form ::ffff:a.b.c.d. */
struct tcp_end {
	uint8_t ip[LISTENER_IP_BYTES];
	uint16_t port;
};
struct tcp_link {
	struct tcp_end ours, theirs;
};

/* Users who are trusted besides root and the user of this process. */
struct listener_users {
	const uid_t *ids;
	size_t n;
};

/* False: one of them is no address. */
bool tcp_link_read(const char *our_ip, int our_port, const char *their_ip, int their_port,
	struct tcp_link *out);
/* Whether the server is on this machine, by the addresses. */
bool tcp_link_is_local(const struct tcp_link *l);

/*
 * Whether no stranger has the server's end, by the text of both tables. No row at
 * all is no stranger: only root can lead a connection elsewhere. stranger: the user.
 */
bool listener_is_trusted(const char *tcp, const char *tcp6, const struct tcp_link *l, uid_t self,
	const struct listener_users *users, uid_t *stranger);

#endif
