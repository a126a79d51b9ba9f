/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when the results of a job are copied: by a pod that is made after the job's
 * end, and recreated when it fails. Free of pointers.
 *
 * To copy twice is harmless: files that are in the volume already are not copied again.
 * So the facts of this decision may be old. The job never waits for it.
 */
#ifndef PLAN_JOB_COLLECT_H
#define PLAN_JOB_COLLECT_H

#include <stdbool.h>

enum collect_end { COLLECT_END_UNSEEN, COLLECT_END_GOOD, COLLECT_END_BAD };

/* Owner of the pod that has the name of the copying pod. */
enum collect_pod {
	COLLECT_POD_NONE,
	COLLECT_POD_OURS,
	COLLECT_POD_NODES, /* this object controls it, and a virtual node has made it */
	COLLECT_POD_OTHERS,
};

enum collect_state {
	COLLECT_ACTIVE, /* it waits or runs */
	COLLECT_SUCCEEDED,
	COLLECT_FAILED,
	COLLECT_HOPELESS, /* it failed, and says that no other one would fare better */
};

/* Whether the virtual node that had the job gives out results. */
enum collect_server { COLLECT_SERVER_UNKNOWN, COLLECT_SERVER_NONE, COLLECT_SERVER_THERE };

struct collect_facts {
	bool known; /* the pods of its namespace were listed, and all of its spec is known */
	bool asked;
	bool begun; /* its job has a pod, or had one */
	bool faulty;
	bool image; /* the administrator has said which one */
	bool of_failed;
	bool done; /* the status says that all was copied */
	enum collect_end end;
	bool job_pod; /* is there */
	enum collect_server server;
	enum collect_pod pod;
	enum collect_state state; /* of that pod */
	bool pod_busy;            /* it is being made or deleted */
	bool moved; /* results are given out elsewhere than where it was made to ask */
	bool due;   /* the pause since the last one is over */
};

enum collect_step {
	COLLECT_NOTHING,
	COLLECT_WAIT,       /* for what is not known, or for a pod that comes or goes */
	COLLECT_ASK,        /* the Node is to be read */
	COLLECT_REFUSE,     /* the request is not valid */
	COLLECT_NO_IMAGE,   /* there is nothing to make a pod of */
	COLLECT_SPARE,      /* the job failed, and its results are not wished then */
	COLLECT_NO_JOB_POD, /* it went, and without it no virtual node gives anything */
	COLLECT_NO_SERVER,
	COLLECT_WAIT_NAME, /* until another owner's pod has left the name */
	COLLECT_CREATE,
	COLLECT_COPY,   /* the pod is there */
	COLLECT_DELETE, /* the pod makes room for the next one */
	COLLECT_PAUSE,  /* before the next one */
	COLLECT_GIVE_UP,
	COLLECT_DONE,
};

static inline enum collect_step collect_step_pod(const struct collect_facts *f)
{
	bool ours = f->pod == COLLECT_POD_OURS, failed = f->state == COLLECT_FAILED;
	if (f->state == COLLECT_SUCCEEDED)
		return COLLECT_DONE;
	if (f->pod_busy)
		return COLLECT_WAIT;
	if (f->state == COLLECT_HOPELESS || (failed && !ours))
		return COLLECT_GIVE_UP;
	if (ours && (failed || f->moved))
		return f->due ? COLLECT_DELETE : COLLECT_PAUSE;
	return COLLECT_COPY;
}

/* The job has ended, and its results can be wished for. */
static inline enum collect_step collect_step_ended(const struct collect_facts *f)
{
	if (!f->job_pod)
		return COLLECT_NO_JOB_POD;
	if (f->pod == COLLECT_POD_OTHERS)
		return COLLECT_WAIT_NAME;
	if (f->server == COLLECT_SERVER_UNKNOWN)
		return COLLECT_ASK;
	if (f->server == COLLECT_SERVER_NONE)
		return COLLECT_NO_SERVER;
	return f->due ? COLLECT_CREATE : COLLECT_PAUSE;
}

static inline enum collect_step decide_collect(const struct collect_facts *f)
{
	if (!f->asked || !f->begun)
		return COLLECT_NOTHING;
	if (!f->known)
		return COLLECT_WAIT;
	if (f->pod == COLLECT_POD_OURS || f->pod == COLLECT_POD_NODES)
		return collect_step_pod(f);
	if (f->done)
		return COLLECT_NOTHING;
	if (f->end == COLLECT_END_BAD && !f->of_failed)
		return COLLECT_SPARE;
	if (f->faulty)
		return COLLECT_REFUSE;
	if (!f->image)
		return COLLECT_NO_IMAGE;
	return f->end == COLLECT_END_UNSEEN ? COLLECT_NOTHING : collect_step_ended(f);
}

/*
 * The copy is under way, or will be, perhaps only after a person has mended a fault. The
 * end of the object waits for it.
 */
static inline bool collect_goes_on(enum collect_step step)
{
	switch (step) {
	case COLLECT_WAIT:
	case COLLECT_ASK:
	case COLLECT_NO_SERVER:
	case COLLECT_WAIT_NAME:
	case COLLECT_CREATE:
	case COLLECT_COPY:
	case COLLECT_DELETE:
	case COLLECT_PAUSE:
		return true;
	default:
		return false;
	}
}

#endif
