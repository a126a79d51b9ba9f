/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks one question for all jobs that were accepted recently: does the slurmctld that
 * accepted them still run? A job of another slurmctld stays SUBMISSION_ACCEPTED, and the
 * next call with its key looks for it (submission.h).
 */
#include <assert.h>

#include "base/log.h"
#include "redbox/submit/submit_parts.h"

enum { AGAIN_MS = 10000 };

static void ask(void *ctx);

static void ask_in(struct settler *s, int64_t ms)
{
	if (!s->timer && !s->call)
		s->timer = timer_start(s->loop, ms, ask, s);
}

static void told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct settler *s = ctx;
	s->call = NULL;
	if (failed(e))
		log_debug("slurmctld does not report its start time", "why", e.text);
	else
		s->boot_s = told->controller.boot_s;
	if (failed(e) || journal_settle(s->journal, s->boot_s))
		ask_in(s, AGAIN_MS);
}

static void ask(void *ctx)
{
	struct settler *s = ctx;
	s->timer = NULL;
	assert(!s->call); /* one question at a time */
	s->call = slurm_tools_controller(s->tools, told, s);
}

void settler_begin(struct settler *s) { ask_in(s, 0); }

void settler_wake(struct settler *s) { ask_in(s, s->boot_s ? AGAIN_MS : 0); }

void settler_end(struct settler *s)
{
	timer_stop(s->loop, s->timer);
	slurm_tools_call_cancel(s->call);
}
