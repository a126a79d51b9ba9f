/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a story in the simulated world, phrase by phrase. */
#include "story/player.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { REBIRTH_MS = 1500 };

void player_fail(struct player *p, const char *format, ...)
{
	va_list args;
	if (p->trouble[0])
		return;
	va_start(args, format);
	vsnprintf(p->trouble, sizeof(p->trouble), format, args);
	va_end(args);
}

/* ---- managers ---- */

/* As the Lease says, which is the truth; without one the first leads. */
int player_leader(const struct player *p)
{
	int who = p->w->oracle.lease.elected ? sim_oracle_leader(&p->w->oracle) : 0;
	return who >= 0 && p->w->managers[who].controller ? who : -1;
}

void player_live(struct player *p, int number, bool elect)
{
	struct sim_manager *m = &p->w->managers[number];
	if (!m->w)
		sim_manager_init(m, p->w, number, elect);
	p->w->oracle.lease.elected = elect;
	m->stays_dead = true;
	sim_manager_live(m);
}

void player_die(struct player *p, int number)
{
	if (p->w->managers[number].controller)
		sim_manager_crash(&p->w->managers[number]);
}

static void born_again(void *ctx)
{
	struct player *p = ctx;
	p->rebirth = NULL;
	player_live(p, 0, false);
}

static void crashed(void *ctx, int who)
{
	(void)who;
	struct player *p = ctx;
	if (!p->w->managers[0].controller)
		return;
	player_die(p, 0);
	p->kills++;
	p->rebirth = timer_start(world_loop(p->w), sim_rand_range(&p->w->rand, 20, REBIRTH_MS),
		born_again, p);
}

void player_crashes(struct player *p) { world_on_crash(p->w, crashed, p); }

void player_end(struct player *p)
{
	timer_stop(world_loop(p->w), p->rebirth);
	for (int i = 0; i < SIM_PROGRAMS; i++)
		sim_manager_free(&p->w->managers[i]);
}

/* ---- questions of both kinds of words ---- */

int player_number(const struct story_step *s, int arg)
{
	return (int)strtol(s->args[arg], NULL, 10);
}

struct sim_version *player_nodeset(const struct player *p, const struct story_step *s)
{
	return world_object(p->w, RES_NODESET, WORLD_NS, s->args[0]);
}

const char *player_pod_uid(const struct player *p, const char *pod)
{
	const struct sim_version *v = world_object(p->w, RES_POD, WORLD_NS, pod);
	return v ? v->uid : "";
}

/* ---- time ---- */

static void watch_job(struct player *p, size_t i)
{
	const struct sim_job *job = sim_slurm_job(&p->w->slurm, p->job_ids[i]);
	const struct sim_version *pod = world_object(p->w, RES_POD, WORLD_NS, p->jobs[i].name);
	if (job->requeues)
		player_fail(p, "job %zu lost its node %s", i + 1, p->jobs[i].name);
	else if (job->state != JOB_COMPLETED &&
		(!pod || strcmp(pod->uid, p->jobs[i].uid) != 0 || sim_terminating(pod)))
		player_fail(p, "job %zu runs, but its pod %s is %s", i + 1, p->jobs[i].name,
			!pod                           ? "gone"
				: sim_terminating(pod) ? "ending"
						       : "another one");
}

bool player_step(struct player *p)
{
	if (!world_step(p->w))
		player_fail(p, "nothing is left to happen");
	if (world_broken(p->w))
		player_fail(p, "%s", world_broken(p->w));
	for (size_t i = 0; i < p->n_jobs; i++)
		watch_job(p, i);
	return !p->trouble[0];
}

void player_run(struct player *p, int64_t ms)
{
	for (int64_t end = loop_now_ms(world_loop(p->w)) + ms; loop_now_ms(world_loop(p->w)) < end;)
		if (!player_step(p))
			return;
}

void player_wait(struct player *p, const struct story_step *s, player_ask *is, int64_t at_most_ms,
	const char *what)
{
	int64_t end = loop_now_ms(world_loop(p->w)) + at_most_ms;
	while (!p->trouble[0] && !is(p, s)) {
		if (loop_now_ms(world_loop(p->w)) >= end)
			player_fail(p, "waited in vain: %s", what);
		else
			player_step(p);
	}
}

/* ---- steps ---- */

static void demand(struct player *p, const struct story_step *s, player_ask *is)
{
	int64_t end = loop_now_ms(world_loop(p->w)) + (int64_t)s->for_s * 1000;
	do {
		if (!is(p, s))
			player_fail(p, "it is not so");
	} while (!p->trouble[0] && loop_now_ms(world_loop(p->w)) < end && player_step(p));
}

static void play_step(struct player *p, const struct story_step *s)
{
	if (!s->phrase->asks)
		player_find_do(s->phrase->verb)(p, s);
	else if (s->within_s)
		player_wait(p, s, player_find_ask(s->phrase->verb), (int64_t)s->within_s * 1000,
			s->text);
	else
		demand(p, s, player_find_ask(s->phrase->verb));
}

bool player_can(const struct story_phrase *phrase)
{
	return phrase->asks ? player_find_ask(phrase->verb) != NULL
			    : player_find_do(phrase->verb) != NULL;
}

const char *player_play(struct player *p, const struct story *story)
{
	for (size_t i = 0; i < story->n_steps; i++) {
		const struct story_step *s = story->steps[i];
		play_step(p, s);
		if (!p->trouble[0])
			continue;
		static char text[1200];
		snprintf(text, sizeof(text), "%s:%d: %s: %s", s->file, s->line, s->text,
			p->trouble);
		return text;
	}
	return NULL;
}
