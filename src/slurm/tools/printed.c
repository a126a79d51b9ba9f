/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses steps of sacct, and the output of sbatch, sinfo, sdiag and "scontrol show
 * config".
 */
#include "slurm/tools/printed.h"

#include <limits.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"

enum { STEP_FIELDS = 6 };

/* "2:15": the exit code before the colon, the signal after it. */
static struct err read_exit_code(char *text, int *out)
{
	int64_t code, number;
	char *colon = strchr(text, ':');
	if (!colon || strchr(colon + 1, ':'))
		return err_new(ERR_INVALID, "exit code \"%.40s\" must have 2 sections, as 0:0",
			text);
	*colon = '\0';
	if (!str_to_i64(text, INT_MIN, INT_MAX, &code) ||
		!str_to_i64(colon + 1, INT_MIN, INT_MAX, &number))
		return err_new(ERR_INVALID, "exit code \"%.20s:%.20s\" is no pair of integers",
			text, colon + 1);
	*out = (int)code;
	return OK;
}

/* Cuts the line at its separators; false: too few. The last field has the rest. */
static bool cut(char *line, char separator, char *fields[static STEP_FIELDS])
{
	for (int i = 0; i < STEP_FIELDS; i++) {
		fields[i] = line;
		line = strchr(line, separator);
		if (i + 1 < STEP_FIELDS) {
			if (!line)
				return false;
			*line++ = '\0';
		}
	}
	return true;
}

/* "sacct -p" prints a separator after the name as well. */
static const char *name_of(char *name, char separator)
{
	size_t n = strlen(name);
	if (separator == '|' && n && name[n - 1] == '|')
		name[n - 1] = '\0';
	return name;
}

static struct err read_step(char *const fields[static STEP_FIELDS], char separator,
	struct slurm_step_shown *out)
{
	struct err e = slurm_time_parse(fields[0], &out->start_s);
	if (!failed(e))
		e = slurm_time_parse(fields[1], &out->end_s);
	if (!failed(e))
		e = read_exit_code(fields[2], &out->exit_code);
	fields[3][strcspn(fields[3], " +")] = '\0'; /* "CANCELLED by 1000" */
	out->state = fields[3];
	out->id = fields[4];
	out->name = name_of(fields[5], separator);
	return e;
}

/* Adds a further line, up to end, to the name. */
static void add_line(struct slurm_step_shown *step, const char *line, const char *end,
	char separator, struct arena *a)
{
	char *more = arena_strndup(a, line, (size_t)(end - line));
	step->name = arena_printf(a, "%s\n%s", step->name, name_of(more, separator));
}

struct err printed_steps(const char *text, struct arena *a, struct slurm_step_shown **out,
	size_t *n)
{
	char separator = strchr(text, PRINTED_FIELD[0]) ? PRINTED_FIELD[0] : '|';
	size_t cap = 0;
	*out = NULL;
	*n = 0;
	for (const char *end; *text; text = *end ? end + 1 : end) {
		char *fields[STEP_FIELDS];
		end = strchrnul(text, '\n');
		if (end == text)
			continue;
		char *line = arena_strndup(a, text, (size_t)(end - text));
		if (!cut(line, separator, fields)) {
			if (*n == 0)
				return err_new(ERR_INVALID,
					"sacct printed \"%.*s\", which does not have 6 sections",
					(int)(end - text < 80 ? end - text : 80), text);
			add_line(*out + *n - 1, text, end, separator, a);
			continue;
		}
		*out = arena_grown(a, *out, *n, &cap, sizeof(**out));
		struct err e = read_step(fields, separator, *out + *n);
		if (failed(e))
			return err_wrap(e, "reading a line of sacct");
		++*n;
	}
	return OK;
}

/* Whether the line is one word and blanks. */
static bool is_one_word(const char *line)
{
	static const char blanks[] = " \t\r";
	const char *behind = line + strcspn(line, blanks);
	return !behind[strspn(behind, blanks)];
}

bool printed_submitted(const char *text, int64_t *job_id)
{
	bool found = false;
	for (const char *end; *text; text = *end ? end + 1 : end) {
		int64_t id;
		end = strchrnul(text, '\n');
		text += strspn(text, " \t");
		AUTO(own_free) char *line = own_strndup(text, (size_t)(end - text));
		bool alone = is_one_word(line);
		line[strcspn(line, "; \t\r")] = '\0';
		if (!alone || !str_to_i64(line, 1, PRINTED_MOST_ID, &id))
			continue;
		*job_id = id;
		found = true;
	}
	return found;
}

int64_t printed_most_cpus(const char *text)
{
	int64_t most = SLURM_ABSENT;
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		text += strspn(text, " \t");
		size_t digits = strspn(text, "0123456789");
		AUTO(own_free) char *number = own_strndup(text, digits);
		int64_t n, unit = text[digits] == 'K' ? 1024 : 1;
		if (str_to_i64(number, 1, INT32_MAX, &n) && n * unit > most)
			most = n * unit;
	}
	return most;
}

/* Reads "12" or "1.5K"; sets *end to the text after it. */
static bool read_count(const char *text, int64_t *n, const char **end)
{
	size_t digits = strspn(text, "0123456789");
	AUTO(own_free) char *number = own_strndup(text, digits);
	text += digits;
	if (*text == '.')
		text += 1 + strspn(text + 1, "0123456789");
	bool kilo = *text == 'K', mega = *text == 'M';
	*end = text + (kilo || mega);
	if (!str_to_i64(number, 0, INT32_MAX, n))
		return false;
	*n *= kilo ? 1024 : mega ? 1024 * 1024 : 1;
	return true;
}

struct printed_usable *printed_usable(const char *text, struct arena *a, size_t *n)
{
	size_t most = 0;
	*n = 0;
	for (const char *at = text; *at; at++)
		most += *at == '|';
	struct printed_usable *rows = arena_array(a, struct printed_usable, most + 1);
	for (const char *end; *text; text = *end ? end + 1 : end) {
		int64_t allocated, idle;
		end = strchrnul(text, '\n');
		size_t name = strcspn(text, "|\n");
		const char *at = text + name + 1;
		if (!name || text[name] != '|' || !read_count(at, &allocated, &at) || *at != '/' ||
			!read_count(at + 1, &idle, &at) || *at != '/')
			continue;
		rows[*n].partition = arena_strndup(a, text, name);
		rows[(*n)++].nodes = allocated + idle;
	}
	return rows;
}

const char *printed_version(const char *text, struct arena *a)
{
	text += strspn(text, " \t\r\n");
	size_t n = strcspn(text, "\r\n"), from;
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	for (from = n; from && text[from - 1] != ' ';)
		from--;
	bool is_number = from < n && text[from] >= '0' && text[from] <= '9';
	return is_number ? arena_strndup(a, text + from, n - from) : NULL;
}

/* Copies the value of a line such as "MinJobAge = 300 sec"; NULL: no such line. */
static char *config_value(const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if ((size_t)(end - text) <= n || memcmp(text, key, n) != 0)
			continue;
		const char *value = text + n + strspn(text + n, " \t");
		if (*value != '=')
			continue;
		value += 1 + strspn(value + 1, " \t");
		return own_strndup(value, value < end ? (size_t)(end - value) : 0);
	}
	return NULL;
}

/* The number at the beginning of the value. */
static int64_t config_number(const char *text, const char *key)
{
	AUTO(own_free) char *value = config_value(text, key);
	int64_t n;
	if (!value)
		return SLURM_ABSENT;
	value[strcspn(value, " \t\r")] = '\0';
	return str_to_i64(value, 0, INT64_MAX, &n) ? n : SLURM_ABSENT;
}

struct err printed_config(const char *text, struct slurm_controller_shown *out)
{
	AUTO(own_free) char *boot = config_value(text, "BOOT_TIME");
	if (!boot)
		return err_new(ERR_INVALID, "scontrol does not say when slurmctld was started");
	boot[strcspn(boot, " \t\r")] = '\0';
	out->next_job_id = config_number(text, "NEXT_JOB_ID");
	out->min_job_age_s = config_number(text, "MinJobAge");
	struct err e = slurm_time_parse(boot, &out->boot_s);
	if (!failed(e) && out->boot_s <= 0)
		e = err_new(ERR_INVALID, "scontrol does not say when slurmctld was started");
	return e;
}

int64_t printed_dbd_queue(const char *text)
{
	static const char label[] = "DBD Agent queue size:";
	const char *at = strstr(text, label);
	int64_t n;
	if (!at)
		return SLURM_ABSENT;
	at += sizeof(label) - 1;
	at += strspn(at, " \t");
	AUTO(own_free) char *number = own_strndup(at, strspn(at, "0123456789"));
	return str_to_i64(number, 0, INT64_MAX, &n) ? n : SLURM_ABSENT;
}
