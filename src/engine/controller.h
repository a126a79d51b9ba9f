/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller: watches fill the store, changes mark objects, marked objects are
 * planned, plans are carried out. The controller names no kind: the code for the objects
 * of a resource is in the row of its kind (kind.h). The manager (libuv, libcurl) and the
 * simulator (fake clock, simulated servers) both use it.
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
	 * NULL-terminated, outlives the controller. Objects are freed in this order of
	 * kinds. Kinds with a link come first, because a link that is freed calls back
	 * the callers that wait for it.
	 */
	const struct kind *const *kinds;
	struct server_rules servers; /* of slurmrestd */
	/* For kinds that have jobs; outlives the controller; NULL: the defaults */
	const struct job_options *jobs;
	size_t slurm_memory_bytes;   /* for the answers of all Slurms; 0: 48 MiB */
	size_t objects_memory_bytes; /* for objects that are larger than usual; 0: 16 MiB */
	size_t measured_objects;     /* limit of objects of a kind with metric series; 0: 1,000 */
};

/* Starts to watch. The controller acts only after controller_lead. */
struct controller *controller_new(const struct controller_config *config);
/* Starts to act. */
void controller_lead(struct controller *c);
/*
 * Sets the time, by the loop's clock, until which the controller may send actions. The
 * default is no limit.
 */
void controller_may_act(struct controller *c, int64_t until_ms);
/* Sends no new action. Actions in flight go on to their end. */
void controller_stop(struct controller *c);
int controller_in_flight(const struct controller *c);
/*
 * Why the facts of the controller are incomplete (sources.h), in one sentence with the
 * remedy; "" when they are complete. Valid until the next call.
 */
const char *controller_trouble(struct controller *c);
void controller_measure(struct controller *c); /* updates its metrics for a scrape */
void controller_free(struct controller *c);    /* accepts NULL */

#endif
