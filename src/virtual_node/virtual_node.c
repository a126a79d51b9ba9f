/* SPDX-License-Identifier: Apache-2.0 */
/* All virtual nodes of one process: start, end, health. */
#include "virtual_node/virtual_node.h"

#include "api/names.h"
#include "base/log.h"
#include "base/own.h"
#include "virtual_node/parts.h"
#include "object/metadata.h"

#define COMPONENT "slurm-virtual-node"
static const char *const components[RES_COUNT] = {
	[RES_POD] = COMPONENT,
	[RES_SLURMJOB] = COMPONENT,
	[RES_WLMJOB] = COMPONENT,
	[RES_OLDER_SLURMJOB] = COMPONENT,
};

/* ---- existing nodes ---- */

static struct part *part_named(const struct vnode *v, const char *name)
{
	struct part *p;
	HASH_FIND_STR(v->parts, name, p);
	return p;
}

/* A partition that Slurm has no more may still have pods whose jobs run. */
static struct part *part_of_node(struct vnode *v, const struct json *node)
{
	const char *name = metadata_of(node).name;
	for (size_t i = 0; i < v->n_boxes; i++) {
		if (v->boxes[i].of)
			continue;
		const char *partition = vnode_partition_of(node, v->boxes[i].cluster);
		struct arena a AUTO(arena_free) = { 0 };
		if (partition && str_eq(vnode_name(&a, v->boxes[i].cluster, partition), name))
			return part_of(&v->boxes[i], partition);
	}
	return NULL;
}

static void list_begin(void *ctx, const char *version) { (void)ctx, (void)version; }

static void upsert(void *ctx, const struct json *node)
{
	struct vnode *v = ctx;
	struct part *p = part_named(v, metadata_of(node).name);
	if (!p)
		p = part_of_node(v, node);
	if (p)
		part_node(p, node);
}

/* The Node was deleted, or lost our label, so it is read again. */
static void removed(void *ctx, const struct json *last)
{
	struct part *p = part_named(ctx, metadata_of(last).name);
	if (!p)
		return;
	p->known = false;
	json_free(TAKE(p->node));
	part_wake(p);
}

static void list_end(void *ctx, const char *version)
{
	struct vnode *v = ctx;
	(void)version;
	v->listed = true;
	v->watch_fails = false;
}

static void connected(void *ctx) { ((struct vnode *)ctx)->watch_fails = false; }

static void trouble(void *ctx, struct err e)
{
	struct vnode *v = ctx;
	if (!v->watch_fails)
		log_warn("nodes cannot be watched", "why", e.text, "remedy", kube_remedy(e));
	v->watch_fails = true;
}

static const struct watch_handler nodes_handler = { list_begin, upsert, removed, list_end,
	connected, trouble };

/* ---- start and end ---- */

static char **copy_texts(const char *const *texts)
{
	size_t n = 0;
	while (texts && texts[n])
		n++;
	char **copy = texts ? own_alloc((n + 1) * sizeof(*copy)) : NULL;
	for (size_t i = 0; i < n; i++)
		copy[i] = own_strdup(texts[i]);
	return copy;
}

static void make_boxes(struct vnode *v, const struct vnode_config *config)
{
	v->n_boxes = config->n_boxes;
	v->boxes = own_alloc(config->n_boxes * sizeof(*v->boxes));
	for (size_t i = 0; i < v->n_boxes; i++) {
		const char *account = config->boxes[i].account;
		v->boxes[i].all = v;
		v->boxes[i].cluster = own_strdup(config->boxes[i].cluster);
		v->boxes[i].account = own_strdup(account ? account : "");
		v->boxes[i].client = config->boxes[i].client;
		v->boxes[i].logs = config->boxes[i].logs;
	}
	for (size_t i = 0; i < v->n_boxes; i++)
		if (!*v->boxes[i].account)
			boxes_know_accounts(v, config, &v->boxes[i]);
	for (size_t i = 0; i < v->n_boxes; i++)
		box_start(&v->boxes[i]);
}

struct vnode *vnode_new(const struct vnode_config *config)
{
	struct vnode *v = own_alloc(sizeof(*v));
	v->kube = config->kube;
	v->loop = config->loop;
	v->calls = config->calls;
	v->pod_turn = pod_turn;
	for (int i = 0; i < VROOM_KINDS; i++)
		v->turned_away_ms[i] = INT64_MIN / 2;
	v->records = (struct budget){ .limit = RECORDS_BYTES, .least = RECORDS_LEAST_BYTES };
	v->events = events_new(config->kube, components);
	v->partitions = copy_texts(config->partitions);
	v->address = own_strdup(config->address);
	v->watch = watch_new(config->kube, RES_NODE, NULL, LABEL_NODE_TYPE "=" NODE_TYPE_VIRTUAL,
		&nodes_handler, v);
	make_boxes(v, config);
	return v;
}

void vnode_free(struct vnode *v)
{
	if (!v)
		return;
	watch_free(v->watch);
	while (v->parts)
		part_free(v->parts);
	for (size_t i = 0; i < v->n_boxes; i++)
		box_stop(&v->boxes[i]);
	events_free(v->events);
	for (size_t i = 0; v->partitions && v->partitions[i]; i++)
		free(v->partitions[i]);
	free(v->partitions);
	free(v->boxes);
	arena_free(&v->accounts_of);
	free(v->address);
	free(v->kubelet_key);
	str_free(&v->trouble);
	free(v);
}

void vnode_listens(void *vnode, int port, const char *public_key)
{
	struct vnode *v = vnode;
	v->kubelet_port = port;
	free(v->kubelet_key);
	v->kubelet_key = own_strdup(public_key);
	for (struct part *p = v->parts; p; p = p->hh.next)
		part_wake(p);
}

/* ---- health ---- */

const char *vnode_trouble(struct vnode *v)
{
	str_clear(&v->trouble);
	if (!v->listed || v->watch_fails)
		str_add(&v->trouble, "the nodes of Kubernetes are not known");
	for (const struct part *p = v->parts; p && !v->trouble.len; p = p->hh.next)
		if (!p->listed || p->watch_fails)
			str_addf(&v->trouble, "the pods of node %s are not known", p->node_name);
	/* A missing red-box of one account does not affect the others. */
	for (size_t i = 0; i < v->n_boxes && !v->trouble.len; i++)
		if (v->boxes[i].away && !v->boxes[i].of)
			str_addf(&v->trouble, "Slurm %s cannot be reached through its red-box",
				v->boxes[i].cluster);
	return str_text(&v->trouble);
}
