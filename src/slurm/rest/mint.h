/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens as Slurm's auth/jwt takes them: JWTs that are signed with HS256 by the bytes of
 * its jwt_key, with the claims "sun" (the user's name), "iat" and "exp" (Slurm 24.11,
 * jwt.html). A holder of the key can act as every user of that Slurm.
 */
#ifndef SLURM_REST_MINT_H
#define SLURM_REST_MINT_H

#include <stdint.h>

#include "base/err.h"

/*
 * From now_s (since 1970) for life_s. key is in base64, as a Secret has it. ERR_INVALID:
 * it is not, or has fewer than 16 bytes, which can be guessed, or more than 4096. *token
 * is the caller's, for own_wipe.
 */
struct err token_mint(const char *key, const char *user, int64_t now_s, int64_t life_s,
	char **token);

/* token_mint has made it of this key, for this user; then for how long. */
bool token_is_minted(const char *token, const char *key, const char *user, int64_t *begins_s,
	int64_t *ends_s);

#endif
