/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: of several managers one acts, and knows until when. */
#include <stdio.h>
#include <string.h>

#include "sim/sim_kind.h"

enum { GIVE_UP_MS = 10000 }; /* as src/kube/lease.h promises */

static struct oracle_holder holder_of(const struct sim_version *lease)
{
	struct oracle_holder h = { 0 };
	const char *name = lease ? sim_str(sim_get(lease->root, "spec"), "holderIdentity") : "";
	if (sscanf(name, ORACLE_IDENTITY, &h.who, &h.life) != 2)
		h = (struct oracle_holder){ 0 };
	return h;
}

static bool same(const struct oracle_holder *a, const struct oracle_holder *b)
{
	return a->life == b->life && (!a->life || a->who == b->who);
}

/* The holder at that time; NULL: none yet, or it was too long ago. */
static struct oracle_holder *held_at(struct oracle_lease *l, int64_t at_ms)
{
	size_t oldest = l->n > ORACLE_HOLDERS ? l->n - ORACLE_HOLDERS : 0;
	for (size_t i = l->n; i > oldest; i--)
		if (l->holders[(i - 1) % ORACLE_HOLDERS].since_ms <= at_ms)
			return &l->holders[(i - 1) % ORACLE_HOLDERS];
	return NULL;
}

int sim_oracle_leader(const struct sim_oracle *o)
{
	const struct oracle_lease *l = &o->lease;
	const struct oracle_holder *last = l->n ? &l->holders[(l->n - 1) % ORACLE_HOLDERS] : NULL;
	return last && last->life ? last->who : -1;
}

int sim_oracle_acting(const struct sim_oracle *o, int64_t since_ms)
{
	const struct oracle_lease *l = &o->lease;
	const struct oracle_holder *last = l->n ? &l->holders[(l->n - 1) % ORACLE_HOLDERS] : NULL;
	if (!last || !last->life || last->since_ms > since_ms)
		return -1;
	const struct sim_net *net = o->kube->net;
	bool lives = o->minds[last->who].alive && net->programs[last->who].life == last->life &&
		!net->frozen[last->who];
	bool holds = o->kube->loop->now_ms < last->renewed_ms + GIVE_UP_MS;
	return lives && holds ? last->who : -1;
}

static void on_write(struct sim_oracle *o, const struct sim_write *w)
{
	int64_t now_ms = o->kube->loop->now_ms;
	struct oracle_holder *was = held_at(&o->lease, now_ms), now = holder_of(w->after);
	if (!was || !same(was, &now)) {
		was = &o->lease.holders[o->lease.n++ % ORACLE_HOLDERS];
		*was = now;
		/*
		 * An earlier request of another holder may still arrive, as after a crash
		 */
		was->since_ms = o->life_ms = now_ms;
	}
	if (w->request)
		was->renewed_ms = w->request->sent_ms;
}

/*
 * Whether it leads is unknown to a manager whose lease has run out by its own clock: it
 * may have been frozen for long, and another may lead. An Event only tells what was done
 * while it led.
 */
void sim_oracle_on_sent(struct sim_oracle *o, const struct sim_request *rq)
{
	struct oracle_holder sender = { .who = rq->who, .life = rq->life };
	const struct oracle_holder *holder = held_at(&o->lease, rq->sent_ms);
	if (!o->lease.elected || strstr(rq->path, "/events"))
		return;
	if (!holder || !same(&sender, holder))
		sim_oracle_break(o, "P2", rq, "manager %d sent it in life %d, which does not lead",
			rq->who, rq->life);
	else if (rq->sent_ms >= holder->renewed_ms + GIVE_UP_MS)
		sim_oracle_break(o, "P2", rq,
			"manager %d sent it %lld ms after it last renewed its lease", rq->who,
			(long long)(rq->sent_ms - holder->renewed_ms));
}

static bool trace(const struct sim_write *w, struct str *out)
{
	struct oracle_holder h = holder_of(w->after);
	str_addf(out, " of manager %d, life %d", h.who, h.life);
	struct oracle_holder before = holder_of(w->before);
	return !same(&before, &h);
}

const struct sim_kind sim_kind_lease = {
	.resource = RES_LEASE,
	.on_write = on_write,
	.trace = trace,
};
