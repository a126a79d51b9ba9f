/* SPDX-License-Identifier: Apache-2.0 */
/* Parses lists of tasks, as scontrol and sacct print them. */
#include "slurm/task_list.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

/* Reads at most ten digits, and moves *at past them. */
static bool read_number(const char **at, int64_t *out)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	*out = strtoll(*at, &end, 10);
	bool fits = end - *at <= 10;
	*at = end;
	return fits;
}

/* "7", "2-9", "2-9:3", above *before, which is then the last task of the range. */
static bool read_range(const char **at, int64_t *before, int64_t *count)
{
	int64_t first, last, step = 1;
	if (!read_number(at, &first))
		return false;
	last = first;
	if (**at == '-' && (++*at, !read_number(at, &last)))
		return false;
	if (**at == ':' && (++*at, !read_number(at, &step)))
		return false;
	if (first <= *before || last < first || step < 1)
		return false;
	*before = last;
	*count += (last - first) / step + 1;
	return *count <= INT32_MAX;
}

int64_t slurm_task_count(const char *list)
{
	int64_t count = 0, before = -1;
	for (;; list++) {
		if (!read_range(&list, &before, &count))
			return 0;
		if (*list != ',')
			return !*list || *list == '%' ? count : 0;
	}
}
