/* Creates the pods that are missing, at the lowest free ordinals. Slurm is not asked: a set grows and heals while slurmrestd is away. */
#include "base/str.h"
#include "build/pod.h"
#include "plan/nodeset/world.h"

/* taken[i]: some pod of the namespace has the name of ordinal i, whether it is ours, terminating, or somebody else's. */
static bool *taken_ordinals(struct world *w, int64_t limit)
{
	bool *taken = arena_array(w->arena, bool, limit);
	for (size_t i = 0; i < w->view->n_pods; i++) {
		int64_t ordinal = pod_ordinal(w->set.name, w->view->pods[i]->name);
		if (ordinal >= 0 && ordinal < limit)
			taken[ordinal] = true;
	}
	return taken;
}

static void create(struct world *w, int64_t ordinal, const char *name)
{
	order_creation(w, ACT_CREATE_POD, RES_POD, name, arena_printf(w->arena, "creating pod %s: there are fewer pods than spec.replicas", name),
		pod_build(w->d, w->arena, &w->set, ordinal, w->hash));
}

void step_create(struct world *w)
{
	int64_t absent = w->set.deleting ? 0 : w->set.replicas - (int64_t)w->n_pods;
	if (absent <= 0 || !w->hash)
		return;
	int64_t limit = w->set.replicas + (int64_t)w->view->n_pods, missing = absent - (int64_t)w->view->n_overtaken;
	bool *taken = taken_ordinals(w, limit);
	w->tally.creating = absent;
	for (int64_t ordinal = 0; ordinal < limit && missing > 0 && w->n_creates < w->view->max_creates; ordinal++) {
		if (taken[ordinal])
			continue;
		missing--;
		const char *name = pod_name(w->arena, &w->set, ordinal);
		if (claims_ready(w, name))
			create(w, ordinal, name);
	}
}
