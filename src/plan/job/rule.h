/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SlurmJob or WlmJob is at most one job in Slurm. This rule decides when its pod is
 * made, and when it and its pod may go. Free of pointers so that it can be proven
 * (tests/proof/job.c).
 *
 * A pod is a job: a second pod would submit a second job. So a pod is made only if the
 * status knows of none and none is there. The order of the steps makes this enough: a pod
 * is made with a finalizer of ours, which it keeps until the status knows of it. A pod
 * that the status does not know therefore cannot have gone. The facts of a plan may be
 * old: right before the pod is made the object is read once more, and right before the
 * object goes its pod is looked up (guard.read).
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
	JOB_POD_STRIPPED,
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
	if (f->pod == JOB_POD_STRIPPED || (ours && f->pod_held))
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
