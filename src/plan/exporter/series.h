/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers behind the rows, with their labels; for the files of this folder only. */
#ifndef PLAN_EXPORTER_SERIES_H
#define PLAN_EXPORTER_SERIES_H

#include "plan/exporter/counts.h"
#include "plan/exporter/text.h"

/* Nodes, users, ...: the objects that have one series each. */
struct group {
	const char **labels; /* {node="n1"}; also of objects without a series */
	size_t *lengths;
	const size_t *order; /* objects with a series; NULL: the first n */
	size_t n;            /* number of series */
	size_t left_out;
};

/* The numbers of one scope: base[of * stride + measure]. base NULL: not known. */
struct series {
	const double *base;
	size_t stride;
	const struct group *group;
};

/* ---- group.c ---- */

/* A group of n objects, whose labels the caller sets. */
struct group *group_new(size_t n, struct arena *a);
/* A group of one object, without labels. */
struct group *group_alone(struct arena *a);
/* Limits the number of series. */
void group_limit(struct group *g, size_t most);
/* names: "userid,username"; values: one for each of them. */
void group_set_labels(struct group *g, size_t i, const char *names, const char *const *values,
	struct arena *a);
/*
 * Keeps at most that many series, those with the highest amounts. base: the amount of the
 * first object.
 */
void group_rank(struct group *g, const double *base, size_t stride, size_t most, struct arena *a);

/* ---- the scopes of each source ---- */

/* Each function fills the scopes of its source. */
void series_of_facts(const struct exporter_facts *f, const struct exporter_counts *c,
	struct arena *a, struct series *out);
/*
 * Uses the groups of nodes, partitions, users and accounts in out. Returns the number of
 * kinds of GRES without a series.
 */
size_t series_of_gres(const struct exporter_facts *f, struct arena *a, struct series *out);
void series_of_statistics(const struct exporter_diag *diag, struct arena *a, struct series *out);
/* e NULL: no series. */
void series_of_ended(const struct exporter_ended *e, struct arena *a, struct series *out);
void series_of_self(const struct exporter_self *self, struct arena *a, struct series *out);

#endif
