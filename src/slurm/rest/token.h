/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flaws of a token (a JWT) that show without a check of its signature, to tell "expired"
 * from "wrong". Nothing of the token itself gets into the text.
 */
#ifndef SLURM_REST_TOKEN_H
#define SLURM_REST_TOKEN_H

#include <stdint.h>

#include "base/str.h"

enum token_flaw { TOKEN_FINE, TOKEN_PREFIXED, TOKEN_NO_JWT, TOKEN_EXPIRED };

/*
 * The first flaw that is found, with a sentence about it in why (may be NULL). now_s:
 * since 1970.
 */
enum token_flaw token_look(const char *token, int64_t now_s, struct str *why);

/*
 * Since when and until when it is good, by its own words (since 1970). False: it does not
 * say both, and the two stay as they were.
 */
bool token_times(const char *token, int64_t *begins_s, int64_t *ends_s);

#endif
