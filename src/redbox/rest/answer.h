/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON answers of the REST interface. Pure. */
#ifndef REDBOX_REST_ANSWER_H
#define REDBOX_REST_ANSWER_H

#include "base/str.h"
#include "slurm/tools/show.h"

/*
 * The record that shows whether all of the job has ended, and how: the first that has not
 * ended; else the first that did not end as COMPLETED; else the first. n is 1 or more.
 */
const struct slurm_job_shown *rest_job_of(const struct slurm_job_shown *shown, size_t n);
/*
 * An object with the job id that the client requested. Times are RFC 3339 in UTC, spans
 * are nanoseconds; both are null when Slurm reports none.
 */
void rest_add_job(struct str *out, const struct slurm_job_shown *job, int64_t asked_id);
/* An array; n may be 0. */
void rest_add_steps(struct str *out, const struct slurm_step_shown *steps, size_t n);

#endif
