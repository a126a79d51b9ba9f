/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leadership: a controller acts only while its manager holds the lease. A manager that
 * loses the lease ends, so that no two managers act. A manager that is stopped finishes
 * the actions in flight and releases the lease, so that another one takes over at once.
 */
#ifndef ENGINE_LEAD_H
#define ENGINE_LEAD_H

#include "engine/controller.h"

struct lead;
struct lead_config {
	struct kube *kube;
	struct loop *loop;
	struct controller *controller;
	const char *ns, *name; /* of the lease; NULL: it acts without a lease */
	const char *identity;  /* of the candidate; must be unique among managers */
	/*
	 * The program must end now. why: the loss of the lease, or OK after lead_end. The
	 * callback must not call lead_free.
	 */
	void (*ended)(void *ctx, struct err why);
	void *ctx;
};

/* Starts to seek the lease; without a lease (name NULL) acts at once. */
struct lead *lead_new(const struct lead_config *config);
/* Waits for the actions in flight, for a limited time; then releases the lease. */
void lead_end(struct lead *l);
/* Why it cannot lead (lease_trouble); "": no obstacle. */
const char *lead_trouble(const struct lead *l);
void lead_free(struct lead *l); /* accepts NULL */

#endif
