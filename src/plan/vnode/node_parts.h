/* SPDX-License-Identifier: Apache-2.0 */
/* State that the files for one plan of a Node share. Private to this folder. */
#ifndef PLAN_VNODE_NODE_PARTS_H
#define PLAN_VNODE_NODE_PARTS_H

#include "json/build.h"
#include "plan/vnode/node.h"
#include "plan/vnode/partition.h"

struct node_sheet {
	const struct vnode_view *view;
	struct arena *arena;
	struct jdoc *d;
	int64_t now_wall_ms;
	enum vnode_trouble trouble;
	const struct wlm_partition *now; /* NULL: not known */
};

/* ---- taints.c ---- */

/* Writes our taints into the spec of the Node. Taints of other owners stay. */
void vnode_add_taints(struct node_sheet *s, struct jval *spec);

#endif
