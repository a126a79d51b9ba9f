/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of a Slurm node: one base state and flags, as slurmrestd lists them in "state"
 * (["IDLE","DRAIN","DYNAMIC_NORM"]). The words are those of data_parser v0.0.40 to
 * v0.0.45 (Slurm 24.11.5 and 26.05.5). Any other word is NODE_OTHER.
 */
#ifndef SLURM_STATE_H
#define SLURM_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* A bit for each word. Base states first. */
enum node_state {
	NODE_ALLOCATED = 1u << 0,
	NODE_DOWN = 1u << 1,
	NODE_ERROR = 1u << 2,
	NODE_FUTURE = 1u << 3,
	NODE_IDLE = 1u << 4,
	NODE_MIXED = 1u << 5,
	NODE_UNKNOWN = 1u << 6,
	NODE_COMPLETING = 1u << 7,
	NODE_DRAIN = 1u << 8,
	NODE_UNDRAIN = 1u << 9,
	NODE_FAIL = 1u << 10,
	NODE_INVALID_REG = 1u << 11,
	NODE_MAINTENANCE = 1u << 12,
	NODE_NOT_RESPONDING = 1u << 13,
	NODE_PLANNED = 1u << 14,
	NODE_RESERVED = 1u << 15,
	NODE_REBOOT = 1u << 16,  /* REBOOT_REQUESTED, REBOOT_ISSUED, REBOOT_CANCELED */
	NODE_POWER = 1u << 17,   /* CLOUD, POWERED_DOWN, POWERING_*, POWER_* */
	NODE_DYNAMIC = 1u << 18, /* DYNAMIC_NORM: can be deleted */
	NODE_INVALID = 1u << 19,
	NODE_BLOCKED = 1u << 20,
	NODE_EXTERNAL = 1u << 21, /* a base state that does not show whether a job runs there */
	NODE_DYNAMIC_FUTURE = 1u << 22, /* a node of slurm.conf that a "slurmd -F" uses */
	NODE_UNPOWERED = 1u << 23,      /* with NODE_POWER: POWERED_DOWN, POWERING_UP */
	/* The exact word, in addition to a bit above that means several words */
	NODE_POWERED_DOWN = 1u << 24,
	NODE_POWERING_UP = 1u << 25,
	NODE_POWERING_DOWN = 1u << 26,
	NODE_REBOOT_REQUESTED = 1u << 27,
	NODE_REBOOT_ISSUED = 1u << 28,
	NODE_OTHER = 1u << 31,
};
#define NODE_BUSY_MASK (NODE_ALLOCATED | NODE_MIXED | NODE_COMPLETING)
/* The base states; all other bits are flags. */
#define NODE_BASE_MASK \
	(NODE_ALLOCATED | NODE_DOWN | NODE_ERROR | NODE_FUTURE | NODE_IDLE | NODE_MIXED)
#define NODE_STRANGE_MASK (NODE_INVALID | NODE_UNKNOWN | NODE_EXTERNAL | NODE_OTHER)

/* NODE_OTHER for a word that is not in the table. */
uint32_t node_state_bit(const char *word);

/* Whether the state is unusable: it has an unknown word, or no base state. */
static inline bool node_state_strange(uint32_t s)
{
	return (s & NODE_STRANGE_MASK) || !(s & NODE_BASE_MASK);
}

/* Whether the slurmd of the node answers, by its state. */
static inline bool node_state_answers(uint32_t s)
{
	return !(s & (NODE_DOWN | NODE_NOT_RESPONDING | NODE_FUTURE));
}

/*
 * "drained" as in Slurm: DRAIN without UNDRAIN, and not allocated, mixed or completing.
 */
static inline bool node_state_drained(uint32_t s)
{
	return (s & NODE_DRAIN) && !(s & NODE_UNDRAIN) && !(s & NODE_BUSY_MASK) &&
		!node_state_strange(s);
}

/*
 * Whether Slurm powers the node up for a job, or will do so. If the node is drained
 * before it is up, Slurm requeues the job, or ends it if requeue is not allowed.
 */
static inline bool node_state_powers_up_for_job(uint32_t s)
{
	return (s & NODE_UNPOWERED) && (s & (NODE_ALLOCATED | NODE_MIXED));
}

#endif
