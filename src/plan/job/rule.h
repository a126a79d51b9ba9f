/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when the pod of a SlurmJob or WlmJob is created, and when the object and its
 * pod may be deleted. Free of pointers so that it can be proven (tests/proof/job.c).
 *
 * Definitions:
 *   object  the SlurmJob or WlmJob
 *   pod     the pod that carries its job. A second pod would submit a second job
 *   kept    the object has FINALIZER_JOB (api/names.h)
 *   held    the pod has FINALIZER_UNREPORTED (engine/facts.h), with which it is created
 *   noted   the status of the object says that it has or had a pod
 *
 * Invariants, each proven:
 *   1. A second pod is never created for an object.
 *   2. A pod is created only for a kept, valid object that is not being deleted, and
 *      only if its name is free.
 *   3. A pod is held until the object is noted or is being deleted. So while the object
 *      stays, no pod can be gone before the status knows of it.
 *   4. A pod is deleted only with its object, and stays if the object is deleted with
 *      "--cascade=orphan".
 *   5. decide_job never deletes, releases or trusts a pod of another owner.
 *   6. An object loses FINALIZER_JOB only when no pod of it exists or is being created,
 *      and no pod that it leaves behind is held.
 *   7. A valid, kept object without a pod gets a pod.
 *
 * The life of an object; on an arrow is the step that decide_job returns:
 *
 *      new --KEEP--> kept --CREATE--> made --NOTE--> noted --LET_POD_GO--> MIRROR
 *       |                                                                    |
 *       +--REFUSE (faulty)                      the pod has gone: LOST <-----+
 *
 *   and of an object that is being deleted, by job_step_deleting:
 *
 *      DELETE_POD --> LET_POD_GO --> WAIT_POD --> FINISH --> LEAVE_ALONE
 *
 * The manager alone writes FINALIZER_UNREPORTED; a virtual node writes no finalizer. The
 * manager removes the finalizer in three cases:
 *
 *   JOB_LET_POD_GO  the object is noted or is being deleted. If the object stays and its
 *                   pod has ended, the status of the object reports the end first
 *   JOB_WAIT_NAME   a former object of this name is gone, and its held pod is being
 *                   deleted: plan.c releases the pod, so that the name is free
 *   job_left_plan   the object is gone, so no plan of it releases the pod (plan.h)
 *
 * The facts of a plan may be old. So the object is read again right before its pod is
 * created, and the pod is looked up right before the object is released (guard.read).
 */
#ifndef PLAN_JOB_RULE_H
#define PLAN_JOB_RULE_H

#include <stdbool.h>

enum job_pod {
	JOB_POD_NONE, /* no pod has the name */
	JOB_POD_OURS, /* this object controls it */
	/*
	 * No object controls it, but it still has its finalizer: the garbage collector
	 * removed the owner reference, because the pod stays when its object is deleted
	 */
	JOB_POD_ORPHANED,
	JOB_POD_OTHERS, /* it has another owner, and is never adopted */
};

struct job_facts {
	bool known;     /* the pods of the namespace were listed */
	bool in_flight; /* an action of ours on the object or on its pod is in flight */
	bool deleting;
	bool orphaning; /* it is being deleted, and its pod stays */
	bool kept;      /* it has our finalizer */
	bool faulty;    /* the request is not valid */
	bool noted;     /* its status says that it has or had a pod */
	enum job_pod pod;
	bool pod_held; /* the pod still has its finalizer */
	bool pod_ending;
};

enum job_step {
	JOB_WAIT,        /* for an action in flight, or for an unknown fact */
	JOB_REFUSE,      /* nothing is created */
	JOB_WAIT_NAME,   /* until another owner's pod has left the name */
	JOB_KEEP,        /* add our finalizer to the object */
	JOB_CREATE,      /* create its pod */
	JOB_NOTE,        /* first write into the status that there is a pod */
	JOB_LET_POD_GO,  /* remove the finalizer of the pod */
	JOB_MIRROR,      /* the pod exists, and the status follows it */
	JOB_LOST,        /* its pod is gone, and is not recreated */
	JOB_DELETE_POD,  /* the object is being deleted: delete its pod first */
	JOB_WAIT_POD,    /* until the pod is gone */
	JOB_FINISH,      /* remove our finalizer from the object */
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
