/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole world from one seed: clock, wire, API server, kubelet, Slurm, oracles; and
 * verbs to tell stories with.
 *
 *     struct world *w = world_new(seed);
 *     struct http *kube = world_kube_http(w);           the operator's, for each of its
 *     lives a new one
 *     ... start the operator on world_loop(w), kube, and world_http_factory with
 *     world_factory_ctx(w) ...
 *     sim_faults_rough(&w->net->faults);
 *     while (world_step(w) && !world_broken(w))
 *             ...
 *
 * Namespace "slurm" holds Cluster "slurm" and the Secret "slurm-token" with its token.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/sim_hostile.h"
#include "sim/sim_kubelet.h"
#include "sim/sim_manager.h"
#include "sim/sim_oracle.h"
#include "sim/sim_rough.h"

#define WORLD_NS "slurm"
#define WORLD_CLUSTER "slurm"
#define WORLD_KUBE_URL "https://kubernetes.default"
#define WORLD_SLURM_URL "http://slurm-restapi.slurm:6820"

/* An object that users know, and the Slurm that it is about. */
struct world_object {
	enum resource resource;
	char ns[32], name[64];
	/* Users leave it alone: it is to come to rest whatever they broke elsewhere */
	bool left_alone;
	const char *host;    /* what its pods' host names begin with; NULL: its name and "-" */
	const char *cluster; /* its pods' label, see ORACLE_CLUSTER_LABEL; NULL: none */
	struct sim_slurm *slurm;
};
enum { WORLD_OBJECTS = 24 };

struct world {
	uint64_t seed;
	struct sim_rand rand; /* for stories */
	struct sim_loop *loop;
	struct sim_net *net; /* faults are net->faults */
	struct sim_kube kube;
	struct sim_kubelet kubelet;
	struct sim_slurm slurm;
	struct sim_slurm *other; /* may answer in its place; NULL: there is none */
	/* The Slurms of further Clusters, each by an address of its own */
	struct sim_slurm *more[ORACLE_SLURMS];
	size_t n_more;
	struct sim_hostile hostile;
	struct sim_oracle oracle;
	struct sim_rough rough;
	struct world_object objects[WORLD_OBJECTS]; /* the first is the first Cluster */
	size_t n_objects;
	/* The managers of a play; stories have their own */
	struct sim_manager managers[SIM_PROGRAMS];
	int n_managers;
	uint64_t killed; /* jobs that ended because their pod did */
	void (*on_crash)(void *ctx, int who);
	void *crash_ctx;
};

struct world *world_new(uint64_t seed);
void world_free(struct world *w); /* after the operator */

/* ---- what the operator is given ---- */
struct loop *world_loop(struct world *w);
/*
 * The API server, for a new life of the operator: the oracles forget what the one before
 * was shown.
 */
struct http *world_kube_http(struct world *w);
/* The client of one of several programs, from 0 on */
struct http *world_kube_http_of(struct world *w, int who);
struct http *world_user_http(struct world *w); /* unobserved, for tests by hand */
/* For Slurm: the function is sim_http_factory. */
static inline void *world_factory_of(struct world *w, int who) { return &w->net->programs[who]; }
static inline void *world_factory_ctx(struct world *w) { return world_factory_of(w, 0); }
/*
 * A crash, by fault or by world_crash: called from the loop with nothing of the operator
 * on the stack.
 */
void world_on_crash(struct world *w, void (*fn)(void *ctx, int who), void *ctx);

/* ---- time ---- */
/* The next thing; false: nothing is left to happen */
bool world_step(struct world *w);
void world_run(struct world *w, int64_t ms); /* so long, or until a promise is broken */
bool world_run_until(struct world *w, bool (*is)(struct world *w), int64_t at_most_ms);
/* Until it has converged */
bool world_settle(struct world *w, int64_t quiet_ms, int64_t at_most_ms);
int64_t world_now_s(const struct world *w); /* since the start */

/* ---- what users know ---- */
struct world_object *world_know(struct world *w, enum resource r, const char *ns, const char *name,
	struct sim_slurm *slurm);
/*
 * An object that is not left alone, drawn: where there is but one, nothing is drawn.
 * NULL: there is none
 */
const struct world_object *world_pick(struct world *w, enum resource r);

/* ---- verbs of users; in JSON texts ' may stand for " ---- */
void world_apply(struct world *w, const char *json); /* creates it, or merges into what is there */
void world_add_nodeset(struct world *w, const char *name, int replicas, const char *image,
	const char *max_unavailable /* "1", "50%"; NULL */);
struct world_nodeset {
	const char *ns, *name;
	const char *cluster; /* NULL: the usual one */
	const char *host;    /* what host names of its pods begin with; NULL: as usual */
	int replicas;
	const char *image;
	const char *max_unavailable; /* "1", "50%"; NULL */
	/* With a claim for each pod, and what becomes of it; NULL: without */
	const char *when_deleted, *when_scaled;
};
void world_apply_nodeset(struct world *w, const struct world_nodeset *n);
void world_scale(struct world *w, const char *ns, const char *name, int replicas);
void world_set_template_image(struct world *w, const char *ns, const char *name, const char *image);
void world_patch(struct world *w, enum resource r, const char *ns, const char *name,
	const char *sub, const char *merge_patch);
/* Each pod says that its node in Slurm is idle */
void world_shows_idle(struct world *w);
void world_delete(struct world *w, enum resource r, const char *ns, const char *name);
void world_delete_nodeset(struct world *w, const char *ns, const char *name);
/* A new token in Slurm and in the Secret; the old one is refused */
void world_rotate_token(struct world *w);
/* A new token for any Cluster */
void world_new_token(struct world *w, const struct world_object *cluster);
/* The Secret of that Cluster, with the token of that Slurm */
void world_apply_secret(struct world *w, const struct world_object *cluster);
/* Another Slurm, which calls itself so, for a Cluster that is yet to be added */
struct sim_slurm *world_add_slurm(struct world *w, const char *ns, const char *cluster,
	const char *called);
/* With its Secret, which has its name and "-token" */
void world_apply_cluster(struct world *w, const struct world_object *cluster);
/* Adds a Cluster that users do not know yet */
void world_add_cluster(struct world *w, const char *ns, const char *name, struct sim_slurm *slurm);

/* ---- verbs of Slurm's people ---- */
/* The job's id */
int64_t world_start_job(struct world *w, int nodes, int seconds);
int64_t world_start_job_on(struct world *w, const char *node, int seconds);
bool world_admin_drain(struct world *w, const char *node, const char *reason);
bool world_admin_undrain(struct world *w, const char *node);

/* ---- troubles ---- */
void world_slurmrestd(struct world *w, bool up);
void world_slurmctld(struct world *w, bool up);
void world_slurmctld_restart(struct world *w, bool forget);
void world_apiserver_restart(struct world *w, int64_t down_ms);

/* ---- questions ---- */
const char *world_broken(const struct world *w);                /* NULL while all promises hold */
const char *world_unsettled(struct world *w, int64_t quiet_ms); /* NULL: converged; else why not */
/* Borrowed; NULL */
struct sim_version *world_object(const struct world *w, enum resource r, const char *ns,
	const char *name);
/* That it controls, terminating ones too; NULL: of all */
size_t world_pods(const struct world *w, const char *nodeset);
size_t world_ready_pods(const struct world *w, const char *nodeset);
/* On failure: seed, faults, and with w->oracle.trace every write, on standard error. */
void world_report(const struct world *w);

#endif
