/* Lets go of pods that may go, and notes what the others wait for. */
#include "base/str.h"
#include "plan/nodeset/world.h"

static const char *const leave_text[] = {
	[STAY] = "",
	[LEAVE_DELETION] = "the NodeSet is being deleted",
	[LEAVE_ENDED] = "its containers have ended and it is replaced",
	[LEAVE_SCALE_IN] = "there are more pods than spec.replicas",
	[LEAVE_UPDATE] = "it has an old template",
	[LEAVE_FORGOTTEN] = "its slurmd runs, but Slurm has forgotten its node and a slurmd registers only once",
};

static const char *const removal_text[] = {
	[REMOVAL_ENDED] = "nothing runs in it any more",
	[REMOVAL_UNBOUND] = "it was never assigned to a machine",
	[REMOVAL_DRAINED] = "its Slurm node is drained and has no job",
	[REMOVAL_ABSENT] = "Slurm has no node of its name",
	[REMOVAL_RELEASED] = "the annotation " ANNOTATION_RELEASE_NOW " asks for it without draining",
};

static void let_go(struct world *w, struct pod *p)
{
	struct action *a = order(w, ACT_DELETE_POD, RES_POD, p->fact->name,
		arena_printf(w->arena, "deleting pod %s: %s; %s", p->fact->name, leave_text[p->leave], removal_text[p->removal]));
	a->guard = (struct guard){ .uid = p->fact->uid, .resource_version = p->fact->resource_version };
	if (removal_relies_on_slurm(p->removal)) {
		a->guard.drained_node = p->slurm_name;
		a->guard.drained_since_ms = p->node->seen_ms;
	}
	a->event_done = "SuccessfulDelete";
	a->event_failed = "FailedDelete";
	p->held = true;
	w->tally.released |= p->removal == REMOVAL_RELEASED;
}

/* Only the age of what Slurm said stands in the way of a deletion, or of the drain before it. */
static bool answer_too_old(const struct world *w, const struct pod *p)
{
	if (p->removal != REMOVAL_WAIT_ANSWER)
		return false;
	struct removal_facts f = removal_facts_of(w, p);
	f.age_ms = 0;
	f.predates_pod = false;
	enum removal fresh = decide_removal(&f);
	return removal_permits(fresh) || fresh == REMOVAL_WAIT_CORDON || fresh == REMOVAL_WAIT_DRAIN;
}

static void wait(struct world *w, struct pod *p)
{
	p->need = answer_too_old(w, p) ? SLURM_NOW : SLURM_SOON;
	plan_need(w->out, p->need);
	if (p->removal == REMOVAL_WAIT_REGISTRATION) {
		struct removal_facts f = removal_facts_of(w, p);
		plan_again(w->out, removal_grace_ms(&f) - f.absent_for_ms + 1);
	}
}

/*
 * Why it may have to stay a little longer although no job is in the way: its claims do
 * not have their owners yet, or another pod, chosen earlier and spared since, may still
 * be taken by a deletion on its way, so that two would be missing where one was meant.
 */
static bool postponed(struct world *w, const struct pod *p)
{
	bool spares_matter = p->leave != LEAVE_DELETION && p->available && p->removal != REMOVAL_RELEASED;
	return (spares_matter && w->n_unsettled) || !claims_settled(w, p);
}

/* False when they are too many. */
static bool watch(struct world *w, enum slurm_need least)
{
	w->out->n_watched = 0;
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		bool waits = p->need >= least && !removal_permits(p->removal) && p->node->known == YES;
		if (waits && !plan_watch(w->out, p->slurm_name))
			return false;
	}
	return true;
}

void step_removal(struct world *w)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		if (p->leave == STAY || !pod_live(p))
			continue;
		w->tally.waiting[p->removal]++;
		if (!removal_permits(p->removal) || postponed(w, p))
			wait(w, p);
		else if (!p->held)
			let_go(w, p);
	}
	if (!watch(w, SLURM_SOON))
		watch(w, SLURM_NOW);
	if (w->tally.released)
		order_event(w, true, "ReleasedWithoutDrain",
			"pods are let go without draining their Slurm nodes, because the annotation " ANNOTATION_RELEASE_NOW " says so; their jobs end");
}
