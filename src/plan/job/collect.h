/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when the results of a job are copied: by a pod that is created after the job's
 * end, and recreated when it fails. Free of pointers.
 *
 * Copying twice is harmless, because files that are in the volume already are not copied
 * again. So the facts of this decision may be old. The job never waits for the copy.
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
	COLLECT_HOPELESS, /* it failed, and its exit code says that a retry is useless */
};

/* Whether the virtual node of the job serves results. */
enum collect_server { COLLECT_SERVER_UNKNOWN, COLLECT_SERVER_NONE, COLLECT_SERVER_THERE };

struct collect_facts {
	bool known; /* the pods of the namespace were listed, and the spec is known in full */
	bool asked;
	bool begun; /* the job has a pod, or had one */
	bool faulty;
	bool image; /* the administrator has configured an image */
	bool of_failed;
	bool done; /* the status says that all was copied */
	enum collect_end end;
	bool job_pod; /* the pod of the job exists */
	enum collect_server server;
	enum collect_pod pod;
	enum collect_state state; /* of the copying pod */
	bool pod_busy;            /* the copying pod is being created or deleted */
	bool moved; /* the results have another URL or key than the copying pod was given */
	bool due;   /* the pause after the last attempt is over */
};

enum collect_step {
	COLLECT_NOTHING,
	/* For a fact that is unknown, or for a pod that is being created or deleted */
	COLLECT_WAIT,
	COLLECT_ASK,      /* the Node must be read */
	COLLECT_REFUSE,   /* the request is not valid */
	COLLECT_NO_IMAGE, /* there is no image for the pod */
	COLLECT_SPARE,    /* the job failed, and its results are not requested in that case */
	/* The pod of the job is gone, and without it no virtual node serves results */
	COLLECT_NO_JOB_POD,
	COLLECT_NO_SERVER,
	COLLECT_WAIT_NAME, /* until another owner's pod has left the name */
	COLLECT_CREATE,
	COLLECT_COPY,   /* the copying pod exists */
	COLLECT_DELETE, /* delete the pod before the next one is created */
	COLLECT_PAUSE,  /* before the next pod */
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

/* The job has ended, and its results can be copied. */
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
 * The copy is in progress or will follow, perhaps only after a user has removed an
 * obstacle. Until then the object is not deleted by its TTL.
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
