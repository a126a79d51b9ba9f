/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watches: the resources of all kinds and of their children, everywhere or in some
 * namespaces, and how far the store has them.
 */
#ifndef ENGINE_STORE_SOURCES_H
#define ENGINE_STORE_SOURCES_H

#include "engine/kind.h"

struct sources;

/*
 * namespaces: ends with NULL, outlives it; NULL: all of them. kinds: ends with NULL.
 * listed: a list has been read to its end, again perhaps.
 */
struct sources *sources_new(struct kube *kube, struct store *store, const struct kind *const *kinds,
	const char *const *namespaces, void (*listed)(void *ctx), void *ctx);
void sources_free(struct sources *all); /* accepts NULL */

/*
 * From now on only lists that are asked for from now on count. A manager before may have
 * made pods a moment ago of which no event has come: what relied on their absence, as the
 * end of a NodeSet that is being deleted, would end their jobs.
 */
void sources_list_anew(struct sources *all);
/*
 * A decision about an object of r in ns needs the whole picture: pods that are not listed
 * yet would look missing. Objects of an optional kind do not count for the other kinds.
 */
bool sources_complete(const struct sources *all, enum resource r, const char *ns);
/*
 * Monotonic: everything by which an object of r in ns is decided is as it was then, or
 * later (watch_seen_ms).
 */
int64_t sources_seen_ms(const struct sources *all, enum resource r, const char *ns);
/*
 * Why the picture is not whole, in a sentence with its remedy; "" when it is: every list
 * was read, no watch has been refused since, twice in a row, for want of a CRD or of a
 * right, and none is older than KUBE_FRESH_MS. A failure of an optional kind is no
 * trouble, once its first list was answered, well or not. Valid until the next call.
 */
const char *sources_trouble(struct sources *all);
/* Sets the metric that tells for how long each of them has not been in order. */
void sources_measure(const struct sources *all);

#endif
