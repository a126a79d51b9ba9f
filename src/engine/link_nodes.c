/* What a link knows: the nodes of Slurm, and what is wrong with it. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/link_parts.h"

void link_changed(struct slurm_link *l) { l->config.changed(l->config.ctx, l); }

void link_set_trouble(struct slurm_link *l, const char *text)
{
	size_t n = strlen(text);
	n = n < sizeof(l->trouble) ? n : sizeof(l->trouble) - 1;
	memcpy(l->trouble, text, n);
	l->trouble[n] = '\0';
}

struct node *link_node_find(struct slurm_link *l, const char *name)
{
	struct node *n;
	HASH_FIND_STR(l->nodes, name, n);
	return n;
}

struct node *link_node_make(struct slurm_link *l, const char *name)
{
	struct node *n = link_node_find(l, name);
	if (n)
		return n;
	n = own_alloc(sizeof(*n));
	n->name = own_strdup(name);
	HASH_ADD_KEYPTR(hh, l->nodes, n->name, strlen(n->name), n);
	return n;
}

bool link_node_seen(struct slurm_link *l, const struct slurm_node *seen)
{
	struct node *n = link_node_make(l, seen->name);
	if (n->seen_ms > seen->asked_ms)
		return false;
	n->seen_ms = seen->asked_ms;
	if (n->in_flight_until_ms <= seen->asked_ms)
		n->in_flight_until_ms = 0;
	n->known = YES;
	n->absent_since_ms = 0;
	n->state = seen->state;
	if (!str_eq(n->reason, seen->reason) || !n->reason) {
		free(n->reason);
		n->reason = own_strdup(seen->reason ? seen->reason : "");
	}
	if (!str_eq(n->comment, seen->comment) || !n->comment) {
		free(n->comment);
		n->comment = own_strdup(seen->comment ? seen->comment : "");
	}
	return true;
}

static void node_free(struct slurm_link *l, struct node *n)
{
	HASH_DEL(l->nodes, n);
	free(n->name);
	free(n->reason);
	free(n->comment);
	free(n);
}

void link_nodes_free(struct slurm_link *l)
{
	struct node *n, *next;
	HASH_ITER(hh, l->nodes, n, next) node_free(l, n);
}
