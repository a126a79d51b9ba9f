/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May the record of a pod that is gone be removed from Slurm? A node that no pod stands
 * behind any more shows as "drain*" and then "down" for ever otherwise. Free of pointers
 * so that it can be proven (tests/proof/records.c).
 *
 * Slurm removes a node with a suspended job without a word (24.11.5); the job is lost
 * then. And a slurmd that lives does not register again after its node was removed.
 */
#ifndef PLAN_NODESET_RECORDS_H
#define PLAN_NODESET_RECORDS_H

#include "engine/facts.h"
#include "link/facts.h"
#include "engine/removal.h"
#include "slurm/state.h"

enum {
	/* Minimum time without a pod: a successor may be about to come */
	PODLESS_MS = 10000,
	RECORDS_MOST_MS = 60000, /* maximum time that the end of a NodeSet waits for its records */
};

struct record_facts {
	bool going; /* drained with the reason that a pod of this NodeSet goes, or ends */
	/*
	 * A pod names it, whosever and in whatever phase, or is being created; UNKNOWN
	 * when what is known of pods is older than KUBE_FRESH_MS
	 */
	enum tri has_pod;
	int64_t podless_ms; /* has been without one for so long */
	bool usable;        /* as in struct removal_facts, and so are these */
	enum tri node;
	bool update_in_flight;
	int64_t age_ms;
	uint32_t state;
	enum tri held;
	int64_t jobs_asked_ms, jobs_age_ms, free_since_ms;
	bool confirmed; /* as in struct slurm_node_fact: it was free behind the list of jobs, too */
};

enum record {
	RECORD_KEEP,        /* it is none of ours, or to stay, or unknown */
	RECORD_WAIT,        /* it may be removed later */
	RECORD_WAIT_ANSWER, /* when Slurm has been asked for the node anew */
	RECORD_WAIT_JOBS,   /* when Slurm has been asked for the jobs anew */
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
