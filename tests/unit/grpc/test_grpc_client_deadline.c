/* SPDX-License-Identifier: Apache-2.0 */
/* The deadline of a call, which both sides know, and which side of it is seen first. */
#include "lib/asks.h"
#include "lib/h2_peer.h"

enum { TIMEOUT_MS = 200, CANCEL = 8 };

static void a_server_that_keeps_the_deadline_has_not_cancelled(void **state)
{
	struct h2_peer p = { 0 };
	struct told t = { .timeout_ms = TIMEOUT_MS };
	struct grpc_client *c;
	(void)state;
	/* given: a call that its server has, and whose time is over */
	h2_listen(&p, loop_uv_new());
	struct grpc_client_config config = { .path = p.path };
	assert_false(failed(grpc_client_new(p.loop, &config, &c)));
	ask_once(p.loop, c, &t, "/a.B/C", "question");
	int64_t over_ms = loop_now_ms(p.loop) + TIMEOUT_MS;
	h2_take_call(&p);
	while (loop_now_ms(p.loop) <= over_ms) {
	}
	/* when: its reset comes before our own timer is looked at */
	h2_number(&p, H2_RST_STREAM, 1, CANCEL);
	told_wait(&t);
	/* then: the deadline has passed, and nothing was cancelled */
	told_is(&t, GRPC_EFFECT_UNKNOWN, GRPC_DEADLINE_EXCEEDED);
	grpc_client_free(c);
	h2_free(&p);
	loop_uv_free(p.loop);
	told_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_that_keeps_the_deadline_has_not_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
