/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller: watches fill the store, changes mark objects, marked objects are
 * planned, plans are carried out. The controller names no kind: what is special about the
 * objects of a resource is in the row of its kind (kind.h). Used by the manager (libuv,
 * libcurl) and by the simulator (fake clock, simulated servers) alike.
 */
#ifndef ENGINE_CONTROLLER_H
#define ENGINE_CONTROLLER_H

#include "kube/client.h"
#include "link/consent.h"
#include "net/http.h"

struct controller;
struct kind;        /* kind.h */
struct job_options; /* api/job_results.h */

struct controller_config {
	struct kube *kube;
	struct loop *loop;
	http_factory *http_new; /* for slurmrestd */
	void *http_ctx;
	const char *const *namespaces; /* NULL-terminated; NULL: the whole cluster */
	/*
	 * NULL-terminated, outlives it. Kinds are ended in this order. Kinds with a link
	 * come first: a link that ends calls back the callers that wait for it.
	 */
	const struct kind *const *kinds;
	struct server_rules servers; /* of slurmrestd */
	/* For kinds that have jobs, outlives it; NULL: the usual */
	const struct job_options *jobs;
	size_t slurm_memory_bytes;   /* for what all Slurms say; 0: 48 MiB */
	size_t objects_memory_bytes; /* for objects that are larger than usual; 0: 16 MiB */
	size_t measured_objects;     /* of a kind, with series of their own; 0: 1,000 */
};

/* Watches from now on; acts from controller_lead on. */
struct controller *controller_new(const struct controller_config *config);
/* From now on it acts; before, it only watches. */
void controller_lead(struct controller *c);
/*
 * Sets until when it may act, by the loop's clock: actions due later are not sent. At
 * first: for ever.
 */
void controller_may_act(struct controller *c, int64_t until_ms);
/* No new action; actions in flight end. */
void controller_stop(struct controller *c);
int controller_in_flight(const struct controller *c);
/*
 * Why the controller does not see everything (sources.h), in one sentence with its
 * remedy; "" when it does. Valid until the next call.
 */
const char *controller_trouble(struct controller *c);
void controller_measure(struct controller *c); /* sets its metrics, before they are written */
void controller_free(struct controller *c);    /* accepts NULL */

#endif
