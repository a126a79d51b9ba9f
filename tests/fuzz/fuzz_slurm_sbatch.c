/* SPDX-License-Identifier: Apache-2.0 */
/* Batch scripts: what is asked for is possible, and a fault has a line that there is. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "slurm/sbatch/sbatch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static long lines_of(const uint8_t *bytes, size_t n)
{
	long lines = 1;
	for (size_t i = 0; i < n; i++)
		lines += bytes[i] == '\n';
	return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct sbatch_wishes w = { -1, -1, -1, -1 };
	long line;
	struct err e = sbatch_read((const char *)bytes, n, &w);
	if (failed(e)) {
		if (e.kind != ERR_INVALID || sscanf(e.text, "line %ld: ", &line) != 1 || line < 1 ||
			line > lines_of(bytes, n) || w.nodes || w.wall_time_s ||
			w.mem_per_node_mib || w.cpus_per_node)
			abort();
		return 0;
	}
	if (w.nodes < 0 || w.nodes > INT32_MAX || w.wall_time_s < 0 || w.wall_time_s % 60 ||
		w.wall_time_s > INT32_MAX || w.mem_per_node_mib < 0 || w.cpus_per_node < 0)
		abort();
	/* A script that requests something has said so. */
	if ((w.nodes || w.wall_time_s || w.mem_per_node_mib || w.cpus_per_node) &&
		!memmem(bytes, n, "#SBATCH", 7) && !memmem(bytes, n, "#SLURM", 6))
		abort();
	return 0;
}
