/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leader election by one coordination.k8s.io/v1 Lease, by compare-and-swap on its
 * resourceVersion. Durations as in client-go: 15 s lease, renewed every 2 s, given up
 * when not renewed for 10 s. Whether another holder's lease has run out is judged by our
 * own clock since we first saw that renewal: clocks of machines may differ. The leader,
 * and the obstacle to leading, are logged when they change.
 */
#ifndef KUBE_LEASE_H
#define KUBE_LEASE_H

#include "kube/client.h"

struct lease;
struct lease_handler {
	void (*leading)(void *ctx);
	void (*lost)(void *ctx, struct err why); /* stop acting at once; the program should end */
	/*
	 * Before leading, and whenever it is renewed: by the loop's clock it holds until
	 * then. A frozen program may go on before lost is called. NULL: not asked for
	 */
	void (*holds)(void *ctx, int64_t until_ms);
};
/* Tries to lead from now on; identity: who we are. */
struct lease *lease_new(struct kube *k, const char *ns, const char *name, const char *identity,
	const struct lease_handler *h, void *ctx);
/*
 * Gives the lease up so that another takes over at once, then calls done; then
 * lease_free.
 */
void lease_release(struct lease *l, void (*done)(void *ctx), void *ctx);
/*
 * A sentence with its remedy why the lease can neither be read nor written; "" when it
 * can. Valid until the next event.
 */
const char *lease_trouble(const struct lease *l);
void lease_free(struct lease *l); /* accepts NULL */

#endif
