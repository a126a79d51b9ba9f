/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of TLS on sockets share; private to this folder. */
#ifndef NET_TLS_PARTS_H
#define NET_TLS_PARTS_H

#include <gnutls/gnutls.h>

#include "base/arena.h"
#include "net/tls.h"

/* A pair and its authorities as they were once: new files do not change them. */
struct tls_credentials {
	gnutls_certificate_credentials_t certs;
	int users; /* keys and connections */
};

/* One user more. */
struct tls_credentials *tls_keys_now(struct tls_keys *k);
void tls_credentials_leave(struct tls_credentials *c); /* one less; accepts NULL */

/* All that a certificate may be known by: its common name, DNS names and URIs. */
struct tls_names {
	const char *const *rows;
	size_t n;
};
/*
 * Of a certificate in DER; the texts are UTF-8 in the arena. Of several common names none
 * counts. ERR_INVALID: one of these names has a NUL byte, is no text, is empty or longer
 * than 1,000 bytes, or there are more than 100 of them.
 */
struct err tls_read_names(const void *der, size_t n, struct arena *a, struct tls_names *out);

#endif
