/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions that keep failing: one row for each target of an action, from its first failure
 * until it succeeds, until no plan of its object has ordered it for 40 s, or until its
 * object has not been planned for 5 minutes. The row is reported after two failures for a
 * reason that a human has to fix, and after 20 s of failures for any reason.
 *
 * Times are monotonic, in ms.
 */
#ifndef ENGINE_ACT_FAILURES_H
#define ENGINE_ACT_FAILURES_H

#include "base/err.h"
#include "engine/act/action.h"

struct failures; /* a hash of rows by key, in the order of their first failures; start with NULL */

/* For planners: an action that keeps failing, and one of its targets. */
struct failing_action {
	struct operation operation;
	enum err_kind error;
	const char *name;     /* of the object, or of the first Slurm node */
	const char *sentence; /* of the last answer */
};

/* uid: of the planned object; key: as for waits. */
void failures_failed(struct failures **all, const char *uid, const char *key,
	struct operation operation, const char *name, struct err err, int64_t now_ms);
void failures_ended(struct failures **all, const char *key);
/* A plan still orders the action. */
void failures_wanted(struct failures *all, const char *key, int64_t now_ms);
/*
 * Drops the rows of actions that plans no longer order. Returns the time until this
 * object needs the next sweep; 0: it has no row.
 */
int64_t failures_sweep(struct failures **all, const char *uid, int64_t now_ms);
/* Calls each with the key of every failing action of this object. */
void failures_each(const struct failures *all, const char *uid,
	void (*each)(void *ctx, const char *key), void *ctx);
/*
 * The failures to report, the first of each kind and error; valid until the next change.
 * Returns their number.
 */
size_t failures_of(const struct failures *all, const char *uid, struct failing_action *out,
	size_t most);
void failures_free(struct failures **all);

#endif
