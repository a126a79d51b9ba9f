/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the red-box for a pod: the one of the account of its job. */
#include "base/own.h"
#include "virtual_node/parts.h"

void boxes_know_accounts(struct vnode *v, const struct vnode_config *config, struct box *b)
{
	struct arena *a = &v->accounts_of;
	const char **names = arena_array(a, const char *, v->n_boxes);
	struct vspace *spaces = arena_array(a, struct vspace, config->n_spaces + 1);
	struct vaccounts *all = &b->accounts;
	*all = (struct vaccounts){
		.names = names, .spaces = spaces, .required = config->require_account
	};
	for (size_t i = 0; i < v->n_boxes; i++)
		if (str_eq(v->boxes[i].cluster, b->cluster) && *v->boxes[i].account) {
			names[all->n_names++] = v->boxes[i].account;
			v->boxes[i].of = b;
		}
	for (size_t i = 0; i < config->n_spaces; i++)
		if (str_eq(config->spaces[i].cluster, b->cluster))
			spaces[all->n_spaces++] = (struct vspace){
				arena_strdup(a, config->spaces[i].ns),
				arena_strdup(a, config->spaces[i].account),
			};
}

static struct box *box_of_account(struct box *own, const char *name)
{
	struct vnode *v = own->all;
	for (size_t i = 0; i < v->n_boxes; i++)
		if (v->boxes[i].of == own && str_eq(v->boxes[i].account, name))
			return &v->boxes[i];
	return own;
}

void pod_note_account(struct vpod *p, const struct json *pod)
{
	struct box *own = p->part->box;
	if (p->object.way == VWAY_NOTED)
		return;
	struct vpod_account found = vpod_account_of(pod, &own->accounts);
	bool says = found.way == VWAY_NOTED || found.way == VWAY_LOST;
	bool here = found.way == VWAY_NOTED || found.way == VWAY_MAPPED;
	/* A client may have removed the note from the pod; the pod keeps its account */
	if (p->object.begun && (!says || vpod_is_of_others(pod)))
		return;
	p->object.way = found.way;
	free(p->object.account);
	p->object.account = own_strdup(found.name);
	p->box = here ? box_of_account(own, found.name) : own;
}
