/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nodes of Kubernetes that a label selector chooses, while an object asks for them: a
 * list every 30 s, one for all that ask. While the list is refused nothing is known, and
 * it is requested every five minutes.
 */
#ifndef ENGINE_NODE_LIST_H
#define ENGINE_NODE_LIST_H

#include "engine/facts.h"
#include "kube/client.h"

struct node_list;

/* Limits of the list that is kept: Nodes, and bytes. */
enum { NODES_MOST = 100, NODES_BYTES = 512 << 10 };

/* changed: another list is known than before. selector is copied. */
struct node_list *node_list_new(struct kube *kube, const char *selector, void (*changed)(void *ctx),
	void *ctx);
void node_list_free(struct node_list *l); /* accepts NULL */
/* From now on an object asks for it, or none does any more. */
void node_list_wanted(struct node_list *l, bool wanted);
/* Until the next turn. */
struct nodes_fact node_list_known(const struct node_list *l);

#endif
