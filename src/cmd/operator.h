/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator without its process: watches fill the store, changes mark objects, marked
 * objects are planned, plans are carried out. Used by the manager (libuv, libcurl) and by
 * the simulator (fake clock, simulated servers) alike.
 */
#ifndef CMD_OPERATOR_H
#define CMD_OPERATOR_H

#include "kube/client.h"
#include "net/http.h"

struct operator_;

struct operator_config {
	struct kube *kube;
	struct loop *loop;
	http_factory *http_new; /* for slurmrestd */
	void *http_ctx;
	const char *const *namespaces; /* NULL-terminated; NULL: the whole cluster */
};

/* Watches from now on; acts from operator_lead on. */
struct operator_ *operator_new(const struct operator_config *config);
/* From now on it acts; before, it only watches. */
void operator_lead(struct operator_ *o);
/* No new action; what is in flight ends. */
void operator_stop(struct operator_ *o);
int operator_in_flight(const struct operator_ *o);
/*
 * What keeps it from seeing everything (cmd/sources.h), in one sentence with its remedy;
 * "" when nothing does. Valid until the next call.
 */
const char *operator_trouble(const struct operator_ *o);
void operator_free(struct operator_ *o); /* accepts NULL */

#endif
