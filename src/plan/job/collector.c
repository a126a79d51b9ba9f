/* SPDX-License-Identifier: Apache-2.0 */
/* The pod that copies the results of a job: made, made anew, and what is known of it. */
#include <assert.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "children/collector_pod.h"
#include "plan/job/sheet.h"

enum {
	PAUSE_MS = 10000,
	PAUSE_MOST_MS = 300000,
	PAUSE_DOUBLINGS = 5,     /* then it is the longest */
	MOST_ATTEMPTS = 1000000, /* that are counted */
	HOPELESS = 2,            /* exit code of "results" when no other try would help */
	LOOK_MS = 60000,         /* while a pod copies, its virtual node may move */
	NAME_AGAIN_MS = 30000,   /* somebody else's pod that goes wakes nobody */
	/* What the administrator has to mend is looked at ever less often. */
	SERVER_LEAST_MS = 30000,
	SERVER_MOST_MS = 1800000,
	SERVER_PART = 4,
};

/* ---- what is known ---- */

static enum collect_pod pod_of(const struct job_sheet *s)
{
	const struct pod_fact *p = s->view->collector;
	if (!p)
		return COLLECT_POD_NONE;
	if (!str_eq(p->controller.uid, s->job.uid))
		return COLLECT_POD_OTHERS;
	return pod_annotation(p, ANNOTATION_COLLECT_ATTEMPT) ? COLLECT_POD_OURS : COLLECT_POD_NODES;
}

static enum collect_state state_of(const struct pod_fact *p)
{
	if (p->phase == POD_SUCCEEDED)
		return COLLECT_SUCCEEDED;
	if (p->phase != POD_FAILED)
		return COLLECT_ACTIVE;
	return p->exit_code == HOPELESS ? COLLECT_HOPELESS : COLLECT_FAILED;
}

/* What its pod says, and behind that the status. */
static enum collect_end end_of(const struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	if (pod && pod->unseen_end)
		return COLLECT_END_UNSEEN;
	if (pod)
		return pod->phase == POD_SUCCEEDED ? COLLECT_END_GOOD
			: pod->phase == POD_FAILED ? COLLECT_END_BAD
						   : COLLECT_END_UNSEEN;
	return !job_ended(s)                         ? COLLECT_END_UNSEEN
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

static bool is_done(const struct job_sheet *s)
{
	return condition_is(condition_find(json_get(s->job.status, "conditions"), JOB_COLLECTED),
		"True");
}

/* ---- when the next one is due ---- */

static int64_t attempts_in(const char *text)
{
	int64_t n;
	return text && str_to_i64(text, 0, MOST_ATTEMPTS, &n) ? n : 0;
}

/*
 * How many were made, and since when the last one has a successor to wait for. A machine
 * whose clock is behind ends a pod before it was made.
 */
static void read_attempts(struct job_sheet *s, enum collect_pod whose)
{
	const struct pod_fact *p = s->view->collector;
	const struct json *was = json_get(s->job.status, "collector");
	int64_t since_ms = 0, pause_ms = PAUSE_MS;
	if (whose == COLLECT_POD_OURS) {
		s->attempts = attempts_in(pod_annotation(p, ANNOTATION_COLLECT_ATTEMPT));
		since_ms = p->ended_ms > p->created_ms ? p->ended_ms : p->created_ms;
	} else {
		s->attempts = json_i64(json_get(was, "attempts"), 0);
		if (!time_parse(json_str(json_get(was, "lastAttemptTime"), ""), &since_ms))
			since_ms = 0;
	}
	s->attempts = s->attempts < 0 || s->attempts > MOST_ATTEMPTS ? 0 : s->attempts;
	for (int64_t i = 1; i < s->attempts && i <= PAUSE_DOUBLINGS; i++)
		pause_ms *= 2;
	pause_ms = pause_ms < PAUSE_MOST_MS ? pause_ms : PAUSE_MOST_MS;
	bool set_back = since_ms > s->now_wall_ms; /* a clock was, and tells nothing */
	s->next_attempt_ms = s->attempts && !set_back ? since_ms + pause_ms : 0;
}

enum collect_step job_collect_step(struct job_sheet *s)
{
	const struct job_view *v = s->view;
	const struct job_results results = job_results_of(&s->job);
	const struct pod_fact *pod = job_pod_of(s);
	enum collect_pod whose = pod_of(s);
	bool of_object = whose == COLLECT_POD_OURS || whose == COLLECT_POD_NODES;
	read_attempts(s, whose);
	s->results_fault = job_results_fault(&s->job, v->options);
	const struct collect_facts facts = {
		.known = v->pods_known && !v->in_short && !s->job.cut,
		.asked = results.asked,
		.begun = s->facts.noted || pod,
		.faulty = s->results_fault.reason != NULL,
		.image = v->options->image != NULL,
		.of_failed = results.of_failed,
		.done = is_done(s),
		.end = end_of(s),
		.job_pod = pod && !pod->terminating,
		.server = server_of(&v->server),
		.pod = whose,
		.state = of_object ? state_of(v->collector) : COLLECT_ACTIVE,
		.pod_busy = of_object && (v->collector->terminating || v->collector->in_flight),
		.moved = of_object && has_moved(v->collector, &v->server),
		.due = s->now_wall_ms >= s->next_attempt_ms,
	};
	return decide_collect(&facts);
}

bool job_is_collecting(const struct job_sheet *s)
{
	const struct pod_fact *p = s->view->collector;
	bool own = p && str_eq(p->controller.uid, s->job.uid);
	return collect_goes_on(s->collect) || (own && state_of(p) == COLLECT_ACTIVE);
}

bool job_asks_server(const struct job_sheet *s)
{
	bool ours = pod_of(s) == COLLECT_POD_OURS;
	return s->collect == COLLECT_ASK || (s->collect == COLLECT_COPY && ours);
}

/* ---- what is done ---- */

static void create(struct job_sheet *s)
{
	const struct collector c = {
		.job = &s->job,
		.options = s->view->options,
		.url = s->view->server.url,
		.key = s->view->server.key,
		.attempt = s->attempts < MOST_ATTEMPTS ? s->attempts + 1 : MOST_ATTEMPTS,
	};
	struct action *a = job_order(s, DO(CREATE, POD), s->collector_name,
		arena_printf(s->arena, "pod %s copies the results of the job", s->collector_name));
	a->body = collector_pod_build(s->d, s->arena, &c);
	a->event_done = "SuccessfulCreate";
	a->event_failed = "FailedCreate";
}

/*
 * No job hangs on this pod: it copies what a job that has ended has left. By its name it
 * is no other one's, and the guard takes this very one.
 */
static void order_collector_deletion(struct job_sheet *s)
{
	const struct pod_fact *pod = s->view->collector;
	assert(s->collect == COLLECT_DELETE && str_eq(pod->controller.uid, s->job.uid));
	struct action *a = job_order(s, DO(DELETE, POD), pod->name,
		arena_printf(s->arena, "pod %s makes room for the next one that copies the results",
			pod->name));
	a->guard = (struct guard){
		.uid = pod->uid,
		.resource_version = pod->resource_version,
	};
	a->event_failed = "FailedDelete";
}

/* A quarter of the time for which it has been so. */
static int64_t look_again_ms(const struct job_sheet *s)
{
	int64_t since_ms = s->now_wall_ms;
	const struct json *was = condition_find(json_get(s->job.status, "conditions"),
		JOB_COLLECTED);
	time_parse(json_str(json_get(was, "lastTransitionTime"), ""), &since_ms);
	int64_t ms = since_ms < s->now_wall_ms ? (s->now_wall_ms - since_ms) / SERVER_PART : 0;
	ms = ms < SERVER_LEAST_MS ? SERVER_LEAST_MS : ms;
	return ms < SERVER_MOST_MS ? ms : SERVER_MOST_MS;
}

void job_collect(struct job_sheet *s)
{
	switch (s->collect) {
	case COLLECT_CREATE:
		create(s);
		break;
	case COLLECT_DELETE:
		order_collector_deletion(s);
		break;
	case COLLECT_PAUSE:
		plan_again(s->out, s->next_attempt_ms - s->now_wall_ms + 1);
		break;
	case COLLECT_COPY:
		plan_again(s->out, LOOK_MS);
		break;
	case COLLECT_WAIT_NAME:
		plan_again(s->out, NAME_AGAIN_MS);
		break;
	case COLLECT_NO_SERVER:
	case COLLECT_ASK:
		plan_again(s->out, look_again_ms(s));
		break;
	default:
		break;
	}
}
