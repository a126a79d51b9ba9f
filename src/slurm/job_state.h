/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of a Slurm job: one base state and flags, as slurmrestd lists them in "state"
 * and "job_state" (["RUNNING","COMPLETING"]). The words are those of data_parser v0.0.40
 * to v0.0.45 (Slurm 24.11.5 and 26.05.5). Any other word is JOB_OTHER.
 */
#ifndef SLURM_JOB_STATE_H
#define SLURM_JOB_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* A bit for each word. Base states first. */
enum job_state {
	JOB_PENDING = 1u << 0,
	JOB_RUNNING = 1u << 1,
	JOB_SUSPENDED = 1u << 2,
	JOB_COMPLETED = 1u << 3,
	JOB_CANCELLED = 1u << 4,
	JOB_FAILED = 1u << 5,
	JOB_TIMEOUT = 1u << 6,
	JOB_NODE_FAIL = 1u << 7,
	JOB_PREEMPTED = 1u << 8,
	JOB_BOOT_FAIL = 1u << 9,
	JOB_DEADLINE = 1u << 10,
	JOB_OUT_OF_MEMORY = 1u << 11,
	JOB_LAUNCH_FAILED = 1u << 12,
	JOB_EXPEDITING = 1u << 13,
	JOB_REQUEUED = 1u << 14,
	JOB_REQUEUE_HOLD = 1u << 15,
	JOB_SPECIAL_EXIT = 1u << 16,
	JOB_RESIZING = 1u << 17,
	JOB_CONFIGURING = 1u << 18,
	JOB_COMPLETING = 1u << 19,
	JOB_STOPPED = 1u << 20,
	JOB_RECONFIG_FAIL = 1u << 21,
	JOB_POWER_UP_NODE = 1u << 22,
	JOB_REVOKED = 1u << 23,
	JOB_REQUEUE_FED = 1u << 24,
	JOB_RESV_DEL_HOLD = 1u << 25,
	JOB_SIGNALING = 1u << 26,
	JOB_STAGE_OUT = 1u << 27,
	JOB_OTHER = 1u << 31,
};
#define JOB_BASE_MASK ((1u << 12) - 1)
/*
 * A job with one of these states holds nodes, whatever its other states are: a requeued
 * job is PENDING and COMPLETING.
 */
#define JOB_HOLDS_MASK                                                                   \
	(JOB_RUNNING | JOB_SUSPENDED | JOB_CONFIGURING | JOB_COMPLETING | JOB_RESIZING | \
		JOB_SIGNALING | JOB_STOPPED | JOB_STAGE_OUT | JOB_POWER_UP_NODE | JOB_OTHER)

/*
 * The states of an ended job. REVOKED is not one: the job may run on another cluster of
 * its federation.
 */
#define JOB_ENDS_MASK                                                               \
	(JOB_COMPLETED | JOB_CANCELLED | JOB_FAILED | JOB_TIMEOUT | JOB_NODE_FAIL | \
		JOB_PREEMPTED | JOB_BOOT_FAIL | JOB_DEADLINE | JOB_OUT_OF_MEMORY |  \
		JOB_LAUNCH_FAILED | JOB_RECONFIG_FAIL)

/* JOB_OTHER for a word that is not in the table. */
uint32_t job_state_bit(const char *word);

/*
 * Whether the job may hold nodes: it has started and not ended, or its state is unknown.
 */
static inline bool job_state_holds(uint32_t s)
{
	return (s & JOB_HOLDS_MASK) || !(s & JOB_BASE_MASK);
}

#endif
