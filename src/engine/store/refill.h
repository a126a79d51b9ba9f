/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads objects again that are short of room (room.h), so that only a part of them was
 * kept. Reads them once the quota of their namespace suffices for all of them, one object
 * at a time, and takes the namespaces in turn, so that no namespace delays the others.
 */
#ifndef ENGINE_STORE_REFILL_H
#define ENGINE_STORE_REFILL_H

#include "engine/store/store.h"
#include "kube/client.h"

struct refill;

/* kube and store must outlive it. */
struct refill *refill_new(struct kube *kube, struct store *store);
void refill_free(struct refill *f); /* accepts NULL */
/* An object is short of room: starts to check whether memory has become free. */
void refill_wake(struct refill *f);

#endif
