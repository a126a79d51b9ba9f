/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides the next step for one pod of a virtual node. Free of pointers so that it can be
 * proven (tests/proof/vpod.c).
 *
 * Definitions:
 *
 *   key       Names the job of the pod, also in red-box and in Slurm (wlm/plain.h).
 *   step      One call for a pod: of the API server, or of red-box. Its end writes a fact
 *             (pods.c, owner.c, report.c of src/virtual_node), then calls attempt_over.
 *   begun     The pod says that a submission may have been sent (CONDITION_JOB_KEY).
 *   unknown   No answer: not read, too old, or the call failed.
 *   behind    Its owner is gone or being deleted, and the pod was not read after that
 *             (vpod_is_behind).
 *   over      Slurm has no job of the pod that could run, or the outcome of the job can
 *             never be known (vpod_is_over).
 *   closed    red-box has recorded that it submits no job for the key any more.
 *   kept      slurmctld has saved the end of the job: it reported the end again later. A
 *             slurmctld that is killed may forget a cancellation of the last five
 *             seconds, and then has the job again (seen with 24.11.5: a job that was
 *             pending is pending, a job that ran is reported as running).
 *
 * Invariants:
 *
 *   (1) One call of a pod is in flight at a time, and only decide_vpod begins a call: the
 *       end of a call begins no other call.
 *   (2) A pod is begun before its job is submitted. So a virtual node that is restarted
 *       knows for each pod whether Slurm may have its job, and finds the job by the key.
 *   (3) A job is submitted only if its owner was read a moment ago and requests it, its
 *       script was read with it, and its inputs are there or certainly not requested.
 *   (4) An unknown fact never ends a job, deletes a pod, or submits a job.
 *   (5) A job is cancelled only if a user requests its end. A deletion of the pod by
 *       Kubernetes is no such request, nor is a deletion of its owner with
 *       "--cascade=orphan". A deletion counts only if the pod is not behind.
 *   (6) A pod that is begun and has not ended is deleted only if it is over. An answer
 *       that Slurm has no job counts only if the pod is closed and Slurm still has none
 *       afterwards: a call of ours may reach red-box long after it was sent, and after
 *       we were killed. A pod that has ended is deleted after one query whether its job
 *       was requeued (vpod_runs_again), or without it if red-box cannot be queried.
 *   (7) If a user requests the end of a job, the end counts only if it is kept.
 *   (8) A pod is deleted before its owner only if the status of the owner has the end. A
 *       pod that is gone reports nothing. So before every LET_GO the end is written into
 *       the pod, and read in the owner (vpod_step_parting). If the kind of the owner was
 *       removed from the API server, no status can have the end.
 *   (9) A pod has one red-box from its first note on, and no other is ever queried: each
 *       account of a Slurm has its own red-box, which does not know the others' jobs.
 *  (10) A refusal by Slurm is reported only if the pod is closed and Slurm has no job of
 *       it afterwards: an earlier call may arrive late, and be accepted.
 *
 * The job of a pod that is begun, by the end of the pod:
 *
 *   a user deletes the pod        it is cancelled; the pod stays until it is over
 *   Kubernetes deletes the pod    it continues while its owner exists or leaves the pod
 *   (disrupted)                   (orphaned). The pod stays until the job has ended, and
 *                                 an owner that exists has the end. Otherwise the job is
 *                                 cancelled
 *   a client removes the pod by   it is cancelled if this process saw the removal (taken)
 *   force
 *   the pod is deleted otherwise  it continues while its owner exists; if the owner is
 *                                 gone or being deleted, the job is cancelled
 *   the pod is removed while no   it continues: a pod that is gone at our start is
 *   virtual node runs             unknown
 *
 * A pod fails without an end of its job only in these cases (the step, and why):
 *
 *   REJECT  it was never begun: it is no job, its owner is gone, its inputs have failed,
 *           its namespace has no account, or it is being deleted
 *   TELL    Slurm refuses the submission, and no job of the key can come (10)
 *   TELL    Slurm has no job, none can come (6), and the owner is gone or the pod is
 *           being deleted
 *   TELL    VJOB_LOST
 *   TELL    tasks of an array are missing, and no other runs or waits (vjob_sum, sheet.h)
 *
 * The life of a pod; an arrow names the function that decides the change, and the step:
 *
 *        +-----------+  vpod_step_before: REJECT
 *        |    new    |---------------------------------------------+
 *        +-----------+                                             |
 *              | vpod_step_before: ASK_OWNER, AWAIT, MARK          |
 *              v                                                   v
 *        +-----------+  vpod_step_refused: CLOSE, TELL       +-----------+
 *        |   begun   |-------------------------------------->|   ended   |
 *        +-----------+                                       +-----------+
 *           |     ^                                            ^   |
 *           |     | no job: vpod_step_submitting: ASK_JOB,     |   |
 *           |     | ASK_OWNER, ASK_POD, SUBMIT; CLOSE, TELL ---+   |
 *           v     | (its owner is gone)                        |   |
 *        +-----------+  vpod_step_asking: TELL (ended, lost)   |   |
 *        | has a job |-----------------------------------------+   |
 *        +-----------+                                             |
 *              | vpod_is_to_end                     vpod_is_to_end |
 *              v                                                   v
 *        +---------------------------------------------------------------+
 *        | ending      vpod_step_ending: CANCEL, ASK_JOB until over,     |
 *        |             vpod_step_closing: CLOSE, ASK_JOB                 |
 *        |             vpod_step_parting: TELL or REJECT, ASK_OWNER      |
 *        +---------------------------------------------------------------+
 *              | vpod_step_ending: LET_GO           ^
 *              v                                    | vpod_step_gone: its owner goes,
 *        +-----------+                              | too (ASK_OWNER)
 *        |   gone    |------------------------------+
 *        +-----------+  vpod_step_gone, vpod_step_ending: FORGET
 *
 * vpod_is_to_end also leads from new and begun to ending. If Kubernetes alone deletes an
 * ended pod, vpod_step_ended decides: ASK_OWNER until its owner has the end, then LET_GO.
 * vpod_step_parting comes before each LET_GO.
 */
#ifndef PLAN_VNODE_RULE_H
#define PLAN_VNODE_RULE_H

#include <stdbool.h>

enum vpod_owner {
	VOWNER_UNKNOWN,  /* not read, or longer ago than VPOD_OWNER_MS */
	VOWNER_LIVE,     /* it exists, with the uid that the pod has of it */
	VOWNER_DELETING, /* it exists with that uid, and is being deleted */
	VOWNER_GONE,     /* it does not exist, or another object has its name */
};

/*
 * The input data that the job needs on the side of Slurm. A job is submitted only if its
 * inputs are there, or if its owner was read and requests none.
 */
enum vpod_inputs {
	VINPUTS_UNKNOWN,
	VINPUTS_NONE,    /* its owner was read, and requests none */
	VINPUTS_AWAITED, /* requested, and not there yet */
	VINPUTS_THERE,   /* the pod says so, with its own uid: copies of a pod do not count */
	VINPUTS_FAILED,  /* the pod says that they will never be there */
};

/* The last answer of red-box about the job of the key. */
enum vpod_job {
	VJOB_UNKNOWN, /* no answer yet, or a new job id since */
	VJOB_NONE,    /* Slurm has no job of the key */
	VJOB_LIVE,    /* the job is pending or runs */
	VJOB_ENDED,   /* Slurm reports an end, and may forget it until end_kept */
	/*
	 * Nothing is submitted for this key any more, and the outcome of a job that it
	 * had cannot be known: red-box returned ERR_EXISTS (wlm/client.h), or the job is
	 * lost by plan/vnode/missing.h
	 */
	VJOB_LOST,
};

/* The red-box that is queried for the pod (plan/vnode/account.h). */
enum vpod_way {
	VWAY_NONE,   /* none: its namespace has no account, and needs one */
	VWAY_MAPPED, /* that of its namespace; the pod does not name it yet */
	VWAY_NOTED,  /* the one that the pod names */
	VWAY_LOST,   /* the pod names a red-box that is not here, so none can be queried */
};

struct vpod_facts {
	bool in_flight; /* a call of ours for the pod is in flight */
	bool there;     /* the pod exists in Kubernetes */
	bool asks;      /* a SlurmJob or a WlmJob controls it, so it requests a job */
	enum vpod_owner owner;
	bool pod_read;   /* the pod was read after its owner had been */
	bool has_script; /* the part of its owner that is submitted is kept, from the last read */
	bool end_told;   /* the status of its owner has the end */
	bool owner_told; /* the status of its owner has the end, and no results are awaited */
	/* The API server has reported for VPOD_UNSERVED_MS that it has no such kind */
	bool unserved;
	bool orphaned; /* begun, and its owner was deleted with "--cascade=orphan" */
	bool begun;    /* the pod says that a submission may have begun */
	bool has_id;   /* the job id of Slurm is known */
	enum vpod_inputs inputs;
	enum vpod_way way;
	bool others; /* another virtual node has run it */
	bool ended;  /* its status has the end; if it is gone, the last status had it */
	bool deleting;
	/* Kubernetes itself deletes the pod (DisruptionTarget): eviction, preemption */
	bool disrupted;
	/*
	 * The pod is gone, and this process saw its removal. The pod had no end and was
	 * not disrupted, so a client removed it by force
	 */
	bool taken;
	enum vpod_job job;
	/*
	 * job was queried at least VPOD_SETTLE_MS after our last submission, and after
	 * our start
	 */
	bool none_sure;
	bool end_kept;    /* VJOB_ENDED was reported again VPOD_KEPT_MS after the first report */
	bool refused;     /* red-box will always refuse the submission */
	bool looked;      /* job was queried after the deletion was seen */
	bool unasked;     /* red-box is away or not here, or the last ASK_JOB failed */
	bool closed;      /* red-box has confirmed that it submits nothing for the key any more */
	bool asked_since; /* job was queried after red-box had closed the key */
	bool cancelled;   /* Slurm accepted a cancellation a moment ago */
	bool let_go;      /* Kubernetes accepted the deletion of the pod a moment ago */
};

enum vpod_step {
	VPOD_WAIT,      /* for a call in flight, or for Kubernetes */
	VPOD_LEAVE,     /* do nothing */
	VPOD_REJECT,    /* write into its status that it failed, because it gets no job */
	VPOD_ASK_OWNER, /* read its SlurmJob or WlmJob */
	VPOD_ASK_POD,   /* its owner is gone or being deleted: read the pod again */
	VPOD_AWAIT,     /* write into its status that its inputs are being brought */
	VPOD_MARK,      /* write into its status that a submission may have begun */
	/*
	 * Submit its job. The pod is begun (2) and names its red-box (9). Owner, script
	 * and inputs are as in (3). Slurm is not known to have a job: VJOB_NONE, or
	 * VJOB_UNKNOWN without a job id. vpod_plan waits while red-box is away or Slurm
	 * has no such partition
	 */
	VPOD_SUBMIT,
	VPOD_ASK_JOB, /* query red-box for the job of the key */
	VPOD_TELL,    /* write the state of the job into its status */
	VPOD_CANCEL,
	VPOD_CLOSE,  /* close the key: red-box then submits nothing for it any more */
	VPOD_LET_GO, /* delete its object at once */
	VPOD_FORGET, /* it is gone, and nothing is left to do: free its facts */
};

static inline bool vpod_has_inputs(const struct vpod_facts *f)
{
	return f->inputs == VINPUTS_NONE || f->inputs == VINPUTS_THERE;
}

/*
 * The owner of the pod is gone or being deleted, and the pod was not read after that. If
 * the pod is to stay, the garbage collector removes the owner reference before it deletes
 * the owner, and our watch may lag. So the pod as it is afterwards decides. An owner that
 * is known to leave its pod (orphaned) does not count while it exists, because its
 * reference is yet to be removed.
 */
static inline bool vpod_is_behind(const struct vpod_facts *f)
{
	bool goes = f->owner == VOWNER_GONE || (f->owner == VOWNER_DELETING && !f->orphaned);
	return goes && f->there && f->begun && f->asks && !f->pod_read;
}

/* Slurm has no job of it that could run, or the outcome of the job can never be known. */
static inline bool vpod_is_over(const struct vpod_facts *f)
{
	return (f->job == VJOB_ENDED && f->end_kept) || f->job == VJOB_LOST ||
		(f->job == VJOB_NONE && f->none_sure);
}

/*
 * A user requests the end of the job. A deletion of the pod by Kubernetes alone is no
 * such request, because the job runs in Slurm. A deletion of its owner with
 * "--cascade=orphan" is none, either.
 */
static inline bool vpod_is_to_end(const struct vpod_facts *f)
{
	bool stays = f->owner == VOWNER_LIVE || (f->orphaned && !f->ended);
	return f->deleting && !(f->disrupted && stays);
}

/*
 * The pod has ended, and a user may have requeued its job since: red-box is queried only
 * once. A Slurm that is away does not block a pod that has ended.
 */
static inline bool vpod_runs_again(const struct vpod_facts *f)
{
	bool forgets = f->cancelled && f->job == VJOB_ENDED && !f->end_kept;
	return f->looked ? f->job == VJOB_LIVE || forgets : !f->unasked;
}

/* The next step until no job of the key can be submitted any more; VPOD_LEAVE: none. */
static inline enum vpod_step vpod_step_closing(const struct vpod_facts *f)
{
	if (!f->begun || f->job != VJOB_NONE || (f->ended && f->unasked))
		return VPOD_LEAVE;
	if (!f->closed)
		return VPOD_CLOSE;
	return f->asked_since ? VPOD_LEAVE : VPOD_ASK_JOB;
}

static inline enum vpod_step vpod_step_ending(const struct vpod_facts *f)
{
	if (f->there && f->let_go)
		return VPOD_WAIT;
	bool may_run = f->begun || (f->others && f->asks);
	bool over = f->ended ? !vpod_runs_again(f) : vpod_is_over(f);
	if (over && vpod_step_closing(f) != VPOD_LEAVE)
		return vpod_step_closing(f);
	if (!may_run || over)
		return f->there ? VPOD_LET_GO : VPOD_FORGET;
	if (f->ended && !f->looked)
		return VPOD_ASK_JOB;
	if (f->cancelled || f->job == VJOB_NONE || f->job == VJOB_ENDED)
		return VPOD_ASK_JOB;
	return VPOD_CANCEL;
}

/*
 * The pod is gone. The end of its owner ends the job, too. So does a client that removed
 * the pod by force, because nothing would report the job any more.
 */
static inline enum vpod_step vpod_step_gone(const struct vpod_facts *f)
{
	if (f->begun && f->taken && f->way == VWAY_NOTED)
		return vpod_step_ending(f);
	if (!f->begun || f->owner == VOWNER_LIVE)
		return VPOD_FORGET;
	return f->owner == VOWNER_UNKNOWN ? VPOD_ASK_OWNER : vpod_step_ending(f);
}

/*
 * The pod has ended, and no user requests its deletion: it stays until its owner has the
 * end.
 */
static inline enum vpod_step vpod_step_ended(const struct vpod_facts *f)
{
	if (!f->deleting)
		return VPOD_LEAVE;
	if (!f->owner_told)
		return VPOD_ASK_OWNER;
	return f->let_go ? VPOD_WAIT : VPOD_LET_GO;
}

static inline enum vpod_step vpod_step_before(const struct vpod_facts *f)
{
	if (!f->asks)
		return VPOD_REJECT;
	if (f->others)
		return VPOD_LEAVE;
	if (f->inputs == VINPUTS_FAILED || f->way == VWAY_NONE)
		return VPOD_REJECT;
	switch (f->owner) {
	case VOWNER_UNKNOWN:
		return f->inputs == VINPUTS_AWAITED ? VPOD_AWAIT : VPOD_ASK_OWNER;
	case VOWNER_LIVE:
		if (f->inputs == VINPUTS_AWAITED)
			return VPOD_AWAIT;
		return vpod_has_inputs(f) ? VPOD_MARK : VPOD_ASK_OWNER;
	case VOWNER_DELETING:
		return VPOD_LEAVE; /* the deletion of the pod follows */
	case VOWNER_GONE:
		break;
	}
	return VPOD_REJECT;
}

/*
 * No job is known, but one may have been submitted. If a client removed the note that the
 * inputs are there, Slurm is queried for a job, and gets none.
 */
static inline enum vpod_step vpod_step_submitting(const struct vpod_facts *f)
{
	if (f->owner == VOWNER_UNKNOWN)
		return VPOD_ASK_OWNER;
	if (f->owner == VOWNER_LIVE && f->inputs == VINPUTS_UNKNOWN)
		return VPOD_ASK_OWNER;
	if (f->owner == VOWNER_LIVE)
		return vpod_has_inputs(f) ? VPOD_SUBMIT : VPOD_ASK_JOB;
	if (f->owner != VOWNER_GONE || f->job != VJOB_NONE || !f->none_sure)
		return VPOD_ASK_JOB;
	enum vpod_step closing = vpod_step_closing(f);
	return closing == VPOD_LEAVE ? VPOD_TELL : closing;
}

/*
 * The step before the pod is deleted: the status of its owner must have the end, unless
 * the owner is deleted, too, or its kind is gone. VPOD_LEAVE: no step is needed. The end
 * of a pod that another virtual node has run is not known here.
 */
static inline enum vpod_step vpod_step_parting(const struct vpod_facts *f)
{
	bool goes = f->owner == VOWNER_DELETING || f->owner == VOWNER_GONE;
	bool deaf = f->owner == VOWNER_UNKNOWN && f->unserved;
	if (!f->asks || f->others || goes || deaf || f->end_told)
		return VPOD_LEAVE;
	if (f->ended || f->owner == VOWNER_UNKNOWN)
		return VPOD_ASK_OWNER;
	return f->begun ? VPOD_TELL : VPOD_REJECT;
}

/*
 * Slurm refuses the submission, but may accept it when an earlier call arrives late. So
 * the refusal is reported only when no job of the key can come any more.
 */
static inline enum vpod_step vpod_step_refused(const struct vpod_facts *f)
{
	bool known = f->job != VJOB_UNKNOWN && f->job != VJOB_NONE;
	bool none = f->job == VJOB_NONE && f->closed && f->asked_since;
	if (known || none)
		return VPOD_TELL;
	return f->closed ? VPOD_ASK_JOB : VPOD_CLOSE;
}

/* The step if the red-box of the pod can be queried, and everything it needs was read. */
static inline enum vpod_step vpod_step_asking(const struct vpod_facts *f)
{
	if (!f->there)
		return vpod_step_gone(f);
	if (f->deleting && f->disrupted && f->owner == VOWNER_UNKNOWN)
		return VPOD_ASK_OWNER;
	if (vpod_is_to_end(f))
		return vpod_step_ending(f);
	if (f->ended)
		return vpod_step_ended(f);
	if (!f->begun)
		return vpod_step_before(f);
	if (f->refused)
		return vpod_step_refused(f);
	if (f->job == VJOB_LIVE || f->job == VJOB_ENDED || f->job == VJOB_LOST)
		return VPOD_TELL;
	if (f->job == VJOB_UNKNOWN && f->has_id)
		return VPOD_ASK_JOB;
	return vpod_step_submitting(f);
}

/* The read that the step needs first, or the step itself. */
static inline enum vpod_step vpod_step_reading(const struct vpod_facts *f, enum vpod_step step)
{
	if (step == VPOD_ASK_OWNER && vpod_is_behind(f))
		return VPOD_ASK_POD;
	return step == VPOD_SUBMIT && !f->has_script ? VPOD_ASK_OWNER : step;
}

/*
 * If the pod does not name a red-box that is here, no step that needs red-box is taken,
 * and nothing is concluded. vpod_plan delays the steps of a red-box that is away.
 */
static inline enum vpod_step decide_vpod(const struct vpod_facts *f)
{
	if (f->in_flight)
		return VPOD_WAIT;
	if (f->way == VWAY_LOST && f->there && !f->deleting && !f->ended)
		return VPOD_LEAVE;
	struct vpod_facts read = *f;
	if (vpod_is_behind(f))
		read.owner = VOWNER_UNKNOWN;
	enum vpod_step step = vpod_step_asking(&read);
	if (step == VPOD_LET_GO && vpod_step_parting(f) != VPOD_LEAVE)
		step = vpod_step_parting(f);
	bool asks = step == VPOD_SUBMIT || step == VPOD_ASK_JOB || step == VPOD_CANCEL ||
		step == VPOD_CLOSE;
	bool notes = step == VPOD_MARK || step == VPOD_AWAIT;
	if ((asks && f->way != VWAY_NOTED) || (notes && f->way == VWAY_LOST))
		return VPOD_LEAVE;
	return vpod_step_reading(f, step);
}

#endif
