/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All metric rows of a program, which the linker collects, and the tables of
 * docs/metrics.md.
 */
#include <stdlib.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"

/*
 * The linker defines both for the section of METRIC_LIST, unless a program has no rows.
 */
extern const struct metric_rows __start_metric_rows[] __attribute__((weak));
extern const struct metric_rows __stop_metric_rows[] __attribute__((weak));

static int by_owner_and_name(const void *a, const void *b)
{
	const struct metric *x = *(const struct metric *const *)a,
			    *y = *(const struct metric *const *)b;
	return x->of != y->of ? (int)x->of - (int)y->of : strcmp(x->name, y->name);
}

void metric_each(void (*each)(void *ctx, const struct metric *m), void *ctx)
{
	size_t n = 0, at = 0;
	const struct metric_rows *rows;
	for (rows = __start_metric_rows; rows < __stop_metric_rows; rows++)
		n += rows->n;
	const struct metric **all = own_alloc((n + 1) * sizeof(struct metric *));
	for (rows = __start_metric_rows; rows < __stop_metric_rows; rows++)
		for (size_t i = 0; i < rows->n; i++)
			all[at++] = &rows->rows[i];
	qsort(all, n, sizeof(*all), by_owner_and_name);
	for (size_t i = 0; i < n; i++)
		each(ctx, all[i]);
	free(all);
}

const char *metric_type_name(enum metric_type type)
{
	static const char *const names[] = { "counter", "gauge", "histogram" };
	return names[type];
}

struct table {
	struct str *out;
	enum metric_of of;
	bool begun;
};

static void add_head(struct table *t)
{
	static const char *const titles[METRIC_OFS] = {
		[METRIC_OF_EACH] = "Manager, webhook, virtual node and red-box",
		[METRIC_OF_KUBE_CLIENT] = "Manager, webhook and virtual node",
		[METRIC_OF_MANAGER] = "Manager",
		[METRIC_OF_WEBHOOK] = "Webhook",
		[METRIC_OF_VIRTUAL_NODE] = "Virtual node",
		[METRIC_OF_RED_BOX] = "red-box",
	};
	if (t->begun)
		return;
	str_addf(t->out, "\n## %s\n\n| Metric | Labels | Type | What it is |\n|---|---|---|---|\n",
		titles[t->of]);
	t->begun = true;
}

/* A cell of Markdown. */
static void add_cell(struct str *out, const char *text)
{
	for (size_t n; *text; text += n + 1) {
		n = strcspn(text, "<");
		str_add_bytes(out, text, n);
		if (!text[n])
			break;
		str_add(out, "&lt;");
	}
}

static void add_row(void *ctx, const struct metric *m)
{
	struct table *t = ctx;
	if (m->of != t->of)
		return;
	add_head(t);
	str_addf(t->out, "| `%s` | ", m->name);
	str_add_code_list(t->out, m->labels);
	str_addf(t->out, " | %s | ", metric_type_name(m->type));
	add_cell(t->out, m->help);
	str_add(t->out, " |\n");
}

void metric_describe(struct str *out, enum metric_of first, enum metric_of last)
{
	for (enum metric_of of = first; of <= last; of++) {
		struct table t = { .out = out, .of = of };
		metric_each(add_row, &t);
	}
}
