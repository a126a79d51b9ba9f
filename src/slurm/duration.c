/* SPDX-License-Identifier: Apache-2.0 */
/* Two small grammars, and the words for "none" in each. */
#include "slurm/duration.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/own.h"
#include "base/str.h"

enum { PARTS = 3 };

/* Words that scontrol, sacct and squeue print in place of a duration. */
static const char *const no_duration[] = { "", "UNLIMITED", "INFINITE", "Partition_Limit",
	"INVALID", "NOT_SET", "-1", "NONE", "N/A", "Unknown", "(null)" };
static const char *const no_time[] = { "", "Unknown", "None", "N/A", "(null)" };

static bool is_one_of(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

static struct err bad(const char *what, const char *text)
{
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, text, 60);
	return err_new(ERR_INVALID, "\"%s\" is no %s of Slurm", str_text(&shown), what);
}

/* Reads a number of one or more digits. */
static bool read_number(const char **at, int64_t *out)
{
	const char *p = *at;
	*out = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*out, 10, out) ||
			__builtin_add_overflow(*out, *p - '0', out))
			return false;
	if (p == *at)
		return false;
	*at = p;
	return true;
}

/*
 * Reads numbers with colons between them, up to the end of the text; returns their count,
 * or 0.
 */
static size_t read_parts(const char *at, int64_t parts[static PARTS])
{
	size_t n = 0;
	do {
		if (n == PARTS || !read_number(&at, &parts[n++]))
			return 0;
	} while (*at++ == ':');
	return at[-1] ? 0 : n;
}

/*
 * Adds the days and the parts. After days the first part is hours; a single part is
 * minutes.
 */
static bool sum_up(bool has_days, int64_t days, const int64_t *parts, size_t n, int64_t *out)
{
	static const int64_t units[] = { 3600, 60, 1 };
	size_t first = has_days || n == PARTS ? 0 : 1;
	int64_t part;
	if (__builtin_mul_overflow(days, 86400, out))
		return false;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(parts[i], units[first + i], &part) ||
			__builtin_add_overflow(*out, part, out))
			return false;
	return true;
}

struct err slurm_duration_parse(const char *text, int64_t *out_s)
{
	int64_t days = 0, parts[PARTS];
	const char *at = text = text ? text : "";
	bool has_days = strchr(text, '-') != NULL;
	*out_s = SLURM_ABSENT;
	if (is_one_of(text, no_duration, LENGTH(no_duration)))
		return OK;
	if (has_days && (!read_number(&at, &days) || *at++ != '-'))
		return bad("duration", text);
	size_t n = read_parts(at, parts);
	if (n == 0 || !sum_up(has_days, days, parts, n, out_s)) {
		*out_s = SLURM_ABSENT;
		return bad("duration", text);
	}
	return OK;
}

struct err slurm_time_parse(const char *text, int64_t *out_s)
{
	struct tm local = { .tm_isdst = -1 };
	text = text ? text : "";
	*out_s = SLURM_ABSENT;
	if (is_one_of(text, no_time, LENGTH(no_time)))
		return OK;
	static const char form[] = "0000-00-00T00:00:00";
	for (size_t i = 0; i < sizeof(form); i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return bad("time", text);
	if (!strptime(text, "%Y-%m-%dT%H:%M:%S", &local))
		return bad("time", text);
	const struct tm said = local;
	time_t at = mktime(&local);
	/* mktime changes a day that the calendar does not have. */
	if (local.tm_mon != said.tm_mon || local.tm_mday != said.tm_mday || at < 0)
		return bad("time", text);
	*out_s = at;
	return OK;
}
