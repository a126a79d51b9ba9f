/* SPDX-License-Identifier: Apache-2.0 */
/* A NodeSet follows the queue, while people scale it as well, and change their minds. */
#include <stdio.h>

#include "sim/sim_kind.h"
#include "sim/sim_rough.h"

#define SET "foo"

static void set_block(struct sim_rough_one *r, const char *block)
{
	char patch[240];
	snprintf(patch, sizeof(patch), "{'spec':{'autoscaling':%s}}", block);
	if (world_object(r->w, RES_NODESET, WORLD_NS, SET))
		world_patch(r->w, RES_NODESET, WORLD_NS, SET, "", patch);
}

static void leave_replicas_out(struct sim_rough_one *r)
{
	if (world_object(r->w, RES_NODESET, WORLD_NS, SET))
		world_patch(r->w, RES_NODESET, WORLD_NS, SET, "", "{'spec':{'replicas':null}}");
}

static void draw_block(struct sim_rough_one *r)
{
	char block[160];
	snprintf(block, sizeof(block),
		"{'minReplicas':%d,'maxReplicas':%d,'buffer':%d,'scaleDownDelay':'%ds'}",
		(int)sim_rand_range(&r->rand, 0, r->w->slurm.no_future ? 0 : 2),
		(int)sim_rand_range(&r->rand, 1, 6),
		(int)sim_rand_range(&r->rand, 0, r->w->slurm.no_future ? 0 : 2),
		(int)sim_rand_range(&r->rand, 0, 30));
	set_block(r, block); /* minReplicas may be more than maxReplicas: refused */
}

static void submit(struct sim_rough_one *r)
{
	if (!r->w->slurm.ctld_down)
		sim_slurm_submit(&r->w->slurm, (int)sim_rand_range(&r->rand, 1, 7), NULL,
			sim_rand_range(&r->rand, 500, 30000));
}

/* The FUTURE records of slurm.conf come and go. */
static void set_future(struct sim_rough_one *r, bool there)
{
	r->w->slurm.no_future = !there;
	r->w->slurm.no_future_ms = r->w->loop->now_ms;
}

void rough_autoscale_set_up(struct sim_rough_one *r)
{
	set_future(r, sim_rand_chance(&r->rand, 500));
	draw_block(r);
}

void rough_autoscale_act(struct sim_rough_one *r)
{
	switch (sim_rand_range(&r->rand, 0, 10)) {
	case 0:
		set_block(r, "null");
		break;
	case 1:
	case 2:
		draw_block(r);
		break;
	case 3:
		sim_slurm_cancel_waiting(&r->w->slurm, (int)sim_rand_range(&r->rand, 0, 3));
		break;
	case 4: /* a manifest that leaves it out, as that of the chart */
		leave_replicas_out(r);
		break;
	case 5:
		set_future(r, sim_rand_chance(&r->rand, 500));
		break;
	default:
		submit(r);
	}
}

/* Users do not scale it any more, and there is something to do. */
void rough_autoscale_repair(struct sim_rough_one *r)
{
	set_block(r, "null");
	set_future(r, true);
}

/* Jobs for a minute each, so that pods come and go by the queue alone. */
enum { LAST_JOB = 9 };
void rough_autoscale_after(struct sim_rough_one *r)
{
	if (r->repairs == 1)
		set_block(r, "{'minReplicas':1,'maxReplicas':6,'buffer':0,'scaleDownDelay':'10s'}");
	if (r->repairs % 4 == 1 && r->repairs <= LAST_JOB)
		sim_slurm_submit(&r->w->slurm, (int)sim_rand_range(&r->rand, 2, 6), NULL, 20000);
}
