/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program listens by TCP. */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdbool.h>

#include "base/err.h"

enum { MAX_HOST_BYTES = 256 };

/* "HOST:PORT", "[V6]:PORT" or ":PORT" into its halves. False: it is none of them. */
bool address_split(const char *address, char host[static MAX_HOST_BYTES], const char **port);
/*
 * A socket that listens, without blocking, at an address as above whose host is a number.
 * Without a host: IPv6 that takes IPv4 too, or IPv4 alone where there is no IPv6.
 * ERR_INVALID: it is no such address, is taken, or may not be had.
 */
struct err listen_tcp(const char *address, int *fd);

#endif
