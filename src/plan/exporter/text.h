/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of metrics, in two parts. The long part has nodes, jobs and partitions:
 * gauges, which both formats write alike. The long part changes only when Slurm reports
 * that they have changed. The short part has statistics, counters, and the metrics of the
 * exporter itself.
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

struct exporter_ended; /* ended.h */

/* Facts of the exporter about itself. NaN: not known. */
struct exporter_self {
	double source[EXPORTER_SOURCES][SOURCE_MEASURES]; /* by enum source_measure */
	double reads[EXPORTER_SOURCES][READ_RESULTS];
	double process[PROCESS_MEASURES];
	const char *version;
	const struct exporter_ended *ended; /* NULL: no jobs are counted that have ended */
};

/* Adds to out. A source that is not known has no samples. */
void exporter_gauges(const struct exporter_facts *f, struct str *out);
/* diag NULL: not known. Ends the page. */
void exporter_rest(const struct exporter_diag *diag, const struct exporter_self *self,
	enum exporter_format format, struct str *out);

/*
 * Format by the header Accept, which is any text of a client; NULL: the client sent none.
 * OpenMetrics if the header names it and does not prefer plain text.
 */
enum exporter_format exporter_format_for(const char *accept);
/* Whether the header Accept-Encoding, any text or NULL as well, names gzip. */
bool exporter_takes_gzip(const char *accept_encoding);

/* The tables of docs/metrics-exporter.md. */
void exporter_describe(struct str *out);

#endif
