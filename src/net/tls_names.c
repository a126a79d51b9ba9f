/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a certificate, by GnuTLS. */
#include <gnutls/x509.h>
#include <limits.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "net/tls_parts.h"

enum {
	NAMES = 100,
	NAME_BYTES = 1000,
	UTF8_STRING = 12, /* X.680 8.4 */
	PRINTABLE_STRING = 19,
	IA5_STRING = 22,
};

struct reader {
	struct arena *arena;
	const char **rows;
	size_t n;
	int common_names;
	bool bad;
};

static bool is_text(const char *bytes, size_t n)
{
	if (!n || memchr(bytes, 0, n))
		return false;
	AUTO(own_free) char *text = own_strndup(bytes, n);
	const char *at = text;
	while (*at && str_utf8(at))
		at += str_utf8(at);
	return !*at;
}

static void add(struct reader *r, const void *bytes, size_t n)
{
	r->bad |= r->n == NAMES || n > NAME_BYTES || !is_text(bytes, n);
	if (!r->bad)
		r->rows[r->n++] = arena_strndup(r->arena, bytes, n);
}

/* ---- the common name ---- */

static void add_ava(struct reader *r, const gnutls_x509_ava_st *ava)
{
	const char oid[] = GNUTLS_OID_X520_COMMON_NAME;
	bool text = ava->value_tag == UTF8_STRING || ava->value_tag == PRINTABLE_STRING ||
		ava->value_tag == IA5_STRING;
	if (ava->oid.size < sizeof(oid) - 1 || memcmp(ava->oid.data, oid, sizeof(oid) - 1) != 0 ||
		(ava->oid.size > sizeof(oid) - 1 && ava->oid.data[sizeof(oid) - 1]))
		return;
	r->bad |= !text;
	if (r->common_names++ == 0)
		add(r, ava->value.data, ava->value.size);
}

static void add_common_name(struct reader *r, gnutls_x509_crt_t cert)
{
	gnutls_x509_dn_t dn;
	gnutls_x509_ava_st ava;
	if (gnutls_x509_crt_get_subject(cert, &dn) < 0)
		return;
	/* Check all values of multi-valued RDNs, though our certificates have none. */
	for (int i = 0; gnutls_x509_dn_get_rdn_ava(dn, i, 0, &ava) == 0; i++)
		for (int k = 0; gnutls_x509_dn_get_rdn_ava(dn, i, k, &ava) == 0; k++)
			add_ava(r, &ava);
	if (r->common_names > 1)
		r->n = 0;
}

/* ---- subject alternative names ---- */

static void add_alternatives(struct reader *r, gnutls_x509_crt_t cert)
{
	for (unsigned i = 0; !r->bad; i++) {
		char name[NAME_BYTES + 1];
		size_t n = sizeof(name);
		int type = gnutls_x509_crt_get_subject_alt_name(cert, i, name, &n, NULL);
		if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			return;
		if (type == GNUTLS_SAN_DNSNAME || type == GNUTLS_SAN_URI)
			add(r, name, n);
		else
			r->bad |= type < 0;
	}
}

static void cert_free(gnutls_x509_crt_t *cert) { gnutls_x509_crt_deinit(*cert); }

struct err tls_read_names(const void *der, size_t n, struct arena *a, struct tls_names *out)
{
	gnutls_datum_t bytes = { (unsigned char *)(uintptr_t)der, (unsigned)n };
	AUTO(cert_free) gnutls_x509_crt_t cert = NULL;
	struct reader r = { .arena = a, .rows = arena_array(a, const char *, NAMES) };
	*out = (struct tls_names){ 0 };
	if (n > INT_MAX || gnutls_x509_crt_init(&cert) < 0 ||
		gnutls_x509_crt_import(cert, &bytes, GNUTLS_X509_FMT_DER) < 0)
		return err_new(ERR_INVALID, "there is no certificate that can be read");
	add_common_name(&r, cert);
	add_alternatives(&r, cert);
	if (r.bad)
		return err_new(ERR_INVALID, "its names cannot be read");
	*out = (struct tls_names){ r.rows, r.n };
	return OK;
}
