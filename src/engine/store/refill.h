/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads objects again of which a part was kept for want of room (room.h), once there is
 * room for all of their namespace: one at a time, the namespaces in turn. So no namespace
 * waits for another one, however often that is short of room and is not again.
 */
#ifndef ENGINE_STORE_REFILL_H
#define ENGINE_STORE_REFILL_H

#include "engine/store/store.h"
#include "kube/client.h"

struct refill;

/* kube and store outlive it. */
struct refill *refill_new(struct kube *kube, struct store *store);
void refill_free(struct refill *f); /* accepts NULL */
/* An object is short of room: from now on it is looked whether there is some. */
void refill_wake(struct refill *f);

#endif
