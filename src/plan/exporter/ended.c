/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of ended jobs, and the windows of time in which they ended. */
#include "plan/exporter/ended.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "plan/exporter/series.h"

enum { NAMES_MOST = 65536 };

/* ---- sums ---- */

static void add(struct name_rows *sums, const char *name, const double *v)
{
	struct ended_sum *to = *name
		? name_rows_get(sums, sizeof(*to), NAMES_MOST, name, strlen(name))
		: NULL;
	for (int i = 0; to && i < ENDED_MEASURES; i++)
		to->v[i] += v[i];
}

/* ---- windows ---- */

bool exporter_ended_window(struct exporter_ended *e, int64_t now_s, struct ended_window *out)
{
	int64_t last_s = now_s - ENDED_LATE_S;
	/* The first window, or the clock was set back */
	if (!e->until_s || e->until_s > now_s)
		e->until_s = last_s - 1;
	if (!e->span_s)
		e->span_s = ENDED_MOST_S;
	out->from_s = e->until_s + 1;
	out->to_s = out->from_s + e->span_s - 1;
	if (out->to_s > last_s)
		out->to_s = last_s;
	return out->from_s <= out->to_s;
}

void exporter_ended_take(struct exporter_ended *e, const struct ended_window *window,
	const struct exporter_ended_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add(&e->partitions, jobs[i].partition, jobs[i].v);
		add(&e->accounts, jobs[i].account, jobs[i].v);
		add(&e->users, jobs[i].user, jobs[i].v);
	}
	e->until_s = window->to_s;
	e->span_s = e->span_s < ENDED_MOST_S / 2 ? 2 * e->span_s : ENDED_MOST_S;
}

void exporter_ended_too_large(struct exporter_ended *e, const struct ended_window *window)
{
	e->span_s = (window->to_s - window->from_s + 1) / 2;
	if (e->span_s)
		return;
	e->until_s = window->to_s;
	e->span_s = 1;
}

void exporter_ended_free(struct exporter_ended *e)
{
	name_rows_free(&e->partitions, sizeof(struct ended_sum));
	name_rows_free(&e->accounts, sizeof(struct ended_sum));
	name_rows_free(&e->users, sizeof(struct ended_sum));
	*e = (struct exporter_ended){ 0 };
}

/* ---- series ---- */

static size_t add_sums(const struct name_rows *s, const char *label, size_t most, struct arena *a,
	struct series *out)
{
	const struct ended_sum *sums = s->v;
	struct group *g = group_new(s->n, a);
	double *v = arena_array(a, double, ENDED_MEASURES *(s->n + 1));
	for (size_t i = 0; i < s->n; i++) {
		const char *name = sums[i].name;
		group_set_labels(g, i, label, &name, a);
		memcpy(&v[ENDED_MEASURES * i], sums[i].v, sizeof(sums[i].v));
	}
	group_rank(g, &v[ENDED_JOBS], ENDED_MEASURES, most, a);
	*out = (struct series){ v, ENDED_MEASURES, g };
	return g->left_out;
}

void series_of_ended(const struct exporter_ended *e, struct arena *a, struct series *out)
{
	static const char *const kinds[] = { "jobs", "accounts", "users" };
	if (!e)
		return;
	struct group *g = group_new(LENGTH(kinds), a);
	double *left_out = arena_array(a, double, LENGTH(kinds));
	for (size_t i = 0; i < LENGTH(kinds); i++)
		group_set_labels(g, i, "of", &kinds[i], a);
	add_sums(&e->partitions, "partition", NAMES_MOST, a, &out[OF_PARTITION_ENDED]);
	left_out[0] = e->left_out;
	left_out[1] = (double)add_sums(&e->accounts, "account", e->limits.accounts, a,
		&out[OF_ACCOUNT_ENDED]);
	left_out[2] = (double)add_sums(&e->users, "user", e->limits.users, a, &out[OF_USER_ENDED]);
	out[OF_ENDED_LEFT_OUT] = (struct series){ left_out, 1, g };
}
