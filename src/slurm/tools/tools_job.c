/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one job with scontrol. sacct adds the records that slurmctld has forgotten. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/tools/tools_parts.h"

static const struct question account;

/*
 * slurmctld forgets a task some minutes after its end, while other tasks of the array
 * still run. So if all reported tasks of an array have ended, some tasks may be missing.
 */
static bool may_lack_tasks(const struct slurm_job_shown *jobs, size_t n)
{
	return !str_empty(jobs[0].array_id) && slurm_jobs_ended(jobs, n);
}

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The sorted ids of the jobs that are shown: an array may have a million tasks. */
static int64_t *numbers_shown(struct slurm_tools_call *c)
{
	int64_t *ids = arena_array(&c->a, int64_t, c->told.n);
	for (size_t i = 0; i < c->told.n; i++)
		ids[i] = c->told.jobs[i].id;
	qsort(ids, c->told.n, sizeof(*ids), by_number);
	return ids;
}

static struct err has_not_ended(const struct slurm_job_shown *task)
{
	return err_new(ERR_RETRY,
		"slurmctld has forgotten task %lld of the array, and the accounts do not have the end of that task",
		(long long)task->id);
}

/*
 * The submit time of the newest array among the jobs; SLURM_ABSENT: unknown. A requeue
 * changes the submit time, so only records without a requeue count: in these, all tasks
 * of an array have the same time.
 */
static int64_t submitted_s(const struct slurm_job_shown *jobs, size_t n)
{
	int64_t last_s = SLURM_ABSENT;
	for (size_t i = 0; i < n; i++)
		if (str_eq(jobs[i].restarts, "0") && jobs[i].submit_s > last_s)
			last_s = jobs[i].submit_s;
	return last_s;
}

static int by_task_and_time(const void *a, const void *b)
{
	const struct slurm_job_shown *x = a, *y = b;
	int order = strcmp(x->array_id, y->array_id);
	order = order ? order : strcmp(x->task, y->task);
	return order ? order : (x->submit_s > y->submit_s) - (x->submit_s < y->submit_s);
}

/*
 * The last submit time of older arrays with the same id. A task of an array never changes
 * its own id. So if a task has two ids, there were two arrays, and all tasks of the older
 * array were submitted and requeued before those of the newer.
 */
static int64_t older_until_s(struct slurm_job_shown *jobs, size_t n)
{
	int64_t last_s = SLURM_ABSENT;
	if (n)
		qsort(jobs, n, sizeof(*jobs), by_task_and_time);
	for (size_t i = 1; i < n; i++) {
		const struct slurm_job_shown *older = &jobs[i - 1];
		bool same = str_eq(older->array_id, jobs[i].array_id) &&
			str_eq(older->task, jobs[i].task);
		bool two = *older->task && same && older->id != jobs[i].id;
		if (two && older->submit_s > last_s)
			last_s = older->submit_s;
	}
	return last_s;
}

/*
 * Whether the task belongs to an older array with the same id. Ids are reused after a
 * loss of slurmctld's state, or when the ids start over; the newer job may have fewer
 * tasks.
 */
static bool is_of_before(const struct slurm_job_shown *task, int64_t since_s)
{
	return !str_empty(task->array_id) && task->submit_s >= 0 && task->submit_s < since_s;
}

/* Adds the tasks of the array that only the accounting database has. */
static struct err add_tasks(struct slurm_tools_call *c, const struct slurm_job_shown *tasks,
	size_t n, int64_t since_s)
{
	size_t shown = c->told.n, count = shown;
	const int64_t *ids = numbers_shown(c);
	int64_t shown_s = submitted_s(c->told.jobs, shown);
	since_s = shown_s > since_s ? shown_s : since_s;
	struct slurm_job_shown *all = arena_array(&c->a, struct slurm_job_shown, shown + n);
	memcpy(all, c->told.jobs, shown * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		if (bsearch(&tasks[i].id, ids, shown, sizeof(*ids), by_number) ||
			!str_eq(tasks[i].array_id, all[0].array_id) ||
			is_of_before(&tasks[i], since_s))
			continue;
		if (!slurm_jobs_ended(&tasks[i], 1))
			return has_not_ended(&tasks[i]);
		all[count++] = tasks[i];
	}
	c->told.jobs = all;
	c->told.n = count;
	return OK;
}

/*
 * Stores the told.n jobs of slurmctld, or the reason why there are none; may query the
 * accounts next.
 */
static struct err take_jobs(struct slurm_tools_call *c, struct err why,
	struct slurm_job_shown *jobs)
{
	if (failed(why) && why.kind != ERR_NOT_FOUND)
		return why;
	c->err = why;
	c->told.n = failed(why) ? 0 : c->told.n;
	c->told.jobs = c->told.n ? jobs : NULL;
	if (c->told.n == 0 || may_lack_tasks(jobs, c->told.n)) {
		c->question = &account;
		c->goes_on = true;
	}
	return OK;
}

static struct err read_jobs(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct slurm_job_shown *jobs = NULL;
	struct err e = failed(why) ? why : slurm_show_jobs(end->output, &c->a, &jobs, &c->told.n);
	if (failed(e) && !failed(why))
		return e;
	return take_jobs(c, why, jobs);
}

/* ---- the accounting database ---- */

static int by_number_and_time(const void *a, const void *b)
{
	const struct slurm_job_shown *x = a, *y = b;
	int order = (x->id > y->id) - (x->id < y->id);
	return order ? order : (x->submit_s > y->submit_s) - (x->submit_s < y->submit_s);
}

/* Keeps the last record of each id in that time: a requeue adds a record. */
static size_t last_records(struct slurm_job_shown *jobs, size_t n, int64_t from_s, int64_t until_s)
{
	size_t count = 0;
	if (n)
		qsort(jobs, n, sizeof(*jobs), by_number_and_time);
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].submit_s < from_s || jobs[i].submit_s > until_s)
			continue;
		count += !count || jobs[count - 1].id != jobs[i].id;
		jobs[count - 1] = jobs[i];
	}
	return count;
}

static bool is_revoked(const struct slurm_job_shown *job) { return str_eq(job->state, "REVOKED"); }

/*
 * A cluster of a federation that did not run the job has a REVOKED record of it. Ignore
 * such records if another cluster has a record with the end of the job.
 */
static size_t without_revoked(struct slurm_job_shown *jobs, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		if (!is_revoked(&jobs[i]))
			jobs[count++] = jobs[i];
	return count ? count : n;
}

/*
 * Adds tasks of the accounting database to jobs that scontrol has shown. If scontrol has
 * shown none, uses the jobs of the database; fails with unknown if it has none.
 */
static struct err take_accounts(struct slurm_tools_call *c, const struct process_end *end,
	struct err unknown)
{
	struct slurm_job_shown *jobs;
	size_t n, count = 0;
	struct err e = printed_jobs(end->output, c->values[THE_FIELDS], &c->a, &jobs, &n);
	if (failed(e))
		return c->told.jobs ? OK : err_wrap(unknown, "%s", e.text);
	n = without_revoked(jobs, n);
	int64_t since_s = submitted_s(jobs, n), older_s = older_until_s(jobs, n);
	since_s = older_s >= since_s ? older_s + 1 : since_s;
	n = last_records(jobs, n, INT64_MIN, INT64_MAX);
	if (c->told.jobs)
		return add_tasks(c, jobs, n, since_s);
	for (size_t i = 0; i < n; i++)
		if (!is_of_before(&jobs[i], since_s))
			jobs[count++] = jobs[i];
	c->told.jobs = jobs;
	c->told.n = count;
	c->told.from_accounts = true;
	return count ? OK : unknown;
}

/* An old sacct does not have all fields: repeats the query with fewer fields. */
static bool asks_less(struct slurm_tools_call *c, const struct process_end *end)
{
	bool all = str_eq(c->values[THE_FIELDS], PRINTED_JOBS_NEW);
	if (!tools_no_field(end) || str_eq(c->values[THE_FIELDS], PRINTED_JOBS_OLD))
		return false;
	tools_set(c, THE_FIELDS, all ? PRINTED_JOBS_PATHS : PRINTED_JOBS_OLD);
	c->goes_on = true;
	return true;
}

static struct err read_account(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct err unknown = failed(c->err)
		? c->err
		: err_new(ERR_NOT_FOUND, "scontrol shows no job %s", c->values[THE_ID]);
	if (tools_no_accounts(end))
		return c->told.jobs ? OK : unknown;
	if (asks_less(c, end))
		return OK;
	if (failed(why))
		return c->told.jobs && why.kind != ERR_RETRY ? OK : why;
	return take_accounts(c, end, unknown);
}

/* ---- one of several jobs with the same id ---- */

static struct err read_former(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	const char *asked = c->values[THE_FIELDS];
	struct slurm_job_shown *jobs;
	size_t n;
	if (tools_no_accounts(end))
		return err_new(ERR_NOT_FOUND, "this Slurm keeps no accounts");
	if (asks_less(c, end))
		return OK;
	struct err e = failed(why) ? why : printed_jobs(end->output, asked, &c->a, &jobs, &n);
	if (failed(e))
		return e;
	n = without_revoked(jobs, n);
	c->told.jobs = jobs;
	c->told.n = last_records(jobs, n, c->first_s, c->last_s);
	c->told.from_accounts = true;
	return c->told.n ? OK
			 : err_new(ERR_NOT_FOUND, "the accounts do not have that job %s any more",
				   c->values[THE_ID]);
}

/* ---- arguments of the programs ---- */

static const struct question living = { TOOL_SCONTROL, false, 1, TOOLS_LARGE,
	{ { "show" }, { "jobid" }, { "", THE_ID } }, read_jobs };
static const struct question account = { TOOL_SACCT, false, 1, TOOLS_LARGE,
	{ { "--noheader" }, { "--parsable2" }, { "--delimiter=" PRINTED_FIELD },
		{ "--allocations" }, { "--duplicates" }, { "", THE_VIEW }, { "--jobs=", THE_ID },
		{ "--format=", THE_FIELDS } },
	read_account };

static const struct question former = { TOOL_SACCT, false, 1, TOOLS_LARGE,
	{ { "--noheader" }, { "--parsable2" }, { "--delimiter=" PRINTED_FIELD },
		{ "--allocations" }, { "--duplicates" }, { "", THE_VIEW }, { "--user=", THE_USER },
		{ "--jobs=", THE_ID }, { "--format=", THE_FIELDS } },
	read_former };

static void ask_all(struct slurm_tools_call *c, int64_t job_id)
{
	if (tools_of_federation(job_id))
		tools_set(c, THE_VIEW, "--federation");
	tools_set(c, THE_FIELDS, PRINTED_JOBS_NEW);
}

struct slurm_tools_call *slurm_tools_job(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = tools_call_new(t, &living, done, ctx);
	ask_all(c, job_id);
	return tools_begin_with_id(c, job_id);
}

struct slurm_tools_call *slurm_tools_account(struct slurm_tools *t,
	const struct slurm_job_found *job, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = tools_call_new(t, &former, done, ctx);
	ask_all(c, job->id);
	tools_set_number(c, THE_USER, (int64_t)geteuid());
	c->first_s = job->first_s;
	c->last_s = job->submit_s;
	return tools_begin_with_id(c, job->id);
}
