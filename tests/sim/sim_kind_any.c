/* SPDX-License-Identifier: Apache-2.0 */
/* Writes of other clients into objects of any kind. */
#include <stdio.h>

#include "base/own.h"
#include "sim/sim_kind.h"

static bool labelled(const struct sim_kind *k) { return k->has_labels; }
static bool conditioned(const struct sim_kind *k) { return k->has_conditions; }

/* A row of those, drawn: the last one for 0. */
static const struct sim_kind *draw_kind(struct world *w, bool (*is)(const struct sim_kind *k))
{
	int64_t n = 0;
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		n += is(*k);
	n -= 1 + sim_draw(w, 0, n - 1);
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if (is(*k) && n-- == 0)
			return *k;
	return NULL;
}

static void label(struct world *w, const struct world_object *what)
{
	char patch[120];
	(void)what;
	snprintf(patch, sizeof(patch),
		"{'metadata':{'labels':{'team':'t%d'},'annotations':{'example.com/seen':'%d'}}}",
		(int)sim_draw(w, 0, 99), (int)sim_draw(w, 0, 99));
	struct world_object it = draw_kind(w, labelled)->some(w);
	world_patch(w, it.resource, it.ns, it.name, "", patch);
}

/*
 * Appended to the list, as a client does that shares it with others; without a list there
 * is nothing to append to.
 */
static void condition(struct world *w, const struct world_object *what)
{
	char patch[240];
	(void)what;
	struct world_object it = draw_kind(w, conditioned)->some(w);
	snprintf(patch, sizeof(patch),
		"[{'op':'add','path':'/status/conditions/-','value':{'type':'example.com/"
		"Seen','status':'True','message':'%d'}}]",
		(int)sim_draw(w, 0, 999));
	yyjson_doc *doc = sim_json(patch);
	sim_patch(&w->kube, (struct sim_origin){ .actor = ACTOR_USER }, it.resource, it.ns, it.name,
		"status", SIM_JSON_PATCH, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

static const struct sim_act acts[] = {
	{ 2, label },
	{ 1, condition },
};

const struct sim_kind sim_kind_any = { .acts = acts, .n_acts = LENGTH(acts) };
