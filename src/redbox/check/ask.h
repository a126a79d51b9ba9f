/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks Slurm and the socket. No question changes anything; with a socket of systemd the
 * question to red-box starts it. Each ends after its limit, and what was not answered
 * until then stays "not asked" in the facts.
 */
#ifndef REDBOX_CHECK_ASK_H
#define REDBOX_CHECK_ASK_H

#include "base/arena.h"
#include "net/loop.h"
#include "redbox/check/facts.h"

struct check_ask {
	struct loop *loop;
	struct check_facts *facts;
	struct arena *arena;     /* of the texts of the facts */
	int64_t limit_ms;        /* of each program, and of each call */
	void (*done)(void *ctx); /* called once, from the loop */
	void *ctx;
};

struct check_box_ask;
/* Which red-box answers at the socket: WorkloadInfo. f->socket is not set. */
struct check_box_ask *check_ask_box(const struct check_ask *by, const char *socket);
void check_box_ask_free(struct check_box_ask *b); /* accepts NULL */

struct check_slurm_ask;
/*
 * Versions of the tools, slurmctld, the partitions and whether each takes a job of this
 * account (sbatch --test-only), slurmdbd. folder: NULL for the PATH.
 */
struct check_slurm_ask *check_ask_slurm(const struct check_ask *by, const char *folder);
void check_slurm_ask_free(struct check_slurm_ask *s); /* ends what runs; accepts NULL */

#endif
