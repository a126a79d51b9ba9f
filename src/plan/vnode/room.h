/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a step of a pod may begin now. Pure.
 *
 * Definition: an owner that is being read, or whose script is kept for the submission,
 * has a *slot*, and so has a pod that is being read. Slots bound the memory for scripts.
 *
 *   1. A red-box may use half of the slots that other red-boxes leave. While another
 *      namespace waits, a namespace may use half of those that other namespaces leave. So
 *      a red-box that does not answer, or a namespace with ten thousand jobs, blocks no
 *      other one.
 *   2. Each may use one slot in any case, so the number of slots may be exceeded by a
 *      few.
 *   3. Each red-box has a limited number of calls for pods in flight. While another
 *      namespace waits for a call, a namespace may use half of the calls that others
 *      leave, and one in any case.
 *
 * A pod that has to wait tries again after VROOM_AGAIN_MS: no error is reported. The
 * other limits of a namespace are in virtual_node/virtual_node.h.
 */
#ifndef PLAN_VNODE_ROOM_H
#define PLAN_VNODE_ROOM_H

#include "plan/vnode/rule.h"

enum {
	VROOM_SLOTS = 64,
	/*
	 * Calls of one red-box, which answers all queries about jobs once a second: each
	 * of a thousand jobs gets an answer within two seconds
	 */
	VROOM_CALLS = 1000,
	VROOM_AGAIN_MS = 500, /* pause of a pod that has to wait */
};

/* The resource that a step needs. */
enum vroom_kind { VROOM_NOTHING, VROOM_SLOT, VROOM_CALL, VROOM_KINDS };

/* The resources in use. Only the members of the kind that a step needs count. */
struct vroom {
	int calls;            /* in flight to its red-box, for pods */
	int calls_of_space;   /* of these, calls for its namespace */
	int slots;            /* of all pods */
	int of_box, of_space; /* of these, slots of its red-box, and of its namespace */
	bool box_alone;       /* there is no other red-box */
	/* A pod of another namespace found none of this kind a moment ago */
	bool other_space_waits;
};

enum vroom_kind vroom_kind_of(enum vpod_step step);
/* Whether a step of this kind may begin now. */
bool vroom_has(const struct vroom *r, enum vroom_kind kind);

#endif
