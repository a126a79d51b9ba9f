/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a job: its finalizer, its pod, its end. */
#include "plan/job/plan.h"

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "children/job_pod.h"
#include "json/build.h"
#include "object/metadata.h"
#include "plan/job/sheet.h"

enum {
	NAME_AGAIN_MS = 30000,  /* the end of another owner's pod triggers no plan */
	LATER_MOST_MS = 3600000 /* the clock may be set meanwhile */
};

static struct operation on_object(const struct job_sheet *s, enum verb verb)
{
	return (struct operation){ verb, s->job.resource };
}

/* ---- the steps ---- */

static void order_finalizer(struct job_sheet *s, bool with)
{
	struct jval *body = patch_of(s->d, s->job.uid, s->job.resource_version);
	patch_finalizer(s->d, body, s->job.object, FINALIZER_JOB, with);
	struct action *a = job_order(s, on_object(s, VERB_PATCH), s->job.name,
		with ? "its job in Slurm is to be cancelled before it goes"
		     : "nothing is left of it that could run in Slurm");
	a->body = j_text(s->d, body);
	bool stays = s->job.orphaning && job_pod_of(s);
	a->guard.read = with || stays ? READ_NOTHING : READ_NO_POD;
	a->guard.pod = s->pod_name;
	a->event_failed = "FailedUpdate";
}

static void keep(struct job_sheet *s) { order_finalizer(s, true); }
static void finish(struct job_sheet *s) { order_finalizer(s, false); }

static void create(struct job_sheet *s)
{
	struct sbatch_wishes wishes;
	if (failed(job_wishes(&s->job, &wishes)))
		return; /* fault_of reports that */
	struct action *a = job_order(s, DO(CREATE, POD), s->pod_name,
		arena_printf(s->arena, "pod %s stands for the job in Slurm", s->pod_name));
	a->body = job_pod_build(s->d, s->arena, &s->job, &wishes);
	a->guard = (struct guard){
		.uid = s->job.uid,
		.resource_version = s->job.resource_version,
		.read = READ_PLANNED,
	};
	a->event_done = "SuccessfulCreate";
	a->event_failed = "FailedCreate";
}

static struct action *let_pod_go(struct job_sheet *s)
{
	struct action *a = job_let_pod_go(s->out, s->d, s->view->pod);
	a->event_failed = "FailedUpdate";
	return a;
}

/* The status of an object that stays reports the end of the pod before its release. */
static void let_go(struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	bool over = pod && pod_phase_over(pod->phase) && !pod->unseen_end;
	bool tells = !s->job.deleting && (over || job_is_unplaced(s));
	if (!tells || job_ended(s))
		let_pod_go(s);
}

/*
 * The pod of a former object of this name. That object is gone: the present object has
 * its name, and is read right before the release.
 */
static bool is_of_one_before(const struct job_sheet *s, const struct pod_fact *pod)
{
	return pod->terminating && pod->unreported_at >= 0 &&
		pod->controller.resource == s->job.resource &&
		str_eq(pod->controller.name, s->job.name);
}

static void wait_for_name(struct job_sheet *s)
{
	plan_again(s->out, NAME_AGAIN_MS);
	if (!is_of_one_before(s, s->view->pod))
		return;
	let_pod_go(s)->guard = (struct guard){
		.uid = s->job.uid,
		.resource_version = s->job.resource_version,
		.read = READ_PLANNED,
	};
}

static void (*const steps[])(struct job_sheet *s) = {
	[JOB_WAIT] = NULL,
	[JOB_REFUSE] = NULL,
	[JOB_WAIT_NAME] = wait_for_name,
	[JOB_KEEP] = keep,
	[JOB_CREATE] = create,
	[JOB_NOTE] = NULL, /* the status does that */
	[JOB_LET_POD_GO] = let_go,
	[JOB_MIRROR] = NULL,
	[JOB_LOST] = NULL,
	[JOB_DELETE_POD] = order_job_pod_deletion,
	[JOB_WAIT_POD] = NULL,
	[JOB_FINISH] = finish,
	[JOB_LEAVE_ALONE] = NULL,
};

/* ---- after its end ---- */

/* Time when the status first reported the end; 0: it does not. */
static int64_t end_told_ms(const struct job_sheet *s)
{
	int64_t ms = 0;
	const struct json *ended = condition_find(json_get(s->job.status, "conditions"), "Ended");
	if (!job_ended(s) || !condition_is(ended, "True"))
		return 0;
	return time_parse(json_str(json_get(ended, "lastTransitionTime"), ""), &ms) ? ms : 0;
}

static bool is_settled(const struct job_sheet *s)
{
	return s->step == JOB_MIRROR || s->step == JOB_LOST;
}

/* Deletes the object when spec.ttlSecondsAfterFinished is over. */
static void delete_in_time(struct job_sheet *s)
{
	int64_t told_ms = end_told_ms(s), gone_s = (s->now_wall_ms - told_ms) / 1000;
	gone_s = gone_s > 0 ? gone_s : 0; /* the clock was set back */
	if (s->job.ttl_s < 0 || !told_ms || !is_settled(s) || job_is_collecting(s))
		return;
	if (gone_s < s->job.ttl_s) {
		int64_t left_s = s->job.ttl_s - gone_s;
		plan_again(s->out, left_s < LATER_MOST_MS / 1000 ? left_s * 1000 : LATER_MOST_MS);
		return;
	}
	struct action *a = job_order(s, on_object(s, VERB_DELETE), s->job.name,
		arena_printf(s->arena,
			"the job ended %lld s ago, and spec.ttlSecondsAfterFinished is %lld",
			(long long)gone_s, (long long)s->job.ttl_s));
	a->guard = (struct guard){
		.uid = s->job.uid,
		.resource_version = s->job.resource_version,
	};
	a->event_failed = "FailedDelete";
}

/* ---- all of it ---- */

/*
 * An object that has a pod was valid when the pod was created. If only a part of the
 * object, or of its namespace, is known, no pod is created.
 */
static struct job_fault fault_of(const struct job_sheet *s)
{
	if (s->facts.noted || s->facts.pod == JOB_POD_OURS)
		return (struct job_fault){ 0 };
	if (!s->view->in_short) {
		struct job_fault fault = job_fault_of(&s->job);
		if (!fault.reason)
			fault = job_results_fault(&s->job, s->view->options);
		return fault.reason ? fault : job_inputs_fault(&s->job, s->view->options);
	}
	return (struct job_fault){ "NamespaceTooLarge",
		err_new(ERR_INVALID,
			"the objects of namespace %s need more of the manager's memory than their share; nothing is made of this one until others have their pods, are smaller or deleted",
			s->job.ns) };
}

/*
 * A creation that an earlier manager sent may arrive after the object is gone. Then no
 * plan of the object would remove the pod's finalizer.
 */
static bool may_come(const struct job_sheet *s)
{
	return s->view->may_come && s->job.deleting && s->job.has_finalizer && !s->view->pod &&
		str_empty(s->job.pod_phase);
}

/* A change of another owner's pod, or of its creation, triggers no plan here. */
static bool waits_for_others(const struct job_sheet *s)
{
	return s->step == JOB_WAIT && s->view->pod && s->facts.pod != JOB_POD_OURS;
}

static enum job_pod pod_of(const struct pod_fact *pod, bool ours)
{
	if (!pod)
		return JOB_POD_NONE;
	if (ours)
		return JOB_POD_OURS;
	bool orphaned = pod->unreported_at >= 0 && str_empty(pod->controller.uid);
	return orphaned ? JOB_POD_ORPHANED : JOB_POD_OTHERS;
}

static struct job_facts facts_of(const struct job_sheet *s)
{
	const struct job_view *v = s->view;
	const struct pod_fact *pod = v->pod;
	bool ours = pod && str_eq(pod->controller.uid, s->job.uid),
	     held = pod && pod->unreported_at >= 0;
	return (struct job_facts){
		.known = v->pods_known,
		.in_flight = v->in_flight || v->pod_overtaken || (pod && pod->in_flight) ||
			may_come(s),
		.deleting = s->job.deleting,
		.orphaning = s->job.orphaning,
		.kept = s->job.has_finalizer,
		.noted = !str_empty(s->job.pod_phase),
		.pod = pod_of(pod, ours),
		.pod_held = held,
		.pod_ending = ours && pod->terminating,
	};
}

static void fill(struct job_sheet *s)
{
	job_read(s->view->resource, s->view->object, &s->job);
	s->pod_name = job_pod_name(s->arena, &s->job);
	s->facts = facts_of(s);
	s->fault = fault_of(s);
	s->facts.faulty = s->fault.reason != NULL;
	s->step = decide_job(&s->facts);
	job_copies_fill(s);
}

const char *job_wants_node(const struct job_view *view, int64_t now_wall_ms, struct arena *a)
{
	struct job_sheet s = { .view = view, .now_wall_ms = now_wall_ms, .arena = a };
	fill(&s);
	return is_settled(&s) && job_pod_of(&s) && job_asks_server(&s) ? job_pod_of(&s)->node_name
								       : NULL;
}

void job_plan(const struct job_view *view, int64_t now_wall_ms, struct plan *out)
{
	struct job_sheet s = {
		.view = view,
		.now_wall_ms = now_wall_ms,
		.out = out,
		.arena = out->arena,
		.d = jdoc_new(out->arena),
	};
	fill(&s);
	if (may_come(&s) || waits_for_others(&s))
		plan_again(out, NAME_AGAIN_MS);
	if (steps[s.step])
		steps[s.step](&s);
	if (is_settled(&s))
		job_copies_act(&s);
	delete_in_time(&s);
	out->asks_nodes = job_asks_nodes(&s);
	job_publish(&s);
}
