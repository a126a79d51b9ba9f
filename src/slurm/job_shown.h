/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job as Slurm shows it. red-box reads it of Slurm's tools and sends it; a virtual node
 * reads it of red-box's answers and plans with it. Plain: planners include it.
 *
 * A text is never NULL but where it says so: one that Slurm did not print is "". A number
 * that Slurm did not print is SLURM_ABSENT. Times are seconds since 1970.
 */
#ifndef SLURM_JOB_SHOWN_H
#define SLURM_JOB_SHOWN_H

#include <stdint.h>

/* A record of a job: a block of "scontrol show job". An array has several. */
struct slurm_job_shown {
	int64_t id;           /* above 0 */
	const char *array_id; /* "": not of an array */
	/* Task of an array, "7", or waiting tasks, "2-9%1" (task_list.h); "": unknown */
	const char *task;
	const char *name;
	const char *user;      /* "alice(1000)" */
	const char *state;     /* Slurm's word, all of them: "RUNNING", "NODE_FAIL" */
	const char *reason;    /* "Resources", "None" */
	const char *restarts;  /* "0": it has not been requeued; "": unknown */
	const char *exit_code; /* "0:0": of the exit, and the signal */
	const char *partition;
	const char *nodes;      /* a host list; "(null)" while there are none */
	const char *node_count; /* "2", or "1-1" while it may still change */
	const char *batch_host;
	const char *work_dir, *std_out, *std_err;
	const char *comment;              /* red-box does not send it: NULL */
	int64_t submit_s, start_s, end_s; /* of one that runs: when its time limit ends it */
	int64_t run_s, limit_s;           /* limit SLURM_ABSENT: none */
	/* The id of the first component, "29"; "": there is none. Not sent: NULL */
	const char *het_id;
};

#endif
