/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is long for one turn of the loop, by the time of the processor. */
#ifndef TESTS_LIB_WORK_LONG_H
#define TESTS_LIB_WORK_LONG_H

#include <stdint.h>
#include <time.h>

static inline int64_t thread_cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void work_long(void)
{
	enum { LONG_MS = 20 };
	int64_t since_ms = thread_cpu_ms();
	while (thread_cpu_ms() - since_ms < LONG_MS)
		continue;
}

#endif
