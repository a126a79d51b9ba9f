/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uid of a NodeSet's namespace is asked for once, and again now and then while the
 * API server does not tell.
 */
#include "lib/given_kube.h"

#include "base/log.h"
#include "kind/second_owner.h"

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct second_owner *second_owner;
	int told;
};

static void known(void *ctx) { ((struct world *)ctx)->told++; }

static int given_a_second_owner(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	log_set_level(LOG_ERROR);
	given_kube(&w->kube, &w->http, &w->loop);
	w->second_owner = second_owner_new(&w->kube, "ns", known, w);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	second_owner_free(w->second_owner);
	free_kube(&w->http, &w->loop);
	free(w);
	return 0;
}

#define NAMESPACE "{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\",\"uid\":\"ns-uid\"}}"

static void test_it_is_not_known_before_the_answer_and_then_for_good(void **state)
{
	struct world *w = *state;
	assert_null(second_owner_uid(w->second_owner));
	assert_string_equal(fake_last(&w->http)->path, "/api/v1/namespaces/ns");
	fake_answer(fake_last(&w->http), 200, NAMESPACE);
	assert_string_equal(second_owner_uid(w->second_owner), "ns-uid");
	assert_int_equal(w->told, 1);
	sim_loop_pass(&w->loop, 3600000);
	assert_int_equal(w->http.n, 1);
}

static void test_a_refusal_holds_nothing_up_and_is_asked_again_after_minutes(void **state)
{
	struct world *w = *state;
	fake_answer(fake_last(&w->http), 403,
		"{\"kind\":\"Status\",\"code\":403,\"message\":\"namespaces is forbidden\"}");
	assert_string_equal(second_owner_uid(w->second_owner), "");
	assert_int_equal(w->told, 1);
	sim_loop_pass(&w->loop, 60000);
	assert_int_equal(w->http.n, 1);
	sim_loop_pass(&w->loop, 300000);
	assert_int_equal(w->http.n, 2);
	fake_answer(fake_last(&w->http), 200, NAMESPACE);
	assert_string_equal(second_owner_uid(w->second_owner), "ns-uid");
	assert_int_equal(w->told, 2);
}

static void test_a_lost_answer_is_asked_for_again_soon(void **state)
{
	struct world *w = *state;
	fake_fail(fake_last(&w->http), ERR_LOST);
	assert_null(second_owner_uid(w->second_owner));
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(w->http.n, 2);
	fake_fail(fake_last(&w->http), ERR_RETRY);
	assert_int_equal(w->told, 0); /* nothing new */
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(w->http.n, 3);
	fake_answer(fake_last(&w->http), 200, NAMESPACE);
	assert_string_equal(second_owner_uid(w->second_owner), "ns-uid");
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_second_owner, free_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_it_is_not_known_before_the_answer_and_then_for_good),
		T(test_a_refusal_holds_nothing_up_and_is_asked_again_after_minutes),
		T(test_a_lost_answer_is_asked_for_again_soon),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
