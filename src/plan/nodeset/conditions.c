/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conditions of a NodeSet: sentences for users. Each one names the cause of a wait;
 * lastTransitionTime is the start of the wait. No text contains anything that changes by
 * itself, so that a cluster at rest causes no writes.
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "plan/nodeset/autoscale.h"
#include "plan/nodeset/groups.h"

static const char *const ours[] = { "Available", "Progressing", "Draining", "Degraded",
	"Autoscaling", NULL };

/* ---- Progressing ---- */

static bool is_unavailable(const struct pod *p) { return !p->available; }
static bool is_deleting(const struct pod *p) { return p->leave == LEAVE_DELETION || !pod_live(p); }
static bool is_scaling_in(const struct pod *p) { return p->leave == LEAVE_SCALE_IN && pod_live(p); }
static bool is_old(const struct pod *p) { return !p->updated && p->leave != LEAVE_SCALE_IN; }

static struct condition progress(enum cond_status status, const char *reason, const char *message)
{
	return (struct condition){ "Progressing", status, reason, message };
}

static struct condition true_for(struct worksheet *w, const char *reason, const char *sentence,
	pod_is *yes)
{
	const char *names = pods_names(w, yes);
	return progress(COND_TRUE, reason, arena_printf(w->arena, "%s: %s", sentence, names));
}

static struct condition updating(struct worksheet *w)
{
	const char *names = pods_names(w, is_old);
	const char *pods = pods_in_words(w, (int64_t)pods_count(w, is_old));
	if (w->set.update != UPDATE_ROLLING)
		return progress(COND_FALSE, "OnDelete",
			arena_printf(w->arena,
				"%s with an older template, to be replaced when a user deletes them: %s",
				pods, names));
	if (w->set.max_unavailable == 0)
		return progress(COND_FALSE, "UpdateBlocked",
			arena_printf(w->arena,
				"maxUnavailable is 0, so no healthy pod may be deleted for the new template; raise it to update: %s",
				names));
	return progress(COND_TRUE, "RollingUpdate",
		arena_printf(w->arena,
			"%s with an older template to be replaced, at most %lld at a time: %s",
			pods, (long long)w->set.max_unavailable, names));
}

static struct condition complete(struct worksheet *w)
{
	const char *pods = pods_in_words(w, w->set.replicas);
	if (!w->tally.unusable)
		return progress(COND_FALSE, "Complete",
			arena_printf(w->arena, "%s as asked for, with the newest template", pods));
	return progress(COND_FALSE, "Incomplete",
		arena_printf(w->arena,
			"%s as asked for; Slurm cannot use the nodes of %lld (Degraded says why)",
			pods, (long long)w->tally.unusable));
}

static const char *last_wait(const struct worksheet *w)
{
	if (w->view->n_overtaken)
		return "pod creations in flight have ended";
	if (w->n_claims_left)
		return "its claims have no owner reference to it any more";
	if (w->n_records_left)
		return "the Slurm nodes of its pods have been removed (at most a minute)";
	return "its finalizer is taken away";
}

static struct condition going(struct worksheet *w)
{
	if (w->n_owned)
		return true_for(w, "Deleting", "the NodeSet goes when its pods are gone",
			is_deleting);
	return progress(COND_TRUE, "Deleting",
		arena_printf(w->arena, "no pod is left; the NodeSet is deleted when %s",
			last_wait(w)));
}

static struct condition progressing(struct worksheet *w)
{
	const struct tally *t = &w->tally;
	if (w->set.deleting)
		return going(w);
	if (t->creating)
		return progress(COND_TRUE, "ScalingOut",
			arena_printf(w->arena, "%lld of %s to be created", (long long)t->creating,
				pods_in_words(w, w->set.replicas)));
	if (t->scaling_in)
		return true_for(w, "ScalingIn",
			"these pods are more than spec.replicas and are to go", is_scaling_in);
	if (w->hash && pods_count(w, is_old))
		return updating(w);
	if (t->available < w->set.replicas)
		return true_for(w, "Starting", "not available yet (Available says why)",
			is_unavailable);
	return complete(w);
}

/* ---- all of them ---- */

static bool was(const struct worksheet *w, const char *type, const char *reason)
{
	return str_eq(json_str(json_get(condition_find(json_get(w->set.status, "conditions"), type),
				       "reason"),
			      ""),
		reason);
}

/*
 * The published condition shows which troubles had an Event: the first one by its reason,
 * the others in its message.
 */
static bool was_told(const struct worksheet *w, const char *reason)
{
	const char *message =
		json_str(json_get(condition_find(json_get(w->set.status, "conditions"), "Degraded"),
				 "message"),
			"");
	return was(w, "Degraded", reason) ||
		strstr(message, arena_printf(w->arena, "; %s: ", reason));
}

/* Emits one Event when a trouble begins, whatever other troubles there are. */
static struct condition tell(struct worksheet *w, struct condition c)
{
	for (size_t i = 0; i < w->n_troubles && !w->view->in_flight; i++) {
		const struct trouble *t = &w->troubles[i];
		bool again = i && str_eq(w->troubles[i - 1].reason, t->reason);
		if (!again && !was_told(w, t->reason) && strstr(c.message, t->text))
			order_warning(w, t->reason, t->text)->with_status = true;
	}
	return c;
}

static void set(struct worksheet *w, struct jval *list, struct condition c)
{
	condition_set(w->d, list, json_get(w->set.status, "conditions"), &c, w->set.generation,
		w->now_wall_ms);
}

/* Keeps the published condition as it is; false if there is none. */
static bool keep(struct worksheet *w, struct jval *list, const char *type)
{
	const struct json *old = condition_find(json_get(w->set.status, "conditions"), type);
	if (old)
		j_push(w->d, list, j_copy(w->d, old));
	return old;
}

/* While Slurm does not answer, the published state of the nodes is the best one known. */
static bool still_incomplete(const struct worksheet *w, const struct condition *c)
{
	return !w->usable && str_eq(c->reason, "Complete") && was(w, "Progressing", "Incomplete");
}

/*
 * A reason in the array stops means that a user has to act. It is the trouble of the
 * NodeSet if Degraded has none.
 */
static void set_autoscaling(struct worksheet *w, struct jval *list)
{
	static const char *const stops[] = { "Conflict", "JobDoesNotFit" };
	const struct condition *c = autoscale_condition(w);
	if (c)
		set(w, list, *c);
	else if (w->autoscale)
		keep(w, list, AUTOSCALING);
	for (size_t i = 0; i < LENGTH(stops) && str_empty(w->trouble); i++)
		if (c ? str_eq(c->reason, stops[i]) : w->autoscale && was(w, AUTOSCALING, stops[i]))
			w->trouble = stops[i];
}

/* After a restart, published conditions that depend on Slurm stay until Slurm answers. */
struct jval *conditions_of(struct worksheet *w)
{
	struct jval *list = j_arr(w->d);
	bool wait = slurm_not_asked(w);
	struct condition bad = degradation(w), moving = progressing(w);
	set(w, list, available(w));
	if (!still_incomplete(w, &moving) || !keep(w, list, "Progressing"))
		set(w, list, moving);
	if (!wait || !w->tally.waiting[REMOVAL_WAIT_SLURM] || !keep(w, list, "Draining"))
		set(w, list, draining(w));
	if (!wait || bad.status == COND_TRUE || !keep(w, list, "Degraded"))
		set(w, list, tell(w, bad));
	else
		w->trouble = json_str(json_get(w->set.status, "trouble"), "");
	set_autoscaling(w, list);
	condition_keep_foreign(w->d, list, json_get(w->set.status, "conditions"), ours);
	return list;
}

/* ---- of a NodeSet that is stopped ---- */

static bool is_cordoned(const struct pod *p) { return p->cordoned; }

static bool says_no_number(const struct worksheet *w)
{
	for (size_t i = 0; i < w->n_faults; i++)
		if (str_eq(w->faults[i].reason, "InvalidReplicas"))
			return true;
	return false;
}

static struct condition stopped_available(struct worksheet *w)
{
	const char *pods = pods_in_words(w, w->tally.available);
	if (!says_no_number(w))
		return available(w);
	return (struct condition){ "Available", COND_UNKNOWN, "InvalidReplicas",
		arena_printf(w->arena,
			"%s %s available; the wanted number is unknown, because spec.replicas is not valid",
			pods, w->tally.available == 1 ? "is" : "are") };
}

static struct condition stopped_draining(struct worksheet *w)
{
	const char *names = pods_names(w, is_cordoned);
	return (struct condition){ "Draining", COND_FALSE, "Stopped",
		arena_printf(w->arena,
			"no pod is drained or deleted (Degraded says what to put right)%s%s",
			str_empty(names) ? "" : "; still cordoned: ", names) };
}

struct jval *conditions_stopped(struct worksheet *w)
{
	struct jval *list = j_arr(w->d);
	set(w, list, stopped_available(w));
	set(w, list,
		progress(COND_FALSE, "Stopped",
			"nothing is created, drained or deleted (Degraded says what to put right)"));
	set(w, list, stopped_draining(w));
	set(w, list, tell(w, degradation(w)));
	condition_keep_foreign(w->d, list, json_get(w->set.status, "conditions"), ours);
	return list;
}
