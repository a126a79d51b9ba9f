/* SPDX-License-Identifier: Apache-2.0 */
/* Compares tokens of clients, with GnuTLS. */
#ifndef NET_SECRET_H
#define NET_SECRET_H

#include <stdbool.h>

/* Takes the same time for all texts of the same length. */
bool secret_same(const char *a, const char *b);

/*
 * The credentials in a header Authorization of the scheme Bearer (RFC 6750), without the
 * spaces before them; points into the header. NULL: no header, or another scheme.
 */
const char *bearer_of(const char *authorization);

#endif
