/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries Slurm and the socket of red-box. No query changes anything, except that it
 * starts a red-box whose socket belongs to systemd. Each query ends after its limit. A
 * query without a result stays "not asked" in the facts.
 */
#ifndef REDBOX_CHECK_ASK_H
#define REDBOX_CHECK_ASK_H

#include "base/arena.h"
#include "net/loop.h"
#include "redbox/check/facts.h"

struct check_ask {
	struct loop *loop;
	struct check_facts *facts;
	struct arena *arena;     /* owns the texts of the facts */
	int64_t limit_ms;        /* for each program, and for each call */
	void (*done)(void *ctx); /* called once, from the loop */
	void *ctx;
};

struct check_box_ask;
/*
 * Calls WorkloadInfo at the socket, to see which red-box responds. Does not set
 * f->socket.
 */
struct check_box_ask *check_ask_box(const struct check_ask *by, const char *socket);
void check_box_ask_free(struct check_box_ask *b); /* accepts NULL */

struct check_slurm_ask;
/*
 * Queries the versions of the tools, slurmctld, slurmdbd, the partitions, and whether
 * each partition accepts a job of this account (sbatch --test-only). folder NULL: the
 * PATH.
 */
struct check_slurm_ask *check_ask_slurm(const struct check_ask *by, const char *folder);
/* stops running programs; accepts NULL */
void check_slurm_ask_free(struct check_slurm_ask *s);

#endif
