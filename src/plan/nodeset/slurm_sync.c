/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronizes with Slurm: drains the nodes of leaving pods, lifts drains of ours that
 * are not needed any more, and notes the ends of jobs on the pods.
 */
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "plan/nodeset/reasons.h"
#include "plan/nodeset/worksheet.h"

/* Node names collected for one bulk update. */
struct batch {
	const char **names;
	size_t n;
};

static void put(struct worksheet *w, struct batch *b, const char *name)
{
	if (!b->names)
		b->names = arena_array(w->arena, const char *, w->n_pods);
	b->names[b->n++] = name;
}

static void send(struct worksheet *w, const struct batch *b, enum verb verb, const char *text,
	const char *why)
{
	if (!b->n)
		return;
	struct action *a = plan_add(w->out, (struct operation){ verb, RES_SLURM_NODE }, why);
	a->ns = w->set.ns;
	a->name = w->set.cluster_name;
	a->nodes = b->names;
	a->n_nodes = b->n;
	a->text = text;
}

static enum slurm_need need_named(const struct worksheet *w, const struct pod *p)
{
	return pod_node_named_age_ms(w, p) > SLURM_FRESH_MS ? SLURM_WHOLE : SLURM_SOON;
}

/*
 * Needs a fresh answer: after an old one, an administrator may have drained the node, and
 * our reason would replace theirs.
 */
static bool needs_drain(struct worksheet *w, struct pod *p)
{
	bool drained = (p->node->state & NODE_DRAIN) && !(p->node->state & NODE_UNDRAIN);
	int64_t age_ms = pod_node_named_age_ms(w, p);
	if (pod_node_known(w, p) != YES || drained || pod_is_ambiguous(p) ||
		pod_node_is_anothers(p))
		return false;
	/*
	 * An update in flight ends when Slurm reports its result, so the node is read for
	 * that, too.
	 */
	p->need = need_named(w, p);
	if (node_state_powers_up_for_job(p->node->state))
		return false;
	return !p->node->in_flight && age_ms >= 0 && age_ms <= SLURM_FRESH_MS;
}

/*
 * A DOWN node takes no job, and its reason says why it is DOWN. So the node is drained
 * only when it is back.
 */
static bool needs_cordon(struct worksheet *w, struct pod *p)
{
	return !(p->node->state & NODE_DOWN) && needs_drain(w, p);
}

/* A leaving pod that may not be deleted yet is cordoned, and its node is drained. */
static void hold_back(struct worksheet *w, struct pod *p, struct batch *drain)
{
	struct removal_facts f = removal_facts_of(w, p);
	p->removal = decide_removal(&f);
	if (removal_permits(p->removal))
		return;
	if (!p->cordoned)
		p->cordon = CORDON_SET;
	if (needs_drain(w, p))
		put(w, drain, p->slurm_name);
}

/*
 * A deletion that was sent before the pod was chosen to stay may still arrive. A deletion
 * of ours may arrive for DELETION_LATE_MS after it was sent. If the pod has our cordon, a
 * deletion of an earlier manager may arrive for DELETION_LATE_MS after this manager
 * started. A user's cordon does not show whether an earlier manager sent a deletion.
 */
static bool may_be_taken(struct worksheet *w, const struct pod *p)
{
	int64_t sent_ms = p->fact->deletion_sent_ms,
		least_ms = p->cordoned_by_us ? w->view->acting_since_ms : 0;
	int64_t since_ms = sent_ms > least_ms ? sent_ms : least_ms;
	int64_t left_ms = since_ms ? since_ms + DELETION_LATE_MS - w->now_ms : 0;
	if (left_ms > 0)
		plan_again(w->out, left_ms);
	return left_ms > 0 || p->held;
}

static bool is_unsettled(struct worksheet *w, const struct pod *p)
{
	return p->leave == STAY && p->available && p->cordoned && may_be_taken(w, p);
}

/*
 * A node that is back shows that one UNDRAIN has arrived. Another UNDRAIN of an earlier
 * manager may follow, or a DRAIN, which must be lifted again. The mark is needed as long
 * as that is possible.
 */
static void take_mark_away(struct worksheet *w, struct pod *p)
{
	int64_t alone_ms = w->view->slurm.since_ms + SLURM_LATE_MS;
	int64_t until_ms = pod_lift_may_come(w, p) && alone_ms > p->node->drain_until_ms
		? alone_ms
		: p->node->drain_until_ms;
	if (until_ms >= w->now_ms)
		plan_again(w->out, until_ms - w->now_ms + 1);
	else
		p->cordon = CORDON_CLEAR;
}

/*
 * Drains the node of a terminating pod again if Slurm has lost the drain. slurmctld saves
 * a drain up to five seconds after it reports success (24.11.5). If it is killed before,
 * the drain is lost. The node must take no job until Slurm notices that it does not
 * respond.
 */
static void keep_drained(struct worksheet *w, struct pod *p, struct batch *drain)
{
	if (p->cordoned && needs_drain(w, p))
		put(w, drain, p->slurm_name);
}

/*
 * A pod that stays, in three steps. First our cordon is removed, so that any deletion of
 * the pod that is still on its way fails. Then the drain is lifted. Then the mark that
 * its drain is being lifted is removed. Until then the mark shows a later manager that an
 * UNDRAIN may be on its way.
 */
static void bring_back(struct worksheet *w, struct pod *p, struct batch *undrain,
	struct batch *resume)
{
	if (p->cordoned_by_us) {
		p->cordon = CORDON_RETURN;
		return;
	}
	struct undrain_facts f = undrain_facts_of(w, p);
	enum undrain u = decide_undrain(&f);
	/*
	 * The mark is written first: it shows a later manager that the drain may be
	 * lifted at any moment.
	 */
	bool lift = u == UNDRAIN_SEND || u == UNDRAIN_RESUME;
	if (lift && p->returning)
		put(w, u == UNDRAIN_SEND ? undrain : resume, p->slurm_name);
	else if (lift)
		p->cordon = CORDON_RETURN;
	if (lift || (u == UNDRAIN_UNKNOWN && pod_node_known(w, p) == YES))
		p->need = need_named(w, p);
	if (p->returning && (u == UNDRAIN_NOTHING || u == UNDRAIN_KEEP))
		take_mark_away(w, p);
}

/*
 * Time when the work on a busy node ends; 0: the noted end stays. The job of the node may
 * be unknown yet. A job that cannot be read counts as a job without an end, unless an end
 * in the future is noted.
 */
static int64_t work_ends_s(const struct worksheet *w, const struct pod *p)
{
	int64_t end_ms;
	if (!w->view->slurm.jobs_seen_ms)
		return 0;
	if (p->node->busy_until_s > 0)
		return p->node->busy_until_s;
	if (!w->view->slurm.jobs_unread)
		return 0;
	bool past = !p->noted_end ||
		(time_parse(p->noted_end, &end_ms) && end_ms <= w->now_wall_ms);
	return past ? INT64_MAX : 0;
}

static void note_deadline(struct worksheet *w, struct pod *p)
{
	enum tri known = pod_node_known(w, p);
	/* A suspended job leaves the node idle, but still holds it. */
	bool busy = known == YES &&
		((p->node->state & (NODE_ALLOCATED | NODE_MIXED)) || p->node->held == YES);
	if (busy)
		demand_need(&w->out->demand, ASK_JOBS, SLURM_AT_REST);
	/*
	 * An answer from before the pod ran, or about a node that may not be the pod's,
	 * is about other work.
	 */
	bool its_own = p->phase == POD_RUNNING && p->node->seen_ms >= p->phase_seen_ms &&
		p->at_its_address && !pod_is_ambiguous(p);
	/* Slurm cannot report the end of work on a node that it has forgotten. */
	if (known != YES || !its_own || p->held)
		return;
	const char *present = p->noted_end;
	if (!busy) {
		/* The jobs of the node are unknown: a suspended job may hold it. */
		if (present && p->node->held == UNKNOWN)
			demand_need(&w->out->demand, ASK_JOBS, SLURM_AT_REST);
		p->deadline = present && p->node->held == NO ? EDIT_REMOVE : EDIT_KEEP;
		return;
	}
	char text[TIME_RFC3339_BYTES];
	p->deadline_s = work_ends_s(w, p);
	pod_deadline_text(p->deadline_s, text);
	p->deadline = p->deadline_s && !str_eq(present, text) ? EDIT_SET : EDIT_KEEP;
}

void pod_deadline_text(int64_t until_s, char out[static TIME_RFC3339_BYTES])
{
	const int64_t end_of_year_9999_s = INT64_C(253402300799);
	int64_t s = until_s < 0 ? 0 : until_s;
	time_format((s < end_of_year_9999_s ? s : end_of_year_9999_s) * 1000, out);
}

const char *pod_deadline_words(struct arena *a, const char *deadline)
{
	char never[TIME_RFC3339_BYTES];
	pod_deadline_text(INT64_MAX, never);
	return str_eq(deadline, never) ? "without a time limit"
				       : arena_printf(a, "until %.40s", deadline);
}

void step_slurm(struct worksheet *w)
{
	struct batch go = { 0 }, cordoned = { 0 }, back = { 0 }, up = { 0 };
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		if (!pod_live(p)) {
			keep_drained(w, p, &go);
			continue;
		}
		w->n_unsettled += is_unsettled(w, p);
		if (p->leave != STAY)
			hold_back(w, p, &go);
		else if (p->cordoned && !p->cordoned_by_us && needs_cordon(w, p))
			put(w, &cordoned, p->slurm_name);
		else
			bring_back(w, p, &back, &up);
		note_deadline(w, p);
	}
	const char *ns = w->set.ns, *name = w->set.name;
	send(w, &go, VERB_DRAIN, reason_going(w->arena, ns, name),
		"the pods of these nodes are to go: nothing new may start on them");
	send(w, &cordoned, VERB_DRAIN, reason_cordoned(w->arena, ns, name),
		"the pods of these nodes are cordoned by their annotation: nothing new may start on them");
	send(w, &back, VERB_UNDRAIN, REASON_RETURNED,
		"the pods of these nodes stay: the drain that the operator set is lifted");
	send(w, &up, VERB_RESUME, REASON_RETURNED,
		"the pods of these nodes stay and their slurmds have registered, but the operator's reason keeps them DOWN");
}
