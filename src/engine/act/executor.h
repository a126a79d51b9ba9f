/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor: carries out the actions of plans, hundreds at a time, and reports each
 * outcome to the store. The executor decides nothing.
 *
 * - An action whose target is still in flight or waits after a failure is skipped. The
 *   next plan orders the action again if it is still wanted.
 * - The guard is checked again right before sending; uid and resourceVersion of a
 *   deletion are preconditions that the API server checks.
 * - After a failure of an action its target waits (waits.h); other targets do not. Each
 *   node of an update of Slurm is a target by itself.
 * - An action that succeeds and is ordered again at once, several times in a row, waits
 *   too (reverted.h), and counts as failing.
 * - The status of an object is written at most four times a second.
 * - Creations of one object start slowly (slow_start.h): if a quota is exceeded, it
 *   refuses one request, not hundreds.
 * - After a lost answer, "exists" or "conflict" the object is read, so that the next plan
 *   has its current state.
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
	 * Returns the link to this Slurm cluster; NULL: there is none.
	 */
	struct slurm_link *(*link_of)(void *ctx, const char *ns, const char *cluster);
	/* Called when the facts about the object may have changed, to plan it again. */
	void (*outcome)(void *ctx, const struct object_ref *about);
	void *ctx;
	/*
	 * The component that acts for each kind, by resource; for metrics. NULL: unknown
	 */
	const char *const *components;
	/*
	 * Time, by the loop's clock, from which no new action is sent: a process that was
	 * frozen may resume before it learns that its lease has expired. The value may
	 * change. NULL: no limit
	 */
	const int64_t *until_ms;
	int max_in_flight; /* actions; a namespace may use half of what others leave; 0: 1000 */
	/*
	 * Actions of one planned object; 0: 500, enough to keep the API server busy while
	 * the next plan is made
	 */
	int max_per_object;
};

/* The configuration is copied; its pointers must outlive the executor. */
struct executor *executor_new(const struct executor_config *config);
/* Cancels what is in flight. */
void executor_free(struct executor *x); /* accepts NULL */

/* The outcome of a plan. */
struct carried_out {
	/* Time until the next plan, because an action was skipped; 0: none was skipped */
	int64_t again_ms;
	size_t waiting; /* actions skipped because their target waits (waits.h, reverted.h) */
};

/*
 * Carries out the actions of the plan that can be carried out now; copies all it needs.
 * cluster: the Slurm cluster of the object, in its namespace; may be NULL.
 */
struct carried_out executor_run(struct executor *x, const struct plan *plan,
	const struct object_ref *about, const char *cluster);
/*
 * The most creations that are worth planning now: as many as may be sent, and one more
 * for each target that waits after a failure, so that a waiting target does not take the
 * place of others. 0 only while an action of the object is in flight; its outcome makes a
 * new plan.
 */
size_t executor_max_creates(const struct executor *x, const struct object_ref *about);
/*
 * The most patches of objects that come in numbers, and the most deletions, that are
 * worth planning now. waiting: the number of actions of the last plan that had to wait.
 */
size_t executor_max_writes(const struct executor *x, const struct object_ref *about,
	size_t waiting);
/*
 * The most actions of VERB_SHOW that are worth planning now: a few each second for all
 * objects together. A namespace may use half of what the others leave, and an object half
 * of that. After a failure a namespace gets none for a while. *again_ms: the time until
 * there are more.
 */
size_t executor_max_shows(const struct executor *x, const char *ns, int64_t *again_ms);
/* Lists the failing actions of this object (failures.h). Returns their number. */
size_t executor_failing(const struct executor *x, const char *uid, struct failing_action *out,
	size_t most);
/* Emits the Events of the plan now, and carries out nothing else. */
void executor_tell(struct executor *x, const struct plan *plan, const struct object_ref *about);

/*
 * The Slurm cluster has a new token: ends all waits of its nodes, because requests may
 * have been refused for the old token.
 */
void executor_new_token(struct executor *x, const char *ns, const char *cluster);
/*
 * The spec of this object has changed, or the object is gone: ends the waits of its
 * actions that failed before.
 */
void executor_asked_anew(struct executor *x, const char *uid);
int executor_in_flight(const struct executor *x);
/* No new action from now on (leadership lost, shutdown). */
void executor_stop(struct executor *x);

#endif
