/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the slots and the calls of virtual nodes among red-boxes and namespaces. */
#include "plan/vnode/room.h"

enum { LEAST = 1 };

enum vroom_kind vroom_kind_of(enum vpod_step step)
{
	switch (step) {
	case VPOD_ASK_OWNER:
	case VPOD_ASK_POD:
		return VROOM_SLOT;
	case VPOD_SUBMIT:
	case VPOD_ASK_JOB:
	case VPOD_CANCEL:
	case VPOD_CLOSE:
		return VROOM_CALL;
	default:
		return VROOM_NOTHING;
	}
}

/* The share of a red-box or a namespace: all that the others leave, or half of it. */
static int share_of(int most, int all, int own, bool alone)
{
	int left = most - (all - own);
	int share = alone ? left : left / 2;
	return share > LEAST ? share : LEAST;
}

bool vroom_has(const struct vroom *r, enum vroom_kind kind)
{
	bool alone = !r->other_space_waits;
	if (kind == VROOM_CALL)
		return r->calls_of_space <
			share_of(VROOM_CALLS, r->calls, r->calls_of_space, alone);
	return kind == VROOM_NOTHING ||
		(r->of_box < share_of(VROOM_SLOTS, r->slots, r->of_box, r->box_alone) &&
			r->of_space < share_of(VROOM_SLOTS, r->slots, r->of_space, alone));
}
