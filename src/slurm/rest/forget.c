/* SPDX-License-Identifier: Apache-2.0 */
/* Drops the facts of earlier responses, so that the next read is a full one. */
#include "slurm/rest/parts.h"

void slurm_nodes_forget(struct slurm *s)
{
	s->nodes.last_update_s = 0;
	s->nodes.forgotten++;
}

void jobs_forget(struct job_memory *m)
{
	for (struct job_entry *e = m->entries; e; e = e->hh.next) {
		e->read_ms = -1;
		e->gone = false;
	}
}
