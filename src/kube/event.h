/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events (core/v1), aggregated: the same object, type, reason and message raises the
 * count of one Event instead of making more; at most 25 new Events for one object in 5
 * minutes, further ones are counted in the log only. Never blocks and never fails the
 * caller. One namespace silences no other: each has its share of what is kept, and of
 * what is under way.
 *
 * Warnings that somebody was promised (a job was ended) have 25 of their own, whatever
 * else was said, and those beyond are counted by one more; they are logged, and while the
 * same is said again and again within 10 minutes each, it is one occasion: nothing is
 * written.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include "kube/client.h"

struct events;
/*
 * components: who speaks about an object of each resource; it outlives the Events, and
 * where it has NULL, or is NULL itself, slurm-operator speaks.
 */
struct events *events_new(struct kube *k, const char *const components[RES_COUNT]);
/* Sends it, or counts it up when it was sent a while ago. Never waits, never fails. */
void events_emit(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message);
void events_emit_promised(struct events *e, const struct object_ref *about, const char *reason,
	const char *message);
/* What waits to be sent is dropped. Accepts NULL. */
void events_free(struct events *e);

#endif
