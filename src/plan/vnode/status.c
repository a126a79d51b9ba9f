/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report of a job into the status of its pod. */
#include <stdlib.h>
#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "json/build.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/vnode/sheet.h"

enum { REASON_MOST = 100, MESSAGE_MOST = 400, NODES_MOST = 2000, PATH_MOST = 4096 };

static const struct {
	const char *phase, *ready;
} phases[] = {
	[VJOB_PENDING] = { "Pending", "ContainersNotReady" },
	[VJOB_RUNNING] = { "Running", NULL },
	[VJOB_SUCCEEDED] = { "Succeeded", "PodCompleted" },
	[VJOB_FAILED] = { "Failed", "PodFailed" },
};

/* ---- small parts ---- */

const char *vpod_foreign(struct vpod_sheet *s, const char *text, size_t most)
{
	struct str plain AUTO(str_free) = { 0 };
	str_add_foreign(&plain, text, most);
	return arena_strdup(s->arena, str_text(&plain));
}

static void set_time(struct vpod_sheet *s, struct jval *o, const char *key, int64_t wall_s)
{
	char text[TIME_RFC3339_BYTES];
	if (wall_s <= 0)
		return;
	time_format(wall_s * 1000, text);
	j_set_str(s->d, o, key, text);
}

/* The first word of a state: "CANCELLED" of "CANCELLED by 1000". */
static const char *word_of(struct vpod_sheet *s, const char *state)
{
	return vpod_foreign(s, arena_strndup(s->arena, state, strcspn(state, " ")), REASON_MOST);
}

static const char *nodes_of(struct vpod_sheet *s, const struct slurm_job_shown *j)
{
	return str_eq(j->nodes, "(null)") ? "" : vpod_foreign(s, j->nodes, NODES_MOST);
}

/* ---- conditions ---- */

static bool has_path(const char *path) { return !str_empty(path) && strlen(path) <= PATH_MOST; }

/* The path stays when Slurm does not report it any more. */
static void add_path(struct vpod_sheet *s, struct jval *list, const char *type, const char *path)
{
	struct condition c = { type, COND_TRUE, "", path };
	if (has_path(path))
		condition_set(s->d, list, json_at(s->pod, "status", "conditions"), &c, 0,
			s->now_wall_ms);
}

/*
 * Writes the conditions. without_key: leaves out CONDITION_JOB_KEY, which the caller
 * adds.
 */
static struct jval *add_conditions(struct vpod_sheet *s, struct jval *status, enum vjob_phase phase,
	bool without_key)
{
	static const char *const all[] = { "Initialized", "ContainersReady", "Ready" };
	const struct vreport *r = s->view->report;
	const char *errors = str_eq(r->std_err, r->std_out) ? NULL : r->std_err;
	const char *ours[] = { all[0], all[1], all[2], NULL, NULL, NULL, NULL };
	size_t n = LENGTH(all);
	const struct json *old = json_at(s->pod, "status", "conditions");
	struct jval *list = j_set(s->d, status, "conditions", j_arr(s->d));
	if (without_key)
		ours[n++] = CONDITION_JOB_KEY;
	if (has_path(r->std_out))
		ours[n++] = CONDITION_JOB_OUTPUT;
	if (has_path(errors))
		ours[n++] = CONDITION_JOB_ERRORS;
	condition_keep_foreign(s->d, list, old, ours);
	for (size_t i = 0; i < LENGTH(all); i++) {
		bool yes = i == 0 || phase == VJOB_RUNNING;
		struct condition c = { all[i], yes ? COND_TRUE : COND_FALSE,
			yes ? "" : phases[phase].ready, "" };
		condition_set(s->d, list, old, &c, 0, s->now_wall_ms);
	}
	add_path(s, list, CONDITION_JOB_OUTPUT, r->std_out);
	add_path(s, list, CONDITION_JOB_ERRORS, errors);
	return list;
}

/* ---- its containers, which all show the state of the job ---- */

static void set_waiting(struct vpod_sheet *s, struct jval *state, const struct vjob_sum *sum)
{
	const char *why = str_empty(sum->of->reason) || str_eq(sum->of->reason, "None")
		? sum->of->state
		: sum->of->reason;
	struct jval *waiting = j_child(s->d, state, "waiting");
	j_set_str(s->d, waiting, "reason", vpod_foreign(s, why, REASON_MOST));
	j_set_str(s->d, waiting, "message",
		arena_printf(s->arena, "job %lld waits in Slurm", (long long)sum->of->id));
}

static void set_running(struct vpod_sheet *s, struct jval *state, const struct vjob_sum *sum)
{
	struct jval *running = j_child(s->d, state, "running");
	set_time(s, running, "startedAt", sum->begun_s);
}

/*
 * slurmstepd ends a job with the signal 53 when it cannot enter the working directory or
 * open the output file (seen with Slurm 24.11.5). No program sent that signal.
 */
static const char *cause_of(struct vpod_sheet *s, const struct slurm_job_shown *job)
{
	const char *path = s->view->report->std_out;
	if (!str_eq(job->exit_code, "0:53"))
		return "";
	return arena_printf(s->arena,
		": its working directory or its output file %s%scould not be opened on the node (0:53 in Slurm): no line of the script ran; the directory must exist before",
		str_empty(path) ? "" : vpod_foreign(s, path, REASON_MOST),
		str_empty(path) ? "" : " ");
}

/* Slurm keeps no record of a task that was cancelled while it waited. */
static const char *missing_of(struct vpod_sheet *s, const struct vjob_sum *sum)
{
	if (!sum->missing)
		return "";
	return arena_printf(s->arena,
		": Slurm shows no end of %lld more tasks of the array: they were cancelled while they waited, or Slurm has forgotten them",
		(long long)sum->missing);
}

/* A client has deleted the pod, and Slurm reports that the job was cancelled. */
static const char *wish_of(const struct vpod_sheet *s, const struct slurm_job_shown *job)
{
	bool cancelled = str_has_prefix(job->state, "CANCELLED");
	return cancelled && vpod_is_to_end(&s->facts)
		? ": its pod was deleted, so the job was cancelled"
		: "";
}

/*
 * The job id as squeue shows it: "4_2" for task 2 of array 4. An older red-box does not
 * send the numbers of tasks.
 */
static const char *number_of(struct vpod_sheet *s, const struct slurm_job_shown *job)
{
	int64_t array, task;
	if (str_to_i64(job->array_id, 1, INT64_MAX, &array) &&
		str_to_i64(job->task, 0, INT32_MAX, &task))
		return arena_printf(s->arena, "%lld_%lld", (long long)array, (long long)task);
	return arena_printf(s->arena, "%lld", (long long)job->id);
}

static void set_terminated(struct vpod_sheet *s, struct jval *state, const struct vjob_sum *sum)
{
	bool well = sum->phase == VJOB_SUCCEEDED;
	const char *nodes = nodes_of(s, sum->of);
	struct jval *t = j_child(s->d, state, "terminated");
	int64_t code = well ? 0 : vjob_exit_code(sum->of->exit_code);
	j_set_int(s->d, t, "exitCode", code);
	j_set_str(s->d, t, "reason", well ? "Job finished" : word_of(s, sum->of->state));
	if (!well)
		j_set_str(s->d, t, "message",
			arena_printf(s->arena, "job %s ended as %s%s%s%s%s%s",
				number_of(s, sum->of), vpod_foreign(s, sum->of->state, REASON_MOST),
				*nodes ? " on " : "", vpod_foreign(s, nodes, MESSAGE_MOST),
				cause_of(s, sum->of), missing_of(s, sum), wish_of(s, sum->of)));
	set_time(s, t, "startedAt", sum->begun_s);
	set_time(s, t, "finishedAt", sum->ended_s);
}

/* Why a job is not in Slurm yet. */
struct delay {
	const char *reason, *message;
};

static void set_delay(struct vpod_sheet *s, struct jval *state, const struct delay *delay)
{
	struct jval *waiting = j_child(s->d, state, "waiting");
	j_set_str(s->d, waiting, "reason", delay->reason);
	j_set_str(s->d, waiting, "message", vpod_foreign(s, delay->message, MESSAGE_MOST));
}

/* Number of times that Slurm has requeued the job; 0 for an array. */
static int64_t requeues_of(const struct vjob_sum *sum)
{
	int64_t n;
	return !sum->array && str_to_i64(sum->of->restarts, 0, INT32_MAX, &n) ? n : 0;
}

/* sum NULL: the job is not in Slurm yet; delay has the reason. */
static void add_container(struct vpod_sheet *s, struct jval *list, const struct json *spec,
	const struct vjob_sum *sum, const struct delay *delay)
{
	struct jval *c = j_push(s->d, list, j_obj(s->d));
	j_set_str(s->d, c, "name", json_str(json_get(spec, "name"), ""));
	j_set_str(s->d, c, "image", json_str(json_get(spec, "image"), ""));
	j_set_str(s->d, c, "imageID", "");
	j_set_int(s->d, c, "restartCount", sum ? requeues_of(sum) : 0);
	j_set_bool(s->d, c, "ready", sum && sum->phase == VJOB_RUNNING);
	j_set_bool(s->d, c, "started", sum && sum->phase == VJOB_RUNNING);
	struct jval *state = j_child(s->d, c, "state");
	if (!sum)
		set_delay(s, state, delay);
	else if (sum->phase == VJOB_PENDING)
		set_waiting(s, state, sum);
	else if (sum->phase == VJOB_RUNNING)
		set_running(s, state, sum);
	else
		set_terminated(s, state, sum);
}

static void add_containers(struct vpod_sheet *s, struct jval *status, const struct vjob_sum *sum,
	const struct delay *delay)
{
	struct jval *list = j_set(s->d, status, "containerStatuses", j_arr(s->d));
	struct json_iter it = json_iter(json_at(s->pod, "spec", "containers"));
	while (json_next(&it))
		add_container(s, list, it.value, sum, delay);
}

/*
 * Removes the statuses of containers that waited. A terminated container stays
 * terminated, because the API server refuses to change that.
 */
static void drop_containers(struct vpod_sheet *s, struct jval *status)
{
	const struct json *list = json_at(s->pod, "status", "containerStatuses");
	struct json_iter it = json_iter(list);
	while (json_next(&it))
		if (!json_is_null(json_at(it.value, "state", "terminated")))
			return;
	if (!json_is_null(list))
		j_set(s->d, status, "containerStatuses", j_null(s->d));
}

/* ---- patches ---- */

/* Sets the time since which a node has the pod. */
static void add_start(struct vpod_sheet *s, struct jval *status)
{
	const char *was = json_str(json_at(s->pod, "status", "startTime"), "");
	if (*was)
		j_set_str(s->d, status, "startTime", was);
	else
		set_time(s, status, "startTime", s->now_wall_ms / 1000);
}

/* Patches this very version of the pod, so that no list loses another client's entry. */
static const char *patch(struct vpod_sheet *s, struct jval *annotations, struct jval *status)
{
	const struct json *pod = s->pod;
	struct metadata m = metadata_of(pod);
	struct jval *p = patch_of(s->d, m.uid, m.resource_version);
	if (annotations)
		j_set(s->d, patch_metadata(s->d, p), "annotations", annotations);
	if (status)
		j_set(s->d, p, "status", status);
	const char *text = j_text(s->d, p);
	return vnode_says(pod, json_parse_in(s->arena, text, strlen(text), SIZE_MAX)) ? NULL : text;
}

/* Adds the account and, if the key may have been used, the key. */
static void add_key(struct vpod_sheet *s, struct jval *list, enum cond_status may_be_used)
{
	const struct json *old = json_at(s->pod, "status", "conditions");
	struct condition c = { CONDITION_JOB_KEY, may_be_used, s->view->object->account,
		may_be_used == COND_TRUE ? s->view->object->key : "" };
	condition_set(s->d, list, old, &c, 0, s->now_wall_ms);
}

const char *vpod_mark_patch(struct vpod_sheet *s, bool submits)
{
	struct jval *annotations = j_obj(s->d), *status = j_obj(s->d);
	static const char *const ours[] = { CONDITION_JOB_KEY, NULL };
	const struct json *old = json_at(s->pod, "status", "conditions");
	struct jval *list = j_set(s->d, status, "conditions", j_arr(s->d));
	condition_keep_foreign(s->d, list, old, ours);
	add_key(s, list, COND_TRUE);
	j_set_str(s->d, annotations, ANNOTATION_JOB_KEY, s->view->object->key);
	if (!str_empty(s->view->object->account))
		j_set_str(s->d, annotations, ANNOTATION_JOB_ACCOUNT, s->view->object->account);
	if (submits && vpod_tells_of_tasks(s->pod))
		j_set_str(s->d, annotations, ANNOTATION_JOB_ENDED,
			varray_again(s->arena, vpod_annotation(s->pod, ANNOTATION_JOB_ENDED)));
	add_start(s, status);
	if (submits)
		drop_containers(s, status); /* the containers waited for inputs */
	return patch(s, annotations, status);
}

/* A pod that was never begun has no startTime. */
const char *vpod_end_patch(struct vpod_sheet *s, const char *reason, const char *message)
{
	struct jval *status = j_obj(s->d);
	j_set_str(s->d, status, "phase", "Failed");
	j_set_str(s->d, status, "reason", reason);
	j_set_str(s->d, status, "message", vpod_foreign(s, message, MESSAGE_MOST));
	add_conditions(s, status, VJOB_FAILED, false);
	drop_containers(s, status);
	return patch(s, NULL, status);
}

/*
 * The patch sets no startTime, because the pod is not begun. Inputs go to the account of
 * the job, so the account is noted before they are brought.
 */
const char *vpod_await_patch(struct vpod_sheet *s)
{
	static const struct delay preparing = { "Preparing",
		"its inputs are being brought to the side of Slurm; nothing is submitted before" };
	struct jval *status = j_obj(s->d);
	j_set_str(s->d, status, "phase", "Pending");
	add_key(s, add_conditions(s, status, VJOB_PENDING, true), COND_FALSE);
	add_containers(s, status, NULL, &preparing);
	return patch(s, NULL, status);
}

const char *vpod_delay_patch(struct vpod_sheet *s, const char *reason, const char *message)
{
	const struct delay delay = { reason, message };
	struct jval *status = j_obj(s->d);
	j_set_str(s->d, status, "phase", "Pending");
	add_conditions(s, status, VJOB_PENDING, false);
	add_containers(s, status, NULL, &delay);
	return patch(s, NULL, status);
}

/* The job id. For an array, the id of the array, which is in each of its records. */
static const char *id_of(struct vpod_sheet *s)
{
	const struct slurm_job_shown *first = &s->view->report->records[0];
	int64_t id;
	return str_to_i64(first->array_id, 1, INT64_MAX, &id)
		? first->array_id
		: arena_printf(s->arena, "%lld", (long long)first->id);
}

/* 0: unknown. For a requeued task Slurm reports the time of the requeue. */
static int64_t first_submit_s(const struct vreport *r, bool never_requeued)
{
	int64_t first = 0;
	for (size_t i = 0; i < r->n_records; i++) {
		const struct slurm_job_shown *j = &r->records[i];
		bool counts = !never_requeued || str_eq(j->restarts, "0");
		if (counts && j->submit_s > 0 && (!first || j->submit_s < first))
			first = j->submit_s;
	}
	return first;
}

/*
 * True if a repeated submission has created another array than the one that the pod
 * reports, which Slurm has lost: it has another id, or was submitted later. Its tasks may
 * have the same ids.
 */
static bool is_another_array(struct vpod_sheet *s)
{
	const char *told = vpod_annotation(s->pod, ANNOTATION_JOB_ID);
	int64_t told_ms;
	if (!varray_is_again(vpod_annotation(s->pod, ANNOTATION_JOB_ENDED)))
		return false;
	if (!str_empty(told) && !str_eq(told, id_of(s)))
		return true;
	return time_parse(vpod_annotation(s->pod, ANNOTATION_JOB_SUBMITTED), &told_ms) &&
		first_submit_s(s->view->report, true) > told_ms / 1000;
}

/* Slurm forgets a failed task, so the pod notes how it failed. */
static void note_failure(struct vpod_sheet *s, struct jval *annotations, bool another)
{
	const struct vreport *r = s->view->report;
	const char *failure = varray_failure(s->arena, r->records, r->n_records);
	if (!str_empty(failure))
		j_set_str(s->d, annotations, ANNOTATION_JOB_FAILURE, failure);
	else if (another)
		j_set(s->d, annotations, ANNOTATION_JOB_FAILURE, j_null(s->d));
}

static struct jval *annotations_of(struct vpod_sheet *s, const struct vjob_sum *sum, bool another)
{
	struct jval *a = j_obj(s->d);
	const char *nodes = nodes_of(s, sum->of);
	j_set_str(s->d, a, ANNOTATION_JOB_ID, id_of(s));
	j_set_str(s->d, a, ANNOTATION_JOB_STATE, word_of(s, sum->of->state));
	if (*nodes)
		j_set_str(s->d, a, ANNOTATION_JOB_NODES, nodes);
	set_time(s, a, ANNOTATION_JOB_SUBMITTED, first_submit_s(s->view->report, false));
	if (sum->array) {
		j_set_str(s->d, a, ANNOTATION_JOB_ARRAY, vjob_counts(s->arena, sum));
		j_set_str(s->d, a, ANNOTATION_JOB_ENDED, sum->ended);
		note_failure(s, a, another);
	} else if (another) {
		j_set(s->d, a, ANNOTATION_JOB_ARRAY, j_null(s->d));
		j_set(s->d, a, ANNOTATION_JOB_ENDED, j_null(s->d));
		j_set(s->d, a, ANNOTATION_JOB_FAILURE, j_null(s->d));
	}
	return a;
}

const char *vpod_status_patch(struct vpod_sheet *s)
{
	const struct vreport *r = s->view->report;
	bool another = is_another_array(s);
	const struct vjob_before before = {
		.counts = another ? "" : vpod_annotation(s->pod, ANNOTATION_JOB_ARRAY),
		.ended = another ? "" : vpod_annotation(s->pod, ANNOTATION_JOB_ENDED),
		.tasks = strtoll(vpod_annotation(s->pod, ANNOTATION_JOB_TASKS), NULL, 10),
	};
	struct vjob_sum sum = vjob_sum_of(s->arena, r->records, r->n_records, &before);
	struct slurm_job_shown forgotten = varray_failed(s->arena,
		another ? "" : vpod_annotation(s->pod, ANNOTATION_JOB_FAILURE));
	struct slurm_job_shown never_ran = varray_never_ran(&r->records[0]);
	if (sum.phase == VJOB_FAILED && vjob_phase_of(sum.of->state) != VJOB_FAILED)
		sum.of = sum.counts[VJOB_FAILED] ? &forgotten : &never_ran;
	struct jval *status = j_obj(s->d);
	j_set_str(s->d, status, "phase", phases[sum.phase].phase);
	add_start(s, status);
	add_conditions(s, status, sum.phase, false);
	add_containers(s, status, &sum, NULL);
	return patch(s, annotations_of(s, &sum, another), status);
}
