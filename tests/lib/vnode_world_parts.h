/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the world of virtual nodes: what its files say to each other. */
#ifndef TESTS_LIB_VNODE_WORLD_PARTS_H
#define TESTS_LIB_VNODE_WORLD_PARTS_H

#include "lib/vnode_world.h"

struct world_pod *world_pod_of(struct vnode_world *w, const char *name);
/* Merges, and gives it a new version. */
void world_change(struct vnode_world *w, struct json_doc **doc, const struct json *patch);

/* vnode_world_kube.c: answers what is asked of the API server; tells its watches. */
void play_kube(struct vnode_world *w);
void tell_pod(struct vnode_world *w, const struct world_pod *p, const char *type);
void tell_node(struct vnode_world *w, const char *type);

/* vnode_world_box.c: answers what is asked of red-box. */
extern const struct red_box_calls played_calls;
void play_red_box(struct vnode_world *w);

/* The pod of a WlmJob "cow" is "cow-wlm-job": here it goes by "cow-wlm". */
static inline int owner_name_bytes(const char *name)
{
	size_t n = strlen(name);
	return (int)(n > 4 && strcmp(name + n - 4, "-wlm") == 0 ? n - 4 : n);
}

#endif
