/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CancelJob, CloseSubmission and JobInfo, by key or by job id. Slurm may have given the
 * id of a key's job to another job, so a call by key checks the job before it reports or
 * cancels it.
 */
#include "base/log.h"
#include "base/own.h"
#include "redbox/jobs/jobs_parts.h"

/* ---- which job a key has ---- */

static void found(void *ctx, struct err e, const struct submit_told *told)
{
	struct asked *a = ctx;
	a->wait = NULL;
	a->told = *told;
	a->request.job_id = told->job_id;
	if (failed(e))
		asked_fail(a, e);
	else
		a->goes_on(a);
}

/*
 * Looks for the job of the key. goes_on is called when request.job_id is known; otherwise
 * the call ends.
 */
static void look(struct asked *a, void (*goes_on)(struct asked *a))
{
	a->looked = true;
	a->goes_on = goes_on;
	a->wait = submitter_look(a->service->config.submitter, a->request.key, a->known_id,
		a->doubt, found, a);
}

/* The job id of the key is final, and Slurm shows another job under that id. */
static bool is_displaced(struct asked *a, struct err e, const struct slurm_tools_told *told)
{
	bool is = !failed(e) && a->known.noted == SUBMISSION_DONE && !a->looked &&
		submitter_is_displaced(a->service->config.submitter, a->request.key,
			a->request.job_id, told);
	a->doubt = is ? DOUBT_DISPLACED : DOUBT_NONE;
	return is;
}

/* True if the journal has the id of the key's job, final or not (DONE or ACCEPTED). */
static bool knows_job(struct asked *a)
{
	a->known_id = a->request.job_id;
	a->known = submitter_known(a->service->config.submitter, a->request.key);
	if (a->known.noted != SUBMISSION_DONE && a->known.noted != SUBMISSION_ACCEPTED)
		return false;
	a->request.job_id = a->known.job_id;
	return true;
}

/* ---- CancelJob ---- */

static void cancelled(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	struct str empty = { 0 };
	(void)told;
	if (asked_heard(a, e))
		asked_answer(a, &empty);
}

/* A job that only accounting has has ended, and its id may belong to another job. */
static void cancel(struct asked *a)
{
	struct str empty = { 0 };
	if (a->told.forgotten)
		asked_answer(a, &empty);
	else
		a->tool = slurm_tools_cancel(a->service->config.tools, a->request.job_id, cancelled,
			a);
}

/* Also cancels a job that Slurm does not know any more, which has no effect. */
static void shown_before(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	a->shown = NULL;
	if (failed(e) && e.kind != ERR_NOT_FOUND)
		asked_fail(a, err_wrap(e, "checking that it is still the job of the client_id"));
	else if (is_displaced(a, e, told))
		look(a, cancel);
	else
		cancel(a);
}

void jobs_cancel(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct asked *a = asked_begin(ctx, c, "CancelJob", WLM_CANCEL_JOB, bytes, n);
	if (!a)
		return;
	if (!*a->request.key)
		cancel(a);
	else if (knows_job(a) && a->known.noted == SUBMISSION_DONE)
		a->shown = status_cache_show(a->service->status_cache, a->request.job_id,
			shown_before, a);
	else
		look(a, cancel);
}

/* ---- CloseSubmission ---- */

static void closed(void *ctx, struct err e, const struct submit_told *told)
{
	struct asked *a = ctx;
	struct str empty = { 0 };
	(void)told;
	if (!asked_heard(a, e))
		return;
	log_info("nothing is submitted for a client_id any more", "client_id", a->request.key);
	asked_answer(a, &empty);
}

void jobs_close(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct asked *a = asked_begin(ctx, c, "CloseSubmission", WLM_CLOSE_SUBMISSION, bytes, n);
	if (a)
		a->wait = submitter_close(a->service->config.submitter, a->request.key, closed, a);
}

/* ---- JobInfo ---- */

static void show(struct asked *a);

/*
 * Only accounting shows the job, without an end: slurmctld has lost it, accounting lags,
 * or the id belongs to another job.
 */
static bool is_unended(const struct slurm_tools_told *told)
{
	return told->from_accounts && !slurm_jobs_ended(told->jobs, told->n);
}

struct err service_check_told(const struct slurm_tools_told *told)
{
	if (!told->n)
		return err_new(ERR_NOT_FOUND, "Slurm has no record of it");
	return is_unended(told) ? err_new(ERR_RETRY, SUBMISSION_UNENDED) : OK;
}

/*
 * The id is final, but only accounting shows it, without an end: a later job may have got
 * the id before slurmctld lost it.
 */
static bool is_hidden(struct asked *a, struct err e, const struct slurm_tools_told *told)
{
	bool is = !failed(e) && a->known.noted == SUBMISSION_DONE && !a->looked && told->n &&
		is_unended(told);
	a->doubt = is ? DOUBT_UNENDED : a->doubt;
	return is;
}

/*
 * After the search for the job, another job may have got its id, if slurmctld was killed
 * in between. Accounting records need no check, because they were selected by their time.
 */
static struct err check_still(const struct asked *a, const struct slurm_tools_told *told)
{
	bool other = a->looked && !told->from_accounts &&
		submitter_is_displaced(a->service->config.submitter, a->request.key,
			a->request.job_id, told);
	return other ? err_new(ERR_RETRY, "its job id now belongs to another job") : OK;
}

static bool has_key(const struct slurm_tools_told *told, const char *key)
{
	return told->n > 0 && slurm_job_has_key(&told->jobs[0], key);
}

static void info_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	AUTO(str_free) struct str message = { 0 };
	const char *key = *a->request.key ? a->request.key : NULL;
	bool sees_key = key && !failed(e) && has_key(told, key);
	a->shown = NULL;
	a->tool = NULL;
	if (sees_key)
		submitter_saw(a->service->config.submitter, key);
	/* Otherwise the id may belong to another job by now */
	bool sure = !key || a->looked || sees_key || a->known.noted == SUBMISSION_DONE;
	if (is_displaced(a, e, told) || is_hidden(a, e, told)) {
		look(a, show);
		return;
	}
	if (!sure && (!failed(e) || e.kind == ERR_NOT_FOUND)) {
		look(a, show);
		return;
	}
	if (!failed(e))
		e = service_check_told(told);
	if (!failed(e))
		e = check_still(a, told);
	if (failed(e)) {
		asked_fail(a, e);
		return;
	}
	if (key && slurm_jobs_ended(told->jobs, told->n))
		submitter_ended(a->service->config.submitter, key);
	wlm_add_jobs(&message, told->jobs, told->n, key);
	asked_answer(a, &message);
}

static void show(struct asked *a)
{
	struct service *s = a->service;
	if (a->told.forgotten)
		a->tool = slurm_tools_account(s->config.tools, &a->told.job, info_told, a);
	else
		a->shown = status_cache_show(s->status_cache, a->request.job_id, info_told, a);
}

void jobs_info(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct asked *a = asked_begin(ctx, c, "JobInfo", WLM_JOB_INFO, bytes, n);
	if (!a)
		return;
	if (!*a->request.key || knows_job(a))
		show(a);
	else
		look(a, show);
}
