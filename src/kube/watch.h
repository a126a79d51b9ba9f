/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the objects of one resource, and then watches them until watch_free.
 *
 * Lists have pages of 500 objects, and are quorum reads: resourceVersion=0 is never used,
 * so a restart cannot go back in time. Watches request bookmarks. A 410, a gap, or 150 s
 * without even a bookmark causes a new list. Failures are retried with back-off and
 * jitter. A missing CRD (404) and missing RBAC (403) are reported, and retried every 10
 * s. The handler receives the begin and the end of each complete list, so that a store
 * can remove the objects that were not listed.
 */
#ifndef KUBE_WATCH_H
#define KUBE_WATCH_H

#include "kube/client.h"

struct watch;

struct watch_handler {
	void (*list_begin)(void *ctx, const char *version); /* before the first page */
	/*
	 * The current state of an object, valid during the call. Ignore it if its
	 * resourceVersion is numerically lower than that of your copy.
	 */
	void (*upsert)(void *ctx, const struct json *object);
	void (*removed)(void *ctx, const struct json *last);
	/*
	 * Objects without an upsert since list_begin did not exist at version. From now
	 * on the view is complete.
	 */
	void (*list_end)(void *ctx, const char *version);
	/* connected again after trouble was called; may be NULL */
	void (*connected)(void *ctx);
	/* Called for each failed attempt. The view stays usable, but may be outdated. */
	void (*trouble)(void *ctx, struct err err);
};

/*
 * ns NULL: all namespaces. selector: a label selector for the query, or NULL. handler and
 * ctx must outlive the watch.
 */
struct watch *watch_new(struct kube *k, enum resource r, const char *ns, const char *selector,
	const struct watch_handler *handler, void *ctx);
/* Makes a watch by a field selector, such as "spec.nodeName=a". */
struct watch *watch_new_by_fields(struct kube *k, enum resource r, const char *fields,
	const struct watch_handler *handler, void *ctx);
void watch_free(struct watch *w); /* accepts NULL */
/*
 * Cancels the current request and lists again: for a watch whose events may be late by an
 * unknown time. Do not call it from the handler.
 */
void watch_list_anew(struct watch *w);
/* Monotonic time at which the last complete list was requested; INT64_MIN: none yet. */
int64_t watch_listed_ms(const struct watch *w);
/*
 * Monotonic time at which the view of this watch was last known to be current: when the
 * last complete list was requested, or when the last event or bookmark arrived. Before
 * the first list, it is when the watch was created. While the watch works, this is at
 * most about 150 s ago.
 */
int64_t watch_seen_ms(const struct watch *w);

#endif
