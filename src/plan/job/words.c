/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of a job: the cause of a wait, and its remedy. */
#include <string.h>

#include "api/job_older.h"
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "plan/job/misses.h"
#include "plan/job/sheet.h"

static void put(struct job_conditions *all, const char *type, enum cond_status status,
	const char *reason, const char *message)
{
	all->rows[all->n++] = (struct condition){ type, status, reason, message };
}

static void add_accepted(struct job_sheet *s, struct job_conditions *all)
{
	const char *unread = job_unread(&s->job);
	if (s->fault.reason)
		put(all, "Accepted", COND_FALSE, s->fault.reason,
			arena_strdup(s->arena, s->fault.err.text));
	else if (unread)
		put(all, "Accepted", COND_TRUE, "Accepted",
			arena_printf(s->arena,
				"what it asks for is understood, but spec.%s is ignored: write the requests of a job into its script",
				unread));
	else
		put(all, "Accepted", COND_TRUE, "Accepted", "what it asks for is understood");
}

/* ---- its pod ---- */

/*
 * The pods of a SlurmJob and a WlmJob, or of SlurmJobs of two groups, may have the same
 * name.
 */
static const char *taken_text(struct job_sheet *s)
{
	const struct owner_fact *by = &s->view->pod->controller;
	bool other = job_is_resource(by->resource) &&
		(by->resource != s->job.resource || !str_eq(by->name, s->job.name));
	if (other)
		return arena_printf(s->arena,
			"pod %s is there and stands for the job of %s %s of %s, so nothing is submitted until that object is gone: apply this %s with another name",
			s->pod_name, by->kind, by->name, resource_rows[by->resource].group,
			job_kind(s));
	return arena_printf(s->arena,
		"pod %s is there and is not of this %s, so nothing is submitted: delete that pod, or apply the %s with another name",
		s->pod_name, job_kind(s), job_kind(s));
}

static void add_pod_made(struct job_sheet *s, struct job_conditions *all)
{
	const char *failure = job_failure_of(s, VERB_CREATE, s->pod_name);
	if (job_pod_of(s))
		put(all, "PodMade", COND_TRUE, "PodMade",
			arena_printf(s->arena, "pod %s stands for the job", s->pod_name));
	else if (s->step == JOB_WAIT_NAME)
		put(all, "PodMade", COND_FALSE, "NameTaken", taken_text(s));
	else if (failure && !s->facts.noted)
		put(all, "PodMade", COND_FALSE, "NotMade",
			arena_printf(s->arena, "pod %s cannot be made: %s", s->pod_name, failure));
}

/* ---- its end ---- */

/* "TIMEOUT, exit code 1: the message" */
static const char *end_text(struct job_sheet *s, const struct pod_fact *pod)
{
	struct str text AUTO(str_free) = { 0 };
	str_add_foreign(&text, pod->reason, 100);
	if (pod->exit_code >= 0)
		str_addf(&text, "%sexit code %lld", text.len ? ", " : "",
			(long long)pod->exit_code);
	if (!str_empty(pod->message)) {
		str_add(&text, text.len ? ": " : "");
		str_add_foreign(&text, pod->message, 300);
	}
	return arena_strdup(s->arena, text.len ? str_text(&text) : "its pod gives no reason");
}

static const char *wait_text(struct job_sheet *s, const struct pod_fact *pod)
{
	struct job_silence silence = job_silence_of(s);
	if (silence.reason)
		return arena_printf(s->arena,
			"%s; nothing new is known, and nothing is submitted%s%s", silence.text,
			str_empty(pod->why) ? "" : "; before that: ", pod->why);
	if (!str_empty(pod->why))
		return arena_strdup(s->arena, pod->why);
	if (str_empty(pod->node_name))
		return "its pod waits for a virtual node";
	return arena_printf(s->arena, "virtual node %s has the pod", pod->node_name);
}

/* The published message about partitions; NULL: none. */
static const char *misses_before(const struct job_sheet *s)
{
	const struct json *was = condition_find(json_get(s->job.status, "conditions"), "Ended");
	return str_eq(json_str(json_get(was, "reason"), ""), JOB_NOWHERE)
		? json_str(json_get(was, "message"), NULL)
		: NULL;
}

/*
 * Reports which partition lacks what. Until the nodes are known, the published message
 * stays. Without one, or if there is nothing to report, the message is the scheduler's.
 */
static void add_waiting(struct job_sheet *s, struct job_conditions *all, const struct pod_fact *pod)
{
	const struct nodes_fact *nodes = &s->view->nodes;
	const char *misses = NULL;
	if (job_seeks_node(s))
		misses = nodes->list || nodes->refused ? job_misses(s->arena, pod->wishes, nodes)
						       : misses_before(s);
	put(all, "Ended", COND_FALSE, misses ? JOB_NOWHERE : "Waiting",
		misses ? misses : wait_text(s, pod));
}

/* A job in Slurm continues without its virtual node. */
static const char *run_text(struct job_sheet *s, const struct pod_fact *pod)
{
	struct job_silence silence = job_silence_of(s);
	if (silence.reason)
		return arena_printf(s->arena,
			"it ran when virtual node %s last reported it; %s, so its present state is unknown",
			pod->node_name, silence.text);
	return arena_printf(s->arena, "virtual node %s reports that it runs", pod->node_name);
}

static void add_lost(struct job_sheet *s, struct job_conditions *all)
{
	const char *id = json_str(json_get(s->job.status, "jobId"), "");
	struct str text AUTO(str_free) = { 0 };
	str_addf(&text,
		"pod %s has gone before the end of the job was seen; a virtual node that sees a pod removed by force cancels its job",
		s->pod_name);
	if (!str_empty(id)) {
		str_add(&text, "; in Slurm it is job ");
		str_add_foreign(&text, id, 60);
	}
	str_addf(&text,
		"; it is not submitted again: to run it once more, delete the %s and apply it again",
		job_kind(s));
	put(all, "Ended", COND_UNKNOWN, "PodLost", arena_strdup(s->arena, str_text(&text)));
}

static void add_ended(struct job_sheet *s, struct job_conditions *all)
{
	const struct pod_fact *pod = job_pod_of(s);
	if (pod ? pod->unseen_end : s->step == JOB_LOST && !job_ended(s))
		add_lost(s, all);
	if (job_is_refused(s))
		put(all, "Ended", COND_TRUE, s->fault.reason,
			"it is refused, and nothing was submitted: the condition Accepted says why");
	if (!pod || pod->unseen_end)
		return;
	if (job_is_unplaced(s))
		put(all, "Ended", COND_TRUE, JOB_POD_DELETED,
			arena_printf(s->arena,
				"pod %s was deleted before a virtual node had it, so nothing was submitted: delete the %s and apply it anew",
				s->pod_name, job_kind(s)));
	else if (pod->phase == POD_SUCCEEDED)
		put(all, "Ended", COND_TRUE, "Succeeded", end_text(s, pod));
	else if (pod->phase == POD_FAILED)
		put(all, "Ended", COND_TRUE, "Failed", end_text(s, pod));
	else if (pod->phase == POD_RUNNING)
		put(all, "Ended", COND_FALSE, "Running", run_text(s, pod));
	else
		add_waiting(s, all, pod);
}

static void put_outcome(struct job_conditions *all, bool well, const char *reason,
	const char *message)
{
	put(all, well ? JOB_COMPLETE : JOB_FAILED, COND_TRUE, reason, message);
}

/*
 * The pod is gone, and the end of the job was reported before: by a manager that did not
 * know these conditions, or while the pod existed and might have reported another end.
 */
static void add_outcome_before(struct job_sheet *s, struct job_conditions *all)
{
	const struct json *ended = condition_find(json_get(s->job.status, "conditions"), "Ended");
	put_outcome(all, str_eq(s->job.pod_phase, "Succeeded"),
		json_str(json_get(ended, "reason"), s->job.pod_phase),
		json_str(json_get(ended, "message"), ""));
}

/*
 * Complete or Failed, when nothing can change that any more. A pod that exists may still
 * report an end that was not seen.
 */
static void add_outcome(struct job_sheet *s, struct job_conditions *all)
{
	const struct condition *ended = NULL;
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->rows[i].type, "Ended"))
			ended = &all->rows[i];
	bool lost = ended && ended->status == COND_UNKNOWN && !job_pod_of(s);
	if (!ended && s->step == JOB_LOST && job_ended(s))
		add_outcome_before(s, all);
	else if (ended && (ended->status == COND_TRUE || lost))
		put_outcome(all, str_eq(ended->reason, "Succeeded"), ended->reason, ended->message);
}

/* ---- its deletion ---- */

static void add_terminating(struct job_sheet *s, struct job_conditions *all)
{
	const struct pod_fact *pod = job_pod_of(s);
	const char *failure = job_failure_of(s, VERB_DELETE, s->pod_name);
	if (!s->job.deleting || !s->facts.kept || !pod || s->job.orphaning)
		return;
	const char *waits = str_empty(pod->node_name)
		? "it was on no virtual node yet"
		: arena_printf(s->arena,
			  "virtual node %s has to cancel the job in Slurm before the pod can be deleted; while it is away, both wait",
			  pod->node_name);
	put(all, JOB_TERMINATING, COND_TRUE, "PodLeft",
		arena_printf(s->arena, "the %s goes when pod %s has gone: %s%s", job_kind(s),
			s->pod_name, failure ? "it cannot be deleted: " : waits,
			failure ? failure : ""));
}

struct job_conditions job_conditions_of(struct job_sheet *s)
{
	struct job_conditions all = { 0 };
	add_accepted(s, &all);
	add_pod_made(s, &all);
	add_ended(s, &all);
	add_outcome(s, &all);
	for (int what = 0; what < JOB_COPIES; what++)
		all.n += job_copy_condition(s, what, &all.rows[all.n]);
	add_terminating(s, &all);
	return all;
}
