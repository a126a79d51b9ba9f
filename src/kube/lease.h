/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leader election with one coordination.k8s.io/v1 Lease, by compare-and-swap on its
 * resourceVersion. The durations are those of client-go: a lease lasts 15 s and is
 * renewed every 2 s, and a leader gives up after 10 s without a renewal. Another holder's
 * lease expires by our own clock, counted from when we first saw its last renewal,
 * because clocks of machines may differ. Changes of the leader, and of the obstacle to
 * leading, are logged.
 */
#ifndef KUBE_LEASE_H
#define KUBE_LEASE_H

#include "kube/client.h"

struct lease;
struct lease_handler {
	void (*leading)(void *ctx);
	void (*lost)(void *ctx, struct err why); /* stop acting at once; the program should end */
	/*
	 * Called before leading, and after each renewal: the lease holds until until_ms
	 * of the loop's clock. After a freeze, a program may continue before lost is
	 * called, so it should compare this time. May be NULL.
	 */
	void (*holds)(void *ctx, int64_t until_ms);
};
/* Starts to compete for the lease; identity: our name as a holder. */
struct lease *lease_new(struct kube *k, const char *ns, const char *name, const char *identity,
	const struct lease_handler *h, void *ctx);
/*
 * Gives the lease up, so that another process takes over at once, and then calls done.
 * Call lease_free afterwards.
 */
void lease_release(struct lease *l, void (*done)(void *ctx), void *ctx);
/*
 * Why the lease cannot be read or written, and the remedy, as a sentence. "" when it can.
 * Valid until the next event.
 */
const char *lease_trouble(const struct lease *l);
void lease_free(struct lease *l); /* accepts NULL */

#endif
