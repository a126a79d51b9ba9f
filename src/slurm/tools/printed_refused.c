/* SPDX-License-Identifier: Apache-2.0 */
/* Distinguishes records of refused submissions from those of jobs. */
#include "slurm/tools/printed_refused.h"

#include <stdlib.h>
#include <string.h>

#define IN_ACCOUNTS(word) PRINTED_FIELD word PRINTED_FIELD "1:0" PRINTED_FIELD "None assigned"

/* Records without a node. The accounts have no reason, but they have the end. */
static const char refused_queued[] = " FAILED BadConstraints ", dropped_queued[] = " CANCELLED ",
		  refused_account[] = IN_ACCOUNTS("FAILED"),
		  dropped_account[] = IN_ACCOUNTS("CANCELLED");
enum { COMPONENTS_MOST = 128, TIME_BYTES = 20 };

static bool is(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(text, word, n) == 0;
}

/* A cancelled component keeps the reason why it was pending. */
void printed_refused_queued(struct printed_record *r, const char *state, size_t n)
{
	size_t word = strlen(dropped_queued);
	r->refused = is(state, n, refused_queued);
	r->dropped = n > word && is(state, word, dropped_queued) && state[n - 1] == ' ';
}

static const char *behind(const char *text, const char *end, const char *word)
{
	size_t n = strlen(word), left = text ? (size_t)(end - text) : 0;
	return left >= n && memcmp(text, word, n) == 0 ? text + n : NULL;
}

/* Skips the field of the end; *end_s is SLURM_ABSENT if that is not a time. */
static const char *behind_end(const char *text, const char *end, int64_t *end_s)
{
	char copy[TIME_BYTES];
	text = behind(text, end, PRINTED_FIELD);
	size_t n = text ? strcspn(text, PRINTED_FIELD "\n") : 0;
	*end_s = SLURM_ABSENT;
	if (!text || n >= sizeof(copy) || text + n > end)
		return NULL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (failed(slurm_time_parse(copy, end_s)))
		*end_s = SLURM_ABSENT;
	return text + n;
}

/*
 * The end of a refused submission is its submit time. An accepted job may have such a
 * record with a later end, if slurmctld has lost its script, or slurmdbd never received
 * its start.
 */
void printed_refused_account(struct printed_record *r, const char *state)
{
	int64_t end_s, dropped_s;
	const char *of_refused = behind_end(behind(state, r->end, refused_account), r->end, &end_s);
	const char *of_dropped = behind_end(behind(state, r->end, dropped_account), r->end,
		&dropped_s);
	r->comment = state ? (size_t)(state - r->fields) : 0;
	r->refused = of_refused && end_s != SLURM_ABSENT && end_s <= r->submit_s;
	r->dropped = of_dropped != NULL;
	r->text = of_refused ? of_refused : of_dropped;
}

void printed_refused_add(struct printed_refused *all, struct arena *a,
	const struct printed_record *r)
{
	if (!r->refused)
		return;
	all->of = arena_grown(a, all->of, all->n, &all->cap, sizeof(*all->of));
	all->of[all->n++] = *r;
}

static int by_own_id(const void *a, const void *b)
{
	const struct printed_record *x = a, *y = b;
	return (x->own_id > y->own_id) - (x->own_id < y->own_id);
}

void printed_refused_sort(struct printed_refused *all)
{
	if (all->n)
		qsort(all->of, all->n, sizeof(*all->of), by_own_id);
}

static size_t first_behind(const struct printed_refused *all, int64_t own_id)
{
	size_t low = 0, high = all->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (all->of[middle].own_id <= own_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool are_of_one_call(const struct printed_record *a, const struct printed_record *b)
{
	size_t n = (size_t)(a->end - a->text);
	int64_t apart_s = a->submit_s - b->submit_s;
	return apart_s >= -1 && apart_s <= 1 && n == (size_t)(b->end - b->text) &&
		memcmp(a->text, b->text, n) == 0 && a->comment == b->comment &&
		memcmp(a->fields, b->fields, a->comment) == 0;
}

bool printed_is_refused(const struct printed_refused *all, const struct printed_record *r)
{
	if (!r->dropped)
		return r->refused;
	for (size_t i = first_behind(all, r->own_id); i < all->n; i++) {
		if (all->of[i].own_id >= r->own_id + COMPONENTS_MOST)
			break;
		if (are_of_one_call(&all->of[i], r))
			return true;
	}
	return false;
}
