/* SPDX-License-Identifier: Apache-2.0 */
/* One pod: its view, its plan, and the one call that follows. */
#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "daemons/vnode/parts.h"
#include "object/metadata.h"

METRIC(deeds_counter, "slurm_operator_virtual_node_deeds_total", METRIC_COUNTER,
	"Calls for pods: mark, submit, ask-job, tell, cancel, close, let-go, ask-owner, "
	"ask-pod, await, reject. The outcome is ok, or the kind of the error as in "
	"slurm_operator_actions_total.",
	"deed,outcome", METRIC_OF_VIRTUAL_NODE);

enum { LASTS = 3 }; /* so many failures in a row are told */

static const char *const words[] = {
	[VPOD_WAIT] = "wait",
	[VPOD_LEAVE] = "leave",
	[VPOD_REJECT] = "reject",
	[VPOD_ASK_OWNER] = "ask-owner",
	[VPOD_ASK_POD] = "ask-pod",
	[VPOD_AWAIT] = "await",
	[VPOD_MARK] = "mark",
	[VPOD_SUBMIT] = "submit",
	[VPOD_ASK_JOB] = "ask-job",
	[VPOD_TELL] = "tell",
	[VPOD_CANCEL] = "cancel",
	[VPOD_CLOSE] = "close",
	[VPOD_LET_GO] = "let-go",
	[VPOD_FORGET] = "forget",
};

/* ---- how it ends ---- */

static void note_failure(struct vpod *p, struct err e)
{
	metric_add(&deeds_counter, 1, words[p->doing], err_kind_name(e.kind));
	free(p->failure);
	p->failure = own_strdup(e.text);
	/* Somebody was faster: what he wrote comes in a moment. */
	bool again = p->failed == p->doing && e.kind != ERR_CONFLICT;
	p->failures = again ? p->failures + 1 : 1;
	p->failed = p->doing;
	p->failed_ms = loop_now_ms(p->part->box->all->loop);
	if (p->failures == LASTS)
		log_warn("a call for a pod fails again and again", "namespace", p->ns, "pod",
			p->name, "deed", words[p->doing], "why", e.text);
	else
		log_debug("a call for a pod has failed", "namespace", p->ns, "pod", p->name, "deed",
			words[p->doing], "why", e.text);
}

void pod_done(struct vpod *p, struct err e)
{
	if (failed(e)) {
		note_failure(p, e);
	} else {
		metric_add(&deeds_counter, 1, words[p->doing], "ok");
		if (p->failed == p->doing) /* the row of failures of another deed goes on */
			p->failures = 0;
	}
	pod_wake(p, 0);
}

/* ---- what is said ---- */

static struct object_ref about(const struct vpod *p)
{
	bool owned = p->owner_name && p->key;
	return (struct object_ref){
		.resource = owned ? p->owner_resource : RES_POD,
		.ns = p->ns,
		.name = owned ? p->owner_name : p->name,
		.uid = owned ? p->key : p->uid,
	};
}

/* The same again is said no more. */
static void say(struct vpod *p, const struct vpod_event *event)
{
	struct str text AUTO(str_free) = { 0 };
	struct object_ref ref = about(p);
	if (!event->reason)
		return;
	str_addf(&text, "%s %s", event->reason, event->message);
	if (str_eq(str_text(&text), p->told))
		return;
	free(p->told);
	p->told = str_take(&text);
	events_emit(p->part->box->all->events, &ref, event->warning, event->reason, event->message);
}

/* ---- what is done ---- */

static struct vpod_view view_of(const struct vpod *p)
{
	bool owned = p->owner_name != NULL; /* else there is nothing to be read */
	return (struct vpod_view){
		.pod = json_root(p->doc),
		.key = p->key,
		.node = p->part->node_name,
		.begun = p->begun,
		.ended = p->ended,
		.in_flight = p->call || p->ask,
		.partition_gone = p->part->listed_ms != p->part->box->answered_ms,
		.red_box_away = p->box->away,
		.way = p->way,
		.account = p->account,
		.owner = owned ? p->owner : VOWNER_GONE,
		.owner_told = p->owner_told,
		.owner_copies = p->owner_copies,
		.owner_orphans = p->owner_orphans,
		.owner_prepares = p->owner_prepares,
		.pod_read = p->pod_read,
		.script = p->owner_doc,
		.owner_asked_ms = owned ? p->owner_asked_ms : loop_now_ms(p->part->box->all->loop),
		.job = p->job,
		.job_asked_ms = p->job_asked_ms,
		.ended_ms = p->ended_ms,
		.records = p->records,
		.n_records = p->n_records,
		.job_id = p->job_id,
		.missing = p->missing,
		.known_ms = p->known_ms,
		.deleted_ms = p->deleted_ms,
		.submitted_ms = p->submitted_ms,
		.cancelled_ms = p->cancelled_ms,
		.closed_ms = p->closed_ms,
		.let_go_ms = p->let_go_ms,
		.written_ms = p->written_ms,
		.marked_ms = p->marked_ms,
		.refused = p->refused,
		.failed = p->failed,
		.failure = p->failure,
		.failures = p->failures,
		.failed_ms = p->failed_ms,
	};
}

static struct vroom room_of(const struct vpod *p, enum vroom_kind kind)
{
	const struct vnode *v = p->part->box->all;
	return (struct vroom){
		.calls = p->box->under_way,
		.slots = v->scripts,
		.of_box = p->box->scripts,
		.of_space = p->space->scripts,
		.box_alone = v->n_boxes == 1,
		.other_space_waits = kind == VROOM_SLOT && pod_space_others_wait(v, p->space),
	};
}

static bool finds_room(struct vpod *p, enum vpod_step step)
{
	enum vroom_kind kind = vroom_kind_of(step);
	struct vroom room = room_of(p, kind);
	bool has = vroom_has(&room, kind);
	if (!has && kind == VROOM_SLOT)
		p->space->turned_away_ms = loop_now_ms(p->part->box->all->loop);
	return has;
}

static void act(struct vpod *p, const struct vpod_plan *plan)
{
	static void (*const deeds[])(struct vpod *p) = {
		[VPOD_ASK_OWNER] = pod_ask_owner,
		[VPOD_ASK_POD] = pod_ask_pod,
		[VPOD_SUBMIT] = pod_submit,
		[VPOD_ASK_JOB] = pod_ask_job,
		[VPOD_CANCEL] = pod_cancel,
		[VPOD_CLOSE] = pod_close,
		[VPOD_LET_GO] = pod_let_go,
	};
	p->doing = plan->step;
	p->sent_ms = loop_now_ms(p->part->box->all->loop);
	if (plan->body)
		pod_write(p, plan->body);
	else if (plan->step < LENGTH(deeds) && deeds[plan->step])
		deeds[plan->step](p);
}

static void note(const struct vpod *p, const struct vpod_plan *plan)
{
	if (plan->step == VPOD_ASK_JOB || plan->step == VPOD_ASK_OWNER ||
		plan->step == VPOD_ASK_POD)
		log_debug(plan->why, "namespace", p->ns, "pod", p->name, "deed", words[plan->step]);
	else
		log_info(plan->why, "namespace", p->ns, "pod", p->name, "deed", words[plan->step],
			"key", p->key);
}

void pod_turn(void *pod)
{
	struct vpod *p = pod;
	struct vnode *v = p->part->box->all;
	struct arena arena AUTO(arena_free) = { 0 };
	struct vpod_view view = view_of(p);
	struct vpod_plan plan;
	p->timer = NULL;
	vpod_plan(&view, &arena, loop_now_ms(v->loop), loop_wall_ms(v->loop), &plan);
	say(p, &plan.event);
	if (plan.drops_script)
		pod_drop_script(p);
	if (plan.step == VPOD_FORGET) {
		pod_free(p);
		return;
	}
	if (!finds_room(p, plan.step)) {
		pod_wake(p, VROOM_AGAIN_MS);
		return;
	}
	if (plan.again_ms >= 0)
		pod_wake(p, plan.again_ms);
	if (plan.step == VPOD_WAIT || plan.step == VPOD_LEAVE)
		return;
	note(p, &plan);
	act(p, &plan);
}
