/* SPDX-License-Identifier: Apache-2.0 */
/* Managers: how they live, end, freeze and come back. */
#include "sim/sim_manager.h"

#include <stdio.h>

#include "base/own.h"
#include "engine/controller.h"
#include "engine/lead.h"
#include "kind/all.h"
#include "sim/sim_world.h"

static void die(struct sim_manager *m)
{
	struct loop *loop = world_loop(m->w);
	timer_stop(loop, TAKE(m->turn));
	timer_stop(loop, TAKE(m->thaw));
	lead_free(TAKE(m->lead));
	controller_free(TAKE(m->controller));
	http_free(TAKE(m->kube.http));
	sim_process_free(&m->process);
	m->process.frozen = m->w->net->frozen[m->who] = false;
}

static void born(void *ctx)
{
	struct sim_manager *m = ctx;
	m->turn = NULL;
	sim_manager_live(m);
}

void sim_manager_crash(struct sim_manager *m)
{
	if (!m->controller)
		return;
	die(m);
	if (!m->stays_dead)
		m->turn = timer_start(world_loop(m->w), sim_rand_range(&m->rand, 100, 5000), born,
			m);
}

static void crash_now(void *ctx)
{
	struct sim_manager *m = ctx;
	m->turn = NULL;
	sim_oracle_forget(&m->w->oracle, m->who, false);
	sim_manager_crash(m);
}

/* The program runs to the end of this turn of its loop, as the real one does. */
static void ended(void *ctx, struct err why)
{
	struct sim_manager *m = ctx;
	(void)why;
	if (!m->turn)
		m->turn = timer_start(world_loop(m->w), 0, crash_now, m);
}

/* Little memory, so that a handful of large objects takes all of it (row "heap"). */
enum { OBJECTS_BYTES = 131072 };

/* SlurmJobs of the older group are in the worlds of the bridge alone. */
static const struct kind *const kinds[] = { &kind_cluster, &kind_nodeset, &kind_slurmjob,
	&kind_wlmjob, NULL };

void sim_manager_live(struct sim_manager *m)
{
	char identity[40];
	struct loop *loop = &m->process.loop;
	m->lives++;
	m->kube = (struct kube){ world_kube_http_of(m->w, m->who), loop };
	struct controller_config config = {
		.kube = &m->kube,
		.loop = loop,
		.http_new = sim_http_factory,
		.http_ctx = world_factory_of(m->w, m->who),
		.kinds = kinds,
		.objects_memory_bytes = OBJECTS_BYTES,
	};
	m->controller = controller_new(&config);
	snprintf(identity, sizeof(identity), ORACLE_IDENTITY, m->who, m->lives);
	struct lead_config lead = {
		.kube = &m->kube,
		.loop = loop,
		.controller = m->controller,
		.ns = WORLD_NS,
		.name = m->elects ? "manager" : NULL,
		.identity = identity,
		.ended = ended,
		.ctx = m,
	};
	m->lead = lead_new(&lead);
}

void sim_manager_end(struct sim_manager *m)
{
	if (m->controller && !m->process.frozen)
		lead_end(m->lead);
}

static void thaw_now(void *ctx)
{
	struct sim_manager *m = ctx;
	m->thaw = NULL;
	sim_manager_thaw(m);
}

void sim_manager_freeze(struct sim_manager *m, int64_t for_ms)
{
	if (!m->controller || m->process.frozen)
		return;
	m->w->net->frozen[m->who] = true;
	sim_process_freeze(&m->process);
	sim_oracle_on_freeze(&m->w->oracle, m->who);
	m->thaw = timer_start(world_loop(m->w), for_ms, thaw_now, m);
}

void sim_manager_thaw(struct sim_manager *m)
{
	timer_stop(world_loop(m->w), TAKE(m->thaw));
	if (!m->process.frozen)
		return;
	sim_process_thaw(&m->process);
	sim_net_thaw(m->w->net, m->who);
	sim_oracle_on_thaw(&m->w->oracle, m->who);
}

void sim_manager_init(struct sim_manager *m, struct world *w, int who, bool elects)
{
	enum { STREAM = 11, FURTHER = 15 };
	*m = (struct sim_manager){ .w = w, .who = who, .elects = elects };
	m->rand = sim_rand_new(w->seed, (uint64_t)(who ? FURTHER + who : STREAM));
	sim_process_init(&m->process, world_loop(w));
}

void sim_manager_free(struct sim_manager *m)
{
	if (m->w)
		die(m);
}
