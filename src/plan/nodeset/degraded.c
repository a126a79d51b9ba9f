/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition Degraded: all troubles, the most serious first. The first one gives the
 * reason of the condition. Each trouble has a sentence that says what to do.
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/grace.h"
#include "plan/nodeset/groups.h"
#include "plan/nodeset/reasons.h"

enum {
	TEXT_BYTES = 4000,
};

/* ---- the Cluster ---- */

static const char *clusters_there_are(struct worksheet *w)
{
	const char *names = w->view->clusters;
	if (str_empty(names))
		return "this namespace has none";
	return arena_printf(w->arena, "this namespace has: %s", names);
}

/* Only for a user who wants the pods deleted anyway: the annotation ends jobs. */
#define LAST_RESORT                                                                              \
	"; if you know that no job runs on the pods, set the annotation " ANNOTATION_RELEASE_NOW \
	" to \"true\""

static const char *cluster_missing(struct worksheet *w)
{
	if (w->view->cluster != NO)
		return NULL;
	return arena_printf(w->arena,
		"Cluster %s/%s does not exist (%s), so it is unknown whether jobs run, and no pod that may have one is deleted: create the Cluster%s",
		w->set.ns, w->set.cluster_name, clusters_there_are(w),
		w->set.deleting ? LAST_RESORT : ", or a NodeSet that names one of them");
}

static bool answered_lately(struct worksheet *w)
{
	int64_t seen_ms = w->view->slurm.nodes_seen_ms,
		left_ms = seen_ms + SLURM_GRACE_MS - w->now_ms;
	if (seen_ms && left_ms > 0)
		plan_again(w->out, left_ms);
	return seen_ms && left_ms > 0;
}

/* Slurm has never answered: it is being installed together with the NodeSet. */
static bool is_new(struct worksheet *w)
{
	bool may_be = !w->set.deleting && !w->view->slurm.nodes_seen_ms;
	int64_t left_ms = may_be ? grace_left_ms(w->view->object, w->now_wall_ms) : 0;
	plan_again(w->out, left_ms);
	return left_ms > 0;
}

static const char *cluster_not_ready(struct worksheet *w)
{
	struct str why AUTO(str_free) = { 0 };
	if (w->view->cluster == NO || w->view->slurm.usable != NO || is_new(w) ||
		answered_lately(w))
		return NULL;
	str_add_foreign(&why, w->view->slurm.trouble, 500);
	return arena_printf(w->arena,
		"Cluster %s/%s is not ready: %s; its condition Ready says what to do. Pods that are to go stay meanwhile, everything else goes on%s",
		w->set.ns, w->set.cluster_name, str_text(&why), w->set.deleting ? LAST_RESORT : "");
}

/* States that do not show whether jobs run; the first match counts. */
static const struct {
	uint32_t bits;
	const char *text;
} strange_states[] = {
	{ NODE_UNKNOWN, "state UNKNOWN" },
	{ NODE_EXTERNAL, "state EXTERNAL" },
	{ NODE_INVALID, "state INVALID" },
	{ NODE_OTHER, "a state that this operator does not know" },
};

static const char *strange_state(uint32_t state)
{
	for (size_t i = 0; i < LENGTH(strange_states); i++)
		if (state & strange_states[i].bits)
			return strange_states[i].text;
	return "no state that tells what it does";
}

static const char *slurm_unknown(struct worksheet *w)
{
	struct groups g = { .w = w };
	if (w->view->slurm.usable != YES || !w->tally.waiting[REMOVAL_WAIT_SLURM])
		return NULL;
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		if (p->leave != STAY && pod_live(p) && p->removal == REMOVAL_WAIT_SLURM)
			groups_add(&g, strange_state(p->node->state), p->fact->name);
	}
	return arena_printf(w->arena,
		"Slurm does not say whether jobs run on these pods that are to go, so they stay until it does (scontrol show node): %s",
		groups_text(&g));
}

static const char *jobs_unknown(struct worksheet *w)
{
	struct str why AUTO(str_free) = { 0 };
	if (w->view->slurm.usable != YES || !w->tally.waiting[REMOVAL_WAIT_JOBS_ANSWER] ||
		str_empty(w->view->slurm.jobs_trouble))
		return NULL;
	str_add_foreign(&why, w->view->slurm.jobs_trouble, 500);
	return arena_printf(w->arena,
		"Slurm does not report which jobs use which nodes, so no drained pod is deleted: %s",
		str_text(&why));
}

/* ---- Slurm nodes of pods that are ready ---- */

static bool is_misnamed(const struct pod *p) { return p->misnamed; }
static bool is_shared(const struct pod *p) { return p->node->shared; }
static bool is_elsewhere(const struct pod *p) { return !str_empty(p->node->elsewhere); }
static bool is_hidden(const struct pod *p) { return p->hidden; }
static bool is_displaced(const struct pod *p) { return p->displaced; }
static bool is_of_another(const struct pod *p) { return p->other_slurm; }
static bool is_absent(const struct pod *p) { return p->node->known == NO; }
/* The slurmd of the pod has registered before, and does not register a second time. */
static bool is_forgotten(const struct pod *p) { return is_absent(p) && !str_empty(p->noted_slurm); }
static bool is_forgotten_with_jobs(const struct pod *p)
{
	bool busy = !str_empty(p->noted_end);
	return is_forgotten(p) && busy &&
		(p->leave == STAY || p->removal == REMOVAL_WAIT_FORGOTTEN);
}
static bool is_down(const struct pod *p) { return p->node->state & NODE_DOWN; }
static bool is_drained_by_slurm(const struct pod *p)
{
	return (p->node->state & NODE_DRAIN) && reason_is_of_slurm(p->node->reason);
}
static bool is_strange(const struct pod *p)
{
	uint32_t works = NODE_IDLE | NODE_ALLOCATED | NODE_MIXED;
	uint32_t broken = NODE_ERROR | NODE_FUTURE | NODE_FAIL | NODE_INVALID_REG | NODE_INVALID;
	return p->node->known == YES && ((p->node->state & broken) || !(p->node->state & works));
}

typedef const char *particular(const struct pod *p, struct arena *a);

static const char *no_detail(const struct pod *p, struct arena *a)
{
	(void)p, (void)a;
	return "";
}
static const char *address_of_node(const struct pod *p, struct arena *a)
{
	(void)a;
	return p->node->address;
}
static const char *host_name(const struct pod *p, struct arena *a)
{
	(void)a;
	return p->slurm_name;
}
static const char *name_elsewhere(const struct pod *p, struct arena *a)
{
	(void)a;
	return p->node->elsewhere;
}
static const char *name_of_another(const struct pod *p, struct arena *a)
{
	(void)a;
	return p->noted_slurm;
}
static const char *end_of_jobs(const struct pod *p, struct arena *a)
{
	return pod_deadline_words(a, p->noted_end);
}
static const char *reason_of_node(const struct pod *p, struct arena *a)
{
	(void)a;
	return p->node->reason;
}

/* The first row that applies to a pod counts. */
static const struct node_row {
	pod_is *yes;
	const char *reason, *sentence, *detail_is;
	particular *detail;
} node_rows[] = {
	{ is_misnamed, "StrangeHostName",
		"these pods have a host name that this NodeSet does not give, so nothing is done that relies on Slurm: delete them when their jobs have ended",
		"named ", host_name },
	{ is_shared, "DuplicateHostName",
		"another pod has the Slurm node name of these pods, so nothing is done that relies on Slurm, and no pod goes: give one of the NodeSets another spec.template.spec.hostname; its old pods go when, after scontrol update nodename=... state=drain and the end of the jobs, you set its annotation " ANNOTATION_RELEASE_NOW,
		"", no_detail },
	{ is_elsewhere, "RegisteredElsewhere",
		"the slurmd of these ready pods has registered under another name than their host name, so it is unknown which jobs they run: let slurmd take the host name (no -N, no hostNetwork)",
		"registered as ", name_elsewhere },
	{ is_displaced, "AddressDiffers",
		"a slurmd at another address has the Slurm node name of these ready pods, so nothing is done that relies on Slurm: give one of the two another name (spec.template.spec.hostname); if it is the pod's own slurmd, let it register by the address of the pod, or with hostNetwork by the host name that is the name of its Kubernetes node",
		"node at ", address_of_node },
	{ is_hidden, "MayBeElsewhere",
		"Slurm does not know the nodes of these ready pods, and the slurmd of another pod has registered under a wrong name, which may be that of theirs too, so it is unknown which jobs they run: let slurmd take the host name (no -N, no hostNetwork)",
		"", no_detail },
	{ is_of_another, "RegisteredWithAnother",
		"these pods have registered with another Slurm than the one that answers, so it is unknown which jobs they run: bring that Slurm back, or delete the pods when their jobs have ended",
		"with ", name_of_another },
	{ is_forgotten_with_jobs, "NodesForgotten",
		"Slurm has forgotten the nodes of these ready pods while jobs ran there, and nothing new starts on them. The pods stay until the time limits of those jobs are over, because the jobs may still run. Look in each pod: kubectl exec POD -- pgrep -a slurmstepd shows what runs there, as [JOB.STEP]; when no job runs in the pod any more, delete it (kubectl delete pod POD)",
		"", end_of_jobs },
	{ is_forgotten, "NodesForgotten",
		"Slurm has forgotten the nodes of these ready pods, and a slurmd registers only once: they are replaced, as many at a time as maxUnavailable says",
		"", no_detail },
	{ is_absent, "NotRegistered",
		"Slurm does not know the nodes of these ready pods: see in their logs whether slurmd -Z runs and reaches slurmctld",
		"", no_detail },
	{ is_down, "SlurmNodesDown",
		"Slurm says that the nodes of these ready pods are DOWN, so no job starts there: see scontrol show node; when they are well, scontrol update nodename=NAME state=resume",
		"for ", reason_of_node },
	{ is_strange, "SlurmNodesUnusable",
		"Slurm cannot use the nodes of these ready pods: see scontrol show node", "for ",
		reason_of_node },
	{ is_drained_by_slurm, "SlurmNodesDrained",
		"Slurm has drained the nodes of these ready pods by itself, so no job starts there: look for the cause in the logs of their slurmds; when it is mended, scontrol update nodename=NAME state=resume",
		"for ", reason_of_node },
};

/* The pod leaves, but only a user or the end of the job permits its deletion. */
static bool kept_by_lost_job(const struct pod *p)
{
	return p->leave != STAY && pod_live(p) && p->removal == REMOVAL_WAIT_FORGOTTEN &&
		is_absent(p);
}

/*
 * Time for which a pod that stays has been ready or, if that is shorter, for which Slurm
 * has had no node of its name. -1: not ready, or unknown.
 */
static int64_t ready_for_ms(const struct worksheet *w, const struct pod *p)
{
	bool stays = p->leave == STAY || p->leave == LEAVE_FORGOTTEN || kept_by_lost_job(p);
	if (!stays || !p->healthy || pod_node_known(w, p) == UNKNOWN || !p->fact->ready_since_ms)
		return -1;
	int64_t ready_ms = pod_ready_for_ms(w, p);
	int64_t absent_ms = pod_node_absent_for_ms(w, p);
	return is_absent(p) && absent_ms < ready_ms ? absent_ms : ready_ms;
}

static const struct node_row *row_of(const struct pod *p)
{
	for (size_t i = 0; i < LENGTH(node_rows); i++)
		if (node_rows[i].yes(p))
			return &node_rows[i];
	return NULL;
}

/* The problem of a pod's Slurm node; NULL: none, or the slurmd may still register. */
static const struct node_row *trouble_of(struct worksheet *w, const struct pod *p)
{
	int64_t ms = ready_for_ms(w, p);
	if (p->leave != STAY && pod_live(p) && p->removal == REMOVAL_WAIT_NAME)
		return row_of(p); /* the pod stays because of that */
	const struct node_row *row = ms < 0 && !p->misnamed ? NULL : row_of(p);
	if (!row || p->misnamed || row->yes == is_shared || ms >= REGISTER_GRACE_MS)
		return row;
	plan_again(w->out, REGISTER_GRACE_MS - ms + 1);
	return NULL;
}

static const char *detail_text(struct worksheet *w, const struct node_row *row, const struct pod *p)
{
	struct str text AUTO(str_free) = { 0 };
	const char *detail = row->detail(p, w->arena);
	str_add(&text, str_empty(detail) ? "" : row->detail_is);
	str_add_foreign(&text, detail, 100);
	return arena_strdup(w->arena, str_text(&text));
}

void step_judge_nodes(struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		w->pods[i].node_row = trouble_of(w, &w->pods[i]);
		w->tally.unusable += w->pods[i].node_row != NULL;
	}
}

/* "SENTENCE: foo-1, foo-2" or, with a detail, "SENTENCE: registered as x: foo-1; ...". */
static const char *of_nodes(struct worksheet *w, const struct node_row *row)
{
	struct groups g = { .w = w };
	for (size_t i = 0; i < w->n_pods; i++)
		if (w->pods[i].node_row == row)
			groups_add(&g, detail_text(w, row, &w->pods[i]), w->pods[i].fact->name);
	const char *text = groups_text(&g);
	if (!g.n)
		return NULL;
	return arena_printf(w->arena, "%s%s%s", row->sentence,
		str_empty(g.rows[0].text) ? "" : ": ", text);
}

/* ---- claims ---- */

static const char *claim_ending(struct worksheet *w)
{
	if (!w->tally.ending_claim)
		return NULL;
	return arena_printf(w->arena,
		"claim %s is being deleted or collected and must be gone before its pod is created again",
		w->tally.ending_claim);
}

static const char *claim_of_others(struct worksheet *w)
{
	if (!w->tally.conflict)
		return NULL;
	return arena_printf(w->arena,
		"another object controls claim %s: the retention policy does not apply to it",
		w->tally.conflict);
}

static const char *claim_not_ours(struct worksheet *w)
{
	if (!w->tally.foreign_claim)
		return NULL;
	return arena_printf(w->arena,
		"another client created claim %s (it lacks the labels of spec.selector): the claim is used, but the retention policy does not apply to it; add the labels if it is to be deleted with the NodeSet",
		w->tally.foreign_claim);
}

static const char *names_taken(struct worksheet *w) { return w->tally.names_taken; }
static const char *names_busy(struct worksheet *w) { return w->tally.names_busy; }

/* ---- all of them ---- */

static void add(struct worksheet *w, const char *reason, const char *text)
{
	if (text && w->n_troubles < MOST_TROUBLES)
		w->troubles[w->n_troubles++] = (struct trouble){ reason, text, reason };
}

typedef const char *telling(struct worksheet *w);

static void add_rows(struct worksheet *w)
{
	static const struct {
		const char *reason;
		telling *text;
	} before[] = {
		{ "ClusterMissing", cluster_missing },
		{ "ClusterNotReady", cluster_not_ready },
		{ "SlurmUnknown", slurm_unknown },
		{ "JobsUnknown", jobs_unknown },
	}, after[] = {
		{ "ActionsFailing", actions_failing_sentence },
		{ "ClaimEnding", claim_ending },
		{ "ConflictingController", claim_of_others },
		{ "ClaimNotOurs", claim_not_ours },
		{ "PodsEnded", ended_sentence },
		{ "PodsStuck", stuck_sentence },
		{ "NamesTaken", names_taken },
		{ "HostNameBusy", names_busy },
		{ "PodsNotReady", unready_sentence },
	};
	for (size_t i = 0; i < LENGTH(before); i++)
		add(w, before[i].reason, before[i].text(w));
	for (size_t i = 0; i < LENGTH(node_rows); i++)
		add(w, node_rows[i].reason, of_nodes(w, &node_rows[i]));
	for (size_t i = 0; i < LENGTH(after); i++)
		add(w, after[i].reason, after[i].text(w));
	for (size_t i = 0; i < w->n_troubles; i++)
		if (str_eq(w->troubles[i].reason, "PodsNotReady") && w->unready_word)
			w->troubles[i].word = w->unready_word;
}

/*
 * "TEXT; REASON: TEXT; REASON: TEXT". The first trouble gives the reason of the
 * condition.
 */
static const char *joined(struct worksheet *w)
{
	const char *all = w->troubles[0].text;
	for (size_t i = 1; i < w->n_troubles; i++) {
		const struct trouble *t = &w->troubles[i];
		if (strlen(all) + strlen(t->text) <= TEXT_BYTES)
			all = arena_printf(w->arena, "%s; %s: %s", all, t->reason, t->text);
	}
	return all;
}

static const char *fault_text(const struct worksheet *w, const struct fault *f)
{
	return f->meanwhile ? arena_printf(w->arena, "%s; %s", f->err.text, f->meanwhile)
			    : arena_strdup(w->arena, f->err.text);
}

struct condition degradation(struct worksheet *w)
{
	w->n_troubles = 0;
	for (size_t i = 0; i < w->n_faults; i++)
		add(w, w->faults[i].reason, fault_text(w, &w->faults[i]));
	add_rows(w);
	const char *reason = w->troubles[0].reason;
	w->trouble = w->n_troubles ? w->troubles[0].word : "";
	if (w->n_troubles)
		return (struct condition){ "Degraded", COND_TRUE, reason, joined(w) };
	return (struct condition){ "Degraded", COND_FALSE, "AsExpected",
		"nothing stands in the way" };
}
