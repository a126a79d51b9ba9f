/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records which tasks of an array have ended. slurmctld forgets each task MinJobAge after
 * its end, so the pod remembers the ids. For a task that Slurm shows, the state in Slurm
 * counts, because a user may have requeued the task.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/vnode/sheet.h"

/* If another client has made the text longer, the rest is not read. */
enum { LIST_BYTES = 4000, RANGES_MOST = LIST_BYTES, WORD_BYTES = 100 };

static const char cut_off[] = "...", again[] = " again";

struct range {
	int64_t first, last;
};

struct ranges {
	struct arena *arena;
	struct range *of;
	size_t n, cap;
	bool cut; /* there are more tasks, with unknown ids */
};

/* The ids of all records, ascending. */
struct ids {
	int64_t *of;
	size_t n;
};

static void add(struct ranges *r, int64_t first, int64_t last)
{
	if (first > last)
		return;
	r->of = arena_grown(r->arena, r->of, r->n, &r->cap, sizeof(*r->of));
	r->of[r->n++] = (struct range){ first, last };
}

static int by_id(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static struct ids ids_of(struct arena *a, const struct slurm_job_shown *records, size_t n)
{
	struct ids ids = { .of = arena_array(a, int64_t, n), .n = n };
	for (size_t i = 0; i < n; i++)
		ids.of[i] = records[i].id;
	qsort(ids.of, n, sizeof(*ids.of), by_id);
	return ids;
}

/* ---- the annotation ---- */

static size_t first_from(const struct ids *ids, int64_t id)
{
	size_t low = 0, high = ids->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ids->of[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_forgotten(struct ranges *r, struct range was, const struct ids *shown)
{
	for (size_t i = first_from(shown, was.first); i < shown->n && shown->of[i] <= was.last;
		i++) {
		add(r, was.first, shown->of[i] - 1);
		was.first = shown->of[i] + 1;
	}
	add(r, was.first, was.last);
}

/* Reads "103" or "103-107", and moves *at behind it. */
static bool read_range(const char **at, struct range *out)
{
	char *rest;
	out->first = out->last = strtoll(*at, &rest, 10);
	if (rest != *at && *rest == '-')
		out->last = strtoll(rest + 1, &rest, 10);
	bool good = rest != *at && out->first > 0 && out->first <= out->last &&
		out->last <= UINT32_MAX;
	*at = rest;
	return good;
}

/* The text of a word in "succeeded=100-103,105 failed="; "": the word is absent. */
static const char *list_of(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = text ? text : ""; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strncmp(at, word, n) == 0 && at[n] == '=')
			return at + n + 1;
	return "";
}

/* The annotation ends with " again", after the lists. */
bool varray_is_again(const char *ended)
{
	size_t n = strlen(ended), k = strlen(again);
	return n >= k && str_eq(ended + n - k, again);
}

const char *varray_again(struct arena *a, const char *ended)
{
	return varray_is_again(ended) ? ended : arena_printf(a, "%s%s", ended, again);
}

bool varray_is_cut(const char *ended) { return ended && strstr(ended, cut_off); }

/* ---- ranges ---- */

static int by_first(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the ranges, and joins those that overlap or touch. */
static void join(struct ranges *r)
{
	size_t n = 0;
	if (r->n)
		qsort(r->of, r->n, sizeof(*r->of), by_first);
	for (size_t i = 0; i < r->n; i++) {
		struct range *last = n ? &r->of[n - 1] : NULL;
		if (!last || r->of[i].first > last->last + 1)
			r->of[n++] = r->of[i];
		else if (r->of[i].last > last->last)
			last->last = r->of[i].last;
	}
	r->n = n;
}

static int64_t size_of(const struct ranges *r)
{
	int64_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += r->of[i].last - r->of[i].first + 1;
	return n;
}

/* ---- the new annotation ---- */

static void read_list(struct ranges *r, const char *list)
{
	struct range was;
	for (int i = 0; i < RANGES_MOST && read_range(&list, &was); i++) {
		add(r, was.first, was.last);
		if (*list != ',')
			break;
		list++;
	}
	join(r);
}

static void write_list(struct str *text, const char *word, const struct ranges *r)
{
	size_t begin = text->len, i = 0;
	str_addf(text, "%s%s=", begin ? " " : "", word);
	for (; i < r->n && text->len - begin < LIST_BYTES; i++) {
		str_addf(text, "%s%" PRId64, i ? "," : "", r->of[i].first);
		if (r->of[i].last > r->of[i].first)
			str_addf(text, "-%" PRId64, r->of[i].last);
	}
	if (r->cut || i < r->n)
		str_addf(text, "%s%s", i ? "," : "", cut_off);
}

/*
 * The counted number if it exceeds the list: the list had no room for the others, or a
 * virtual node that writes no list counted them. Their ids are unknown, so the number
 * stays.
 */
static int64_t unlisted(const struct ranges *said, const struct vjob_before *before,
	const char *word)
{
	int64_t counted = vjob_count_before(before->counts, word);
	return counted > size_of(said) ? counted : 0;
}

static struct ranges ended_of(struct arena *a, const struct ranges *said, const struct ids *shown,
	const struct slurm_job_shown *records, enum vjob_phase phase)
{
	struct ranges r = { .arena = a };
	for (size_t i = 0; i < said->n; i++)
		add_forgotten(&r, said->of[i], shown);
	for (size_t i = 0; i < shown->n; i++)
		if (vjob_phase_of(records[i].state) == phase)
			add(&r, records[i].id, records[i].id);
	join(&r);
	return r;
}

const char *varray_remember(struct arena *a, struct vjob_sum *sum,
	const struct slurm_job_shown *records, size_t n, const struct vjob_before *before)
{
	struct ids shown = ids_of(a, records, n);
	struct str text AUTO(str_free) = { 0 };
	for (enum vjob_phase p = VJOB_SUCCEEDED; p <= VJOB_FAILED; p++) {
		const char *word = vjob_count_words[p];
		struct ranges said = { .arena = a };
		read_list(&said, list_of(before->ended, word));
		struct ranges r = ended_of(a, &said, &shown, records, p);
		int64_t listed = size_of(&r), most = unlisted(&said, before, word);
		r.cut = most > listed;
		sum->counts[p] = most > listed ? most : listed;
		write_list(&text, word, &r);
	}
	return arena_strdup(a, str_text(&text));
}

/* ---- a failed task ---- */

/* The first word of a foreign text, cut after WORD_BYTES. */
static const char *one_word(struct arena *a, const char *text)
{
	size_t n = strcspn(text, " ");
	return arena_strndup(a, text, n < WORD_BYTES ? n : WORD_BYTES);
}

const char *varray_failure(struct arena *a, const struct slurm_job_shown *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (vjob_phase_of(records[i].state) == VJOB_FAILED)
			return arena_printf(a, "%" PRId64 " %s %s", records[i].id,
				one_word(a, records[i].state), one_word(a, records[i].exit_code));
	return "";
}

struct slurm_job_shown varray_failed(struct arena *a, const char *failure)
{
	struct slurm_job_shown job = { .state = "FAILED",
		.exit_code = "1:0",
		.nodes = "",
		.reason = "",
		.array_id = "",
		.restarts = "" };
	size_t id = strcspn(failure, " "), word = failure[id] ? strcspn(failure + id + 1, " ") : 0;
	const char *state = arena_strndup(a, failure + id + (failure[id] != 0), word);
	const char *rest = failure + id + (failure[id] != 0) + word;
	if (!str_to_i64(arena_strndup(a, failure, id), 1, INT64_MAX, &job.id) ||
		vjob_phase_of(state) != VJOB_FAILED)
		return job;
	job.state = state;
	job.exit_code = arena_strdup(a, rest + (*rest == ' '));
	return job;
}

struct slurm_job_shown varray_never_ran(const struct slurm_job_shown *of)
{
	struct slurm_job_shown job = { .id = of->id,
		.state = "CANCELLED",
		.exit_code = "0:0",
		.nodes = "",
		.reason = "",
		.array_id = "",
		.restarts = "" };
	str_to_i64(of->array_id, 1, INT64_MAX, &job.id);
	return job;
}
