/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that were deleted lately: the names of those that still matter, and addresses. */
#ifndef ENGINE_STORE_GONE_H
#define ENGINE_STORE_GONE_H

#include "engine/facts.h"
#include "net/loop.h"

struct group; /* engine/store/groups.h */

struct gone {
	struct loop *loop;
	bool (*matters)(const struct pod_fact *p); /* NULL: no pod matters */
	int64_t keep_ms;
	struct gone_name *names; /* newest first */
	struct group *by_name;
	unsigned noted;
};

/* A new, empty list of deleted pods. */
struct gone *gone_new(struct loop *loop);
/*
 * Notes that the pod is gone. Keeps its addresses for ten minutes, because Slurm may keep
 * the node that long, and its name for keep_ms if the pod matters. p may be NULL.
 */
void gone_note(struct gone *g, const struct pod_fact *p);
void gone_each(const struct gone *g, const char *ns, void (*each)(void *ctx, const char *name),
	void *ctx);
/* True if a deleted pod of this name had this address. */
bool gone_had(const struct gone *g, const char *ns, const char *name, const char *address);
void gone_free(struct gone *g);

#endif
