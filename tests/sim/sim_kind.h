/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind in the simulated world: how it begins, what users do to it, what must hold of
 * every write, and when it is what was asked for. A file each, sim_kind_*.c, and one row
 * in sim_kind.c; users, oracles and convergence name none.
 */
#ifndef SIM_KIND_H
#define SIM_KIND_H

#include "sim/sim_world.h"

/* One thing that happens. what: the object that is meant, see sim_kind.means */
typedef void sim_happens(struct world *w, const struct world_object *what);

struct sim_act {
	int weight;
	sim_happens *happens;
	/* Within seconds, in turns with the act itself, so many times; NULL: nothing */
	sim_happens *then;
	int times;
	int always; /* weight that it has in every world */
};

struct sim_kind {
	enum resource resource; /* RES_NONE: a part of the world that is none */
	/*
	 * Each act means one of these, drawn; RES_NONE: the resource itself. An act on a
	 * pod means one of a NodeSet's pods.
	 */
	enum resource means;
	const struct sim_act *acts;
	size_t n_acts;
	/* In every world, before the first action; NULL: nothing */
	void (*begin)(struct world *w);
	/* The first objects of users in a seed; NULL: nothing */
	void (*set_up)(struct world *w);
	/* Users delete one of them at the end of some seeds; NULL: never */
	sim_happens *ends;
	/* The troubles end, and broken things stay so; NULL: nothing */
	void (*calm)(struct world *w);
	/* Repairs that undo the faults of people; NULL: nothing */
	void (*repair)(struct world *w);
	/*
	 * An object of the kind, drawn: other clients may write there. NULL: they do not
	 */
	struct world_object (*some)(struct world *w);
	bool has_conditions; /* of other clients too, in a list */
	bool has_labels;     /* of other clients too */
	/* The rules on a write of any client; NULL: none but those for every resource */
	void (*on_write)(struct sim_oracle *o, const struct sim_write *w);
	/*
	 * Whether the object is what was asked for; otherwise why not, in out. NULL: it
	 * always is
	 */
	bool (*fits)(const struct sim_oracle *o, const struct sim_version *v, char *out,
		size_t cap);
	/* The little of it that stories turn on, for a trace; false: it is left out */
	bool (*trace)(const struct sim_write *w, struct str *out);
};

extern const struct sim_kind *const sim_kinds[];     /* NULL: the end */
const struct sim_kind *sim_kind_of(enum resource r); /* NULL: it has no row */

/* ---- the rows ---- */
extern const struct sim_kind sim_kind_nodeset, sim_kind_cluster, sim_kind_pod, sim_kind_claim,
	sim_kind_secret, sim_kind_event, sim_kind_lease, sim_kind_slurm, sim_kind_machine,
	sim_kind_any;

/* ---- words of several files ---- */
static inline int64_t sim_draw(struct world *w, int64_t low, int64_t high)
{
	return sim_rand_range(&w->rand, low, high);
}

struct sim_name {
	char text[64];
};
/* A name that a pod of the NodeSet may have, and so its node. */
struct sim_name sim_some_pod(struct world *w, const struct world_object *nodeset);
/* The name of that node in Slurm. */
struct sim_name sim_some_node(struct world *w, const struct world_object *nodeset);
struct sim_name sim_node_name(const struct world_object *nodeset, int ordinal);

#endif
