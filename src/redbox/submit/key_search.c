/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for keys, and keeps the survey of the last search. */
#include "redbox/submit/key_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "redbox/submit/journal.h"

enum {
	PAUSE_MS = 200, /* between two searches, to collect more keys */
	/* A search that lasts longer may hang, so later keys do not wait for it */
	SLOW_MS = 1000,
	SEARCHES = 8, /* searches at a time */
	EXPECT_AGAIN_MS = 60000,
};

/* A search needs a key. No client has this key, so its jobs do not matter. */
static const char no_key[] = "-";

struct search {
	struct search *prev, *next;
	struct key_search *all;
	struct key_wait *waits; /* none: the search is for the survey alone */
	int64_t asked_ms;
	struct slurm_tools_call *call;
};

struct key_search {
	struct loop *loop;
	struct slurm_tools *tools;
	struct key_wait *waiting; /* waits of the next search */
	struct search *searches;
	/* The survey: keys of all jobs that the last search saw; words NULL: no survey */
	uint64_t *words;
	size_t n_words;
	int64_t asked_ms;
	int under_way;
	int64_t begun_ms; /* start of the last search */
	struct timer *timer;
	/* a survey that starts at this time or later is needed */
	int64_t expected_ms;
	struct timer *expects_timer; /* runs until that survey is made */
};

static void turn(void *ctx);

/* Starts the next search as soon as one may start. */
static void turn_soon(struct key_search *s)
{
	int64_t at_ms = s->begun_ms + (s->under_way ? SLOW_MS : PAUSE_MS);
	int64_t left_ms = at_ms - loop_now_ms(s->loop);
	timer_stop(s->loop, TAKE(s->timer));
	if (s->waiting && s->under_way < SEARCHES)
		s->timer = timer_start(s->loop, left_ms > 0 ? left_ms : 0, turn, s);
}

/* ---- the survey ---- */

static void survey(struct key_search *s, int64_t asked_ms, const struct slurm_tools_told *told)
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

/* ---- results ---- */

static void join(struct key_wait **list, struct key_wait *w)
{
	assert(!w->list); /* not waiting yet */
	w->list = list;
	DL_APPEND(*list, w);
}

void key_search_leave(struct key_wait *w)
{
	if (w->list)
		DL_DELETE(*w->list, w);
	w->list = NULL;
}

static void search_free(struct search *q)
{
	DL_DELETE(q->all->searches, q);
	q->all->under_way--;
	slurm_tools_call_cancel(q->call);
	while (q->waits)
		key_search_leave(q->waits);
	free(q);
}

/* Calls done of w with the jobs of its key. */
static void give(struct key_wait *w, struct err e, const struct slurm_tools_told *told)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct slurm_tools_told own = *told;
	struct slurm_job_found *jobs = arena_array(&a, struct slurm_job_found, told->n);
	own.found = jobs;
	own.n = 0;
	for (size_t i = 0; !failed(e) && i < told->n; i++)
		if (str_eq(told->found[i].key, w->key))
			jobs[own.n++] = told->found[i];
	w->done(w->ctx, e, &own);
}

/* Each wait leaves the list before its done is called: done may free or reuse it. */
static void told_all(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct search *q = ctx;
	struct key_search *s = q->all;
	q->call = NULL;
	if (!failed(e))
		survey(s, q->asked_ms, told);
	while (q->waits) {
		struct key_wait *w = q->waits;
		key_search_leave(w);
		give(w, e, told);
	}
	search_free(q);
	turn_soon(s);
}

/* ---- the start of a search ---- */

static struct search *new_search(struct key_search *s)
{
	struct search *q = own_alloc(sizeof(*q));
	assert(s->under_way < SEARCHES);
	s->begun_ms = loop_now_ms(s->loop);
	*q = (struct search){ .all = s, .asked_ms = s->begun_ms };
	s->under_way++;
	DL_APPEND(s->searches, q);
	return q;
}

static void ask(struct key_search *s, const char *keys, struct search *q)
{
	int64_t since_s = loop_wall_ms(s->loop) / 1000 - JOURNAL_KEEP_S;
	q->call = slurm_tools_search(s->tools, keys, since_s, told_all, q);
}

static void turn(void *ctx)
{
	struct key_search *s = ctx;
	AUTO(str_free) struct str keys = { 0 };
	struct search *q = new_search(s);
	s->timer = NULL;
	while (s->waiting) {
		struct key_wait *w = s->waiting;
		key_search_leave(w);
		join(&q->waits, w);
		str_addf(&keys, "%s%s", keys.len ? " " : "", w->key);
	}
	ask(s, str_text(&keys), q);
	turn_soon(s);
}

/* ---- does the survey count for a key? ---- */

static int by_mark(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

bool key_search_covers(struct key_search *s, const char *key, int64_t whole_ms, int64_t client_ms)
{
	if (!s->words)
		return false;
	uint64_t mark = slurm_key_mark(key);
	const struct submission_survey survey = {
		.asked_ms = s->asked_ms,
		.whole_ms = whole_ms,
		.client_ms = client_ms,
		.seen = bsearch(&mark, s->words, s->n_words, sizeof(mark), by_mark) != NULL,
	};
	bool covers = submission_surveyed(&survey);
	int64_t age_ms = loop_now_ms(s->loop) - s->begun_ms;
	if (covers && !s->under_way && age_ms >= SUBMISSION_AGAIN_MS)
		ask(s, key, new_search(s));
	return covers;
}

/* ---- surveys for keys that have not come yet ---- */

static void expect_by(struct key_search *s, int64_t at_ms);

static void survey_now(void *ctx)
{
	struct key_search *s = ctx;
	s->expects_timer = NULL;
	if (s->words && s->asked_ms >= s->expected_ms)
		return;
	if (!s->under_way)
		ask(s, no_key, new_search(s));
	expect_by(s, loop_now_ms(s->loop) + EXPECT_AGAIN_MS);
}

static void expect_by(struct key_search *s, int64_t at_ms)
{
	int64_t left_ms = at_ms - loop_now_ms(s->loop);
	if (!s->expects_timer)
		s->expects_timer = timer_start(s->loop, left_ms > 0 ? left_ms : 0, survey_now, s);
}

void key_search_expect(struct key_search *s, int64_t whole_ms, int64_t client_ms)
{
	int64_t later_ms = whole_ms > client_ms ? whole_ms : client_ms;
	if (whole_ms == INT64_MAX || later_ms + SUBMISSION_SETTLE_MS <= s->expected_ms)
		return;
	s->expected_ms = later_ms + SUBMISSION_SETTLE_MS;
	expect_by(s, s->expected_ms);
}

void key_search_join(struct key_search *s, struct key_wait *w)
{
	join(&s->waiting, w);
	if (!s->timer)
		turn_soon(s);
}

struct key_search *key_search_new(struct loop *l, struct slurm_tools *tools)
{
	struct key_search *s = own_alloc(sizeof(*s));
	*s = (struct key_search){
		.loop = l,
		.tools = tools,
		.begun_ms = INT64_MIN / 2,
		.expected_ms = INT64_MIN,
	};
	return s;
}

void key_search_free(struct key_search *s)
{
	while (s->waiting)
		key_search_leave(s->waiting);
	while (s->searches)
		search_free(s->searches);
	timer_stop(s->loop, s->timer);
	timer_stop(s->loop, s->expects_timer);
	free(s->words);
	free(s);
}
