/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets of clients, by GnuTLS. */
#ifndef NET_SECRET_H
#define NET_SECRET_H

#include <stdbool.h>

/* Takes the same time for all texts of one length. */
bool secret_same(const char *a, const char *b);

#endif
