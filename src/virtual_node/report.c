/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes struct vreport: the answers of red-box about the job of a pod. Each function
 * takes the answer to one kind of call, and returns the error for attempt_over.
 */
#include <string.h>

#include "base/own.h"
#include "virtual_node/parts.h"

static void note_job(struct vpod *p, enum vpod_job job)
{
	struct vreport *r = &p->report;
	if (job != VJOB_ENDED)
		r->ended_ms = 0;
	else if (!r->ended_ms)
		r->ended_ms = loop_now_ms(p->part->box->all->loop);
	r->job = job;
	r->asked_ms = p->attempt.sent_ms;
}

int64_t report_number(const struct vpod *p)
{
	return p->report.id ? p->report.id : vpod_job_id(p->object.pod);
}

/* ---- submissions ---- */

/*
 * True if a refusal because of nodes (vrefusal_is_by_nodes) must be judged later, because
 * our facts about the partition may be older than the refusal. An older red-box reports
 * no such facts.
 */
static bool is_judged_later(const struct vpod *p, struct err e)
{
	const struct vattempt *a = &p->attempt;
	const struct part *part = p->part;
	bool before = a->failures && a->failed == VPOD_SUBMIT && vrefusal_is_by_nodes(a->failure);
	bool older = part->resources && !part->resources->now;
	return !older && vrefusal_is_by_nodes(e.text) &&
		!(before && part->resources_ms > a->failed_ms);
}

/* True if a repeated call would be refused again. */
static bool is_refused(const struct vpod *p, struct err e)
{
	const struct wlm_resources *r = p->part->resources;
	return vrefusal_is_final(e, r ? r->now : NULL) && !is_judged_later(p, e);
}

/* Sets the job id; the plan queries the job next. */
static void take_number(struct vpod *p, int64_t number)
{
	struct vreport *r = &p->report;
	r->missing = vmissing_numbered(r->missing, report_number(p) == number);
	r->id = number;
	r->job = VJOB_UNKNOWN;
	r->asked_ms = 0;
	r->ended_ms = 0;
}

void report_submitting(struct vpod *p) { p->report.submitted_ms = p->attempt.sent_ms; }

struct err report_submitted(struct vpod *p, struct err e, const struct wlm_answer *answer)
{
	p->report.submitted_ms = loop_now_ms(p->part->box->all->loop);
	if (!failed(e))
		take_number(p, answer->job_id);
	bool refused = is_refused(p, e);
	if (refused) {
		free(p->report.refused);
		p->report.refused = own_strdup(e.text);
	}
	if (e.kind == ERR_EXISTS)
		note_job(p, VJOB_LOST);
	return refused || e.kind == ERR_EXISTS ? OK : e;
}

/* ---- the job ---- */

/* A longer text is not a valid path (PATH_MAX), and no status shows it. */
enum { PATH_MOST = 4096 };

/* Copies the members of a record that are read later. */
static struct slurm_job_shown kept(struct arena *a, const struct slurm_job_shown *j)
{
	return (struct slurm_job_shown){
		.id = j->id,
		.array_id = arena_strdup(a, j->array_id),
		.task = arena_strdup(a, j->task),
		.state = arena_strdup(a, j->state),
		.reason = arena_strdup(a, j->reason),
		.restarts = arena_strdup(a, j->restarts),
		.exit_code = arena_strdup(a, j->exit_code),
		.nodes = arena_strdup(a, j->nodes),
		.submit_s = j->submit_s,
		.start_s = j->start_s,
		.end_s = j->end_s,
		.run_s = j->run_s,
	};
}

/* The memory that the arena needs for a copy of the record. */
static size_t bytes_of(const struct slurm_job_shown *j)
{
	const char *texts[] = { j->array_id, j->task, j->state, j->reason, j->restarts,
		j->exit_code, j->nodes };
	size_t bytes = sizeof(*j);
	for (size_t i = 0; i < LENGTH(texts); i++)
		bytes += strlen(texts[i]) + sizeof(max_align_t);
	return bytes;
}

static void drop_records(struct vpod *p)
{
	quota_give(p->space->records, p->records_bytes);
	p->records_bytes = 0;
	arena_free(&p->records_of);
	p->report.records = NULL;
	p->report.n_records = 0;
}

static void forget_job(struct vpod *p)
{
	drop_records(p);
	p->report.job = VJOB_UNKNOWN;
	p->report.asked_ms = 0;
	p->report.ended_ms = 0;
}

/*
 * Replaces the records, whose bytes count for the share of the namespace. Records that
 * are not larger than before always fit. A job whose records do not fit gives up its old
 * ones; otherwise jobs that grow together would wait for each other for ever.
 */
static struct err pay(struct vpod *p, const struct slurm_job_shown *records, size_t n)
{
	struct quota *share = p->space->records;
	size_t bytes = 0, had = p->records_bytes;
	struct err e = OK;
	for (size_t i = 0; i < n; i++)
		bytes += bytes_of(&records[i]);
	drop_records(p);
	if (bytes <= had)
		quota_force(share, bytes);
	else
		e = quota_take(share, bytes);
	if (failed(e)) {
		forget_job(p);
		return err_wrap(e, "keeping %zu records of jobs", n);
	}
	p->records_bytes = bytes;
	return OK;
}

static void keep_path(char **to, const char *text)
{
	if (!*text || strlen(text) > PATH_MOST)
		return;
	free(*to);
	*to = own_strdup(text);
}

/*
 * The path of the job's output; "": tasks of an array write, or may write, to several
 * files.
 */
static const char *the_path(const struct wlm_answer *answer, bool standard_error)
{
	const struct slurm_job_shown *first = &answer->jobs[0];
	const char *path = standard_error ? first->std_err : first->std_out;
	if (str_empty(first->array_id))
		return path;
	for (size_t i = 1; i < answer->n_jobs; i++)
		if (!str_eq(path, standard_error ? first[i].std_err : first[i].std_out))
			return "";
	return answer->n_jobs > 1 ? path : "";
}

/* When the job began; for an array, when its first task began. */
static int64_t begun_s(const struct vreport *r)
{
	int64_t first = 0;
	for (size_t i = 0; i < r->n_records; i++) {
		int64_t s = r->records[i].start_s;
		if (s > 0 && (!first || s < first))
			first = s;
	}
	return first;
}

static struct err keep_records(struct vpod *p, const struct wlm_answer *answer)
{
	struct vreport *r = &p->report;
	struct err e = pay(p, answer->jobs, answer->n_jobs);
	if (failed(e))
		return e;
	r->records = arena_array(&p->records_of, struct slurm_job_shown, answer->n_jobs);
	r->n_records = answer->n_jobs;
	for (size_t i = 0; i < answer->n_jobs; i++)
		r->records[i] = kept(&p->records_of, &answer->jobs[i]);
	r->begun_s = begun_s(r);
	keep_path(&r->std_out, the_path(answer, false));
	keep_path(&r->std_err, the_path(answer, true));
	r->missing = (struct vmissing){ 0 };
	note_job(p, vjobs_ended(r->records, r->n_records) ? VJOB_ENDED : VJOB_LIVE);
	return OK;
}

/*
 * Returns an error if Slurm does not have the job any more, so that the next query waits.
 */
static struct err none(struct vpod *p, struct err e)
{
	struct vreport *r = &p->report;
	bool had = report_number(p) != 0;
	note_job(p, VJOB_NONE);
	r->missing = vmissing_unknown(r->missing, had, p->attempt.sent_ms, r->submitted_ms);
	return had ? e : OK;
}

struct err report_job(struct vpod *p, struct err e, const struct wlm_answer *answer)
{
	bool its_own = !failed(e) && answer->n_jobs && str_eq(answer->key, p->object.key);
	if (!failed(e) && !its_own)
		e = err_new(ERR_RETRY, "red-box reports another job than the requested one");
	if (its_own)
		e = keep_records(p, answer);
	else if (e.kind == ERR_NOT_FOUND)
		e = none(p, e);
	else if (e.kind == ERR_EXISTS) {
		note_job(p, VJOB_LOST);
		e = OK;
	}
	return e;
}

struct err report_cancelled(struct vpod *p, struct err e)
{
	if (!failed(e))
		p->report.cancelled_ms = loop_now_ms(p->part->box->all->loop);
	if (e.kind == ERR_NOT_FOUND)
		note_job(p, VJOB_NONE);
	if (e.kind == ERR_EXISTS)
		note_job(p, VJOB_LOST);
	return e.kind == ERR_NOT_FOUND || e.kind == ERR_EXISTS ? OK : e;
}

struct err report_closed(struct vpod *p, struct err e)
{
	if (!failed(e))
		p->report.closed_ms = loop_now_ms(p->part->box->all->loop);
	return e;
}

void report_rest(struct vpod *p)
{
	if (p->report.job == VJOB_ENDED)
		forget_job(p);
}

void report_free(struct vpod *p)
{
	struct vreport *r = &p->report;
	drop_records(p);
	free(r->std_out);
	free(r->std_err);
	free(r->refused);
}
