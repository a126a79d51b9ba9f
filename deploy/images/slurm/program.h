/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by slurm-run and slurm-start. Define PROGRAM, its name, before the include. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* Exit code of "slurm-start beside": the daemon must restart. */
enum { BEGIN_ANEW = 75 };

/* Prints one line on stderr, which is the log of the container. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(PROGRAM ": ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/* Monotonic seconds. */
static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

#endif
