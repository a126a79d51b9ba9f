/* SPDX-License-Identifier: Apache-2.0 */
/* Expands the patterns of an output file that slurmctld leaves to slurmd. */
#include "slurm/tools/output_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/hostlist.h"

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

/* whole: slurmctld has not expanded a part of the pattern. */
struct path_of {
	const struct slurm_job_shown *job;
	bool whole;
};

static void take_first(void *ctx, const char *name)
{
	struct str *first = ctx;
	if (!first->len)
		str_add(first, name);
}

/* The accounts have only the nodes, and no batch host. */
static bool add_host(struct str *out, const struct path_of *p)
{
	struct str first AUTO(str_free) = { 0 };
	if (!str_empty(p->job->batch_host))
		str_add(&first, p->job->batch_host);
	else if (p->whole && !str_eq(p->job->nodes, "None assigned") &&
		failed(hostlist_expand(p->job->nodes, take_first, &first)))
		str_clear(&first);
	size_t n = strcspn(str_text(&first), ".");
	str_add_bytes(out, str_text(&first), n);
	return n > 0;
}

/* The task number of a job that is not in an array. */
static const int64_t no_task = INT64_C(4294967294);

static int64_t task_of(const struct slurm_job_shown *job)
{
	int64_t task;
	return str_to_i64(job->task, 0, no_task, &task) ? task : no_task;
}

static int64_t array_of(const struct slurm_job_shown *job)
{
	int64_t id;
	return str_to_i64(job->array_id, 1, no_task, &id) ? id : job->id;
}

static bool has_number(char pattern, const struct path_of *p, int64_t *n)
{
	*n = pattern == 'J' ? p->job->id : 0;
	if (strchr("ntJ", pattern))
		return true;
	if (!p->whole || !strchr("jAab", pattern))
		return false;
	*n = pattern == 'j'      ? p->job->id
		: pattern == 'A' ? array_of(p->job)
		: pattern == 'a' ? task_of(p->job)
				 : task_of(p->job) % 10;
	return true;
}

/* Adds the value of a pattern; false: not a pattern. width: the text after "%". */
static bool add_word(struct str *out, char pattern, const char *width, const struct path_of *p)
{
	int64_t n;
	if (pattern == '\0')
		return false;
	if (has_number(pattern, p, &n))
		add_number(out, width, n);
	else if (pattern == 'N')
		return add_host(out, p);
	else if (pattern == 's')
		str_add(out, "batch");
	else if (p->whole && pattern == 'x')
		str_add(out, p->job->name);
	else if (p->whole && pattern == 'u')
		str_add_bytes(out, p->job->user, strcspn(p->job->user, "("));
	else if (p->whole && pattern == '%' && *width == '%')
		str_add(out, "%");
	else
		return false;
	return true;
}

static bool is_pattern(char c) { return c && strchr("NntsJ", c); }

static void expand(struct str *out, const char *at, const struct path_of *p)
{
	while (*at) {
		const char *width = at + 1;
		const char *end = *at == '%' ? width + strspn(width, "0123456789") : at;
		if (*at == '%' && add_word(out, *end, width, p)) {
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

static const char *expanded(struct arena *a, const char *pattern, const struct path_of *p)
{
	struct str path AUTO(str_free) = { 0 };
	if (!strpbrk(pattern, "%\\"))
		return pattern;
	if (strchr(pattern, '\\'))
		strip(&path, pattern);
	else
		expand(&path, pattern, p);
	return arena_strdup(a, str_text(&path));
}

const char *slurm_output_path(struct arena *a, const char *shown, const struct slurm_job_shown *job)
{
	return expanded(a, shown, &(struct path_of){ job, false });
}

const char *slurm_output_pattern(struct arena *a, const char *pattern,
	const struct slurm_job_shown *job)
{
	return expanded(a, pattern, &(struct path_of){ job, true });
}
