/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the objects that have their own series. */
#include "kind/measured.h"

#include <stdlib.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"

METRIC(left_out, "slurm_operator_series_left_out", METRIC_GAUGE,
	"Objects, such as nodesets, without their own series, because of the limit --metrics-objects.",
	"resource", METRIC_OF_MANAGER);

/* rank: the number of objects of its namespace that come before it. */
struct ranked {
	const struct record *rec;
	size_t rank;
};

struct ranking {
	struct ranked *all;
	size_t n;
};

static void add(void *ctx, const struct record *rec)
{
	struct ranking *r = ctx;
	r->all[r->n++].rec = rec;
}

static int by_name(const void *a, const void *b)
{
	const struct record *x = ((const struct ranked *)a)->rec,
			    *y = ((const struct ranked *)b)->rec;
	int ns = strcmp(x->ns, y->ns);
	return ns ? ns : strcmp(x->name, y->name);
}

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : by_name(a, b);
}

static void rank(struct ranking *r)
{
	qsort(r->all, r->n, sizeof(*r->all), by_name);
	for (size_t i = 1; i < r->n; i++)
		if (str_eq(r->all[i].rec->ns, r->all[i - 1].rec->ns))
			r->all[i].rank = r->all[i - 1].rank + 1;
	qsort(r->all, r->n, sizeof(*r->all), by_rank);
}

struct measured measured_of(const struct store *store, enum resource r, size_t most)
{
	struct ranking ranks = { .all = own_alloc((store_count(store, r) + 1) *
					 sizeof(*ranks.all)) };
	store_each(store, r, NULL, add, &ranks);
	rank(&ranks);
	struct measured m = { .n = ranks.n < most ? ranks.n : most };
	metric_set(&left_out, (double)(ranks.n - m.n), resource_name(r));
	m.all = own_alloc((m.n + 1) * sizeof(const struct record *));
	for (size_t i = 0; i < m.n; i++)
		m.all[i] = ranks.all[i].rec;
	free(ranks.all);
	return m;
}

void measured_conditions(struct metric *m, const struct record *rec)
{
	struct json_iter it = json_iter(json_at(rec->object, "status", "conditions"));
	while (json_next(&it))
		metric_set(m, 1, rec->ns, rec->name, json_str(json_get(it.value, "type"), ""),
			json_str(json_get(it.value, "status"), ""),
			json_str(json_get(it.value, "reason"), ""));
}

void measured_free(struct measured *m) { free(m->all); }
