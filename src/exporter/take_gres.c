/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the GRES of nodes and jobs. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "exporter/take_parts.h"
#include "slurm/gres.h"

enum { GRES_MOST = 1 << 20 }; /* entries of all nodes, or of all jobs */

/* The newest entry of a kind: its item, and its index in v. */
struct gres_place {
	size_t of, at;
	bool set;
};

/*
 * Entries of all items, and their kinds. A kind is a name and a type, separated by a NUL.
 */
struct gres_table {
	struct name_table *names;
	struct gres_place *places; /* by kind */
	struct exporter_gres *v;
	size_t n, cap, n_places;
};

static size_t kind_in(struct source_answer *t, const struct gres *g)
{
	AUTO(str_free) struct str key = { 0 };
	str_add_bytes(&key, g->name, g->name_n);
	str_add_bytes(&key, "", 1);
	str_add_bytes(&key, g->type_n ? g->type : "", g->type_n);
	size_t kind = key_index(t, t->gres->names, key.text, key.len);
	if (kind >= t->gres->n_places) {
		size_t n = 2 * kind + 8;
		t->gres->places = own_realloc(t->gres->places, n * sizeof(*t->gres->places));
		memset(t->gres->places + t->gres->n_places, 0,
			(n - t->gres->n_places) * sizeof(*t->gres->places));
		t->gres->n_places = n;
	}
	return kind;
}

/*
 * The entry of this kind for the current item; NULL, and an error in t: too many entries.
 */
static struct exporter_gres *gres_entry(struct source_answer *t, size_t kind)
{
	struct gres_table *g = t->gres;
	struct gres_place *place = &g->places[kind];
	if (place->set && place->of == t->n)
		return &g->v[place->at];
	if (g->n == GRES_MOST) {
		t->err = err_new(ERR_TOO_LARGE, "more than %d GRES", (int)GRES_MOST);
		return NULL;
	}
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 64;
		g->v = own_realloc(g->v, g->cap * sizeof(*g->v));
	}
	*place = (struct gres_place){ t->n, g->n, true };
	g->v[g->n] = (struct exporter_gres){ (uint32_t)t->n, (uint32_t)kind, 0, 0 };
	return &g->v[g->n++];
}

/* "(null)" and "N/A" are not GRES. */
static bool is_gres(const struct gres *g)
{
	return g->name_n && !(g->name_n == 3 && strncmp(g->name, "N/A", 3) == 0);
}

void take_gres(struct source_answer *t, const char *list, bool used)
{
	for (struct gres g; !failed(t->err) && gres_next(&list, &g);) {
		struct exporter_gres *to = is_gres(&g) && g.count > 0
			? gres_entry(t, kind_in(t, &g))
			: NULL;
		if (to)
			take_sum(used ? &to->alloc : &to->total, g.count);
	}
}

struct gres_table *gres_table_new(void)
{
	struct gres_table *g = own_alloc(sizeof(*g));
	g->names = own_alloc(sizeof(*g->names));
	return g;
}

struct exporter_gres_list gres_table_list(struct source_answer *t)
{
	const struct name_table *names = t->gres->names;
	struct exporter_gres_kind *kinds = arena_array(&t->texts, struct exporter_gres_kind,
		names->n + 1);
	for (size_t i = 0; i < names->n; i++)
		kinds[i] = (struct exporter_gres_kind){ names->v[i],
			names->v[i] + strlen(names->v[i]) + 1 };
	return (struct exporter_gres_list){ kinds, t->gres->v, names->n, t->gres->n };
}

void gres_table_free(struct gres_table *g)
{
	name_table_free(g->names);
	free(g->places);
	free(g->v);
	free(g);
}
