/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated scheduler and kubelet: pods get a node, start, become ready, fail on
 * demand, and end when they are to.
 */
#ifndef SIM_KUBELET_H
#define SIM_KUBELET_H

#include "sim/sim_kube.h"

enum { SIM_MACHINES = 3 };
/* A pod whose image has "keyed" in its name starts when it is there */
#define SIM_KUBELET_SECRET "mykey"

struct sim_kubelet {
	struct sim_kube *kube;
	struct sim_rand rand;
	struct sim_kubelet_pod *pods;
	/* Every pod that comes there has failed at once (UnexpectedAdmissionError) */
	bool rejects[SIM_MACHINES];
	int64_t back_ms[SIM_MACHINES]; /* machines that are lost come back then; 0: it is there */
	/*
	 * Longest time of each; random below. An image with "broken" in its name never
	 * becomes ready; one with "crashing" or "pulling" after some tries
	 */
	int64_t start_ms, tell_ms, ready_ms, end_ms;
	/*
	 * The process in a pod: its slurmd lives from started to stopped. graceful: its
	 * preStop hook has run.
	 */
	void (*started)(void *ctx, const struct sim_version *pod, const char *address);
	int last_address;
	/* The number of addresses: used one after the other, and then again */
	int addresses;
	void (*stopped)(void *ctx, const char *uid, bool graceful);
	void *ctx;
};

void sim_kubelet_init(struct sim_kubelet *k, struct sim_kube *kube, uint64_t seed);
void sim_kubelet_free(struct sim_kubelet *k);

/* False: no such pod, or not running. */
/* Phase Failed, for good */
bool sim_kubelet_fail(struct sim_kubelet *k, const char *ns, const char *name);
/* The process of the pod dies and comes back */
bool sim_kubelet_crash(struct sim_kubelet *k, const char *ns, const char *name, int64_t for_ms);
/* The probe of the pod fails; its process lives */
bool sim_kubelet_unready(struct sim_kubelet *k, const char *ns, const char *name, int64_t for_ms);

/*
 * A machine loses its power: nothing runs, starts or ends on it until it is back, then
 * everything on it restarts.
 */
void sim_kubelet_machine_lost(struct sim_kubelet *k, int machine, int64_t for_ms);
/* Starts what waits for it. A back-off goes on: no machine boots within seconds. */
void sim_kubelet_machine_back(struct sim_kubelet *k, int machine);

#endif
