/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs and resources as red-box tells of them: plain structs, which planners read as well
 * (tools/check-layers lets no other header of this folder in there).
 *
 * The key names one submission, and so one job, however often a client sends it. Of a
 * virtual node it is the uid of the pod's owner. src calls it key everywhere; it is:
 *
 *     metadata.uid        Kubernetes: of the SlurmJob or WlmJob that owns the pod
 *     wlm.sylabs.io/...   the pod: ANNOTATION_JOB_KEY, CONDITION_JOB_KEY (api/names.h)
 *     client_id           wlm.proto, and what red-box says to its clients and logs
 *     comment             Slurm: sbatch --comment=KEY, squeue %k, "Comment" of scontrol
 */
#ifndef WLM_PLAIN_H
#define WLM_PLAIN_H

#include <stddef.h>
#include <stdint.h>

enum wlm_status {
	WLM_COMPLETED,
	WLM_CANCELLED,
	WLM_FAILED,
	WLM_TIMEOUT,
	WLM_PENDING,
	/* The job runs, or has a state that the protocol lacks */
	WLM_RUNNING_OR_UNKNOWN,
};

/* A record of a job in Slurm. An array has several. A time below 1 is not known. */
struct wlm_job {
	int64_t id; /* above 0 */
	enum wlm_status status;
	const char *array_id; /* "": not in an array */
	const char *name;
	const char *user;      /* "alice(1000)" */
	const char *exit_code; /* "0:0": exit code and signal */
	const char *partition;
	const char *nodes;      /* "(null)" or "" while there are none */
	const char *node_count; /* "2", or "1-1" while it may still change */
	const char *batch_host;
	const char *work_dir, *std_out, *std_err;
	int64_t submit_s, start_s; /* since 1970 */
	int64_t run_s, limit_s;    /* limit SLURM_ABSENT: none */
	/* Only in answers to requests with a key; never from the original red-box */
	const char *key;      /* of the submission that created the job */
	const char *state;    /* Slurm's word: "RUNNING", "SUSPENDED", "NODE_FAIL" */
	const char *reason;   /* Slurm's; "None" when it has none */
	int64_t end_s;        /* since 1970, of a job that has ended */
	const char *restarts; /* how often the job was requeued; "": unknown */
};

/* What is installed in a partition. */
struct wlm_feature {
	const char *name, *version;
	int64_t quantity;
};

/* Limits of one job in a partition. */
struct wlm_resources {
	/* -1: no known limit; wall_time_s 0, memory 0: no limit */
	int64_t nodes, cpu_per_node, mem_per_node_mb, wall_time_s;
	const struct wlm_feature *features;
	size_t n_features;
};

#endif
