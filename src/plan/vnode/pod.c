/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans the step that follows from the facts about a pod, and the time of the next plan.
 */
#include "plan/vnode/pod.h"

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/vnode/partition.h"
#include "plan/vnode/sheet.h"

/* Failures in a row before the status reports them: red-box may just be restarting */
enum { DELAY_FAILURES = 2 };
enum { PAUSE_LEAST_MS = 1000, SOON_MS = 1000, ACCOUNT_MOST = 100 };

/* ---- the step, and the reason for it ---- */

static const char *const whys[] = {
	[VPOD_WAIT] = "a call about it is under way",
	[VPOD_LEAVE] = "nothing is to be done",
	[VPOD_REJECT] = "the pod does not represent a Slurm job",
	[VPOD_ASK_OWNER] = "its owner is read, because it may not request the job any more",
	[VPOD_ASK_POD] = "its owner goes, so the pod is read again",
	[VPOD_AWAIT] = "it is submitted when its inputs are there",
	[VPOD_MARK] = "a submission follows, and a restarted virtual node has to know",
	[VPOD_SUBMIT] = "its job is requested, and Slurm is not known to have it",
	[VPOD_ASK_JOB] = "the state of the job is unknown or old",
	[VPOD_TELL] = "the status follows the job",
	[VPOD_CANCEL] = "the pod is being deleted",
	[VPOD_CLOSE] = "its key is closed, so that no late call submits its job",
	[VPOD_LET_GO] = "it is being deleted, and Slurm has no job of it that could run",
	[VPOD_FORGET] = "it has gone",
};

static void say(struct vpod_plan *out, bool warning, const char *reason, const char *message)
{
	out->event = (struct vpod_event){ reason, message, warning };
}

#define POD_DELETED "PodDeleted"
static const char never_submitted[] =
	"the pod was deleted before its job was in Slurm, so nothing is submitted; to run the job, delete the object and apply it anew";

static const char *rejection(const struct vpod_sheet *s)
{
	const struct vpod_facts *f = &s->facts;
	if (!f->asks)
		return "NotAJob";
	if (f->deleting)
		return POD_DELETED;
	return f->way == VWAY_NONE            ? "NoAccount"
		: f->inputs == VINPUTS_FAILED ? "InputsFailed"
					      : "OwnerGone";
}

static void plan_rejection(struct vpod_sheet *s, struct vpod_plan *out)
{
	const char *reason = rejection(s);
	const char *message = str_eq(reason, "InputsFailed")
		? vpod_annotation(s->pod, ANNOTATION_INPUTS_FAILED)
		: str_eq(reason, "NoAccount")
		? arena_printf(s->arena,
			  "namespace %s has no account of this Slurm, so nothing is submitted; the administrator of the virtual nodes can give it one with --account",
			  metadata_of(s->pod).ns)
		: str_eq(reason, POD_DELETED) ? never_submitted
		: s->facts.asks
		? "the SlurmJob or WlmJob that it stands for is not there any more, so nothing is submitted"
		: arena_printf(s->arena,
			  "virtual node %s runs jobs of Slurm only: a pod is made for a SlurmJob or a WlmJob; keep other pods away from it by their nodeSelector or their tolerations",
			  s->view->node);
	out->body = vpod_end_patch(s, reason, message);
	say(out, true, reason, message);
}

/* The patch for a job that cannot be submitted, or cannot be found. */
static const char *lost_patch(struct vpod_sheet *s, struct vpod_plan *out)
{
	const struct vpod_view *v = s->view;
	bool never = s->facts.deleting && s->facts.job == VJOB_NONE && !s->facts.has_id;
	const char *reason = v->report->refused ? "SubmissionRefused"
		: never                         ? POD_DELETED
						: "JobNotFound";
	const char *message = v->report->refused ? v->report->refused
		: never
		? never_submitted
		: "Slurm does not know the job, and its outcome can never be known; it is not submitted again";
	say(out, true, reason, message);
	return vpod_end_patch(s, reason, message);
}

static bool polls(const struct vpod_sheet *s) { return s->facts.job == VJOB_LIVE; }

/*
 * If the pod reports everything that is known, Slurm is queried again. Slurm is also
 * queried when that is due and the pod was written a moment ago, even if another client
 * has reverted the write.
 */
static void plan_telling(struct vpod_sheet *s, struct vpod_plan *out)
{
	bool shown = s->facts.job == VJOB_LIVE || s->facts.job == VJOB_ENDED;
	int64_t left_ms = s->view->report->asked_ms + VPOD_POLL_MS - s->now_ms;
	out->body = shown ? vpod_status_patch(s) : lost_patch(s, out);
	bool due = polls(s) && left_ms <= 0;
	if (out->body && !(due && vpod_is_recent(s, s->view->object->written_ms, VPOD_WRITE_MS)))
		return;
	out->body = NULL;
	out->step = due ? VPOD_ASK_JOB : VPOD_LEAVE;
	if (polls(s) && left_ms > 0)
		out->again_ms = left_ms;
}

/* Reports once that the inputs are being brought. */
static void plan_waiting(struct vpod_sheet *s, struct vpod_plan *out)
{
	out->body = vpod_await_patch(s);
	if (!out->body)
		out->step = VPOD_LEAVE;
}

/* ---- the time ---- */

/*
 * The step is a submission, or a read for one. Nothing is read while a submission is
 * impossible.
 */
static bool leads_to_submission(const struct vpod_sheet *s, enum vpod_step step)
{
	return step == VPOD_SUBMIT ||
		((step == VPOD_ASK_OWNER || step == VPOD_ASK_POD) && s->facts.there &&
			!s->facts.deleting);
}

static bool needs_red_box(const struct vpod_sheet *s, enum vpod_step step)
{
	return leads_to_submission(s, step) || step == VPOD_ASK_JOB || step == VPOD_CANCEL ||
		step == VPOD_CLOSE;
}

/* Slurm refuses the submission for now. A deletion does not wait for that. */
static bool is_refused_for_now(const struct vpod_sheet *s, enum vpod_step step)
{
	const struct vattempt *a = s->view->attempt;
	return vpod_fails(a, VPOD_SUBMIT) && a->failure && vrefusal_is_for_now(a->failure) &&
		leads_to_submission(s, step);
}

static int64_t pause_of(const struct vpod_sheet *s, enum vpod_step step)
{
	const struct vattempt *a = s->view->attempt;
	int64_t most_ms = is_refused_for_now(s, step) ? VPOD_REFUSED_MOST_MS : VPOD_PAUSE_MOST_MS;
	int64_t ms = PAUSE_LEAST_MS;
	for (int i = 1; i < a->failures && ms < most_ms; i++)
		ms *= 2;
	return ms < most_ms ? ms : most_ms;
}

static void wait_for(struct vpod_plan *out, int64_t ms)
{
	out->step = VPOD_WAIT;
	out->body = NULL;
	out->again_ms = ms;
}

/* The job has ended, and red-box is queried later whether slurmctld has kept the end. */
static bool waits_for_disk(const struct vpod_sheet *s)
{
	return s->facts.job == VJOB_ENDED && (s->facts.looked || !s->facts.ended);
}

/* The owner was read a moment ago, but its script was not kept. */
static bool lacks_script(const struct vpod_sheet *s)
{
	return s->facts.owner == VOWNER_LIVE && !s->facts.ended && !s->facts.has_script;
}

/*
 * Time until the step may be taken. Slurm was queried a moment ago, and the job cannot
 * have changed since. Or the status was just written, and another client reverts it.
 */
static int64_t early_ms(const struct vpod_sheet *s, enum vpod_step step)
{
	const struct vpod_view *v = s->view;
	const struct vobject *o = v->object;
	const struct vreport *r = v->report;
	bool answered = r->asked_ms && r->job != VJOB_UNKNOWN;
	int64_t since = step == VPOD_ASK_OWNER ? v->owner->asked_ms : r->asked_ms;
	if (step == VPOD_MARK)
		return o->marked_ms ? o->marked_ms + VPOD_WRITE_MS - s->now_ms : 0;
	if (step == VPOD_TELL || step == VPOD_AWAIT)
		return o->written_ms ? o->written_ms + VPOD_WRITE_MS - s->now_ms : 0;
	if (step == VPOD_ASK_JOB ? !answered : step != VPOD_ASK_OWNER || !since)
		return 0;
	if (step == VPOD_ASK_OWNER && lacks_script(s))
		return 0;
	if (step == VPOD_ASK_JOB && waits_for_disk(s))
		return r->ended_ms + VPOD_KEPT_MS - s->now_ms;
	if (step == VPOD_ASK_OWNER && s->facts.ended && v->owner->copies)
		return since + VPOD_OWNER_MS - s->now_ms; /* a copy may take hours */
	/* The job of a pod that is being deleted is checked sooner. */
	return since + (step == VPOD_ASK_JOB && s->facts.deleting ? SOON_MS : VPOD_POLL_MS) -
		s->now_ms;
}

static void plan_time(struct vpod_sheet *s, struct vpod_plan *out)
{
	const struct vpod_view *v = s->view;
	bool acts = out->step != VPOD_WAIT && out->step != VPOD_LEAVE && out->step != VPOD_FORGET;
	const struct vattempt *a = v->attempt;
	int64_t paused_ms = a->failures ? a->failed_ms + pause_of(s, out->step) - s->now_ms : 0;
	int64_t wait_ms = early_ms(s, out->step) > paused_ms ? early_ms(s, out->step) : paused_ms;
	if (s->facts.let_go && out->step == VPOD_WAIT && !s->facts.in_flight)
		out->again_ms = v->object->let_go_ms + VPOD_AGAIN_MS - s->now_ms;
	/* No fact about an evicted pod changes when its owner is deleted. */
	if (s->facts.deleting && out->step == VPOD_LEAVE && out->again_ms < 0)
		out->again_ms = VPOD_OWNER_MS;
	if (!acts)
		return;
	if (wait_ms > 0)
		wait_for(out, wait_ms);
	else if (v->partition_gone && leads_to_submission(s, out->step))
		wait_for(out, VPOD_POLL_MS);
	else if (v->red_box_away && needs_red_box(s, out->step))
		wait_for(out, -1); /* planned again when red-box is back */
}

/*
 * A kept script has a slot that other pods may wait for. It is dropped when it is too
 * old, when it is not needed, and when the pod waits for an event.
 */
static bool drops_script(const struct vpod_sheet *s, const struct vpod_plan *out)
{
	const struct vpod_view *v = s->view;
	const struct vpod_facts *f = &s->facts;
	bool fresh = vpod_is_recent(s, v->owner->asked_ms, VPOD_OWNER_MS);
	bool has_job = v->report->job == VJOB_LIVE || v->report->job == VJOB_ENDED;
	bool rests = out->step == VPOD_LEAVE ||
		(out->step == VPOD_WAIT && out->again_ms < 0 && !f->in_flight);
	return f->has_script && (!fresh || has_job || !f->there || f->ended || rests);
}

/* ---- Events ---- */

static void say_disrupted(const struct vpod_sheet *s, struct vpod_plan *out)
{
	const struct vpod_facts *f = &s->facts;
	bool stays = f->owner == VOWNER_LIVE || f->orphaned;
	if (!f->there || !f->begun || !f->deleting || !f->disrupted || f->ended || !stays)
		return;
	const char *how = f->owner == VOWNER_LIVE
		? "Delete the SlurmJob or WlmJob to cancel the job"
		: "It has no SlurmJob or WlmJob any more: to cancel the job, delete the pod by force";
	say(out, true, "Disrupted",
		arena_printf(s->arena,
			"Kubernetes removes the pod; its job in Slurm continues, and the pod stays until the job has ended. %s",
			how));
}

/* The pod names an account that is not here, or its note of an account was removed. */
static const char *lost_account(struct vpod_sheet *s)
{
	const char *account = vpod_foreign(s, s->view->object->account, ACCOUNT_MOST);
	if (!s->pod || vpod_says_account(s->pod, s->view->object->account))
		return arena_printf(s->arena,
			"its job is one of account \"%s\", which has no red-box here: nothing is queried and nothing is submitted until --account-red-box names it again",
			account);
	return arena_printf(s->arena,
		"its condition " CONDITION_JOB_KEY
		" was removed. Its annotation says that its job runs as account \"%s\", but --account does not give its namespace this account: nothing is queried and nothing is submitted until both name the account that Slurm reports for the job",
		account);
}

/* The pod names the red-box that knows its job, and that red-box cannot be queried. */
static void say_account(struct vpod_sheet *s, struct vpod_plan *out)
{
	const struct vpod_view *v = s->view;
	bool waits = out->step == VPOD_WAIT && !s->facts.in_flight;
	if (s->facts.way == VWAY_LOST && out->step == VPOD_LEAVE && !s->facts.ended)
		say(out, true, "AccountUnknown", lost_account(s));
	if (v->red_box_away && !str_empty(v->object->account) && waits)
		say(out, true, "AccountAway",
			arena_printf(s->arena,
				"the red-box of account %s does not answer: nothing is submitted and nothing is cancelled until it does; jobs run on",
				v->object->account));
}

static void plan_saying(struct vpod_sheet *s, struct vpod_plan *out)
{
	const struct vattempt *a = s->view->attempt;
	const char *failure = a->failure ? a->failure : "";
	say_disrupted(s, out);
	bool goes = s->facts.owner == VOWNER_DELETING || s->facts.owner == VOWNER_GONE;
	if (s->facts.taken && !goes && out->step == VPOD_CANCEL)
		say(out, true, "PodRemoved",
			"the pod was removed by force, so its job in Slurm is cancelled; the object gets no further report");
	say_account(s, out);
	if (s->facts.others && out->step == VPOD_LEAVE && !s->facts.ended)
		say(out, true, "RunByOthers",
			"another virtual node has run this pod, and its job id is unknown here: nothing is submitted; ask Slurm for the job");
	if (vpod_fails(a, VPOD_CANCEL))
		say(out, true, "CancelFailed",
			arena_printf(s->arena, "the job is not cancelled yet, so the pod stays: %s",
				failure));
	if (vpod_fails(a, VPOD_CLOSE))
		say(out, true, "CloseFailed",
			arena_printf(s->arena,
				"red-box has not recorded yet that no job is requested any more, so the pod stays: %s",
				failure));
	if (vpod_fails(a, VPOD_SUBMIT))
		say(out, true, "SubmissionDelayed",
			arena_printf(s->arena,
				"it is submitted again with the same key, so that there is only one job: %s",
				failure));
	if (out->step == VPOD_LET_GO && s->facts.begun && !s->facts.ended &&
		s->facts.job == VJOB_LOST)
		say(out, true, "JobNotFound",
			"the pod is deleted, and it is unknown whether its job still runs: look in Slurm");
}

/*
 * The submission failed more than once in a row, so the status says why. Kubernetes
 * forgets an Event after an hour.
 */
static void plan_delay(struct vpod_sheet *s, struct vpod_plan *out)
{
	const struct vpod_facts *f = &s->facts;
	const struct vattempt *a = s->view->attempt;
	bool waits = out->step == VPOD_WAIT && out->again_ms >= 0 && !f->in_flight;
	bool known = f->job == VJOB_LIVE || f->job == VJOB_ENDED || f->has_id;
	if (!waits || known || !f->there || f->ended || f->deleting || !f->begun ||
		!vpod_fails(a, VPOD_SUBMIT) || a->failures < DELAY_FAILURES)
		return;
	if (vpod_is_recent(s, s->view->object->written_ms, VPOD_DELAY_MS))
		return;
	out->body = vpod_delay_patch(s, "SubmissionDelayed", a->failure ? a->failure : "");
	if (out->body)
		out->step = VPOD_TELL;
}

/*
 * If a client removed the pod's note of its submission, the note is written again first.
 * If it was written a moment ago, because the client removes it each time, the job is
 * still followed. But nothing is submitted for a pod without the note. Nor is anything
 * submitted for a pod that reports tasks without the note that another array may follow,
 * because the tasks of that array may have the same ids.
 */
static enum vpod_step step_of(const struct vpod_sheet *s)
{
	const struct vpod_view *v = s->view;
	enum vpod_step step = decide_vpod(&s->facts);
	if (!s->pod || !v->object->begun || s->facts.deleting)
		return step;
	bool unsaid = str_empty(vpod_begun_key(s->pod)) ||
		!vpod_says_account(s->pod, v->object->account);
	bool silent = unsaid ||
		!str_eq(vpod_annotation(s->pod, ANNOTATION_JOB_KEY), v->object->key);
	bool follows = step == VPOD_ASK_JOB || step == VPOD_TELL;
	bool tells = vpod_tells_of_tasks(s->pod) &&
		!varray_is_again(vpod_annotation(s->pod, ANNOTATION_JOB_ENDED));
	bool marks = (step == VPOD_SUBMIT && (silent || tells)) ||
		(follows && silent && !vpod_is_recent(s, v->object->marked_ms, VPOD_WRITE_MS));
	return marks ? VPOD_MARK : step;
}

void vpod_plan(const struct vpod_view *view, struct arena *arena, int64_t now_ms,
	int64_t now_wall_ms, struct vpod_plan *out)
{
	struct vpod_sheet s = {
		.view = view,
		.pod = view->object->pod,
		.arena = arena,
		.d = jdoc_new(arena),
		.now_ms = now_ms,
		.now_wall_ms = now_wall_ms,
	};
	s.facts = vpod_facts_of(&s);
	*out = (struct vpod_plan){ .step = step_of(&s), .again_ms = -1 };
	if (out->step == VPOD_REJECT)
		plan_rejection(&s, out);
	if (out->step == VPOD_AWAIT)
		plan_waiting(&s, out);
	if (out->step == VPOD_MARK)
		out->body = vpod_mark_patch(&s, decide_vpod(&s.facts) == VPOD_SUBMIT);
	if (out->step == VPOD_TELL)
		plan_telling(&s, out);
	plan_time(&s, out);
	plan_saying(&s, out);
	plan_delay(&s, out);
	out->drops_script = drops_script(&s, out);
	out->why = whys[out->step];
}
