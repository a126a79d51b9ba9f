/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nodes of Kubernetes that a label selector chooses, while somebody wishes to know
 * them: a list every 30 s, one for all who ask. Where it is refused nothing is known, and
 * it is asked for every five minutes.
 */
#ifndef ENGINE_NODE_LIST_H
#define ENGINE_NODE_LIST_H

#include "engine/facts.h"
#include "kube/client.h"

struct node_list;

/* It is kept of so many Nodes, and of so many bytes. */
enum { NODES_MOST = 100, NODES_BYTES = 512 << 10 };

/* changed: another list is known than before. selector is copied. */
struct node_list *node_list_new(struct kube *kube, const char *selector, void (*changed)(void *ctx),
	void *ctx);
void node_list_free(struct node_list *l); /* accepts NULL */
/* Somebody asks for it from now on, or nobody does any more. */
void node_list_wanted(struct node_list *l, bool wanted);
/* Until the next turn. */
struct nodes_fact node_list_known(const struct node_list *l);

#endif
