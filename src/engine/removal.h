/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this pod be deleted now? This is the rule that protects jobs. It has no pointers,
 * so that it can be proven (tests/proof/removal.c, removal_look.c).
 *
 * Other code decides whether a pod should be deleted. This rule decides whether the
 * deletion can end a job that has begun.
 *
 * Definitions:
 *   node     the Slurm node of the slurmd in the pod
 *   drained  the node has DRAIN, no UNDRAIN, and no job, step or epilog runs on it
 *            (node_state_drained)
 *   held     a job that has begun and not ended has the node; also a suspended job
 *   cordon   an annotation of the pod, written before its node is drained
 *   halted   no process of the pod runs, and its kubelet waits before it starts one
 *   unknown  Slurm or Kubernetes has not reported the fact, or reported it too long ago
 *
 * Invariants, each proven:
 *   1. A pod is deleted only for one of these reasons: its containers have ended, it was
 *      never assigned to a machine, its node is drained and not held, Slurm has no such
 *      node, nothing of it runs, or the user ordered it (release_now).
 *   2. An unknown fact permits no deletion.
 *   3. An answer about the node counts for SLURM_FRESH_MS. An answer about its jobs
 *      counts for JOBS_FRESH_MS, and only if it was requested after the node was seen
 *      drained.
 *   4. "Slurm has no such node" counts only if it was true without a break for a time in
 *      which the slurmd of the pod could have registered (removal_grace_ms).
 *   5. No deletion is ordered while an action of ours on the pod is in flight. A deletion
 *      that relies on Slurm is not ordered while an update of the node is in flight.
 *   6. A deletion that relies on Slurm is sent only if a newer answer of Slurm permits it
 *      for the same reason.
 *   7. If the reason is that nothing of the pod runs, or that Slurm has no such node, the
 *      API server carries the deletion out within REMOVAL_WITHIN_MS of its receipt or not
 *      at all, because the pod may start later. The other reasons do not expire before
 *      the version of the pod changes.
 *
 * The decision; each step may also end with the waits below it:
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
 * The planner of NodeSets calls decide_removal before it orders the deletion. The backend
 * of the executor calls removal_holds right before it sends the deletion, with the facts
 * of the plan and the newest answer of Slurm in place of the older one.
 */
#ifndef ENGINE_REMOVAL_H
#define ENGINE_REMOVAL_H

#include "engine/facts.h"
#include "link/facts.h"
#include "slurm/state.h"

enum {
	SLURM_FRESH_MS = 5000, /* an older answer about a node permits no deletion */
	/* Minimum time for which Slurm reports no node for a running slurmd */
	ABSENT_GRACE_MS = 10000,
	START_GRACE_MS = 300000, /* this time for a pod that may start at any moment */
	JOBS_FRESH_MS = 60000,   /* maximum age of an answer about jobs; 50,000 take 14 s to read */
	/* Minimum time for which a pod is seen without any start of a container */
	UNSTARTED_MS = 60000,
	/* Maximum age of "halted": a kubelet waits at least 10 s before a retry */
	HALTED_FRESH_MS = 5000,
	/*
	 * Limits for the end of a container, by the clock of its machine, which may be a
	 * second ahead of ours
	 */
	HALTED_AHEAD_MS = 1000,
	HALTED_ENDED_MS = 5000,
	/* Time limit in the API server for a deletion whose reason may expire */
	REMOVAL_WITHIN_MS = 3000,
};

struct removal_facts {
	enum pod_phase phase;
	bool bound;       /* assigned to a Kubernetes node */
	bool stuck;       /* Pending, and the kubelet reports that a container cannot start */
	bool cordoned;    /* has the cordon annotation, ours or a user's */
	bool in_flight;   /* an action of ours on the pod is in flight */
	bool release_now; /* the user's annotation ANNOTATION_RELEASE_NOW */
	/*
	 * Age of the facts of Kubernetes about pods, NodeSets and Clusters. The deletion
	 * is guarded only by uid and resourceVersion of its pod. So three facts are as
	 * old as this: the user still wants it, no other pod names the node, and this is
	 * the pod's Slurm.
	 */
	int64_t kube_age_ms;
	/*
	 * Facts for a pod about which Slurm reports nothing (removal_without_slurm).
	 * registered: a Slurm has had its node, or it has had work
	 */
	bool registered;
	bool unstarted;        /* its kubelet reports that nothing of it has ever started */
	bool needs_secret;     /* it mounts a Secret that it cannot start without */
	int64_t seen_for_ms;   /* time in which it was seen in this phase on this machine */
	bool halted;           /* nothing of it runs, and its kubelet waits before a retry */
	int64_t halted_for_ms; /* time since it was seen to become halted */
	int64_t ended_for_ms;  /* time since its container ended, by its machine's clock */
	bool usable;           /* Slurm answers, is the right Slurm, and its Cluster exists */
	enum tri node;         /* does Slurm have the node? */
	/*
	 * The node may not be the pod's, or not only the pod's: another pod names it too,
	 * or the pod's slurmd registered with another Slurm or under another name.
	 */
	bool ambiguous;
	/*
	 * node == NO, or not at the pod's address: Slurm reported earlier that the pod
	 * has work until a time in the future
	 */
	bool lost_work;
	bool update_in_flight; /* an update of ours on the node is in flight */
	/* A former manager may have sent an UNDRAIN that is still in flight */
	bool lift_may_come;
	int64_t age_ms;    /* of the answer about the node */
	bool predates_pod; /* that answer was requested before the pod was in its phase */
	/*
	 * node == NO: time for which Slurm had no such node without a break, and in which
	 * the pod was not assigned, started or restarted
	 */
	int64_t absent_for_ms;
	/* node == YES: Slurm has it at the pod's address, or reports no address */
	bool at_its_address;
	int64_t in_phase_for_ms; /* time since the pod was assigned, started or restarted */
	/*
	 * A list that names every node is needed. Unless the node is at the pod's
	 * address, only such a list shows whether the pod's slurmd registered under
	 * another name. The answer "nothing has changed" is wrong after slurmctld's clock
	 * was set back.
	 */
	bool by_list;
	/*
	 * Age of the newest list that named every node, less twice the time that it takes
	 * to read one, because each list is that old when it arrives
	 */
	int64_t list_age_ms;
	/*
	 * Time from the node's disappearance, and from the pod's assignment, start or
	 * restart, until the request for that list
	 */
	int64_t list_waited_ms;
	uint32_t state;        /* node == YES */
	enum tri held;         /* node == YES: does a job that has begun and not ended have it? */
	int64_t jobs_asked_ms; /* when the answer about jobs was requested; 0: no answer */
	int64_t jobs_age_ms;   /* age of that answer */
	/* Time of the first of the consecutive answers that report: drained, no work */
	int64_t free_since_ms;
};

enum removal {
	REMOVAL_WAIT_ACTION,      /* for the outcome of an action of ours */
	REMOVAL_WAIT_KUBE,        /* the facts of Kubernetes are too old to rely on */
	REMOVAL_WAIT_SLURM,       /* Slurm does not report it */
	REMOVAL_WAIT_ANSWER,      /* Slurm's answer about the node is too old to rely on */
	REMOVAL_WAIT_JOBS_ANSWER, /* no answer about jobs was requested since the drain */
	REMOVAL_WAIT_NAME,        /* it is not certain which Slurm node is the pod's */
	REMOVAL_WAIT_DRAIN,       /* for the drain to take effect */
	REMOVAL_WAIT_JOBS,        /* drained, but jobs that have begun have not ended */
	REMOVAL_WAIT_FORGOTTEN,   /* Slurm has lost the record of the node, which had a job */
	/* Slurm has no such node, but the slurmd may be about to register */
	REMOVAL_WAIT_REGISTRATION,
	REMOVAL_WAIT_CORDON, /* permitted, but the pod has no cordon yet */
	/* From here on the deletion is permitted, because: */
	REMOVAL_ENDED,   /* its containers have ended */
	REMOVAL_UNBOUND, /* it never ran */
	REMOVAL_DRAINED, /* its node is drained, and no job that has begun has it */
	REMOVAL_ABSENT,  /* Slurm has no such node */
	/* Nothing of it has ever started, and one of its Secrets may be missing */
	REMOVAL_UNSTARTED,
	REMOVAL_HALTED,   /* nothing of it runs, nor starts within the next seconds */
	REMOVAL_RELEASED, /* the user ordered it */
};

static inline bool removal_permits(enum removal r) { return r >= REMOVAL_ENDED; }
/*
 * The reason is a fact of Slurm, so the executor reads the node again before it deletes.
 */
static inline bool removal_relies_on_slurm(enum removal r)
{
	return r == REMOVAL_DRAINED || r == REMOVAL_ABSENT;
}

/*
 * The reason expires: a slurmd may start before a new version of the pod shows it.
 */
static inline bool removal_expires(enum removal r)
{
	return r == REMOVAL_ABSENT || r == REMOVAL_UNSTARTED || r == REMOVAL_HALTED;
}

/*
 * True while the pod cannot start: the pull of the image has just failed, and the kubelet
 * waits 10 s or more before the retry. Later the container may run before the kubelet
 * reports it.
 */
static inline bool removal_cannot_start(const struct removal_facts *f)
{
	return f->stuck && f->halted && f->halted_for_ms >= 0 &&
		f->halted_for_ms <= HALTED_FRESH_MS;
}

/*
 * The time in which the slurmd may yet register. A bound pod that is Pending may run
 * already, because the kubelet reports it a second or more later.
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
 * A suspended job leaves its node idle (Slurm 24.11), so the state of the node is not
 * enough. The list of jobs that have begun and not ended is needed too, requested after
 * the node was seen drained and idle. From then on no job can begin there, so that list
 * has every job that holds the node.
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
	 * An old list does not count, because the drain may have been lifted and set
	 * again between two answers about the node.
	 */
	if (f->jobs_age_ms < 0 || f->jobs_age_ms > JOBS_FRESH_MS)
		return REMOVAL_WAIT_JOBS_ANSWER;
	if (f->held == YES)
		return REMOVAL_WAIT_JOBS;
	/*
	 * At another address, the node is the record of a predecessor, and the pod's
	 * slurmd has yet to register, perhaps under another name. If a slurmd answers
	 * there, it may have taken over the node of the pod's slurmd, with a job.
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
 * version of the pod that has a cordon, and a drain is lifted only for a later version
 * without a cordon (undrain.h). Then a late deletion fails on its resourceVersion. A pod
 * that has not started changes its version when the kubelet reports the start;
 * removal_grace_ms covers the time until then.
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
 * Slurm reports nothing: it does not exist, does not answer, or was never found. A pod
 * that never had work may be deleted nevertheless, if no job can be in it.
 *
 * The status from the kubelet does not prove that nothing runs: the kubelet reports the
 * start of a container a second later, or minutes later if the image of another container
 * of the pod is pulled meanwhile. So "it has not started" alone is not enough, and a pod
 * that a Slurm has had waits for Slurm. Two cases permit a deletion:
 *
 * - A Secret that a container mounts does not exist. A kubelet mounts every such volume
 *   before it starts the first container. The executor reads the Secret right before the
 *   deletion, and deletes only if the API server has no such Secret (READ_NO_SECRET). So
 *   a container can have started only if the Secret existed and was deleted meanwhile.
 *   Because of that case the pod must have been seen for a minute without a start: after
 *   a start the kubelet would have reported it, which changes the resourceVersion. A pod
 *   with several containers waits for Slurm, because one of them may run unreported while
 *   an image is pulled.
 * - The kubelet has just reported that the container has ended (CrashLoopBackOff), or
 *   that the pull of its image failed and nothing of the pod has ever started
 *   (ErrImagePull). All processes of a container end with it, including the steps of
 *   jobs. The kubelet starts the container again after 10 s at the earliest. The deletion
 *   is sent within 5 s of the report, and within 5 s of the end by the clock of the
 *   machine, and is carried out within 4 s more. If the pod was already halted when the
 *   manager first saw it, the container may start at any moment, so this case does not
 *   apply.
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
 * The answer of Slurm about the node right before the deletion of its pod. The facts
 * about the pod are those of the plan, only older: its resourceVersion is a precondition
 * of the deletion.
 */
struct removal_answer {
	/* The present age of the plan's facts of Kubernetes */
	int64_t kube_age_ms, halted_for_ms;
	/* The node was read a moment ago, by a single read or by a list that names it */
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
	 * node == YES: an answer that was requested after the answer about jobs came
	 * reports the node still drained and without work
	 */
	bool confirmed;
};

static inline int64_t removal_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The facts of the plan, with the new answer in place of the old one. */
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

/* True if the deletion is still permitted, for the reason for which it was ordered. */
static inline bool removal_holds(const struct removal_facts *ordered,
	const struct removal_answer *a)
{
	const struct removal_facts now = removal_facts_now(*ordered, a);
	enum removal r = decide_removal(&now);
	return a->looked && removal_relies_on_slurm(r) && r == decide_removal(ordered) &&
		(r == REMOVAL_ABSENT || a->confirmed);
}

#endif
