/* SPDX-License-Identifier: Apache-2.0 */
/* The token for slurmrestd from a file, which is read again when it changes. */
#ifndef EXPORTER_TOKEN_H
#define EXPORTER_TOKEN_H

#include "base/str.h"
#include "net/loop.h"
#include "slurm/rest/client.h"

struct exporter_token;

/*
 * Reads the first line of a file into out, which must be empty, and adds a NUL. The token
 * is never copied to a larger buffer, so the caller need only wipe out.
 */
struct err exporter_read_token(const char *path, struct str *out);

/*
 * Sets the token in the client now and after each change of the file. ERR_INVALID: the
 * file cannot be read, or its text is not a token.
 */
struct err exporter_token_new(struct loop *l, struct slurm *slurm, const char *path,
	struct exporter_token **out);
void exporter_token_free(struct exporter_token *t); /* accepts NULL */

#endif
