/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generates keys by OpenSSL: random texts, and private keys in the format of sshd. The
 * caller wipes the texts.
 */
#ifndef NET_KEY_H
#define NET_KEY_H

#include <stddef.h>

#include "base/err.h"

/* ECDSA on P-256; RSA of 3072 bits */
enum key_type { KEY_ECDSA, KEY_ED25519, KEY_RSA };

/* n random letters and digits, from malloc. */
struct err key_text(size_t n, char **out);
/*
 * A private key in PEM (PKCS #8), from malloc. OpenSSH reads ED25519 in this form since
 * 9.6.
 */
struct err key_private(enum key_type type, char **out);

#endif
