/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An executor between a store and an API server that the test plays (fake_http.h). The
 * test fills the plan, has it run, and answers what comes of it.
 *
 *     cmocka_unit_test_setup_teardown(name, given_an_executor, free_executor_world)
 */
#ifndef TESTS_LIB_EXECUTOR_WORLD_H
#define TESTS_LIB_EXECUTOR_WORLD_H

#include "lib/given_kube.h"

#include "engine/act/executor.h"

struct executor_world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct store *store;
	struct events *events;
	struct executor *executor;
	struct slurm_link *link; /* NULL: there is none */
	struct arena arena;
	struct plan plan;
	int outcomes; /* that it has told of */
};

int given_an_executor(void **state);
int free_executor_world(void **state);

extern const struct object_ref executor_about; /* the NodeSet ns/foo, whose plan it is */

/* The plan creates foo-i, with Events of both outcomes */
struct action *given_creation(struct executor_world *w, struct operation operation, int i);
int64_t when_run(struct executor_world *w); /* the plan; after how long to look again */
/* The oldest open request with this in its "METHOD path": there must be one */
struct http_call *asked(struct executor_world *w, const char *part);

#endif
