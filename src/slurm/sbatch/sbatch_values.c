/* SPDX-License-Identifier: Apache-2.0 */
/* Converts values of sbatch's options to numbers. */
#include "slurm/sbatch/sbatch_parts.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "slurm/duration.h"
#include "slurm/task_list.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *without_spaces(const char *at)
{
	while (sbatch_is_space(*at))
		at++;
	return at;
}

/* Reads one or more digits, after optional spaces and an optional plus. */
static bool read_number(const char **at, int64_t *out)
{
	const char *p = without_spaces(*at);
	p += *p == '+';
	if (!is_digit(*p))
		return false;
	for (*out = 0; is_digit(*p); p++)
		if (__builtin_mul_overflow(*out, 10, out) ||
			__builtin_add_overflow(*out, *p - '0', out))
			return false;
	*at = p;
	return true;
}

/* Reads a number of nodes, such as "2k", and the spaces after it. */
static bool read_node_count(const char **at, int64_t *out)
{
	if (!read_number(at, out) || *out > INT32_MAX)
		return false;
	int bits = **at == 'k' || **at == 'K' ? 10 : **at == 'm' || **at == 'M' ? 20 : 0;
	*at = without_spaces(*at + (bits > 0));
	*out <<= bits;
	return *out <= INT32_MAX;
}

/* "4", "2-4", "-4", which is "1-4", and "4-0", which has no upper bound. */
static bool read_node_range(const char *at, int64_t *least)
{
	int64_t most = 0;
	*least = 1;
	at = without_spaces(at);
	if (*at != '-' && !read_node_count(&at, least))
		return false;
	if (*at == '-') {
		at++;
		if (!read_node_count(&at, &most))
			return false;
	}
	return *at == '\0' && (most == 0 || *least <= most);
}

/* Reads the number after a mark. */
static bool read_behind(char mark, const char **at, int64_t *out)
{
	if (**at != mark)
		return false;
	++*at;
	return read_number(at, out);
}

/* "2,4-6,8". A comma at the end adds 0; a range without a number adds nothing. */
static bool read_node_list(const char *at, int64_t *least)
{
	for (*least = INT32_MAX;; at++) {
		int64_t first, last;
		if (*at == '\0') {
			*least = 0;
			return true;
		}
		if (!read_number(&at, &first))
			return false;
		last = first;
		if (*at == '-' && !read_behind('-', &at, &last))
			return false;
		if (first <= last && first < *least)
			*least = first;
		if (*at != ',')
			return *at == '\0' && *least < INT32_MAX;
	}
}

/* "4-16:4" means 4, 8, 12 or 16. It cannot be an item of a list. */
static bool read_node_steps(const char *at, int64_t *least)
{
	int64_t last, step;
	return read_number(&at, least) && read_behind('-', &at, &last) &&
		read_behind(':', &at, &step) && *at == '\0' && *least < last && last <= INT32_MAX &&
		step > 0;
}

static bool read_nodes(const char *text, int64_t *out)
{
	if (strchr(text, ':'))
		return read_node_steps(text, out);
	return strchr(text, ',') ? read_node_list(text, out) : read_node_range(text, out);
}

/* Rounds up to minutes; sbatch counts seconds with 31 bits. 0 minutes mean no limit. */
static bool read_time(const char *text, int64_t *out)
{
	static const char *const endless[] = { "UNLIMITED", "INFINITE", "-1" };
	*out = SBATCH_NO_LIMIT;
	for (size_t i = 0; i < LENGTH(endless); i++)
		if (strcasecmp(text, endless[i]) == 0)
			return true;
	size_t n = strlen(text);
	/*
	 * slurm_duration_parse also accepts words for "none", which do not begin with a
	 * digit.
	 */
	if (!is_digit(*text))
		return false;
	AUTO(str_free) struct str whole = { 0 };
	str_addf(&whole, "%s%s", text, text[n - 1] == '-' ? "0" : ""); /* "3-" is 3 days */
	if (failed(slurm_duration_parse(str_text(&whole), out)) || *out > INT32_MAX - 59)
		return false;
	*out = *out ? (*out + 59) / 60 * 60 : SBATCH_NO_LIMIT;
	return true;
}

/* MiB, or a number with a unit and an optional B. */
static bool read_memory(const char *text, int64_t *out)
{
	static const char units[] = "kmgt";
	if (!read_number(&text, out))
		return false;
	if (*text == '\0')
		return true;
	const char *unit = strchr(units, *text | 0x20);
	text += 1 + (text[1] == 'b' || text[1] == 'B');
	if (!unit || *text)
		return false;
	if (unit == units) {
		*out = *out / 1024 + (*out % 1024 > 0);
		return true;
	}
	return !__builtin_mul_overflow(*out, INT64_C(1) << (unit - units - 1) * 10, out);
}

static bool read_count(const char *text, int64_t *out)
{
	return read_number(&text, out) && *text == '\0' && *out > 0 && *out < INT32_MAX;
}

static bool read_any(const char *text, int64_t *out)
{
	(void)text;
	*out = 1;
	return true;
}

/* sbatch judges the list; here it is only counted. */
static bool read_array(const char *text, int64_t *out)
{
	*out = slurm_task_count(text);
	return true;
}

#define A_COUNT "a number from 1 to 2147483646"

static const struct {
	bool (*read)(const char *text, int64_t *out);
	const char *right;
} values[SBATCH_ASKS] = {
	[ASKS_NODES] = { read_nodes, "a number of nodes, such as 4, 2-4 or 1,3-5" },
	[ASKS_TIME] = { read_time,
		"minutes, a time such as 30:00, 12:00:00 or 2-12:00:00 (at most 24855 days), or UNLIMITED" },
	[ASKS_MEMORY] = { read_memory, "MiB, or a whole number with K, M, G or T" },
	[ASKS_CPUS] = { read_count, A_COUNT },
	[ASKS_TASKS_PER_NODE] = { read_count, A_COUNT },
	[ASKS_TASKS] = { read_count, A_COUNT },
	[ASKS_PARTITION] = { read_any, "a name" },
	[ASKS_ARRAY] = { read_array, "a list of tasks" },
};

struct err sbatch_value(enum sbatch_asks asks, const char *text, int64_t *out)
{
	if (asks == ASKS_NOTHING || values[asks].read(text, out))
		return OK;
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, text, 60);
	return err_new(ERR_INVALID, "\"%s\" should be %s", str_text(&shown), values[asks].right);
}
