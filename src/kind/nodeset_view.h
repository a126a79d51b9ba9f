/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the view of the NodeSet planner from the store and the link to Slurm. */
#ifndef KIND_NODESET_VIEW_H
#define KIND_NODESET_VIEW_H

#include "link/link.h"
#include "engine/store/store.h"
#include "plan/nodeset/plan.h"

/*
 * link NULL: the Cluster named cluster does not exist. The view is in arena, or points
 * into the store; it is valid until the next change of the store.
 */
void nodeset_view_make(const struct store *store, struct slurm_link *link, const struct record *rec,
	const char *cluster, struct arena *arena, struct nodeset_view *view);

/*
 * Adds the records to the view (nodeset_records.c). round: the round in which the nodes
 * of its pods were expected (slurm_link_begin).
 */
void nodeset_view_records(const struct store *store, struct slurm_link *link,
	const struct record *rec, uint64_t round, struct arena *arena, struct nodeset_view *view);

/* Adds queue and siblings to the view, if spec.autoscaling is set (nodeset_queue.c). */
void nodeset_view_queue(const struct store *store, struct slurm_link *link,
	const struct record *rec, const char *cluster, struct arena *arena,
	struct nodeset_view *view);

#endif
