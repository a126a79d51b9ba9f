/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans one pod: collects its facts, makes the plan, and starts the one call of the plan.
 */
#include <assert.h>

#include "base/own.h"
#include "virtual_node/parts.h"

/* ---- Events ---- */

static struct object_ref about(const struct vpod *p)
{
	bool owned = p->owner_name && p->object.key;
	return (struct object_ref){
		.resource = owned ? p->owner_resource : RES_POD,
		.ns = p->ns,
		.name = owned ? p->owner_name : p->name,
		.uid = owned ? p->object.key : p->uid,
	};
}

/* Emits an Event, unless it equals the last one. */
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

/* ---- facts ---- */

static struct vpod_view view_of(const struct vpod *p)
{
	return (struct vpod_view){
		.object = &p->object,
		.owner = &p->owner,
		.report = &p->report,
		.attempt = &p->attempt,
		.node = p->part->node_name,
		.in_flight = pod_in_flight(p),
		.partition_gone = p->part->listed_ms != p->part->box->answered_ms,
		.red_box_away = p->box->away,
	};
}

static struct vroom room_of(const struct vpod *p, enum vroom_kind kind)
{
	const struct vnode *v = p->part->box->all;
	return (struct vroom){
		.calls = p->box->under_way,
		.calls_of_space = *pod_space_calls(p->space, p->box),
		.slots = v->slots,
		.of_box = p->box->slots,
		.of_space = p->space->slots,
		.box_alone = v->n_boxes == 1,
		.other_space_waits = pod_space_others_wait(v, p->space, kind),
	};
}

static bool finds_room(struct vpod *p, enum vpod_step step)
{
	enum vroom_kind kind = vroom_kind_of(step);
	struct vroom room = room_of(p, kind);
	bool has = vroom_has(&room, kind);
	if (!has)
		pod_space_turned_away(p->part->box->all, p->space, kind);
	return has;
}

/* True if the pod's status has the end of the job, and the pod is not being deleted. */
static bool is_over(const struct vpod *p)
{
	return p->object.pod && vpod_has_ended(p->object.pod) && !p->object.deleted_ms;
}

/* ---- the call ---- */

static void act(struct vpod *p, const struct vpod_plan *plan)
{
	static void (*const acts[])(struct vpod *p) = {
		[VPOD_ASK_OWNER] = pod_ask_owner,
		[VPOD_ASK_POD] = pod_ask_pod,
		[VPOD_SUBMIT] = pod_submit,
		[VPOD_ASK_JOB] = pod_ask_job,
		[VPOD_CANCEL] = pod_cancel,
		[VPOD_CLOSE] = pod_close,
		[VPOD_LET_GO] = pod_let_go,
	};
	attempt_begin(p, plan->step, plan->why);
	if (plan->body)
		pod_write(p, plan->body);
	else if (plan->step < LENGTH(acts) && acts[plan->step])
		acts[plan->step](p);
	assert(!p->call != !p->ask); /* one call, which ends with attempt_over */
}

void pod_turn(void *pod)
{
	struct vpod *p = pod;
	struct loop *loop = p->part->box->all->loop;
	struct arena arena AUTO(arena_free) = { 0 };
	struct vpod_view view = view_of(p);
	struct vpod_plan plan;
	p->timer = NULL;
	vpod_plan(&view, &arena, loop_now_ms(loop), loop_wall_ms(loop), &plan);
	say(p, &plan.event);
	if (plan.drops_script)
		owner_drop_script(p);
	if (plan.step == VPOD_FORGET) {
		pod_free(p);
		return;
	}
	if (plan.step == VPOD_LEAVE && is_over(p))
		report_rest(p);
	if (!finds_room(p, plan.step)) {
		pod_wake(p, VROOM_AGAIN_MS);
		return;
	}
	if (plan.again_ms >= 0)
		pod_wake(p, plan.again_ms);
	if (plan.step != VPOD_WAIT && plan.step != VPOD_LEAVE)
		act(p, &plan);
}
