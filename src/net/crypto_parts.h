/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that use OpenSSL's libcrypto; private to this folder. */
#ifndef NET_CRYPTO_PARTS_H
#define NET_CRYPTO_PARTS_H

#include <openssl/bio.h>
#include <openssl/evp.h>

#include "base/err.h"

void crypto_free_key(EVP_PKEY **k); /* for AUTO */
void crypto_free_bio(BIO **b);      /* for AUTO */
/*
 * Returns ERR_INTERNAL with the text what and OpenSSL's oldest error. Clears OpenSSL's
 * errors.
 */
struct err crypto_failed(const char *what);
/* Copies the text of a memory BIO (from malloc), and overwrites it in the BIO. */
char *crypto_take_text(BIO *b);

#endif
