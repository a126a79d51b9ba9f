/* SPDX-License-Identifier: Apache-2.0 */
/* A client of an API server that a test plays. */
#include "lib/given_kube.h"

void given_kube(struct kube *kube, struct fake_http *http, struct sim_loop *loop)
{
	sim_loop_init(loop, SIM_LOOP_WALL_MS);
	fake_http_init(http, loop);
	*kube = (struct kube){ &http->http, &loop->loop };
}

void free_kube(struct fake_http *http, struct sim_loop *loop)
{
	assert_int_equal(sim_loop_end(loop), 0);
	fake_http_clear(http);
}
