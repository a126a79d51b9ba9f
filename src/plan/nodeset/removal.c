/* SPDX-License-Identifier: Apache-2.0 */
/* Deletes leaving pods that may go, and counts what the others wait for. */
#include <assert.h>

#include "base/str.h"
#include "children/pod.h"
#include "plan/nodeset/worksheet.h"

enum { JOBS_AGAIN_MS = 5000 };

static const char *const leave_text[] = {
	[STAY] = "",
	[LEAVE_DELETION] = "the NodeSet is being deleted",
	[LEAVE_ENDED] = "its containers have ended and it is replaced",
	[LEAVE_SCALE_IN] = "there are more pods than spec.replicas",
	[LEAVE_UPDATE] = "it has an old template",
	[LEAVE_FORGOTTEN] =
		("its slurmd runs, but Slurm has forgotten its node and a slurmd registers only once"),
};

static const char *const removal_text[] = {
	[REMOVAL_ENDED] = "nothing runs in it any more",
	[REMOVAL_UNBOUND] = "it was never assigned to a Kubernetes node",
	[REMOVAL_DRAINED] = "its Slurm node is drained, and no running or suspended job has it",
	[REMOVAL_ABSENT] = "Slurm has no node of its name",
	[REMOVAL_UNSTARTED] =
		"none of its containers has ever started, because a Secret that it mounts does not exist",
	[REMOVAL_HALTED] = "none of its containers runs, and no Slurm has ever had its node",
	[REMOVAL_RELEASED] = "the annotation " ANNOTATION_RELEASE_NOW
			     " asks for it without draining",
};

/* The only place where the deletion of a pod is ordered (tools/check-layers). */
static void order_pod_deletion(struct worksheet *w, struct pod *p)
{
	assert(p->leave != STAY && pod_live(p) && !p->held);
	assert(removal_permits(p->removal));
	struct action *a = order(w, DO(DELETE, POD), p->fact->name,
		arena_printf(w->arena, "deleting pod %s: %s; %s", p->fact->name,
			leave_text[p->leave], removal_text[p->removal]));
	a->guard = (struct guard){
		.uid = p->fact->uid,
		.resource_version = p->fact->resource_version,
	};
	if (removal_relies_on_slurm(p->removal)) {
		struct removal_facts *facts = arena_array(w->arena, struct removal_facts, 1);
		*facts = removal_facts_of(w, p);
		assert(decide_removal(facts) == p->removal);
		a->guard.node = pod_slurm_who(p->fact);
		a->guard.removal = facts;
		a->guard.removal_ms = w->now_ms;
	}
	if (removal_expires(p->removal))
		a->guard.within_ms = REMOVAL_WITHIN_MS;
	if (p->removal == REMOVAL_UNSTARTED) {
		a->guard.read = READ_NO_SECRET;
		a->guard.secrets = p->fact->secrets;
	}
	a->event_done = "SuccessfulDelete";
	a->event_failed = "FailedDelete";
	p->held = true;
	w->tally.released |= p->removal == REMOVAL_RELEASED;
}

/*
 * With ten thousand leaving pods, deletions that cannot be sent now would make this plan
 * long. A later plan orders them; until then these pods get no other action.
 */
static void let_go(struct worksheet *w, struct pod *p)
{
	if (may_write(w, &w->n_deletions[removal_relies_on_slurm(p->removal)]))
		order_pod_deletion(w, p);
	p->held = true;
}

/*
 * If only an outdated answer of Slurm prevents a deletion, or the drain before it, a new
 * answer is urgent.
 */
static enum slurm_need need_of(const struct worksheet *w, const struct pod *p)
{
	if (p->removal != REMOVAL_WAIT_ANSWER)
		return SLURM_SOON;
	struct removal_facts f = removal_facts_of(w, p);
	f.age_ms = 0;
	f.predates_pod = false;
	enum removal fresh = decide_removal(&f);
	if (fresh == REMOVAL_WAIT_ANSWER)
		return SLURM_WHOLE;
	return removal_permits(fresh) || fresh == REMOVAL_WAIT_CORDON || fresh == REMOVAL_WAIT_DRAIN
		? SLURM_NOW
		: SLURM_SOON;
}

/*
 * Requests the jobs at once for a node that has just become free, and repeatedly for a
 * node whose state does not show its job.
 */
static void ask_jobs(struct worksheet *w, const struct pod *p)
{
	if (p->removal == REMOVAL_WAIT_JOBS_ANSWER)
		plan_ask_jobs(w->out, w->now_ms);
	if (p->removal == REMOVAL_WAIT_JOBS && node_state_drained(p->node->state))
		plan_ask_jobs(w->out, w->view->slurm.jobs_seen_ms + JOBS_AGAIN_MS);
}

static void wait(struct worksheet *w, struct pod *p)
{
	enum slurm_need need = need_of(w, p);
	p->need = need > p->need ? need : p->need; /* its drain may be more urgent */
	ask_jobs(w, p);
	struct removal_facts f = removal_facts_of(w, p);
	int64_t left_ms = removal_grace_ms(&f) -
		(f.node == NO ? f.absent_for_ms : f.in_phase_for_ms);
	if (p->removal == REMOVAL_WAIT_REGISTRATION && left_ms >= 0)
		plan_again(w->out, left_ms + 1);
	if (p->removal == REMOVAL_WAIT_SLURM && f.unstarted && f.needs_secret &&
		f.seen_for_ms < UNSTARTED_MS)
		plan_again(w->out, UNSTARTED_MS - f.seen_for_ms + 1);
	if (f.lift_may_come)
		plan_again(w->out, w->view->slurm.since_ms + SLURM_LATE_MS - w->now_ms + 1);
}

/*
 * Reasons to wait although no job prevents the deletion: the claims of the pod do not
 * have their owners yet; or another pod was chosen earlier and stays now, but its
 * deletion may still be on its way. Then two pods would be deleted instead of one.
 */
static bool postponed(struct worksheet *w, const struct pod *p)
{
	bool spares_matter = p->leave != LEAVE_DELETION && p->available &&
		p->removal != REMOVAL_RELEASED;
	return (spares_matter && w->n_unsettled) || !claims_settled(w, p) ||
		!carry_over_settled(w, p);
}

/*
 * Requests the node of each pod that waits for Slurm, with its urgency. Nodes of which
 * nothing is known wait for the list.
 */
static void ask_slurm(struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		plan_need(w->out, p->need);
		bool going = p->leave != STAY && removal_permits(p->removal);
		if (p->need != SLURM_AT_REST && !going && pod_node_known(w, p) != UNKNOWN)
			plan_look(w->out, p->slurm_name);
	}
}

void step_removal(struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		if (p->leave == STAY || !pod_live(p) || p->paused)
			continue;
		w->tally.waiting[p->removal]++;
		if (!removal_permits(p->removal) || postponed(w, p))
			wait(w, p);
		else if (!p->held)
			let_go(w, p);
	}
	ask_slurm(w);
	if (w->tally.released)
		order_warning(w, "ReleasedWithoutDrain",
			"pods are deleted without draining their Slurm nodes, because the annotation " ANNOTATION_RELEASE_NOW
			" says so; their jobs end")
			->promised = true;
}
