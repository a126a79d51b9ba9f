/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the files of the simulated kubelet share. Private to them. */
#ifndef SIM_KUBELET_PARTS_H
#define SIM_KUBELET_PARTS_H

#include "base/time.h"
#include "sim/sim_kubelet.h"

enum stage {
	STAGE_WAITS,
	STAGE_STARTS,
	STAGE_FAILED_TO_START, /* which is yet to be told */
	STAGE_BACKS_OFF,
	STAGE_STARTED,
	STAGE_RUNS,
	STAGE_READY,
	STAGE_FAILED,
	STAGE_ENDS
};

struct sim_kubelet_pod {
	struct sim_kubelet *k;
	char *ns, *name, *uid;
	char address[24];
	enum stage stage;
	bool process; /* its slurmd lives */
	bool died;    /* and is to be started again */
	int restarts;
	int tries;                      /* to start it, that failed */
	char ended[TIME_RFC3339_BYTES]; /* when the last one did */
	int64_t next_ms;                /* of which the next one is then, at the earliest */
	struct timer *timer;
	struct sim_kubelet_pod *next, **self;
};

/* NULL: it is gone, or another one has its name. */
struct sim_version *kubelet_version_of(const struct sim_kubelet_pod *p);
/* Writes the status of a pod; waits: why its containers do, NULL: they do not. */
void kubelet_report(const struct sim_kubelet_pod *p, const char *phase, bool ready,
	const char *waits);

#endif
