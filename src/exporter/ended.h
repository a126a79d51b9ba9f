/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks slurmrestd for the jobs that have ended, as slurmdbd has them, and adds them to
 * the sums of plan/exporter/ended.h. For the files of this folder only.
 *
 * A window of time takes several requests, since slurmdbd leaves out the steps that ended
 * before the time of which it is asked: one for the numbers of the jobs that ended in the
 * window, then one for some of these jobs at a time, from the time when the first of them
 * started. The window counts when all of them were answered.
 */
#ifndef EXPORTER_ENDED_H
#define EXPORTER_ENDED_H

#include "plan/exporter/ended.h"
#include "slurm/rest/client.h"

struct ended_reader;

/* sums outlives it. */
struct ended_reader *ended_reader_new(struct loop *loop, struct slurm *slurm,
	struct exporter_ended *sums);
/* Reads the next window. done is called once, at once where its time has not come. */
void ended_reader_read(struct ended_reader *r, void (*done)(void *ctx, struct err err), void *ctx);
void ended_reader_free(struct ended_reader *r); /* done is not called any more; accepts NULL */

#endif
