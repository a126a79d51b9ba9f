/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that has ended, as slurmrestd reports it from slurmdbd (slurmdb/V/jobs of 24.11.5
 * and 26.05.5). Pure: JSON in, a plain structure out. Texts point into the JSON.
 */
#ifndef SLURM_REST_ENDED_H
#define SLURM_REST_ENDED_H

#include "json/json.h"

struct slurm_ended_job {
	int64_t id, array_id, task; /* array_id 0: not a task of an array */
	int64_t start_s, end_s, elapsed_s;
	bool ended; /* false: pending (also after a requeue), running or suspended */
	const char *partition, *account, *user; /* "" when absent */
	int64_t cpus;                           /* allocated; 0: it never ran */
	int64_t memory;                         /* requested; bytes */
	int64_t memory_used; /* the largest sum over the tasks of a step; 0: not measured */
	double cpu_s;        /* of all steps */
};
/* Reads an item of "jobs". ERR_INVALID: it has no number. */
struct err slurm_read_ended(const struct json *job, struct slurm_ended_job *out);

#endif
