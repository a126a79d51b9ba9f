/* SPDX-License-Identifier: Apache-2.0 */
/* Machines and servers: what becomes of them, and of what runs there. */
#include "base/own.h"
#include "sim/sim_kind.h"

static void pod_fails(struct world *w, const struct world_object *set)
{
	sim_kubelet_fail(&w->kubelet, set->ns, sim_some_pod(w, set).text);
}

static void pod_crashes(struct world *w, const struct world_object *set)
{
	int64_t for_ms = sim_draw(w, 100, 20000);
	sim_kubelet_crash(&w->kubelet, set->ns, sim_some_pod(w, set).text, for_ms);
}

static void pod_unready(struct world *w, const struct world_object *set)
{
	int64_t for_ms = sim_draw(w, 100, 60000);
	sim_kubelet_unready(&w->kubelet, set->ns, sim_some_pod(w, set).text, for_ms);
}

static void machine_lost(struct world *w, const struct world_object *set)
{
	(void)set;
	int64_t for_ms = sim_draw(w, 1000, 300000);
	sim_kubelet_machine_lost(&w->kubelet, (int)sim_draw(w, 0, SIM_MACHINES - 1), for_ms);
}

static void clock_jumps(struct world *w, const struct world_object *set)
{
	(void)set;
	sim_loop_jump_wall(w->loop, sim_draw(w, -7200, 7200) * 1000);
}

static void slurmrestd(struct world *w, const struct world_object *set)
{
	if (sim_draw(w, 0, 1))
		sim_server_down(&set->slurm->server, 0);
	else
		sim_server_up(&set->slurm->server);
}

static void slurmctld(struct world *w, const struct world_object *set)
{
	if (sim_draw(w, 0, 1))
		sim_slurmctld_up(set->slurm);
	else
		sim_slurmctld_down(set->slurm, 0);
}

static void slurmctld_restart(struct world *w, const struct world_object *set)
{
	bool forget = sim_draw(w, 0, 1);
	sim_slurmctld_restart(set->slurm, forget, sim_draw(w, 200, 5000));
}

static void apiserver_restart(struct world *w, const struct world_object *set)
{
	(void)set;
	world_apiserver_restart(w, sim_draw(w, 500, 20000));
}

static const struct sim_act acts[] = {
	{ 1, pod_fails },
	{ 1, pod_crashes },
	{ 2, pod_unready },
	{ 1, machine_lost },
	{ 1, clock_jumps },
	{ 2, slurmrestd },
	{ 1, slurmctld },
	{ 2, slurmctld_restart },
	{ 2, apiserver_restart },
};

static void calm(struct world *w)
{
	for (int i = 0; i < SIM_MACHINES; i++)
		sim_kubelet_machine_back(&w->kubelet, i);
}

const struct sim_kind sim_kind_machine = {
	.means = RES_NODESET,
	.acts = acts,
	.n_acts = LENGTH(acts),
	.calm = calm,
};
