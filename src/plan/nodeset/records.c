/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the nodes of deleted pods from Slurm. */
#include "base/str.h"
#include "children/pod.h"
#include "plan/nodeset/reasons.h"
#include "plan/nodeset/records.h"
#include "plan/nodeset/worksheet.h"

/* slurmctld saves its state after each removal */
enum { RECORDS_AT_A_TIME = 10, RECORDS_AGAIN_MS = 1000 };

/* The node was drained because its pod leaves: by the operator, or by its own slurmd. */
static bool is_going(const struct worksheet *w, const struct record_fact *r)
{
	return reason_says_going(r->fact.reason, w->set.ns, w->set.name) ||
		reason_says_ended(r->fact.reason, r->node);
}

static enum record decide(const struct worksheet *w, const struct record_fact *r)
{
	struct record_facts f = {
		.going = is_going(w, r),
		.has_pod = kube_is_fresh(w) ? NO : UNKNOWN,
		.podless_ms = w->now_ms - r->podless_since_ms,
		.usable = w->usable,
		.node = r->fact.known,
		.update_in_flight = r->fact.in_flight,
		.age_ms = w->now_ms - r->fact.seen_ms,
		.state = r->fact.state,
		.held = r->fact.held,
		.jobs_asked_ms = w->view->slurm.jobs_seen_ms,
		.jobs_age_ms = w->now_ms - w->view->slurm.jobs_seen_ms,
		.free_since_ms = r->fact.free_since_ms,
		.confirmed = r->fact.confirmed,
	};
	return decide_record(&f);
}

static void remove_record(struct worksheet *w, const struct record_fact *r)
{
	struct action *a = plan_add(w->out, DO(REMOVE, SLURM_NODE),
		arena_printf(w->arena, "removing node %s from Slurm: its pod %s is gone", r->node,
			r->pod));
	const char **one = arena_array(w->arena, const char *, 1);
	one[0] = r->node;
	a->ns = w->set.ns;
	a->name = w->set.cluster_name;
	a->nodes = one;
	a->n_nodes = 1;
}

/*
 * A deleted NodeSet waits for records that can be removed soon, but only for a limited
 * time, and not at all with the annotation release-now.
 */
static void wait_for(struct worksheet *w, const struct record_fact *r, enum record d)
{
	int64_t podless_ms = w->now_ms - r->podless_since_ms;
	if (d == RECORD_WAIT_ANSWER)
		plan_look(w->out, r->node);
	if (d == RECORD_WAIT_JOBS)
		plan_ask_jobs(w->out, w->now_ms);
	if (podless_ms < PODLESS_MS)
		plan_again(w->out, PODLESS_MS - podless_ms);
	if (podless_ms < RECORDS_MOST_MS && !w->set.release_now)
		w->n_records_left++;
}

/* This plan creates the pod of the node, which had no pod for a while. */
static bool is_to_have_pod(const struct worksheet *w, const char *pod)
{
	for (size_t i = 0; i < w->out->n; i++)
		if (operation_is(w->out->actions[i].operation, DO(CREATE, POD)) &&
			str_eq(w->out->actions[i].name, pod))
			return true;
	return false;
}

/* Number of removals that were sent, and whose nodes Slurm has not reported since. */
static size_t in_flight(const struct worksheet *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->view->n_records; i++)
		n += w->view->records[i].fact.in_flight;
	return n;
}

void step_records(struct worksheet *w)
{
	size_t sent = in_flight(w), asked = 0;
	for (size_t i = 0; i < w->view->n_records; i++) {
		const struct record_fact *r = &w->view->records[i];
		enum record d = decide(w, r);
		if (d == RECORD_KEEP)
			continue;
		if (d == RECORD_REMOVE && sent < RECORDS_AT_A_TIME && !is_to_have_pod(w, r->pod)) {
			remove_record(w, r);
			sent++;
		}
		/* The other records are checked after these. */
		if (d != RECORD_WAIT_ANSWER || asked++ < RECORDS_AT_A_TIME)
			wait_for(w, r, d);
	}
	if (w->n_records_left)
		plan_again(w->out, RECORDS_AGAIN_MS);
}

bool record_is_going(const struct worksheet *w, const char *pod)
{
	for (size_t i = 0; i < w->view->n_records; i++)
		if (w->view->records[i].fact.in_flight && str_eq(w->view->records[i].pod, pod))
			return true;
	return false;
}
