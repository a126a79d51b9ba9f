/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor: carries out the actions of plans, hundreds at a time, and reports each
 * outcome to the store. The executor decides nothing.
 *
 * - An action whose target is still in flight or waits after a failure is skipped: the
 *   next plan will ask for it again if it is still wanted.
 * - The guard is checked again right before sending; uid and resourceVersion of a
 *   deletion are preconditions that the API server checks.
 * - After a failure of an action its target waits (waits.h). Other targets go on. Each
 *   node of an update of Slurm is a target by itself.
 * - An action that was done and is wanted again at once, again and again, waits too
 *   (reverted.h), and counts as failing.
 * - The status of an object is written at most four times a second.
 * - Creations of one object start slowly (slow_start.h): a quota that is exceeded is met
 *   by one request, not by hundreds.
 * - After a lost answer, or "exists" and "conflict", the object is read, so that the next
 *   plan knows.
 */
#ifndef ENGINE_ACT_EXECUTOR_H
#define ENGINE_ACT_EXECUTOR_H

#include "engine/act/action.h"
#include "engine/act/failures.h"
#include "link/link.h"
#include "engine/store/store.h"
#include "kube/event.h"

struct executor;

struct executor_config {
	struct kube *kube;
	struct store *store;
	struct events *events;
	/*
	 * The link to the Slurm cluster that an action of this object goes to; NULL when
	 * there is none.
	 */
	struct slurm_link *(*link_of)(void *ctx, const char *ns, const char *cluster);
	/* Called when the facts about the object may have changed: plan it again. */
	void (*outcome)(void *ctx, const struct object_ref *about);
	void *ctx;
	/*
	 * The component that acts for a kind, by resource; for metrics. NULL: not known
	 */
	const char *const *components;
	/*
	 * No new action from then on, by the loop's clock: a program that was frozen may
	 * go on before it learns that its time is over. The value may change. NULL: for
	 * ever
	 */
	const int64_t *until_ms;
	int max_in_flight; /* actions; a namespace has half of what others leave; 0: 1000 */
	/*
	 * Actions of one planned object; 0: 500, so that some wait while the API server
	 * is busy, and a plan in between is no pause
	 */
	int max_per_object;
};

/* The configuration is copied; its pointers must outlive the executor. */
struct executor *executor_new(const struct executor_config *config);
/* Cancels what is in flight. */
void executor_free(struct executor *x); /* accepts NULL */

/* The outcome of a plan. */
struct carried_out {
	/* Plan again after so long, as an action had to be skipped; 0: none had to */
	int64_t again_ms;
	size_t waiting; /* skipped as their targets wait after a failure, or are reverted */
};

/*
 * Carries out what of the plan can be carried out now; everything needed is copied.
 * cluster: the Slurm cluster of the object, in its namespace, may be NULL.
 */
struct carried_out executor_run(struct executor *x, const struct plan *plan,
	const struct object_ref *about, const char *cluster);
/*
 * The most creations that are worth planning now: as many as may be sent, and one more
 * for each target that waits after a failure, so that it does not take the place of
 * others. 0 only while some action of the object is under way: its outcome makes a new
 * plan.
 */
size_t executor_max_creates(const struct executor *x, const struct object_ref *about);
/*
 * The most patches of what comes in numbers, and the most deletions, that are worth
 * planning now, where so many had to wait of the plan before.
 */
size_t executor_max_writes(const struct executor *x, const struct object_ref *about,
	size_t waiting);
/*
 * The most pods that are worth planning now to show something on (verb_rows.shows of what
 * is no status): a few each second for all objects together. A namespace has half of what
 * the others leave, and an object half of that; none for a while after one failed there.
 * *again_ms: in how long there are more.
 */
size_t executor_max_shows(const struct executor *x, const char *ns, int64_t *again_ms);
/* The actions for this object that keep failing (failures.h). Their number. */
size_t executor_failing(const struct executor *x, const char *uid, struct failing_action *out,
	size_t most);
/* Only what the plan says to people, now. */
void executor_tell(struct executor *x, const struct plan *plan, const struct object_ref *about);

/*
 * Requests that were refused for the old token may be sent at once: nothing of this Slurm
 * cluster waits.
 */
void executor_new_token(struct executor *x, const char *ns, const char *cluster);
/*
 * The spec of this object has changed, or the object is gone: actions that were refused
 * before may be sent at once.
 */
void executor_asked_anew(struct executor *x, const char *uid);
int executor_in_flight(const struct executor *x);
/* No new action from now on (leadership lost, shutdown). */
void executor_stop(struct executor *x);

#endif
