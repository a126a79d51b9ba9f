/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of metav1.Condition. lastTransitionTime changes only when the status changes, and
 * conditions of other writers are kept.
 */
#ifndef OBJECT_CONDITION_H
#define OBJECT_CONDITION_H

#include "base/time.h"
#include "json/build.h"

enum cond_status { COND_FALSE, COND_TRUE, COND_UNKNOWN };
struct condition {
	const char *type;
	enum cond_status status;
	const char *reason;  /* CamelCase */
	const char *message; /* a sentence: what the object waits for */
};
/* The condition of this type; NULL: there is none. */
const struct json *condition_find(const struct json *conditions, const char *type);
/* Whether the condition, which may be NULL, has this status: "True". */
bool condition_is(const struct json *condition, const char *status);
/*
 * Adds the condition to conditions, the array to write. old: the list as last read (may
 * be NULL).
 */
void condition_set(struct jdoc *d, struct jval *conditions, const struct json *old,
	const struct condition *c, int64_t generation, int64_t now_wall_ms);
/*
 * Copies the conditions of old whose type is not in ours (a NULL-terminated list), so
 * that foreign conditions survive.
 */
void condition_keep_foreign(struct jdoc *d, struct jval *conditions, const struct json *old,
	const char *const *ours);

#endif
