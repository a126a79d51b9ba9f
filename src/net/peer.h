/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that no server on the network has. Who may choose where the manager connects
 * would otherwise reach what listens for the manager's machine alone.
 */
#ifndef NET_PEER_H
#define NET_PEER_H

#include <sys/socket.h>

/*
 * What such an address is: "the manager's own machine", "link-local", ...; NULL: one like
 * any other. An IPv4 address counts in each form in which IPv6 carries it. What is
 * neither IPv4 nor IPv6 is the manager's own machine.
 */
const char *peer_local(const struct sockaddr *at);

#endif
