/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In some worlds the namespace of the SlurmJobs has another account now and then: each
 * life of the virtual node is told anew as which one its jobs run, and sometimes of no
 * other one at all. Neither account sees the jobs of the other one, so each has a Slurm
 * of its own here.
 */
#include "base/str.h"
#include "sim/sim_bridge.h"

static void crash_box(void *ctx)
{
	struct bridge *b = ctx;
	if (b->other.box.service)
		bridge_note(b, "red-box of the other account dies");
	sim_redbox_crash(&b->other.box, 0);
}

void bridge_other_begin(struct bridge *b)
{
	struct bridge_account *o = &b->other;
	b->two_accounts = b->seed % 4 == 2;
	b->mapping = sim_rand_new(b->seed, 71);
	if (!b->two_accounts)
		return;
	sim_hpc_init(&o->hpc, b->loop, &b->net->faults, b->seed);
	sim_link_init(&o->link, b->loop, &b->net->faults, b->seed);
	o->hpc.crash_box = o->link.crash_box = crash_box;
	o->link.crash_client = b->link.crash_client;
	o->hpc.note = b->hpc.note;
	o->hpc.ctx = o->link.ctx = b;
	o->hpc.debug = b->hpc.debug;
	o->hpc.on_submit = b->hpc.on_submit;
	o->hpc.on_refuse = b->hpc.on_refuse;
	o->hpc.on_cancel = b->hpc.on_cancel;
	sim_redbox_init(&o->box, &o->link, &o->hpc, b->seed, b->seed % 3 == 0);
	sim_redbox_live(&o->box);
}

void bridge_other_end(struct bridge *b)
{
	if (!b->two_accounts)
		return;
	sim_redbox_free(&b->other.box);
	sim_link_free(&b->other.link);
	sim_hpc_free(&b->other.hpc);
}

void bridge_choose_account(struct bridge *b)
{
	struct bridge_account *o = &b->other;
	o->mapped = b->two_accounts && sim_rand_chance(&b->mapping, 500);
	o->is_known = o->mapped ||
		(b->two_accounts && (o->calm || sim_rand_chance(&b->mapping, 600)));
	if (b->two_accounts)
		bridge_note(b, "the namespace has %s, the other account is %s",
			o->mapped ? "the other account" : "no account",
			o->is_known ? "configured" : "not configured");
}

void bridge_other_acts(struct bridge *b)
{
	struct bridge_account *o = &b->other;
	struct sim_rand *r = &b->mapping;
	if (!b->two_accounts)
		return;
	if (sim_rand_chance(r, 120))
		bridge_crash(b, BRIDGE_VNODE, 0);
	if (!sim_rand_chance(r, 200))
		return;
	switch (sim_rand_range(r, 0, 4)) {
	case 0:
		sim_hpc_kill(&o->hpc, sim_rand_range(r, 500, 30000));
		break;
	case 1:
		sim_hpc_dbd_down(&o->hpc, sim_rand_range(r, 1000, 600000));
		break;
	case 2:
		sim_redbox_crash(&o->box, sim_rand_range(r, 100, 300000));
		break;
	case 3:
		sim_link_cut(&o->link, sim_rand_range(r, 1000, 400000));
		break;
	default:
		sim_hpc_meddle(&o->hpc);
	}
}

void bridge_other_calm(struct bridge *b)
{
	b->other.calm = true;
	if (!b->two_accounts)
		return;
	sim_hpc_calm(&b->other.hpc);
	sim_link_mend(&b->other.link);
	if (!b->other.is_known) /* the administrator names the account again */
		bridge_crash(b, BRIDGE_VNODE, 0);
}

const struct sim_hpc *bridge_slurm_of(const struct bridge *b, const char *key)
{
	for (const struct hpc_job *j = b->other.hpc.jobs; j; j = j->next)
		if (str_eq(j->key, key))
			return &b->other.hpc;
	return &b->hpc;
}
