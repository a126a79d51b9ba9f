/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes and reads certificates with OpenSSL's libcrypto. TLS is done by other libraries.
 * Keys are ECDSA on P-256; all texts are PEM.
 */
#ifndef NET_X509_H
#define NET_X509_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* From malloc; x509_pair_free overwrites the key. All zero: no pair. */
struct x509_pair {
	char *cert_pem, *key_pem;
};
void x509_pair_free(struct x509_pair *p); /* usable with AUTO */

/* The certificate to make. */
struct x509_wish {
	const char *name; /* its common name */
	const char *const *dns;
	size_t n_dns;            /* 0 for an authority */
	int64_t from_s, until_s; /* wall seconds */
};
/* Makes a self-signed certificate of an authority. */
struct err x509_make_authority(const struct x509_wish *w, struct x509_pair *out);
/* Makes a server certificate, signed by the authority. */
struct err x509_make_server(const struct x509_wish *w, const struct x509_pair *authority,
	struct x509_pair *out);

/* Facts about the first certificate of a text. */
struct x509_facts {
	int64_t from_s, until_s;
	bool authority;
};
struct err x509_read(const char *cert_pem, struct x509_facts *out);
/* The subject of a client certificate, as the API server reads it. */
struct x509_subject {
	const char *name;          /* its common name */
	const char *const *groups; /* its organizations */
	size_t n_groups;
};
/*
 * Reads the subject of a certificate in DER; the texts are UTF-8 in the arena.
 * ERR_INVALID: there is no common name, or several, a name has a NUL byte or is longer
 * than 1,000 bytes, or there are more than 100 organizations.
 */
struct err x509_read_subject(const void *der, size_t n, struct arena *a, struct x509_subject *out);
/* Whether the key belongs to the first certificate. */
bool x509_key_fits(const char *cert_pem, const char *key_pem);
/*
 * Whether the first certificate of authority_pem signed that of cert_pem; ignores
 * validity times.
 */
bool x509_signed_by(const char *cert_pem, const char *authority_pem);
/*
 * Returns "sha256//BASE64": the SHA-256 of the certificate's public key, in the form of
 * curl --pinnedpubkey. From malloc; NULL: there is no certificate.
 */
char *x509_public_key(const char *cert_pem);
/* Whether the certificate is for this server name. */
bool x509_is_for(const char *cert_pem, const char *dns);

/*
 * Returns the next certificate of a text with several, from *at on, and moves *at behind
 * it. From malloc; NULL: no more.
 */
char *x509_next(const char **at);

#endif
