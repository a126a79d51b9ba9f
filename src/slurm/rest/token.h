/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds flaws of a token (a JWT) without a check of its signature, to distinguish
 * "expired" from "wrong". The texts never contain a part of the token.
 */
#ifndef SLURM_REST_TOKEN_H
#define SLURM_REST_TOKEN_H

#include <stdint.h>

#include "base/str.h"

enum token_flaw { TOKEN_FINE, TOKEN_PREFIXED, TOKEN_NO_JWT, TOKEN_EXPIRED };

/*
 * Returns the first flaw, and adds a sentence about it to why (may be NULL). now_s: since
 * 1970.
 */
enum token_flaw token_look(const char *token, int64_t now_s, struct str *why);

/*
 * Reads when the token begins and ends (since 1970), by its claims iat and exp. False: a
 * claim is missing or invalid; begins_s and ends_s stay unchanged.
 */
bool token_times(const char *token, int64_t *begins_s, int64_t *ends_s);

#endif
