/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the operator through one seed: faults, crashes, users, and then peace. */
#include "sim/sim_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"
#include "sim/sim_users.h"

enum {
	QUIET_MS = 90000,
	STEP_MS = 5000,
	SETTLE_MS = 3600000,
	/*
	 * A tenant that does no harm does not wait longer; of 85 plays the longest took
	 * 144 s. Where slurmctld's clock was set back, "nothing has changed since" may be
	 * wrong until the next whole list: 30 minutes (src/slurm/rest/nodes.c, FULL_MS).
	 * Where it was restored, a job that it forgot holds its pod until its time limit,
	 * which users shorten to 30 minutes (sim_rough_slurm.c, LONG_MS).
	 */
	ALONE_MS = 600000,
	ALONE_LONG_MS = ALONE_MS + 1800000,
};

/* The operator in one world. */
struct run {
	struct world *w;
	uint64_t steps;
};

static void crashed(void *ctx, int who)
{
	struct run *r = ctx;
	sim_manager_crash(&r->w->managers[who]);
}

static void live(struct world *w)
{
	w->n_managers = w->n_managers ? w->n_managers : 1;
	w->oracle.lease.elected = w->n_managers > 1;
	for (int i = 0; i < w->n_managers; i++) {
		sim_manager_init(&w->managers[i], w, i, w->n_managers > 1);
		sim_manager_live(&w->managers[i]);
	}
}

static void run_for(struct run *r, int64_t ms)
{
	int64_t until = loop_now_ms(world_loop(r->w)) + ms;
	while (!world_broken(r->w) && loop_now_ms(world_loop(r->w)) < until && world_step(r->w))
		r->steps++;
}

static void settle(struct run *r)
{
	struct world *w = r->w;
	int64_t end = loop_now_ms(world_loop(w)) + SETTLE_MS;
	while (!world_broken(w) && loop_now_ms(world_loop(w)) < end &&
		world_unsettled(w, QUIET_MS)) {
		run_for(r, 10000);
		sim_oracle_on_peace(&w->oracle);
	}
	const char *why = world_unsettled(w, QUIET_MS);
	if (!world_broken(w) && why)
		sim_oracle_break(&w->oracle, "P6", NULL,
			"the faults have ended and an hour has passed, but %s", why);
}

/* NULL: every object that users left alone is what was asked for; else why not. */
static const char *left_alone_unsettled(struct world *w)
{
	static char why[400];
	for (size_t i = 0; i < w->n_objects; i++) {
		const struct world_object *o = &w->objects[i];
		const struct sim_version *v = world_object(w, o->resource, o->ns, o->name);
		const struct sim_kind *k = sim_kind_of(o->resource);
		if (!o->left_alone)
			continue;
		if (!v)
			return "it is gone";
		if (!k->fits(&w->oracle, v, why, sizeof(why)))
			return why;
	}
	return NULL;
}

static bool has_left_alone(const struct world *w)
{
	for (size_t i = 0; i < w->n_objects; i++)
		if (w->objects[i].left_alone)
			return true;
	return false;
}

static bool is_of_left_alone(struct world *w, const struct sim_version *pod)
{
	for (size_t i = 0; i < w->n_objects; i++) {
		const struct world_object *o = &w->objects[i];
		const struct sim_version *v = world_object(w, o->resource, o->ns, o->name);
		if (o->left_alone && v && strcmp(v->uid, sim_owner_uid(pod)) == 0)
			return true;
	}
	return false;
}

/* A pod of them waits for jobs that have begun on its node. No other can begin there. */
static bool left_alone_drains(struct world *w)
{
	const struct sim_list *pods = &w->kube.store.of[RES_POD];
	for (size_t i = 0; i < pods->n; i++) {
		const struct sim_node *n = sim_oracle_node_of(&w->oracle, pods->at[i]->uid);
		if (n && n->drain && sim_node_job(n) && is_of_left_alone(w, pods->at[i]))
			return true;
	}
	return false;
}

/*
 * P7: what users left alone soon comes to rest, however broken the rest is left. The time
 * that jobs take does not count.
 */
static void settle_left_alone(struct run *r)
{
	struct world *w = r->w;
	bool is_long = sim_rough_has(w, "ctld-clock") || sim_rough_has(w, "restored-state");
	int64_t most_ms = is_long ? ALONE_LONG_MS : ALONE_MS;
	int64_t last = loop_now_ms(world_loop(w)) + SETTLE_MS;
	for (int64_t end = loop_now_ms(world_loop(w)) + most_ms;
		!world_broken(w) && loop_now_ms(world_loop(w)) < end;) {
		run_for(r, STEP_MS);
		if (!left_alone_unsettled(w))
			return;
		if (left_alone_drains(w) && end + STEP_MS < last)
			end += STEP_MS;
	}
	if (!world_broken(w))
		sim_oracle_break(&w->oracle, "P7", NULL,
			"the others are left as they are, and for %lld min a NodeSet that "
			"nobody broke is not what was asked for: %s",
			(long long)most_ms / 60000, left_alone_unsettled(w));
}

static void story(struct run *r, const char *rough)
{
	struct world *w = r->w;
	struct sim_users users = sim_users_new(w);
	sim_rough_begin(w, rough ? rough : getenv("ROUGH"));
	live(w);
	for (int i = 0; i < users.turns && !world_broken(w); i++) {
		run_for(r, sim_users_pause_ms(&users));
		sim_users_act(&users);
	}
	if (has_left_alone(w)) {
		sim_users_calm(&users);
		settle_left_alone(r);
	}
	sim_users_repair(&users);
	settle(r);
}

struct sim_played sim_play(const struct sim_play *p)
{
	struct run r = { .w = world_new(p->seed) };
	struct sim_faults *faults = &r.w->net->faults;
	struct sim_played out = { 0 };
	r.w->oracle.trace = p->trace;
	faults->replay = p->exact;
	faults->given = p->faults;
	faults->n_given = p->n_faults;
	sim_faults_swarm(faults, sim_rand_new(p->seed, 12));
	world_on_crash(r.w, crashed, &r);
	story(&r, p->rough);
	sim_rough_print(r.w, out.rough);
	if (world_broken(r.w)) {
		snprintf(out.promise, sizeof(out.promise), "%s", r.w->oracle.promise);
		snprintf(out.text, sizeof(out.text), "%s", world_broken(r.w));
	}
	out.faults = TAKE(faults->happened);
	out.n_faults = faults->n_happened;
	out.steps = r.steps;
	out.log = r.w->oracle.log;
	r.w->oracle.log = (struct str){ 0 };
	for (int i = 0; i < r.w->n_managers; i++) {
		out.lives += r.w->managers[i].lives;
		sim_manager_free(&r.w->managers[i]);
	}
	world_free(r.w);
	metric_free_all();
	return out;
}

void sim_played_free(struct sim_played *p)
{
	free(p->faults);
	str_free(&p->log);
	*p = (struct sim_played){ 0 };
}

/* ---- shrinking ---- */

struct shrink {
	struct sim_play play;
	struct sim_played *broken; /* the shortest so far */
	int plays;
};

static bool breaks_the_same(void *ctx, const struct sim_fault *list, size_t n)
{
	struct shrink *s = ctx;
	s->play.faults = list;
	s->play.n_faults = n;
	s->plays++;
	struct sim_played played = sim_play(&s->play);
	bool same = strcmp(played.promise, s->broken->promise) == 0;
	if (same)
		snprintf(s->broken->text, sizeof(s->broken->text), "%s", played.text);
	sim_played_free(&played);
	return same;
}

/* Leaves out one roughness after the other. rough: that of the play, "=a b c". */
static void smooth(struct shrink *s, char rough[static ROUGH_TEXT])
{
	for (char *at = rough + 1; *at;) {
		char before[ROUGH_TEXT];
		size_t n = strcspn(at, " ");
		memcpy(before, rough, sizeof(before));
		memmove(at, at + n + (at[n] == ' '), strlen(at + n + (at[n] == ' ')) + 1);
		if (breaks_the_same(s, s->broken->faults, s->broken->n_faults))
			continue;
		memcpy(rough, before, sizeof(before));
		at += n + (at[n] == ' ');
	}
	memcpy(s->broken->rough, rough, ROUGH_TEXT);
}

int sim_play_shrink(const struct sim_play *p, struct sim_played *played)
{
	char rough[ROUGH_TEXT];
	struct shrink s = {
		.play = { .seed = p->seed, .exact = true, .rough = rough },
		.broken = played,
	};
	snprintf(rough, sizeof(rough), "%s", played->rough);
	played->n_faults = sim_faults_shrink(played->faults, played->n_faults, breaks_the_same, &s);
	smooth(&s, rough);
	return s.plays;
}
