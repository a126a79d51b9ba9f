/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults. Every request and every delivery on a watch is a point; at each of them one
 * fault may happen. The faults of a run are a list of (point, kind): drawn at random and
 * recorded, or given and replayed, so that a failing run can be shrunk to the few faults
 * that matter.
 *
 * A point has two numbers: its place among all points of the run, and a number made of
 * what it is ("DELETE this pod, the second time") with the highest bit set. Either may be
 * given. The second is recorded, because it still means the same when an earlier fault is
 * left out.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim_rand.h"

enum sim_fault_kind {
	FAULT_NONE,
	/* of requests */
	FAULT_REFUSED,     /* ERR_RETRY, not done */
	FAULT_LOST_BEFORE, /* ERR_LOST, not done */
	FAULT_LOST_AFTER,  /* ERR_LOST, but done */
	FAULT_500,         /* answered with that status, not done */
	FAULT_503,
	FAULT_429,
	FAULT_INSIDE, /* slurmrestd: 200 with errors[] in the body, not done; others: 500 */
	FAULT_SLOW,   /* done late, answered seconds later */
	/* The operator dies before the request leaves; the world's on_crash is called */
	FAULT_CRASH_BEFORE,
	FAULT_CRASH_AFTER, /* the operator dies once the request is done */
	/* of deliveries on a watch */
	FAULT_WATCH_DELAY,   /* this and all later events come seconds later */
	FAULT_WATCH_REPEAT,  /* the event comes twice */
	FAULT_WATCH_CUT,     /* the connection breaks instead */
	FAULT_WATCH_EXPIRED, /* the history is compacted; an ERROR event with 410 ends the watch */
	FAULT_KINDS
};
extern const char *const sim_fault_names[FAULT_KINDS];

enum sim_fault_point { POINT_REQUEST, POINT_DELIVERY };

struct sim_fault {
	uint32_t point;
	enum sim_fault_kind kind;
};

struct sim_faults {
	struct sim_rand rand;
	int per_mille[FAULT_KINDS]; /* random mode: chance of each kind at a point that it fits */
	bool replay;                /* take the faults from given instead */
	const struct sim_fault *given;
	size_t n_given;
	bool off; /* no more faults; points are still counted */
	uint32_t points;
	struct sim_point_name *names;
	size_t n_names, cap_names;
	/* For a trace; NULL: no trace */
	void (*on_fault)(void *ctx, const char *kind, const char *what);
	void *ctx;
	struct sim_fault *happened; /* recorded in both modes, in order of points */
	size_t n_happened, cap;
};

/* Chances of a rough world: a few per cent of everything. */
void sim_faults_rough(struct sim_faults *f);
/* Faults of which some kinds never happen, and some three times as often. */
void sim_faults_swarm(struct sim_faults *f, struct sim_rand rand);
/* what: "DELETE /api/v1/namespaces/slurm/pods/foo-1". id: the number made of it. */
enum sim_fault_kind sim_faults_next(struct sim_faults *f, enum sim_fault_point where,
	const char *what, uint32_t *id);
void sim_faults_free(struct sim_faults *f);

/*
 * Leaves in list a smallest part that still fails; gives its length. fails is called with
 * candidate lists.
 */
typedef bool sim_fails(void *ctx, const struct sim_fault *list, size_t n);
size_t sim_faults_shrink(struct sim_fault *list, size_t n, sim_fails *fails, void *ctx);

/*
 * "17:lost-after 40:watch-cut": for a failing run's report, and back. Gives the number
 * read, or -1 for malformed text.
 */
struct str;
void sim_faults_print(const struct sim_fault *list, size_t n, struct str *out);
long sim_faults_parse(const char *text, struct sim_fault *out, size_t cap);

#endif
