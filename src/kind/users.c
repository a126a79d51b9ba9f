/* SPDX-License-Identifier: Apache-2.0 */
/* The NodeSets that name a Cluster. */
#include "kind/users.h"

#include "base/str.h"

enum { SHOWN = 3 };

struct counting {
	const char *cluster;
	struct arena *arena;
	struct users users;
};

static void count(void *ctx, const struct record *rec)
{
	struct counting *c = ctx;
	struct users *u = &c->users;
	if (!str_eq(json_str(json_at(rec->object, "spec", "clusterName"), ""), c->cluster))
		return;
	if (u->n++ < SHOWN)
		u->names = arena_printf(c->arena, "%s%s%s", u->names, u->n > 1 ? ", " : "",
			rec->name);
}

struct users users_of(const struct store *store, const char *ns, const char *cluster,
	struct arena *arena)
{
	struct counting c = { cluster, arena, { 0, "" } };
	store_each(store, RES_NODESET, ns, count, &c);
	if (c.users.n > SHOWN)
		c.users.names = arena_printf(arena, "%s and %zu more", c.users.names,
			c.users.n - SHOWN);
	return c.users;
}
