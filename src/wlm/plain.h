/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resources that red-box reports, as plain structs. Planners include this header, and
 * no other header of this folder (tools/check-layers). A job is a struct slurm_job_shown
 * in red-box and in its clients.
 *
 * A key stands for one submission, and so for one job, however often a client sends it. A
 * virtual node uses the uid of the pod's owner as the key. red-box refuses a key with
 * another script, partition or container than before, so a virtual node never changes
 * what it sends for an object. The code calls it key everywhere. It appears as:
 *
 *     metadata.uid        Kubernetes: the SlurmJob or WlmJob that owns the pod
 *     wlm.sylabs.io/...   the pod: ANNOTATION_JOB_KEY, CONDITION_JOB_KEY (api/names.h)
 *     client_id           wlm.proto, and the errors and logs of red-box
 *     comment             Slurm: sbatch --comment=KEY, squeue %k, "Comment" of scontrol
 */
#ifndef WLM_PLAIN_H
#define WLM_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slurm/job_shown.h"

/* A software feature of a partition, from the configuration of red-box. */
struct wlm_feature {
	const char *name, *version;
	int64_t quantity;
};

/* Slurm's record of a partition. */
struct wlm_partition {
	const char *state;    /* "UP", "DOWN", "DRAIN", "INACTIVE", or a word of a later Slurm */
	int64_t nodes;        /* -1: unknown */
	int64_t usable_nodes; /* nodes that are neither down nor drained; -1: unknown */
	bool root_only;       /* only root may submit, and red-box does not run as root */
	bool needs_reservation;
	/* Names separated by commas; "": all */
	const char *allow_accounts, *deny_accounts, *allow_groups, *allow_qos, *deny_qos;
};

/* Limits of one job in a partition. */
struct wlm_resources {
	/* -1: limit unknown; wall_time_s 0, memory 0: no limit */
	int64_t nodes, cpu_per_node, mem_per_node_mb, wall_time_s;
	const struct wlm_feature *features;
	size_t n_features;
	const struct wlm_partition *now; /* NULL: unknown, from an older red-box */
};

#endif
