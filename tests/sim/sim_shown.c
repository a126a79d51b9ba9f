/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that each program under test was shown, and when; and which Slurm is whose.
 */
#include <stdio.h>
#include <string.h>

#include "sim/sim_oracle.h"

static void shown(struct oracle_shown *s, int64_t at_ms, int64_t value)
{
	int64_t last = s->n ? s->ring[(s->n - 1) % ORACLE_SHOWN].value : -1;
	if (value <= last)
		return;
	s->ring[s->n % ORACLE_SHOWN].at_ms = at_ms;
	s->ring[s->n++ % ORACLE_SHOWN].value = value;
}

/* The last value shown until then; -1: nothing. */
static int64_t shown_at(const struct oracle_shown *s, int64_t at_ms)
{
	uint64_t oldest = s->n > ORACLE_SHOWN ? s->n - ORACLE_SHOWN : 0;
	for (uint64_t i = s->n; i > oldest; i--)
		if (s->ring[(i - 1) % ORACLE_SHOWN].at_ms <= at_ms)
			return s->ring[(i - 1) % ORACLE_SHOWN].value;
	return -1;
}

int64_t sim_oracle_view(const struct sim_oracle *o, enum resource r, const struct sim_request *rq)
{
	return shown_at(&o->minds[rq->who].objects[r], rq->sent_ms - o->race_ms);
}

int64_t sim_oracle_all_shown(const struct sim_oracle *o, enum resource r, int64_t at_ms)
{
	int64_t least = INT64_MAX;
	int who = o->lease.elected ? sim_oracle_acting(o, at_ms) : -1;
	if (o->lease.elected)
		return who < 0 ? -1 : shown_at(&o->minds[who].objects[r], at_ms);
	for (int i = 0; i < SIM_PROGRAMS; i++) {
		int64_t value = shown_at(&o->minds[i].objects[r], at_ms);
		if (o->minds[i].alive && value < least)
			least = value;
	}
	return least == INT64_MAX ? -1 : least;
}

/* ---- Slurm ---- */

static int number_of(const struct sim_oracle *o, const void *slurm)
{
	for (int i = 0; i < o->n_slurms; i++)
		if (o->slurms[i].slurm == slurm)
			return i;
	return -1;
}

bool sim_oracle_shared(const struct sim_oracle *o, const struct sim_slurm *s)
{
	int n = 0;
	for (int i = 0; i < o->n_slurms; i++)
		n += o->slurms[i].slurm == s;
	return n > 1;
}

int64_t sim_oracle_nodes_shown(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_slurm *s, int64_t at_ms)
{
	int i = number_of(o, s);
	return i < 0 ? -1 : shown_at(&o->minds[rq->who].of[i].nodes, at_ms);
}

/* A freeze is no time in which it could remember: it does not count. */
static int64_t home_of(const struct sim_oracle *o, const struct oracle_mind *m, int slurm)
{
	int64_t home_ms = m->of[slurm].home_ms;
	return home_ms && home_ms <= m->frozen_ms ? home_ms + o->kube->loop->now_ms - m->frozen_ms
						  : home_ms;
}

int64_t sim_oracle_home_ms(const struct sim_oracle *o, const struct sim_slurm *s)
{
	int n = number_of(o, s);
	int64_t latest_ms = 0;
	for (int i = 0; i < SIM_PROGRAMS && n >= 0; i++) {
		int64_t home_ms = home_of(o, &o->minds[i], n);
		if (home_ms > latest_ms)
			latest_ms = home_ms;
	}
	return latest_ms;
}

bool sim_oracle_strange(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_slurm *s)
{
	int i = sim_oracle_shared(o, s) ? -1 : number_of(o, s);
	int64_t since_ms = i < 0 ? 0 : o->minds[rq->who].of[i].stranger_ms;
	return s && s->stand_in && since_ms && since_ms <= rq->sent_ms - o->race_ms;
}

struct sim_slurm *sim_oracle_slurm_of(const struct sim_oracle *o, const struct sim_version *v)
{
	const char *cluster = v->resource == RES_NODESET
		? sim_str(sim_get(v->root, "spec"), "clusterName")
		: sim_label(v, ORACLE_CLUSTER_LABEL);
	for (int i = 0; i < o->n_slurms; i++)
		if (strcmp(o->slurms[i].ns, v->ns) == 0 &&
			(!*cluster || strcmp(o->slurms[i].cluster, cluster) == 0))
			return o->slurms[i].slurm;
	return NULL;
}

struct sim_node *sim_oracle_node_of(const struct sim_oracle *o, const char *uid)
{
	struct sim_node *n = NULL;
	for (int i = 0; i < o->n_slurms && !n; i++)
		n = sim_slurm_node_of(o->slurms[i].slurm, uid);
	return n;
}

struct sim_node *sim_oracle_node_named(const struct sim_oracle *o, const struct sim_version *pod)
{
	const struct sim_slurm *s = sim_oracle_slurm_of(o, pod);
	return s ? sim_slurm_node(s, sim_slurm_name(pod)) : NULL;
}

/* ---- news ---- */

void sim_oracle_on_shown(void *ctx, int who, enum resource r, int64_t rv)
{
	struct sim_oracle *o = ctx;
	if (o->kube->net->frozen[who])
		o->minds[who].unread[r] = rv;
	else
		shown(&o->minds[who].objects[r], o->kube->loop->now_ms, rv);
}

void sim_oracle_on_freeze(struct sim_oracle *o, int who)
{
	o->minds[who].frozen_ms = o->kube->loop->now_ms;
}

void sim_oracle_on_thaw(struct sim_oracle *o, int who)
{
	struct oracle_mind *m = &o->minds[who];
	for (int r = 0; r < RES_COUNT; r++) {
		shown(&m->objects[r], o->kube->loop->now_ms, m->unread[r] ? m->unread[r] : -1);
		m->unread[r] = 0;
	}
	for (int i = 0; i < o->n_slurms; i++)
		m->of[i].home_ms = home_of(o, m, i);
	m->frozen_ms = 0;
}

/* After an outage, or in a new life, it has its time to remember anew. */
static void note_home(struct oracle_mind *m, int slurm, int64_t now_ms)
{
	enum { OUTAGE_MS = 15000 };
	if (!m->of[slurm].home_ms || now_ms - m->of[slurm].answered_ms > OUTAGE_MS)
		m->of[slurm].home_ms = now_ms;
	m->of[slurm].answered_ms = now_ms;
}

static void seen_slurm(struct oracle_mind *m, int slurm, struct sim_seen seen, int64_t now_ms)
{
	if (seen.what == SIM_SEEN_STRANGER && !m->of[slurm].stranger_ms)
		m->of[slurm].stranger_ms = now_ms;
	if (seen.what == SIM_SEEN_NODES || seen.what == SIM_SEEN_SLURM)
		m->of[slurm].stranger_ms = 0;
	if (seen.what != SIM_SEEN_NODES)
		return;
	note_home(m, slurm, now_ms);
	shown(&m->of[slurm].nodes, now_ms, seen.value);
}

/*
 * A user has mixed up two Clusters: each has a link of its own, and what one of them
 * learns of the server the other one learns by itself.
 */
static bool is_server_of_two(const struct sim_oracle *o, const struct sim_slurm *s)
{
	const struct sim_list *all = &o->kube->store.of[RES_CLUSTER];
	int n = 0;
	for (size_t i = 0; i < all->n; i++)
		n += strcmp(sim_str(sim_get(all->at[i]->root, "spec"), "server"),
			     s->server.base_url) == 0;
	return n > 1;
}

void sim_oracle_on_seen(void *ctx, int who, struct sim_seen seen)
{
	struct sim_oracle *o = ctx;
	struct oracle_mind *m = &o->minds[who];
	int64_t now_ms = o->kube->loop->now_ms;
	int slurm = number_of(o, seen.by);
	bool by_one = seen.what != SIM_SEEN_STRANGER || slurm < 0 ||
		!is_server_of_two(o, o->slurms[slurm].slurm);
	if (slurm >= 0 && by_one)
		seen_slurm(m, slurm, seen, now_ms);
	else if (slurm < 0 && seen.what >= SIM_SEEN_LIST && seen.what < SIM_SEEN_LIST + RES_COUNT)
		shown(&m->objects[seen.what - SIM_SEEN_LIST], now_ms, seen.value);
}

/*
 * A mark in the ring: what comes later knows nothing of before. Requests of the life
 * before, which may still arrive, are judged by what it knew.
 */
static void forget(struct oracle_shown *s, int64_t at_ms)
{
	if (s->n == 0)
		return;
	s->ring[s->n % ORACLE_SHOWN].at_ms = at_ms;
	s->ring[s->n++ % ORACLE_SHOWN].value = -1;
}

void sim_oracle_forget(struct sim_oracle *o, int who, bool alive)
{
	struct oracle_mind *m = &o->minds[who];
	int64_t at_ms = o->kube->loop->now_ms + 1;
	for (int r = 0; r < RES_COUNT; r++) {
		forget(&m->objects[r], at_ms);
		m->unread[r] = 0;
	}
	for (int i = 0; i < o->n_slurms; i++) {
		forget(&m->of[i].nodes, at_ms);
		m->of[i].stranger_ms = m->of[i].home_ms = 0;
	}
	m->frozen_ms = 0;
	m->alive = alive;
	m->life_ms = o->life_ms = at_ms;
}

void sim_oracle_watch(struct sim_oracle *o, struct sim_slurm *slurm, const char *ns,
	const char *cluster)
{
	struct oracle_slurm *s = &o->slurms[o->n_slurms++];
	*s = (struct oracle_slurm){ .o = o, .slurm = slurm };
	snprintf(s->ns, sizeof(s->ns), "%s", ns);
	snprintf(s->cluster, sizeof(s->cluster), "%s", cluster);
	if (number_of(o, slurm) < o->n_slurms - 1)
		return;
	slurm->on_request = sim_oracle_on_slurm_request;
	slurm->on_update = sim_oracle_on_update;
	slurm->on_note = sim_oracle_on_slurm_note;
	slurm->ctx = s;
	sim_oracle_secret(o, slurm->token);
}
