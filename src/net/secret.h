/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that clients show, compared by GnuTLS. */
#ifndef NET_SECRET_H
#define NET_SECRET_H

#include <stdbool.h>

/* Takes the same time for all texts of one length. */
bool secret_same(const char *a, const char *b);

/*
 * The credentials in a header Authorization of the scheme Bearer (RFC 6750), without the
 * spaces before them; a part of the header. NULL: there is no header, or it has another
 * scheme.
 */
const char *bearer_of(const char *authorization);

#endif
