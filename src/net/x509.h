/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates: made and looked at, by OpenSSL's libcrypto; TLS itself is that of
 * libmicrohttpd and libcurl. Keys are ECDSA on P-256; all texts are PEM.
 */
#ifndef NET_X509_H
#define NET_X509_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* From malloc; x509_pair_free overwrites the key. Zeroed: none. */
struct x509_pair {
	char *cert_pem, *key_pem;
};
void x509_pair_free(struct x509_pair *p); /* usable with AUTO */

/* What is to be made. */
struct x509_wish {
	const char *name; /* its common name */
	const char *const *dns;
	size_t n_dns;            /* none of an authority */
	int64_t from_s, until_s; /* wall seconds */
};
/* One that signs itself, and others. */
struct err x509_make_authority(const struct x509_wish *w, struct x509_pair *out);
/* One for a server, signed by the authority. */
struct err x509_make_server(const struct x509_wish *w, const struct x509_pair *authority,
	struct x509_pair *out);

/* Of the first certificate of a text. */
struct x509_facts {
	int64_t from_s, until_s;
	bool authority;
};
struct err x509_read(const char *cert_pem, struct x509_facts *out);
/* Whom a certificate of a client names, as the API server reads it. */
struct x509_subject {
	const char *name;          /* its common name */
	const char *const *groups; /* its organizations */
	size_t n_groups;
};
/*
 * Of a certificate in DER; the texts are UTF-8 in the arena. ERR_INVALID: it names nobody
 * (no common name, or several), or a name has a NUL byte, or is longer than 1,000 bytes,
 * or there are more than 100 organizations.
 */
struct err x509_read_subject(const void *der, size_t n, struct arena *a, struct x509_subject *out);
/* The key is that of the first certificate. */
bool x509_key_fits(const char *cert_pem, const char *key_pem);
/* The first certificate of authority_pem has signed that of cert_pem; of no time. */
bool x509_signed_by(const char *cert_pem, const char *authority_pem);
/*
 * "sha256//BASE64": the SHA-256 of its public key, as curl --pinnedpubkey takes it. From
 * malloc; NULL: there is no certificate.
 */
char *x509_public_key(const char *cert_pem);
/* The certificate is for this name of a server. */
bool x509_is_for(const char *cert_pem, const char *dns);

/*
 * The next certificate of a text with several, from *at on, which moves behind it. From
 * malloc; NULL: no more.
 */
char *x509_next(const char **at);

#endif
