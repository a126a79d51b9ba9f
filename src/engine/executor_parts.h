/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the executor: its state, and the doors between its parts.
 *
 *     executor_jobs.c   an action on its way, from its start to what is told of its end
 *     executor_kube.c   writes of Kubernetes, and deletions that rely on Slurm
 *     executor.c        what of a plan can be carried out now
 */
#ifndef ENGINE_EXECUTOR_PARTS_H
#define ENGINE_EXECUTOR_PARTS_H

#include "engine/executor.h"

enum { KEY_BYTES = 900 }; /* a namespace, two names and a word */
enum {
	/*
	 * Deletions that rely on Slurm, at a time: each is looked at right before it is
	 * sent, so none may wait in a queue.
	 */
	MAX_GUARDED = 160,
};

/* An Event that goes with a status. */
struct news {
	bool warning;
	char *reason, *text;
};

/* One action on its way. */
struct job {
	struct executor *x;
	struct job *prev, *next;
	struct http_call *call;
	enum action_kind kind;
	enum resource resource;
	uint64_t ticket; /* of the store */
	char *ns, *name, *key, *why, *event_done, *event_failed;
	uint32_t what; /* undone_what */
	char **nodes;  /* of an update of Slurm: each waits for itself after a failure */
	size_t n_nodes;
	struct news *news; /* of a status: what is told when it is written */
	size_t n_news;
	struct object_ref about; /* strings are the job's own */
	struct err err;          /* of the write, while the object is read again */
	struct timer *timer;     /* until it is read once more */
	int reads;               /* in vain, as far as the pause grows */
	/* Of a deletion that relies on Slurm; its strings are the job's own. */
	struct guard guard;
	char *cluster;
	int64_t began_ms;
};

struct executor {
	struct executor_config config;
	struct job *jobs;
	struct wait *waits;
	struct slow_start *starts;
	struct failures *failures;
	struct undone *undone;
	int64_t swept_ms; /* undone, then */
	int in_flight, guarded;
	bool stopped;
};

enum verb { VERB_CREATE, VERB_PATCH, VERB_PATCH_STATUS, VERB_DELETE, VERB_SLURM, VERB_EVENT };
extern const enum verb executor_verbs[ACT_KINDS];

static inline int64_t now_ms(const struct executor *x) { return loop_now_ms(x->config.kube->loop); }

/* ---- executor_jobs.c ---- */

/* A copy of what of the action is needed until its end; it counts as under way. */
struct job *job_new(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *key);
/* The Events of the plan that go with the status that this job writes. */
void job_take_news(struct job *j, const struct plan *plan);
/* Without a word to anybody. */
void job_free(struct job *j);
/*
 * Its outcome is told and waited for; the object is to be planned again. Frees the job.
 */
void job_end(struct job *j, struct err err);
/* Those that come in numbers. */
bool creates(enum action_kind kind);
/*
 * The targets that wait after a failure: all creations of an object, one node of an
 * update.
 */
const char *starts_key(char buffer[128], const char *uid);
const char *node_key(char buffer[KEY_BYTES], const char *key, const char *node);
/* What can be undone: a Slurm node, whatever is done to it, or its comment. */
const char *undone_node(char buffer[KEY_BYTES], enum action_kind kind, const char *ns,
	const char *cluster, const char *node);

/* ---- executor_kube.c ---- */

/* From now on the object is in flight. */
struct job *begin_kube(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *key);
void send_kube(struct job *j, const char *body, const struct guard *guard);
/*
 * The same for a deletion that relies on Slurm, after a look at its node. 0: begun;
 * otherwise nothing was done, and it is to be tried again after so many ms.
 */
int64_t send_guarded(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *key, const char *cluster, struct slurm_link *link);

#endif
