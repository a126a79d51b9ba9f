/* SPDX-License-Identifier: Apache-2.0 */
/* Writes samples in the formats of Prometheus. */
#include "plan/exporter/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/own.h"
#include "plan/exporter/counts.h"
#include "plan/exporter/series.h"
#include "plan/exporter/waits.h"

/* ---- one sample ---- */

/* Most values are whole numbers, for which printf takes five times as long. */
static void add_number(struct str *out, double value)
{
	const double exact = 9007199254740992; /* smaller whole numbers are exact doubles */
	char text[40], *at = text + sizeof(text);
	if (!(value >= 0 && value < exact && value == (double)(uint64_t)value)) {
		int n = snprintf(text, sizeof(text), " %.15g\n", value);
		str_add_bytes(out, text, (size_t)n);
		return;
	}
	uint64_t left = (uint64_t)value;
	*--at = '\n';
	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	*--at = ' ';
	str_add_bytes(out, at, (size_t)(text + sizeof(text) - at));
}

/* OpenMetrics names the family of a counter without the suffix of its samples. */
static void add_head(struct str *out, const struct exporter_row *row, enum exporter_format format)
{
	static const char total[] = "_total";
	static const char *const kinds[] = { "gauge", "counter", "histogram" };
	bool counter = row->kind == EXPORTER_COUNTER;
	size_t n = strlen(row->name);
	if (counter && format == EXPORTER_OPENMETRICS)
		n -= sizeof(total) - 1;
	str_addf(out, "# HELP %.*s %s\n# TYPE %.*s %s\n", (int)n, row->name, row->help, (int)n,
		row->name, kinds[row->kind]);
}

/* The buckets of one object, each with those below it, and the count and sum. */
static void add_histogram(struct str *out, const char *name, const char *labels, const double *v)
{
	int n = (int)strlen(labels) - 1; /* without the brace at its end */
	double all = 0;
	for (int i = 0; i <= WAIT_BOUNDS; i++) {
		all += v[i];
		str_addf(out, "%s_bucket%.*s,le=\"", name, n, labels);
		if (i < WAIT_BOUNDS)
			str_addf(out, "%lld.0\"}", (long long)exporter_wait_bounds[i]);
		else
			str_add(out, "+Inf\"}");
		add_number(out, all);
	}
	str_addf(out, "%s_sum%s", name, labels);
	add_number(out, v[WAIT_BOUNDS + 1]);
	str_addf(out, "%s_count%s", name, labels);
	add_number(out, all);
}

/* Each object has a histogram, also if nothing was counted. */
static void add_histograms(struct str *out, const struct exporter_row *row,
	const struct series *series, enum exporter_format format)
{
	size_t n = series->base ? series->group->n : 0;
	if (n)
		add_head(out, row, format);
	for (size_t i = 0; i < n; i++)
		add_histogram(out, row->name, series->group->labels[i],
			&series->base[i * series->stride]);
}

/* An unknown value (NaN) gives no sample, and a family without samples is not written. */
static void add_family(struct str *out, const struct exporter_row *row, const struct series *series,
	enum exporter_format format)
{
	const struct group *g = series->group;
	size_t name = strlen(row->name);
	bool begun = false;
	for (size_t i = 0; series->base && i < g->n; i++) {
		size_t of = g->order ? g->order[i] : i;
		double value = series->base[of * series->stride + (size_t)row->measure];
		if (value != value || (row->never && value == 0))
			continue;
		if (!begun)
			add_head(out, row, format);
		begun = true;
		str_add_bytes(out, row->name, name);
		str_add_bytes(out, g->labels[of], g->lengths[of]);
		add_number(out, value * row->factor);
	}
}

/* ---- the parts of the page ---- */

static bool is_long(const struct exporter_row *row)
{
	return row->scope < OF_STATISTICS || row->scope == OF_LEFT_OUT;
}

static void add_rows(struct str *out, const struct series *series, bool in_long,
	enum exporter_format format)
{
	for (size_t t = 0; t < n_exporter_tables; t++)
		for (size_t i = 0; i < exporter_tables[t]->n; i++) {
			const struct exporter_row *row = &exporter_tables[t]->rows[i];
			if (is_long(row) != in_long)
				continue;
			if (row->kind == EXPORTER_HISTOGRAM)
				add_histograms(out, row, &series[row->scope], format);
			else
				add_family(out, row, &series[row->scope], format);
		}
}

void exporter_gauges(const struct exporter_facts *f, struct str *out)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct series series[EXPORTER_SCOPES] = { 0 };
	struct exporter_counts counts;
	exporter_count(f, &a, &counts);
	series_of_facts(f, &counts, &a, series);
	add_rows(out, series, true, EXPORTER_TEXT);
}

void exporter_rest(const struct exporter_diag *diag, const struct exporter_self *self,
	enum exporter_format format, struct str *out)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct series series[EXPORTER_SCOPES] = { 0 };
	series_of_statistics(diag, &a, series);
	series_of_self(self, &a, series);
	series_of_ended(self->ended, &a, series);
	add_rows(out, series, false, format);
	if (format == EXPORTER_OPENMETRICS)
		str_add(out, "# EOF\n");
}

/* ---- which format ---- */

/* "text/plain" of "text/plain;version=0.0.4;q=0.3", in any case. */
static bool is_type(const char *range, size_t n, const char *type)
{
	size_t k = strcspn(range, "; \t");
	return strlen(type) == (k < n ? k : n) && strncasecmp(range, type, strlen(type)) == 0;
}

/* In thousandths; 1000 if the range has no weight, or one that is not a number. */
static int weight_of(const char *range, size_t n)
{
	for (const char *at = range; (at = memchr(at, ';', n - (size_t)(at - range)));) {
		at += 1 + strspn(at + 1, " \t");
		if (at + 2 >= range + n || (at[0] != 'q' && at[0] != 'Q') || at[1] != '=')
			continue;
		int weight = at[2] == '0' ? 0 : 1000;
		if (!weight && at + 3 < range + n && at[3] == '.')
			for (int i = 0, digit = 100; i < 3 && at + 4 + i < range + n &&
				at[4 + i] >= '0' && at[4 + i] <= '9';
				i++, digit /= 10)
				weight += digit * (at[4 + i] - '0');
		return weight;
	}
	return 1000;
}

enum exporter_format exporter_format_for(const char *accept)
{
	int open = 0, plain = 0;
	for (const char *at = accept ? accept : ""; *at;) {
		at += strspn(at, ", \t");
		size_t n = strcspn(at, ",");
		int weight = weight_of(at, n);
		if (is_type(at, n, "application/openmetrics-text") && weight > open)
			open = weight;
		if (is_type(at, n, "text/plain") && weight > plain)
			plain = weight;
		at += n;
	}
	return open > 0 && open >= plain ? EXPORTER_OPENMETRICS : EXPORTER_TEXT;
}

bool exporter_takes_gzip(const char *accept_encoding)
{
	for (const char *at = accept_encoding ? accept_encoding : ""; *at;) {
		at += strspn(at, ", \t");
		size_t n = strcspn(at, ",");
		if (is_type(at, n, "gzip"))
			return weight_of(at, n) > 0;
		at += n;
	}
	return false;
}
