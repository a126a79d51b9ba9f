/* SPDX-License-Identifier: Apache-2.0 */
/* An executor between a store and an API server that the test plays. */
#include "lib/executor_world.h"

const struct object_ref executor_about = { RES_NODESET, "ns", "foo", "set" };

static void outcome(void *ctx, const struct object_ref *about)
{
	(void)about, ((struct executor_world *)ctx)->outcomes++;
}
static struct slurm_link *link_of(void *ctx, const char *ns, const char *cluster)
{
	return (void)ns, (void)cluster, ((struct executor_world *)ctx)->link;
}

int given_an_executor(void **state)
{
	struct executor_world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->http, &w->loop);
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

int free_executor_world(void **state)
{
	struct executor_world *w = *state;
	executor_free(w->executor);
	slurm_link_free(w->link);
	events_free(w->events);
	store_free(w->store);
	arena_free(&w->arena);
	free_kube(&w->http, &w->loop);
	free(w);
	return 0;
}

struct action *given_creation(struct executor_world *w, struct operation operation, int i)
{
	struct action *a = plan_add(&w->plan, operation, arena_printf(&w->arena, "creating %d", i));
	a->ns = "ns";
	a->name = arena_printf(&w->arena, "foo-%d", i);
	a->body = arena_printf(&w->arena,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-%d\"}}", i);
	a->event_done = "SuccessfulCreate";
	a->event_failed = "FailedCreate";
	return a;
}

int64_t when_run(struct executor_world *w)
{
	return executor_run(w->executor, &w->plan, &executor_about, "slurm").again_ms;
}

struct http_call *asked(struct executor_world *w, const char *part)
{
	struct http_call *c = fake_open(&w->http, part);
	if (!c)
		fail_msg("no request to %s is open", part);
	return c;
}
