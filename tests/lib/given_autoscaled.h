/* SPDX-License-Identifier: Apache-2.0 */
/* NodeSets with spec.autoscaling, for tests of their plans. */
#ifndef LIB_GIVEN_AUTOSCALED_H
#define LIB_GIVEN_AUTOSCALED_H

#include "lib/given.h"

#define TEMPLATE                                                                            \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},\"spec\":{"           \
	"\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\",\"args\":[\"--conf\"," \
	"\"'Features=foo'\"]}]}}"
#define AUTOSCALED(replicas, more) \
	"\"replicas\":" #replicas "," TEMPLATE ",\"autoscaling\":{\"maxReplicas\":5" more "}"
#define DELAY_MS (5 * 60 * 1000)

/* A NodeSet of this spec with so many ready pods, of 4 CPUs and 8000 MiB each. */
void given_autoscaled(struct given *g, const char *spec, int pods);
/* This many exclusive jobs wait from now on, each for this many nodes. */
void given_jobs(struct given *g, int64_t jobs, int64_t nodes);
void given_busy(struct given *g, int n);
/* Time goes by, and Slurm says the same again. */
void given_later(struct given *g, int64_t ms);
void then_replicas(const struct given *g, int64_t n);
void then_autoscaling(const struct given *g, const char *status, const char *reason);
/* The plan sets spec.replicas. */
bool scales(const struct given *g);

#endif
