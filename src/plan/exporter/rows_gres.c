/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of GRES: of nodes, and of the jobs that use them. */
#include "plan/exporter/rows_parts.h"

/* of: "" or " of the partition's nodes". */
#define OF_NODES(scope, name, of)                                              \
	ROW_NOW(scope, name, GRES_TOTAL, "GRES" of " of this name and type."), \
		ROW_NOW(scope, name "_alloc", GRES_ALLOC,                      \
			"GRES" of " that are allocated to jobs."),             \
		ROW_NOW(scope, name "_idle", GRES_IDLE,                        \
			"GRES" of " that are not allocated to jobs, including unavailable GRES.")
#define UNAVAILABLE \
	" that no job has and no job can get, because their node is down, drained, failing, not responding or registered with fewer resources than slurm.conf has."
#define BY_STATE(scope, name, of)                                                          \
	ROW_NOW(scope, name "_unavailable", GRES_UNAVAILABLE, "GRES" of UNAVAILABLE),      \
		ROW_NOW(scope, name "_down", GRES_DOWN, "GRES" of " whose node is down."), \
		ROW_NOW(scope, name "_drain", GRES_DRAIN,                                  \
			"GRES" of " whose node has the flag DRAIN.")

static const struct exporter_row rows[] = {
	OF_NODES(OF_ALL_NODES_GRES, "slurm_nodes_gres", ""),
	BY_STATE(OF_ALL_NODES_GRES, "slurm_nodes_gres", ""),
	OF_NODES(OF_EACH_NODE_GRES, "slurm_node_gres", " of the node"),
	OF_NODES(OF_PARTITION_NODES_GRES, "slurm_partition_nodes_gres",
		" of the partition's nodes"),
	BY_STATE(OF_PARTITION_NODES_GRES, "slurm_partition_nodes_gres",
		" of the partition's nodes"),
	ROW_NOW(OF_ALL_JOBS_GRES, "slurm_jobs_gres_alloc", GRES_ALLOC,
		"GRES that are allocated to jobs."),
	ROW_NOW(OF_PARTITION_JOBS_GRES, "slurm_partition_jobs_gres_alloc", GRES_ALLOC,
		"GRES that jobs of the partition have."),
	ROW_NOW(OF_USER_GRES, "slurm_user_jobs_gres_alloc", GRES_ALLOC,
		"GRES that jobs of the user have."),
	ROW_NOW(OF_ACCOUNT_GRES, "slurm_account_jobs_gres_alloc", GRES_ALLOC,
		"GRES that jobs of the account have."),
};

const struct exporter_table exporter_gres_table = { "GRES", rows, LENGTH(rows) };
