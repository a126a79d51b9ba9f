/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the nodes of Slurm by address and by host name; several nodes may share one. A
 * node is added to the table as soon as Slurm reports it, because plans may look up ten
 * thousand pods in a turn.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

enum { CHAINS_LEAST = 64 };

static uint64_t hash_of_text(const char *text)
{
	return hash_siphash(hash_key(), text, strlen(text));
}

static struct alias **chain_of(const struct slurm_link *l, uint64_t hash)
{
	return &l->alias_chains[hash & (l->n_alias_chains - 1)];
}

/* Each chain is in the order in which its nodes came. */
static void append(const struct slurm_link *l, struct alias *a)
{
	struct alias **chain = chain_of(l, a->hash);
	DL_APPEND(*chain, a);
}

static void grow(struct slurm_link *l)
{
	struct alias **old = l->alias_chains;
	size_t n = old ? l->n_alias_chains : 0;
	l->n_alias_chains = n ? 2 * n : CHAINS_LEAST;
	l->alias_chains = own_alloc(l->n_alias_chains * sizeof(struct alias *));
	for (size_t i = 0; i < n; i++) {
		struct alias *a, *next;
		DL_FOREACH_SAFE(old[i], a, next)
		append(l, a);
	}
	free(old);
}

static void put(struct slurm_link *l, struct node *n, struct alias *a, const char *text)
{
	if (str_empty(text))
		return;
	if (!l->alias_chains || l->n_aliases == l->n_alias_chains)
		grow(l);
	*a = (struct alias){ .hash = hash_of_text(text), .text = text, .node = n };
	append(l, a);
	l->n_aliases++;
}

static void take(struct slurm_link *l, struct alias *a)
{
	if (!a->text)
		return;
	struct alias **chain = chain_of(l, a->hash);
	DL_DELETE(*chain, a);
	a->text = NULL;
	l->n_aliases--;
}

void aliases_put(struct slurm_link *l, struct node *n)
{
	if (!link_node_runs(n->state))
		return;
	put(l, n, &n->by_address, n->address);
	put(l, n, &n->by_hostname, n->hostname);
}

void aliases_take(struct slurm_link *l, struct node *n)
{
	take(l, &n->by_address);
	take(l, &n->by_hostname);
}

static struct node *find(const struct slurm_link *l, const char *text, const char *but)
{
	uint64_t hash = hash_of_text(text);
	for (const struct alias *a = *chain_of(l, hash); a; a = a->next)
		if (a->hash == hash && str_eq(a->text, text) && !str_eq(a->node->name, but))
			return a->node;
	return NULL;
}

struct node *link_node_elsewhere(struct slurm_link *l, const struct slurm_who *who)
{
	const char *const texts[] = { who->address, who->second_address, who->machine, who->name };
	struct node *found = NULL;
	for (size_t i = 0; i < LENGTH(texts) && !found && l->n_aliases; i++)
		if (!str_empty(texts[i]))
			found = find(l, texts[i], who->name);
	return found;
}
