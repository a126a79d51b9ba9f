/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers names of pods that went, for a while. */
#include "engine/gone.h"

#include "base/own.h"
#include "base/str.h"

struct gone_name {
	char *ns, *name;
	int64_t until_ms;
	struct gone_name *next;
};

static void drop(struct gone_name **at)
{
	struct gone_name *n = *at;
	*at = n->next;
	free(n->ns);
	free(n->name);
	free(n);
}

static void forget(struct gone_name **at, int64_t now_ms)
{
	while (*at)
		if ((*at)->until_ms <= now_ms)
			drop(at);
		else
			at = &(*at)->next;
}

struct gone *gone_new(struct loop *loop)
{
	struct gone *g = own_alloc(sizeof(*g));
	g->loop = loop;
	return g;
}

void gone_note(struct gone *g, const struct pod_fact *p)
{
	if (!p || !g->matters || !g->matters(p))
		return;
	int64_t now_ms = loop_now_ms(g->loop);
	struct gone_name *n = own_alloc(sizeof(*n));
	*n = (struct gone_name){ own_strdup(p->ns), own_strdup(p->name), now_ms + g->keep_ms,
		g->names };
	g->names = n;
	forget(&n->next, now_ms);
}

void gone_each(const struct gone *g, const char *ns, void (*each)(void *ctx, const char *name),
	void *ctx)
{
	int64_t now_ms = loop_now_ms(g->loop);
	for (const struct gone_name *n = g->names; n; n = n->next)
		if (n->until_ms > now_ms && str_eq(n->ns, ns))
			each(ctx, n->name);
}

void gone_free(struct gone *g)
{
	while (g->names)
		drop(&g->names);
	free(g);
}
