/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the bridge through one seed: faults, crashes, people, and then peace. */
#include "sim/sim_bridge_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"

enum { QUIET_MS = 60000, LOOK_MS = 10000, SETTLE_MS = 2 * 3600 * 1000 };
/* LIVES_MS: for new lives; SHOWN_MS: the longest pause between two lives */
enum { LIVES_MS = 30000, SHOWN_MS = 600000, SOON_MS = 60000 };

static void run_for(struct bridge *b, int64_t ms)
{
	int64_t until = b->loop->now_ms + ms;
	while (!*b->promise && b->loop->now_ms < until && sim_loop_step(b->loop))
		;
}

/* The partition may be closed still: the Node has to say so. */
static void shown(struct bridge *b)
{
	int64_t end = b->loop->now_ms + SHOWN_MS;
	run_for(b, LIVES_MS);
	while (!*b->promise && b->loop->now_ms < end && bridge_hidden(b))
		run_for(b, LOOK_MS);
	const char *why = bridge_hidden(b);
	if (!*b->promise && why)
		bridge_break(b, "P6", "the faults have ended for %d s, but %s", SHOWN_MS / 1000,
			why);
}

static void settle(struct bridge *b)
{
	int64_t end = b->loop->now_ms + SETTLE_MS;
	while (!*b->promise && b->loop->now_ms < end && bridge_unsettled(b, QUIET_MS))
		run_for(b, LOOK_MS);
	const char *why = bridge_unsettled(b, QUIET_MS);
	if (!*b->promise && why)
		bridge_break(b, "P6", "the faults have ended and two hours have passed, but %s",
			why);
}

/*
 * slurmdbd goes, and a user wishes a job. The journal of red-box was never lost and is
 * older than a week, so it vouches that the key is new: the job is submitted at once.
 */
static void without_accounts(struct bridge *b)
{
	bool vouches = b->seed % 6 == 1 && b->hpc.accounts && !b->journal_lost;
	if (*b->promise || !vouches || b->n_objects == BRIDGE_OBJECTS)
		return;
	while (!*b->promise && !(b->controller && b->vnode && b->box.service))
		run_for(b, LOOK_MS);
	run_for(b, LIVES_MS);
	sim_hpc_dbd_down(&b->hpc, SETTLE_MS);
	const char *uid = bridge_apply_last(b);
	int64_t end = b->loop->now_ms + SOON_MS;
	while (!*b->promise && b->loop->now_ms < end && !bridge_job_of(b, uid))
		run_for(b, LOOK_MS);
	if (!*b->promise && !bridge_job_of(b, uid))
		bridge_break(b, "P5", "%s is not submitted within %d s, because slurmdbd is away",
			uid, SOON_MS / 1000);
	sim_hpc_calm(&b->hpc);
	settle(b);
}

static void story(struct bridge *b)
{
	int64_t turns = sim_rand_range(&b->rand, 10, 50);
	for (int64_t i = 0; i < turns && !*b->promise; i++) {
		run_for(b, bridge_pause_ms(b));
		bridge_act(b);
	}
	bridge_calm(b);
	shown(b);
	bridge_open(b);
	settle(b);
	without_accounts(b);
}

struct bridge_played bridge_play(const struct bridge_play *p)
{
	struct bridge *b = bridge_new(p->seed);
	struct sim_faults *faults = &b->net->faults;
	struct bridge_played out = { 0 };
	b->trace = p->trace;
	faults->replay = p->exact;
	faults->given = p->faults;
	faults->n_given = p->n_faults;
	sim_faults_swarm(faults, sim_rand_new(p->seed, 12));
	story(b);
	snprintf(out.promise, sizeof(out.promise), "%s", b->promise);
	snprintf(out.text, sizeof(out.text), "%s", b->broken);
	out.faults = TAKE(faults->happened);
	out.n_faults = faults->n_happened;
	out.steps = b->loop->steps;
	out.objects = b->n_objects;
	out.nowhere = b->nowhere;
	out.rest = b->n_rest;
	for (const struct hpc_job *j = b->hpc.jobs; j; j = j->next)
		out.jobs++;
	for (const struct hpc_job *j = b->other.hpc.jobs; j; j = j->next)
		out.jobs++;
	out.log = b->log;
	b->log = (struct str){ 0 };
	bridge_free(b);
	metric_free_all();
	return out;
}

void bridge_played_free(struct bridge_played *p)
{
	free(p->faults);
	str_free(&p->log);
	*p = (struct bridge_played){ 0 };
}

/* ---- shrinking ---- */

struct shrink {
	struct bridge_play play;
	struct bridge_played *broken; /* the shortest so far */
	int plays;
};

static bool breaks_the_same(void *ctx, const struct sim_fault *list, size_t n)
{
	struct shrink *s = ctx;
	s->play.faults = list;
	s->play.n_faults = n;
	s->plays++;
	struct bridge_played played = bridge_play(&s->play);
	bool same = strcmp(played.promise, s->broken->promise) == 0;
	if (same)
		snprintf(s->broken->text, sizeof(s->broken->text), "%s", played.text);
	bridge_played_free(&played);
	return same;
}

int bridge_play_shrink(const struct bridge_play *p, struct bridge_played *played)
{
	struct shrink s = {
		.play = { .seed = p->seed, .exact = true },
		.broken = played,
	};
	played->n_faults = sim_faults_shrink(played->faults, played->n_faults, breaks_the_same, &s);
	return s.plays;
}
