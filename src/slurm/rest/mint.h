/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens for Slurm's auth/jwt: JWTs that are signed with HS256 by the bytes of its
 * jwt_key. Their claims are "sun" (the user's name), "iat" and "exp" (Slurm 24.11,
 * jwt.html). A holder of the key can act as every user of that Slurm.
 */
#ifndef SLURM_REST_MINT_H
#define SLURM_REST_MINT_H

#include <stdint.h>

#include "base/err.h"

/*
 * Makes a token that is valid from now_s (since 1970) for life_s. key is in base64, as in
 * a Secret. ERR_INVALID: key is not base64, has fewer than 16 bytes, which can be
 * guessed, or more than 4096. The caller frees *token with own_wipe.
 */
struct err token_mint(const char *key, const char *user, int64_t now_s, int64_t life_s,
	char **token);

/*
 * Whether token_mint made the token with this key for this user; if so, also its times.
 */
bool token_is_minted(const char *token, const char *key, const char *user, int64_t *begins_s,
	int64_t *ends_s);

#endif
