/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which pods are deleted: the first in the list is deleted first. It is a
 * total order, so that the same facts give the same choice.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "plan/nodeset/worksheet.h"

/* The pod with the smaller value is deleted first. */
static int three_way(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_bound(const struct pod *a, const struct pod *b)
{
	return three_way(a->bound, b->bound);
}

static int by_phase(const struct pod *a, const struct pod *b)
{
	static const int weight[] = { [POD_PHASE_UNKNOWN] = 1, [POD_RUNNING] = 2 };
	return three_way(weight[a->phase], weight[b->phase]);
}

static int by_ready(const struct pod *a, const struct pod *b)
{
	return three_way(a->ready, b->ready);
}
static int by_cost(const struct pod *a, const struct pod *b) { return three_way(a->cost, b->cost); }
static int by_end_of_work(const struct pod *a, const struct pod *b)
{
	return three_way(a->ends_ms, b->ends_ms);
}
static int by_cordon(const struct pod *a, const struct pod *b)
{
	return three_way(b->cordoned, a->cordoned);
}
static int by_ordinal(const struct pod *a, const struct pod *b)
{
	return three_way(b->ordinal, a->ordinal);
}

/* A missing time counts as now. */
static int64_t newest_if_missing(int64_t ms) { return ms ? ms : INT64_MAX; }

static int by_ready_since(const struct pod *a, const struct pod *b)
{
	if (!a->ready || !b->ready)
		return 0;
	return three_way(newest_if_missing(b->fact->ready_since_ms),
		newest_if_missing(a->fact->ready_since_ms));
}

static int by_creation(const struct pod *a, const struct pod *b)
{
	return three_way(newest_if_missing(b->fact->created_ms),
		newest_if_missing(a->fact->created_ms));
}

static int by_name(const struct pod *a, const struct pod *b)
{
	return strcmp(a->fact->name, b->fact->name);
}

int pod_order(const struct pod *a, const struct pod *b)
{
	static int (*const keys[])(const struct pod *, const struct pod *) = {
		by_bound,
		by_phase,
		by_ready,
		by_cost,
		by_end_of_work,
		by_cordon,
		by_ordinal,
		by_ready_since,
		by_creation,
		by_name,
	};
	int first = 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !first; i++)
		first = keys[i](a, b);
	assert(first || a == b); /* a total order: the same facts give the same choice */
	return first;
}

bool pod_may_be_going(const struct pod *p) { return p->cordoned && p->held; }

/*
 * A pod whose deletion may be on its way was chosen before, so it comes first. The others
 * follow in the order of deletion.
 */
static int compare_going(const void *a, const void *b)
{
	const struct pod *x = *(struct pod *const *)a, *y = *(struct pod *const *)b;
	int first = three_way(pod_may_be_going(y), pod_may_be_going(x));
	return first ? first : pod_order(x, y);
}

void pod_sort_going_first(struct pod **pods, size_t n)
{
	if (n > 1)
		qsort(pods, n, sizeof(*pods), compare_going);
}
