/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tables of docs/metrics-exporter.md. */
#include "plan/exporter/text.h"

static void add_row(struct str *out, const struct exporter_row *row)
{
	static const char *const since[] = { "0.1", "0.3", "" };
	static const char *const kinds[] = { "gauge", "counter", "histogram" };
	str_addf(out, "| `%s` | ", row->name);
	str_add_code_list(out, exporter_scopes[row->scope].labels);
	str_addf(out, " | %s | %s | %s | %s", kinds[row->kind], since[row->since],
		exporter_scopes[row->scope].source, row->help);
	if (row->scope == OF_STATISTICS)
		str_addf(out, " (`%s`)", exporter_statistics[row->measure].path);
	if (row->right)
		str_addf(out, " Right: `%s`", row->right);
	str_add(out, " |\n");
}

void exporter_describe(struct str *out)
{
	for (size_t t = 0; t < n_exporter_tables; t++) {
		str_addf(out,
			"%s### %s\n\n| Metric | Labels | Type | Of | Source | What it is |\n"
			"|---|---|---|---|---|---|\n",
			t ? "\n" : "", exporter_tables[t]->title);
		for (size_t i = 0; i < exporter_tables[t]->n; i++)
			add_row(out, &exporter_tables[t]->rows[i]);
	}
}
