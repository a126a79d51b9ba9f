/* SPDX-License-Identifier: Apache-2.0 */
/* A watch that tells nothing: for how long that is believed, and what is done then. */
#include "lib/watch_world.h"

/*
 * After a restore of etcd the position is one that is yet to come: such a watch is
 * accepted and tells nothing.
 */
static void a_watch_that_tells_nothing_for_minutes_lists_again(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	struct http_call *stream = last(w);
	sim_loop_pass(&w->loop, 149999);
	assert_true(stream->open);
	sim_loop_pass(&w->loop, 1);
	assert_true(stream->cancelled);
	assert_null(strstr(last(w)->path, "watch=true"));
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[]}");
	heard(w, "begin end:5 ");
	assert_non_null(strstr(last(w)->path, "resourceVersion=5&"));
}

/* An event that comes byte by byte keeps those behind it back. */
/* Acceptance: removal-21 */
static void test_bad_input_an_event_that_comes_slowly_is_not_waited_for(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	for (int s = 0; s < 20; s++) {
		fake_data(last(w), s ? "x" : EVENT("ADDED", "b", "8") "{\"type");
		sim_loop_pass(&w->loop, 1000);
	}
	heard(w, "+b ");
	for (int s = 0; s < 10; s++)
		sim_loop_pass(&w->loop, 1000);
	fake_data(last(w), "x");
	heard(w, "trouble:invalid ");
	assert_non_null(strstr(w->last_trouble.text, "30 s"));
}

/* Longer than a watch may be silent: it is followed by a watch all the same. */
static void a_list_that_takes_long_is_not_followed_by_another(void **state)
{
	struct world *w = *state;
	sim_loop_pass(&w->loop, 200000);
	given_it_watches(w);
	assert_int_equal(watch_seen_ms(w->watch), w->loop.now_ms - 200000);
	struct http_call *stream = last(w);
	sim_loop_pass(&w->loop, 89999);
	assert_true(stream->open);
	fake_data(stream, EVENT("BOOKMARK", "x", "8"));
	assert_int_equal(watch_seen_ms(w->watch), w->loop.now_ms);
	sim_loop_pass(&w->loop, 149999);
	assert_true(stream->open);
}

/* A watch that goes on after that would tell nothing for another minute. */
static void after_minutes_without_the_api_server_everything_is_listed(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	int64_t seen_ms = watch_seen_ms(w->watch);
	while (w->loop.now_ms < seen_ms + 3600000) {
		if (last(w)->open)
			fake_fail(last(w), ERR_LOST);
		sim_loop_pass(&w->loop, 1000);
	}
	assert_int_equal(watch_seen_ms(w->watch), seen_ms);
	while (!last(w)->open)
		sim_loop_pass(&w->loop, 1000);
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
	assert_in_range(w->loop.now_ms - watch_seen_ms(w->watch), 0, 1000);
	assert_int_equal(w->connected, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH_TEST(a_watch_that_tells_nothing_for_minutes_lists_again),
		WATCH_TEST(test_bad_input_an_event_that_comes_slowly_is_not_waited_for),
		WATCH_TEST(a_list_that_takes_long_is_not_followed_by_another),
		WATCH_TEST(after_minutes_without_the_api_server_everything_is_listed),
	};
	return cmocka_run_group_tests_name("kube_watch_silent", tests, NULL, NULL);
}
