/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that no server on the network has. Without this check, a user who chooses
 * where the manager connects could reach services that listen only for the manager's own
 * machine.
 */
#ifndef NET_PEER_H
#define NET_PEER_H

#include <sys/socket.h>

/*
 * Returns the kind of such an address: "the manager's own machine", "link-local", ...;
 * NULL: an ordinary address. Checks IPv4 addresses in all IPv6 forms that embed them. An
 * address that is neither IPv4 nor IPv6 counts as the manager's own machine.
 */
const char *peer_local(const struct sockaddr *at);

#endif
