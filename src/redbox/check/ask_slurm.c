/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the tools of Slurm: their versions, and their output. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "net/process.h"
#include "redbox/check/ask.h"
#include "slurm/tools/printed.h"
#include "slurm/tools/tools.h"

enum {
	ANY_JOB = 1, /* any job id, to see whether accounting responds */
	SENTENCE_BYTES = 200,
};

/* A program or call; its result goes to its place in the facts. */
struct question {
	struct check_slurm_ask *all;
	size_t i; /* index of the tool or the partition */
	struct process *process;
};

struct check_slurm_ask {
	struct check_ask by;
	struct slurm_tools *tools;
	size_t left;
	struct question versions[CHECK_TOOLS], tries[CHECK_PARTITIONS];
};

_Static_assert((int)CHECK_TOOLS == (int)SLURM_TOOLS, "a row for each tool");

/* After the last query calls done, which may free everything. */
static void one_less(struct check_slurm_ask *s)
{
	if (--s->left == 0)
		s->by.done(s->by.ctx);
}

/* ---- versions ---- */

/* The output of a program as one line. */
static const char *said_by(struct arena *a, struct err e, const struct process_end *end)
{
	AUTO(str_free) struct str said = { 0 };
	str_add_foreign(&said, failed(e) ? e.text : end->errors, SENTENCE_BYTES);
	return arena_strdup(a, said.len ? str_text(&said) : "it ended without output");
}

static void version_told(void *ctx, struct err e, const struct process_end *end)
{
	struct question *q = ctx;
	struct check_facts *f = q->all->by.facts;
	q->process = NULL;
	if (!failed(e) && end->code == 0)
		f->tools[q->i].version = printed_version(end->output, q->all->by.arena);
	else
		f->tools[q->i].why = said_by(q->all->by.arena, e, end);
	one_less(q->all);
}

static void ask_versions(struct check_slurm_ask *s, const char *folder)
{
	struct check_facts *f = s->by.facts;
	struct slurm_tool_found found[SLURM_TOOLS];
	slurm_tools_look(folder, s->by.arena, found);
	f->tools_folder = folder;
	f->n_tools = SLURM_TOOLS;
	for (size_t i = 0; i < SLURM_TOOLS; i++) {
		const char *argv[] = { found[i].path, "-V", NULL };
		const struct process_config config = { .argv = argv, .limit_ms = s->by.limit_ms };
		struct question *q = &s->versions[i];
		f->tools[i] = (struct check_tool){ found[i].name, found[i].path, found[i].needed,
			NULL, NULL };
		*q = (struct question){ .all = s, .i = i };
		if (found[i].path &&
			!failed(process_start(s->by.loop, &config, version_told, q, &q->process)))
			s->left++;
	}
}

/* ---- slurmctld and its partitions ---- */

static void try_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct question *q = ctx;
	(void)told;
	q->all->by.facts->partition[q->i].takes = (struct check_answer){ true, e };
	one_less(q->all);
}

static void partitions_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct check_slurm_ask *s = ctx;
	struct check_facts *f = s->by.facts;
	f->partitions = (struct check_answer){ true, e };
	for (size_t i = 0; !failed(e) && i < told->n && i < CHECK_PARTITIONS; i++) {
		f->partition[f->n_partitions++].name = arena_strdup(s->by.arena,
			told->partitions[i].name);
		s->tries[i] = (struct question){ .all = s, .i = i };
		s->left++;
		slurm_tools_try(s->tools, f->partition[i].name, try_told, &s->tries[i]);
	}
	one_less(s);
}

static void controller_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct check_slurm_ask *s = ctx;
	struct check_facts *f = s->by.facts;
	char since[TIME_RFC3339_BYTES];
	f->controller = (struct check_answer){ true, e };
	if (!failed(e)) {
		time_format(told->controller.boot_s * 1000, since);
		f->controller_since = arena_strdup(s->by.arena, since);
		s->left++;
		slurm_tools_partitions(s->tools, NULL, partitions_told, s);
	}
	one_less(s);
}

/* ---- accounting ---- */

static void accounts_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct check_slurm_ask *s = ctx;
	s->by.facts->accounts = (struct check_answer){ true, e };
	s->by.facts->no_accounts = told->no_accounting;
	one_less(s);
}

/* ---- all ---- */

static void nothing_to_ask(void *ctx) { one_less(ctx); }

struct check_slurm_ask *check_ask_slurm(const struct check_ask *by, const char *folder)
{
	struct check_slurm_ask *s = own_alloc(sizeof(*s));
	const struct slurm_tools_config config = { .folder = folder, .limit_ms = by->limit_ms };
	s->by = *by;
	ask_versions(s, folder);
	s->left++;
	if (failed(slurm_tools_new(by->loop, &config, &s->tools))) {
		timer_start(by->loop, 0, nothing_to_ask, s);
		return s;
	}
	s->left++;
	slurm_tools_controller(s->tools, controller_told, s);
	slurm_tools_steps(s->tools, ANY_JOB, accounts_told, s);
	return s;
}

void check_slurm_ask_free(struct check_slurm_ask *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < CHECK_TOOLS; i++)
		process_cancel(s->versions[i].process);
	slurm_tools_free(s->tools);
	free(s);
}
