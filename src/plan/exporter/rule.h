/* SPDX-License-Identifier: Apache-2.0 */
/* When the exporter reads Slurm again, and how long an answer counts. Pure. */
#ifndef PLAN_EXPORTER_RULE_H
#define PLAN_EXPORTER_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	EXPORTER_PAUSE_TIMES = 3,   /* of what a read took: a quarter of the time is spent */
	EXPORTER_FAILED_MS = 60000, /* the longest pause after reads that failed */
	EXPORTER_DROP_MS = 60000,   /* an answer counts so long, */
	EXPORTER_DROP_PERIODS = 3,  /* and so many times as long as until the next one */
	EXPORTER_DOUBLINGS = 5,     /* of the pause, after as many failures */
};

/*
 * How long to wait after a read. took_ms: how long it took; failures: in a row, with this
 * one.
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
 * Whether what a source said still counts. age_ms: since it was asked for; took_ms and
 * pause_ms: those of the read that said it.
 */
static inline bool exporter_is_fresh(int64_t age_ms, int64_t took_ms, int64_t pause_ms)
{
	return age_ms <= EXPORTER_DROP_MS + EXPORTER_DROP_PERIODS * (took_ms + pause_ms);
}

#endif
