/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a step of a pod finds room now. Pure.
 *
 * Definition: an owner that is read, or kept to be submitted, has a *slot*, and so has a
 * pod that is read. Slots bound the memory that scripts take.
 *
 *   1. A red-box has half of the slots that other red-boxes leave, and a namespace, while
 *      another one waits, half of what other namespaces leave. So a red-box that does not
 *      answer, or a namespace with ten thousand jobs, keeps no other one waiting.
 *   2. Each has one slot in any case. So the slots may be exceeded by a few.
 *   3. Each red-box has a limited number of calls for pods under way. While another
 *      namespace waits for one, a namespace has half of what the others leave; each has
 *      one in any case.
 *
 * A pod that finds no room waits for VROOM_AGAIN_MS: no error is reported. The other
 * limits of a namespace are in virtual_node/virtual_node.h.
 */
#ifndef PLAN_VNODE_ROOM_H
#define PLAN_VNODE_ROOM_H

#include "plan/vnode/rule.h"

enum {
	VROOM_SLOTS = 64,
	/*
	 * Calls of one red-box, which answers all questions about jobs once a second: so
	 * each of a thousand is answered within two
	 */
	VROOM_CALLS = 1000,
	VROOM_AGAIN_MS = 500, /* a pod that finds no room tries again */
};

/* The room that a step needs. */
enum vroom_kind { VROOM_NOTHING, VROOM_SLOT, VROOM_CALL, VROOM_KINDS };

/* The room in use. Only the members of the kind that a step needs count. */
struct vroom {
	int calls;              /* to its red-box, for pods, under way */
	int calls_of_space;     /* among them: of its namespace */
	int slots;              /* of all pods */
	int of_box, of_space;   /* among them: of its red-box, and of its namespace */
	bool box_alone;         /* there is no other red-box */
	bool other_space_waits; /* a pod of another one found none of this kind a moment ago */
};

enum vroom_kind vroom_kind_of(enum vpod_step step);
/* Whether a step of this kind may begin now. */
bool vroom_has(const struct vroom *r, enum vroom_kind kind);

#endif
