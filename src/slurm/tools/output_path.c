/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of an output file that slurmctld leaves to slurmd. */
#include "slurm/tools/output_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"

enum { WIDTH_MOST = 10 };

static void add_digits(struct str *out, const char *from, const char *end)
{
	str_add_bytes(out, from, (size_t)(end - from));
}

static void add_number(struct str *out, const char *width, int64_t n)
{
	unsigned long wanted = strtoul(width, NULL, 10);
	str_addf(out, "%0*" PRId64, wanted > WIDTH_MOST ? WIDTH_MOST : (int)wanted, n);
}

static bool add_host(struct str *out, const struct slurm_job_shown *job)
{
	size_t n = strcspn(job->batch_host, ".");
	str_add_bytes(out, job->batch_host, n);
	return n > 0;
}

/* The word for a pattern; false: it has none. width: its digits, and what is behind. */
static bool add_word(struct str *out, char pattern, const char *width,
	const struct slurm_job_shown *job)
{
	switch (pattern) {
	case 'N':
		return add_host(out, job);
	case 'n':
	case 't':
		add_number(out, width, 0);
		return true;
	case 's':
		str_add(out, "batch");
		return true;
	case 'J':
		add_number(out, width, job->id);
		return true;
	default:
		return false;
	}
}

static bool is_pattern(char c) { return c && strchr("NntsJ", c); }

static void expand(struct str *out, const char *at, const struct slurm_job_shown *job)
{
	while (*at) {
		const char *width = at + 1;
		const char *end = *at == '%' ? width + strspn(width, "0123456789") : at;
		if (*at == '%' && add_word(out, *end, width, job)) {
			at = end + 1;
		} else if (end > width && !is_pattern(*end)) {
			add_digits(out, width, end);
			at = end;
		} else {
			str_add_bytes(out, at++, 1);
		}
	}
}

static void strip(struct str *out, const char *at)
{
	for (; *at; at++) {
		at += *at == '\\';
		if (!*at)
			break;
		str_add_bytes(out, at, 1);
	}
}

const char *slurm_output_path(struct arena *a, const char *shown, const struct slurm_job_shown *job)
{
	struct str path AUTO(str_free) = { 0 };
	if (!strpbrk(shown, "%\\"))
		return shown;
	if (strchr(shown, '\\'))
		strip(&path, shown);
	else
		expand(&path, shown, job);
	return arena_strdup(a, str_text(&path));
}
