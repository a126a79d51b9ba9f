/* SPDX-License-Identifier: Apache-2.0 */
/* The pods for the kubelet API. */
#include "virtual_node/parts.h"
#include "object/metadata.h"

static const char *text(const char *s) { return s ? s : ""; }

/* The path that Slurm reported last, even if that was before this process started. */
static const char *path_of(const struct vpod *p, bool standard_error)
{
	const char *told = standard_error ? p->report.std_err : p->report.std_out;
	return told ? told : vpod_noted_path(p->object.pod, standard_error);
}

static struct kubelet_pod show(const struct vpod *p)
{
	const struct json *pod = p->object.pod;
	const struct json *first = json_item(json_at(pod, "spec", "containers"), 0);
	return (struct kubelet_pod){
		.ns = p->ns,
		.name = p->name,
		.uid = p->uid,
		.node = p->part->node_name,
		.container = json_str(json_get(first, "name"), ""),
		.is_job = p->object.key != NULL,
		.ended = p->report.job == VJOB_ENDED || vpod_has_ended(pod),
		.job_id = p->report.id ? p->report.id : vpod_job_id(pod),
		.key = p->object.begun ? p->object.key : "",
		.std_out = path_of(p, false),
		.std_err = path_of(p, true),
		.owner_resource = p->owner_resource,
		.owner_name = text(p->owner_name),
		.owner_uid = text(p->object.key),
		.start_s = p->report.begun_s,
		.red_box = p->object.way == VWAY_NOTED ? p->box->logs : NULL,
	};
}

bool vnode_find(void *vnode, const char *ns, const char *name, struct kubelet_pod *out)
{
	const struct vnode *v = vnode;
	for (const struct part *part = v->parts; part; part = part->hh.next)
		for (const struct vpod *p = part->pods; p; p = p->hh.next)
			if (p->doc && str_eq(p->ns, ns) && str_eq(p->name, name)) {
				*out = show(p);
				return true;
			}
	return false;
}

void vnode_each(void *vnode, void (*one)(void *ctx, const struct kubelet_pod *p), void *ctx)
{
	const struct vnode *v = vnode;
	for (const struct part *part = v->parts; part; part = part->hh.next)
		for (const struct vpod *p = part->pods; p; p = p->hh.next) {
			struct kubelet_pod shown = show(p);
			if (p->doc)
				one(ctx, &shown);
		}
}
