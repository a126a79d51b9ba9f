/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics in the Prometheus text format. A metric is a row, declared once by its owner:
 *
 *     static struct metric creates = { "slurm_operator_actions_total", METRIC_COUNTER,
 *     "Actions carried out.", "kind,outcome" };
 *     metric_add(&creates, 1, "CREATE_POD", "ok");
 *
 * A series is found by a hash, so that a metric may have 100,000 of them. The registry is
 * the only global state beside the log sink. Not thread-safe.
 */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include "base/str.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metric {
	const char *name;
	enum metric_type type;
	const char *help;
	const char *labels;           /* comma separated names, "" for none */
	struct metric_series *series; /* private */
	struct metric *next;          /* private */
	int registered;               /* private */
	const double *bounds;         /* of a histogram: the upper ends of its buckets, rising */
	size_t n_bounds;
};

/* A const char * follows for each label of the row. */
void metric_add(struct metric *m, double delta, ...);
void metric_set(struct metric *m, double value, ...);
/* Counts the value in its bucket of a histogram. */
void metric_observe(struct metric *m, double value, ...);
/* Forgets its series: what is set next is all that there is. */
void metric_clear(struct metric *m);
void metric_render(struct str *out);
void metric_free_all(void); /* forgets every series; for a clean end */

#endif
