/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's tools as a test plays them: each call is noted, and answered when the test says
 * so. In place of src/slurm/tools/tools.c: of one test program, which includes this once.
 *
 *     struct fake_tools tools = { 0 };  ... (struct slurm_tools *)&tools ...
 *     struct slurm_tools_call *c = fake_call(&tools, FAKE_SUBMIT);
 *     fake_says(c, OK, &(struct slurm_tools_told){ .job_id = 53 });
 */
#ifndef TESTS_LIB_FAKE_SLURM_TOOLS_H
#define TESTS_LIB_FAKE_SLURM_TOOLS_H

#include <utlist.h>

#include "lib/test.h"
#include "slurm/tools/tools.h"

enum fake_kind {
	FAKE_SUBMIT,
	FAKE_FIND,
	FAKE_CANCEL,
	FAKE_JOB,
	FAKE_ACCOUNT,
	FAKE_STEPS,
	FAKE_PARTITIONS,
	FAKE_VERSION,
	FAKE_CONTROLLER,
	FAKE_MARKS,
	FAKE_KINDS
};

struct slurm_tools_call {
	struct slurm_tools_call *prev, *next;
	struct fake_tools *tools;
	enum fake_kind kind;
	/* key: also several with a blank between them, and the name of a partition */
	char *script, *partition, *key;
	int64_t number; /* of a job, or the second since when */
	slurm_tools_done *done;
	void *ctx;
};

struct fake_tools {
	struct slurm_tools_call *calls; /* that are under way */
	int seen[FAKE_KINDS], cancelled;
};

/* The bytes of its end. */
uint64_t slurm_key_mark(const char *key)
{
	uint64_t mark = 0;
	for (; *key; key++)
		mark = mark << 8 | (uint8_t)*key;
	return mark;
}

static inline struct slurm_tools_call *fake_begin(struct slurm_tools *t, enum fake_kind kind,
	slurm_tools_done *done, void *ctx)
{
	struct fake_tools *tools = (struct fake_tools *)t;
	struct slurm_tools_call *c = own_alloc(sizeof(*c));
	*c = (struct slurm_tools_call){ .tools = tools, .kind = kind, .done = done, .ctx = ctx };
	tools->seen[kind]++;
	DL_APPEND(tools->calls, c);
	return c;
}

static inline void fake_end(struct slurm_tools_call *c)
{
	DL_DELETE(c->tools->calls, c);
	free(c->script);
	free(c->partition);
	free(c->key);
	free(c);
}

/* The oldest of this kind that is under way; the test fails when there is none. */
static inline struct slurm_tools_call *fake_call(struct fake_tools *t, enum fake_kind kind)
{
	struct slurm_tools_call *c;
	DL_FOREACH(t->calls, c)
	if (c->kind == kind)
		return c;
	fail_msg("no such call is under way");
	return NULL;
}

static inline void fake_says(struct slurm_tools_call *c, struct err e,
	const struct slurm_tools_told *told)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct slurm_tools_told says = told ? *told : (struct slurm_tools_told){ 0 };
	struct slurm_job_shown *jobs = arena_array(&a, struct slurm_job_shown, says.n + 1);
	slurm_tools_done *done = c->done;
	void *ctx = c->ctx;
	for (size_t i = 0; says.jobs && i < says.n; i++)
		jobs[i] = says.jobs[i];
	says.jobs = says.jobs ? jobs : NULL;
	says.arena = &a;
	fake_end(c);
	done(ctx, e, &says);
}

struct slurm_tools_call *slurm_tools_submit(struct slurm_tools *t,
	const struct slurm_submission *submission, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = fake_begin(t, FAKE_SUBMIT, done, ctx);
	c->script = own_strdup(submission->script);
	c->partition = own_strdup(submission->partition);
	c->key = own_strdup(submission->key);
	return c;
}

struct slurm_tools_call *slurm_tools_search(struct slurm_tools *t, const char *keys,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = fake_begin(t, FAKE_FIND, done, ctx);
	c->key = own_strdup(keys);
	c->number = accounts_since_s;
	return c;
}

struct slurm_tools_call *slurm_tools_find(struct slurm_tools *t, const char *key,
	int64_t accounts_since_s, slurm_tools_done *done, void *ctx)
{
	return slurm_tools_search(t, key, accounts_since_s, done, ctx);
}

#define FAKE_OF_JOB(name, kind)                                              \
	struct slurm_tools_call *name(struct slurm_tools *t, int64_t job_id, \
		slurm_tools_done *done, void *ctx)                           \
	{                                                                    \
		struct slurm_tools_call *c = fake_begin(t, kind, done, ctx); \
		c->number = job_id;                                          \
		return c;                                                    \
	}
FAKE_OF_JOB(slurm_tools_cancel, FAKE_CANCEL)
FAKE_OF_JOB(slurm_tools_job, FAKE_JOB)
FAKE_OF_JOB(slurm_tools_steps, FAKE_STEPS)

struct slurm_tools_call *slurm_tools_account(struct slurm_tools *t,
	const struct slurm_job_found *job, slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = fake_begin(t, FAKE_ACCOUNT, done, ctx);
	c->number = job->id;
	return c;
}

struct slurm_tools_call *slurm_tools_partitions(struct slurm_tools *t, const char *name,
	slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = fake_begin(t, FAKE_PARTITIONS, done, ctx);
	c->key = own_strdup(name);
	return c;
}

struct slurm_tools_call *slurm_tools_version(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx)
{
	return fake_begin(t, FAKE_VERSION, done, ctx);
}

struct slurm_tools_call *slurm_tools_marks(struct slurm_tools *t, slurm_tools_done *done, void *ctx)
{
	return fake_begin(t, FAKE_MARKS, done, ctx);
}

struct slurm_tools_call *slurm_tools_controller(struct slurm_tools *t, slurm_tools_done *done,
	void *ctx)
{
	return fake_begin(t, FAKE_CONTROLLER, done, ctx);
}

void slurm_tools_call_cancel(struct slurm_tools_call *call)
{
	if (!call)
		return;
	call->tools->cancelled++;
	fake_end(call);
}

#endif
