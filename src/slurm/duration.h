/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses durations and times as Slurm's command line tools print them. Pure, except for
 * TZ.
 */
#ifndef SLURM_DURATION_H
#define SLURM_DURATION_H

#include <stdint.h>

#include "base/err.h"

enum {
	SLURM_ABSENT = -1, /* in place of a number: none */
};

/*
 * Converts "M", "M:S", "H:M:S", "D-H", "D-H:M", "D-H:M:S" to seconds. Words for "no
 * limit" and "unknown", and empty text, are SLURM_ABSENT: UNLIMITED, INFINITE,
 * Partition_Limit, INVALID, NOT_SET, -1, Unknown, None, N/A. Any other text is
 * ERR_INVALID.
 */
struct err slurm_duration_parse(const char *text, int64_t *out_s);

/*
 * Converts "2026-01-31T23:59:58", in local time (TZ or /etc/localtime), to seconds since
 * 1970. In the hour that occurs twice in autumn, the C library decides. Unknown, None,
 * N/A, (null) and empty text are SLURM_ABSENT. Any other text is ERR_INVALID.
 */
struct err slurm_time_parse(const char *text, int64_t *out_s);

#endif
