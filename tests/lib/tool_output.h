/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded output of real tools of Slurm, below tests/unit/recorded. */
#ifndef TESTS_LIB_TOOL_OUTPUT_H
#define TESTS_LIB_TOOL_OUTPUT_H

#include "base/arena.h"

/* "24.11/tools/job-run.txt"; the test fails when it is not there. */
char *tool_output(struct arena *a, const char *name);

#endif
