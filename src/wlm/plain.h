/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs and resources as red-box tells of them: plain structs, which planners read as well
 * (tools/check-layers lets no other header of this folder in there). A job is a struct
 * slurm_job_shown on both sides.
 *
 * The key names one submission, and so one job, however often a client sends it. The key
 * of a virtual node is the uid of the pod's owner. red-box refuses a key that comes with
 * another script, partition or container than before, so a virtual node never changes
 * what it sends for an object. src calls it key everywhere; it is:
 *
 *     metadata.uid        Kubernetes: of the SlurmJob or WlmJob that owns the pod
 *     wlm.sylabs.io/...   the pod: ANNOTATION_JOB_KEY, CONDITION_JOB_KEY (api/names.h)
 *     client_id           wlm.proto, and what red-box says to its clients and logs
 *     comment             Slurm: sbatch --comment=KEY, squeue %k, "Comment" of scontrol
 */
#ifndef WLM_PLAIN_H
#define WLM_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slurm/job_shown.h"

/* A feature that is installed in a partition. */
struct wlm_feature {
	const char *name, *version;
	int64_t quantity;
};

/* The partition record of Slurm. */
struct wlm_partition {
	const char *state;    /* "UP", "DOWN", "DRAIN", "INACTIVE", or a word of a later Slurm */
	int64_t nodes;        /* -1: not known */
	int64_t usable_nodes; /* of them, those neither down nor drained; -1: not known */
	bool root_only;       /* the account of red-box is refused */
	bool needs_reservation;
	/* Names with commas; "": all */
	const char *allow_accounts, *deny_accounts, *allow_groups, *allow_qos, *deny_qos;
};

/* Limits of one job in a partition. */
struct wlm_resources {
	/* -1: no known limit; wall_time_s 0, memory 0: no limit */
	int64_t nodes, cpu_per_node, mem_per_node_mb, wall_time_s;
	const struct wlm_feature *features;
	size_t n_features;
	const struct wlm_partition *now; /* NULL: an older red-box, nothing of it is known */
};

#endif
