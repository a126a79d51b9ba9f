/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition Draining: which leaving pods wait, and for what; which pods stay although
 * no new job starts on them.
 */
#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/groups.h"
#include "plan/nodeset/reasons.h"

static bool waits(const struct pod *p, enum removal r)
{
	return p->leave != STAY && pod_live(p) && p->removal == r;
}
static bool waits_kube(const struct pod *p) { return waits(p, REMOVAL_WAIT_KUBE); }
static bool waits_slurm(const struct pod *p) { return waits(p, REMOVAL_WAIT_SLURM); }
static bool waits_jobs_answer(const struct pod *p) { return waits(p, REMOVAL_WAIT_JOBS_ANSWER); }
static bool waits_name(const struct pod *p) { return waits(p, REMOVAL_WAIT_NAME); }
static bool waits_forgotten(const struct pod *p) { return waits(p, REMOVAL_WAIT_FORGOTTEN); }
static bool waits_jobs(const struct pod *p) { return waits(p, REMOVAL_WAIT_JOBS); }
static bool waits_step(const struct pod *p)
{
	return waits(p, REMOVAL_WAIT_DRAIN) || waits(p, REMOVAL_WAIT_ACTION) ||
		waits(p, REMOVAL_WAIT_ANSWER) || waits(p, REMOVAL_WAIT_CORDON);
}
static bool is_undrained(const struct pod *p)
{
	return waits(p, REMOVAL_WAIT_DRAIN) && pod_node_is_anothers(p);
}
static bool powers_up(const struct pod *p)
{
	return waits(p, REMOVAL_WAIT_DRAIN) && !is_undrained(p) &&
		node_state_powers_up_for_job(p->node->state);
}
static bool waits_drain(const struct pod *p)
{
	return waits_step(p) && p->node->known == YES && !is_undrained(p) && !powers_up(p);
}
static bool waits_node(const struct pod *p) { return waits_step(p) && p->node->known != YES; }
static bool waits_registration(const struct pod *p) { return waits(p, REMOVAL_WAIT_REGISTRATION); }
static bool waits_others(const struct pod *p)
{
	bool goes = p->leave != STAY && pod_live(p) && !p->paused;
	return goes && removal_permits(p->removal) && !p->held;
}

static const char *until_text(struct worksheet *w, int64_t end_s)
{
	char end[TIME_RFC3339_BYTES];
	if (end_s <= 0)
		return "";
	if (end_s == INT64_MAX)
		return " without a time limit";
	pod_deadline_text(end_s, end);
	return arena_printf(w->arena, " until %s", end);
}

static const char *plain(struct worksheet *w, const struct pod *p)
{
	(void)w;
	return p->fact->name;
}

/* "foo-1 (job 8 of alice until 2026-01-02T03:04:05Z)", as far as Slurm reports it. */
static const char *with_job(struct worksheet *w, const struct pod *p)
{
	const struct slurm_node_fact *n = p->node;
	const char *name = p->fact->name;
	const char *until = n->holder.suspended
		? ", suspended: scontrol resume or scancel it"
		: until_text(w, n->holder.id ? n->holder.end_s : n->busy_until_s);
	struct str user AUTO(str_free) = { 0 };
	if (!n->holder.id)
		return str_empty(until) ? name : arena_printf(w->arena, "%s (%s)", name, until + 1);
	str_add(&user, str_empty(n->holder.user) ? "" : " of ");
	str_add_foreign(&user, n->holder.user, 32);
	return arena_printf(w->arena, "%s (job %lld%s%s%s)", name, (long long)n->holder.id,
		str_text(&user), until, n->holder.others ? ", and others" : "");
}

static const char *with_deadline(struct worksheet *w, const struct pod *p)
{
	const char *end = p->noted_end;
	return arena_printf(w->arena, "%s (%s)", p->fact->name,
		end ? pod_deadline_words(w->arena, end) : "until an unknown time");
}

/*
 * "foo-1 (until 2026-01-02T03:04:10Z)" if the wait takes minutes. The time is rounded up
 * to 10 s, so that two plans have the same text although the two clocks differ.
 */
static const char *with_grace(struct worksheet *w, const struct pod *p)
{
	enum { STEP_MS = 10000 };
	char end[TIME_RFC3339_BYTES];
	struct removal_facts f = removal_facts_of(w, p);
	if (removal_grace_ms(&f) != START_GRACE_MS)
		return p->fact->name;
	int64_t left_ms = pod_node_since_ms(p) + START_GRACE_MS - w->now_ms;
	int64_t end_ms = w->now_wall_ms + left_ms + STEP_MS - 1;
	time_format(end_ms - end_ms % STEP_MS, end);
	return arena_printf(w->arena, "%s (until %s)", p->fact->name, end);
}

/* Reasons why leaving pods still wait, the most serious first. */
static const struct wait_row {
	pod_is *yes;
	const char *reason, *sentence;
	naming *name;
} wait_rows[] = {
	{ waits_kube, "KubernetesUnknown",
		"the manager has had no current state from the API server for minutes, so these pods stay until it has (the log of the manager says more)",
		plain },
	{ waits_slurm, "SlurmUnknown",
		"Slurm does not say whether jobs run on these pods, so they stay until it does",
		plain },
	{ waits_name, "NodeUnclear",
		"it is unclear which Slurm node is theirs, so they stay (Degraded says why)",
		plain },
	{ waits_forgotten, "JobsForgotten",
		"Slurm has forgotten their nodes while jobs ran there; they stay until those jobs must have ended; when no job runs in the pod any more, delete it",
		with_deadline },
	{ waits_jobs, "JobsRunning", "drained, and deleted as soon as their jobs have ended",
		with_job },
	{ waits_jobs_answer, "JobsAsked",
		"drained and idle; Slurm is being queried for jobs that have begun on them, suspended jobs included",
		plain },
	{ waits_registration, "Registration",
		"Slurm does not know these pods yet; they are deleted unless they register within 10 s, or 5 minutes while they are still starting",
		with_grace },
	{ is_undrained, "NodeTaken",
		"a slurmd at another address has their Slurm nodes; they are drained when it stops responding, or when the slurmd of the pod registers",
		plain },
	{ powers_up, "NodePowersUp",
		"Slurm powers their nodes up for a job, which a drain would end now; they are drained when they are up",
		plain },
	{ waits_drain, "DrainSent", "their Slurm nodes are being drained", plain },
	{ waits_node, "NodeAsked",
		"the last answer of Slurm does not have their nodes; Slurm is queried again before the pods are deleted",
		plain },
	{ waits_others, "Postponed",
		"free of jobs, and deleted as soon as their claims have their new owners and pods that were chosen before have lost their cordon",
		plain },
};

/* Replaces the row of waits_drain while Slurm refuses drains or fails to set them. */
static const struct wait_row drain_failing = { waits_drain, "DrainFailing",
	"Slurm refuses or fails to drain their Slurm nodes (Degraded says why)", plain };

static const struct wait_row *told(const struct worksheet *w, const struct wait_row *row)
{
	for (size_t i = 0; i < w->view->n_failing; i++)
		if (row->yes == waits_drain && w->view->failing[i].operation.verb == VERB_DRAIN)
			return &drain_failing;
	return row;
}

/*
 * True from the start of the manager to the first answer of Slurm. This wait is no error
 * yet, and no pod is deleted before the answer.
 */
static bool not_asked(const struct worksheet *w)
{
	return slurm_not_asked(w) && w->tally.waiting[REMOVAL_WAIT_SLURM];
}

/*
 * Pods that stay although no new job starts on them: a user cordoned or drained them, and
 * may have forgotten it.
 */
static const char *left_drained(struct worksheet *w)
{
	struct groups g = { .w = w };
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		bool drained = pod_node_known(w, p) == YES && (p->node->state & NODE_DRAIN);
		bool theirs = drained &&
			reason_class_of(p->node->reason, w->set.ns, w->set.name, p->fact->name) !=
				REASON_OURS;
		bool cordoned = p->cordoned && !p->cordoned_by_us;
		if (!pod_live(p) || p->leave != STAY || !(cordoned || theirs))
			continue;
		struct str text AUTO(str_free) = { 0 };
		str_add(&text,
			!theirs ? "cordoned by annotation"
				: str_empty(p->node->reason)
				? "drained in Slurm without a reason"
				: "drained in Slurm, not by the operator, ");
		str_add_foreign(&text, theirs ? p->node->reason : "", 100);
		groups_add(&g, arena_strdup(w->arena, str_text(&text)), p->fact->name);
	}
	return groups_text(&g);
}

static struct condition not_draining(struct worksheet *w)
{
	struct condition c = { "Draining", COND_FALSE, "NothingToDrain",
		"no pod waits for its Slurm node to be drained" };
	const char *left = left_drained(w);
	if (!str_empty(left))
		c.message = arena_printf(w->arena, "%s; left as they are: %s", c.message, left);
	return c;
}

struct condition draining(struct worksheet *w)
{
	const char *text = "", *reason = NULL;
	if (not_asked(w)) {
		text = arena_printf(w->arena,
			"Slurm has not said yet whether jobs run on these pods: %s",
			pods_names(w, waits_slurm));
		return (struct condition){ "Draining", COND_TRUE, "SlurmNotAsked", text };
	}
	for (size_t i = 0; i < LENGTH(wait_rows); i++) {
		const struct wait_row *row = told(w, &wait_rows[i]);
		const char *names = pods_named(w, row->yes, row->name);
		if (str_empty(names))
			continue;
		text = arena_printf(w->arena, "%s%s%s: %s", text, reason ? "; " : "", row->sentence,
			names);
		reason = reason ? reason : row->reason;
	}
	return reason ? (struct condition){ "Draining", COND_TRUE, reason, text } : not_draining(w);
}
