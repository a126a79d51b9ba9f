/* SPDX-License-Identifier: Apache-2.0 */
/* List and watch against a server that the test plays. */
#include "lib/watch_world.h"

static void a_list_in_pages_is_one_list(void **state)
{
	struct world *w = *state;
	assert_string_equal(last(w)->path,
		"/api/v1/pods?labelSelector=app%3Da%2Cb%20in%20%28c%29&limit=500");
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"x/"
		"=\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
	assert_non_null(strstr(last(w)->path, "&limit=500&continue=x%2F%3D"));
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":"
		"\"b\"}}]}");
	heard(w, "begin +a +b end:7 ");
	assert_non_null(strstr(last(w)->path,
		"&watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds="));
}

static void an_expired_page_starts_the_list_over_once(void **state)
{
	struct world *w = *state;
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"x\"},\"items\":[]}");
	fake_answer(last(w), 410, GONE);
	assert_null(strstr(last(w)->path, "continue"));
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"y\"},\"items\":[]}");
	heard(w, "begin begin ");
	int sent = w->http.n;
	fake_answer(last(w), 410, GONE);
	assert_int_equal(w->http.n, sent);
	heard(w, "trouble:expired ");
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(w->http.n, sent + 1);
}

static void events_come_in_pieces(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	fake_data(last(w), "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"na");
	heard(w, "");
	fake_data(last(w),
		"me\":\"b\",\"resourceVersion\":\"8\"}}}\n" EVENT("DELETED", "a", "9")
			EVENT("NEWS", "z", "10") "{\"ty");
	heard(w, "+b -a ");
	fake_answer(last(w), 200, "");
	assert_non_null(strstr(last(w)->path, "resourceVersion=10&"));
}

static void a_bookmark_moves_only_the_position(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	fake_data(last(w), EVENT("BOOKMARK", "x", "55"));
	heard(w, "");
	fake_answer(last(w), 200, "");
	assert_non_null(strstr(last(w)->path, "resourceVersion=55&"));
}

static void an_ended_watch_goes_on_at_once(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	sim_loop_pass(&w->loop, 100000);
	fake_data(last(w), EVENT("BOOKMARK", "x", "55"));
	sim_loop_pass(&w->loop, 149000);
	int sent = w->http.n;
	fake_answer(last(w), 200, "");
	assert_int_equal(w->http.n, sent + 1);
	assert_non_null(strstr(last(w)->path, "watch=true"));
	heard(w, "");
}

static void a_watch_that_ends_at_once_is_not_a_hot_loop(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	int sent = w->http.n;
	fake_answer(last(w), 200, "");
	assert_int_equal(w->http.n, sent);
	heard(w, "trouble:retry ");
	sim_loop_pass(&w->loop, 200);
	assert_int_equal(w->http.n, sent + 1);
}

static void an_expired_watch_lists_at_once_but_not_for_ever(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	fake_data(last(w), "{\"type\":\"ERROR\",\"object\":" GONE "}\n");
	assert_null(strstr(last(w)->path, "watch=true"));
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"20\"},\"items\":[]}");
	heard(w, "begin end:20 ");
	int sent = w->http.n;
	fake_answer(last(w), 410, GONE); /* now as an answer instead of a stream */
	heard(w, "trouble:expired ");
	assert_int_equal(w->http.n, sent);
	sim_loop_pass(&w->loop, 30000);
	assert_int_equal(w->http.n, sent + 1);
	assert_null(strstr(last(w)->path, "watch=true"));
}

static void test_bad_input_an_api_server_that_restarts_is_waited_for(void **state)
{
	struct world *w = *state;
	int64_t pause = 200;
	given_it_watches(w);
	for (int i = 0; i < 12; i++) {
		int sent = w->http.n;
		fake_fail(last(w), ERR_LOST);
		heard(w, "trouble:lost ");
		int64_t wait_ms = sim_loop_due_ms(&w->loop) - w->loop.now_ms;
		assert_in_range(wait_ms, pause / 2, pause); /* never sooner than half of it */
		assert_int_equal(w->http.n, sent);
		sim_loop_pass(&w->loop, wait_ms);
		assert_int_equal(w->http.n, sent + 1);
		pause = pause * 2 > 30000 ? 30000 : pause * 2;
	}
	assert_non_null(strstr(last(w)->path, "resourceVersion=7&"));
	assert_int_equal(w->connected, 0);
	fake_data(last(w), EVENT("ADDED", "c", "8"));
	assert_int_equal(w->connected, 1); /* and it does not count as gone any more */
	fake_fail(last(w), ERR_LOST);
	sim_loop_pass(&w->loop, 200);
	assert_true(last(w)->open);
	heard(w, "+c trouble:lost ");
}

static void test_bad_input_a_missing_role_or_crd_is_asked_for_every_ten_seconds(void **state)
{
	struct world *w = *state;
	const int statuses[] = { 403, 404 };
	for (size_t i = 0; i < LENGTH(statuses); i++) {
		int sent = w->http.n;
		fake_answer(last(w), statuses[i],
			"{\"kind\":\"Status\",\"message\":\"no such thing for you\"}");
		sim_loop_pass(&w->loop, 9999);
		assert_int_equal(w->http.n, sent);
		sim_loop_pass(&w->loop, 1);
		assert_int_equal(w->http.n, sent + 1);
	}
	heard(w, "trouble:denied trouble:not-found ");
	assert_non_null(strstr(w->last_trouble.text,
		"listing pods: the API server answered 404: no such thing for you"));
}

static void a_kind_that_vanished_is_listed_again(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	fake_answer(last(w), 404, "404 page not found\n");
	sim_loop_pass(&w->loop, 10000);
	assert_null(strstr(last(w)->path, "watch=true"));
}

static void retry_after_is_respected(void **state)
{
	struct world *w = *state;
	int sent = w->http.n;
	fake_answer_after(last(w), 429, "{\"message\":\"slow down\"}", 7000);
	sim_loop_pass(&w->loop, 6999);
	assert_int_equal(w->http.n, sent);
	sim_loop_pass(&w->loop, 1);
	assert_int_equal(w->http.n, sent + 1);
}

/* Acceptance: removal-21 */
static void test_bad_input_an_object_that_is_nested_too_deep_holds_up_no_other(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str deep = { 0 }, page = { 0 }, event = { 0 };
	for (int i = 0; i < 10000; i++)
		str_add(&deep, i < 5000 ? "[" : "]");
	str_addf(&page,
		"{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"spec\":%s,\"metadata\":{"
		"\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}",
		str_text(&deep));
	str_addf(&event,
		"{\"type\":\"MODIFIED\",\"object\":{\"spec\":%s,\"metadata\":{\"name\":\"a\","
		"\"resourceVersion\":\"8\"}}}\n",
		str_text(&deep));

	answer_list(w, str_text(&page));
	heard(w, "begin +a(cut) +b end:7 ");
	fake_data(last(w), str_text(&event));
	fake_data(last(w), EVENT("ADDED", "c", "9"));
	heard(w, "+a(cut) +c ");
	assert_int_equal(w->last_trouble.kind, ERR_NONE);
}

static void test_bad_input_a_page_that_is_too_large_is_asked_for_in_smaller_ones(void **state)
{
	struct world *w = *state;
	for (int limit = 250; limit > 60; limit /= 2) {
		assert_int_equal(last(w)->max_answer_bytes, 8 << 20);
		fake_fail(last(w), ERR_TOO_LARGE);
		AUTO(str_free) struct str wanted = { 0 };
		str_addf(&wanted, "&limit=%d", limit);
		assert_non_null(strstr(last(w)->path, str_text(&wanted)));
	}
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"x\"},\"items\":[]}");
	assert_non_null(strstr(last(w)->path, "&limit=124&continue=x"));
	fake_fail(last(w), ERR_TOO_LARGE);
	assert_non_null(strstr(last(w)->path, "&limit=62&continue=x"));
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}");
	heard(w, "begin end:7 ");
}

static void test_bad_input_one_object_that_is_too_large_is_told(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 9; i++)
		fake_fail(last(w), ERR_TOO_LARGE);
	heard(w, "trouble:too-large ");
	assert_non_null(strstr(last(w)->path, "&limit=1"));
	assert_int_equal(last(w)->max_answer_bytes, 16 << 20);
}

static void test_bad_input_garbage_in_the_stream_lists_again(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	fake_data(last(w), "<html>\n");
	heard(w, "trouble:invalid ");
	sim_loop_pass(&w->loop, 200);
	assert_null(strstr(last(w)->path, "watch=true"));
}

static void test_bad_input_an_answer_that_is_no_list_is_no_empty_list(void **state)
{
	struct world *w = *state;
	answer_list(w, "{\"hello\":1}");
	heard(w, "trouble:retry ");
}

static void the_handler_may_free_the_watch(void **state)
{
	struct world *w = *state;
	w->free_on_upsert = true;
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":"
		"\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}");
	heard(w, "begin +a ");
	assert_false(last(w)->open);
	assert_int_equal(w->http.n, 1);
}

static void the_handler_may_free_the_watch_in_the_stream(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	w->free_on_upsert = true;
	fake_data(last(w), EVENT("ADDED", "b", "8") EVENT("ADDED", "c", "9"));
	heard(w, "+b ");
	assert_true(last(w)->cancelled);
}

static void test_fields_choose_what_is_listed_and_watched(void **state)
{
	struct world *w = *state;
	struct watch *fields = watch_new_by_fields(&w->kube, RES_POD, "spec.nodeName=a", &handler,
		w);
	assert_string_equal(last(w)->path,
		"/api/v1/pods?fieldSelector=spec.nodeName%3Da&limit=500");
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}");
	assert_non_null(strstr(last(w)->path, "fieldSelector=spec.nodeName%3Da&watch=true"));
	watch_free(fields);
}

/* Acceptance: removal-20 */
static void it_lists_anew_in_the_midst_of_a_stream(void **state)
{
	struct world *w = *state;
	given_it_watches(w);
	struct http_call *stream = last(w);
	sim_loop_pass(&w->loop, 1000);
	watch_list_anew(w->watch);
	assert_true(stream->cancelled);
	assert_null(strstr(last(w)->path, "watch=true"));
	/* then: it is as new as the question, and not before it is answered */
	int64_t asked_ms = loop_now_ms(&w->loop.loop);
	assert_int_equal(watch_listed_ms(w->watch), asked_ms - 1000);
	sim_loop_pass(&w->loop, 300);
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
	assert_int_equal(watch_listed_ms(w->watch), asked_ms);
	heard(w, "begin end:9 ");
	assert_non_null(strstr(last(w)->path, "resourceVersion=9&"));
}

/* Acceptance: removal-20 */
static void it_lists_anew_in_the_midst_of_a_list(void **state)
{
	struct world *w = *state;
	assert_true(watch_listed_ms(w->watch) == INT64_MIN);
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"x\"},\"items\":[]}");
	struct http_call *page = last(w);
	sim_loop_pass(&w->loop, 1000);
	watch_list_anew(w->watch);
	assert_true(page->cancelled);
	assert_null(strstr(last(w)->path, "continue"));
	/* and: once more in the same moment is the same list */
	int sent = w->http.n;
	watch_list_anew(w->watch);
	assert_int_equal(w->http.n, sent);
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
	heard(w, "begin begin end:9 ");
}

static void it_lists_anew_in_the_midst_of_a_pause(void **state)
{
	struct world *w = *state;
	fake_answer(last(w), 403, "{}");
	sim_loop_pass(&w->loop, 1000);
	int sent = w->http.n;
	watch_list_anew(w->watch);
	assert_int_equal(w->http.n, sent + 1);
	answer_list(w, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
	sim_loop_pass(&w->loop, 20000);
	assert_int_equal(w->http.n, sent + 2); /* the pause is over as well: it streams */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH_TEST(test_fields_choose_what_is_listed_and_watched),
		WATCH_TEST(a_list_in_pages_is_one_list),
		WATCH_TEST(an_expired_page_starts_the_list_over_once),
		WATCH_TEST(events_come_in_pieces),
		WATCH_TEST(a_bookmark_moves_only_the_position),
		WATCH_TEST(an_ended_watch_goes_on_at_once),
		WATCH_TEST(a_watch_that_ends_at_once_is_not_a_hot_loop),
		WATCH_TEST(an_expired_watch_lists_at_once_but_not_for_ever),
		WATCH_TEST(test_bad_input_an_api_server_that_restarts_is_waited_for),
		WATCH_TEST(test_bad_input_a_missing_role_or_crd_is_asked_for_every_ten_seconds),
		WATCH_TEST(a_kind_that_vanished_is_listed_again),
		WATCH_TEST(retry_after_is_respected),
		WATCH_TEST(test_bad_input_an_object_that_is_nested_too_deep_holds_up_no_other),
		WATCH_TEST(test_bad_input_a_page_that_is_too_large_is_asked_for_in_smaller_ones),
		WATCH_TEST(test_bad_input_one_object_that_is_too_large_is_told),
		WATCH_TEST(test_bad_input_garbage_in_the_stream_lists_again),
		WATCH_TEST(test_bad_input_an_answer_that_is_no_list_is_no_empty_list),
		WATCH_TEST(it_lists_anew_in_the_midst_of_a_stream),
		WATCH_TEST(it_lists_anew_in_the_midst_of_a_list),
		WATCH_TEST(it_lists_anew_in_the_midst_of_a_pause),
		WATCH_TEST(the_handler_may_free_the_watch),
		WATCH_TEST(the_handler_may_free_the_watch_in_the_stream),
	};
	return cmocka_run_group_tests_name("kube_watch", tests, NULL, NULL);
}
