/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether to keep, copy or continue a file, and whether its copy is complete. */
#include "plan/results/file.h"

#include <stddef.h>

#include "base/own.h"

/* Resolutions of times in file systems, in ns. The source may have a finer one. */
static const int64_t steps[] = { 1, 100, 1000, 1000000, 1000000000, 2000000000 };

/*
 * The finest resolution, up to most_ns, with which source_ns is stored as there_ns; 0:
 * none.
 */
static int64_t step_between(int64_t source_ns, int64_t there_ns, int64_t most_ns)
{
	for (size_t i = 0; i < LENGTH(steps) && steps[i] <= most_ns; i++) {
		int64_t over = source_ns % steps[i];
		if (there_ns == source_ns - (over < 0 ? over + steps[i] : over))
			return steps[i];
	}
	return 0;
}

int64_t results_time_step(int64_t kept_ns)
{
	int64_t step_ns = step_between(RESULTS_PROBE_NS, kept_ns, INT64_MAX);
	return step_ns ? step_ns : 1;
}

enum results_step results_file_plan(const struct results_file_view *v)
{
	if (v->there == RESULTS_OTHER)
		return RESULTS_REFUSE;
	if (v->there == RESULTS_FILE && v->there_size == v->size &&
		step_between(v->modified_ns, v->there_modified_ns, v->step_ns))
		return RESULTS_KEEP;
	if (v->part_bytes < 0 || v->part_bytes > v->size)
		return RESULTS_BEGIN;
	return v->part_bytes == v->size ? RESULTS_VERIFY
		: v->part_bytes         ? RESULTS_RESUME
					: RESULTS_BEGIN;
}

enum results_verdict results_file_judge(const struct results_proof *p)
{
	if (p->size != p->size_now || p->modified_ns != p->modified_ns_now)
		return RESULTS_CHANGED;
	if (p->part_bytes < p->size)
		return RESULTS_SHORT;
	return p->part_bytes == p->size && p->same_sum ? RESULTS_WHOLE : RESULTS_DAMAGED;
}
