/* SPDX-License-Identifier: Apache-2.0 */
/* Carries submissions out: the decision is in submission.h. */
#include "daemons/redbox/submit_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"

struct submitter *submitter_new(struct loop *l, struct slurm_tools *tools, struct journal *journal)
{
	struct submitter *s = own_alloc(sizeof(*s));
	*s = (struct submitter){ .loop = l, .tools = tools, .journal = journal };
	s->settler = (struct settler){ .loop = l, .tools = tools, .journal = journal };
	s->searcher = (struct searcher){ .loop = l, .tools = tools, .begun_ms = INT64_MIN / 2 };
	settler_begin(&s->settler);
	return s;
}

size_t submitter_under_way(const struct submitter *s) { return s->n; }

void run_join(struct run **list, struct run *r)
{
	r->list = list;
	DL_APPEND2(*list, r, prev_listed, next_listed);
}

void run_leave(struct run *r)
{
	if (!r->list)
		return;
	DL_DELETE2(*r->list, r, prev_listed, next_listed);
	r->list = NULL;
}

const char **runs_keys(const struct run *list, size_t *n)
{
	const struct run *r;
	DL_COUNT2(list, r, *n, next_listed);
	const char **keys = own_alloc((*n + 1) * sizeof(*keys)), **at = keys;
	DL_FOREACH2(list, r, next_listed)
	*at++ = r->key;
	return keys;
}

/* ---- the end of one ---- */

static void free_run(struct run *r)
{
	struct submitter *s = r->submitter;
	struct submit_wait *w, *next;
	DL_FOREACH_SAFE(r->waits, w, next)
	free(w);
	DL_DELETE(s->runs, r);
	s->n--;
	s->bytes -= r->script ? strlen(r->script) : 0;
	timer_stop(s->loop, r->timer);
	slurm_tools_call_cancel(r->call);
	run_leave(r);
	free(r->script);
	free(r->partition);
	free(r->key);
	free(r);
}

void submit_wait_stop(struct submit_wait *w)
{
	if (!w)
		return;
	DL_DELETE(w->run->waits, w);
	free(w);
}

/* What is known of its key is what it was decided by. */
static bool is_as_decided(const struct run *r)
{
	struct journal_entry now = run_known(r);
	return now.noted == r->decided_by.noted && now.job_id == r->decided_by.job_id &&
		now.quiet_since_ms == r->decided_by.quiet_since_ms &&
		now.closed_s == r->decided_by.closed_s;
}

/* Each is taken off before it is told: being told may stop another. */
static void tell(struct run *r, struct err e, struct err to_questions, int64_t job_id)
{
	const struct submit_told told = {
		.job_id = job_id,
		.forgotten = !failed(e) && r->forgotten,
		.job = r->found,
	};
	submit_count(r, e);
	while (r->waits) {
		struct submit_wait *w = r->waits;
		DL_DELETE(r->waits, w);
		w->done(w->ctx, w->only_asks ? to_questions : e, &told);
		free(w);
	}
	free_run(r);
}

void run_tell(struct run *r, struct err e, int64_t job_id) { tell(r, e, e, job_id); }

/* A question that joined a submission may not hear all that the submission may. */
static struct err of_questions(const struct run *r)
{
	struct submission_facts f = r->facts;
	f.only_asks = true;
	enum submission what = decide_submission(&f);
	return what == SUBMISSION_ANSWER ? OK : run_why_not(what, &f);
}

void submitter_free(struct submitter *s)
{
	if (!s)
		return;
	settler_end(&s->settler);
	while (s->runs)
		free_run(s->runs);
	searcher_end(&s->searcher);
	timer_stop(s->loop, s->write_timer);
	free(s);
}

void run_tell_why_not(struct run *r, enum submission what)
{
	tell(r, run_why_not(what, &r->facts), of_questions(r), 0);
}

/* ---- carrying out ---- */

static void answer(struct run *r, const struct journal_entry *known)
{
	submit_begin_week(r->submitter, r->key, known);
	tell(r, OK, of_questions(r), known->job_id);
}

/* ---- what is written ---- */

static void write_all(void *ctx);

/* With the next turn: what comes in one turn is synced at once. */
static void write_soon(struct run **list, struct run *r)
{
	struct submitter *s = r->submitter;
	run_join(list, r);
	if (!s->write_timer)
		s->write_timer = timer_start(s->loop, 0, write_all, s);
}

static void accept(struct run *r, const struct journal_job *job)
{
	r->job = *job;
	if (r->key)
		write_soon(&r->submitter->to_accept, r);
	else
		run_tell(r, OK, job->job_id);
}

static void write_accepted(struct submitter *s)
{
	AUTO(own_free) struct journal_job *jobs = own_alloc((s->n + 1) * sizeof(*jobs));
	struct run *r;
	size_t n = 0;
	DL_FOREACH2(s->to_accept, r, next_listed)
	jobs[n++] = r->job;
	struct err e = n ? journal_accepted(s->journal, jobs, n) : OK;
	while ((r = s->to_accept)) {
		submit_note(r->key, e);
		run_leave(r);
		run_tell(r, OK, r->job.job_id);
	}
	if (n)
		settler_wake(&s->settler);
}

static void submitted(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct journal *j = r->submitter->journal;
	bool refused = e.kind == ERR_INVALID || e.kind == ERR_DENIED || e.kind == ERR_NOT_FOUND ||
		e.kind == ERR_RETRY;
	r->call = NULL;
	r->in_sbatch = false;
	if (!failed(e)) {
		submit_numbered(r);
		const struct journal_job job = { r->key, told->job_id, .boot_s = r->boot_s };
		accept(r, &job);
		return;
	}
	if (r->key && refused) {
		struct err of_journal = journal_refused(j, r->key, r->void_id);
		if (failed(of_journal))
			log_warn("the next call with a key that Slurm refused will look for it",
				"key", r->key, "why", of_journal.text);
	} else if (r->key) {
		journal_unheard(j, r->key);
	}
	if (!refused)
		e.kind = ERR_LOST;
	run_tell(r, e, 0);
}

static void run_sbatch(struct run *r)
{
	struct submitter *s = r->submitter;
	struct slurm_submission submission = { r->script, r->partition, r->key };
	/* Whoever accepts it was started then, or later */
	r->boot_s = s->settler.boot_s;
	r->in_sbatch = true;
	r->call = slurm_tools_submit(s->tools, &submission, submitted, r);
}

static int64_t void_id(const struct run *r, const struct journal_entry *known)
{
	return known->job_id ? known->job_id : r->known_id;
}

static void submit(struct run *r)
{
	struct journal_entry known = run_known(r);
	r->void_id = void_id(r, &known);
	if (known.noted == SUBMISSION_ACCEPTED)
		log_error("Slurm has lost a job that it had accepted: it is submitted again", "key",
			r->key);
	if (r->key)
		write_soon(&r->submitter->to_begin, r);
	else
		run_sbatch(r);
}

/* Another call has heard of its job since it was decided: it is decided anew. */
static void decide_anew(struct run *list)
{
	struct run *r, *next;
	DL_FOREACH_SAFE2(list, r, next, next_listed)
	{
		if (r->closes || is_as_decided(r))
			continue;
		run_leave(r);
		run_step(r);
	}
}

static void write_begun(struct submitter *s)
{
	size_t n;
	AUTO(own_free) const char **keys = runs_keys(s->to_begin, &n);
	struct run *r;
	struct err e = n ? journal_begin(s->journal, keys, n) : OK;
	if (failed(e)) {
		e = err_wrap(e, "nothing was submitted");
		e.kind = ERR_RETRY;
	}
	while ((r = s->to_begin)) {
		run_leave(r);
		if (failed(e))
			run_tell(r, e, 0);
		else
			run_sbatch(r);
	}
}

static void write_all(void *ctx)
{
	struct submitter *s = ctx;
	s->write_timer = NULL;
	write_accepted(s);
	decide_anew(s->to_close);
	write_closed(s);
	decide_anew(s->to_begin);
	write_begun(s);
}

/* It may have ended before it was found: it is as old as its sbatch, or as Slurm says. */
static int64_t since_s(const struct run *r, const struct journal_entry *known)
{
	int64_t submit_s = r->found.submit_s,
		since_s = known->noted != SUBMISSION_ABSENT
		? known->since_s
		: loop_wall_ms(r->submitter->loop) / 1000 - JOURNAL_KEEP_S;
	return submit_s > 0 && (submit_s < since_s || known->noted == SUBMISSION_ABSENT) ? submit_s
											 : since_s;
}

/*
 * As it is. What has ended by the accounts is noted so, whatever it was before, and once
 * in a while anew: its week begins with each call.
 */
static bool is_noted(const struct run *r, const struct journal_entry *known)
{
	int64_t age_s = loop_wall_ms(r->submitter->loop) / 1000 - known->wall_s;
	if (known->job_id != r->found_id)
		return false;
	if (r->forgotten)
		return known->noted == SUBMISSION_ACCEPTED && known->boot_s == SUBMISSION_ENDED &&
			age_s < JOURNAL_AGAIN_S;
	return known->noted == SUBMISSION_ACCEPTED || known->noted == SUBMISSION_DONE;
}

static void adopt(struct run *r)
{
	struct submitter *s = r->submitter;
	struct journal_entry known = journal_find(s->journal, r->key);
	const struct journal_job job = {
		.key = r->key,
		.job_id = r->found_id,
		.boot_s = r->forgotten ? SUBMISSION_ENDED : r->controller.boot_s,
		.since_s = since_s(r, &known),
	};
	char id[24];
	snprintf(id, sizeof(id), "%" PRId64, r->found_id);
	if (!is_noted(r, &known)) {
		log_info("a submission had come to Slurm: its job is found", "key", r->key, "job",
			id);
		accept(r, &job);
	} else {
		if (!r->forgotten)
			submitter_saw(s, r->key);
		run_tell(r, OK, r->found_id);
	}
}

/*
 * Whoever is told so lets his pod end. So it is noted first that nothing is submitted for
 * the key: a call that comes late may find Slurm with more to say. A mere question says
 * nothing of a key that the journal does not have.
 */
static void give_up(struct run *r)
{
	struct submitter *s = r->submitter;
	bool unknown = journal_find(s->journal, r->key).noted == SUBMISSION_ABSENT;
	if (unknown && r->facts.only_asks)
		run_tell_why_not(r, SUBMISSION_NEVER);
	else
		write_soon(&s->to_close, r);
}

/* Slurm was asked before another call heard of its job: what it said counts no more. */
static void drop_old_answers(struct run *r)
{
	const struct submission_facts *f = &r->facts;
	if (!f->asked || is_as_decided(r))
		return;
	r->forgotten = false;
	r->facts = (struct submission_facts){
		.has_key = f->has_key,
		.only_asks = f->only_asks,
		.displaced = f->displaced,
		.unended = f->unended,
	};
}

void run_step(struct run *r)
{
	struct submission_facts *f = &r->facts;
	struct journal_entry known = run_known(r);
	drop_old_answers(r);
	r->decided_by = known;
	f->vouches = journal_vouches(r->submitter->journal);
	f->surveyed = r->key && !f->vouches && known.noted == SUBMISSION_ABSENT &&
		search_covers(&r->submitter->searcher, r);
	f->quiet_ms = r->asked_ms - known.quiet_since_ms;
	f->noted = known.noted;
	f->closed = known.closed_s != 0;
	enum submission what = decide_submission(f);
	switch (what) {
	case SUBMISSION_JOIN: /* this is the one that others join */
	case SUBMISSION_ANSWER:
		answer(r, &known);
		break;
	case SUBMISSION_ASK:
		run_ask(r);
		break;
	case SUBMISSION_ADOPT:
		adopt(r);
		break;
	case SUBMISSION_SUBMIT:
		submit(r);
		break;
	case SUBMISSION_NEVER:
		give_up(r);
		break;
	case SUBMISSION_LATER:
	case SUBMISSION_NONE:
	case SUBMISSION_CLOSED:
		run_tell_why_not(r, what);
	}
}

void run_begin(void *ctx)
{
	struct run *r = ctx;
	r->timer = NULL;
	if (r->closes)
		write_soon(&r->submitter->to_close, r);
	else
		run_step(r);
}
