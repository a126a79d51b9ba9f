/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of objects with one series each: their labels, and which of them have series. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "plan/exporter/series.h"

/* ---- labels ---- */

/* Names are foreign bytes. A byte that is not UTF-8 becomes U+FFFD. */
static void add_value(struct str *out, const char *value)
{
	for (size_t n; *value; value += n ? n : 1) {
		n = str_utf8(value);
		if (!n)
			str_add(out, "\xef\xbf\xbd");
		else if (*value == '"' || *value == '\\')
			str_addf(out, "\\%c", *value);
		else if (*value == '\n')
			str_add(out, "\\n");
		else
			str_add_bytes(out, value, n);
	}
}

void group_set_labels(struct group *g, size_t i, const char *names, const char *const *values,
	struct arena *a)
{
	AUTO(str_free) struct str out = { 0 };
	for (const char *name = names; *name; values++) {
		size_t n = strcspn(name, ",");
		str_addf(&out, "%s%.*s=\"", out.len ? "," : "{", (int)n, name);
		add_value(&out, *values);
		str_add(&out, "\"");
		name += n + (name[n] == ',');
	}
	str_add(&out, out.len ? "}" : "");
	g->labels[i] = arena_strndup(a, str_text(&out), out.len);
	g->lengths[i] = out.len;
}

struct group *group_new(size_t n, struct arena *a)
{
	struct group *g = arena_alloc(a, sizeof(*g));
	g->labels = arena_alloc(a, (n + 1) * sizeof(*g->labels));
	g->lengths = arena_array(a, size_t, n + 1);
	g->n = n;
	return g;
}

void group_limit(struct group *g, size_t most)
{
	g->left_out = g->n > most ? g->n - most : 0;
	g->n -= g->left_out;
}

struct group *group_alone(struct arena *a)
{
	struct group *g = group_new(1, a);
	group_set_labels(g, 0, "", NULL, a);
	return g;
}

/* ---- the choice: the objects with the highest amounts ---- */

struct ranked {
	double amount;
	size_t index;
	const char *name;
};

static int by_amount(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	if (a->amount != b->amount)
		return a->amount < b->amount ? 1 : -1;
	int names = strcmp(a->name, b->name);
	return names ? names : (a->index > b->index) - (a->index < b->index);
}

void group_rank(struct group *g, const double *base, size_t stride, size_t most, struct arena *a)
{
	if (g->n <= most)
		return;
	AUTO(own_free) struct ranked *all = own_alloc(g->n * sizeof(*all));
	size_t *order = arena_array(a, size_t, most + 1);
	for (size_t i = 0; i < g->n; i++)
		all[i] = (struct ranked){ base[i * stride], i, g->labels[i] };
	qsort(all, g->n, sizeof(*all), by_amount);
	for (size_t i = 0; i < most; i++)
		order[i] = all[i].index;
	g->order = order;
	group_limit(g, most);
}
