/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of submissions. It observes, calls the rule (submission.h), and
 * carries out the step that the rule returns.
 *
 * Definitions:
 *   run      one submission, one lookup of the job of a key, or one closing of a key
 *   call     a client's call that waits (submit_wait). Calls with the key and content of
 *            a submission join its run, and get its result. A run goes on when no call
 *            waits for it
 *   answers  facts.controller, key, number and account of a run
 *
 * A run waits for one thing: its first turn (TURN), an answer (ASKS), sbatch (SBATCH), or
 * the write at the end of this turn (TO_BEGIN, TO_ACCEPT, TO_CLOSE):
 *
 *   submitter_submit, submitter_look, submitter_close
 *                 |
 *                 v
 *               TURN ---------------- run_begin, of a closing ---------+
 *                 | run_begin                                          |
 *                 v                    GIVE_UP                         v
 *   +--------> run_step -------------------------------------------> TO_CLOSE
 *   |           | | | |                                                |  |
 *   | answered  | | | +-- answer, tell_why_not --> tell <-write_closed-+  |
 *   |           | | |                                ^                    |
 *   +-- ASKS <--+ | +---- adopt -----> TO_ACCEPT ----+ write_accepted     |
 *   |        ask  |                        ^         |                    |
 *   |             | submit                 | accept  |                    |
 *   |             v                        |         | submitted,         |
 *   |         TO_BEGIN -- write_begun --> SBATCH ----+ if it failed       |
 *   |             |                                                       |
 *   +-------------+---------- decide_anew, if the journal has changed ----+
 *
 * A run without a key goes from run_step to SBATCH at once, and from there to tell. A run
 * that exceeds a limit goes from TURN to tell (overfull). A run whose key is in flight
 * with other content does the same (run_begin).
 *
 * Invariants:
 *   1. A run waits for one thing. It waits for nothing while the rule decides or while
 *      calls get their result.
 *   2. A key has one submission at a time.
 *   3. write_begun: a key is on the disk as begun before its sbatch starts.
 *   4. The answers belong to the journal entry of the key at that time (decided_by). If
 *      the entry changes, the answers are dropped (drop_old_answers), and a decision that
 *      waits for its write is made again (decide_anew).
 *   5. Only run_step chooses the step of a run, never an answer. The rule also decides
 *      whether a new call joins (submitter_submit), and the error of a lookup that
 *      joined (of_lookups).
 *   6. write_all writes the runs of a turn together, with one sync for each list, in
 *      this order: accepted, closed, begun. So no sbatch starts for a key that was
 *      closed in its turn.
 *   7. Calls with a key get the id of a job after the journal has it, or has failed to
 *      write it: Slurm has the job with its key then. An id that only the client knew
 *      is not noted (claimed).
 */
#include "redbox/submit/submit_parts.h"

#include <assert.h>
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
	*s = (struct submitter){
		.loop = l,
		.tools = tools,
		.journal = journal,
		.places = { .limit = SUBMIT_MOST, .least = 1 },
		.scripts = { .limit = SUBMIT_SCRIPTS_BYTES, .least = SUBMIT_SCRIPT_BYTES },
	};
	s->settler = (struct settler){ .loop = l, .tools = tools, .journal = journal };
	s->inquirer = (struct inquirer){ tools, journal, key_search_new(l, tools) };
	settler_begin(&s->settler);
	return s;
}

size_t submitter_under_way(const struct submitter *s) { return s->n; }

/* ---- the state of a key ---- */

static int64_t wall_s(const struct run *r) { return loop_wall_ms(r->submitter->loop) / 1000; }

/*
 * The journal's entry, or an entry made from the client's known_id: a client may know a
 * job that a lost journal does not. Its age is unknown, so it gets the greatest age that
 * counts.
 */
static struct journal_entry known_of(const struct run *r)
{
	struct journal_entry known = { .noted = SUBMISSION_ABSENT };
	if (r->key)
		known = journal_find(r->submitter->journal, r->key);
	if (known.noted != SUBMISSION_ABSENT || r->known_id <= 0)
		return known;
	return (struct journal_entry){
		.noted = SUBMISSION_ACCEPTED,
		.closed_s = known.closed_s,
		.job_id = r->known_id,
		.wall_s = wall_s(r) - JOURNAL_KEEP_S,
		.since_s = wall_s(r) - JOURNAL_KEEP_S,
	};
}

/* True if the key's entry has not changed since the decision. */
static bool is_as_decided(const struct run *r)
{
	struct journal_entry now = known_of(r);
	return now.noted == r->decided_by.noted && now.job_id == r->decided_by.job_id &&
		now.quiet_since_ms == r->decided_by.quiet_since_ms &&
		now.closed_s == r->decided_by.closed_s && now.content == r->decided_by.content;
}

/* Drops the answers if the entry of the key has changed since. */
static void drop_old_answers(struct run *r)
{
	if (is_as_decided(r))
		return;
	r->why = OK;
	r->facts = (struct submission_facts){
		.has_key = r->facts.has_key,
		.only_asks = r->facts.only_asks,
		.displaced = r->facts.displaced,
		.unended = r->facts.unended,
	};
}

static bool is_surveyed(const struct run *r)
{
	const struct submission_facts *f = &r->facts;
	struct submitter *s = r->submitter;
	return r->key && !f->vouches && f->noted == SUBMISSION_ABSENT &&
		key_search_covers(s->inquirer.search, r->key, journal_whole_ms(s->journal),
			r->since_ms);
}

/* Updates all facts except the answers. */
static void observe(struct run *r)
{
	struct submission_facts *f = &r->facts;
	drop_old_answers(r);
	struct journal_entry known = r->decided_by = known_of(r);
	f->noted = known.noted;
	f->claimed = r->key && known.noted != SUBMISSION_ABSENT &&
		journal_find(r->submitter->journal, r->key).noted == SUBMISSION_ABSENT;
	f->closed = known.closed_s != 0;
	f->other = submission_is_other(known.content, r->content);
	f->job_id = known.job_id;
	f->boot_s = known.boot_s;
	f->noted_s = known.wall_s;
	f->now_s = wall_s(r);
	if (f->number.answered == NOT_ASKED)
		f->age_s = f->now_s - known.since_s;
	f->quiet_ms = r->asked_ms - known.quiet_since_ms;
	f->vouches = journal_vouches(r->submitter->journal);
	f->surveyed = is_surveyed(r);
}

/* ---- the end of a run ---- */

static bool waits_for_nothing(const struct run *r)
{
	return !r->timer && !r->key_query && !r->sbatch && !r->list;
}

static void leave_list(struct run *r)
{
	if (r->list)
		DL_DELETE2(*r->list, r, prev_listed, next_listed);
	r->list = NULL;
}

static void give_room_back(struct run *r)
{
	if (r->place) {
		quota_give(r->place, 1);
		quota_give(r->room, strlen(r->script));
	}
	quota_leave(TAKE(r->place));
	quota_leave(TAKE(r->room));
}

static void free_run(struct run *r)
{
	struct submitter *s = r->submitter;
	struct submit_wait *w, *next;
	DL_FOREACH_SAFE(r->waits, w, next)
	free(w);
	DL_DELETE(s->runs, r);
	s->n--;
	give_room_back(r);
	timer_stop(s->loop, r->timer);
	key_query_cancel(r->key_query);
	slurm_tools_call_cancel(r->sbatch);
	leave_list(r);
	free(r->script);
	free(r->partition);
	free(r->client);
	free(r->key);
	free(r);
}

void submitter_free(struct submitter *s)
{
	if (!s)
		return;
	settler_end(&s->settler);
	while (s->runs)
		free_run(s->runs);
	key_search_free(s->inquirer.search);
	timer_stop(s->loop, s->write_timer);
	free(s);
}

void submit_wait_stop(struct submit_wait *w)
{
	if (!w)
		return;
	DL_DELETE(w->run->waits, w);
	free(w);
}

/* True if the journal has a job of the key. A claimed id is not in the journal. */
static inline bool is_noted(const struct run *r)
{
	const struct journal *j = r->submitter->journal;
	return !r->key || r->facts.claimed || journal_find(j, r->key).job_id > 0;
}

/*
 * Removes each call from the list before its done is called: done may stop another call.
 */
static void tell_each(struct run *r, struct err e, struct err to_lookups, int64_t job_id)
{
	const struct submit_told told = {
		.job_id = job_id,
		.forgotten = !failed(e) && submission_is_forgotten(&r->facts),
		.job = r->found,
	};
	assert(waits_for_nothing(r));
	assert(!job_id || is_noted(r)); /* invariant 7 */
	submit_count(r, e);
	while (r->waits) {
		struct submit_wait *w = r->waits;
		DL_DELETE(r->waits, w);
		w->done(w->ctx, w->only_asks ? to_lookups : e, &told);
		free(w);
	}
	free_run(r);
}

static void tell(struct run *r, struct err e, int64_t job_id) { tell_each(r, e, e, job_id); }

/* The error for a lookup that joined: the result that it would get alone. */
static struct err of_lookups(const struct run *r)
{
	struct submission_facts f = r->facts;
	f.only_asks = true;
	enum submission what = decide_submission(&f);
	return what == SUBMISSION_ANSWER ? OK : run_why_not(what, &f, r->why);
}

static void tell_why_not(struct run *r, enum submission what)
{
	tell_each(r, run_why_not(what, &r->facts, r->why), of_lookups(r), 0);
}

/* A lookup that joined must be repeated, and then looks by itself. */
static void tell_other(struct run *r)
{
	tell_each(r, run_why_not(SUBMISSION_OTHER, &r->facts, OK),
		run_why_not(SUBMISSION_LATER, &r->facts, OK), 0);
}

/* ---- writes and sbatch ---- */

static void write_all(void *ctx);

static void write_soon(struct run **list, struct run *r)
{
	struct submitter *s = r->submitter;
	assert(waits_for_nothing(r));
	r->list = list;
	DL_APPEND2(*list, r, prev_listed, next_listed);
	if (!s->write_timer)
		s->write_timer = timer_start(s->loop, 0, write_all, s);
}

static void accept(struct run *r, const struct journal_job *job)
{
	r->job = *job;
	if (r->key)
		write_soon(&r->submitter->to_accept, r);
	else
		tell(r, OK, job->job_id);
}

static void submitted(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct run *r = ctx;
	struct journal *j = r->submitter->journal;
	bool refused = e.kind == ERR_INVALID || e.kind == ERR_DENIED || e.kind == ERR_NOT_FOUND ||
		e.kind == ERR_RETRY;
	r->sbatch = NULL;
	if (!failed(e)) {
		submit_numbered(r);
		const struct journal_job job = { r->key, told->job_id, .boot_s = r->boot_s };
		accept(r, &job);
		return;
	}
	if (r->key && refused) {
		struct err of_journal = journal_refused(j, r->key, r->void_id);
		if (failed(of_journal))
			log_warn(
				"cannot note in the journal that Slurm refused a job: the next call with its key looks for the job",
				"key", r->key, "why", of_journal.text);
	} else if (r->key) {
		journal_unheard(j, r->key);
	}
	if (!refused)
		e.kind = ERR_LOST;
	tell(r, e, 0);
}

/* True if the key is on the disk as begun, and is not closed. */
static inline bool may_run_sbatch(const struct journal *j, const char *key)
{
	struct journal_entry known = journal_find(j, key);
	return known.noted == SUBMISSION_BEGUN && !known.closed_s;
}

static void run_sbatch(struct run *r)
{
	struct submitter *s = r->submitter;
	struct slurm_submission submission = { r->script, r->partition, r->key, r->client };
	assert(waits_for_nothing(r) && r->script);
	assert(!r->key || may_run_sbatch(s->journal, r->key)); /* invariants 3 and 6 */
	/* The slurmctld that will accept the job started at this time, or later */
	r->boot_s = s->settler.boot_s;
	r->sbatch = slurm_tools_submit(s->tools, &submission, submitted, r);
}

/* The n keys of the runs on a list; the caller frees the array with free(). */
static const char **keys_of(const struct run *list, size_t *n)
{
	const struct run *r;
	DL_COUNT2(list, r, *n, next_listed);
	const char **keys = own_alloc((*n + 1) * sizeof(*keys)), **at = keys;
	DL_FOREACH2(list, r, next_listed)
	*at++ = r->key;
	return keys;
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
		leave_list(r);
		tell(r, OK, r->job.job_id);
	}
	if (n)
		settler_wake(&s->settler);
}

static void write_closed(struct submitter *s)
{
	size_t n;
	AUTO(own_free) const char **keys = keys_of(s->to_close, &n);
	struct run *r;
	struct err e = n ? journal_close(s->journal, keys, n) : OK;
	while ((r = s->to_close)) {
		leave_list(r);
		if (r->closes || failed(e))
			tell(r, e, 0);
		else
			tell_why_not(r, SUBMISSION_NEVER);
	}
}

static void write_begun(struct submitter *s)
{
	size_t n;
	const struct run *at;
	struct run *r;
	DL_COUNT2(s->to_begin, at, n, next_listed);
	AUTO(own_free) struct journal_begun *keys = own_alloc((n + 1) * sizeof(*keys));
	n = 0;
	DL_FOREACH2(s->to_begin, at, next_listed)
	keys[n++] = (struct journal_begun){ at->key, at->content };
	struct err e = n ? journal_begin(s->journal, keys, n) : OK;
	if (failed(e)) {
		e = err_wrap(e, "nothing was submitted");
		e.kind = ERR_RETRY;
	}
	while ((r = s->to_begin)) {
		leave_list(r);
		if (failed(e))
			tell(r, e, 0);
		else
			run_sbatch(r);
	}
}

/* ---- the steps that the rule returns ---- */

static void run_step(struct run *r);

static void answer(struct run *r)
{
	submit_begin_week(r->submitter, r->key, &r->decided_by);
	tell_each(r, OK, of_lookups(r), r->facts.job_id);
}

static void submit(struct run *r)
{
	r->void_id = r->facts.job_id ? r->facts.job_id : r->known_id;
	if (r->facts.noted == SUBMISSION_ACCEPTED)
		log_error("Slurm has lost a job that it had accepted: it is submitted again", "key",
			r->key);
	if (r->key)
		write_soon(&r->submitter->to_begin, r);
	else
		run_sbatch(r);
}

/*
 * The start of the job is the time of its sbatch, or the earlier one that Slurm
 * reports.
 */
static int64_t since_s(const struct run *r, const struct journal_entry *known)
{
	int64_t submit_s = r->facts.key.job.submit_s;
	bool is_new = known->noted == SUBMISSION_ABSENT;
	int64_t since_s = is_new ? r->facts.now_s - JOURNAL_KEEP_S : known->since_s;
	return submit_s > 0 && (submit_s < since_s || is_new) ? submit_s : since_s;
}

static void adopt(struct run *r)
{
	const struct submission_facts *f = &r->facts;
	struct journal_entry known = journal_find(r->submitter->journal, r->key);
	bool forgotten = submission_is_forgotten(f);
	const struct journal_job job = {
		.key = r->key,
		.job_id = submission_job_id(f),
		.boot_s = forgotten ? SUBMISSION_ENDED : f->controller.boot_s,
		.since_s = since_s(r, &known),
	};
	char id[24];
	snprintf(id, sizeof(id), "%" PRId64, job.job_id);
	if (!submission_is_noted(f)) {
		log_info("found the job of an earlier submission", "key", r->key, "job", id);
		accept(r, &job);
		return;
	}
	if (!forgotten)
		submitter_saw(r->submitter, r->key);
	tell(r, OK, job.job_id);
}

/* Measures how long slurmctld has had records that slurmdbd lacks. */
static int64_t behind_ms(struct submitter *s, const struct key_query_answer *a)
{
	int64_t now_ms = loop_now_ms(s->loop);
	if (a->key.answered != ANSWERED || a->key.found)
		return -1;
	if (!a->accounts_behind)
		s->behind_since_ms = 0;
	else if (!s->behind_since_ms)
		s->behind_since_ms = now_ms;
	return a->accounts_behind ? now_ms - s->behind_since_ms : -1;
}

static void answered(void *ctx, const struct key_query_answer *a)
{
	struct run *r = ctx;
	struct submission_facts *f = &r->facts;
	r->key_query = NULL;
	if (failed(a->why))
		r->why = a->why;
	if (a->what == SUBMISSION_ASK_CONTROLLER) {
		f->controller = a->controller;
		if (f->controller.answered == ANSWERED)
			r->submitter->settler.boot_s = f->controller.boot_s;
	} else if (a->what == SUBMISSION_ASK_KEY) {
		f->key = a->key;
		f->key.behind_ms = behind_ms(r->submitter, a);
		r->found = a->job;
	} else if (a->what == SUBMISSION_ASK_NUMBER) {
		f->number = a->number;
	} else {
		f->account = a->account;
	}
	run_step(r);
}

/* The question has no answer yet. */
static bool is_new_question(const struct submission_facts *f, enum submission what)
{
	enum submission_answered a = what == SUBMISSION_ASK_CONTROLLER ? f->controller.answered
		: what == SUBMISSION_ASK_KEY                           ? f->key.answered
		: what == SUBMISSION_ASK_NUMBER                        ? f->number.answered
								       : f->account.answered;
	return a == NOT_ASKED;
}

static void ask(struct run *r, enum submission what)
{
	const struct submission_facts *f = &r->facts;
	const struct key_query_question q = {
		.what = what,
		.key = r->key,
		.since_s = f->noted == SUBMISSION_ABSENT ? -1 : r->decided_by.since_s,
		.job = f->key.found ? r->found : (struct slurm_job_found){ .id = f->job_id },
	};
	assert(is_new_question(f, what));
	if (what == SUBMISSION_ASK_CONTROLLER)
		r->asked_ms = loop_now_ms(r->submitter->loop);
	r->key_query = key_query_begin(&r->submitter->inquirer, &q, answered, r);
}

/* Observes, calls the rule, and carries out its step. */
static void run_step(struct run *r)
{
	/* in_flight is set for new calls only: SUBMISSION_JOIN is not a step of a run */
	assert(waits_for_nothing(r) && !r->closes && !r->facts.in_flight);
	observe(r);
	enum submission what = decide_submission(&r->facts);
	switch (what) {
	case SUBMISSION_ANSWER:
		answer(r);
		break;
	case SUBMISSION_ASK_CONTROLLER:
	case SUBMISSION_ASK_KEY:
	case SUBMISSION_ASK_NUMBER:
	case SUBMISSION_ASK_ACCOUNT:
		ask(r, what);
		break;
	case SUBMISSION_ADOPT:
		adopt(r);
		break;
	case SUBMISSION_SUBMIT:
		submit(r);
		break;
	case SUBMISSION_GIVE_UP:
		write_soon(&r->submitter->to_close, r);
		break;
	case SUBMISSION_OTHER:
		tell_other(r);
		break;
	default:
		tell_why_not(r, what);
	}
}

/* Decides again for runs whose job another call has learned since the decision. */
static void decide_anew(struct run *list)
{
	struct run *r, *next;
	DL_FOREACH_SAFE2(list, r, next, next_listed)
	{
		if (r->closes || is_as_decided(r))
			continue;
		leave_list(r);
		run_step(r);
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

/* ---- calls of clients ---- */

static struct run *submission_of(const struct submitter *s, const char *key)
{
	struct run *r;
	DL_FOREACH(s->runs, r)
	if (key && r->script && str_eq(r->key, key))
		return r;
	return NULL;
}

static void run_begin(void *ctx)
{
	struct run *r = ctx;
	r->timer = NULL;
	if (r->closes)
		write_soon(&r->submitter->to_close, r);
	else if (r->other)
		tell_other(r);
	else
		run_step(r);
}

static void overfull(void *ctx)
{
	struct run *r = ctx;
	r->timer = NULL;
	tell(r, err_new(ERR_TOO_LARGE, "too many submissions at a time: try again later"), 0);
}

/* Takes a place and the bytes of the script from the client's shares. */
static bool takes_room(struct run *r, const char *script)
{
	struct submitter *s = r->submitter;
	struct quota *place = quota_of(&s->places, r->client);
	struct quota *room = quota_of(&s->scripts, r->client);
	bool has = quota_has_room(place, 1) && !failed(quota_take(room, strlen(script)));
	if (has) {
		quota_force(place, 1);
		r->place = place;
		r->room = room;
	} else {
		quota_leave(place);
		quota_leave(room);
	}
	return has;
}

static struct run *new_run(struct submitter *s, const struct submit_ask *ask)
{
	const struct slurm_submission *submission = &ask->submission;
	const char *script = submission->script;
	struct run *r = own_alloc(sizeof(*r));
	assert(!script || !submission_of(s, submission->key));
	*r = (struct run){
		.submitter = s,
		.client = own_strdup(submission->client ? submission->client : ""),
		.partition = own_strdup(submission->partition),
		.key = own_strdup(submission->key),
		.content = ask->content,
		.known_id = ask->known_id,
		.since_ms = INT64_MIN,
		.began_ms = loop_now_ms(s->loop),
		.facts.has_key = submission->key != NULL,
		.facts.only_asks = !script,
	};
	bool takes = script ? takes_room(r, script) : s->n - s->places.used < SUBMIT_MOST;
	r->script = own_strdup(takes || !script ? script : "");
	s->n++;
	s->turned_away += !takes;
	DL_APPEND(s->runs, r);
	r->timer = timer_start(s->loop, 0, takes ? run_begin : overfull, r);
	return r;
}

static struct submit_wait *wait_for(struct run *r, submit_done *done, void *ctx, bool only_asks)
{
	struct submit_wait *w = own_alloc(sizeof(*w));
	*w = (struct submit_wait){ .run = r, .done = done, .ctx = ctx, .only_asks = only_asks };
	DL_APPEND(r->waits, w);
	return w;
}

/* The run has no script: it is not a submission of the key, and no call joins it. */
static struct run *new_other(struct submitter *s, const char *key)
{
	const struct submit_ask none = { .submission = { .key = key } };
	struct run *r = new_run(s, &none);
	r->other = true;
	return r;
}

struct submit_wait *submitter_submit(struct submitter *s, const struct submit_ask *ask,
	submit_done *done, void *ctx)
{
	const struct slurm_submission *submission = &ask->submission;
	struct run *r = submission_of(s, submission->key);
	const struct submission_facts f = {
		.has_key = submission->key != NULL,
		.only_asks = !submission->script,
		.in_flight = r != NULL,
		.other = r && submission_is_other(r->content, ask->content),
	};
	enum submission what = decide_submission(&f);
	if (what == SUBMISSION_OTHER)
		r = new_other(s, submission->key);
	else if (what != SUBMISSION_JOIN)
		r = new_run(s, ask);
	if (ask->since_ms > r->since_ms)
		r->since_ms = ask->since_ms;
	return wait_for(r, done, ctx, !submission->script);
}

void submitter_meets(struct submitter *s, int64_t since_ms)
{
	if (!journal_vouches(s->journal))
		key_search_expect(s->inquirer.search, journal_whole_ms(s->journal), since_ms);
}

struct submit_wait *submitter_close(struct submitter *s, const char *key, submit_done *done,
	void *ctx)
{
	struct run *r = new_run(s, &(struct submit_ask){ .submission = { .key = key } });
	r->closes = true;
	return wait_for(r, done, ctx, false);
}

struct submit_wait *submitter_look(struct submitter *s, const char *key, int64_t known_id,
	enum submission_doubt doubt, submit_done *done, void *ctx)
{
	const struct submit_ask ask = {
		.submission = { .key = key },
		.known_id = known_id,
		.since_ms = loop_now_ms(s->loop),
	};
	struct submit_wait *w = submitter_submit(s, &ask, done, ctx);
	w->run->facts.displaced |= doubt == DOUBT_DISPLACED;
	w->run->facts.unended |= doubt == DOUBT_UNENDED;
	return w;
}
