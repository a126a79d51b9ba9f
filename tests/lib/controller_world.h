/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole operator, which leads, against an API server that the test plays
 * (fake_http.h): its lists wait for their answers, and then its watches for events. There
 * is no Slurm.
 *
 *     cmocka_unit_test_setup_teardown(name, given_an_operator, free_controller_world)
 */
#ifndef TESTS_LIB_CONTROLLER_WORLD_H
#define TESTS_LIB_CONTROLLER_WORLD_H

#include "lib/given_kube.h"

#include "engine/controller.h"

struct controller_world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct controller *controller;
	int version; /* of the last object that the test gave */
};

int given_an_operator(void **state);
int free_controller_world(void **state);

/* The open watch of "/pods", "/nodesets", ...: there must be one */
struct http_call *watch_of(struct controller_world *w, const char *resource);

#endif
