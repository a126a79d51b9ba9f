/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts an answer of slurmrestd to the facts of one source, item by item. Repeated
 * names are stored once.
 *
 *     t = take_new(EXPORTER_NODES);
 *     ... take_node(t, item) ... for each item
 *     struct err e = take_end(t);
 *     use(&t->nodes);
 *     take_free(t);
 */
#ifndef EXPORTER_TAKE_H
#define EXPORTER_TAKE_H

#include "base/arena.h"
#include "json/json.h"
#include "plan/exporter/facts.h"

struct name_table; /* private */
struct gres_table;

struct source_answer {
	/* Only the member of this source is used. */
	struct exporter_nodes nodes;
	struct exporter_jobs jobs;
	struct exporter_partitions partitions;
	struct exporter_diag diag;

	enum exporter_source of; /* private, like the rest */
	struct arena texts;
	struct name_table *lists, *accounts, *users, *user_names;
	struct gres_table *gres;
	void *v;
	size_t n, cap, bytes;
	struct err err;
};

/* Creates an answer without items. */
struct source_answer *take_new(enum exporter_source of);
/* Add an item of the list. take_end reports invalid items, and too many items. */
void take_node(struct source_answer *t, const struct json *node);
void take_job(struct source_answer *t, const struct json *job);
void take_partition(struct source_answer *t, const struct json *partition);
/* Adds the whole answer of diag/. */
void take_statistics(struct source_answer *t, const struct json *root);
/* Ends a complete list. The facts are valid if this returns OK. */
struct err take_end(struct source_answer *t);
void take_free(struct source_answer *t); /* accepts NULL */

#endif
