/* SPDX-License-Identifier: Apache-2.0 */
/* TCP addresses to listen on. */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdbool.h>

#include "base/err.h"

enum { MAX_HOST_BYTES = 256 };

/*
 * Splits "HOST:PORT", "[V6]:PORT" or ":PORT". False: the address has none of these forms.
 */
bool address_split(const char *address, char host[static MAX_HOST_BYTES], const char **port);
/*
 * Opens a non-blocking socket that listens at such an address with a numeric host.
 * Without a host: IPv6 that also accepts IPv4, or IPv4 alone on a machine without IPv6.
 * ERR_INVALID: the address is malformed, in use, or not permitted.
 */
struct err listen_tcp(const char *address, int *fd);

#endif
