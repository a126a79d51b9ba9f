/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of users and administrators in a seed: which of the kinds' acts, and when. */
#include "sim/sim_users.h"

#include "base/own.h"

static enum resource meant_by(const struct sim_kind *k)
{
	return k->means ? k->means : k->resource;
}

/* Every act of every kind, one after the other. */
struct walk {
	const struct sim_kind *const *kind;
	size_t in_kind, n;
	const struct sim_act *act;
};

static bool walk_next(struct walk *it)
{
	if (!it->kind)
		it->kind = sim_kinds;
	else
		it->in_kind++, it->n++;
	for (; *it->kind && it->in_kind == (*it->kind)->n_acts; it->kind++)
		it->in_kind = 0;
	it->act = *it->kind ? &(*it->kind)->acts[it->in_kind] : NULL;
	return it->act && it->n < SIM_ACTS;
}

struct sim_users sim_users_new(struct world *w)
{
	struct sim_users u = {
		.w = w,
		.deletes = sim_draw(w, 0, 4) == 0,
		.hasty = sim_draw(w, 0, 2) == 0,
		.turns = (int)sim_draw(w, 6, 24),
	};
	for (struct walk it = { 0 }; walk_next(&it);)
		u.weight[it.n] = sim_draw(w, 0, 1) ? it.act->weight * (int)sim_draw(w, 1, 3) : 0;
	for (struct walk it = { 0 }; walk_next(&it);)
		u.weight[it.n] += it.act->always;
	w->kube.page_most = sim_draw(w, 0, 2) ? 0 : (size_t)sim_draw(w, 1, 2);
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if ((*k)->set_up)
			(*k)->set_up(w);
	return u;
}

int64_t sim_users_pause_ms(struct sim_users *u)
{
	if (u->left)
		return sim_draw(u->w, 500, 8000);
	bool soon = sim_draw(u->w, 0, 2) == 0 || u->hasty;
	return soon ? sim_draw(u->w, 10, 4000) : sim_draw(u->w, 50, 40000);
}

void sim_users_act(struct sim_users *u)
{
	int64_t sum = 0;
	sim_oracle_on_act(&u->w->oracle);
	if (u->left) {
		(u->left-- % 2 ? u->act->happens : u->act->then)(u->w, u->what);
		return;
	}
	for (size_t i = 0; i < SIM_ACTS; i++)
		sum += u->weight[i];
	int64_t dice = sim_draw(u->w, 0, sum - 1);
	for (struct walk it = { 0 }; walk_next(&it); dice -= u->weight[it.n]) {
		if (dice >= u->weight[it.n])
			continue;
		u->act = it.act;
		u->what = world_pick(u->w, meant_by(*it.kind));
		u->left = it.act->times;
		it.act->happens(u->w, u->what);
		return;
	}
}

void sim_users_calm(struct sim_users *u)
{
	struct world *w = u->w;
	w->net->faults.off = true;
	sim_rough_repair(w);
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if ((*k)->calm)
			(*k)->calm(w);
}

void sim_users_repair(struct sim_users *u)
{
	struct world *w = u->w;
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if ((*k)->ends && u->deletes)
			(*k)->ends(w, world_pick(w, (*k)->resource));
	sim_users_calm(u);
	sim_oracle_on_act(&w->oracle);
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if ((*k)->repair)
			(*k)->repair(w);
}
