/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls: for each program a row with its arguments, and a function that reads its
 * output. Each value follows "--option=" or "--", so that no value can become an option.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/tools/tools_parts.h"

/* sacct accepts no earlier time, and reads 0 as an error. */
#define FIRST_SECOND INT64_C(1000000)

static const struct question accounts, agent;

void tools_set(struct slurm_tools_call *c, enum argument_value which, const char *text)
{
	free(c->values[which]);
	c->values[which] = str_empty(text) ? NULL : own_strdup(text);
}

/* ---- output of the programs ---- */

static struct err read_submitted(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	/*
	 * If there is an id, the job exists, even if sbatch failed: with "#SBATCH --wait"
	 * sbatch ends with the exit code of the job, or is stopped by us.
	 */
	if (printed_submitted(end->output, &c->told.job_id))
		return OK;
	if (failed(why))
		return why;
	if (strstr(end->errors, " to start at "))
		return err_new(ERR_INVALID, "sbatch submitted nothing: the script has --test-only");
	return err_new(ERR_LOST, "sbatch succeeded, but printed no job id");
}

static struct err read_nothing(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	(void)c;
	(void)end;
	return why;
}

static struct err read_cancelled(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	(void)c;
	return strstr(end->errors, "already completing or completed") ? OK : why;
}

static struct err read_steps(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct slurm_step_shown *steps;
	c->told.no_accounting = tools_no_accounts(end);
	if (c->told.no_accounting)
		return OK;
	if (failed(why))
		return why;
	struct err e = printed_steps(end->output, &c->a, &steps, &c->told.n);
	c->told.steps = steps;
	return e;
}

static struct err read_version(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	if (failed(why))
		return why;
	c->told.version = printed_version(end->output, &c->a);
	return c->told.version ? OK : err_new(ERR_INVALID, "sinfo printed no version");
}

static struct err read_controller(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	return failed(why) ? why : printed_config(end->output, &c->told.controller);
}

static struct err tell_found(struct slurm_tools_call *c, struct err e)
{
	c->told.found = c->found.jobs;
	c->told.n = c->found.n;
	return e;
}

static struct err read_queue(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	if (failed(why))
		return why;
	struct err e = printed_queue(end->output, &c->a, &c->found);
	if (!failed(e) && c->values[SINCE]) {
		bool looks = c->found.n == 0 && c->tools->paths[TOOL_SDIAG];
		c->question = looks ? &agent : &accounts;
		c->goes_on = true;
	}
	return tell_found(c, e);
}

static int by_mark(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Sorts the words and removes duplicates; reports no words if some are missing. */
static void tell_words(struct slurm_tools_call *c)
{
	static const uint64_t none;
	uint64_t *words = c->found.words;
	size_t n = 0;
	if (c->found.n_words)
		qsort(words, c->found.n_words, sizeof(*words), by_mark);
	for (size_t i = 0; i < c->found.n_words; i++)
		if (i == 0 || words[i] != words[n - 1])
			words[n++] = words[i];
	c->told.n_words = n;
	c->told.words = c->found.n_words == PRINTED_MOST_WORDS ? NULL : n ? words : &none;
}

static struct err read_search(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct err e = failed(why) ? why : printed_queue(end->output, &c->a, &c->found);
	c->question = &accounts;
	c->goes_on = true;
	return tell_found(c, e);
}

/*
 * Runs before the query of the accounting database, so that the database has all that
 * slurmctld has sent by now. A Slurm that does not report its queue counts as a Slurm
 * whose queue is empty.
 */
static struct err read_agent(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	c->told.accounts_behind = !failed(why) && printed_dbd_queue(end->output) > 0;
	c->question = &accounts;
	c->goes_on = true;
	return OK;
}

static struct err read_marks(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct slurm_job_mark *marks;
	if (failed(why))
		return why;
	struct err e = printed_marks(end->output, &c->a, &marks, &c->told.n);
	c->told.marks = marks;
	return e;
}

static struct err read_accounts(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	c->told.no_accounting = tools_no_accounts(end);
	if (c->told.no_accounting) {
		tell_words(c);
		return OK;
	}
	if (tools_no_field(end) && !str_eq(c->values[THE_FIELDS], PRINTED_ACCOUNTS_OLD)) {
		tools_set(c, THE_FIELDS, PRINTED_ACCOUNTS_OLD);
		c->goes_on = true;
		return OK;
	}
	c->told.accounts_silent = failed(why);
	if (failed(why))
		return why;
	struct err e = printed_accounts(end->output, &c->a, &c->found);
	tell_words(c);
	return tell_found(c, e);
}

/* ---- arguments of the programs ---- */

static const struct question submit = { TOOL_SBATCH, true, 2, TOOLS_SMALL,
	{ { "--parsable" }, { "--partition=", THE_PARTITION }, { "--comment=", THE_KEY } },
	read_submitted };
static const struct question try = { TOOL_SBATCH, false, 1, TOOLS_SMALL,
	{ { "--test-only" }, { "--partition=", THE_PARTITION } }, read_nothing };
static const struct question cancel = { TOOL_SCANCEL, true, 1, TOOLS_SMALL, { { "", THE_ID } },
	read_cancelled };
static const struct question steps = { TOOL_SACCT, false, 1, TOOLS_LARGE,
	{ { "--noheader" }, { "--parsable2" }, { "--delimiter=" PRINTED_FIELD },
		{ "--jobs=", THE_ID }, { "--format=" PRINTED_STEPS } },
	read_steps };
static const struct question version = { TOOL_SINFO, false, 1, TOOLS_SMALL, { { "-V" } },
	read_version };
static const struct question controller = { TOOL_SCONTROL, false, 1, TOOLS_SMALL,
	{ { "show" }, { "config" } }, read_controller };
/* "--all" includes the jobs of hidden partitions. */
#define QUEUE(format, read)                                                                   \
	{ TOOL_SQUEUE, false, 1, TOOLS_LARGE,                                                 \
		{ { "--all" }, { "--noheader" }, { "--states=all" }, { "--user=", THE_USER }, \
			{ "--format=" format } },                                             \
		read }
static const struct question queue = QUEUE(PRINTED_QUEUE, read_queue);
static const struct question search = QUEUE(PRINTED_QUEUE, read_search);
static const struct question marks = QUEUE(PRINTED_MARKS, read_marks);

/*
 * With the states, sacct includes jobs that were cancelled before they became eligible;
 * without them it selects jobs by their eligible time. "--duplicates" includes all jobs
 * that have had an id, and not only the last.
 */
static const struct question accounts = { TOOL_SACCT, false, 1, TOOLS_LARGE,
	{ { "--noheader" }, { "--parsable2" }, { "--delimiter=" PRINTED_FIELD },
		{ "--allocations" }, { "--duplicates" }, { "--user=", THE_USER },
		{ "--starttime=uts", SINCE }, { "--endtime=now" },
		{ "--state=BF,CA,CD,DL,F,NF,OOM,PD,PR,R,RQ,S,TO" }, { "--format=", THE_FIELDS } },
	read_accounts };

static const struct question agent = { TOOL_SDIAG, false, 1, TOOLS_SMALL, { { NULL } },
	read_agent };

/* ---- the calls ---- */

void tools_set_number(struct slurm_tools_call *c, enum argument_value which, int64_t n)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "%" PRId64, n);
	tools_set(c, which, str_text(&text));
}

/* Slurm would read 4294967296 as 0, which means all jobs, and -1 as an option. */
struct slurm_tools_call *tools_begin_with_id(struct slurm_tools_call *c, int64_t id)
{
	struct err e = OK;
	tools_set_number(c, THE_ID, id);
	if (id < 1 || id > PRINTED_MOST_ID)
		e = err_new(ERR_NOT_FOUND, "no job can have the id %" PRId64, id);
	return tools_call_begin(c, e);
}

struct slurm_tools_call *slurm_tools_submit(struct slurm_tools *t,
	const struct slurm_submission *submission, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = tools_call_new(t, &submit, done, ctx);
	struct err e = submission->key ? printed_key_check(submission->key) : OK;
	tools_call_for(c, submission->client);
	c->input = own_strdup(submission->script);
	tools_set(c, THE_PARTITION, submission->partition);
	tools_set(c, THE_KEY, submission->key);
	return tools_call_begin(c, e);
}

struct slurm_tools_call *slurm_tools_try(struct slurm_tools *t, const char *partition,
	slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = tools_call_new(t, &try, done, ctx);
	c->input = own_strdup("#!/bin/sh\n:\n");
	tools_set(c, THE_PARTITION, partition);
	return tools_call_begin(c, OK);
}

static struct slurm_tools_call *find(struct slurm_tools_call *c, const char *keys, int64_t since_s)
{
	bool notes_words = c->question == &search;
	struct err e = printed_look_for(keys, &c->a, &c->found);
	c->found.notes_words = notes_words;
	tools_set_number(c, THE_USER, (int64_t)geteuid());
	tools_set(c, THE_FIELDS, PRINTED_ACCOUNTS);
	if (since_s >= 0)
		tools_set_number(c, SINCE, since_s > FIRST_SECOND ? since_s : FIRST_SECOND);
	return tools_call_begin(c, e);
}

struct slurm_tools_call *slurm_tools_find(struct slurm_tools *t, const char *key,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx)
{
	return find(tools_call_new(t, &queue, done, ctx), key, accounts_since_s);
}

struct slurm_tools_call *slurm_tools_search(struct slurm_tools *t, const char *keys,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx)
{
	return find(tools_call_new(t, &search, done, ctx), keys,
		accounts_since_s > 0 ? accounts_since_s : 0);
}

uint64_t slurm_key_mark(const char *key) { return printed_word_mark(key, strlen(key)); }

struct slurm_tools_call *slurm_tools_cancel(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx)
{
	return tools_begin_with_id(tools_call_new(t, &cancel, done, ctx), job_id);
}

struct slurm_tools_call *slurm_tools_steps(struct slurm_tools *t, int64_t job_id,
	slurm_tools_done *done, void *ctx)
{
	return tools_begin_with_id(tools_call_new(t, &steps, done, ctx), job_id);
}

struct slurm_tools_call *slurm_tools_version(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx)
{
	return tools_call_begin(tools_call_new(t, &version, done, ctx), OK);
}

struct slurm_tools_call *slurm_tools_controller(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx)
{
	return tools_call_begin(tools_call_new(t, &controller, done, ctx), OK);
}

struct slurm_tools_call *slurm_tools_marks(struct slurm_tools *t, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = tools_call_new(t, &marks, done, ctx);
	tools_set_number(c, THE_USER, (int64_t)geteuid());
	return tools_call_begin(c, OK);
}
