/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics in the Prometheus text format. A metric is a row, declared once by its owner:
 *
 *     METRIC(creates, "slurm_operator_actions_total", METRIC_COUNTER,
 *             "Actions carried out.", "kind,outcome", METRIC_OF_MANAGER);
 *     metric_add(&creates, 1, "CREATE_POD", "ok");
 *
 * The linker collects these rows; docs/metrics.md is generated from them
 * (metric_describe).
 *
 * Series are looked up by a hash, so that a metric may have 100,000 series. The registry
 * is the only global state beside the settings of the log. Not thread-safe.
 */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include "base/str.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/* The programs that have a metric. Each value is a section of docs/metrics.md. */
enum metric_of {
	METRIC_OF_EACH,
	METRIC_OF_KUBE_CLIENT, /* each program except red-box */
	METRIC_OF_MANAGER,
	METRIC_OF_WEBHOOK,
	METRIC_OF_VIRTUAL_NODE,
	METRIC_OF_RED_BOX,
	METRIC_OFS,
};

struct metric {
	const char *name;
	enum metric_type type;
	const char *help;   /* sentences; no quotes, no line break */
	const char *labels; /* comma separated names, "" for none */
	enum metric_of of;
	const double *bounds; /* of a histogram: upper ends of its buckets, ascending */
	size_t n_bounds;
	struct metric_series *series; /* private */
	struct metric *next;          /* private */
	int registered;               /* private */
};

/* Declares a row: its name in the code, and struct metric's members in order. */
#define METRIC(variable, ...)                            \
	static struct metric variable = { __VA_ARGS__ }; \
	METRIC_LIST(variable)

/* Lists a row, or an array of rows, that is declared already. */
#define METRIC_LIST(rows_of)                                                                       \
	static const struct metric_rows rows_of##_rows __attribute__((used,                        \
		section("metric_rows"), aligned(sizeof(void *)))) = { (struct metric *)&(rows_of), \
		sizeof(rows_of) / sizeof(struct metric) }

/* Private. */
struct metric_rows {
	struct metric *rows;
	size_t n;
};

/* A const char * follows for each label of the row. */
void metric_add(struct metric *m, double delta, ...);
void metric_set(struct metric *m, double value, ...);
/* Counts the value in its bucket of a histogram. */
void metric_observe(struct metric *m, double value, ...);
/* Removes all series of the metric. */
void metric_clear(struct metric *m);
/*
 * Sets a histogram to counts of its owner: one for each bucket, and one for larger
 * values.
 */
void metric_set_histogram(struct metric *m, const uint64_t *counts, double sum, ...);
void metric_render(struct str *out);
void metric_free_all(void); /* removes every series, for a clean exit */

/* Calls each() for all rows of this program, even without series, by owner and name. */
void metric_each(void (*each)(void *ctx, const struct metric *m), void *ctx);
const char *metric_type_name(enum metric_type type); /* as in Prometheus: "gauge" */
/* Adds the tables of docs/metrics.md for these owners. */
void metric_describe(struct str *out, enum metric_of first, enum metric_of last);

#endif
