/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events (core/v1), aggregated: the same object, type, reason and message raises the
 * count of one Event instead of making more; at most 25 new Events for one object in 5
 * minutes, further ones are counted in the log only. Never blocks and never fails the
 * caller. No namespace silences another: each has its share of the rows that are kept,
 * and of the requests in flight.
 *
 * Promised warnings (a job was ended) have 25 of their own, whatever other Events there
 * are, and those beyond are counted by one more; they are logged, and while an equal
 * warning comes again and again within 10 minutes each, it is one occasion: nothing is
 * written.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include "kube/client.h"

struct events;
/*
 * components: the reporting component for the objects of each resource; it outlives the
 * Events, and where it has NULL, or is NULL itself, the component is slurm-operator.
 */
struct events *events_new(struct kube *k, const char *const components[RES_COUNT]);
/* Sends it, or counts it up when it was sent a while ago. Never waits, never fails. */
void events_emit(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message);
void events_emit_promised(struct events *e, const struct object_ref *about, const char *reason,
	const char *message);
/* Drops Events that wait to be sent. Accepts NULL. */
void events_free(struct events *e);

#endif
