/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and texts of OpenSSL's libcrypto. */
#include "net/crypto_parts.h"

#include <openssl/crypto.h>
#include <openssl/err.h>

#include "base/own.h"

void crypto_free_key(EVP_PKEY **k) { EVP_PKEY_free(*k); }
void crypto_free_bio(BIO **b) { BIO_free(*b); }

struct err crypto_failed(const char *what)
{
	char why[160] = "no reason is given";
	unsigned long code = ERR_get_error();
	if (code)
		ERR_error_string_n(code, why, sizeof(why));
	ERR_clear_error();
	return err_new(ERR_INTERNAL, "%s: %s", what, why);
}

char *crypto_take_text(BIO *b)
{
	char *bytes = NULL;
	long n = BIO_get_mem_data(b, &bytes);
	char *text = own_strndup(bytes, n > 0 ? (size_t)n : 0);
	if (n > 0)
		OPENSSL_cleanse(bytes, (size_t)n);
	return text;
}
