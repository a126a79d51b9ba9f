/*
 * States of a Slurm node: one base state and flags, as slurmrestd lists them in "state" (["IDLE","DRAIN","DYNAMIC_NORM"]).
 * Source: spec of slurm 24.11 and 26.05 data_parser; unknown words are kept as NODE_OTHER, never dropped silently.
 */
#ifndef SLURM_STATE_H
#define SLURM_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* One bit for each word. Base states first. */
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
	NODE_REBOOT = 1u << 16, /* REBOOT_REQUESTED, REBOOT_ISSUED, REBOOT_CANCELED */
	NODE_POWER = 1u << 17,  /* CLOUD, POWERED_DOWN, POWERING_*, POWER_* */
	NODE_DYNAMIC = 1u << 18, /* DYNAMIC_NORM, DYNAMIC_FUTURE */
	NODE_INVALID = 1u << 19,
	NODE_BLOCKED = 1u << 20,
	NODE_OTHER = 1u << 31,
};
#define NODE_BUSY_MASK (NODE_ALLOCATED | NODE_MIXED | NODE_COMPLETING)

uint32_t node_state_bit(const char *word);

/* Slurm's own definition (0.4.1 rule): DRAIN set, UNDRAIN not, and nothing allocated, mixed or completing. */
static inline bool node_state_drained(uint32_t s) { return (s & NODE_DRAIN) && !(s & NODE_UNDRAIN) && !(s & NODE_BUSY_MASK); }

#endif
