/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual nodes between an API server and a red-box that are played here, under a fake
 * clock. There is one Slurm, "hpc", with the partition "debug". Besides its own red-box
 * there may be those of the accounts "a1" and "a2": none of them knows another's jobs.
 *
 *     VNODE_TEST(name)
 *     given_a_job(w, "cow", "SlurmJob");
 *     when_time_passed(w, 1000);
 *     then_phase(w, "cow", "Pending");
 *     slurm_job(w, "cow")->state = "RUNNING";
 */
#ifndef TESTS_LIB_VNODE_WORLD_H
#define TESTS_LIB_VNODE_WORLD_H

#include "lib/given_kube.h"

#include "virtual_node/virtual_node.h"

#define NODE_NAME "slurm-hpc-debug"

enum { WORLD_PODS = 256, WORLD_CALLS = 256, WORLD_BOXES = 3 };

/* A job as Slurm has it; its key is the uid of its owner, "uid-NAME". */
enum { NOT_TOLD = -1000000000 };

struct slurm_job {
	char key[64];
	int box; /* whose it is */
	int64_t id;
	const char *state, *reason, *exit_code, *array_id, *nodes;
	int64_t start_s, end_s;
	int64_t later_s;             /* submitted so much later; NOT_TOLD: unknown */
	const char *restarts;        /* NULL: "0" */
	const char *task;            /* of an array; NULL: an older red-box does not say it */
	bool lost;                   /* Slurm has it no more */
	struct slurm_job *next_task; /* another record of the same array; NULL: none */
};

struct world_pod {
	char name[64];
	struct json_doc *pod, *owner; /* NULL: there is none */
	const char *group;            /* of the API, of its owner */
};

struct wlm_call {
	enum wlm_request_kind kind;
	struct wlm_caller by;
	char *key, *script;
	bool open;
	int box;
};

struct vnode_world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct vnode *vnode;
	/* Kubernetes */
	struct world_pod pods[WORLD_PODS];
	struct json_doc *node; /* NULL: there is none */
	uint64_t version;
	struct str events;    /* the reasons of Events, in their order, each behind a blank */
	char event_about[64]; /* the apiVersion of what the last one is about */
	bool no_crd;          /* the kinds of jobs are not known */
	const char *group;    /* of the jobs that are given from now on; NULL: wlm.sylabs.io */
	int leases, node_writes, pod_writes, owner_reads;
	const char *refuses; /* part of "METHOD path": such requests get 500; NULL: none */
	const char *keeps;   /* the same: they get no answer */
	bool deaf;           /* watches bring nothing */
	bool unheard;        /* no manager runs: owners do not hear of the end of their pods */
	const char *strips;  /* merged into each pod that is written; NULL: nothing */
	/* Slurm and red-box */
	struct slurm_job jobs[WORLD_PODS];
	size_t n_jobs;
	struct wlm_call calls[WORLD_CALLS];
	struct str closed;   /* keys, each behind a blank: nothing is submitted for them */
	bool closes_nothing; /* it is an older red-box */
	struct world_box {
		struct vnode_world *w;
		int asked;    /* submissions, questions and cancellations of jobs */
		int listings; /* questions whether it is there */
		bool down;    /* it does not answer; of the own one: down below */
		bool holds;   /* it takes submissions, and says nothing of them */
	} boxes[WORLD_BOXES];
	int accounts; /* how many have a red-box */
	const struct vnode_space *spaces;
	size_t n_spaces;
	bool require_account;
	int sbatches, submits, cancels, infos;
	char script[256], image[64]; /* of the last submission */
	bool down;                   /* red-box does not answer */
	bool holds;                  /* it takes calls, and says nothing yet */
	bool forgets_answers;        /* a submission is done, and its answer is lost */
	/* ERR_NONE: they do not */
	enum err_kind submit_fails, cancel_fails, info_fails, close_fails;
	const char *std_out;     /* of each job; NULL: "/home/a/slurm.out" */
	const char *submit_says; /* of submit_fails; NULL: "sbatch says no" */
	bool no_partition;
	bool no_address; /* of the next process */
	struct wlm_resources resources;
};

int given_vnodes(void **state);
int free_vnodes(void **state);
#define VNODE_TEST(name) cmocka_unit_test_setup_teardown(name, given_vnodes, free_vnodes)

/* red-box says that it submits nothing for the key of this object any more. */
bool is_closed(const struct vnode_world *w, const char *name);
/* A call of a process that was killed meanwhile arrives now. */
void when_a_submission_comes_late(struct vnode_world *w, const char *name);

/* The process is killed, and another one begins. */
void when_killed(struct vnode_world *w);
void when_begun(struct vnode_world *w);
/* All that can happen in that time happens. */
void when_time_passed(struct vnode_world *w, int64_t ms);

/* A SlurmJob or a WlmJob of this name and its pod, which is on the node. */
void given_a_job(struct vnode_world *w, const char *name, const char *kind);
/* In this namespace. No two have one name, nor one that the other's begins with. */
void given_a_job_in(struct vnode_world *w, const char *ns, const char *name, const char *kind);
/* "m007": of one of many. */
static inline const char *numbered(char name[static 16], int i)
{
	snprintf(name, 16, "m%03d", i);
	return name;
}
/* A SlurmJob "cow" whose job runs. */
void given_a_running_job(struct vnode_world *w);
/* A user merges these members into the pod NAME-job. */
#define DELETED "{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"}}"
void given_pod_changed(struct vnode_world *w, const char *name, const char *members);
void given_owner(struct vnode_world *w, const char *name, const char *members);
void given_node_changed(struct vnode_world *w, const char *members);
/* The owner goes, or the pod. */
void given_no_owner(struct vnode_world *w, const char *name);
void given_pod_gone(struct vnode_world *w, const char *name);

struct slurm_job *slurm_job(struct vnode_world *w, const char *name);
char *pod_json(struct vnode_world *w, const char *name); /* the caller frees it */
bool pod_is_there(struct vnode_world *w, const char *name);
/* "status.phase" and the like: a text, or "" */
const char *pod_text(struct vnode_world *w, const char *name, const char *path);
const char *node_text(struct vnode_world *w, const char *path);
const char *pod_note(struct vnode_world *w, const char *name, const char *annotation);
void then_phase(struct vnode_world *w, const char *name, const char *phase);
/* An Event of this reason was told. */
bool event_was_told(const struct vnode_world *w, const char *reason);

#endif
