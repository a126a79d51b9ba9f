/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watches of all kinds and of their children, in all namespaces or in some, and
 * whether the store is complete.
 */
#ifndef ENGINE_STORE_SOURCES_H
#define ENGINE_STORE_SOURCES_H

#include "engine/kind.h"

struct sources;

/*
 * namespaces: NULL-terminated, must outlive the sources; NULL: all namespaces. kinds:
 * NULL-terminated. Calls listed each time when a list has been read to its end.
 */
struct sources *sources_new(struct kube *kube, struct store *store, const struct kind *const *kinds,
	const char *const *namespaces, void (*listed)(void *ctx), void *ctx);
void sources_free(struct sources *all); /* accepts NULL */

/*
 * Requests all lists again; older lists no longer count as complete. The former manager
 * may have created pods a moment ago that no watch has reported yet. An action that
 * relies on their absence, such as the end of a NodeSet that is being deleted, would end
 * their jobs.
 */
void sources_list_anew(struct sources *all);
/*
 * True if all lists have been read that a decision about an object of r in ns needs.
 * Before that, pods that are not listed yet would look missing. The lists of an optional
 * kind matter only to that kind.
 */
bool sources_complete(const struct sources *all, enum resource r, const char *ns);
/*
 * Monotonic: the minimum time of all facts on which a decision about an object of r in ns
 * relies (watch_seen_ms).
 */
int64_t sources_seen_ms(const struct sources *all, enum resource r, const char *ns);
/*
 * Why the store is incomplete, in a sentence with its remedy; "" if all of these hold:
 * every list was read; no watch has been refused twice in a row since then, because a CRD
 * or a right is missing; and no watch is older than KUBE_FRESH_MS. A failure of an
 * optional kind does not count once its first list was answered, with success or an
 * error. Valid until the next call.
 */
const char *sources_trouble(struct sources *all);
/* Sets the metric of the time for which each watch has been broken or behind. */
void sources_measure(const struct sources *all);

#endif
