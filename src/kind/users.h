/* SPDX-License-Identifier: Apache-2.0 */
/* The NodeSets that name a Cluster. */
#ifndef KIND_USERS_H
#define KIND_USERS_H

#include "base/arena.h"
#include "engine/store/store.h"

struct users {
	size_t n;
	const char *names; /* "a, b and 3 more"; "" when there are none */
};

/* The NodeSets of ns whose spec.clusterName is cluster. The list lives in arena. */
struct users users_of(const struct store *store, const char *ns, const char *cluster,
	struct arena *arena);

#endif
