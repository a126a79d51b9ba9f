/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods that copy data for a job: their creation, their recreation, and their facts.
 */
#include <assert.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "children/collector_pod.h"
#include "json/build.h"
#include "plan/job/sheet.h"

enum {
	PAUSE_MS = 10000,
	PAUSE_MOST_MS = 300000,
	PAUSE_DOUBLINGS = 5,     /* after these doublings, the pause stays the same */
	MOST_ATTEMPTS = 1000000, /* maximum of the counter */
	HOPELESS = 2,            /* exit code of "results" if a retry is useless */
	LOOK_MS = 60000,         /* while a pod copies, its virtual node may move */
	NAME_AGAIN_MS = 30000,   /* the end of another owner's pod triggers no plan */
	/*
	 * Time between checks for a problem that the administrator has to solve; it
	 * grows.
	 */
	SERVER_LEAST_MS = 30000,
	SERVER_MOST_MS = 1800000,
	SERVER_PART = 4,
};

static const struct {
	const char *status; /* member of the status with the number of attempts */
	const char *condition, *does;
} rows[JOB_COPIES] = {
	[JOB_INPUTS] = { "preparer", JOB_INPUTS_PREPARED, "brings the inputs of the job" },
	[JOB_RESULTS] = { "collector", JOB_COLLECTED, "copies the results of the job" },
};

/* ---- facts ---- */

static enum collect_pod pod_of(const struct job_sheet *s, const struct job_copy *c)
{
	const struct pod_fact *p = c->pod;
	if (!p)
		return COLLECT_POD_NONE;
	if (!str_eq(p->controller.uid, s->job.uid))
		return COLLECT_POD_OTHERS;
	return pod_annotation(p, ANNOTATION_COLLECT_ATTEMPT) ? COLLECT_POD_OURS : COLLECT_POD_NODES;
}

/*
 * A service mesh may add a container that never ends. Then the pod keeps running, and the
 * exit code of its first container, which is ours, shows the outcome.
 */
static enum collect_state state_of(const struct pod_fact *p)
{
	bool beside = p->phase == POD_RUNNING && p->exit_code >= 0;
	if (p->phase == POD_SUCCEEDED || (beside && p->exit_code == 0))
		return COLLECT_SUCCEEDED;
	if (p->phase != POD_FAILED && !beside)
		return COLLECT_ACTIVE;
	return p->exit_code == HOPELESS ? COLLECT_HOPELESS : COLLECT_FAILED;
}

/* The end of the job: by its pod, or by the status if there is no pod. */
static enum collect_end end_of(const struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	if (pod && pod->unseen_end)
		return COLLECT_END_UNSEEN;
	if (pod)
		return pod->phase == POD_SUCCEEDED ? COLLECT_END_GOOD
			: pod->phase == POD_FAILED ? COLLECT_END_BAD
						   : COLLECT_END_UNSEEN;
	bool unseen = str_eq(json_str(json_get(s->job.status, "phase"), ""), "Unknown");
	return !job_ended(s) || unseen               ? COLLECT_END_UNSEEN
		: str_eq(s->job.pod_phase, "Failed") ? COLLECT_END_BAD
						     : COLLECT_END_GOOD;
}

static bool is_server(const struct job_server *server)
{
	return str_has_prefix(server->url, "https://") && str_has_prefix(server->key, "sha256//");
}

static enum collect_server server_of(const struct job_server *server)
{
	if (!server->known)
		return COLLECT_SERVER_UNKNOWN;
	return !server->trouble && is_server(server) ? COLLECT_SERVER_THERE : COLLECT_SERVER_NONE;
}

static bool has_moved(const struct pod_fact *p, const struct job_server *server)
{
	const char *url = pod_annotation(p, ANNOTATION_RESULTS_URL),
		   *key = pod_annotation(p, ANNOTATION_RESULTS_KEY);
	return server_of(server) == COLLECT_SERVER_THERE &&
		!(str_eq(url ? url : "", server->url) && str_eq(key ? key : "", server->key));
}

static bool is_collected(const struct job_sheet *s)
{
	return condition_is(condition_find(json_get(s->job.status, "conditions"), JOB_COLLECTED),
		"True");
}

/* ---- the next attempt ---- */

static int64_t attempts_in(const char *text)
{
	int64_t n;
	return text && str_to_i64(text, 0, MOST_ATTEMPTS, &n) ? n : 0;
}

/*
 * Reads the number of attempts, and the start of the pause before the next one. If the
 * clock of a Kubernetes node is behind, a pod ends before its creation. If it is ahead of
 * ours, the pod ends in the future, and the pause is longer by the difference. A time far
 * in the future only means that a clock was set back.
 */
static void read_attempts(struct job_sheet *s, struct job_copy *c, enum collect_pod whose)
{
	const struct pod_fact *p = c->pod;
	const struct json *was = json_get(s->job.status, rows[c->what].status);
	int64_t since_ms = 0, pause_ms = PAUSE_MS;
	if (whose == COLLECT_POD_OURS) {
		c->attempts = attempts_in(pod_annotation(p, ANNOTATION_COLLECT_ATTEMPT));
		since_ms = p->ended_ms > p->created_ms ? p->ended_ms : p->created_ms;
	} else {
		c->attempts = json_i64(json_get(was, "attempts"), 0);
		if (!time_parse(json_str(json_get(was, "lastAttemptTime"), ""), &since_ms))
			since_ms = 0;
	}
	c->attempts = c->attempts < 0 || c->attempts > MOST_ATTEMPTS ? 0 : c->attempts;
	for (int64_t i = 1; i < c->attempts && i <= PAUSE_DOUBLINGS; i++)
		pause_ms *= 2;
	pause_ms = pause_ms < PAUSE_MOST_MS ? pause_ms : PAUSE_MOST_MS;
	bool set_back = since_ms - s->now_wall_ms > PAUSE_MOST_MS;
	c->next_attempt_ms = c->attempts && !set_back ? since_ms + pause_ms : 0;
}

/* ---- the step ---- */

bool job_copy_asked(const struct job_sheet *s, enum job_copy_what what)
{
	return what == JOB_INPUTS ? job_inputs_of(&s->job).asked : job_results_of(&s->job).asked;
}

/* The facts that results and inputs have in common. */
static struct collect_facts facts_of(const struct job_sheet *s, const struct job_copy *c,
	enum collect_pod whose)
{
	const struct job_view *v = s->view;
	const struct pod_fact *pod = job_pod_of(s);
	bool of_object = whose == COLLECT_POD_OURS || whose == COLLECT_POD_NODES;
	return (struct collect_facts){
		.known = v->pods_known && !v->in_short && !s->job.cut,
		.asked = job_copy_asked(s, c->what),
		.begun = s->facts.noted || pod,
		.faulty = c->fault.reason != NULL,
		.image = v->options->image != NULL,
		.job_pod = pod && (!pod->terminating || pod->disrupted),
		.server = server_of(&v->server),
		.pod = whose,
		.state = of_object ? state_of(c->pod) : COLLECT_ACTIVE,
		.pod_busy = of_object && (c->pod->terminating || c->pod->in_flight),
		.moved = of_object && has_moved(c->pod, &v->server),
		.due = s->now_wall_ms >= c->next_attempt_ms,
	};
}

static enum collect_step step_of_results(const struct job_sheet *s, struct collect_facts *f)
{
	f->of_failed = job_results_of(&s->job).of_failed;
	f->done = is_collected(s);
	f->end = end_of(s);
	return decide_collect(f);
}

/*
 * Inputs are brought as soon as the partition of the job's pod is known. They are never
 * brought again when they are there, or after the job was submitted, because the job may
 * read them.
 */
static enum collect_step step_of_inputs(const struct job_sheet *s, struct collect_facts *f)
{
	const struct pod_fact *pod = job_pod_of(s);
	bool bound = pod && !str_empty(pod->node_name);
	f->job_pod = pod; /* a pod that Kubernetes removes stays until its job has run */
	f->done = pod && !job_awaits_inputs(s);
	f->end = bound ? COLLECT_END_GOOD : COLLECT_END_UNSEEN;
	enum collect_step step = pod ? decide_collect(f) : COLLECT_NOTHING;
	bool ended = step == COLLECT_DONE || step == COLLECT_GIVE_UP;
	return f->done && !ended ? COLLECT_NOTHING : step;
}

void job_copies_fill(struct job_sheet *s)
{
	struct job_copy *results = &s->copies[JOB_RESULTS], *inputs = &s->copies[JOB_INPUTS];
	results->pod = s->view->collector;
	results->name = job_collector_name(s->arena, &s->job);
	results->fault = job_results_fault(&s->job, s->view->options);
	inputs->pod = s->view->inputs_pod;
	inputs->name = job_inputs_pod_name(s->arena, &s->job);
	inputs->fault = job_inputs_fault(&s->job, s->view->options);
	for (int i = 0; i < JOB_COPIES; i++) {
		struct job_copy *c = &s->copies[i];
		c->what = i;
		enum collect_pod whose = pod_of(s, c);
		read_attempts(s, c, whose);
		struct collect_facts f = facts_of(s, c, whose);
		c->step = i == JOB_INPUTS ? step_of_inputs(s, &f) : step_of_results(s, &f);
	}
}

bool job_is_collecting(const struct job_sheet *s)
{
	const struct job_copy *c = &s->copies[JOB_RESULTS];
	bool own = c->pod && str_eq(c->pod->controller.uid, s->job.uid);
	return collect_goes_on(c->step) || (own && state_of(c->pod) == COLLECT_ACTIVE);
}

static bool asks_server(const struct job_sheet *s, const struct job_copy *c)
{
	bool ours = pod_of(s, c) == COLLECT_POD_OURS;
	return c->step == COLLECT_ASK || (c->step == COLLECT_COPY && ours);
}

bool job_asks_server(const struct job_sheet *s)
{
	return asks_server(s, &s->copies[JOB_INPUTS]) || asks_server(s, &s->copies[JOB_RESULTS]);
}

/* ---- actions ---- */

static void create(struct job_sheet *s, const struct job_copy *c)
{
	const struct collector pod = {
		.job = &s->job,
		.options = s->view->options,
		.url = s->view->server.url,
		.key = s->view->server.key,
		.attempt = c->attempts < MOST_ATTEMPTS ? c->attempts + 1 : MOST_ATTEMPTS,
		.inputs = c->what == JOB_INPUTS,
	};
	struct action *a = job_order(s, DO(CREATE, POD), c->name,
		arena_printf(s->arena, "pod %s %s", c->name, rows[c->what].does));
	a->body = collector_pod_build(s->d, s->arena, &pod);
	a->event_done = "SuccessfulCreate";
	a->event_failed = "FailedCreate";
}

/*
 * No job depends on this pod: it copies the results of a job that has ended, or the
 * inputs of a job that is not submitted. Its name belongs to this object alone, and the
 * guard limits the deletion to this pod.
 */
static void order_collector_deletion(struct job_sheet *s, const struct job_copy *c)
{
	const struct pod_fact *pod = c->pod;
	assert(c->step == COLLECT_DELETE && str_eq(pod->controller.uid, s->job.uid));
	struct action *a = job_order(s, DO(DELETE, POD), pod->name,
		arena_printf(s->arena, "pod %s is deleted, so that a new pod of this name %s",
			pod->name, rows[c->what].does));
	a->guard = (struct guard){
		.uid = pod->uid,
		.resource_version = pod->resource_version,
	};
	a->event_failed = "FailedDelete";
}

/* A quarter of the time for which the condition has had its status. */
static int64_t look_again_ms(const struct job_sheet *s, const struct job_copy *c)
{
	int64_t since_ms = s->now_wall_ms;
	const struct json *was = condition_find(json_get(s->job.status, "conditions"),
		rows[c->what].condition);
	time_parse(json_str(json_get(was, "lastTransitionTime"), ""), &since_ms);
	int64_t ms = since_ms < s->now_wall_ms ? (s->now_wall_ms - since_ms) / SERVER_PART : 0;
	ms = ms < SERVER_LEAST_MS ? SERVER_LEAST_MS : ms;
	return ms < SERVER_MOST_MS ? ms : SERVER_MOST_MS;
}

static void act(struct job_sheet *s, const struct job_copy *c)
{
	switch (c->step) {
	case COLLECT_CREATE:
		create(s, c);
		break;
	case COLLECT_DELETE:
		order_collector_deletion(s, c);
		break;
	case COLLECT_PAUSE:
		plan_again(s->out, c->next_attempt_ms - s->now_wall_ms + 1);
		break;
	case COLLECT_COPY:
		plan_again(s->out, LOOK_MS);
		break;
	case COLLECT_WAIT_NAME:
		plan_again(s->out, NAME_AGAIN_MS);
		break;
	case COLLECT_NO_SERVER:
	case COLLECT_ASK:
		plan_again(s->out, look_again_ms(s, c));
		break;
	default:
		break;
	}
}

void job_copies_act(struct job_sheet *s)
{
	for (int i = 0; i < JOB_COPIES; i++)
		act(s, &s->copies[i]);
	job_tell_inputs(s);
}

void job_set_attempts(struct job_sheet *s, struct jval *status)
{
	for (int i = 0; i < JOB_COPIES; i++) {
		const struct job_copy *c = &s->copies[i];
		bool own = c->pod && str_eq(c->pod->controller.uid, s->job.uid);
		char made[TIME_RFC3339_BYTES];
		if (!own || !job_copy_asked(s, i) || c->pod->created_ms <= 0 || !c->attempts)
			continue;
		struct jval *list = j_child(s->d, status, rows[i].status);
		time_format(c->pod->created_ms, made);
		j_set_int(s->d, list, "attempts", c->attempts);
		j_set_str(s->d, list, "lastAttemptTime", made);
	}
}
