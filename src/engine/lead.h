/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leadership: a controller acts while its manager holds the lease, and only then. Losing
 * it ends the program, so that no two managers act; an end that was asked for finishes
 * what is under way and lets the lease go, so that another takes over at once.
 */
#ifndef ENGINE_LEAD_H
#define ENGINE_LEAD_H

#include "engine/controller.h"

struct lead;
struct lead_config {
	struct kube *kube;
	struct loop *loop;
	struct controller *controller;
	const char *ns, *name; /* of the lease; NULL: it acts without one */
	const char *identity;  /* who seeks it: no two managers may have the same */
	/*
	 * The program is to end now: why it may not act any more, or OK, as it was told
	 * to. lead_free from within is not allowed.
	 */
	void (*ended)(void *ctx, struct err why);
	void *ctx;
};

/* Seeks the lease from now on, or acts at once where there is none to be had. */
struct lead *lead_new(const struct lead_config *config);
/* Finishes actions in flight first, for a while; then releases the lease. */
void lead_end(struct lead *l);
/* The obstacle to leading (lease_trouble); "" when there is none. */
const char *lead_trouble(const struct lead *l);
void lead_free(struct lead *l); /* accepts NULL */

#endif
