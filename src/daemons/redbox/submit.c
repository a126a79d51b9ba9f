/* SPDX-License-Identifier: Apache-2.0 */
/* Carries submissions out: the decision is in submission.h. */
#include "daemons/redbox/submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"

enum { SKEW_S = 3600 }; /* between our clock and that of slurmdbd's machine */

struct submit_wait {
	struct submit_wait *prev, *next;
	struct run *run;
	submit_done *done;
	void *ctx;
};

/* One submission. */
struct run {
	struct run *prev, *next;
	struct submitter *submitter;
	char *script, *partition, *key; /* key NULL: none */
	struct submission_facts facts;
	int64_t found_id, asked_ms;
	struct timer *timer;
	struct slurm_tools_call *call;
	struct submit_wait *waits;
};

struct submitter {
	struct loop *loop;
	struct slurm_tools *tools;
	struct journal *journal;
	struct run *runs; /* some dozens, at a time when many nodes come back */
	size_t n, bytes;
};

struct submitter *submitter_new(struct loop *l, struct slurm_tools *tools, struct journal *journal)
{
	struct submitter *s = own_alloc(sizeof(*s));
	*s = (struct submitter){ .loop = l, .tools = tools, .journal = journal };
	return s;
}

size_t submitter_under_way(const struct submitter *s) { return s->n; }

/* ---- the end of one ---- */

static void free_run(struct run *r)
{
	struct submitter *s = r->submitter;
	struct submit_wait *w, *next;
	DL_FOREACH_SAFE(r->waits, w, next)
	free(w);
	DL_DELETE(s->runs, r);
	s->n--;
	s->bytes -= strlen(r->script);
	timer_stop(s->loop, r->timer);
	slurm_tools_call_cancel(r->call);
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

/* Each is taken off before it is told: being told may stop another. */
static void tell(struct run *r, struct err e, int64_t job_id)
{
	while (r->waits) {
		struct submit_wait *w = r->waits;
		DL_DELETE(r->waits, w);
		w->done(w->ctx, e, job_id);
		free(w);
	}
	free_run(r);
}

void submitter_free(struct submitter *s)
{
	while (s && s->runs)
		free_run(s->runs);
	free(s);
}

/* ---- carrying out ---- */

static void step(struct run *r);

/* The client gets its id also when the disk fails: Slurm has the job with its key. */
static void note_job(struct run *r, int64_t job_id)
{
	if (!r->key)
		return;
	struct err e = journal_done(r->submitter->journal, r->key, job_id);
	if (failed(e))
		log_error("the id of a job is not in the journal", "key", r->key, "why", e.text);
}

/* Its week begins anew with each call; not each one costs a write. */
static void answer(struct run *r, const struct journal_entry *known)
{
	if (loop_wall_ms(r->submitter->loop) / 1000 - known->wall_s >= JOURNAL_AGAIN_S)
		note_job(r, known->job_id);
	tell(r, OK, known->job_id);
}

static void submitted(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct journal *j = r->submitter->journal;
	int64_t job_id = told->job_id;
	bool refused = e.kind == ERR_INVALID || e.kind == ERR_DENIED || e.kind == ERR_NOT_FOUND ||
		e.kind == ERR_RETRY;
	r->call = NULL;
	if (!failed(e)) {
		note_job(r, job_id);
	} else if (r->key && refused) {
		struct err of_journal = journal_refused(j, r->key);
		if (failed(of_journal))
			log_warn("the next call with a key that Slurm refused will look for it",
				"key", r->key, "why", of_journal.text);
	} else if (r->key) {
		journal_unheard(j, r->key);
	}
	if (failed(e) && !refused)
		e.kind = ERR_LOST;
	tell(r, e, job_id);
}

static void submit(struct run *r)
{
	struct submitter *s = r->submitter;
	struct slurm_submission submission = { r->script, r->partition, r->key };
	struct err e = r->key ? journal_begin(s->journal, r->key) : OK;
	if (failed(e)) {
		e.kind = ERR_RETRY;
		tell(r, err_wrap(e, "nothing was submitted"), 0);
		return;
	}
	r->call = slurm_tools_submit(s->tools, &submission, submitted, r);
}

/* The first that was submitted. */
static int64_t lowest(const struct slurm_tools_told *told)
{
	int64_t id = told->found[0].id;
	for (size_t i = 1; i < told->n; i++)
		id = told->found[i].id < id ? told->found[i].id : id;
	return id;
}

static void found(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct submission_facts *f = &r->facts;
	struct submitter *s = r->submitter;
	struct journal_entry known = journal_find(s->journal, r->key);
	int64_t age_s = loop_wall_ms(s->loop) / 1000 - known.wall_s;
	r->call = NULL;
	f->in_slurm = failed(e) ? UNKNOWN : told->n ? YES : NO;
	f->remembers = !told->no_accounting || (age_s >= 0 && age_s < SUBMIT_FORGOTTEN_S);
	if (failed(e))
		log_warn("Slurm cannot be asked for a job", "key", r->key, "why", e.text);
	if (f->in_slurm == YES)
		r->found_id = lowest(told);
	if (f->in_slurm == YES && told->n > 1)
		log_error("Slurm has several jobs with one key: the oldest counts", "key", r->key);
	step(r);
}

static void ask(struct run *r)
{
	struct submitter *s = r->submitter;
	struct journal_entry known = journal_find(s->journal, r->key);
	int64_t since_s = known.noted == SUBMISSION_BEGUN
		? known.wall_s - SKEW_S
		: loop_wall_ms(s->loop) / 1000 - JOURNAL_KEEP_S;
	r->facts.asked = true;
	r->asked_ms = loop_now_ms(s->loop);
	r->call = slurm_tools_find(s->tools, r->key, since_s, found, r);
}

static void adopt(struct run *r)
{
	char id[24];
	snprintf(id, sizeof(id), "%" PRId64, r->found_id);
	log_info("a submission had come to Slurm: its job is found", "key", r->key, "job", id);
	note_job(r, r->found_id);
	tell(r, OK, r->found_id);
}

static void step(struct run *r)
{
	struct submission_facts *f = &r->facts;
	struct journal *j = r->submitter->journal;
	struct journal_entry known = { .noted = SUBMISSION_ABSENT };
	if (r->key) {
		known = journal_find(j, r->key);
		f->vouches = journal_vouches(j);
		f->quiet_ms = r->asked_ms - known.quiet_since_ms;
	}
	f->noted = known.noted;
	switch (decide_submission(f)) {
	case SUBMISSION_JOIN: /* this is the one that others join */
	case SUBMISSION_ANSWER:
		answer(r, &known);
		break;
	case SUBMISSION_ASK:
		ask(r);
		break;
	case SUBMISSION_ADOPT:
		adopt(r);
		break;
	case SUBMISSION_SUBMIT:
		submit(r);
		break;
	case SUBMISSION_LATER:
		tell(r,
			err_new(ERR_RETRY,
				"nobody knows yet what became of an earlier call with this "
				"client_id: try again in a minute"),
			0);
		break;
	case SUBMISSION_NEVER:
		tell(r,
			err_new(ERR_EXISTS,
				"nobody can say any more whether an earlier call with this "
				"client_id became a job (this Slurm keeps no accounts): it is not "
				"submitted again"),
			0);
	}
}

static void begin(void *ctx)
{
	struct run *r = ctx;
	r->timer = NULL;
	step(r);
}

/* ---- calls ---- */

static struct run *run_of(const struct submitter *s, const char *key)
{
	struct run *r;
	DL_FOREACH(s->runs, r)
	if (key && str_eq(r->key, key))
		return r;
	return NULL;
}

static void overfull(void *ctx)
{
	struct run *r = ctx;
	r->timer = NULL;
	tell(r, err_new(ERR_TOO_LARGE, "too many submissions at a time: try again later"), 0);
}

static struct run *new_run(struct submitter *s, const struct slurm_submission *submission)
{
	size_t bytes = strlen(submission->script);
	bool takes = s->n < SUBMIT_MOST && s->bytes + bytes <= SUBMIT_SCRIPTS_BYTES;
	struct run *r = own_alloc(sizeof(*r));
	*r = (struct run){
		.submitter = s,
		.script = own_strdup(takes ? submission->script : ""),
		.partition = own_strdup(submission->partition),
		.key = own_strdup(submission->key),
		.facts.has_key = submission->key != NULL,
	};
	s->n++;
	s->bytes += strlen(r->script);
	DL_APPEND(s->runs, r);
	r->timer = timer_start(s->loop, 0, takes ? begin : overfull, r);
	return r;
}

struct submit_wait *submitter_submit(struct submitter *s, const struct slurm_submission *submission,
	submit_done *done, void *ctx)
{
	struct submit_wait *w = own_alloc(sizeof(*w));
	struct run *r = run_of(s, submission->key);
	struct submission_facts f = { .has_key = submission->key != NULL, .in_flight = r != NULL };
	*w = (struct submit_wait){ .done = done, .ctx = ctx };
	w->run = decide_submission(&f) == SUBMISSION_JOIN ? r : new_run(s, submission);
	DL_APPEND(w->run->waits, w);
	return w;
}
