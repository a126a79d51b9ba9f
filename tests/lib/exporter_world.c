/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a Slurm that a test lists, and their page. */
#include "lib/exporter_world.h"

void given_exporter_facts(struct exporter_world *w)
{
	w->facts = (struct exporter_facts){
		.nodes = &w->nodes,
		.jobs = &w->jobs,
		.partitions = &w->partitions,
		.limits = { 100, 100, 100, 100 },
	};
}

void when_rendered(struct exporter_world *w)
{
	str_clear(&w->page);
	exporter_gauges(&w->facts, &w->page);
}

void end_exporter_world(struct exporter_world *w) { str_free(&w->page); }
