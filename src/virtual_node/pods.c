/* SPDX-License-Identifier: Apache-2.0 */
/* Writes struct vobject: the pods of one partition, from the API server. */
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "virtual_node/parts.h"
#include "object/metadata.h"

static struct vpod *pod_new(struct part *part, const struct json *pod)
{
	struct vpod *p = own_alloc(sizeof(*p));
	struct metadata m = metadata_of(pod);
	p->part = part;
	p->space = pod_space_of(part->box->all, m.ns);
	p->space->pods++;
	p->uid = own_strdup(m.uid);
	p->ns = own_strdup(m.ns);
	p->name = own_strdup(m.name);
	p->object.known_ms = loop_now_ms(part->box->all->loop);
	owner_new(p, pod);
	HASH_ADD_KEYPTR(hh, part->pods, p->uid, strlen(p->uid), p);
	return p;
}

void pod_free(struct vpod *p)
{
	struct vnode *v = p->part->box->all;
	HASH_DEL(p->part->pods, p);
	timer_stop(v->loop, p->timer);
	http_cancel(v->kube->http, p->call);
	if (p->ask) {
		v->calls->call_cancel(p->ask);
		p->asked->under_way--;
		--*pod_space_calls(p->space, p->asked);
	}
	owner_free(p);
	report_free(p);
	pod_space_leave(v, p->space);
	json_free(p->doc);
	char *texts[] = { p->uid, p->ns, p->name, p->told, p->object.key, p->object.account,
		p->attempt.failure };
	for (size_t i = 0; i < LENGTH(texts); i++)
		free(texts[i]);
	free(p);
}

/*
 * Once the key of a pod is begun, it never changes, whatever clients write into the pod.
 */
static void note_key(struct vpod *p, const struct json *pod)
{
	const char *begun = vpod_begun_key(pod);
	const char *key = *begun ? begun : vpod_wanted_key(pod);
	if (*key && !p->object.begun) {
		free(p->object.key);
		p->object.key = own_strdup(key);
	}
	p->object.begun |= *begun != '\0';
	pod_note_account(p, pod);
}

void pods_put(struct part *part, const struct json *pod)
{
	struct metadata m = metadata_of(pod);
	struct vpod *p;
	HASH_FIND_STR(part->pods, m.uid, p);
	if (!p)
		p = pod_new(part, pod);
	p->seen = true;
	/*
	 * A deleted pod does not come back: the answer to one of our calls may be late.
	 */
	if (p->gone || (p->doc && object_version(pod) < object_version(p->object.pod)))
		return;
	if (m.deleting && !p->object.deleted_ms)
		p->object.deleted_ms = loop_now_ms(part->box->all->loop);
	json_free(p->doc);
	p->doc = pod_kept(pod, p->object.begun);
	p->object.pod = json_root(p->doc);
	note_key(p, p->object.pod);
	pod_wake(p, 0);
}

/*
 * The API server deletes an ended pod at once, even if its job was requeued since. So the
 * pod is planned until decide_vpod forgets it. last: the pod at its removal; NULL: a list
 * lacks the pod, so its removal was not seen.
 */
static void has_gone(struct vpod *p, const struct json *last)
{
	p->object.ended = vpod_has_ended(p->object.pod);
	p->object.taken = last && !vpod_is_disrupted(last) && !p->object.ended &&
		!vpod_has_ended(last);
	p->object.pod = NULL;
	p->gone = true;
	if (!p->object.deleted_ms)
		p->object.deleted_ms = loop_now_ms(p->part->box->all->loop);
	owner_is_outdated(p);
	json_free(TAKE(p->doc));
	pod_wake(p, 0);
}

/* ---- the watch ---- */

static void list_begin(void *ctx, const char *version)
{
	struct part *part = ctx;
	(void)version;
	for (struct vpod *p = part->pods; p; p = p->hh.next)
		p->seen = false;
}

static void upsert(void *ctx, const struct json *pod) { pods_put(ctx, pod); }

static void removed(void *ctx, const struct json *last)
{
	struct part *part = ctx;
	struct vpod *p;
	HASH_FIND_STR(part->pods, metadata_of(last).uid, p);
	if (p && !p->gone)
		has_gone(p, last);
}

static void list_end(void *ctx, const char *version)
{
	struct part *part = ctx;
	(void)version;
	part->listed = true;
	part->watch_fails = false;
	for (struct vpod *p = part->pods; p; p = p->hh.next)
		if (!p->seen && !p->gone)
			has_gone(p, NULL);
}

static void connected(void *ctx) { ((struct part *)ctx)->watch_fails = false; }

static void trouble(void *ctx, struct err e)
{
	struct part *part = ctx;
	if (!part->watch_fails)
		log_warn("the pods of a virtual node cannot be watched", "node", part->node_name,
			"why", e.text);
	part->watch_fails = true;
}

const struct watch_handler pods_handler = { list_begin, upsert, removed, list_end, connected,
	trouble };

/* ---- results of writes ---- */

void pod_was_written(struct vpod *p)
{
	int64_t now_ms = loop_now_ms(p->part->box->all->loop);
	if (p->attempt.doing == VPOD_TELL || p->attempt.doing == VPOD_AWAIT)
		p->object.written_ms = now_ms;
	if (p->attempt.doing == VPOD_MARK)
		p->object.marked_ms = now_ms;
}

void pod_was_let_go(struct vpod *p) { p->object.let_go_ms = loop_now_ms(p->part->box->all->loop); }

/* ---- timers ---- */

void pod_wake(struct vpod *p, int64_t ms)
{
	const struct vnode *v = p->part->box->all;
	timer_stop(v->loop, p->timer);
	p->timer = timer_start(v->loop, ms, v->pod_turn, p);
}

void pods_wake(struct part *part)
{
	for (struct vpod *p = part->pods; p; p = p->hh.next)
		pod_wake(p, 0);
}
