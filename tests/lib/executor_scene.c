/* SPDX-License-Identifier: Apache-2.0 */
/* An executor beside a link. */
#include "lib/executor_scene.h"

static struct slurm_link *link_of(void *ctx, const char *ns, const char *cluster)
{
	(void)ns, (void)cluster;
	return ((struct scene *)ctx)->w->link;
}

static void outcome(void *ctx, const struct object_ref *about)
{
	(void)about, ((struct scene *)ctx)->outcomes++;
}

void scene_begin(struct scene *s)
{
	s->store = store_new(&s->w->loop.loop, NULL, NULL);
	struct executor_config config = {
		.kube = &s->w->kube,
		.store = s->store,
		.link_of = link_of,
		.outcome = outcome,
		.ctx = s,
	};
	s->x = executor_new(&config);
	s->plan.arena = &s->arena;
}

void scene_end(struct scene *s)
{
	executor_free(s->x);
	store_free(s->store);
	arena_free(&s->arena);
}
