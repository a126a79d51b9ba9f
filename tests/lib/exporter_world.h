/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that the exporter makes of facts, for tests of its counts:
 *
 *     static void given(struct exporter_world *w) { w->nodes = ...; }
 *     EXPORTER_WORLD(w, given);
 *     when_rendered(&w);
 *     page_has(&w.page, "slurm_nodes 6");
 */
#ifndef LIB_EXPORTER_WORLD_H
#define LIB_EXPORTER_WORLD_H

#include "lib/metrics_page.h"
#include "plan/exporter/text.h"

struct exporter_world {
	struct exporter_nodes nodes;
	struct exporter_jobs jobs;
	struct exporter_partitions partitions;
	struct exporter_facts facts; /* of these three; a test may change it */
	struct str page;
};

/* The facts have limits of 100 each, and no waits. */
void given_exporter_facts(struct exporter_world *w);
void when_rendered(struct exporter_world *w);
void end_exporter_world(struct exporter_world *w);
/* given(&w) sets nodes, jobs and partitions. */
#define EXPORTER_WORLD(w, given)                                      \
	struct exporter_world w AUTO(end_exporter_world) = { { 0 } }; \
	given(&w);                                                    \
	given_exporter_facts(&w)

#endif
