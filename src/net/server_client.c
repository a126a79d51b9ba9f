/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate that a client presented, and whether one of our authorities signed it.
 */
#include "net/server_parts.h"

#include "base/own.h"

enum { CHAIN = 16 };

struct chain {
	gnutls_x509_crt_t certs[CHAIN];
	unsigned n;
};

static void chain_free(struct chain *c)
{
	while (c->n)
		gnutls_x509_crt_deinit(c->certs[--c->n]);
}

static bool add(struct chain *c, const gnutls_datum_t *der)
{
	gnutls_x509_crt_t *cert = &c->certs[c->n];
	if (gnutls_x509_crt_init(cert) < 0)
		return false;
	c->n++;
	return gnutls_x509_crt_import(*cert, der, GNUTLS_X509_FMT_DER) >= 0;
}

bool client_shows_one(gnutls_session_t session)
{
	unsigned shown = 0;
	return gnutls_certificate_get_peers(session, &shown) && shown;
}

bool client_is_trusted(gnutls_session_t session, gnutls_x509_trust_list_t by)
{
	gnutls_typed_vdata_st made_for = {
		.type = GNUTLS_DT_KEY_PURPOSE_OID,
		.data = (void *)GNUTLS_KP_TLS_WWW_CLIENT,
	};
	struct chain chain AUTO(chain_free) = { 0 };
	unsigned shown = 0, wrong = ~0U;
	const gnutls_datum_t *certs = gnutls_certificate_get_peers(session, &shown);
	if (!by || !certs || !shown)
		return false;
	for (unsigned i = 0; i < shown && i < CHAIN; i++)
		if (!add(&chain, &certs[i]))
			return false;
	return gnutls_x509_trust_list_verify_crt2(by, chain.certs, chain.n, &made_for, 1, 0, &wrong,
		       NULL) >= 0 &&
		wrong == 0;
}
