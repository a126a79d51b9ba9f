/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays a story on the simulator, with the real operator in it: its lives, its crashes, a
 * second one with leader election. The oracles of the world watch all the time, and every
 * job is watched too: it must stay in the pod in which it started until it has ended by
 * itself.
 */
#ifndef STORY_PLAYER_H
#define STORY_PLAYER_H

#include "sim/sim_world.h"
#include "story/story.h"

enum { PLAYER_JOBS = 8, PLAYER_PODS = 32 };

struct player {
	struct world *w;
	int killed_leader; /* the number of the one that was killed, frozen or told to end */
	struct player_pod {
		char name[64], uid[64];
		/* Where each job started; what pods a NodeSet began with */
	} jobs[PLAYER_JOBS], pods[PLAYER_PODS];
	int64_t job_ids[PLAYER_JOBS];
	size_t n_jobs, n_pods;
	struct timer *rebirth; /* after a crash by fault, the manager starts again */
	uint64_t kills;
	char trouble[900]; /* "" while all is well */
};

/* Whether the simulator has words for the phrase. */
bool player_can(const struct story_phrase *phrase);
/*
 * From now on a crash that is among the faults of the world ends manager 0, and it starts
 * again after a while.
 */
void player_crashes(struct player *p);
/* NULL, or what went wrong, with file and line; valid as long as p. */
const char *player_play(struct player *p, const struct story *story);
void player_end(struct player *p); /* the managers die; then world_free */

/* ---- between the files ---- */
typedef void player_do(struct player *p, const struct story_step *s);
typedef bool player_ask(struct player *p, const struct story_step *s);
player_do *player_find_do(const char *verb);
player_ask *player_find_ask(const char *verb);
player_do *player_find_rough_do(const char *verb); /* rough.c */
player_ask *player_find_rough_ask(const char *verb);

void player_fail(struct player *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool player_step(struct player *p); /* the next thing; false: something is wrong */
void player_run(struct player *p, int64_t ms);
/* A wait that fails the story when it is in vain. */
void player_wait(struct player *p, const struct story_step *s, player_ask *is, int64_t at_most_ms,
	const char *what);
void player_live(struct player *p, int number, bool elect);
void player_die(struct player *p, int number);
int player_leader(const struct player *p); /* -1: none */
int player_number(const struct story_step *s, int arg);
/* Named by the first argument; NULL */
struct sim_version *player_nodeset(const struct player *p, const struct story_step *s);
const char *player_pod_uid(const struct player *p, const char *pod); /* "" when there is none */

#endif
