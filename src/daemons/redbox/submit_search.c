/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question for all keys that wait: squeue and sacct cost the same for a thousand.
 * Whether the accounts have been told all matters only of keys that the journal has.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "daemons/redbox/submit_parts.h"

enum {
	PAUSE_MS = 200, /* between two: meanwhile more keys come */
	/* One that lasts so long may hang: those who came later do not wait for it */
	SLOW_MS = 1000,
	SEARCHES = 8, /* under way at a time */
};

struct search {
	struct search *prev, *next;
	struct searcher *all;
	struct run *runs; /* none: it is for the survey alone */
	int64_t asked_ms;
	struct slurm_tools_call *call;
};

static void turn(void *ctx);

/* The next one begins as soon as it may. */
static void turn_soon(struct searcher *s)
{
	int64_t at_ms = s->begun_ms + (s->under_way ? SLOW_MS : PAUSE_MS);
	int64_t left_ms = at_ms - loop_now_ms(s->loop);
	timer_stop(s->loop, TAKE(s->timer));
	if (s->waiting && s->under_way < SEARCHES)
		s->timer = timer_start(s->loop, left_ms > 0 ? left_ms : 0, turn, s);
}

/* ---- the survey ---- */

static void survey(struct searcher *s, int64_t asked_ms, const struct slurm_tools_told *told)
{
	if (!told->words || (s->words && asked_ms < s->asked_ms))
		return;
	free(s->words);
	s->words = own_alloc((told->n_words + 1) * sizeof(*s->words));
	if (told->n_words)
		memcpy(s->words, told->words, told->n_words * sizeof(*s->words));
	s->n_words = told->n_words;
	s->asked_ms = asked_ms;
}

/* ---- what it gives ---- */

static void search_free(struct search *q)
{
	DL_DELETE(q->all->searches, q);
	q->all->under_way--;
	slurm_tools_call_cancel(q->call);
	while (q->runs)
		run_leave(q->runs);
	free(q);
}

/* Of what was told, the jobs of one key. */
static void give(struct run *r, struct err e, const struct slurm_tools_told *told)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct slurm_tools_told own = *told;
	struct slurm_job_found *jobs = arena_array(&a, struct slurm_job_found, told->n);
	own.found = jobs;
	own.n = 0;
	for (size_t i = 0; !failed(e) && i < told->n; i++)
		if (str_eq(told->found[i].key, r->key))
			jobs[own.n++] = told->found[i];
	run_found(r, e, &own);
}

/* Each is taken off before it is told: it is gone then, or asks for something else. */
static void told_all(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct search *q = ctx;
	struct searcher *s = q->all;
	q->call = NULL;
	if (!failed(e))
		survey(s, q->asked_ms, told);
	while (q->runs) {
		struct run *r = q->runs;
		run_leave(r);
		give(r, e, told);
	}
	search_free(q);
	turn_soon(s);
}

/* ---- how it begins ---- */

static struct search *new_search(struct searcher *s)
{
	struct search *q = own_alloc(sizeof(*q));
	s->begun_ms = loop_now_ms(s->loop);
	*q = (struct search){ .all = s, .asked_ms = s->begun_ms };
	s->under_way++;
	DL_APPEND(s->searches, q);
	return q;
}

static void ask(struct searcher *s, const char *keys, struct search *q)
{
	int64_t since_s = loop_wall_ms(s->loop) / 1000 - JOURNAL_KEEP_S;
	q->call = slurm_tools_search(s->tools, keys, since_s, told_all, q);
}

static void turn(void *ctx)
{
	struct searcher *s = ctx;
	AUTO(str_free) struct str keys = { 0 };
	struct search *q = new_search(s);
	s->timer = NULL;
	while (s->waiting) {
		struct run *r = s->waiting;
		run_leave(r);
		run_join(&q->runs, r);
		r->asked_ms = s->begun_ms;
		str_addf(&keys, "%s%s", keys.len ? " " : "", r->key);
	}
	ask(s, str_text(&keys), q);
	turn_soon(s);
}

/* ---- what it says of a key ---- */

static int by_mark(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

bool search_covers(struct searcher *s, const struct run *r)
{
	if (!s->words)
		return false;
	uint64_t mark = slurm_key_mark(r->key);
	const struct submission_survey survey = {
		.now_ms = loop_now_ms(s->loop),
		.asked_ms = s->asked_ms,
		.whole_ms = journal_whole_ms(r->submitter->journal),
		.client_ms = r->since_ms,
		.seen = bsearch(&mark, s->words, s->n_words, sizeof(mark), by_mark) != NULL,
	};
	bool covers = submission_surveyed(&survey);
	if (covers && !s->under_way && survey.now_ms - s->begun_ms >= SUBMISSION_AGAIN_MS)
		ask(s, r->key, new_search(s));
	return covers;
}

void search_join(struct searcher *s, struct run *r)
{
	run_join(&s->waiting, r);
	if (!s->timer)
		turn_soon(s);
}

void searcher_end(struct searcher *s)
{
	while (s->searches)
		search_free(s->searches);
	timer_stop(s->loop, s->timer);
	free(s->words);
}
