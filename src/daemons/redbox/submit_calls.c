/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of clients: which run each of them waits for. */
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "daemons/redbox/submit_parts.h"

static struct run *run_of(const struct submitter *s, const char *key)
{
	struct run *r;
	DL_FOREACH(s->runs, r)
	if (key && r->script && str_eq(r->key, key))
		return r;
	return NULL;
}

static void overfull(void *ctx)
{
	struct run *r = ctx;
	r->timer = NULL;
	run_tell(r, err_new(ERR_TOO_LARGE, "too many submissions at a time: try again later"), 0);
}

static struct run *new_run(struct submitter *s, const struct slurm_submission *submission,
	int64_t known_id)
{
	const char *script = submission->script;
	size_t bytes = script ? strlen(script) : 0;
	bool takes = s->n < SUBMIT_MOST && s->bytes + bytes <= SUBMIT_SCRIPTS_BYTES;
	struct run *r = own_alloc(sizeof(*r));
	*r = (struct run){
		.submitter = s,
		.script = own_strdup(takes || !script ? script : ""),
		.partition = own_strdup(submission->partition),
		.key = own_strdup(submission->key),
		.known_id = known_id,
		.since_ms = INT64_MIN,
		.began_ms = loop_now_ms(s->loop),
		.facts.has_key = submission->key != NULL,
		.facts.only_asks = !script,
	};
	s->n++;
	s->turned_away += !takes;
	s->bytes += r->script ? strlen(r->script) : 0;
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

struct submit_wait *submitter_submit(struct submitter *s, const struct slurm_submission *submission,
	int64_t known_id, int64_t since_ms, submit_done *done, void *ctx)
{
	struct run *r = run_of(s, submission->key);
	struct submission_facts f = { .has_key = submission->key != NULL, .in_flight = r != NULL };
	if (decide_submission(&f) != SUBMISSION_JOIN)
		r = new_run(s, submission, known_id);
	if (since_ms > r->since_ms)
		r->since_ms = since_ms;
	return wait_for(r, done, ctx, !submission->script);
}

struct submit_wait *submitter_close(struct submitter *s, const char *key, submit_done *done,
	void *ctx)
{
	struct run *r = new_run(s, &(struct slurm_submission){ .key = key }, 0);
	r->closes = true;
	return wait_for(r, done, ctx, false);
}

struct submit_wait *submitter_look(struct submitter *s, const char *key, int64_t known_id,
	enum submission_doubt doubt, submit_done *done, void *ctx)
{
	struct submit_wait *w = submitter_submit(s, &(struct slurm_submission){ .key = key },
		known_id, loop_now_ms(s->loop), done, ctx);
	w->run->facts.displaced |= doubt == DOUBT_DISPLACED;
	w->run->facts.unended |= doubt == DOUBT_UNENDED;
	return w;
}
