/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by OpenSSL. */
#include "net/sha256.h"

#include <openssl/evp.h>
#include <stdbool.h>

#include "base/own.h"

struct sha256 {
	EVP_MD_CTX *context;
	bool well;
};

struct err sha256_new(struct sha256 **out)
{
	struct sha256 *s = own_alloc(sizeof(*s));
	s->context = EVP_MD_CTX_new();
	s->well = s->context && EVP_DigestInit_ex(s->context, EVP_sha256(), NULL) == 1;
	if (!s->well) {
		sha256_free(s);
		*out = NULL;
		return err_new(ERR_INTERNAL, "OpenSSL makes no SHA-256 here");
	}
	*out = s;
	return OK;
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	s->well = s->well && EVP_DigestUpdate(s->context, bytes, n) == 1;
}

struct err sha256_end(struct sha256 *s, uint8_t out[static SHA256_BYTES])
{
	s->well = s->well && EVP_DigestFinal_ex(s->context, out, NULL) == 1;
	return s->well ? OK : err_new(ERR_INTERNAL, "OpenSSL gives no SHA-256");
}

void sha256_free(struct sha256 *s)
{
	if (!s)
		return;
	EVP_MD_CTX_free(s->context);
	free(s);
}
