/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurmrestd as red-box asks it: where it is, and the token that is shown to it, which is
 * read again when its file changes.
 */
#ifndef REDBOX_REST_H
#define REDBOX_REST_H

#include "redbox/config.h"
#include "net/loop.h"
#include "slurm/client.h"

/* As the command line has it; NULL: not given. */
struct redbox_rest_flags {
	const char *url, *token_file, *ca_file;
};

/* Of each member the command line counts, where it has one. */
void redbox_rest_override(struct redbox_config *c, const struct redbox_rest_flags *f);
/* ERR_INVALID: one sentence with what would be right. */
struct err redbox_rest_check(const struct redbox_rest *r);

struct rest;
/*
 * *out is NULL when there is none. ERR_INVALID: the token or the authorities cannot be
 * read, or are none; or the account has no name, by which slurmrestd is to know it.
 */
struct err rest_open(struct loop *l, const struct redbox_rest *config, struct rest **out);
struct slurm *rest_slurm(const struct rest *r); /* NULL for NULL */
void rest_free(struct rest *r);                 /* accepts NULL */

#endif
