/* SPDX-License-Identifier: Apache-2.0 */
/* The pods of one partition, as the API server has them. */
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "daemons/vnode/parts.h"
#include "object/metadata.h"

static char *member(const struct json *object, const char *key)
{
	const char *text = json_str(json_get(object, key), "");
	return *text ? own_strdup(text) : NULL;
}

static struct vpod *pod_new(struct part *part, const struct json *pod)
{
	struct vpod *p = own_alloc(sizeof(*p));
	struct metadata m = metadata_of(pod);
	const struct json *owner = controller_of(pod);
	p->part = part;
	p->space = pod_space_of(part->box->all, m.ns);
	p->space->pods++;
	p->uid = own_strdup(m.uid);
	p->ns = own_strdup(m.ns);
	p->name = own_strdup(m.name);
	p->known_ms = loop_now_ms(part->box->all->loop);
	if (*vpod_wanted_key(pod)) {
		p->owner_resource = resource_of_owner(owner);
		p->owner_name = member(owner, "name");
	}
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
	}
	if (p->call && (p->doing == VPOD_ASK_OWNER || p->doing == VPOD_ASK_POD))
		pod_script_over(p);
	pod_drop_script(p);
	pod_space_leave(v, p->space);
	json_free(p->doc);
	arena_free(&p->records_of);
	char *texts[] = { p->uid, p->ns, p->name, p->key, p->owner_name, p->std_out, p->std_err,
		p->refused, p->failure, p->told, p->account };
	for (size_t i = 0; i < LENGTH(texts); i++)
		free(texts[i]);
	free(p);
}

/* The key under which it was begun stays, whatever others write into the pod. */
static void note_key(struct vpod *p, const struct json *pod)
{
	const char *begun = vpod_begun_key(pod);
	const char *key = *begun ? begun : vpod_wanted_key(pod);
	if (*key && !p->begun) {
		free(p->key);
		p->key = own_strdup(key);
	}
	p->begun |= *begun != '\0';
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
	/* What has gone does not come back: an answer of ours may be late. */
	if (p->gone || (p->doc && object_version(pod) < object_version(json_root(p->doc))))
		return;
	if (m.deleting && !p->deleted_ms)
		p->deleted_ms = loop_now_ms(part->box->all->loop);
	json_free(p->doc);
	p->doc = pod_kept(pod);
	note_key(p, json_root(p->doc));
	pod_wake(p, 0);
}

/*
 * What was never begun leaves nothing to do. What has ended may have been run again: the
 * API server takes such a pod away at once.
 */
static void has_gone(struct vpod *p)
{
	p->ended = vpod_has_ended(json_root(p->doc));
	p->gone = true;
	if (!p->deleted_ms)
		p->deleted_ms = loop_now_ms(p->part->box->all->loop);
	p->owner_asked_ms = 0; /* what was read before counts no more */
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
		has_gone(p);
}

static void list_end(void *ctx, const char *version)
{
	struct part *part = ctx;
	(void)version;
	part->listed = true;
	part->watch_fails = false;
	for (struct vpod *p = part->pods; p; p = p->hh.next)
		if (!p->seen && !p->gone)
			has_gone(p);
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

/* ---- turns ---- */

void pod_wake(struct vpod *p, int64_t ms)
{
	struct loop *loop = p->part->box->all->loop;
	timer_stop(loop, p->timer);
	p->timer = timer_start(loop, ms, pod_turn, p);
}

void pods_wake(struct part *part)
{
	for (struct vpod *p = part->pods; p; p = p->hh.next)
		pod_wake(p, 0);
}
