/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of nodes: in total, for each node, and for each partition. */
#include "plan/exporter/rows_parts.h"

/* of: "" or " of the partition". A node has one of the first seven states. */
#define STATES(scope, name, of)                                                                    \
	ROWS_TOTAL(scope, name "_allocated", NODES_ALLOCATED,                                      \
		"Nodes" of " whose CPUs are all allocated."),                                      \
		ROWS_TOTAL(scope, name "_down", NODES_DOWN, "Nodes" of " that are down."),         \
		ROWS_TOTAL(scope, name "_error", NODES_ERROR, "Nodes" of " in the state ERROR."),  \
		ROWS_TOTAL(scope, name "_future", NODES_FUTURE,                                    \
			"Nodes" of " in the state FUTURE."),                                       \
		ROWS_TOTAL(scope, name "_idle", NODES_IDLE,                                        \
			"Nodes" of " without a job, including drained nodes."),                    \
		ROWS_TOTAL(scope, name "_mixed", NODES_MIXED,                                      \
			"Nodes" of " with some of their CPUs allocated."),                         \
		ROWS_TOTAL(scope, name "_unknown", NODES_UNKNOWN,                                  \
			"Nodes" of " in none of the states above."),                               \
		ROWS_TOTAL(scope, name "_completing", NODES_COMPLETING,                            \
			"Nodes" of " with a job that is ending (flag COMPLETING)."),               \
		ROWS_TOTAL(scope, name "_drain", NODES_DRAIN, "Nodes" of " with the flag DRAIN."), \
		ROWS_TOTAL(scope, name "_fail", NODES_FAIL, "Nodes" of " with the flag FAIL."),    \
		ROWS_TOTAL(scope, name "_maintenance", NODES_MAINTENANCE,                          \
			"Nodes" of " in a reservation for maintenance."),                          \
		ROWS_TOTAL(scope, name "_notresponding", NODES_NOT_RESPONDING,                     \
			"Nodes" of " whose slurmd does not answer."),                              \
		ROWS_TOTAL(scope, name "_planned", NODES_PLANNED,                                  \
			"Nodes" of " that backfill has reserved for a job."),                      \
		ROWS_TOTAL(scope, name "_rebootrequested", NODES_REBOOT_REQUESTED,                 \
			"Nodes" of " with a requested reboot."),                                   \
		ROWS_TOTAL(scope, name "_reserved", NODES_RESERVED,                                \
			"Nodes" of " in a reservation."),                                          \
		ROW_NOW(scope, name "_reboot_issued", NODES_REBOOT_ISSUED,                         \
			"Nodes" of " whose reboot Slurm has issued."),                             \
		ROW_NOW(scope, name "_invalid_reg", NODES_INVALID_REG,                             \
			"Nodes" of                                                                 \
			" whose slurmd registered with fewer resources than slurm.conf has."),     \
		ROW_NOW(scope, name "_powered_down", NODES_POWERED_DOWN,                           \
			"Nodes" of " that are powered down."),                                     \
		ROW_NOW(scope, name "_powering_up", NODES_POWERING_UP,                             \
			"Nodes" of " that are powering up."),                                      \
		ROW_NOW(scope, name "_powering_down", NODES_POWERING_DOWN,                         \
			"Nodes" of " that are powering down."),                                    \
		ROW_NOW(scope, name "_drained", NODES_DRAINED,                                     \
			"Nodes" of " with the flag DRAIN and no job."),                            \
		ROW_NOW(scope, name "_draining", NODES_DRAINING,                                   \
			"Nodes" of " with the flag DRAIN and jobs.")

static const struct exporter_row nodes[] = {
	{ "slurm_nodes_total", "All nodes of Slurm.", OF_ALL_NODES, EXPORTER_GAUGE, EXPORTER_03,
		NODES_ANY, 1, "slurm_nodes" },
	ROW_NOW(OF_ALL_NODES, "slurm_nodes", NODES_ANY, "All nodes of Slurm."),
	STATES(OF_ALL_NODES, "slurm_nodes", ""),
	{ "slurm_node_total", "All nodes of Slurm.", OF_ALL_NODES, EXPORTER_GAUGE, EXPORTER_01,
		NODES_ANY, 1, "slurm_nodes" },
	ROW_01(OF_ALL_NODES, "slurm_alloc_nodes", NODES_ALLOCATED,
		"Nodes whose CPUs are all allocated."),
	ROW_01(OF_ALL_NODES, "slurm_completing_nodes", NODES_COMPLETING,
		"Nodes with a job that is ending (flag COMPLETING)."),
	ROW_01(OF_ALL_NODES, "slurm_down_nodes", NODES_DOWN, "Nodes that are down."),
	ROW_01(OF_ALL_NODES, "slurm_drain_nodes", NODES_DRAIN, "Nodes with the flag DRAIN."),
	ROW_01(OF_ALL_NODES, "slurm_err_nodes", NODES_ERROR, "Nodes in the state ERROR."),
	ROW_01(OF_ALL_NODES, "slurm_idle_nodes", NODES_IDLE,
		"Nodes without a job, including drained nodes."),
	ROW_01(OF_ALL_NODES, "slurm_maintenance_nodes", NODES_MAINTENANCE,
		"Nodes in a reservation for maintenance."),
	ROW_01(OF_ALL_NODES, "slurm_mixed_nodes", NODES_MIXED,
		"Nodes with some of their CPUs allocated."),
	ROW_01(OF_ALL_NODES, "slurm_reserved_nodes", NODES_RESERVED, "Nodes in a reservation."),
	ROW_TOTAL(OF_EACH_NODE, "slurm_node_cpus", NODES_CPUS, "CPUs of the node.",
		"slurm_node_cpus"),
	ROW_01(OF_EACH_NODE, "slurm_node_cpus", NODES_CPUS, "CPUs of the node."),
	ROWS_TOTAL(OF_EACH_NODE, "slurm_node_cpus_effective", NODES_CPUS_EFFECTIVE,
		"CPUs of the node that jobs can use, without CPUs reserved for the system."),
	ROW_TOTAL(OF_EACH_NODE, "slurm_node_cpus_alloc", NODES_CPUS_ALLOC,
		"CPUs of the node that are allocated to jobs.", "slurm_node_alloc_cpus"),
	ROW_01(OF_EACH_NODE, "slurm_node_alloc_cpus", NODES_CPUS_ALLOC,
		"CPUs of the node that are allocated to jobs."),
	ROW_TOTAL(OF_EACH_NODE, "slurm_node_cpus_idle", NODES_CPUS_IDLE,
		"CPUs of the node that are not allocated to jobs.", "slurm_node_idle_cpus"),
	ROW_01(OF_EACH_NODE, "slurm_node_idle_cpus", NODES_CPUS_IDLE,
		"CPUs of the node that are not allocated to jobs."),
	ROWS_MEMORY(OF_EACH_NODE, "slurm_node_memory_bytes", NODES_MEMORY,
		"slurm_node_memory_installed_bytes", NODES_MEMORY, "Memory of the node"),
	ROWS_MEMORY(OF_EACH_NODE, "slurm_node_memory_effective_bytes", NODES_MEMORY_EFFECTIVE,
		"slurm_node_memory_usable_bytes", NODES_MEMORY_EFFECTIVE,
		"Memory of the node that jobs can use, without memory reserved for the system"),
	ROWS_MEMORY(OF_EACH_NODE, "slurm_node_memory_alloc_bytes", NODES_MEMORY_ALLOC,
		"slurm_node_memory_allocated_bytes", NODES_MEMORY_ALLOC,
		"Memory of the node that is allocated to jobs"),
	ROWS_MEMORY(OF_EACH_NODE, "slurm_node_memory_free_bytes", NODES_MEMORY_FREE,
		"slurm_node_memory_unused_bytes", NODES_MEMORY_UNUSED,
		"Memory of the node that its kernel reports as free"),
};

static const struct exporter_row partitions[] = {
	ROW_01(OF_PARTITION, "slurm_partition_nodes", PARTITION_NODES,
		"Nodes in Slurm's record of the partition."),
	ROW_01(OF_PARTITION, "slurm_partition_cpus", PARTITION_CPUS,
		"CPUs in Slurm's record of the partition."),
	ROW_01(OF_PARTITION_NODES, "slurm_partition_idle_cpus", NODES_CPUS_IDLE,
		"CPUs of the partition's nodes that are not allocated to jobs."),
	ROW_01(OF_PARTITION_NODES, "slurm_partition_alloc_cpus", NODES_CPUS_ALLOC,
		"CPUs of the partition's nodes that are allocated to jobs."),
	ROW_TOTAL(OF_PARTITION_NODES, "slurm_partition_nodes", NODES_ANY,
		"Nodes whose record names the partition.", "slurm_partition_nodes"),
	STATES(OF_PARTITION_NODES, "slurm_partition_nodes", " of the partition"),
	ROWS_TOTAL(OF_PARTITION_NODES, "slurm_partition_nodes_cpus", NODES_CPUS,
		"CPUs of the partition's nodes."),
	ROWS_TOTAL(OF_PARTITION_NODES, "slurm_partition_nodes_cpus_effective", NODES_CPUS_EFFECTIVE,
		"CPUs of the partition's nodes that jobs can use."),
	ROWS_TOTAL(OF_PARTITION_NODES, "slurm_partition_nodes_cpus_alloc", NODES_CPUS_ALLOC,
		"CPUs of the partition's nodes that are allocated to jobs."),
	ROWS_TOTAL(OF_PARTITION_NODES, "slurm_partition_nodes_cpus_idle", NODES_CPUS_IDLE,
		"CPUs of the partition's nodes that are not allocated to jobs."),
	ROWS_MEMORY(OF_PARTITION_NODES, "slurm_partition_nodes_memory_bytes", NODES_MEMORY,
		"slurm_partition_nodes_memory_installed_bytes", NODES_MEMORY,
		"Memory of the partition's nodes"),
	ROWS_MEMORY(OF_PARTITION_NODES, "slurm_partition_nodes_memory_effective_bytes",
		NODES_MEMORY_EFFECTIVE, "slurm_partition_nodes_memory_usable_bytes",
		NODES_MEMORY_EFFECTIVE, "Memory of the partition's nodes that jobs can use"),
	ROWS_MEMORY(OF_PARTITION_NODES, "slurm_partition_nodes_memory_alloc_bytes",
		NODES_MEMORY_ALLOC, "slurm_partition_nodes_memory_allocated_bytes",
		NODES_MEMORY_ALLOC, "Memory of the partition's nodes that is allocated to jobs"),
	ROWS_MEMORY(OF_PARTITION_NODES, "slurm_partition_nodes_memory_free_bytes",
		NODES_MEMORY_FREE, "slurm_partition_nodes_memory_unused_bytes", NODES_MEMORY_UNUSED,
		"Memory of the partition's nodes that their kernels report as free"),
};

const struct exporter_table exporter_node_table = { "Nodes", nodes, LENGTH(nodes) };
const struct exporter_table exporter_partition_table = { "Nodes of a partition", partitions,
	LENGTH(partitions) };
