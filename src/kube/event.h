/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events (core/v1), aggregated: a repetition with the same object, type, reason and
 * message raises the count of the existing Event. An object gets at most 25 new Events in
 * 5 minutes; further Events are only logged. These functions never block and never fail.
 * Each namespace has its share of the stored rows and of the requests in flight, so no
 * namespace can suppress the Events of another.
 *
 * Promised warnings (a job was ended) have a separate limit of 25 Events; one more Event
 * counts the warnings beyond it. Each promised warning is also logged. A repetition
 * within 10 minutes of an equal warning belongs to the same occasion, and is neither
 * logged nor written.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include "kube/client.h"

struct events;
/*
 * components: the reporting component for the objects of each resource; must outlive the
 * result. An element that is NULL, or a NULL array, means slurm-operator.
 */
struct events *events_new(struct kube *k, const char *const components[RES_COUNT]);
/* Writes an Event, or raises the count of an equal one. Never waits, never fails. */
void events_emit(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message);
void events_emit_promised(struct events *e, const struct object_ref *about, const char *reason,
	const char *message);
/* Drops Events that are not yet written. Accepts NULL. */
void events_free(struct events *e);

#endif
