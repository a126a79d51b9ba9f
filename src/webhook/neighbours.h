/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NodeSets of all namespaces, with the members that the admission rules compare:
 * their host names, and the features of their slurmds. A watch keeps them, so a review
 * sends no request.
 */
#ifndef WEBHOOK_NEIGHBOURS_H
#define WEBHOOK_NEIGHBOURS_H

#include "api/nodeset.h"
#include "kube/client.h"

struct neighbours;

/* k must outlive it. */
struct neighbours *neighbours_new(struct kube *k);
void neighbours_free(struct neighbours *n); /* accepts NULL */
/*
 * The NodeSets of a namespace, in the arena; valid until the loop's next turn. *known:
 * the list is complete. n NULL: the list is empty and unknown.
 */
const struct nodeset *neighbours_of(const struct neighbours *n, struct arena *a, const char *ns,
	size_t *count, bool *known);

#endif
