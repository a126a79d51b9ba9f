/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates with their keys, made on the spot. */
#ifndef TESTS_LIB_IDENTITY_H
#define TESTS_LIB_IDENTITY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/own.h"

struct identity {
	X509 *cert;
	EVP_PKEY *key;
	char *cert_pem, *key_pem;
};

static inline char *pem_text(BIO *bio)
{
	char *bytes;
	long n = BIO_get_mem_data(bio, &bytes);
	char *text = own_strndup(bytes, (size_t)n);
	BIO_free(bio);
	return text;
}

/*
 * A certificate that signs itself, so it is its own authority. alternative: "DNS:name" or
 * "IP:address".
 */
static inline struct identity make_identity(const char *name, const char *alternative)
{
	struct identity id = { X509_new(), EVP_EC_gen("P-256"), NULL, NULL };
	X509_NAME *subject = X509_get_subject_name(id.cert);
	X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, alternative);

	X509_set_version(id.cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(id.cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(id.cert), -60);
	X509_gmtime_adj(X509_getm_notAfter(id.cert), 3600);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
		0);
	X509_set_issuer_name(id.cert, subject);
	X509_set_pubkey(id.cert, id.key);
	X509_add_ext(id.cert, names, -1);
	X509_EXTENSION_free(names);
	assert_true(X509_sign(id.cert, id.key, EVP_sha256()) > 0);
	BIO *cert = BIO_new(BIO_s_mem()), *key = BIO_new(BIO_s_mem());
	PEM_write_bio_X509(cert, id.cert);
	PEM_write_bio_PrivateKey(key, id.key, NULL, NULL, 0, NULL, NULL);
	id.cert_pem = pem_text(cert);
	id.key_pem = pem_text(key);
	return id;
}

static inline void drop_identity(struct identity *id)
{
	X509_free(id->cert);
	EVP_PKEY_free(id->key);
	free(id->cert_pem);
	free(id->key_pem);
}

#endif
