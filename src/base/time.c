/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 3339 times, to and from milliseconds. */
#include "base/time.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool digits(const char **p, int n, int *out)
{
	int value = 0;
	for (int i = 0; i < n; i++, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		value = value * 10 + (**p - '0');
	}
	*out = value;
	return true;
}

static bool literal(const char **p, const char *any_of)
{
	if (!**p || !strchr(any_of, **p))
		return false;
	(*p)++;
	return true;
}

static bool fraction(const char **p, int *ms)
{
	*ms = 0;
	if (**p != '.')
		return true;
	int scale = 100;
	const char *start = ++*p;
	for (; isdigit((unsigned char)**p); (*p)++, scale /= 10)
		*ms += (**p - '0') * scale;
	return *p > start;
}

static bool offset(const char **p, int64_t *offset_s)
{
	*offset_s = 0;
	if (literal(p, "Zz"))
		return true;
	int sign = **p == '-' ? -1 : 1, h, m;
	if (!literal(p, "+-") || !digits(p, 2, &h) || !literal(p, ":") || !digits(p, 2, &m))
		return false;
	*offset_s = sign * (h * 3600 + m * 60);
	return true;
}

bool time_parse(const char *text, int64_t *wall_ms)
{
	struct tm tm = { 0 };
	int ms;
	int64_t offset_s;
	const char *p = text ? text : "";
	if (!digits(&p, 4, &tm.tm_year) || !literal(&p, "-") || !digits(&p, 2, &tm.tm_mon) ||
		!literal(&p, "-") || !digits(&p, 2, &tm.tm_mday))
		return false;
	if (!literal(&p, "Tt ") || !digits(&p, 2, &tm.tm_hour) || !literal(&p, ":") ||
		!digits(&p, 2, &tm.tm_min) || !literal(&p, ":"))
		return false;
	if (!digits(&p, 2, &tm.tm_sec) || !fraction(&p, &ms) || !offset(&p, &offset_s) || *p)
		return false;
	if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
		tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*wall_ms = ((int64_t)timegm(&tm) - offset_s) * 1000 + ms;
	return true;
}

static struct tm split(int64_t wall_ms)
{
	time_t s = (time_t)(wall_ms / 1000);
	struct tm tm;
	gmtime_r(&s, &tm);
	return tm;
}

void time_format(int64_t wall_ms, char out[static TIME_RFC3339_BYTES])
{
	struct tm tm = split(wall_ms);
	strftime(out, TIME_RFC3339_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void time_format_micro(int64_t wall_ms, char out[static TIME_RFC3339_BYTES])
{
	struct tm tm = split(wall_ms);
	size_t n = strftime(out, TIME_RFC3339_BYTES, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, TIME_RFC3339_BYTES - n, ".%06dZ", (int)(wall_ms % 1000) * 1000);
}
