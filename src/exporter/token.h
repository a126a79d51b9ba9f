/* SPDX-License-Identifier: Apache-2.0 */
/* The token for slurmrestd out of a file, read again when the file changes. */
#ifndef EXPORTER_TOKEN_H
#define EXPORTER_TOKEN_H

#include "base/str.h"
#include "net/loop.h"
#include "slurm/rest/client.h"

struct exporter_token;

/*
 * Reads the first line of a file into out, which is empty before and gets a NUL at the
 * end. The token is never copied to a larger buffer: the caller wipes out.
 */
struct err exporter_read_token(const char *path, struct str *out);

/*
 * Gives it to the client now and later. ERR_INVALID: the file cannot be read now, or what
 * it has is no token.
 */
struct err exporter_token_new(struct loop *l, struct slurm *slurm, const char *path,
	struct exporter_token **out);
void exporter_token_free(struct exporter_token *t); /* accepts NULL */

#endif
