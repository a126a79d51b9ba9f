/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of an API server that a test plays (fake_http.h), under a fake clock.
 *
 *     struct world {
 *             struct sim_loop loop;
 *             struct fake_http http;
 *             struct kube kube;
 *     };
 *     given_kube(&w->kube, &w->http, &w->loop);
 *     kube_send(&w->kube, ...);
 *     fake_answer(fake_last(&w->http), 200, "{}");
 *     free_kube(&w->http, &w->loop);
 */
#ifndef TESTS_LIB_GIVEN_KUBE_H
#define TESTS_LIB_GIVEN_KUBE_H

#include "lib/fake_http.h"
#include "lib/sim_loop.h"
#include "lib/test.h"

#include "kube/client.h"

void given_kube(struct kube *kube, struct fake_http *http, struct sim_loop *loop);
/* No timer may be left */
void free_kube(struct fake_http *http, struct sim_loop *loop);

#endif
