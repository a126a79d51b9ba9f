/* SPDX-License-Identifier: Apache-2.0 */
/* Names of pods that went a while ago, and that matter still. */
#ifndef ENGINE_GONE_H
#define ENGINE_GONE_H

#include "engine/facts.h"
#include "net/loop.h"

struct gone {
	struct loop *loop;
	bool (*matters)(const struct pod_fact *p); /* NULL: none does */
	int64_t keep_ms;
	struct gone_name *names;
};

/* Nothing is remembered yet. */
struct gone *gone_new(struct loop *loop);
/* It goes now: if it matters, its name is kept for keep_ms. p may be NULL. */
void gone_note(struct gone *g, const struct pod_fact *p);
void gone_each(const struct gone *g, const char *ns, void (*each)(void *ctx, const char *name),
	void *ctx);
void gone_free(struct gone *g);

#endif
