/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the missing Secrets and keys of a Slurm, one Secret after the other, and ends:
 *
 *     read the Secret --> decide (plan/keys) --> make keys --> write --> the next one
 *
 * Several makers may run at once: the API server refuses a second creation, and a patch
 * of a Secret that has changed since the read. The Secret is then read again.
 */
#ifndef KEYS_KEY_MAKER_H
#define KEYS_KEY_MAKER_H

#include "kube/client.h"
#include "plan/keys/keys.h"

struct key_maker;

struct key_maker_config {
	struct kube *kube;
	const char *ns;
	const struct secret_wishes *wishes;
	/* Logs a line for each Secret, and for each failure that differs from the last */
	void (*say)(void *ctx, const char *sentence);
	/* Called once, at the end. status 1: no Secret was completed for two minutes */
	void (*done)(void *ctx, int status);
	void *ctx;
};
/* The config and all its pointers must outlive the maker. */
struct key_maker *key_maker_new(const struct key_maker_config *config);
void key_maker_free(struct key_maker *m); /* accepts NULL */

#endif
