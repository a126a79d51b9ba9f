/*
 * The conditions of a NodeSet: sentences for people. They name what is waited for; since when is their lastTransitionTime. No text holds anything
 * that changes by itself, so that a world at rest causes no writes.
 */
#include "base/own.h"
#include "base/str.h"
#include "kube/condition.h"
#include "plan/nodeset/world.h"

static const char *const ours[] = { "Available", "Progressing", "Draining", "Degraded", NULL };

enum { NAMES_SHOWN = 3 };

/* "foo-1, foo-4, foo-7 and 12 more": the first of the pods for which a question is answered with yes. */
typedef bool question(const struct pod *p);

static const char *names_of(struct world *w, question *yes)
{
	const char *list = "";
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++) {
		if (!yes(&w->pods[i]) || ++n > NAMES_SHOWN)
			continue;
		list = arena_printf(w->arena, "%s%s%s", list, n > 1 ? ", " : "", w->pods[i].fact->name);
	}
	return n > NAMES_SHOWN ? arena_printf(w->arena, "%s and %zu more", list, n - NAMES_SHOWN) : list;
}

static bool is_unavailable(const struct pod *p) { return !p->available; }

static struct condition available(struct world *w)
{
	int64_t want = w->set.replicas, have = w->tally.available;
	if (have >= want)
		return (struct condition){ "Available", COND_TRUE, "AllAvailable", arena_printf(w->arena, "all %lld pods are available", (long long)want) };
	const char *names = names_of(w, is_unavailable);
	const char *text = arena_printf(w->arena, "%lld of %lld pods are available; %s%s", (long long)have, (long long)want,
		str_empty(names) ? "the others have yet to be created" : "not yet available: ", names);
	return (struct condition){ "Available", COND_FALSE, "PodsUnavailable", text };
}

static bool is_deleting(const struct pod *p) { return p->leave == LEAVE_DELETION || !pod_live(p); }
static bool is_scaling_in(const struct pod *p) { return p->leave == LEAVE_SCALE_IN && pod_live(p); }

static struct condition true_for(struct world *w, const char *reason, const char *sentence, question *yes)
{
	return (struct condition){ "Progressing", COND_TRUE, reason, arena_printf(w->arena, "%s: %s", sentence, names_of(w, yes)) };
}

static bool is_old(const struct pod *p) { return !p->updated && p->leave != LEAVE_SCALE_IN; }

static struct condition updating(struct world *w)
{
	long long n = (long long)w->tally.old_left;
	const char *names = names_of(w, is_old);
	if (w->set.update != UPDATE_ROLLING)
		return (struct condition){ "Progressing", COND_FALSE, "OnDelete",
			arena_printf(w->arena, "%lld pods have an older template and get the new one when somebody deletes them: %s", n, names) };
	if (w->set.max_unavailable == 0)
		return (struct condition){ "Progressing", COND_FALSE, "UpdateBlocked", arena_printf(w->arena,
			"maxUnavailable is 0, so that no healthy pod may be taken down for the new template; raise it to update: %s", names) };
	return (struct condition){ "Progressing", COND_TRUE, "RollingUpdate",
		arena_printf(w->arena, "%lld pods have yet to get the new template, %lld at a time: %s", n, (long long)w->set.max_unavailable, names) };
}

static struct condition progressing(struct world *w)
{
	const struct tally *t = &w->tally;
	if (w->set.deleting)
		return true_for(w, "Deleting", "the NodeSet goes when its pods are gone", is_deleting);
	if (t->creating)
		return (struct condition){ "Progressing", COND_TRUE, "ScalingOut",
			arena_printf(w->arena, "%lld of %lld pods have yet to be created", (long long)t->creating, (long long)w->set.replicas) };
	if (t->scaling_in)
		return true_for(w, "ScalingIn", "these pods are more than spec.replicas and are to go", is_scaling_in);
	if (t->old_left)
		return updating(w);
	return (struct condition){ "Progressing", COND_FALSE, "Complete",
		arena_printf(w->arena, "%lld pods as asked for, all with the newest template", (long long)w->set.replicas) };
}

static bool waits(const struct pod *p, enum removal r) { return p->leave != STAY && pod_live(p) && p->removal == r; }
static bool waits_slurm(const struct pod *p) { return waits(p, REMOVAL_WAIT_SLURM); }
static bool waits_jobs(const struct pod *p) { return waits(p, REMOVAL_WAIT_JOBS); }
static bool waits_drain(const struct pod *p)
{
	return waits(p, REMOVAL_WAIT_DRAIN) || waits(p, REMOVAL_WAIT_ACTION) || waits(p, REMOVAL_WAIT_ANSWER) || waits(p, REMOVAL_WAIT_CORDON);
}
static bool waits_registration(const struct pod *p) { return waits(p, REMOVAL_WAIT_REGISTRATION); }

/* What pods that are to go wait for, the gravest first. */
static const struct wait_row {
	question *yes;
	const char *reason, *sentence;
} wait_rows[] = {
	{ waits_slurm, "SlurmUnknown", "Slurm does not say whether jobs run on these pods, so they stay until it does" },
	{ waits_jobs, "JobsRunning", "drained, and gone as soon as their running jobs have ended" },
	{ waits_registration, "Registration", "Slurm does not know these pods yet; they go unless they register within 10 s, or 5 minutes while they are still starting" },
	{ waits_drain, "DrainSent", "their Slurm nodes are being drained" },
};

/* From the start of the manager to the first answer: that is no trouble yet, and nothing goes before. */
static bool not_asked(const struct world *w)
{
	return w->view->cluster != NO && w->view->slurm.usable == UNKNOWN && w->tally.waiting[REMOVAL_WAIT_SLURM];
}

static struct condition draining(struct world *w)
{
	const char *text = "", *reason = NULL;
	if (not_asked(w))
		return (struct condition){ "Draining", COND_TRUE, "SlurmNotAsked", arena_printf(w->arena,
			"Slurm has not been asked yet whether jobs run on these pods: %s", names_of(w, waits_slurm)) };
	for (size_t i = 0; i < LENGTH(wait_rows); i++) {
		const char *names = names_of(w, wait_rows[i].yes);
		if (str_empty(names))
			continue;
		text = arena_printf(w->arena, "%s%s%s: %s", text, reason ? "; " : "", wait_rows[i].sentence, names);
		reason = reason ? reason : wait_rows[i].reason;
	}
	if (reason)
		return (struct condition){ "Draining", COND_TRUE, reason, text };
	return (struct condition){ "Draining", COND_FALSE, "NothingToDrain", "no pod waits for its Slurm node to be drained" };
}

static struct condition degraded(const char *reason, const char *message) { return (struct condition){ "Degraded", COND_TRUE, reason, message }; }

static struct condition degradation(struct world *w)
{
	struct arena *a = w->arena;
	const char *cluster = w->set.cluster_name, *ns = w->set.ns;
	if (w->n_faults)
		return degraded(w->faults[0].reason, arena_strdup(a, w->faults[0].err.text));
	if (w->view->cluster == NO)
		return degraded("ClusterMissing", arena_printf(a,
			"Cluster %s/%s does not exist: nobody can say whether jobs run, so no pod that may have one is let go; create it, or set the annotation "
			ANNOTATION_RELEASE_NOW " to \"true\"", ns, cluster));
	if (w->tally.waiting[REMOVAL_WAIT_SLURM] && !not_asked(w))
		return degraded("SlurmUnknown", arena_printf(a,
			"Slurm does not answer (see Cluster %s/%s): pods that are to go stay until it does, everything else goes on", ns, cluster));
	if (w->tally.ending_claim)
		return degraded("ClaimEnding", arena_printf(a, "claim %s is being deleted or collected and must be "
			"gone before its pod is created again", w->tally.ending_claim));
	if (w->tally.conflict)
		return degraded("ConflictingController",
			arena_printf(a, "claim %s is controlled by something else: the retention policy does not apply to it", w->tally.conflict));
	if (w->tally.names_taken)
		return degraded("NamesTaken", w->tally.names_taken);
	return (struct condition){ "Degraded", COND_FALSE, "AsExpected", "nothing stands in the way" };
}

static const char *old_reason(const struct world *w, const char *type, const char *status)
{
	struct json_iter it = json_iter(json_get(w->set.status, "conditions"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "type"), ""), type) && str_eq(json_str(json_get(it.value, "status"), ""), status))
			return json_str(json_get(it.value, "reason"), "");
	return "";
}

/* One Event when a trouble begins or changes its kind: the condition remembers that it was told. */
static struct condition tell(struct world *w, struct condition c)
{
	if (c.status == COND_TRUE && !w->view->in_flight && !str_eq(old_reason(w, c.type, "True"), c.reason))
		order_event(w, true, c.reason, c.message);
	return c;
}

static void set(struct world *w, struct jval *list, struct condition c)
{
	condition_set(w->d, list, json_get(w->set.status, "conditions"), &c, w->set.generation, w->now_wall_ms);
}

/* After a restart, what was published stays until Slurm has been asked. */
static bool kept(struct world *w, struct jval *list, const char *type)
{
	struct json_iter it = json_iter(json_get(w->set.status, "conditions"));
	while (not_asked(w) && json_next(&it))
		if (str_eq(json_str(json_get(it.value, "type"), ""), type)) {
			j_push(w->d, list, j_copy(w->d, it.value));
			return true;
		}
	return false;
}

struct jval *conditions_of(struct world *w)
{
	struct jval *list = j_arr(w->d);
	struct condition bad = degradation(w);
	set(w, list, available(w));
	set(w, list, progressing(w));
	if (!kept(w, list, "Draining"))
		set(w, list, draining(w));
	if (bad.status == COND_TRUE || !kept(w, list, "Degraded"))
		set(w, list, tell(w, bad));
	condition_keep_foreign(w->d, list, json_get(w->set.status, "conditions"), ours);
	return list;
}

struct jval *conditions_refused(struct world *w)
{
	static const char *const only[] = { "Degraded", NULL };
	struct jval *list = j_arr(w->d);
	set(w, list, tell(w, degradation(w)));
	condition_keep_foreign(w->d, list, json_get(w->set.status, "conditions"), only);
	return list;
}
