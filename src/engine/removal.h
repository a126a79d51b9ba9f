/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this pod go now? The rule that protects jobs, free of pointers so that it can be
 * proven (tests/proof/removal.c, removal_look.c).
 *
 * Other code decides whether a pod should go. This rule decides whether its deletion can
 * end a job that has begun.
 *
 * Definitions:
 *   node     the Slurm node of the slurmd in the pod
 *   drained  the node has DRAIN, no UNDRAIN, and no job, step or epilog runs on it
 *            (node_state_drained)
 *   held     a job that has begun and not ended has the node; a suspended job as well
 *   cordon   an annotation of the pod that is written before its node is drained
 *   halted   no process of the pod runs, and its kubelet waits before it starts one
 *   unknown  Slurm or Kubernetes has not reported the fact, or too long ago
 *
 * Invariants, each proven:
 *   1. A pod goes only because its containers have ended, because it was never assigned
 *      to a machine, because its node is drained and not held, because Slurm has no such
 *      node, because nothing of it runs, or because the user said so (release_now).
 *   2. An unknown fact permits no deletion.
 *   3. An answer about the node counts for SLURM_FRESH_MS, one about its jobs for
 *      JOBS_FRESH_MS, and only if it was asked for after the node was seen drained.
 *   4. "Slurm has no such node" counts only after a time without a break in which the
 *      slurmd of the pod could have registered (removal_grace_ms).
 *   5. No deletion is ordered while an action of ours on the pod is under way, and none
 *      that relies on Slurm while an update of the node is.
 *   6. A deletion that relies on Slurm is sent only if a newer answer of Slurm permits it
 *      for the same reason.
 *   7. A deletion because nothing of the pod runs, or because Slurm has no such node, is
 *      carried out within REMOVAL_WITHIN_MS of its receipt or not at all: later the pod
 *      may have started. The other reasons do not expire, or the pod's version changes
 *      first.
 *
 * The decision; below an arrow are the waits that it may end with:
 *
 *   decide_removal -----------------------------------> ENDED, UNBOUND, RELEASED
 *        |          WAIT_ACTION, WAIT_KUBE
 *        v
 *   removal_by_slurm
 *        |          WAIT_NAME, WAIT_ANSWER, WAIT_ACTION
 *        |
 *        |-- Slurm is silent: removal_without_slurm --> UNSTARTED, HALTED
 *        |          WAIT_SLURM
 *        |-- it has no such node: removal_of_absent --> ABSENT --+
 *        |          WAIT_FORGOTTEN, WAIT_REGISTRATION            |
 *        +-- it has the node: removal_of_known -------> DRAINED -+
 *                   WAIT_DRAIN, WAIT_JOBS,                       |
 *                   WAIT_JOBS_ANSWER, WAIT_FORGOTTEN             |
 *                                                                v
 *                   removal_needs_list (WAIT_ANSWER), removal_is_locked (WAIT_CORDON)
 *
 * The planner of NodeSets asks decide_removal before it orders the deletion. The backend
 * of the executor asks removal_holds right before it sends the deletion: with the facts
 * of the plan, in which the newest answer of Slurm has replaced the older one.
 */
#ifndef ENGINE_REMOVAL_H
#define ENGINE_REMOVAL_H

#include "engine/facts.h"
#include "link/facts.h"
#include "slurm/state.h"

enum {
	SLURM_FRESH_MS = 5000, /* an older answer about a node is no ground for a deletion */
	/* Minimum time for which Slurm has said that a running slurmd has no node */
	ABSENT_GRACE_MS = 10000,
	START_GRACE_MS = 300000, /* the same for a pod that may start at any moment */
	JOBS_FRESH_MS = 60000,   /* of an answer about jobs; reading 50,000 of them takes 14 s */
	/* Minimum time for which a pod was seen in which nothing has ever started */
	UNSTARTED_MS = 60000,
	/* A kubelet waits 10 s at least before it starts again what has failed */
	HALTED_FRESH_MS = 5000,
	/*
	 * Limits by the clock of its Kubernetes node, which may be a second ahead of ours
	 */
	HALTED_AHEAD_MS = 1000,
	HALTED_ENDED_MS = 5000,
	/* Maximum time in the API server of a deletion whose reason expires */
	REMOVAL_WITHIN_MS = 3000,
};

struct removal_facts {
	enum pod_phase phase;
	bool bound;       /* assigned to a machine */
	bool stuck;       /* Pending, and the kubelet says that a container cannot start */
	bool cordoned;    /* carries the cordon annotation, ours or a user's */
	bool in_flight;   /* an action of ours on the pod is under way */
	bool release_now; /* the user's explicit wish */
	/*
	 * Age of the facts of Kubernetes about pods, NodeSets and Clusters. The deletion
	 * is guarded by uid and resourceVersion of its pod alone. Three facts are as old
	 * as this: that the user still wishes it, that no other pod names the node, and
	 * that this is its Slurm.
	 */
	int64_t kube_age_ms;
	/*
	 * Facts about a pod of which Slurm says nothing (removal_without_slurm): a Slurm
	 * has had its node, or it has had work;
	 */
	bool registered;
	bool unstarted;        /* as its kubelet says, nothing of it has ever started, */
	bool needs_secret;     /* and it mounts a Secret that it cannot start without; */
	int64_t seen_for_ms;   /* for so long it has been seen in this phase on this machine; */
	bool halted;           /* nothing of it runs, and its kubelet waits with it */
	int64_t halted_for_ms; /* since it was seen to begin that */
	int64_t ended_for_ms;  /* since its container ended, by the clock of its machine */
	bool usable;   /* Slurm answers, it is the one that is meant, and its Cluster exists */
	enum tri node; /* does Slurm have the node? */
	/*
	 * The node is not the pod's alone, or the pod's slurmd is not known by this name:
	 * another pod names it too, the slurmd registered with another Slurm or under
	 * another name.
	 */
	bool ambiguous;
	/*
	 * node == NO, or not at the pod's address: Slurm said that the pod has work until
	 * a time to come
	 */
	bool lost_work;
	bool update_in_flight; /* an update of ours on the node is under way */
	/* A manager before this one may have sent an UNDRAIN that is on its way */
	bool lift_may_come;
	int64_t age_ms;    /* of the answer about the node */
	bool predates_pod; /* that was asked for before the pod was seen in its phase */
	/*
	 * node == NO: for so long without a break, in which the pod was not assigned,
	 * started or restarted
	 */
	int64_t absent_for_ms;
	/* node == YES: Slurm has it at the pod's address, or does not say where */
	bool at_its_address;
	int64_t in_phase_for_ms; /* for so long the pod was not assigned, started or restarted */
	/*
	 * Only a list that names every node shows whether the pod's slurmd has registered
	 * under another name, unless its node is at its address. "Nothing has changed
	 * since the last one" is untrue after slurmctld's clock was set back.
	 */
	bool by_list;
	/*
	 * Age of the newest list that named every node, less twice the time that reading
	 * one takes: so old is any when it comes
	 */
	int64_t list_age_ms;
	/*
	 * Time from the node's disappearance, and from the pod's assignment, start or
	 * restart, until that list was asked for
	 */
	int64_t list_waited_ms;
	uint32_t state;        /* node == YES */
	enum tri held;         /* node == YES: does a job that has begun and not ended have it? */
	int64_t jobs_asked_ms; /* the answer about jobs; 0: none */
	int64_t jobs_age_ms;   /* of that */
	/* When the first of the unbroken answers came that say: drained, no work */
	int64_t free_since_ms;
};

enum removal {
	REMOVAL_WAIT_ACTION,      /* for an action of ours to come back */
	REMOVAL_WAIT_KUBE,        /* the facts of Kubernetes are too old to rely on */
	REMOVAL_WAIT_SLURM,       /* Slurm does not say */
	REMOVAL_WAIT_ANSWER,      /* Slurm's answer about the node is too old to rely on */
	REMOVAL_WAIT_JOBS_ANSWER, /* which jobs have it was not asked since it was drained */
	REMOVAL_WAIT_NAME,        /* which node of Slurm is the pod's is not certain */
	REMOVAL_WAIT_DRAIN,       /* for the drain to take effect */
	REMOVAL_WAIT_JOBS,        /* drained, but jobs that have begun have not ended */
	REMOVAL_WAIT_FORGOTTEN,   /* Slurm has forgotten the node, and a job that it had */
	/* Slurm does not know the node, but it may be about to register */
	REMOVAL_WAIT_REGISTRATION,
	REMOVAL_WAIT_CORDON, /* it might go, but does not carry its cordon yet */
	/* From here on it may go, because: */
	REMOVAL_ENDED,   /* its containers have ended */
	REMOVAL_UNBOUND, /* it never ran */
	REMOVAL_DRAINED, /* its node is drained, and no job that has begun has it */
	REMOVAL_ABSENT,  /* Slurm has no such node */
	/* Nothing of it has ever started, and a Secret of it may be missing */
	REMOVAL_UNSTARTED,
	REMOVAL_HALTED,   /* nothing of it runs, or starts within the next seconds */
	REMOVAL_RELEASED, /* the user said so */
};

static inline bool removal_permits(enum removal r) { return r >= REMOVAL_ENDED; }
/*
 * Facts of Slurm permit the deletion: the executor reads the node again right before it.
 */
static inline bool removal_relies_on_slurm(enum removal r)
{
	return r == REMOVAL_DRAINED || r == REMOVAL_ABSENT;
}

/*
 * The reason expires: a slurmd may start, and no new version of the pod tells it yet.
 */
static inline bool removal_expires(enum removal r)
{
	return r == REMOVAL_ABSENT || r == REMOVAL_UNSTARTED || r == REMOVAL_HALTED;
}

/*
 * The pull of the image has just failed, so the kubelet waits 10 s or more before it
 * tries again. After that time the container may run before the kubelet reports it.
 */
static inline bool removal_cannot_start(const struct removal_facts *f)
{
	return f->stuck && f->halted && f->halted_for_ms >= 0 &&
		f->halted_for_ms <= HALTED_FRESH_MS;
}

/*
 * A bound pod that is Pending may run already: the kubelet tells it a second or more
 * later.
 */
static inline int64_t removal_grace_ms(const struct removal_facts *f)
{
	bool may_start = f->phase == POD_PENDING && !removal_cannot_start(f);
	return may_start ? START_GRACE_MS : ABSENT_GRACE_MS;
}

static inline enum removal removal_of_absent(const struct removal_facts *f)
{
	if (f->lost_work)
		return REMOVAL_WAIT_FORGOTTEN;
	return f->absent_for_ms >= removal_grace_ms(f) ? REMOVAL_ABSENT : REMOVAL_WAIT_REGISTRATION;
}

/*
 * A suspended job leaves its node idle (Slurm 24.11), so the node's state is half of the
 * answer. The other half is which jobs have begun and not ended, asked for after the node
 * was seen drained and idle: from then on no job can begin there, and whatever has it is
 * in that answer.
 */
static inline enum removal removal_of_known(const struct removal_facts *f)
{
	if (node_state_strange(f->state))
		return REMOVAL_WAIT_SLURM;
	if (!node_state_drained(f->state))
		return (f->state & NODE_DRAIN) && !(f->state & NODE_UNDRAIN) ? REMOVAL_WAIT_JOBS
									     : REMOVAL_WAIT_DRAIN;
	if (!f->free_since_ms || f->jobs_asked_ms < f->free_since_ms || f->held == UNKNOWN)
		return REMOVAL_WAIT_JOBS_ANSWER;
	/*
	 * A drain that was lifted and set again between two answers about the node was
	 * not seen.
	 */
	if (f->jobs_age_ms < 0 || f->jobs_age_ms > JOBS_FRESH_MS)
		return REMOVAL_WAIT_JOBS_ANSWER;
	if (f->held == YES)
		return REMOVAL_WAIT_JOBS;
	/*
	 * The record of a predecessor: the pod's slurmd, which may take another name, has
	 * yet to register. A slurmd that answers there may have taken the node over from
	 * the pod's, and its job with it.
	 */
	bool answers = f->phase != POD_PENDING && node_state_answers(f->state);
	if (!f->at_its_address && f->lost_work)
		return REMOVAL_WAIT_FORGOTTEN;
	if (!f->at_its_address && (answers || f->in_phase_for_ms < removal_grace_ms(f)))
		return REMOVAL_WAIT_REGISTRATION;
	return REMOVAL_DRAINED;
}

/*
 * A deletion may arrive late, even after a crash of ours. So it is sent only for a
 * version of the pod that carries a cordon, and a drain is lifted only for a later
 * version that carries none (undrain.h): what is late then fails on its resourceVersion.
 * A pod that has not started yet changes its version when the kubelet tells that it did;
 * removal_grace_ms covers that time.
 */
static inline bool removal_is_locked(const struct removal_facts *f)
{
	return f->cordoned || f->phase == POD_PENDING;
}

static inline bool removal_needs_list(const struct removal_facts *f)
{
	int64_t grace_ms = f->node == YES && f->at_its_address ? 0 : removal_grace_ms(f);
	return f->by_list &&
		(f->list_age_ms < 0 || f->list_age_ms > SLURM_FRESH_MS ||
			f->list_waited_ms < grace_ms);
}

static inline bool removal_is_halted(const struct removal_facts *f)
{
	bool ended = f->ended_for_ms >= -HALTED_AHEAD_MS && f->ended_for_ms <= HALTED_ENDED_MS;
	return f->halted && f->halted_for_ms >= 0 && f->halted_for_ms <= HALTED_FRESH_MS &&
		((f->phase == POD_PENDING && f->unstarted) || ended);
}

/*
 * Slurm says nothing: it does not exist, does not answer, or was never found. A pod that
 * never worked goes all the same, and what follows is why no job can be in it.
 *
 * The status that a kubelet has reported is no proof that nothing runs: a container runs
 * before its kubelet reports it, by a second, or by minutes when another container of the
 * pod has its image pulled meanwhile. That is why "it has not started" alone is not
 * enough, and why a pod that a Slurm has had is left to Slurm.
 *
 * - A Secret that a container mounts does not exist. A kubelet mounts every such volume
 *   before it starts the first container. The executor reads the Secret right before the
 *   deletion and sends that only when the API server says that there is none
 *   (READ_NO_SECRET), so nothing can have started unless the Secret was there and went
 *   meanwhile. For that the pod must have been seen for a minute without a start: a
 *   kubelet that had begun would have told it, and its word changes the resourceVersion.
 *   A pod of several containers is left to Slurm: one of them may run unreported while an
 *   image is pulled.
 * - The container has ended (CrashLoopBackOff), or its image has not come and nothing of
 *   the pod has ever started (ErrImagePull), and its kubelet has just told so. All
 *   processes of a container end with it, also the steps of jobs. The kubelet starts it
 *   again 10 s later at the earliest; the deletion is sent within 5 s of its word, and
 *   within 5 s of the end by the clock of its machine, and is carried out within 4 s
 *   more. A state that was seen already when the manager began to look may end at any
 *   moment, and does not count.
 */
static inline enum removal removal_without_slurm(const struct removal_facts *f)
{
	if (f->registered)
		return REMOVAL_WAIT_SLURM;
	if (f->phase == POD_PENDING && f->unstarted && f->needs_secret &&
		f->seen_for_ms >= UNSTARTED_MS)
		return REMOVAL_UNSTARTED;
	if (removal_is_halted(f))
		return removal_is_locked(f) ? REMOVAL_HALTED : REMOVAL_WAIT_CORDON;
	return REMOVAL_WAIT_SLURM;
}

static inline enum removal removal_by_slurm(const struct removal_facts *f)
{
	if (f->ambiguous)
		return REMOVAL_WAIT_NAME;
	if (!f->usable || f->node == UNKNOWN)
		return removal_without_slurm(f);
	if (f->age_ms < 0 || f->age_ms > SLURM_FRESH_MS || f->predates_pod)
		return REMOVAL_WAIT_ANSWER;
	if (f->update_in_flight || f->lift_may_come)
		return REMOVAL_WAIT_ACTION;
	enum removal r = f->node == NO ? removal_of_absent(f) : removal_of_known(f);
	if (removal_permits(r) && removal_needs_list(f))
		return REMOVAL_WAIT_ANSWER;
	return removal_permits(r) && !removal_is_locked(f) ? REMOVAL_WAIT_CORDON : r;
}

static inline enum removal decide_removal(const struct removal_facts *f)
{
	if (f->in_flight)
		return REMOVAL_WAIT_ACTION;
	if (f->phase == POD_SUCCEEDED || f->phase == POD_FAILED)
		return REMOVAL_ENDED;
	if (f->phase == POD_PENDING && !f->bound)
		return REMOVAL_UNBOUND;
	if (f->kube_age_ms > KUBE_FRESH_MS)
		return REMOVAL_WAIT_KUBE;
	if (f->release_now)
		return REMOVAL_RELEASED;
	return removal_by_slurm(f);
}

/* ---- right before the deletion ---- */

/*
 * The answer of Slurm about the node right before the deletion of its pod. Facts about
 * the pod stay those of the plan and grow older: its resourceVersion is a precondition of
 * the deletion.
 */
struct removal_answer {
	/* Ages by now of the facts of Kubernetes in the plan */
	int64_t kube_age_ms, halted_for_ms;
	/* The node was read a moment ago, by itself or by a list that names it */
	bool looked;
	/* Members as in removal_facts: */
	bool usable;
	enum tri node;
	bool ambiguous;
	bool update_in_flight;
	int64_t age_ms;
	int64_t absent_for_ms;  /* node == NO */
	int64_t list_waited_ms; /* node == NO */
	int64_t list_age_ms;
	uint32_t state;
	enum tri held;
	int64_t jobs_asked_ms, jobs_age_ms, free_since_ms;
	/*
	 * node == YES: by an answer that was asked for after the one about jobs came, the
	 * node is still drained and without work
	 */
	bool confirmed;
};

static inline int64_t removal_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The facts of the plan, with the new answer in place of the older one. */
static inline struct removal_facts removal_facts_now(struct removal_facts f,
	const struct removal_answer *a)
{
	f.kube_age_ms = a->kube_age_ms;
	f.halted_for_ms = a->halted_for_ms;
	f.usable = f.usable && a->usable;
	f.node = a->node;
	f.ambiguous = f.ambiguous || a->ambiguous;
	f.update_in_flight = a->update_in_flight;
	f.age_ms = a->age_ms;
	f.list_age_ms = a->list_age_ms;
	if (a->node == NO) {
		f.absent_for_ms = removal_least(f.absent_for_ms, a->absent_for_ms);
		f.list_waited_ms = removal_least(f.list_waited_ms, a->list_waited_ms);
	}
	f.state = a->state;
	f.held = a->held;
	f.jobs_asked_ms = a->jobs_asked_ms;
	f.jobs_age_ms = a->jobs_age_ms;
	f.free_since_ms = a->free_since_ms;
	return f;
}

/* May the pod still go, for the reason for which its deletion was ordered? */
static inline bool removal_holds(const struct removal_facts *ordered,
	const struct removal_answer *a)
{
	const struct removal_facts now = removal_facts_now(*ordered, a);
	enum removal r = decide_removal(&now);
	return a->looked && removal_relies_on_slurm(r) && r == decide_removal(ordered) &&
		(r == REMOVAL_ABSENT || a->confirmed);
}

#endif
