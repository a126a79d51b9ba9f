/* SPDX-License-Identifier: Apache-2.0 */
/* Durations and times as Slurm's command line tools print them. Pure, but for TZ. */
#ifndef SLURM_DURATION_H
#define SLURM_DURATION_H

#include <stdint.h>

#include "base/err.h"

enum {
	SLURM_ABSENT = -1, /* instead of seconds or of a limit: there is none */
};

/*
 * "M", "M:S", "H:M:S", "D-H", "D-H:M", "D-H:M:S" to seconds. Words for "no limit" and for
 * "not known", and empty text, are SLURM_ABSENT: UNLIMITED, INFINITE, Partition_Limit,
 * INVALID, NOT_SET, -1, Unknown, None, N/A. ERR_INVALID for everything else.
 */
struct err slurm_duration_parse(const char *text, int64_t *out_s);

/*
 * "2026-01-31T23:59:58", which is local time of this machine (TZ or /etc/localtime), to
 * seconds since 1970. A time in the hour that comes twice in autumn is the one that the C
 * library takes. Unknown, None, N/A, (null) and empty text are SLURM_ABSENT. ERR_INVALID
 * for everything else.
 */
struct err slurm_time_parse(const char *text, int64_t *out_s);

#endif
