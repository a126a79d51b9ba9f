/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the names and addresses of deleted pods for a while. */
#include "engine/store/gone.h"

#include "base/own.h"
#include "base/str.h"
#include "engine/store/groups.h"

enum { ADDRESS_MS = 600000, SWEEP_EVERY = 64 };

struct gone_name {
	char *ns, *name, *address, *second_address;
	int64_t until_ms;         /* of the name; 0: the pod does not matter */
	int64_t address_until_ms; /* of the addresses; 0: the pod had none */
	struct gone_name *next;
	struct member named; /* of gone.by_name */
};

static void drop(struct gone *g, struct gone_name **at)
{
	struct gone_name *n = *at;
	*at = n->next;
	group_leave(&g->by_name, &n->named);
	free(n->ns);
	free(n->name);
	free(n->address);
	free(n->second_address);
	free(n);
}

static void forget(struct gone *g, int64_t now_ms)
{
	struct gone_name **at = &g->names;
	while (*at)
		if ((*at)->until_ms <= now_ms && (*at)->address_until_ms <= now_ms)
			drop(g, at);
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
	bool matters = p && g->matters && g->matters(p);
	if (!p || (!matters && str_empty(p->ip)))
		return;
	int64_t now_ms = loop_now_ms(g->loop);
	struct gone_name *n = own_alloc(sizeof(*n));
	*n = (struct gone_name){
		.ns = own_strdup(p->ns),
		.name = own_strdup(p->name),
		.address = own_strdup(p->ip),
		.second_address = own_strdup(p->second_ip),
		.until_ms = matters ? now_ms + g->keep_ms : 0,
		.address_until_ms = str_empty(p->ip) ? 0 : now_ms + ADDRESS_MS,
		.next = g->names,
	};
	g->names = n;
	group_join(&g->by_name, &n->named, n, n->ns, n->name);
	if (++g->noted % SWEEP_EVERY == 0)
		forget(g, now_ms);
}

void gone_each(const struct gone *g, const char *ns, void (*each)(void *ctx, const char *name),
	void *ctx)
{
	int64_t now_ms = loop_now_ms(g->loop);
	for (const struct gone_name *n = g->names; n; n = n->next)
		if (n->until_ms > now_ms && str_eq(n->ns, ns))
			each(ctx, n->name);
}

bool gone_had(const struct gone *g, const char *ns, const char *name, const char *address)
{
	int64_t now_ms = loop_now_ms(g->loop);
	struct members of_name = { 0 };
	if (!str_empty(address))
		of_name = group_of(g->by_name, ns, name);
	for (size_t i = 0; i < of_name.n; i++) {
		const struct gone_name *n = of_name.list[i].what;
		if (n->address_until_ms > now_ms &&
			(str_eq(n->address, address) || str_eq(n->second_address, address)))
			return true;
	}
	return false;
}

void gone_free(struct gone *g)
{
	while (g->names)
		drop(g, &g->names);
	free(g);
}
