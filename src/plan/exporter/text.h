/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of metrics, in two parts. The long one has nodes, jobs and partitions: gauges,
 * which both formats write alike. It changes only when Slurm says that they have. The
 * short one has statistics, counters, and what the exporter says of itself.
 *
 *     exporter_gauges(&facts, &page);            when an answer has come
 *     exporter_rest(&diag, &self, format, &page) behind a copy of it, for each scrape
 */
#ifndef PLAN_EXPORTER_TEXT_H
#define PLAN_EXPORTER_TEXT_H

#include "base/str.h"
#include "plan/exporter/facts.h"
#include "plan/exporter/rows.h"

enum exporter_format { EXPORTER_TEXT, EXPORTER_OPENMETRICS }; /* 0.0.4, 1.0.0 */

enum exporter_result { READ_CHANGED, READ_UNCHANGED, READ_FAILED, READ_RESULTS };
enum { SOURCE_MEASURES = SOURCE_TOOK + 1 };

/* What the exporter knows of itself. NaN: not known. */
struct exporter_self {
	double source[EXPORTER_SOURCES][SOURCE_MEASURES]; /* by enum source_measure */
	double reads[EXPORTER_SOURCES][READ_RESULTS];
	double process[PROCESS_MEASURES];
	const char *version;
};

/* Adds to out. A source that is not known has no samples. */
void exporter_gauges(const struct exporter_facts *f, struct str *out);
/* diag NULL: not known. Ends the page. */
void exporter_rest(const struct exporter_diag *diag, const struct exporter_self *self,
	enum exporter_format format, struct str *out);

/*
 * By the header Accept, which a client sends as it likes; NULL: it sent none. OpenMetrics
 * for whoever names it, and does not like plain text more.
 */
enum exporter_format exporter_format_for(const char *accept);

/* The tables of docs/metrics-exporter.md. */
void exporter_describe(struct str *out);

#endif
