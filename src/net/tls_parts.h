/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of TLS on sockets; private to this folder. */
#ifndef NET_TLS_PARTS_H
#define NET_TLS_PARTS_H

#include <gnutls/gnutls.h>

#include "base/arena.h"
#include "net/tls.h"

/* An immutable version of a pair and its authorities; a reload makes a new version. */
struct tls_credentials {
	gnutls_certificate_credentials_t certs;
	int users; /* keys and connections */
};

/* Returns the current version, with one user more. */
struct tls_credentials *tls_keys_now(struct tls_keys *k);
void tls_credentials_leave(struct tls_credentials *c); /* drops a user; accepts NULL */

/* The names of a certificate: its common name, DNS names and URIs. */
struct tls_names {
	const char *const *rows;
	size_t n;
};
/*
 * Reads the names of a certificate in DER; the texts are UTF-8 in the arena. If there are
 * several common names, all of them are ignored. ERR_INVALID: a name has a NUL byte, is
 * not UTF-8, is empty or longer than 1,000 bytes, or there are more than 100 names.
 */
struct err tls_read_names(const void *der, size_t n, struct arena *a, struct tls_names *out);

#endif
