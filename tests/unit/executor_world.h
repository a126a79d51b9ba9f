/* SPDX-License-Identifier: Apache-2.0 */
/* An executor between a store and an API server that the test plays. */
#ifndef TESTS_EXECUTOR_WORLD_H
#define TESTS_EXECUTOR_WORLD_H

#include "lib/fake_http.h"
#include "lib/sim_loop.h"
#include "lib/test.h"

#include "engine/executor.h"

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct store *store;
	struct events *events;
	struct executor *executor;
	struct slurm_link *link; /* NULL: there is none */
	struct arena arena;
	struct plan plan;
	int outcomes;
};

static void outcome(void *ctx, const struct object_ref *about)
{
	(void)about, ((struct world *)ctx)->outcomes++;
}
static struct slurm_link *link_of(void *ctx, const char *ns, const char *cluster)
{
	return (void)ns, (void)cluster, ((struct world *)ctx)->link;
}

static int given_an_executor(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	fake_http_init(&w->http, &w->loop);
	w->kube = (struct kube){ &w->http.http, &w->loop.loop };
	w->store = store_new(&w->loop.loop, NULL, NULL);
	w->events = events_new(&w->kube, NULL);
	struct executor_config config = {
		.kube = &w->kube,
		.store = w->store,
		.events = w->events,
		.link_of = link_of,
		.outcome = outcome,
		.ctx = w,
	};
	w->executor = executor_new(&config);
	w->plan.arena = &w->arena;
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	executor_free(w->executor);
	slurm_link_free(w->link);
	events_free(w->events);
	store_free(w->store);
	arena_free(&w->arena);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	fake_http_clear(&w->http);
	free(w);
	return 0;
}

#endif
