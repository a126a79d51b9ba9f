/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that went a while ago: names of those that matter still, and their addresses. */
#ifndef ENGINE_STORE_GONE_H
#define ENGINE_STORE_GONE_H

#include "engine/facts.h"
#include "net/loop.h"

struct group; /* engine/store/groups.h */

struct gone {
	struct loop *loop;
	bool (*matters)(const struct pod_fact *p); /* NULL: none does */
	int64_t keep_ms;
	struct gone_name *names; /* newest first */
	struct group *by_name;
	unsigned noted;
};

/* Nothing is remembered yet. */
struct gone *gone_new(struct loop *loop);
/*
 * The pod goes now: if it matters, its name is kept for keep_ms; and its addresses for
 * ten minutes, because Slurm may have its node so long. p may be NULL.
 */
void gone_note(struct gone *g, const struct pod_fact *p);
void gone_each(const struct gone *g, const char *ns, void (*each)(void *ctx, const char *name),
	void *ctx);
/* A pod of this name that went had this address. */
bool gone_had(const struct gone *g, const char *ns, const char *name, const char *address);
void gone_free(struct gone *g);

#endif
