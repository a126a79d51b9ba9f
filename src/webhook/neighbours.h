/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NodeSets of all namespaces, as far as the rules of admission look at others: which
 * host names they give, and which features their slurmds have. They are watched: a review
 * sends no request.
 */
#ifndef WEBHOOK_NEIGHBOURS_H
#define WEBHOOK_NEIGHBOURS_H

#include "api/nodeset.h"
#include "kube/client.h"

struct neighbours;

/* k outlives it. */
struct neighbours *neighbours_new(struct kube *k);
void neighbours_free(struct neighbours *n); /* accepts NULL */
/*
 * The NodeSets of a namespace, in the arena; valid until the loop turns. *known: the list
 * is complete. n NULL: none is known.
 */
const struct nodeset *neighbours_of(const struct neighbours *n, struct arena *a, const char *ns,
	size_t *count, bool *known);

#endif
