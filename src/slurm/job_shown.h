/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job as Slurm shows it. red-box reads it from the output of Slurm's tools and sends
 * it; a virtual node receives it from red-box and plans with it. Plain data: planners
 * include it.
 *
 * A text that Slurm did not print is ""; a text is NULL only where the comment says so. A
 * number that Slurm did not print is SLURM_ABSENT. Times are seconds since 1970.
 */
#ifndef SLURM_JOB_SHOWN_H
#define SLURM_JOB_SHOWN_H

#include <stdint.h>

/* One record, such as a block of "scontrol show job". An array has several records. */
struct slurm_job_shown {
	int64_t id;           /* above 0 */
	const char *array_id; /* "": not in an array */
	/*
	 * A task of an array, "7", or pending tasks, "2-9%1" (task_list.h); "": unknown
	 */
	const char *task;
	const char *name;
	const char *user;      /* "alice(1000)" */
	const char *state;     /* the word that Slurm prints: "RUNNING", "NODE_FAIL" */
	const char *reason;    /* "Resources", "None" */
	const char *restarts;  /* "0": never requeued; "": unknown */
	const char *exit_code; /* exit code and signal, "0:0" */
	const char *partition;
	const char *nodes;      /* a host list; "(null)" without nodes */
	const char *node_count; /* "2", or "1-1" while it may still change */
	const char *batch_host;
	const char *work_dir, *std_out, *std_err;
	const char *comment;              /* NULL from red-box, which does not send it */
	int64_t submit_s, start_s, end_s; /* end_s of a running job: the end by its limit */
	int64_t run_s, limit_s;           /* limit_s SLURM_ABSENT: no limit */
	/*
	 * The id of the first component, "29"; "": not a heterogeneous job. NULL from
	 * red-box
	 */
	const char *het_id;
};

#endif
