/* SPDX-License-Identifier: Apache-2.0 */
/* One partition: plans and writes its Node object. */
#include "virtual_node/parts.h"

#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "object/metadata.h"

enum { AGAIN_MS = 5000 }; /* after a failed write */

static void turn(void *part);

void part_wake(struct part *p)
{
	struct loop *loop = p->box->all->loop;
	timer_stop(loop, p->timer);
	p->timer = timer_start(loop, 0, turn, p);
}

/* ---- facts ---- */

void part_node(struct part *p, const struct json *node)
{
	if (node && p->node && object_version(node) < object_version(json_root(p->node)))
		return;
	json_free(p->node);
	p->node = node ? json_copy(node) : NULL;
	p->known = true;
	part_wake(p);
}

/*
 * After a change of the partition, submits at once the jobs that Slurm refused for now.
 */
static void pods_try_again(struct part *part)
{
	for (struct vpod *p = part->pods; p; p = p->hh.next) {
		struct vattempt *a = &p->attempt;
		bool refused = a->failures && a->failed == VPOD_SUBMIT;
		if (refused && vrefusal_is_for_now(a->failure)) {
			attempt_forgive(p);
			pod_wake(p, 0);
		}
	}
}

static const struct wlm_partition *partition_kept(struct arena *a, const struct wlm_partition *of)
{
	struct wlm_partition *p = arena_array(a, struct wlm_partition, 1);
	*p = *of;
	const char **texts[] = { &p->state, &p->allow_accounts, &p->deny_accounts, &p->allow_groups,
		&p->allow_qos, &p->deny_qos };
	for (size_t i = 0; i < LENGTH(texts); i++)
		*texts[i] = arena_strdup(a, *texts[i]);
	return p;
}

void part_resources(struct part *p, const struct wlm_resources *r, int64_t asked_ms)
{
	struct arena before = p->resources_of;
	enum vpartition was = vpartition_of(p->resources ? p->resources->now : NULL);
	p->resources_of = (struct arena){ 0 };
	struct arena *a = &p->resources_of;
	struct wlm_feature *features = arena_array(a, struct wlm_feature, r->n_features + 1);
	for (size_t i = 0; i < r->n_features; i++)
		features[i] = (struct wlm_feature){ arena_strdup(a, r->features[i].name),
			arena_strdup(a, r->features[i].version), r->features[i].quantity };
	p->resources = arena_array(a, struct wlm_resources, 1);
	*p->resources = *r;
	p->resources_ms = asked_ms;
	p->resources->features = features;
	p->resources->now = r->now ? partition_kept(a, r->now) : NULL;
	arena_free(&before);
	if (vpartition_of(p->resources->now) != was)
		pods_try_again(p);
	part_wake(p);
}

/* ---- writes ---- */

static void note_failure(struct part *p, struct err e)
{
	bool news = failed(e) && !str_eq(e.text, p->failure);
	if (news)
		log_warn("the virtual node is not written", "node", p->node_name, "why", e.text,
			"remedy", kube_remedy(e));
	if (!failed(e) && p->failure)
		log_info("the virtual node is written again", "node", p->node_name);
	free(p->failure);
	p->failure = failed(e) ? own_strdup(e.text) : NULL;
}

/* After a conflict, the Node is read again first. */
static void answered(void *part, struct err e, const struct json *node, int64_t retry_after_ms)
{
	struct part *p = part;
	bool other = e.kind == ERR_NOT_FOUND || e.kind == ERR_EXISTS || e.kind == ERR_CONFLICT;
	(void)retry_after_ms;
	p->call = NULL;
	if (!failed(e) && (p->doing == VNODE_REPORT || p->doing == VNODE_CREATE))
		p->reported_ms = loop_now_ms(p->box->all->loop);
	if (!failed(e) && p->doing != VNODE_LEAVE)
		p->written_ms = loop_now_ms(p->box->all->loop);
	if (!failed(e)) {
		part_node(p, node);
	} else if (e.kind == ERR_NOT_FOUND && p->doing == VNODE_LEAVE) {
		part_node(p, NULL);
		e = OK;
	} else {
		p->known = p->known && !other;
		timer_stop(p->box->all->loop, p->timer);
		p->timer = timer_start(p->box->all->loop, AGAIN_MS, turn, p);
	}
	note_failure(p, other ? OK : e);
}

static void send(struct part *p, enum vnode_step step, const char *method, const char *subresource,
	const char *body)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct kube_request r = {
		.method = method,
		.path = resource_path(&a, RES_NODE, NULL,
			step == VNODE_CREATE ? NULL : p->node_name, subresource),
		.patch = str_eq(method, "PATCH") ? PATCH_MERGE : PATCH_NONE,
		.body = body,
		.timeout_ms = KUBE_MS,
	};
	p->doing = step;
	p->call = kube_send(p->box->all->kube, &r, answered, p);
}

static void act(struct part *p, const struct vnode_plan *plan)
{
	static const struct {
		const char *method, *subresource;
	} rows[] = {
		[VNODE_CREATE] = { "POST", NULL },
		[VNODE_PATCH] = { "PATCH", NULL },
		[VNODE_REPORT] = { "PATCH", "status" },
	};
	if (plan->step == VNODE_REFUSE)
		note_failure(p,
			err_new(ERR_EXISTS,
				"%s: delete that node, or serve this Slurm under another name",
				plan->why));
	if (!plan->body)
		return;
	log_info("writing a virtual node", "node", p->node_name, "why", plan->why);
	send(p, plan->step, rows[plan->step].method, rows[plan->step].subresource, plan->body);
}

static void turn(void *part)
{
	struct part *p = part;
	const struct vnode *v = p->box->all;
	struct arena arena AUTO(arena_free) = { 0 };
	struct vnode_view view = {
		.name = p->node_name,
		.cluster = p->box->cluster,
		.partition = p->name,
		.known = p->known,
		.in_flight = p->call,
		.node = json_root(p->node),
		.red_box_away = p->box->away,
		.answered_ms = p->box->answered_ms,
		.listed_ms = p->listed_ms,
		.resources = p->resources,
		.address = v->address,
		.port = v->kubelet_port,
		.public_key = v->kubelet_key,
		.slurm_version = p->box->version,
		.reported_ms = p->reported_ms,
		.written_ms = p->written_ms,
	};
	struct vnode_plan plan;
	p->timer = NULL;
	if (!p->known && !p->call) {
		send(p, VNODE_LEAVE, "GET", NULL, NULL);
		return;
	}
	vnode_plan(&view, &arena, loop_now_ms(v->loop), loop_wall_ms(v->loop), &plan);
	if (plan.again_ms >= 0)
		p->timer = timer_start(v->loop, plan.again_ms, turn, p);
	act(p, &plan);
}

/* ---- creation and removal ---- */

static struct part *part_new(struct box *b, const char *partition, const char *node_name)
{
	struct part *p = own_alloc(sizeof(*p));
	struct str fields AUTO(str_free) = { 0 };
	p->box = b;
	p->name = own_strdup(partition);
	p->node_name = own_strdup(node_name);
	p->listed_ms = b->answered_ms;
	HASH_ADD_KEYPTR(hh, b->all->parts, p->node_name, strlen(p->node_name), p);
	str_addf(&fields, "spec.nodeName=%s", node_name);
	p->watch = watch_new_by_fields(b->all->kube, RES_POD, str_text(&fields), &pods_handler, p);
	part_lease_start(p);
	part_wake(p);
	log_info("a virtual node is served", "node", node_name, "partition", partition, "cluster",
		b->cluster);
	return p;
}

struct part *part_of(struct box *b, const char *partition)
{
	struct arena a AUTO(arena_free) = { 0 };
	const char *node_name = vnode_name(&a, b->cluster, partition);
	struct part *p;
	HASH_FIND_STR(b->all->parts, node_name, p);
	if (!p)
		return part_new(b, partition, node_name);
	return p->box == b && str_eq(p->name, partition) ? p : NULL;
}

void part_free(struct part *p)
{
	struct vnode *v = p->box->all;
	HASH_DEL(v->parts, p);
	watch_free(p->watch);
	while (p->pods)
		pod_free(p->pods);
	timer_stop(v->loop, p->timer);
	timer_stop(v->loop, p->lease_timer);
	http_cancel(v->kube->http, p->call);
	http_cancel(v->kube->http, p->lease_call);
	json_free(p->node);
	arena_free(&p->resources_of);
	free(p->failure);
	free(p->name);
	free(p->node_name);
	free(p);
}
