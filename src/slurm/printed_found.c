/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs by a key. A comment may hold anything, also what looks like the next record: what
 * does not begin as a record must is part of the one before.
 */
#include "slurm/printed.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"

enum { KEY_BYTES = 128, ID_BYTES = 11, TIME_BYTES = 20 };

static const char of_keys[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			      "0123456789._:@+/-";

bool printed_is_key(const char *key)
{
	size_t n = strspn(key, of_keys);
	return n > 0 && n <= KEY_BYTES && !key[n];
}

/* The key alone, or between characters that no key has. */
static bool has_key(const char *text, const char *end, const char *key)
{
	size_t n = strlen(key);
	while (text < end) {
		size_t word = strspn(text, of_keys);
		if (word > (size_t)(end - text))
			word = (size_t)(end - text);
		if (word == n && memcmp(text, key, n) == 0)
			return true;
		text += word ? word : 1;
	}
	return false;
}

bool slurm_job_has_key(const struct slurm_job_shown *job, const char *key)
{
	return has_key(job->comment, job->comment + strlen(job->comment), key);
}

/* "--comment=KEY" as a word of a command. */
static bool has_option(const char *text, const char *end, const char *key)
{
	static const char option[] = "--comment=";
	size_t n = strlen(key);
	while ((text = memmem(text, (size_t)(end - text), option, sizeof(option) - 1))) {
		text += sizeof(option) - 1;
		if ((size_t)(end - text) >= n && memcmp(text, key, n) == 0 &&
			(text + n == end || strchr(" \n", text[n])))
			return true;
	}
	return false;
}

/* "42", "42_7", "42_[1-8%2]", "42+1": the number that sbatch told. 0: it is none. */
static int64_t submission_of(const char *text, const char *end)
{
	char digits[ID_BYTES];
	int64_t id;
	size_t n = strspn(text, "0123456789");
	if (n == 0 || n >= sizeof(digits) || text + n > end ||
		(text + n < end && !strchr("_+", text[n])))
		return 0;
	memcpy(digits, text, n);
	digits[n] = '\0';
	return str_to_i64(digits, 1, PRINTED_MOST_ID, &id) ? id : 0;
}

/* The time of a field; false: it is none. */
static bool time_of(const char *text, const char *end, int64_t *out_s)
{
	char copy[TIME_BYTES];
	size_t n = (size_t)(end - text);
	if (n == 0 || n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return !failed(slurm_time_parse(copy, out_s));
}

static bool is_found(const struct printed_found *f, int64_t id)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->jobs[i].id == id)
			return true;
	for (size_t i = 0; i < f->n_aliases; i++)
		if (f->aliases[i] == id)
			return true;
	return false;
}

static int by_id(const void *a, const void *b)
{
	const struct slurm_job_found *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static void add(struct printed_found *f, struct arena *a, int64_t id, int64_t submit_s,
	bool in_accounts)
{
	if (is_found(f, id))
		return;
	f->jobs = arena_grown(a, f->jobs, f->n, &f->cap, sizeof(*f->jobs));
	f->jobs[f->n++] = (struct slurm_job_found){ id, submit_s, in_accounts };
	qsort(f->jobs, f->n, sizeof(*f->jobs), by_id);
}

static void add_alias(struct printed_found *f, struct arena *a, int64_t id)
{
	f->aliases = arena_grown(a, f->aliases, f->n_aliases, &f->cap_aliases, sizeof(*f->aliases));
	f->aliases[f->n_aliases++] = id;
}

/* Where the field ends that begins at text; NULL: it is the last one. */
static const char *field_end(const char *text, const char *end)
{
	return memchr(text, PRINTED_FIELD[0], (size_t)(end - text));
}

/* One record of squeue, from behind its first character; false: it is none. */
static bool read_queued(const char *text, const char *end, const char *key, struct arena *a,
	struct printed_found *f)
{
	const char *shown = field_end(text, end), *raw = shown ? field_end(shown + 1, end) : NULL;
	const char *submit = raw ? field_end(raw + 1, end) : NULL;
	int64_t id = shown ? submission_of(text, shown) : 0, submit_s;
	if (!submit || !id || !time_of(raw + 1, submit, &submit_s))
		return false;
	if (!has_key(submit + 1, end, key))
		return true;
	add(f, a, id, submit_s, false);
	int64_t own = submission_of(shown + 1, raw);
	if (own && own != id && memchr(text, '+', (size_t)(shown - text)))
		add_alias(f, a, own);
	return true;
}

struct err printed_queue(const char *text, const char *key, struct arena *a,
	struct printed_found *found)
{
	bool one = !text[strspn(text, " \t\r\n")];
	while ((text = strchr(text, PRINTED_RECORD[0]))) {
		text++;
		const char *end = strchrnul(text, PRINTED_RECORD[0]);
		one |= read_queued(text, end, key, a, found);
	}
	return one ? OK : err_new(ERR_INVALID, "squeue printed no record that can be read");
}

/* Where the guesses about a job that waits are; NULL: it does not wait. */
static const char *guesses_of(const char *text, const char *end, const char **behind)
{
	static const char waits[] = "PENDING";
	const char *id = field_end(text, end), *state = id ? field_end(id + 1, end) : NULL;
	*behind = state ? field_end(state + 1, end) : NULL;
	bool pending = *behind && (size_t)(state - id) == sizeof(waits) &&
		memcmp(id + 1, waits, sizeof(waits) - 1) == 0;
	return pending ? state : NULL;
}

/* For accidents only: who writes comments for others may as well cancel their jobs. */
static uint64_t mark_of(const char *text, const char *end)
{
	static const uint8_t key[16] = "mark of a job";
	const char *behind, *guesses = guesses_of(text, end, &behind);
	if (!guesses)
		return hash_siphash(key, text, (size_t)(end - text));
	return hash_siphash(key, text, (size_t)(guesses - text)) ^
		hash_siphash(key, behind, (size_t)(end - behind));
}

struct err printed_marks(const char *text, struct arena *a, struct slurm_job_mark **out, size_t *n)
{
	bool none = !text[strspn(text, " \t\r\n")];
	size_t cap = 0;
	*out = NULL;
	*n = 0;
	while ((text = strchr(text, PRINTED_RECORD[0]))) {
		text++;
		const char *end = strchrnul(text, PRINTED_RECORD[0]);
		const char *shown = field_end(text, end);
		int64_t id = shown ? submission_of(text, shown) : 0;
		if (!id)
			continue;
		*out = arena_grown(a, *out, *n, &cap, sizeof(**out));
		(*out)[(*n)++] = (struct slurm_job_mark){ id, mark_of(text, end) };
	}
	return none || *n ? OK : err_new(ERR_INVALID, "squeue printed no record that can be read");
}

/* Does a record of sacct begin with this line? fields is where its comment begins. */
static bool begins_account(const char *line, int64_t *id, int64_t *submit_s, const char **fields)
{
	const char *end = strchrnul(line, '\n');
	const char *first = field_end(line, end),
		   *second = first ? field_end(first + 1, end) : NULL;
	*id = first ? submission_of(line, first) : 0;
	*fields = second ? second + 1 : NULL;
	return second && *id && time_of(first + 1, second, submit_s);
}

static const char *next_line(const char *line)
{
	const char *end = strchrnul(line, '\n');
	return *end ? end + 1 : end;
}

struct err printed_accounts(const char *text, const char *key, struct arena *a,
	struct printed_found *found)
{
	bool one = !text[strspn(text, " \t\r\n")];
	int64_t id, submit_s, next_id, next_s;
	const char *fields, *end, *next_fields;
	for (; *text; text = end) {
		end = next_line(text);
		if (!begins_account(text, &id, &submit_s, &fields))
			continue;
		one = true;
		while (*end && !begins_account(end, &next_id, &next_s, &next_fields))
			end = next_line(end);
		const char *command = field_end(fields, end);
		if (has_key(fields, command ? command : end, key) ||
			(command && has_option(command, end, key)))
			add(found, a, id, submit_s, true);
	}
	return one ? OK : err_new(ERR_INVALID, "sacct printed no record that can be read");
}
