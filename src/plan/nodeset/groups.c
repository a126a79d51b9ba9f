/* SPDX-License-Identifier: Apache-2.0 */
/* Puts names of pods into sentences. */
#include "plan/nodeset/groups.h"

#include "base/str.h"

/* ---- one list of names ---- */

static const char *with_name(struct worksheet *w, const char *list, size_t n, const char *name)
{
	return n < NAMES_SHOWN ? arena_printf(w->arena, "%s%s%s", list, n ? ", " : "", name) : list;
}

static const char *with_rest(struct worksheet *w, const char *list, size_t n)
{
	return n > NAMES_SHOWN ? arena_printf(w->arena, "%s and %zu more", list, n - NAMES_SHOWN)
			       : list;
}

static const char *plain_name(struct worksheet *w, const struct pod *p)
{
	(void)w;
	return p->fact->name;
}

size_t pods_count(const struct worksheet *w, pod_is *yes)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++)
		n += yes(&w->pods[i]);
	return n;
}

const char *pods_named(struct worksheet *w, pod_is *yes, naming *name)
{
	const char *list = "";
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++) {
		if (!yes(&w->pods[i]))
			continue;
		if (n < NAMES_SHOWN)
			list = with_name(w, list, n, name(w, &w->pods[i]));
		n++;
	}
	return with_rest(w, list, n);
}

const char *pods_names(struct worksheet *w, pod_is *yes) { return pods_named(w, yes, plain_name); }

const char *pods_in_words(struct worksheet *w, int64_t n)
{
	return arena_printf(w->arena, "%lld pod%s", (long long)n, n == 1 ? "" : "s");
}

/* ---- groups ---- */

static struct group *group_of(struct groups *g, const char *text)
{
	for (size_t i = 0; i < g->n; i++)
		if (str_eq(g->rows[i].text, text))
			return &g->rows[i];
	if (g->n == GROUPS_SHOWN)
		return NULL;
	g->rows[g->n] = (struct group){ .text = text, .names = "" };
	return &g->rows[g->n++];
}

void groups_add(struct groups *g, const char *text, const char *name)
{
	struct group *row = group_of(g, text);
	if (!row) {
		g->rest++;
		return;
	}
	row->names = with_name(g->w, row->names, row->n++, name);
}

const char *groups_text(const struct groups *g)
{
	const char *text = "";
	for (size_t i = 0; i < g->n; i++)
		text = arena_printf(g->w->arena, "%s%s%s: %s", text, i ? "; " : "", g->rows[i].text,
			with_rest(g->w, g->rows[i].names, g->rows[i].n));
	return g->rest ? arena_printf(g->w->arena, "%s; other reasons: %zu more", text, g->rest)
		       : text;
}
