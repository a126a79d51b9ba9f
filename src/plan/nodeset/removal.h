/*
 * May this pod go now? The rule that protects running jobs, free of pointers so that it can be proven (tests/proof/removal.c).
 *
 * Whether a pod should go is decided elsewhere. Here: whether its going can end a job. What is not known never permits.
 */
#ifndef PLAN_NODESET_REMOVAL_H
#define PLAN_NODESET_REMOVAL_H

#include "engine/facts.h"
#include "slurm/state.h"

enum {
	SLURM_FRESH_MS = 5000,   /* an older answer about a node is no ground for a deletion */
	ABSENT_GRACE_MS = 10000, /* a running slurmd may be about to register: so long must Slurm have said that there is no such node */
	START_GRACE_MS = 300000, /* the same for a pod that may start at any moment: its image may be on its way, or its machine away */
};

struct removal_facts {
	enum pod_phase phase;
	bool bound;            /* assigned to a machine */
	bool stuck;            /* Pending, and the kubelet says that a container cannot start */
	bool cordoned;         /* carries the cordon annotation, ours or a user's */
	bool in_flight;        /* an action of ours on the pod is under way */
	bool release_now;      /* the user's explicit wish */
	bool usable;           /* Slurm answers, and its Cluster exists */
	enum tri node;         /* does Slurm have the node? */
	bool update_in_flight; /* an update of ours on the node is under way: what is known is about to change */
	int64_t age_ms;        /* of the answer */
	bool predates_pod;     /* it was asked for before the pod was seen in its phase: it may be about a predecessor of its name */
	int64_t absent_for_ms; /* node == NO: for so long without interruption, in which the pod was not assigned, started or restarted */
	uint32_t state;        /* node == YES */
};

enum removal {
	REMOVAL_WAIT_ACTION,       /* for an action of ours to come back */
	REMOVAL_WAIT_SLURM,        /* Slurm does not say */
	REMOVAL_WAIT_ANSWER,       /* what Slurm said is too old to rely on, or older than the pod: it is asked again */
	REMOVAL_WAIT_DRAIN,        /* for the drain to take effect */
	REMOVAL_WAIT_JOBS,         /* drained, but its jobs still run */
	REMOVAL_WAIT_REGISTRATION, /* Slurm does not know the node, but it may be about to register */
	REMOVAL_WAIT_CORDON,       /* it might go, but does not carry its cordon yet */
	/* From here on it may go, because: */
	REMOVAL_ENDED,    /* its containers have ended */
	REMOVAL_UNBOUND,  /* it never ran */
	REMOVAL_DRAINED,  /* its node is drained and has no job */
	REMOVAL_ABSENT,   /* Slurm has no such node */
	REMOVAL_RELEASED, /* the user said so */
};

static inline bool removal_permits(enum removal r) { return r >= REMOVAL_ENDED; }
/* It may go because of what Slurm said: the executor has to look again right before the deletion. */
static inline bool removal_relies_on_slurm(enum removal r) { return r == REMOVAL_DRAINED || r == REMOVAL_ABSENT; }

/* A bound pod that is still Pending may run already: the kubelet tells it a second or more after a job may have begun. */
static inline int64_t removal_grace_ms(const struct removal_facts *f)
{
	return f->phase == POD_PENDING && !f->stuck ? START_GRACE_MS : ABSENT_GRACE_MS;
}

static inline enum removal removal_of_absent(const struct removal_facts *f)
{
	return f->absent_for_ms >= removal_grace_ms(f) ? REMOVAL_ABSENT : REMOVAL_WAIT_REGISTRATION;
}

static inline enum removal removal_of_known(uint32_t state)
{
	if (node_state_drained(state))
		return REMOVAL_DRAINED;
	return (state & NODE_DRAIN) && !(state & NODE_UNDRAIN) ? REMOVAL_WAIT_JOBS : REMOVAL_WAIT_DRAIN;
}

/*
 * A deletion may arrive late, even after a crash of ours. So it is sent only for a version of the pod that carries a cordon, and a drain is lifted
 * only for a later version that carries none (undrain.h): what is late then fails on its resourceVersion. A pod that has not started yet changes
 * its version when the kubelet tells that it did; how long that may take is what removal_grace_ms is for.
 */
static inline bool removal_is_locked(const struct removal_facts *f) { return f->cordoned || f->phase == POD_PENDING; }

static inline enum removal decide_removal(const struct removal_facts *f)
{
	if (f->in_flight)
		return REMOVAL_WAIT_ACTION;
	if (f->phase == POD_SUCCEEDED || f->phase == POD_FAILED)
		return REMOVAL_ENDED;
	if (f->phase == POD_PENDING && !f->bound)
		return REMOVAL_UNBOUND;
	if (f->release_now)
		return REMOVAL_RELEASED;
	if (!f->usable || f->node == UNKNOWN)
		return REMOVAL_WAIT_SLURM;
	if (f->age_ms < 0 || f->age_ms > SLURM_FRESH_MS || f->predates_pod)
		return REMOVAL_WAIT_ANSWER;
	if (f->update_in_flight)
		return REMOVAL_WAIT_ACTION;
	enum removal r = f->node == NO ? removal_of_absent(f) : removal_of_known(f->state);
	return removal_permits(r) && !removal_is_locked(f) ? REMOVAL_WAIT_CORDON : r;
}

#endif
