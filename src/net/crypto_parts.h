/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that use OpenSSL's libcrypto; private to this folder. */
#ifndef NET_CRYPTO_PARTS_H
#define NET_CRYPTO_PARTS_H

#include <openssl/bio.h>
#include <openssl/evp.h>

#include "base/err.h"

void crypto_free_key(EVP_PKEY **k); /* for AUTO */
void crypto_free_bio(BIO **b);      /* for AUTO */
/* ERR_INTERNAL: what failed, and OpenSSL's oldest reason. Forgets all of its reasons. */
struct err crypto_failed(const char *what);
/* The text that was written to a BIO in memory, from malloc. Overwrites that memory. */
char *crypto_take_text(BIO *b);

#endif
