/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the simulated API server for a resource beyond those for every one: a row
 * each. A resource of deploy/crds needs none.
 */
#ifndef SIM_RESOURCE_H
#define SIM_RESOURCE_H

#include "sim/sim_store.h"

struct sim_resource {
	bool has_status;        /* a subresource of its own */
	bool status_has_notes;  /* writes of it may change labels and annotations */
	bool versioned;         /* an update has to name the resourceVersion */
	bool ungenerated;       /* it has a spec, but no metadata.generation */
	bool has_grace;         /* while it runs, it ends some time after it was told to */
	bool stays_until_empty; /* what is deleted goes when nothing is left in it */
	bool own;               /* the program's alone: no other client writes into it */
	const char *finalizer;  /* that a new one gets; NULL: none */
	const char *phase;      /* of a new one; NULL: it has none */
	size_t most;            /* of them: then the oldest goes; 0: any number */
	/* A sentence why it cannot be created; NULL: it can */
	const char *(*missing)(yyjson_val *body);
	/* Whether the update changes what cannot be changed; NULL: everything can */
	bool (*fixed)(const struct sim_version *old, yyjson_mut_doc *d, yyjson_mut_val *root);
	/* A member that every update by any client gets: see sim_kube.strips */
	const char *orphaned;
};
extern const struct sim_resource sim_resources[RES_COUNT];

bool sim_has_status(enum resource r);
bool sim_versioned(enum resource r);

#endif
