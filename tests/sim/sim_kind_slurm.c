/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm: what its users and administrators do, and what becomes of its servers. */
#include "base/own.h"
#include "sim/sim_kind.h"

static void job_on(struct world *w, const struct world_object *set)
{
	int64_t run_ms = sim_draw(w, 5, 200) * 1000;
	sim_slurm_submit(set->slurm, 1, sim_some_node(w, set).text, run_ms);
}

static void wide_job(struct world *w, const struct world_object *set)
{
	sim_slurm_submit(set->slurm, 2, NULL, sim_draw(w, 5, 100) * 1000);
}

static void many_jobs(struct world *w, const struct world_object *set)
{
	for (int64_t n = sim_draw(w, 2, 8); n > 0; n--)
		sim_slurm_submit(set->slurm, 1, NULL, sim_draw(w, 2, 60) * 1000);
}

/* scontrol takes no drain without a reason */
static void drain(struct world *w, const struct world_object *set)
{
	sim_slurm_admin_drain(set->slurm, sim_some_node(w, set).text, "bad disk");
}
static void undrain(struct world *w, const struct world_object *set)
{
	sim_slurm_admin_undrain(set->slurm, sim_some_node(w, set).text);
}

static const struct sim_act acts[] = {
	{ 4, job_on },
	{ 2, wide_job },
	{ 3, many_jobs },
	{ 2, drain },
	{ 2, undrain },
};

/* Work that goes on for hours gives the operator something to write for hours. */
enum { JOBS_LEFT = 10 };

static void calm(struct world *w)
{
	for (size_t i = 0; i < w->n_objects; i++) {
		const struct world_object *cluster = &w->objects[i];
		if (cluster->resource != RES_CLUSTER)
			continue;
		sim_server_up(&cluster->slurm->server);
		sim_slurmctld_up(cluster->slurm);
		world_new_token(w, cluster);
		sim_slurm_cancel_waiting(cluster->slurm, JOBS_LEFT);
	}
}

const struct sim_kind sim_kind_slurm = {
	.resource = RES_SLURM_NODE,
	.means = RES_NODESET,
	.acts = acts,
	.n_acts = LENGTH(acts),
	.calm = calm,
};
