/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads objects again that were kept in part for want of room (room.h), once their
 * namespace has room for all of them: one at a time, the namespaces in turn. So a
 * namespace that is short of room again and again delays no other one.
 */
#ifndef ENGINE_STORE_REFILL_H
#define ENGINE_STORE_REFILL_H

#include "engine/store/store.h"
#include "kube/client.h"

struct refill;

/* kube and store outlive it. */
struct refill *refill_new(struct kube *kube, struct store *store);
void refill_free(struct refill *f); /* accepts NULL */
/* An object is short of room: from now on, checks whether room was freed. */
void refill_wake(struct refill *f);

#endif
