/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finalizer holds a pod of a job until the status of its object records the pod. If the
 * object is deleted before that, there is no object to plan, so this file calls the kind.
 */
#include "base/own.h"
#include "base/str.h"
#include "engine/controller_parts.h"

enum { LOOK_MS = 30000 };

static const struct kind *maker_of(const struct controller *c, const struct pod_fact *pod)
{
	for (const struct kind *const *k = c->config.kinds; *k; k++)
		if ((*k)->pod_left && (*k)->resource == pod->controller.resource)
			return *k;
	return NULL;
}

static void ask_maker(struct controller *c, const struct pod_fact *pod)
{
	AUTO(arena_free) struct arena arena = { 0 };
	struct plan plan = { .arena = &arena };
	const struct kind *k = maker_of(c, pod);
	if (!k || subject_of_uid(c, pod->ns, pod->controller.uid) ||
		!sources_complete(c->sources, k->resource, pod->ns))
		return;
	const struct sight sight = {
		.store = c->store,
		.loop = c->config.loop,
		.acting_since_ms = c->acting_since_ms,
		.seen_ms = sources_seen_ms(c->sources, k->resource, pod->ns),
	};
	k->pod_left(&sight, pod, &plan);
	struct object_ref about = { RES_POD, arena_strdup(&arena, pod->ns),
		arena_strdup(&arena, pod->name), arena_strdup(&arena, pod->uid) };
	executor_run(c->executor, &plan, &about, NULL);
}

struct held {
	struct arena arena;
	struct object_ref *pods;
	size_t n, cap;
};

static void gather(void *ctx, const struct record *rec)
{
	struct held *h = ctx;
	if (!rec->pod || rec->pod->unreported_at < 0)
		return;
	if (h->n == h->cap) {
		h->cap = h->cap ? h->cap * 2 : 16;
		h->pods = own_realloc(h->pods, h->cap * sizeof(*h->pods));
	}
	h->pods[h->n++] = (struct object_ref){ RES_POD, arena_strdup(&h->arena, rec->ns),
		arena_strdup(&h->arena, rec->name), NULL };
}

static void look(void *ctx)
{
	struct controller *c = ctx;
	struct held held = { 0 };
	c->left_timer = NULL;
	store_each(c->store, RES_POD, NULL, gather, &held);
	for (size_t i = 0; i < held.n && c->leading && !c->stopped; i++) {
		const struct record *rec = store_get(c->store, RES_POD, held.pods[i].ns,
			held.pods[i].name);
		if (rec)
			ask_maker(c, rec->pod);
	}
	for (size_t i = 0; i < held.n; i++)
		controller_note_held(c, held.pods[i].ns, held.pods[i].name);
	free(held.pods);
	arena_free(&held.arena);
}

void controller_note_held(struct controller *c, const char *ns, const char *name)
{
	const struct record *rec = c->left_timer || c->stopped
		? NULL
		: store_get(c->store, RES_POD, ns, name);
	if (rec && rec->pod && rec->pod->unreported_at >= 0)
		c->left_timer = timer_start(c->config.loop, LOOK_MS, look, c);
}
