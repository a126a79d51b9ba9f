/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creations of ours that are under way while another object has their name. The API
 * server will answer "exists"; but if that object goes first, the creation succeeds after
 * all. So it counts as coming until its outcome is known. Is the other object one of our
 * own owner, it may be what the creation made, or what a manager before us did: then the
 * creation counts only once that object is gone.
 */
#ifndef ENGINE_STORE_OVERTAKEN_H
#define ENGINE_STORE_OVERTAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct overtaken; /* a list of rows; start with NULL */

/*
 * A pod as it is known: its name with the namespace, its uid, and that of its controller.
 */
struct overtaken_pod {
	const char *name, *uid, *owner_uid;
};

/*
 * by: the pod that has the name. owner_uid: of the controller that the creation gives its
 * pod.
 */
void overtaken_add(struct overtaken **all, uint64_t ticket, const struct overtaken_pod *by,
	const char *owner_uid);
/*
 * This pod exists. The creation of its name has ended if it made this pod: one of the
 * same owner, and not the one that took the name, which may have been adopted since.
 */
void overtaken_seen(struct overtaken **all, const struct overtaken_pod *pod);
/* The pod with this uid is gone. */
void overtaken_gone(struct overtaken *all, const char *uid);
/* A creation has ended, with the pod of the answer. True if it created that pod. */
bool overtaken_ended(struct overtaken **all, uint64_t ticket, const struct overtaken_pod *pod);
size_t overtaken_count(const struct overtaken *all, const char *owner_uid);
void overtaken_free(struct overtaken **all);

#endif
