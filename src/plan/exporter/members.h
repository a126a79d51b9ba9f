/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the partitions of a list of names; for the files of this folder only. */
#ifndef PLAN_EXPORTER_MEMBERS_H
#define PLAN_EXPORTER_MEMBERS_H

#include "base/arena.h"
#include "plan/exporter/facts.h"

/* The partitions of a list of names, without duplicates: indexes into p->v. */
struct members {
	size_t *v, n;
	bool several; /* the list has a comma */
};

/* The partitions of each list. p NULL: no list has partitions. */
struct members *members_of_lists(const struct exporter_names *lists,
	const struct exporter_partitions *p, struct arena *a);

#endif
