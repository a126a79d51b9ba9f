/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge from Kubernetes to a Slurm, from one seed: the simulated API server with a
 * scheduler and users, the manager (SlurmJobs), the virtual node, the socket between that
 * and red-box, red-box with its journal, and a Slurm behind its tools. The manager, the
 * virtual node and red-box are the real ones, and any of them, and slurmctld, may die at
 * each thing that it does.
 *
 * The promises, as they are judged by the truth (sim_bridge_oracle.c):
 *
 *     P1  no job is cancelled that no user wants to be cancelled
 *     P2  an end that is told of is the end that Slurm had, and the virtual node lets no
 *         pod go whose object lives and has not heard of its end
 *     P5  one SlurmJob is one job: another one comes only where slurmctld has lost the
 *         one before, none comes when its pod has been let go, and no job is kept from
 *         being submitted for ever, nor by a slurmdbd that is away while its key is known
 *         to be new, nor fails because Slurm refuses it for now. It is the job of one
 *         account, whatever its namespace has later. So it is with a key of a client
 *         by REST
 *     P7  no job begins before its inputs are there
 *     P6  when the faults have ended, all comes to rest: each object has an end or a job
 *         that lives, no job lives whose object is gone, no more is written, and the Node
 *         says how its partition is. A pod that is removed by force takes its job along
 *         if the virtual node sees it, and its object says so in any case
 */
#ifndef SIM_BRIDGE_H
#define SIM_BRIDGE_H

#include "virtual_node/virtual_node.h"
#include "sim/sim_exchange.h"
#include "sim/sim_kube.h"
#include "sim/sim_redbox.h"

#define BRIDGE_NS "jobs"
#define BRIDGE_NODE "slurm-hpc-debug"
#define BRIDGE_URL "https://kubernetes.default"

enum { BRIDGE_MANAGER, BRIDGE_VNODE }; /* whose request it is */
enum { BRIDGE_OBJECTS = 64, BRIDGE_NAMES = 6, BRIDGE_RESTS = 12 };

/* A client of the first generation, with one script of its own. */
struct rest_client {
	struct bridge *b;
	char key[24];
	int status;          /* of its answer; 0: it has none yet */
	struct exchange *x;  /* its request; NULL: none is under way */
	struct timer *timer; /* it asks again, or goes away first */
};

/* One SlurmJob, by its uid, and what people did to it. */
struct bridge_object {
	char uid[64], name[32];
	enum resource resource; /* of its group */
	bool refused_for_good;  /* by Slurm, a submission of it */
	bool inputs;            /* it wishes some, */
	bool inputs_there;      /* and they were brought */
	bool gone;              /* it is not there any more */
	bool deleting;          /* by a user */
	bool orphaned;          /* and its pod is to stay */
	/* A user deleted its pod: its job is to end */
	bool pod_deleted;
	bool pod_taken;  /* a user took it away at once, when it had ended, */
	bool pod_forced; /* or before that, by force */
	bool pod_seen;   /* and the virtual node was there to see that */
	bool pod_gone, had_pod;
	bool pod_let_go; /* by the virtual node: a job of it has no owner any more */
	int pods;        /* that were made for it */
};

struct bridge {
	uint64_t seed;
	struct sim_loop *loop;
	struct sim_net *net;
	struct sim_kube kube;
	struct sim_hpc hpc;
	struct sim_link link;
	struct sim_redbox box;
	bool two_accounts;
	struct sim_rand mapping;
	struct bridge_account {
		struct sim_hpc hpc;
		struct sim_link link;
		struct sim_redbox box;
		bool mapped;   /* the namespace has it */
		bool is_known; /* this life of the virtual node has its red-box */
		bool calm;
	} other;
	struct sim_rand rand; /* of users */
	struct sim_rand inputs;
	bool two_groups; /* there are SlurmJobs of the older group, too, of the same names */
	struct sim_rand groups;
	struct timer *scheduler;
	struct bridge_program {
		struct bridge *b;
		int who;
		struct kube kube;
		struct sim_rand rand;
		struct timer *turn; /* until it lives again */
		int lives;
		int64_t born_ms;
	} programs[2];
	struct controller *controller; /* NULL: the manager is dead */
	struct lead *lead;
	struct vnode *vnode; /* NULL: it is dead */
	struct bridge_object objects[BRIDGE_OBJECTS];
	size_t n_objects;
	size_t nowhere;            /* writes of those that say which partition misses what */
	bool journal_lost;         /* red-box knows less than it has noted */
	bool calm;                 /* the faults have ended */
	struct wlm_call *stranger; /* another client's call; NULL: none */
	struct sim_rand rest;
	struct rest_client rests[BRIDGE_RESTS];
	size_t n_rest;
	int64_t last_write_ms; /* of a pod or a SlurmJob, by a program */
	char promise[8], broken[600];
	bool trace;
	struct str log;
};

struct bridge *bridge_new(uint64_t seed);
void bridge_free(struct bridge *b);
void bridge_crash(struct bridge *b, int who, int64_t for_ms);
int64_t bridge_now_ms(const struct bridge *b);
void bridge_note(void *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bridge_break(struct bridge *b, const char *promise, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- sim_bridge_oracle.c ---- */
void bridge_watch(struct bridge *b); /* every write, submission and cancellation */
struct bridge_object *bridge_object_of(struct bridge *b, const char *uid);
/* The newest of the key that slurmctld has not lost; NULL */
const struct hpc_job *bridge_job_of(const struct bridge *b, const char *key);
/* The key of the job of a pod; "" */
const char *bridge_key_of(const struct sim_version *pod);
/* This member of its status says that it has ended; v may be NULL. */
bool bridge_is_end(const struct sim_version *v, const char *member);

/* ---- sim_bridge_settled.c ---- */
/* NULL: all is at rest, and as it should be; else why not */
const char *bridge_unsettled(struct bridge *b, int64_t quiet_ms);
/* NULL: the Node says how its partition is; else why not */
const char *bridge_hidden(const struct bridge *b);

/* ---- sim_bridge_accounts.c ---- */
void bridge_other_begin(struct bridge *b);
void bridge_other_end(struct bridge *b);
/* For the next life of the virtual node. */
void bridge_choose_account(struct bridge *b);
/* Perhaps something happens to the other account. */
void bridge_other_acts(struct bridge *b);
void bridge_other_calm(struct bridge *b);
/* The one that has, or had, a job of this key; none: that of the first account. */
const struct sim_hpc *bridge_slurm_of(const struct bridge *b, const char *key);

/* ---- sim_bridge_inputs.c ---- */
/* Whether the pod brings the inputs of a job. */
bool bridge_is_preparer(const struct sim_version *pod);
/* Members of a spec, or nothing. */
const char *bridge_some_inputs(struct bridge *b);
/* Perhaps it ends. */
void bridge_run_preparer(struct bridge *b, const struct sim_version *pod);
/* The pod was written. */
void bridge_on_preparer(struct bridge *b, const struct sim_write *w);

/* ---- sim_bridge_stranger.c ---- */
/* Another client uses the key of a SlurmJob for a job of its own. */
void bridge_stranger_calls(struct bridge *b);
void bridge_stranger_end(struct bridge *b);

/* ---- sim_bridge_rest.c ---- */
/* Perhaps a client of the first generation comes. */
void bridge_rest_acts(struct bridge *b);
/* The key is that of such a client. */
bool bridge_is_rest(const char *key);
/* NULL: each of them has its answer; else why not */
const char *bridge_rest_unsettled(const struct bridge *b);
void bridge_rest_end(struct bridge *b);

/* ---- sim_bridge_users.c ---- */
int64_t bridge_pause_ms(struct bridge *b);
/* Plays one action of a user. */
void bridge_act(struct bridge *b);
/* The faults end, and all is there again but for the partition. */
void bridge_calm(struct bridge *b);
/* Makes a SlurmJob of a name that no other has had, and returns its uid. */
const char *bridge_apply_last(struct bridge *b);
/* The partition takes jobs again, and perhaps a user removes a pod by force. */
void bridge_open(struct bridge *b);

#endif
