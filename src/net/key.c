/* SPDX-License-Identifier: Apache-2.0 */
/* New keys by OpenSSL. */
#include "net/key.h"

#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include "base/own.h"
#include "net/crypto_parts.h"

enum { RSA_BITS = 3072, BATCH_BYTES = 256 };

struct err key_text(size_t n, char **out)
{
	static const char letters[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	enum { LETTERS = sizeof(letters) - 1, FAIR = 256 - 256 % LETTERS };
	unsigned char bytes[BATCH_BYTES];
	AUTO(own_wipe_at) char *text = own_alloc(n + 1);
	for (size_t at = 0; at < n;) {
		if (RAND_bytes(bytes, sizeof(bytes)) != 1)
			return crypto_failed("there are no random bytes");
		/* A byte beyond FAIR would make the first letters more likely */
		for (size_t i = 0; i < sizeof(bytes) && at < n; i++)
			if (bytes[i] < FAIR)
				text[at++] = letters[bytes[i] % LETTERS];
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
	*out = TAKE(text);
	return OK;
}

static EVP_PKEY *make(enum key_type type)
{
	switch (type) {
	case KEY_ECDSA:
		return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	case KEY_ED25519:
		return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	case KEY_RSA:
		return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)RSA_BITS);
	}
	return NULL;
}

struct err key_private(enum key_type type, char **out)
{
	AUTO(crypto_free_key) EVP_PKEY *key = make(type);
	AUTO(crypto_free_bio) BIO *pem = BIO_new(BIO_s_secmem());
	if (!key || !pem || !PEM_write_bio_PKCS8PrivateKey(pem, key, NULL, NULL, 0, NULL, NULL))
		return crypto_failed("a private key cannot be made");
	*out = crypto_take_text(pem);
	return OK;
}
