/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times. _ms values are milliseconds. Monotonic times start anywhere and never jump; wall
 * times are since 1970 UTC and may jump. Never compare one with the other.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

enum { TIME_RFC3339_BYTES = 32 };

/* RFC 3339, "2026-01-02T03:04:05Z" or with fraction and offset, to wall milliseconds. */
bool time_parse(const char *text, int64_t *wall_ms);

/*
 * Wall milliseconds to "2026-01-02T03:04:05Z" (as metav1.Time), or with microseconds (as
 * metav1.MicroTime, Leases).
 */
void time_format(int64_t wall_ms, char out[static TIME_RFC3339_BYTES]);
void time_format_micro(int64_t wall_ms, char out[static TIME_RFC3339_BYTES]);

#endif
