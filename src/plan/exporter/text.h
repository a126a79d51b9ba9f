/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of metrics, in two parts. The long part has the gauges of nodes, jobs and
 * partitions, which are equal in both formats. It changes only when Slurm reports a
 * change. The short part has statistics, counters, and the metrics of the exporter
 * itself.
 *
 *     exporter_gauges(&facts, &page);            for each answer of Slurm
 *     exporter_rest(&diag, &self, format, &page) for each scrape, after a copy of it
 */
#ifndef PLAN_EXPORTER_TEXT_H
#define PLAN_EXPORTER_TEXT_H

#include "base/str.h"
#include "plan/exporter/facts.h"
#include "plan/exporter/rows.h"

enum exporter_format { EXPORTER_TEXT, EXPORTER_OPENMETRICS }; /* 0.0.4, 1.0.0 */

enum exporter_result { READ_CHANGED, READ_UNCHANGED, READ_FAILED, READ_RESULTS };
enum { SOURCE_MEASURES = SOURCE_TOOK + 1 };

struct exporter_ended; /* ended.h */

/* Facts of the exporter about itself. NaN: not known. */
struct exporter_self {
	double source[EXPORTER_SOURCES][SOURCE_MEASURES]; /* by enum source_measure */
	double reads[EXPORTER_SOURCES][READ_RESULTS];
	double process[PROCESS_MEASURES];
	const char *version;
	const struct exporter_ended *ended; /* NULL: ended jobs are not counted */
};

/* Appends the long part to out. An unknown source has no samples. */
void exporter_gauges(const struct exporter_facts *f, struct str *out);
/* Appends the short part, and ends the page. diag NULL: unknown. */
void exporter_rest(const struct exporter_diag *diag, const struct exporter_self *self,
	enum exporter_format format, struct str *out);

/*
 * The format for the header Accept, which is any text of a client; NULL: no header.
 * OpenMetrics if the header names it and does not prefer plain text.
 */
enum exporter_format exporter_format_for(const char *accept);
/* Whether the header Accept-Encoding (any text, or NULL) names gzip. */
bool exporter_takes_gzip(const char *accept_encoding);

/* The tables of docs/metrics-exporter.md. */
void exporter_describe(struct str *out);

#endif
