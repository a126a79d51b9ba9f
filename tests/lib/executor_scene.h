/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An executor beside the link of a Slurm: what it does there goes to the servers of
 * lib/link_world.h.
 *
 *     struct scene s AUTO(scene_end) = { .w = *state };
 *     scene_begin(&s);
 */
#ifndef TESTS_LIB_EXECUTOR_SCENE_H
#define TESTS_LIB_EXECUTOR_SCENE_H

#include "engine/act/executor.h"
#include "lib/link_world.h"

struct scene {
	struct world *w;
	struct store *store; /* empty at first */
	struct executor *x;
	struct arena arena;
	struct plan plan; /* its texts are in arena */
	int outcomes;     /* that the executor has told */
};

void scene_begin(struct scene *s);
void scene_end(struct scene *s);

#endif
