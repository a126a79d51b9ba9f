/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May the drain of this node be lifted? Only one that is ours, only for a node that can
 * work, and only when no deletion of its pod can be on its way: the pod carries no cordon
 * (see removal_is_locked). Free of pointers so that it can be proven
 * (tests/proof/undrain.c, tests/proof/exclusion.c).
 */
#ifndef PLAN_NODESET_UNDRAIN_H
#define PLAN_NODESET_UNDRAIN_H

#include "engine/facts.h"
#include "link/facts.h"
#include "engine/removal.h"
#include "slurm/state.h"

enum reason_class { REASON_EMPTY, REASON_OURS, REASON_FOREIGN }; /* reasons.h */

struct undrain_facts {
	bool leaving;   /* its pod is to go */
	bool cordoned;  /* its pod carries the cordon annotation, ours or a user's */
	bool in_flight; /* an action of ours on the pod is under way */
	bool pod_ready; /* running and ready: a slurmd is there to take work */
	/*
	 * Slurm has the node at the pod's address, or does not say where: its slurmd has
	 * registered
	 */
	bool at_its_address;
	bool usable;
	enum tri node;
	bool ambiguous; /* which node of Slurm is the pod's is not certain (removal.h) */
	bool update_in_flight;
	int64_t age_ms;
	uint32_t state;
	enum reason_class reason;
	bool lost; /* Slurm has added to the reason that the node does not respond */
};

enum undrain {
	UNDRAIN_NOTHING, /* not drained, or no such node */
	/*
	 * Drained and to stay so: a cordon, a drain that is not ours, or a pod that goes
	 */
	UNDRAIN_KEEP,
	UNDRAIN_LATER,   /* ours, but it cannot be lifted yet, or is just being lifted */
	UNDRAIN_UNKNOWN, /* not known: ask Slurm first */
	UNDRAIN_SEND,
	UNDRAIN_RESUME, /* the same for one that is DOWN, and would stay so because of our reason */
};

/*
 * A node that cannot work yet. While its slurmd is registered with less than Slurm was
 * told (INVALID_REG), Slurm refuses an UNDRAIN, and writes its text all the same over the
 * only reason that says what is wrong ("Low TmpDisk"; 24.11.5 and 26.05.5). The flag goes
 * when the slurmd registers as it should. The drain keeps a node that is to be rebooted
 * free of new jobs: without it the reboot would wait for them.
 */
enum { UNDRAIN_CANNOT = NODE_UNDRAIN | NODE_NOT_RESPONDING | NODE_INVALID_REG | NODE_REBOOT };

/*
 * A node that was lost while it was drained by us is DOWN with our reason. With
 * ReturnToService=1 Slurm brings it back only when its reason is "Not responding" and
 * nothing else, so it stays DOWN although the slurmd of the next pod has registered
 * (24.11.5): then it is resumed. A reason that is still ours shows that only Slurm has
 * set it DOWN.
 */
static inline bool stays_down(const struct undrain_facts *f) { return f->state & NODE_DOWN; }
/*
 * The node was lost and its drain was lifted, by us or by an administrator: our reason,
 * or the text that an UNDRAIN of ours left, is there still.
 */
static inline bool lost_after_return(const struct undrain_facts *f)
{
	return stays_down(f) && !(f->state & NODE_DRAIN) && f->lost && f->reason != REASON_FOREIGN;
}

/* A drain without a reason of ours may be an administrator's, whatever the pod says. */
static inline bool drain_is_ours(const struct undrain_facts *f) { return f->reason == REASON_OURS; }

static inline enum undrain decide_undrain(const struct undrain_facts *f)
{
	if (f->leaving || f->cordoned)
		return UNDRAIN_KEEP;
	if (!f->usable || f->node == UNKNOWN)
		return UNDRAIN_UNKNOWN;
	if (f->update_in_flight || f->in_flight)
		return UNDRAIN_LATER;
	if (f->ambiguous)
		return UNDRAIN_KEEP;
	if (f->node == NO || (!(f->state & NODE_DRAIN) && !lost_after_return(f)))
		return UNDRAIN_NOTHING;
	if (!drain_is_ours(f) && !lost_after_return(f))
		return UNDRAIN_KEEP;
	/*
	 * Before its slurmd has registered, the node is that of a predecessor, and may be
	 * lost any moment.
	 */
	if ((f->state & UNDRAIN_CANNOT) || !f->pod_ready || !f->at_its_address)
		return UNDRAIN_LATER;
	if (f->age_ms < 0 || f->age_ms > SLURM_FRESH_MS)
		return UNDRAIN_UNKNOWN;
	return stays_down(f) ? UNDRAIN_RESUME : UNDRAIN_SEND;
}

#endif
