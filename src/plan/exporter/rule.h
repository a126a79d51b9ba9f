/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when the exporter reads Slurm again, and how long an answer is valid. Pure. */
#ifndef PLAN_EXPORTER_RULE_H
#define PLAN_EXPORTER_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/*
	 * Minimum pause, in durations of a read: reads take at most a quarter of the time
	 */
	EXPORTER_PAUSE_TIMES = 3,
	EXPORTER_FAILED_MS = 60000, /* maximum pause after failed reads */
	EXPORTER_DROP_MS = 60000,   /* an answer is valid for this time, */
	EXPORTER_DROP_PERIODS = 3,  /* plus this number of periods between two reads */
	EXPORTER_DOUBLINGS = 5,     /* maximum number of failures that double the pause */
};

/*
 * The pause after a read. took_ms: duration of the read; failures: number of failures in
 * a row, with this one.
 */
static inline int64_t exporter_pause_ms(int64_t cache_ms, int64_t took_ms, int failures)
{
	int doublings = failures < EXPORTER_DOUBLINGS ? failures : EXPORTER_DOUBLINGS;
	int64_t pause = cache_ms - took_ms, least = took_ms * EXPORTER_PAUSE_TIMES;
	if (failures > 0) {
		int64_t longest = cache_ms > EXPORTER_FAILED_MS ? cache_ms : EXPORTER_FAILED_MS;
		pause = cache_ms << (doublings - 1);
		return pause < longest ? pause : longest;
	}
	return pause > least ? pause : least;
}

/*
 * Whether the numbers of a source are still valid. age_ms: since they were requested;
 * took_ms and pause_ms: of the read that returned them.
 */
static inline bool exporter_is_fresh(int64_t age_ms, int64_t took_ms, int64_t pause_ms)
{
	return age_ms <= EXPORTER_DROP_MS + EXPORTER_DROP_PERIODS * (took_ms + pause_ms);
}

#endif
