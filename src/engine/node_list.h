/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nodes of Kubernetes that a label selector matches. While at least one object needs
 * them, one list is requested every 30 s for all objects. While the API server refuses
 * the list, the Nodes are unknown and it is requested every five minutes.
 */
#ifndef ENGINE_NODE_LIST_H
#define ENGINE_NODE_LIST_H

#include "engine/facts.h"
#include "kube/client.h"

struct node_list;

/* Limits of the list that is kept: Nodes, and bytes. */
enum { NODES_MOST = 100, NODES_BYTES = 512 << 10 };

/* Calls changed when the list has changed. Copies selector. */
struct node_list *node_list_new(struct kube *kube, const char *selector, void (*changed)(void *ctx),
	void *ctx);
void node_list_free(struct node_list *l); /* accepts NULL */
/* Sets whether any object needs the list. */
void node_list_wanted(struct node_list *l, bool wanted);
/* The current list; valid until the loop's next turn. */
struct nodes_fact node_list_known(const struct node_list *l);

#endif
