/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers behind the rows, with their labels; for the files of this folder only. */
#ifndef PLAN_EXPORTER_SERIES_H
#define PLAN_EXPORTER_SERIES_H

#include "plan/exporter/counts.h"
#include "plan/exporter/text.h"

/* Nodes, users, ...: the objects that have one series each. */
struct group {
	const char **labels; /* as they are printed: {node="n1"}; of all of the kind */
	size_t *lengths;
	const size_t *order; /* those that are shown; NULL: the first n */
	size_t n;            /* shown */
	size_t left_out;
};

/* The numbers of one scope: base[of * stride + measure]. base NULL: not known. */
struct series {
	const double *base;
	size_t stride;
	const struct group *group;
};

/* Fill in their scopes. */
void series_of_facts(const struct exporter_facts *f, const struct exporter_counts *c,
	struct arena *a, struct series *out);
void series_of_statistics(const struct exporter_diag *diag, struct arena *a, struct series *out);
void series_of_self(const struct exporter_self *self, struct arena *a, struct series *out);

#endif
