/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creations of pods in flight while another pod has their name. The API server will
 * answer "exists", but if that pod is deleted first, the creation succeeds. So the
 * creation counts as coming until its outcome is known. If the other pod has the same
 * owner, the creation itself or an earlier manager may have made it. Then the creation
 * counts only once that pod is gone.
 */
#ifndef ENGINE_STORE_OVERTAKEN_H
#define ENGINE_STORE_OVERTAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct overtaken; /* a list of rows; start with NULL */

/*
 * A pod: its name with the namespace, its uid, and the uid of its controller.
 */
struct overtaken_pod {
	const char *name, *uid, *owner_uid;
};

/*
 * by: the pod that has the name. owner_uid: of the controller of the pod that is being
 * created.
 */
void overtaken_add(struct overtaken **all, uint64_t ticket, const struct overtaken_pod *by,
	const char *owner_uid);
/*
 * This pod exists. If the creation of its name made it, the creation has ended. That is
 * so if the pod has the same owner and is not the pod that took the name, which may have
 * been adopted since.
 */
void overtaken_seen(struct overtaken **all, const struct overtaken_pod *pod);
/* The pod with this uid is gone. */
void overtaken_gone(struct overtaken *all, const char *uid);
/* A creation has ended; pod: that of the answer. True if the creation made this pod. */
bool overtaken_ended(struct overtaken **all, uint64_t ticket, const struct overtaken_pod *pod);
size_t overtaken_count(const struct overtaken *all, const char *owner_uid);
void overtaken_free(struct overtaken **all);

#endif
