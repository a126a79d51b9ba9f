/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates by OpenSSL. */
#include "net/x509.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "net/crypto_parts.h"

enum { SERIAL_BYTES = 16, SUBJECT_BYTES = 1000, SUBJECT_GROUPS = 100 };

static void free_cert(X509 **c) { X509_free(*c); }

void x509_pair_free(struct x509_pair *p)
{
	free(TAKE(p->cert_pem));
	own_wipe(TAKE(p->key_pem));
}

/* ---- texts ---- */

static X509 *parse_cert(const char *pem)
{
	AUTO(crypto_free_bio) BIO *b = BIO_new_mem_buf(pem, -1);
	X509 *c = b ? PEM_read_bio_X509(b, NULL, NULL, NULL) : NULL;
	ERR_clear_error();
	return c;
}

/* Refuses a key with a password, instead of prompting for it. */
static int no_password(char *buffer, int size, int writing, void *ctx)
{
	(void)buffer, (void)size, (void)writing, (void)ctx;
	return -1;
}

static EVP_PKEY *parse_key(const char *pem)
{
	AUTO(crypto_free_bio) BIO *b = BIO_new_mem_buf(pem, -1);
	EVP_PKEY *k = b ? PEM_read_bio_PrivateKey(b, NULL, no_password, NULL) : NULL;
	ERR_clear_error();
	return k;
}

static struct err write_pair(X509 *c, EVP_PKEY *k, struct x509_pair *out)
{
	AUTO(crypto_free_bio) BIO *cert = BIO_new(BIO_s_mem());
	AUTO(crypto_free_bio) BIO *key = BIO_new(BIO_s_secmem());
	if (!cert || !key || !PEM_write_bio_X509(cert, c) ||
		!PEM_write_bio_PrivateKey(key, k, NULL, NULL, 0, NULL, NULL))
		return crypto_failed("a certificate cannot be written");
	out->cert_pem = crypto_take_text(cert);
	out->key_pem = crypto_take_text(key);
	return OK;
}

/* ---- creating ---- */

static bool add_extension(X509 *c, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509V3_set_ctx(&ctx, issuer, c, NULL, NULL, 0);
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	bool added = e && X509_add_ext(c, e, -1);
	X509_EXTENSION_free(e);
	return added;
}

static bool add_names(X509 *c, X509 *issuer, const struct x509_wish *w)
{
	AUTO(str_free) struct str names = { 0 };
	for (size_t i = 0; i < w->n_dns; i++)
		str_addf(&names, "%sDNS:%s", i ? "," : "", w->dns[i]);
	return add_extension(c, issuer, NID_subject_alt_name, str_text(&names));
}

static bool set_serial(X509 *c)
{
	unsigned char bytes[SERIAL_BYTES];
	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return false;
	bytes[0] &= 0x7f; /* positive */
	bytes[0] |= 0x40; /* and of full length */
	BIGNUM *n = BN_bin2bn(bytes, sizeof(bytes), NULL);
	bool set = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(c));
	BN_free(n);
	return set;
}

static bool set_head(X509 *c, EVP_PKEY *k, const struct x509_wish *w)
{
	X509_NAME *name = X509_get_subject_name(c);
	return X509_set_version(c, X509_VERSION_3) && set_serial(c) &&
		ASN1_TIME_set(X509_getm_notBefore(c), (time_t)w->from_s) &&
		ASN1_TIME_set(X509_getm_notAfter(c), (time_t)w->until_s) &&
		X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
			(const unsigned char *)w->name, -1, -1, 0) &&
		X509_set_pubkey(c, k);
}

static bool set_use(X509 *c, X509 *issuer, const struct x509_wish *w)
{
	bool authority = issuer == c;
	return add_extension(c, issuer, NID_basic_constraints,
		       authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") &&
		add_extension(c, issuer, NID_key_usage,
			authority ? "critical,keyCertSign" : "critical,digitalSignature") &&
		add_extension(c, issuer, NID_subject_key_identifier, "hash") &&
		add_extension(c, issuer, NID_authority_key_identifier, "keyid:always") &&
		(authority ||
			(add_extension(c, issuer, NID_ext_key_usage, "serverAuth") &&
				add_names(c, issuer, w)));
}

/* Makes a certificate; issuer NULL: self-signed. */
static struct err make(const struct x509_wish *w, X509 *issuer, EVP_PKEY *issuer_key,
	struct x509_pair *out)
{
	AUTO(crypto_free_key) EVP_PKEY *key = EVP_EC_gen("P-256");
	AUTO(free_cert) X509 *c = X509_new();
	if (!key || !c || !set_head(c, key, w) ||
		!X509_set_issuer_name(c, X509_get_subject_name(issuer ? issuer : c)) ||
		!set_use(c, issuer ? issuer : c, w) ||
		!X509_sign(c, issuer_key ? issuer_key : key, EVP_sha256()))
		return crypto_failed("a certificate cannot be made");
	return write_pair(c, key, out);
}

struct err x509_make_authority(const struct x509_wish *w, struct x509_pair *out)
{
	return make(w, NULL, NULL, out);
}

struct err x509_make_server(const struct x509_wish *w, const struct x509_pair *authority,
	struct x509_pair *out)
{
	AUTO(free_cert) X509 *issuer = parse_cert(authority->cert_pem);
	AUTO(crypto_free_key) EVP_PKEY *key = parse_key(authority->key_pem);
	if (!issuer || !key)
		return err_new(ERR_INVALID, "the authority is not usable");
	return make(w, issuer, key, out);
}

/* ---- reading ---- */

static bool seconds_of(const ASN1_TIME *t, int64_t *out)
{
	struct tm tm;
	if (!t || !ASN1_TIME_to_tm(t, &tm))
		return false;
	*out = timegm(&tm);
	return true;
}

struct err x509_read(const char *cert_pem, struct x509_facts *out)
{
	AUTO(free_cert) X509 *c = parse_cert(cert_pem);
	*out = (struct x509_facts){ 0 };
	if (!c || !seconds_of(X509_get0_notBefore(c), &out->from_s) ||
		!seconds_of(X509_get0_notAfter(c), &out->until_s))
		return err_new(ERR_INVALID, "there is no certificate that can be read");
	out->authority = X509_check_ca(c) == 1;
	return OK;
}

/* An entry of a name as UTF-8; NULL: not usable. */
static const char *entry_text(const X509_NAME *name, int at, struct arena *a)
{
	unsigned char *text = NULL;
	int n = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
	bool good = n > 0 && n <= SUBJECT_BYTES && !memchr(text, 0, (size_t)n);
	const char *copy = good ? arena_strndup(a, (const char *)text, (size_t)n) : NULL;
	OPENSSL_free(text);
	ERR_clear_error();
	return copy;
}

static struct err read_name(const X509_NAME *name, struct arena *a, struct x509_subject *out)
{
	const char **groups = arena_array(a, const char *, SUBJECT_GROUPS);
	for (int at = -1; (at = X509_NAME_get_index_by_NID(name, NID_organizationName, at)) >= 0;) {
		const char *group = entry_text(name, at, a);
		if (!group || out->n_groups == SUBJECT_GROUPS)
			return err_new(ERR_INVALID, "its organizations cannot be read");
		groups[out->n_groups++] = group;
	}
	out->groups = groups;
	int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
	if (at < 0 || X509_NAME_get_index_by_NID(name, NID_commonName, at) >= 0)
		return err_new(ERR_INVALID, "it should have one common name");
	out->name = entry_text(name, at, a);
	return out->name ? OK : err_new(ERR_INVALID, "its common name cannot be read");
}

struct err x509_read_subject(const void *der, size_t n, struct arena *a, struct x509_subject *out)
{
	const unsigned char *at = der;
	AUTO(free_cert) X509 *c = n <= LONG_MAX ? d2i_X509(NULL, &at, (long)n) : NULL;
	ERR_clear_error();
	*out = (struct x509_subject){ 0 };
	if (!c)
		return err_new(ERR_INVALID, "there is no certificate that can be read");
	struct err e = read_name(X509_get_subject_name(c), a, out);
	if (failed(e))
		*out = (struct x509_subject){ 0 };
	return e;
}

bool x509_key_fits(const char *cert_pem, const char *key_pem)
{
	AUTO(free_cert) X509 *c = parse_cert(cert_pem);
	AUTO(crypto_free_key) EVP_PKEY *k = parse_key(key_pem);
	bool fits = c && k && X509_check_private_key(c, k) == 1;
	ERR_clear_error();
	return fits;
}

bool x509_signed_by(const char *cert_pem, const char *authority_pem)
{
	AUTO(free_cert) X509 *c = parse_cert(cert_pem);
	AUTO(free_cert) X509 *a = parse_cert(authority_pem);
	bool is = c && a && X509_check_issued(a, c) == X509_V_OK &&
		X509_verify(c, X509_get0_pubkey(a)) == 1;
	ERR_clear_error();
	return is;
}

char *x509_public_key(const char *cert_pem)
{
	AUTO(free_cert) X509 *c = cert_pem ? parse_cert(cert_pem) : NULL;
	unsigned char *der = NULL, sum[EVP_MAX_MD_SIZE];
	unsigned n_sum = 0;
	AUTO(str_free) struct str text = { 0 };
	int n = c ? i2d_X509_PUBKEY(X509_get_X509_PUBKEY(c), &der) : -1;
	bool well = n > 0 && EVP_Digest(der, (size_t)n, sum, &n_sum, EVP_sha256(), NULL) == 1;
	OPENSSL_free(der);
	ERR_clear_error();
	AUTO(own_free) char *base64 = well ? base64_encode(sum, n_sum) : NULL;
	str_addf(&text, "sha256//%s", base64 ? base64 : "");
	return base64 ? str_take(&text) : NULL;
}

bool x509_is_for(const char *cert_pem, const char *dns)
{
	AUTO(free_cert) X509 *c = parse_cert(cert_pem);
	return c &&
		X509_check_host(c, dns, strlen(dns), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) ==
		1;
}

char *x509_next(const char **at)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";
	static const char end[] = "-----END CERTIFICATE-----";
	const char *from = *at ? strstr(*at, begin) : NULL;
	const char *to = from ? strstr(from, end) : NULL;
	if (!to)
		return NULL;
	*at = to + strlen(end);
	AUTO(str_free) struct str text = { 0 };
	str_add_bytes(&text, from, (size_t)(*at - from));
	str_add(&text, "\n");
	return str_take(&text);
}
