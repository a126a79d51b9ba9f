/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds jobs by a key. A comment may contain any text, even text that looks like another
 * record. Text that does not begin like a record is part of the record before it.
 */
#include "slurm/tools/printed_refused.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"

enum { ID_BYTES = 11, TIME_BYTES = 20 };

bool slurm_takes_key(const char *key)
{
	size_t n = strspn(key, SLURM_KEY_CHARACTERS);
	return n > 0 && n <= SLURM_KEY_BYTES && !key[n];
}

struct err printed_key_check(const char *key)
{
	return slurm_takes_key(key)
		? OK
		: err_new(ERR_INVALID,
			  "a key of a job is 1 to %d letters, digits and characters of ._:@+/-",
			  SLURM_KEY_BYTES);
}

/* ---- the requested keys ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct err printed_look_for(const char *keys, struct arena *a, struct printed_found *out)
{
	size_t n = 1;
	for (const char *at = keys; (at = strchr(at, ' ')); at++)
		n++;
	*out = (struct printed_found){ .keys = arena_array(a, const char *, n), .n_keys = n };
	for (size_t i = 0; i < n; i++) {
		size_t bytes = strcspn(keys, " ");
		out->keys[i] = arena_strndup(a, keys, bytes);
		struct err e = printed_key_check(out->keys[i]);
		if (failed(e))
			return e;
		keys += bytes + (keys[bytes] == ' ');
	}
	qsort(out->keys, n, sizeof(*out->keys), by_text);
	return OK;
}

struct word {
	const char *text;
	size_t n;
};

static int by_word(const void *word, const void *key)
{
	const struct word *w = word;
	const char *text = *(const char *const *)key;
	int order = strncmp(w->text, text, w->n);
	return order ? order : -(text[w->n] != '\0');
}

/* The requested key that equals the word; NULL: none. */
static const char *key_of(const struct printed_found *f, struct word w)
{
	const char **found = bsearch(&w, f->keys, f->n_keys, sizeof(*f->keys), by_word);
	return found ? *found : NULL;
}

/* The next word of characters that are allowed in keys; n 0: none. */
static struct word next_word(const char *text, const char *end)
{
	struct word w = { text, 0 };
	while (w.text < end && !(w.n = strspn(w.text, SLURM_KEY_CHARACTERS)))
		w.text++;
	if (w.n > (size_t)(end - w.text))
		w.n = (size_t)(end - w.text);
	return w;
}

bool slurm_job_has_key(const struct slurm_job_shown *job, const char *key)
{
	const char *end = job->comment + strlen(job->comment);
	struct word w = next_word(job->comment, end);
	for (; w.n; w = next_word(w.text + w.n, end))
		if (w.n == strlen(key) && memcmp(w.text, key, w.n) == 0)
			return true;
	return false;
}

/*
 * The job id that sbatch printed: 42 for "42", "42_7", "42_[1-8%2]" or "42+1". 0: not an
 * id.
 */
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

/* Reads the time in a field; false: not a time. */
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

/*
 * Whether the job was found in an earlier record: the accounting database has a record
 * for each requeue.
 */
static bool is_found(struct printed_found *f, const struct slurm_job_found *job)
{
	for (size_t i = 0; i < f->n; i++) {
		struct slurm_job_found *same = &f->jobs[i];
		if (same->id != job->id || same->key != job->key)
			continue;
		if (same->in_accounts && job->submit_s > same->submit_s)
			same->submit_s = job->submit_s;
		if (same->in_accounts && job->submit_s < same->first_s)
			same->first_s = job->submit_s;
		return true;
	}
	for (size_t i = 0; i < f->n_aliases; i++)
		if (f->aliases[i] == job->id)
			return true;
	return false;
}

static int by_id(const void *a, const void *b)
{
	const struct slurm_job_found *x = a, *y = b;
	int order = (x->id > y->id) - (x->id < y->id);
	return order ? order : strcmp(x->key, y->key);
}

uint64_t printed_word_mark(const char *word, size_t n)
{
	static const uint8_t key[16] = "key of some job";
	return hash_siphash(key, word, n);
}

static void note_word(struct printed_found *f, struct arena *a, struct word w)
{
	if (!f->notes_words || f->n_words == PRINTED_MOST_WORDS)
		return;
	f->words = arena_grown(a, f->words, f->n_words, &f->cap_words, sizeof(*f->words));
	f->words[f->n_words++] = printed_word_mark(w.text, w.n);
}

/* Adds the job if key is a requested key. */
static bool add(struct printed_found *f, struct arena *a, struct word key,
	struct slurm_job_found job)
{
	note_word(f, a, key);
	job.key = key_of(f, key);
	if (!job.key)
		return false;
	if (is_found(f, &job))
		return true;
	f->jobs = arena_grown(a, f->jobs, f->n, &f->cap, sizeof(*f->jobs));
	f->jobs[f->n++] = job;
	qsort(f->jobs, f->n, sizeof(*f->jobs), by_id);
	return true;
}

/* Adds the job by each key in its comment; keys are separated by other characters. */
static bool add_by_comment(struct printed_found *f, struct arena *a, const char *text,
	const char *end, struct slurm_job_found job)
{
	bool one = false;
	struct word w = next_word(text, end);
	for (; w.n; w = next_word(w.text + w.n, end))
		one |= add(f, a, w, job);
	return one;
}

/* Adds the job by each "--comment=KEY" in its command. */
static void add_by_command(struct printed_found *f, struct arena *a, const char *text,
	const char *end, struct slurm_job_found job)
{
	static const char option[] = "--comment=";
	while ((text = memmem(text, (size_t)(end - text), option, sizeof(option) - 1))) {
		text += sizeof(option) - 1;
		size_t n = strcspn(text, " \n");
		add(f, a,
			(struct word){ text, n < (size_t)(end - text) ? n : (size_t)(end - text) },
			job);
	}
}

static void add_alias(struct printed_found *f, struct arena *a, int64_t id)
{
	f->aliases = arena_grown(a, f->aliases, f->n_aliases, &f->cap_aliases, sizeof(*f->aliases));
	f->aliases[f->n_aliases++] = id;
}

/* The end of the field that begins at text; NULL: the last field. */
static const char *field_end(const char *text, const char *end)
{
	return memchr(text, PRINTED_FIELD[0], (size_t)(end - text));
}

/* ---- the records ---- */

/* Reads a record of squeue, from after its first character; false: not a record. */
static bool read_queued(const char *text, const char *end, struct printed_record *out)
{
	const char *shown = field_end(text, end), *raw = shown ? field_end(shown + 1, end) : NULL;
	const char *submit = raw ? field_end(raw + 1, end) : NULL;
	*out = (struct printed_record){ .id = shown ? submission_of(text, shown) : 0, .end = end };
	if (!submit || !out->id || !time_of(raw + 1, submit, &out->submit_s))
		return false;
	const char *state = shown + 1 + strspn(shown + 1, "0123456789");
	out->own_id = submission_of(shown + 1, state < raw ? state : raw);
	out->fields = out->text = submit + 1;
	printed_refused_queued(out, state, (size_t)(raw - state));
	return true;
}

static const char *next_queued(const char *text, struct printed_record *out, bool *is_one)
{
	text = strchr(text, PRINTED_RECORD[0]);
	*is_one = text && read_queued(text + 1, strchrnul(text + 1, PRINTED_RECORD[0]), out);
	return text ? text + 1 : NULL;
}

static void add_queued(struct printed_found *f, struct arena *a, const struct printed_record *r)
{
	struct slurm_job_found job = { .id = r->id, .submit_s = r->submit_s };
	if (add_by_comment(f, a, r->fields, r->end, job) && r->own_id && r->own_id != r->id)
		add_alias(f, a, r->own_id);
}

/*
 * Ignores a refused record. The accounts may have its job already, but not yet the
 * refused component.
 */
static void pass_over(struct printed_found *f, struct arena *a, const struct printed_record *r)
{
	struct word w = next_word(r->fields, r->end);
	for (; w.n; w = next_word(w.text + w.n, r->end))
		if (key_of(f, w)) {
			add_alias(f, a, r->own_id);
			return;
		}
}

struct err printed_queue(const char *text, struct arena *a, struct printed_found *found)
{
	bool one = !text[strspn(text, " \t\r\n")], is_one;
	struct printed_refused refused = { 0 };
	struct printed_record r;
	for (const char *at = text; (at = next_queued(at, &r, &is_one));)
		if (is_one)
			printed_refused_add(&refused, a, &r);
	printed_refused_sort(&refused);
	for (const char *at = text; (at = next_queued(at, &r, &is_one)); one |= is_one)
		if (is_one && printed_is_refused(&refused, &r))
			pass_over(found, a, &r);
		else if (is_one)
			add_queued(found, a, &r);
	return one ? OK : err_new(ERR_INVALID, "squeue printed no record that can be read");
}

/* The start and end of a pending job, which are guesses; NULL: not pending. */
static const char *guesses_of(const char *text, const char *end, const char **behind)
{
	static const char waits[] = "PENDING";
	const char *id = field_end(text, end), *state = id ? field_end(id + 1, end) : NULL;
	*behind = state ? field_end(state + 1, end) : NULL;
	bool pending = *behind && (size_t)(state - id) == sizeof(waits) &&
		memcmp(id + 1, waits, sizeof(waits) - 1) == 0;
	return pending ? state : NULL;
}

/*
 * Detects accidental changes only: a user who may write comments of others' jobs may
 * cancel these jobs as well.
 */
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

/* Whether a record of sacct begins with this line. */
static bool begins_account(const char *line, struct printed_record *out)
{
	const char *end = strchrnul(line, '\n');
	const char *first = field_end(line, end),
		   *second = first ? field_end(first + 1, end) : NULL;
	*out = (struct printed_record){ .id = first ? submission_of(line, first) : 0 };
	out->own_id = out->id;
	out->fields = second ? second + 1 : NULL;
	return second && out->id && time_of(first + 1, second, &out->submit_s);
}

static const char *next_line(const char *line)
{
	const char *end = strchrnul(line, '\n');
	return *end ? end + 1 : end;
}

/*
 * Reads the record that begins with this line; returns the beginning of the next record.
 */
static const char *next_account(const char *text, struct printed_record *out, bool *is_one)
{
	struct printed_record next;
	const char *end = next_line(text), *state;
	*is_one = begins_account(text, out);
	while (*is_one && *end && !begins_account(end, &next))
		end = next_line(end);
	out->end = end;
	state = *is_one ? field_end(out->fields, end) : NULL;
	printed_refused_account(out, state);
	return end;
}

static void add_account(struct printed_found *f, struct arena *a, const struct printed_record *r)
{
	const char *command = field_end(r->fields, r->end);
	struct slurm_job_found job = { r->id, r->submit_s, true, NULL, r->submit_s };
	add_by_comment(f, a, r->fields, command ? command : r->end, job);
	if (command)
		add_by_command(f, a, command, r->end, job);
}

struct err printed_accounts(const char *text, struct arena *a, struct printed_found *found)
{
	bool one = !text[strspn(text, " \t\r\n")], is_one;
	struct printed_refused refused = { 0 };
	struct printed_record r;
	for (const char *at = text; *at;) {
		at = next_account(at, &r, &is_one);
		if (is_one)
			printed_refused_add(&refused, a, &r);
	}
	printed_refused_sort(&refused);
	for (const char *at = text; *at; one |= is_one) {
		at = next_account(at, &r, &is_one);
		if (is_one && !printed_is_refused(&refused, &r))
			add_account(found, a, &r);
	}
	return one ? OK : err_new(ERR_INVALID, "sacct printed no record that can be read");
}
