/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the facts for the two rules that protect jobs, removal.h and undrain.h, from the
 * worksheet. No other file does that.
 */
#include "base/str.h"
#include "base/time.h"
#include "plan/nodeset/reasons.h"
#include "plan/nodeset/worksheet.h"

bool pod_is_ambiguous(const struct pod *p)
{
	return p->node->shared || p->node->elsewhere || p->other_slurm || p->misnamed ||
		p->hidden || p->displaced;
}

bool pod_lost_work(const struct worksheet *w, const struct pod *p)
{
	int64_t end_ms;
	const char *deadline = p->noted_end;
	bool forgot = p->node->known == NO || (p->node->known == YES && !p->at_its_address);
	return forgot && deadline && (!time_parse(deadline, &end_ms) || end_ms > w->now_wall_ms);
}

/* True while an update of Slurm by an earlier manager may still be on its way. */
static bool is_new_manager(const struct worksheet *w)
{
	return w->now_ms - w->view->slurm.since_ms < SLURM_LATE_MS;
}

/* The pod had its mark before this manager started, so an earlier manager set it. */
static bool marked_before(const struct worksheet *w, const struct pod *p)
{
	return p->was_returning && p->fact->marked_ms <= w->view->slurm.since_ms;
}

bool pod_lift_may_come(const struct worksheet *w, const struct pod *p)
{
	return is_new_manager(w) && marked_before(w, p);
}

static bool needs_list(const struct pod *p)
{
	return p->node->known != YES || !pod_has_ip(p->fact, p->node->address);
}

static bool node_is_left_drained(const struct worksheet *w, const char *pod)
{
	for (size_t i = 0; i < w->view->n_records; i++)
		if (str_eq(w->view->records[i].pod, pod))
			return true;
	/*
	 * Also false before the first answer of Slurm: otherwise every pod of a new
	 * installation would wait
	 */
	return false;
}

/*
 * The previous pod of the name had the mark that the drain of its node is being lifted,
 * or this manager is new and the node is still drained. The next pod gets the mark, too,
 * because an UNDRAIN for the previous pod could lift a drain of the next one.
 */
bool lift_may_come_for_next(const struct worksheet *w, const char *pod)
{
	for (size_t i = 0; i < w->view->n_returned; i++)
		if (str_eq(w->view->returned[i], pod))
			return true;
	return is_new_manager(w) && node_is_left_drained(w, pod);
}

struct removal_facts removal_facts_of(const struct worksheet *w, const struct pod *p)
{
	return (struct removal_facts){
		.phase = p->phase,
		.bound = p->bound,
		.stuck = p->stuck,
		.cordoned = p->cordoned,
		.in_flight = p->held,
		.release_now = w->set.release_now,
		.kube_age_ms = w->now_ms - w->view->kube_seen_ms,
		.registered = !str_empty(p->noted_slurm) || p->noted_end,
		.unstarted = p->fact->unstarted,
		.needs_secret = !str_empty(p->fact->secrets),
		.seen_for_ms = w->now_ms - p->phase_seen_ms,
		.halted = p->fact->halted && p->fact->halted_ms,
		.halted_for_ms = w->now_ms - p->fact->halted_ms,
		.ended_for_ms = p->fact->halted_end_ms ? w->now_wall_ms - p->fact->halted_end_ms
						       : INT64_MAX,
		.usable = w->usable,
		.node = p->node->known,
		.ambiguous = pod_is_ambiguous(p),
		.lost_work = pod_lost_work(w, p),
		.update_in_flight = p->node->in_flight,
		.lift_may_come = pod_lift_may_come(w, p),
		.age_ms = pod_node_age_ms(w, p),
		.predates_pod = p->node->seen_ms < p->phase_seen_ms,
		.absent_for_ms = pod_node_absent_for_ms(w, p),
		.at_its_address = p->at_its_address,
		.in_phase_for_ms = w->view->slurm.nodes_seen_ms - p->phase_seen_ms,
		.by_list = needs_list(p),
		.list_age_ms = slurm_list_age_ms(&w->view->slurm, w->now_ms),
		.list_waited_ms = w->view->slurm.whole_seen_ms - pod_node_since_ms(p),
		.state = p->node->state,
		.held = p->node->held,
		.jobs_asked_ms = w->view->slurm.jobs_seen_ms,
		.jobs_age_ms = w->now_ms - w->view->slurm.jobs_seen_ms,
		.free_since_ms = p->node->free_since_ms,
	};
}

struct undrain_facts undrain_facts_of(const struct worksheet *w, const struct pod *p)
{
	/* Ignore the reason of a node that is up and not drained. */
	bool counts = p->node->state & (NODE_DRAIN | NODE_DOWN);
	const char *reason = counts ? p->node->reason : "";
	return (struct undrain_facts){
		.leaving = p->leave != STAY,
		.cordoned = p->cordoned,
		.in_flight = p->held,
		.pod_ready = p->healthy,
		.at_its_address = p->at_its_address,
		.usable = w->usable,
		.node = p->node->known,
		.ambiguous = pod_is_ambiguous(p),
		.update_in_flight = p->node->in_flight,
		.age_ms = pod_node_named_age_ms(w, p),
		.state = p->node->state,
		.reason = reason_class_of(reason, w->set.ns, w->set.name, p->fact->name),
		.lost = reason_says_lost(reason),
	};
}
