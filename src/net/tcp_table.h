/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the user at the other end of a TCP connection within this machine, in the tables
 * of the kernel. Pure.
 *
 * The kernel names the user of each socket in /proc/net/tcp and tcp6 (of our network
 * namespace). Two rows count. The socket that listens at the server's end counts, because
 * its user may accept the connection later. The connection itself counts, because the
 * process that accepted it may no longer listen.
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

/* False: an address or a port is not valid. */
bool tcp_link_read(const char *our_ip, int our_port, const char *their_ip, int their_port,
	struct tcp_link *out);
/* Whether the server is on this machine, by the addresses. */
bool tcp_link_is_local(const struct tcp_link *l);

/*
 * Whether only trusted users have the server's end, by the text of both tables. Also true
 * if no row matches, because only root can redirect a connection. stranger: the untrusted
 * user.
 */
bool listener_is_trusted(const char *tcp, const char *tcp6, const struct tcp_link *l, uid_t self,
	const struct listener_users *users, uid_t *stranger);

#endif
