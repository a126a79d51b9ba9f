/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when the pod of a SlurmJob or WlmJob is made, and when the object and its pod
 * may go. Free of pointers so that it can be proven (tests/proof/job.c).
 *
 * Definitions:
 *   object  the SlurmJob or WlmJob
 *   pod     the pod that carries its job. A pod is a job: a second pod would submit a
 *           second job
 *   kept    the object has FINALIZER_JOB (api/names.h)
 *   held    the pod has FINALIZER_UNREPORTED (engine/facts.h), with which it is made
 *   noted   the status of the object says that it has had a pod
 *
 * Invariants, each proven:
 *   1. A second pod is never made for an object.
 *   2. A pod is made only for a kept, valid object that is not being deleted, and only
 *      where its name is free.
 *   3. A pod is held until the object is noted or is being deleted. So a pod of which the
 *      status does not know cannot have gone.
 *   4. A pod is deleted only with its object, and stays if the object is deleted with
 *      "--cascade=orphan".
 *   5. decide_job never deletes, releases or believes a pod of another owner.
 *   6. An object loses FINALIZER_JOB only when no pod of it is there or under way, and no
 *      pod that it leaves behind is held.
 *   7. A valid, kept object without a pod gets one.
 *
 * The life of an object; on an arrow is the step that decide_job returns:
 *
 *      new --KEEP--> kept --CREATE--> made --NOTE--> noted --LET_POD_GO--> MIRROR
 *       |                                                                    |
 *       +--REFUSE (faulty)                      the pod has gone: LOST <-----+
 *
 *   and of one that is being deleted, by job_step_deleting:
 *
 *      DELETE_POD --> LET_POD_GO --> WAIT_POD --> FINISH --> LEAVE_ALONE
 *
 * The manager alone writes FINALIZER_UNREPORTED; a virtual node writes no finalizer. The
 * finalizer goes in three cases:
 *
 *   JOB_LET_POD_GO  the object is noted or is being deleted. If the pod of an object
 *                   that stays has an end, the status of the object has it first
 *   JOB_WAIT_NAME   a former object of this name has gone, and its held pod is being
 *                   deleted: plan.c releases the pod, so that the name is free
 *   job_left_plan   the object has gone, so that no plan of it releases the pod (plan.h)
 *
 * The facts of a plan may be old: right before the pod is made the object is read once
 * more, and right before the object goes its pod is looked up (guard.read).
 */
#ifndef PLAN_JOB_RULE_H
#define PLAN_JOB_RULE_H

#include <stdbool.h>

enum job_pod {
	JOB_POD_NONE, /* there is none of its name */
	JOB_POD_OURS, /* this very object controls it */
	/*
	 * No object controls it, and it still has its finalizer: the garbage collector
	 * removed the owner reference, so that the pod stays while its object goes
	 */
	JOB_POD_ORPHANED,
	JOB_POD_OTHERS, /* it has another owner, and is never taken over */
};

struct job_facts {
	bool known;     /* the pods of its namespace were listed */
	bool in_flight; /* an action of ours on the object or on its pod is under way */
	bool deleting;
	bool orphaning; /* it is being deleted, and its pod is to stay */
	bool kept;      /* it has our finalizer */
	bool faulty;    /* the request is not valid */
	bool noted;     /* its status says that it has had a pod */
	enum job_pod pod;
	bool pod_held; /* the pod has its finalizer still */
	bool pod_ending;
};

enum job_step {
	JOB_WAIT,        /* for an action of ours, or for what is not known */
	JOB_REFUSE,      /* nothing is made */
	JOB_WAIT_NAME,   /* until another owner's pod has left the name */
	JOB_KEEP,        /* the object gets our finalizer */
	JOB_CREATE,      /* its pod is made */
	JOB_NOTE,        /* the status is to know of the pod before anything else */
	JOB_LET_POD_GO,  /* the pod loses its finalizer */
	JOB_MIRROR,      /* the pod is there: the status follows it */
	JOB_LOST,        /* its pod has gone, and none is made again */
	JOB_DELETE_POD,  /* the object is being deleted: its pod is deleted first */
	JOB_WAIT_POD,    /* until the pod has gone */
	JOB_FINISH,      /* the object loses our finalizer */
	JOB_LEAVE_ALONE, /* it is being deleted, and nothing is left to do */
};

static inline enum job_step job_step_deleting(const struct job_facts *f)
{
	bool ours = f->pod == JOB_POD_OURS;
	if (ours && !f->orphaning && f->kept && !f->pod_ending)
		return JOB_DELETE_POD;
	if (f->pod == JOB_POD_ORPHANED || (ours && f->pod_held))
		return JOB_LET_POD_GO;
	if (!f->kept)
		return JOB_LEAVE_ALONE;
	return ours && !f->orphaning ? JOB_WAIT_POD : JOB_FINISH;
}

static inline enum job_step decide_job(const struct job_facts *f)
{
	if (!f->known || f->in_flight)
		return JOB_WAIT;
	if (f->deleting)
		return job_step_deleting(f);
	if (f->pod == JOB_POD_OURS && !f->noted)
		return JOB_NOTE;
	if (f->pod == JOB_POD_OURS && f->pod_held)
		return JOB_LET_POD_GO;
	if (f->pod == JOB_POD_OURS)
		return f->kept ? JOB_MIRROR : JOB_KEEP;
	if (f->noted)
		return JOB_LOST;
	if (f->faulty)
		return JOB_REFUSE;
	if (f->pod != JOB_POD_NONE)
		return JOB_WAIT_NAME;
	return f->kept ? JOB_CREATE : JOB_KEEP;
}

#endif
