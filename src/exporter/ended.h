/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads ended jobs of slurmdbd through slurmrestd, and adds them to the sums of
 * plan/exporter/ended.h. For the files of this folder only.
 *
 * slurmdbd omits steps that ended before the start time of a request, so a window takes
 * several requests. The first request returns the numbers of the jobs that ended in the
 * window. Each further request returns some of these jobs, and begins at the start of the
 * earliest of them. The window counts after all requests have succeeded.
 */
#ifndef EXPORTER_ENDED_H
#define EXPORTER_ENDED_H

#include "plan/exporter/ended.h"
#include "slurm/rest/client.h"

struct ended_reader;

/* sums must outlive the reader. */
struct ended_reader *ended_reader_new(struct loop *loop, struct slurm *slurm,
	struct exporter_ended *sums);
/*
 * Reads the next window, and calls done once. If the window is not yet due, calls done at
 * once.
 */
void ended_reader_read(struct ended_reader *r, void (*done)(void *ctx, struct err err), void *ctx);
void ended_reader_free(struct ended_reader *r); /* cancels a read; accepts NULL */

#endif
