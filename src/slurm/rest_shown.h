/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs and partitions as slurmrestd reports them, in the structures of what scontrol
 * shows: a reader does not see the difference. Pure: JSON in, structures in the caller's
 * arena out.
 */
#ifndef SLURM_REST_SHOWN_H
#define SLURM_REST_SHOWN_H

#include "json/json.h"
#include "slurm/show.h"

/*
 * Reads an item of "jobs". now_s: until when one that runs has run. ERR_INVALID: it lacks
 * its id, its state or its user, or what is there does not have its form.
 */
struct err rest_job(const struct json *job, int64_t now_s, struct arena *a,
	struct slurm_job_shown *out);
/* Reads an item of "partitions". */
struct err rest_partition(const struct json *partition, struct arena *a,
	struct slurm_partition_shown *out);
/*
 * The answer to a cancellation. OK also when the job has ended. *tells false: it does not
 * say what became of it, as versions before v0.0.42.
 */
struct err rest_cancelled(const struct json *root, bool *tells);

#endif
