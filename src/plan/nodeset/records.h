/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether the Slurm node of a deleted pod is removed from Slurm. Otherwise a node
 * without a pod remains in Slurm as "drain*" and later "down". Free of pointers so that
 * it can be proven (tests/proof/records.c).
 *
 * Slurm removes a node with a suspended job without an error (24.11.5), and the job is
 * lost. A slurmd that still runs does not register again after its node was removed.
 */
#ifndef PLAN_NODESET_RECORDS_H
#define PLAN_NODESET_RECORDS_H

#include "engine/facts.h"
#include "link/facts.h"
#include "engine/removal.h"
#include "slurm/state.h"

enum {
	/* Minimum time without a pod: a new pod may be created soon */
	PODLESS_MS = 10000,
	RECORDS_MOST_MS = 60000, /* maximum time that the end of a NodeSet waits for its records */
};

struct record_facts {
	bool going; /* drained with the reason of this NodeSet for a pod that leaves or ends */
	/*
	 * A pod names the node, whatever its owner and phase, or is being created;
	 * UNKNOWN if the facts about pods are older than KUBE_FRESH_MS
	 */
	enum tri has_pod;
	int64_t podless_ms; /* time without a pod */
	bool usable;        /* this and the next members are as in struct removal_facts */
	enum tri node;
	bool update_in_flight;
	int64_t age_ms;
	uint32_t state;
	enum tri held;
	int64_t jobs_asked_ms, jobs_age_ms, free_since_ms;
	bool confirmed; /* as in struct slurm_node_fact: it was still free after the list of jobs */
};

enum record {
	RECORD_KEEP,        /* the node is not ours, stays, or is unknown */
	RECORD_WAIT,        /* it may be removed later */
	RECORD_WAIT_ANSWER, /* until Slurm has reported the node again */
	RECORD_WAIT_JOBS,   /* until Slurm has reported the jobs again */
	RECORD_REMOVE,
};

static inline enum record decide_record(const struct record_facts *f)
{
	if (!f->going || f->has_pod != NO || !f->usable || f->node != YES)
		return RECORD_KEEP;
	if (node_state_strange(f->state) || !(f->state & NODE_DYNAMIC) || !(f->state & NODE_DRAIN))
		return RECORD_KEEP;
	if (f->podless_ms < PODLESS_MS || f->update_in_flight || !node_state_drained(f->state))
		return RECORD_WAIT;
	if (f->age_ms < 0 || f->age_ms > SLURM_FRESH_MS)
		return RECORD_WAIT_ANSWER;
	if (!f->free_since_ms || f->jobs_asked_ms < f->free_since_ms || f->held == UNKNOWN)
		return RECORD_WAIT_JOBS;
	if (f->jobs_age_ms < 0 || f->jobs_age_ms > JOBS_FRESH_MS)
		return RECORD_WAIT_JOBS;
	if (f->held == YES)
		return RECORD_WAIT;
	return f->confirmed ? RECORD_REMOVE : RECORD_WAIT_ANSWER;
}

#endif
