/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether the drain of a node is lifted. The drain must be ours, and the node
 * must be able to work. No deletion of its pod may be on its way, so the pod must not
 * have a cordon (see removal_is_locked). Free of pointers so that it can be proven
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
	bool leaving;   /* the pod leaves */
	bool cordoned;  /* the pod has the cordon annotation, ours or a user's */
	bool in_flight; /* an action of ours on the pod is in flight */
	bool pod_ready; /* running and ready: a slurmd can take work */
	/*
	 * Slurm has the node at the pod's address, or reports no address: the pod's
	 * slurmd has registered
	 */
	bool at_its_address;
	bool usable;
	enum tri node;
	bool ambiguous; /* it is uncertain which Slurm node is the pod's (removal.h) */
	bool update_in_flight;
	int64_t age_ms;
	uint32_t state;
	enum reason_class reason;
	bool lost; /* Slurm has appended to the reason that the node does not respond */
};

enum undrain {
	UNDRAIN_NOTHING, /* not drained, or no such node */
	/* Drained, and stays drained: a cordon, a foreign drain, or a pod that leaves */
	UNDRAIN_KEEP,
	UNDRAIN_LATER,   /* ours, but it cannot be lifted yet, or an update is in flight */
	UNDRAIN_UNKNOWN, /* not known: Slurm must be queried first */
	UNDRAIN_SEND,
	UNDRAIN_RESUME, /* for a node that is DOWN, and would stay DOWN because of our reason */
};

/*
 * A node that cannot work yet. While a slurmd has registered with fewer resources than
 * Slurm is configured for (INVALID_REG), Slurm refuses an UNDRAIN. It still overwrites
 * the reason, which alone reports the error ("Low TmpDisk"; 24.11.5 and 26.05.5). The
 * flag disappears when the slurmd registers correctly. A drain keeps new jobs off a node
 * that is to be rebooted; without the drain the reboot would wait for these jobs.
 */
enum { UNDRAIN_CANNOT = NODE_UNDRAIN | NODE_NOT_RESPONDING | NODE_INVALID_REG | NODE_REBOOT };

/*
 * A node that was lost while it had our drain is DOWN with our reason. With
 * ReturnToService=1 Slurm returns the node to service only if its reason is exactly "Not
 * responding". So the node stays DOWN although the slurmd of the next pod has registered
 * (24.11.5), and must be resumed. A reason that is still ours shows that only Slurm has
 * set the node DOWN.
 */
static inline bool stays_down(const struct undrain_facts *f) { return f->state & NODE_DOWN; }
/*
 * The node was lost, and its drain was lifted, by us or by an administrator: the reason
 * is still ours, or is the text that an UNDRAIN of ours left.
 */
static inline bool lost_after_return(const struct undrain_facts *f)
{
	return stays_down(f) && !(f->state & NODE_DRAIN) && f->lost && f->reason != REASON_FOREIGN;
}

/*
 * A drain without a reason of ours may be an administrator's, even if the pod has our
 * mark.
 */
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
	 * Before the pod's slurmd has registered, the node is that of an earlier pod, and
	 * may be lost at any moment.
	 */
	if ((f->state & UNDRAIN_CANNOT) || !f->pod_ready || !f->at_its_address)
		return UNDRAIN_LATER;
	if (f->age_ms < 0 || f->age_ms > SLURM_FRESH_MS)
		return UNDRAIN_UNKNOWN;
	return stays_down(f) ? UNDRAIN_RESUME : UNDRAIN_SEND;
}

#endif
