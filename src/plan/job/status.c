/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a job: the report of its pod, and the conditions. */
#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/metadata.h"
#include "plan/job/sheet.h"

/* Every pod gets a word, so a status with a phase shows that there was a pod. */
static const char *const phase_words[] = {
	[POD_EMPTY] = "Pending",
	[POD_PENDING] = "Pending",
	[POD_RUNNING] = "Running",
	[POD_SUCCEEDED] = "Succeeded",
	[POD_FAILED] = "Failed",
	[POD_PHASE_UNKNOWN] = "Unknown",
};

static const char *old_text(const struct job_sheet *s, const char *key)
{
	return json_str(json_get(s->job.status, key), "");
}

/* A text that is unknown, or not known any more, leaves the field unchanged. */
static void set_text(struct job_sheet *s, struct jval *status, const char *key, const char *text)
{
	struct str plain AUTO(str_free) = { 0 };
	if (str_empty(text))
		return;
	str_add_foreign(&plain, text, 400);
	j_set_str(s->d, status, key, str_text(&plain));
}

static void set_time(struct job_sheet *s, struct jval *status, const char *key, int64_t wall_ms)
{
	char text[TIME_RFC3339_BYTES];
	if (wall_ms <= 0)
		return;
	time_format(wall_ms, text);
	j_set_str(s->d, status, key, text);
}

/* The number of a word in "pending=3,running=1"; -1: the word is absent. */
static int64_t count_of(const char *counts, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = counts; *at; at += strcspn(at, ","), at += *at == ',') {
		char digits[16] = "";
		int64_t value;
		size_t length = strcspn(at, ",");
		if (strncmp(at, word, n) != 0 || at[n] != '=' || length - n > sizeof(digits))
			continue;
		memcpy(digits, at + n + 1, length - n - 1);
		return str_to_i64(digits, 0, INT32_MAX, &value) ? value : -1;
	}
	return -1;
}

/* Tasks of an ended array whose own end was not seen: they count as failed. */
static int64_t never_ended(const struct pod_fact *pod, const char *counts)
{
	bool over = pod->phase == POD_FAILED || pod->phase == POD_SUCCEEDED;
	int64_t missing = counts && over ? count_of(counts, "missing") : 0;
	return missing > 0 ? missing : 0;
}

static int64_t most(int64_t n) { return n < INT32_MAX ? n : INT32_MAX; }

static void set_array(struct job_sheet *s, struct jval *status, const struct pod_fact *pod)
{
	const char *counts = pod_annotation(pod, ANNOTATION_JOB_ARRAY);
	static const char *const words[] = { "pending", "running", "succeeded", "failed" };
	struct jval *array = j_obj(s->d);
	const struct json *was = json_get(s->job.status, "array");
	bool any = false;
	for (size_t i = 0; counts && i < LENGTH(words); i++) {
		int64_t n = count_of(counts, words[i]);
		any |= n >= 0;
		if (n >= 0 && str_eq(words[i], "failed"))
			n = most(n + never_ended(pod, counts));
		if (n >= 0)
			j_set_int(s->d, array, words[i], n);
		else if (json_get(was, words[i])) /* a merge patch would keep it */
			j_set(s->d, array, words[i], j_null(s->d));
	}
	if (any)
		j_set(s->d, status, "array", array);
}

static void set_job(struct job_sheet *s, struct jval *status, const struct pod_fact *pod)
{
	static const struct {
		const char *key, *annotation;
	} rows[] = {
		{ "jobId", ANNOTATION_JOB_ID },
		{ "nodeList", ANNOTATION_JOB_NODES },
		{ "slurmState", ANNOTATION_JOB_STATE },
	};
	const char *submitted = pod_annotation(pod, ANNOTATION_JOB_SUBMITTED);
	int64_t submitted_ms;
	for (size_t i = 0; i < LENGTH(rows); i++)
		set_text(s, status, rows[i].key, pod_annotation(pod, rows[i].annotation));
	if (submitted && time_parse(submitted, &submitted_ms))
		set_time(s, status, "submitTime", submitted_ms);
	set_array(s, status, pod);
}

/* Sets the fields from the pod. A reason that does not hold any more is cleared. */
static void set_pod(struct job_sheet *s, struct jval *status, const struct pod_fact *pod)
{
	j_set_str(s->d, status, "status", phase_words[pod->phase]);
	j_set_str(s->d, status, "phase",
		phase_words[pod->unseen_end ? POD_PHASE_UNKNOWN : pod->phase]);
	if (!str_empty(old_text(s, "reason")))
		j_set_str(s->d, status, "reason", "");
	set_text(s, status, "reason", pod->reason);
	if (pod->exit_code >= 0)
		j_set_int(s->d, status, "exitCode", pod->exit_code);
	if (pod->restarts > 0 || json_get(s->job.status, "requeues"))
		j_set_int(s->d, status, "requeues", pod->restarts);
	set_time(s, status, "startTime", pod->begun_ms);
	set_time(s, status, "endTime", pod->ended_ms);
	set_job(s, status, pod);
}

static void set_unplaced(struct job_sheet *s, struct jval *status)
{
	static const char *const keys[] = { "status", "phase" };
	for (size_t i = 0; i < LENGTH(keys); i++)
		j_set_str(s->d, status, keys[i], "Failed");
	j_set_str(s->d, status, "reason", JOB_POD_DELETED);
}

/*
 * An old condition about a copy that the object no longer requests is obsolete, and so is
 * the end of an object that was refused before.
 */
static bool lasts(const struct job_sheet *s, const char *type)
{
	bool outcome = str_eq(type, JOB_COMPLETE) || str_eq(type, JOB_FAILED);
	if (outcome)
		return s->facts.noted && !job_pod_of(s);
	if (str_eq(type, "Ended"))
		return s->facts.noted || job_pod_of(s);
	if (str_eq(type, JOB_COLLECTED))
		return job_copy_asked(s, JOB_RESULTS);
	if (str_eq(type, JOB_INPUTS_PREPARED))
		return job_copy_asked(s, JOB_INPUTS);
	return !str_eq(type, JOB_TERMINATING);
}

/*
 * Writes the conditions in a fixed order. A condition without a new value keeps the old
 * one.
 */
static void set_conditions(struct job_sheet *s, struct jval *list, const struct job_conditions *all)
{
	static const char *const types[] = { "Accepted", "PodMade", JOB_INPUTS_PREPARED, "Ended",
		JOB_COMPLETE, JOB_FAILED, JOB_COLLECTED, JOB_TERMINATING, NULL };
	const struct json *old = json_get(s->job.status, "conditions");
	condition_keep_foreign(s->d, list, old, types);
	for (size_t i = 0; types[i]; i++) {
		const struct json *was = condition_find(old, types[i]);
		bool said = false;
		for (size_t k = 0; k < all->n; k++) {
			if (!str_eq(all->rows[k].type, types[i]))
				continue;
			condition_set(s->d, list, old, &all->rows[k], s->job.generation,
				s->now_wall_ms);
			said = true;
		}
		if (!said && was && lasts(s, types[i]))
			j_push(s->d, list, j_copy(s->d, was));
	}
}

/*
 * Why the object has no job, if its pod gives no reason: a refusal, a lost pod, or no
 * partition that fits; "" if there is none.
 */
static const char *reason_of_conditions(const struct job_sheet *s, const struct job_conditions *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct condition *c = &all->rows[i];
		bool refused = c->status == COND_FALSE &&
			(str_eq(c->type, "Accepted") || str_eq(c->type, "PodMade"));
		bool lost = c->status == COND_UNKNOWN && !job_pod_of(s);
		if (refused || lost || str_eq(c->reason, JOB_NOWHERE))
			return c->reason;
	}
	return "";
}

/*
 * While the report of the pod may be old, the silence of its virtual node is the reason.
 */
static bool set_silence(struct job_sheet *s, struct jval *status)
{
	struct job_silence silence = job_silence_of(s);
	if (silence.reason)
		j_set_str(s->d, status, "reason", silence.reason);
	return silence.reason;
}

static void set_reason(struct job_sheet *s, struct jval *status, const struct job_conditions *all)
{
	const struct pod_fact *pod = job_pod_of(s);
	const char *reason = reason_of_conditions(s, all);
	bool said = !str_empty(reason) || !str_empty(old_text(s, "reason"));
	if (job_is_unplaced(s) || set_silence(s, status))
		return;
	if (!job_ended(s) && (!pod || str_empty(pod->reason)) && said)
		j_set_str(s->d, status, "reason", reason);
}

/*
 * Clients wait for a status of Failed or Succeeded. An object that is refused, or whose
 * pod is gone, becomes Failed, because no other end will come. If it is accepted later,
 * the status starts again.
 */
static void set_end(struct job_sheet *s, struct jval *status)
{
	bool refused = job_is_refused(s);
	if (s->step == JOB_LOST && !job_ended(s))
		j_set_str(s->d, status, "phase", "Unknown");
	else if (refused)
		j_set_str(s->d, status, "phase", "Failed");
	else if (!s->facts.noted && !str_empty(old_text(s, "status")))
		j_set_str(s->d, status, "phase", "");
	if (refused || (s->step == JOB_LOST && !job_ended(s)))
		j_set_str(s->d, status, "status", "Failed");
	else if (!s->facts.noted && !str_empty(old_text(s, "status")))
		j_set_str(s->d, status, "status", "");
}

static struct jval *status_of(struct job_sheet *s, const struct job_conditions *all)
{
	struct jval *status = j_obj(s->d);
	const struct pod_fact *pod = job_pod_of(s);
	if (pod)
		set_pod(s, status, pod);
	if (job_is_unplaced(s))
		set_unplaced(s, status);
	if (!pod)
		set_end(s, status);
	set_reason(s, status, all);
	job_set_attempts(s, status);
	if (s->job.generation > 0)
		j_set_int(s->d, status, "observedGeneration", s->job.generation);
	set_conditions(s, j_set(s->d, status, "conditions", j_arr(s->d)), all);
	return status;
}

/* ---- Events, emitted when the status first reports the change ---- */

static void tell(struct job_sheet *s, bool warning, const char *reason, const char *text)
{
	struct action *a = job_order(s, DO(TELL, EVENT), s->job.name, text);
	a->warning = warning;
	a->with_status = true;
	a->reason = reason;
}

static bool is_news(const struct job_sheet *s, const struct condition *c)
{
	const struct json *old = condition_find(json_get(s->job.status, "conditions"), c->type);
	return !str_eq(json_str(json_get(old, "reason"), ""), c->reason);
}

/* Emits no Event for a copy in progress or a failed job, which are reported already. */
static void tell_copy(struct job_sheet *s, const struct condition *c)
{
	if (c->status == COND_TRUE)
		tell(s, false, c->reason, c->message);
	else if (!str_eq(c->reason, "Collecting") && !str_eq(c->reason, "JobFailed") &&
		!str_eq(c->reason, "Preparing"))
		tell(s, true, c->reason, c->message);
}

/* A condition without a problem, and a job that waits, cause no Event. */
static void tell_condition(struct job_sheet *s, const struct condition *c)
{
	bool ended = str_eq(c->type, "Ended"), deletion = str_eq(c->type, JOB_TERMINATING);
	bool outcome = str_eq(c->type, JOB_COMPLETE) || str_eq(c->type, JOB_FAILED);
	if (!is_news(s, c) || outcome || (ended && job_is_refused(s)))
		return;
	if (str_eq(c->type, JOB_COLLECTED) || str_eq(c->type, JOB_INPUTS_PREPARED))
		tell_copy(s, c);
	else if (ended && str_eq(c->reason, "Running"))
		tell(s, false, "Started", c->message);
	else if (ended && str_eq(c->reason, JOB_NOWHERE))
		tell(s, true, c->reason, c->message);
	else if (ended && c->status == COND_TRUE)
		tell(s, !str_eq(c->reason, "Succeeded"), c->reason, c->message);
	else if (deletion || (ended && c->status == COND_UNKNOWN))
		tell(s, !deletion, c->reason, c->message);
	else if (!ended && c->status == COND_FALSE)
		tell(s, true, c->reason, c->message);
}

static void tell_submission(struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	const char *id = pod ? pod_annotation(pod, ANNOTATION_JOB_ID) : NULL;
	struct str text AUTO(str_free) = { 0 };
	if (str_empty(id) || !str_empty(old_text(s, "jobId")))
		return;
	str_add(&text, "Slurm has it as job ");
	str_add_foreign(&text, id, 60);
	tell(s, false, "Submitted", arena_strdup(s->arena, str_text(&text)));
}

/*
 * No status is written before the facts are known, or when nothing reads it any more.
 * Steps that need the object unchanged come first, but a refused step does not delay the
 * status.
 */
static bool is_time(const struct job_sheet *s)
{
	bool first = s->step == JOB_KEEP || s->step == JOB_CREATE || s->step == JOB_FINISH;
	if (s->step == JOB_WAIT || s->step == JOB_LEAVE_ALONE)
		return false;
	return !first || s->view->n_failing;
}

void job_publish(struct job_sheet *s)
{
	if (!is_time(s))
		return;
	struct job_conditions all = job_conditions_of(s);
	const char *text = status_patch(s->d, s->arena, s->job.object, status_of(s, &all));
	if (!text)
		return;
	const struct pod_fact *pod = job_pod_of(s);
	struct action *a = job_order(s, (struct operation){ VERB_PATCH_STATUS, s->job.resource },
		s->job.name,
		arena_printf(s->arena, "pod %s is %s", s->pod_name,
			pod ? phase_words[pod->phase] : "not there"));
	a->body = text;
	a->event_failed = "FailedUpdate";
	tell_submission(s);
	for (size_t i = 0; i < all.n; i++)
		tell_condition(s, &all.rows[i]);
}
