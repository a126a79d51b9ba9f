/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be said of a token (a JWT) by looking at it, without checking its signature:
 * so that "expired" is told from "wrong". Nothing of the token itself gets into the text.
 */
#ifndef SLURM_TOKEN_H
#define SLURM_TOKEN_H

#include <stdint.h>

#include "base/str.h"

enum token_flaw { TOKEN_FINE, TOKEN_PREFIXED, TOKEN_NO_JWT, TOKEN_EXPIRED };

/*
 * The first flaw that is found, with a sentence about it in why (may be NULL). now_s:
 * since 1970.
 */
enum token_flaw token_look(const char *token, int64_t now_s, struct str *why);

#endif
