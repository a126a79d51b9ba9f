/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List, then watch one resource for ever: pages of 500 (quorum reads: never
 * resourceVersion=0, so a restart cannot go back in time), bookmarks, 410, gaps and
 * minutes without even a bookmark by listing again, back-off with jitter, CRD not
 * installed (404) and missing RBAC (403) retried slowly and reported. Begin and end of
 * each complete list are events: the store of the objects forgets those that were not
 * listed.
 */
#ifndef KUBE_WATCH_H
#define KUBE_WATCH_H

#include "kube/client.h"

struct watch;

struct watch_handler {
	void (*list_begin)(void *ctx, const char *version); /* of all its pages */
	/*
	 * An object as it is now. resourceVersion numerically older than what you have:
	 * ignore. Valid during the call.
	 */
	void (*upsert)(void *ctx, const struct json *object);
	void (*removed)(void *ctx, const struct json *last);
	/*
	 * Everything not seen since list_begin was gone at version; from now on the view
	 * is complete.
	 */
	void (*list_end)(void *ctx, const char *version);
	void (*connected)(void *ctx); /* connected again after a trouble; may be NULL */
	/*
	 * Not connected; once for each failed attempt. The view goes on being usable but
	 * old
	 */
	void (*trouble)(void *ctx, struct err err);
};

/*
 * ns NULL: all namespaces. selector: a label selector for the query, or NULL. handler and
 * ctx outlive the watch.
 */
struct watch *watch_new(struct kube *k, enum resource r, const char *ns, const char *selector,
	const struct watch_handler *handler, void *ctx);
/* Makes a watch by a field selector, such as "spec.nodeName=a". */
struct watch *watch_new_by_fields(struct kube *k, enum resource r, const char *fields,
	const struct watch_handler *handler, void *ctx);
void watch_free(struct watch *w); /* accepts NULL */
/*
 * Stops what the watch does and lists from the beginning: for a watch whose events may be
 * late by an unknown time. Not to be called from its handler.
 */
void watch_list_anew(struct watch *w);
/*
 * Monotonic time at which the last complete list was requested; INT64_MIN: there is none.
 */
int64_t watch_listed_ms(const struct watch *w);
/*
 * Monotonic time that the objects of this watch are not older than: when the last list
 * was requested, or when the last event or bookmark arrived. Before the first list: when
 * the watch was made. While the watch works this is at most about 150 s ago.
 */
int64_t watch_seen_ms(const struct watch *w);

#endif
