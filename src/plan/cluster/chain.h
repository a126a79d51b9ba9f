/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain behind a Cluster: slurmrestd needs slurmctld, slurmctld needs slurmdbd, and
 * slurmdbd needs the database. When Slurm does not answer, the deepest daemon that is not
 * ready is the cause. Pure.
 *
 * The daemons are those of a release of chart slurm: the Cluster and the pods have the
 * same label app.kubernetes.io/instance. A Slurm outside of Kubernetes has no such pods.
 */
#ifndef PLAN_CLUSTER_CHAIN_H
#define PLAN_CLUSTER_CHAIN_H

#include "base/arena.h"
#include "engine/facts.h"

struct chain {
	struct {
		bool ready;                    /* one of its pods is ready */
		const struct pod_fact *broken; /* the first pod by name that is not ready */
	} links[DAEMON_COUNT];
	bool known; /* the release has a pod */
	/* A pod of slurmctld that continues with its last configuration; NULL: none */
	const struct pod_fact *refusing;
};

/* Adds a pod of the release. */
void chain_add(struct chain *c, const struct pod_fact *pod);

struct broken_link {
	const char *reason; /* NULL: no link is known to be broken */
	const char *message;
};

/* now_wall_ms: a pod that became unready a moment ago is not reported yet. */
struct broken_link chain_broken(const struct chain *c, int64_t now_wall_ms, struct arena *a);

#endif
