/* What Slurm does beyond the everyday, and what its people do. */
#include <stdio.h>
#include <stdlib.h>

#include "base/own.h"
#include "sim/sim_rough.h"
#include "sim/sim_slurm_jobs.h"
#include "sim/sim_world.h"

struct node_name {
	char text[32];
};

static struct node_name some_node(struct sim_rough_one *r)
{
	struct node_name n;
	snprintf(n.text, sizeof(n.text), "foo-%d", (int)sim_rand_range(&r->rand, 0, 5));
	return n;
}

/* A job that runs, or is suspended; any of them; NULL: none does. */
static struct sim_job *some_job(struct sim_rough_one *r, enum sim_job_state state)
{
	struct sim_job *found = NULL;
	int64_t n = 0;
	for (struct sim_job *j = r->w->slurm.jobs; j; j = j->next)
		if (j->state == state && sim_rand_range(&r->rand, 0, n++) == 0)
			found = j;
	return found;
}

/* ---- suspended jobs ---- */

void rough_suspend_act(struct sim_rough_one *r)
{
	bool resume = sim_rand_chance(&r->rand, 300);
	struct sim_job *j = some_job(r, resume ? JOB_SUSPENDED : JOB_RUNNING);
	if (j && resume)
		sim_slurm_resume(&r->w->slurm, j);
	else if (j)
		sim_slurm_suspend(&r->w->slurm, j);
}

void rough_suspend_repair(struct sim_rough_one *r)
{
	for (struct sim_job *j = r->w->slurm.jobs; j; j = j->next)
		sim_slurm_resume(&r->w->slurm, j);
}

/* A job of more importance takes the nodes of another for a while (PreemptMode=SUSPEND). */
void rough_preempt_act(struct sim_rough_one *r)
{
	struct sim_job *j = some_job(r, JOB_RUNNING);
	if (!j)
		return;
	struct node_name first;
	snprintf(first.text, sizeof(first.text), "%.*s", (int)strcspn(j->hosts, ","), j->hosts);
	sim_slurm_suspend(&r->w->slurm, j);
	sim_slurm_submit(&r->w->slurm, 1, first.text, sim_rand_range(&r->rand, 2000, 40000));
	sim_slurm_resume(&r->w->slurm, j); /* as soon as its nodes are free again */
}

/* Words for the state of a job or a node that nobody has heard of yet. */
void rough_odd_words_set_up(struct sim_rough_one *r) { r->w->slurm.odd_words = true; }

/* ---- ends of jobs ---- */

void rough_long_epilog_set_up(struct sim_rough_one *r) { r->w->slurm.epilog_ms = sim_rand_range(&r->rand, 5000, 120000); }

void rough_requeue_act(struct sim_rough_one *r)
{
	struct sim_job *j = some_job(r, JOB_RUNNING);
	if (j)
		sim_slurm_requeue(&r->w->slurm, j);
}

/* ---- reasons ---- */

/* UNDRAIN keeps the reason that stands, or takes the one that it is given; the next job clears it. 26.05 clears it itself. */
void rough_reasons_set_up(struct sim_rough_one *r) { r->w->slurm.keeps_reasons = true; }

/* A script that drains by REST and gives no reason; scontrol reboot does the same. */
void rough_reasons_act(struct sim_rough_one *r)
{
	if (sim_rand_chance(&r->rand, 600))
		world_admin_drain(r->w, some_node(r).text, NULL);
	else
		world_admin_undrain(r->w, some_node(r).text);
}

/* ReturnToService=1: a node that was DOWN for another reason than that it did not respond stays so. */
void rough_return_to_service_set_up(struct sim_rough_one *r)
{
	r->w->slurm.keeps_reasons = true;
	r->w->slurm.stays_down = true;
}

void rough_return_to_service_repair(struct sim_rough_one *r)
{
	for (struct sim_node *n = r->w->slurm.nodes; n; n = n->next)
		sim_slurm_admin_resume(&r->w->slurm, n->name);
}

/* A machine that has less memory than slurm.conf says: INVALID_REG and DRAIN. */
void rough_invalid_reg_set_up(struct sim_rough_one *r)
{
	r->w->slurm.keeps_reasons = true;
	r->w->slurm.invalid_per_mille = (int)sim_rand_range(&r->rand, 50, 400);
}

void rough_invalid_reg_repair(struct sim_rough_one *r)
{
	r->w->slurm.invalid_per_mille = 0;
	for (struct sim_node *n = r->w->slurm.nodes; n; n = n->next) {
		n->invalid_reg = false;
		sim_slurm_admin_resume(&r->w->slurm, n->name);
	}
}
