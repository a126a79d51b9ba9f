/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole operator against an API server that is not what it should be: it says what is
 * wrong, where, and what would be right, and goes on.
 */
#include "lib/controller_world.h"

#include "api/names.h"
#include "base/metric.h"

#define GOOD_LIST "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"

/* A list of one. */
#define ONE_NODESET(spec, metadata)                                                           \
	"{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{\"metadata\":{\"name\":\"a\"," \
	"\"namespace\":\"b\",\"uid\":\"c\",\"resourceVersion\":\"1\"" metadata "}," spec "}]}"

/* Answers every list; the one of nodesets so. Watches stay open. */
static void when_listed(struct controller_world *w, int status, const char *nodesets)
{
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "/nodesets", status, nodesets },
		{ "", 200, GOOD_LIST },
	};
	fake_answer_all(&w->http, script, LENGTH(script));
}

static void then_ready(struct controller_world *w)
{
	assert_string_equal(controller_trouble(w->controller), "");
}

static void then_trouble(struct controller_world *w, const char *wrong, const char *right)
{
	const char *text = controller_trouble(w->controller);
	if (!strstr(text, wrong) || !strstr(text, right))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", text, wrong, right);
}

static void then_recovers(struct controller_world *w, int64_t after_ms)
{
	sim_loop_pass(&w->loop, after_ms);
	when_listed(w, 200, GOOD_LIST);
	then_ready(w);
}

static void test_bad_input_a_crd_that_is_not_installed_is_named_with_its_remedy(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 404, "404 page not found\n");
	then_trouble(w, "listing nodesets: the API server answered 404", "apply deploy/crds");
	then_recovers(w, 10000);
}

static void test_bad_input_missing_rbac_is_named_with_its_remedy(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 403,
		"{\"kind\":\"Status\",\"code\":403,\"message\":\"nodesets.slinky.slurm.net is "
		"forbidden: User \\\"x\\\" cannot list\"}");
	then_trouble(w,
		"listing nodesets: the API server answered 403: nodesets.slinky.slurm.net is "
		"forbidden",
		"slurm-operator rbac");
	then_recovers(w, 10000);
}

/* 401 is not 403: no role helps an unknown token. */
static void test_a_token_that_is_not_known_is_told_apart_from_missing_rbac(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 401, "{\"kind\":\"Status\",\"code\":401,\"message\":\"Unauthorized\"}");
	then_trouble(w, "listing nodesets: the API server answered 401: Unauthorized",
		"kubectl rollout restart deployment/slurm-operator");
	assert_null(strstr(controller_trouble(w->controller), "rbac"));
	then_recovers(w, 10000);
}

static void test_bad_input_an_answer_that_is_not_json_or_too_deep_is_waited_out(void **state)
{
	struct controller_world *w = *state;
	struct str deep AUTO(str_free) = { 0 };
	for (int i = 0; i < 100000; i++)
		str_add(&deep, "[");
	when_listed(w, 200, "<html>captive portal</html>");
	then_trouble(w, "listing nodesets: the answer of the API server is not readable: not JSON",
		"");
	sim_loop_pass(&w->loop, 30000);
	when_listed(w, 200, str_text(&deep));
	then_trouble(w, "not JSON", "");
	sim_loop_pass(&w->loop, 30000);
	/* cut */
	when_listed(w, 200,
		"{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{\"metadata\":{\"na");
	then_trouble(w, "not JSON", "");
	then_recovers(w, 30000);
}

static void test_bad_input_an_api_server_that_restarts_is_found_again(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200, GOOD_LIST);
	then_ready(w);
	int watches = w->http.n;
	for (int i = 0; i < watches; i++)
		if (w->http.calls[i].open)
			fake_fail(&w->http.calls[i], ERR_LOST);
	then_ready(w); /* what is known stays usable */
	sim_loop_pass(&w->loop, 1000);
	/* Half of the calls were lists; each watch is there again */
	assert_int_equal(w->http.n, watches + watches / 2);
}

/*
 * An API server that has just started may not know a CRD for a moment: refused once is no
 * trouble yet.
 */
static void test_a_crd_that_is_deleted_under_the_manager_is_told_until_it_is_back(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200, GOOD_LIST);
	fake_answer(watch_of(w, "/nodesets"), 404, "404 page not found\n");
	then_ready(w);
	sim_loop_pass(&w->loop, 10000);
	when_listed(w, 404, "404 page not found\n");
	then_trouble(w, "listing nodesets: the API server answered 404", "apply deploy/crds");
	sim_loop_pass(&w->loop, 10000);
	fake_fail(fake_last(&w->http), ERR_LOST); /* a break changes nothing */
	then_trouble(w, "listing nodesets", "");
	then_recovers(w, 30000);
	fake_answer(watch_of(w, "/nodesets"), 404, "404 page not found\n");
	then_ready(w); /* counted anew */
}

/* The metric of the watch of pods. */
static double seconds_out_of_order(struct controller_world *w)
{
	AUTO(str_free) struct str text = { 0 };
	controller_measure(w->controller);
	metric_render(&text);
	const char *at = strstr(str_text(&text),
		"slurm_operator_watch_out_of_order_seconds{resource=\"pods\",namespace=\"\"} ");
	assert_non_null(at);
	return strtod(strchr(at, ' '), NULL);
}

/*
 * An object that is written again and again does not fill the log, and is counted once.
 */
static void test_bad_input_what_is_known_in_part_is_counted_once(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str text = { 0 };
	when_listed(w, 200, GOOD_LIST);
	for (int version = 2; version < 5; version++) {
		str_clear(&text);
		str_addf(&text, "{\"type\":\"MODIFIED\",\"object\":{\"spec\":");
		for (int i = 0; i < 200; i++)
			str_add(&text, i < 100 ? "[" : "]");
		str_addf(&text,
			",\"metadata\":{\"name\":\"a\",\"namespace\":\"b\",\"uid\":\"c\","
			"\"resourceVersion\":\"%d\"}}}\n",
			version);
		fake_data(watch_of(w, "/pods"), str_text(&text));
	}
	str_clear(&text);
	metric_render(&text);
	assert_non_null(strstr(str_text(&text),
		"slurm_operator_objects_cut_total{resource=\"pods\"} 1\n"));
}

enum { REVISIONS = 80 }; /* so many large ones do not fit */

static void add_revision(struct str *out, int i, int version)
{
	str_addf(out,
		"{\"metadata\":{\"name\":\"r-%d\",\"namespace\":\"b\",\"uid\":\"u-%d\","
		"\"resourceVersion\":\"%d\"},\"data\":[\"%0120000d\",\"%0120000d\"]}",
		i, i, version, 0, 0);
}

static void when_revisions_are_made(struct controller_world *w)
{
	AUTO(str_free) struct str text = { 0 };
	for (int i = 0; i < REVISIONS; i++) {
		str_clear(&text);
		str_add(&text, "{\"type\":\"ADDED\",\"object\":");
		add_revision(&text, i, ++w->version);
		str_add(&text, "}\n");
		fake_data(watch_of(w, "/controllerrevisions"), str_text(&text));
	}
}

static void when_revision_goes(struct controller_world *w, int i)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"r-%d\","
		"\"namespace\":\"b\",\"uid\":\"u-%d\",\"resourceVersion\":\"%d\"}}}\n",
		i, i, ++w->version);
	fake_data(watch_of(w, "/controllerrevisions"), str_text(&text));
}

#define NODESET(name, ns)                                                                  \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"" ns "\",\"uid\":\"" name ns \
	"\",\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":1}}"

/* One after the other; how many. */
static int when_they_are_read_again(struct controller_world *w)
{
	struct http_call *c;
	int n = 0;
	for (; (c = fake_open(&w->http, "GET /apis/apps/v1/namespaces/b/controllerrevisions/r-"));
		n++) {
		AUTO(str_free) struct str text = { 0 };
		int i = atoi(strrchr(c->path, '-') + 1);
		add_revision(&text, i, w->version);
		fake_answer(c, 200, str_text(&text));
	}
	return n;
}

/* When there is room again, what is known in part is read, and the NodeSet goes on. */
/* Acceptance: removal-21 */
static void test_bad_input_a_namespace_with_too_many_large_objects_stops_itself_only(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200,
		"{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" NODESET("a",
			"b") "," NODESET("a", "quiet") "]}");
	w->version = 1;
	when_revisions_are_made(w);
	sim_loop_pass(&w->loop, 10);
	struct http_call *heap = fake_open(&w->http,
		"PATCH /apis/slinky.slurm.net/v1alpha1/"
		"namespaces/b/nodesets/a/status");
	assert_non_null(heap);
	assert_non_null(strstr(heap->body, "NamespaceTooLarge"));
	assert_non_null(fake_open(&w->http,
		"PATCH /apis/slinky.slurm.net/v1alpha1/"
		"namespaces/quiet/nodesets/a"));
	sim_loop_pass(&w->loop, 10000);
	assert_null(fake_open(&w->http, "GET /apis/apps/v1/namespaces/b/controllerrevisions/r-"));
	for (int i = 0; i < 3 * REVISIONS / 4; i++)
		when_revision_goes(w, i);
	sim_loop_pass(&w->loop, 10000);
	assert_in_range(when_they_are_read_again(w), 1, REVISIONS / 4);
	sim_loop_pass(&w->loop, 10000);
	assert_int_equal(when_they_are_read_again(w), 0);
}

/* The others go on: only the watch of pods is held back, and so are its lists. */
/* Acceptance: removal-19 */
static void test_bad_input_a_watch_that_is_held_back_shows(void **state)
{
	struct controller_world *w = *state;
	const struct fake_row lists[] = {
		{ "watch=true", 0, NULL },
		{ "/pods", 0, NULL },
		{ "", 200, GOOD_LIST },
	};
	when_listed(w, 200, GOOD_LIST);
	assert_int_equal(seconds_out_of_order(w), 0);
	for (int s = 0; s <= 180; s++) {
		then_ready(w);
		assert_int_equal(seconds_out_of_order(w), 0);
		fake_answer_all(&w->http, lists, LENGTH(lists));
		sim_loop_pass(&w->loop, 1000);
	}
	then_trouble(w, "for 3 minutes no watch has reported pods", "");
	assert_int_equal(seconds_out_of_order(w), 181);
	when_listed(w, 200, GOOD_LIST);
	then_ready(w);
	assert_int_equal(seconds_out_of_order(w), 0);
}

/* Acceptance: removal-19 */
static void test_bad_input_an_api_server_that_is_away_for_long_shows(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200, GOOD_LIST);
	w->http.forgets = true;
	for (int s = 0; s < 3600; s++) {
		for (int i = 0; i < w->http.n && i < FAKE_CALLS; i++)
			if (w->http.calls[i].open)
				fake_fail(&w->http.calls[i], ERR_LOST);
		sim_loop_pass(&w->loop, 1000);
	}
	then_trouble(w, "for 3 minutes no watch has reported ", "a fault of the test");
	assert_true(seconds_out_of_order(w) >= 3600);
	then_recovers(w, 30000);
	assert_int_equal(seconds_out_of_order(w), 0);
}

/* Frozen for long, and another may lead: it finds out when it is about to act. */
static void test_when_its_time_is_over_nothing_is_sent(void **state)
{
	struct controller_world *w = *state;
	controller_may_act(w->controller, loop_now_ms(&w->loop.loop) + 1000);
	sim_loop_pass(&w->loop, 1000);
	when_listed(w, 200, ONE_NODESET("\"spec\":{}", ""));
	int sent = w->http.n;
	sim_loop_pass(&w->loop, 900);
	for (int i = sent; i < w->http.n; i++)
		assert_string_equal(w->http.calls[i].method, "GET");
	controller_may_act(w->controller, INT64_MAX);
	sim_loop_pass(&w->loop, 10);
	controller_lead(w->controller);
	when_listed(w, 200, ONE_NODESET("\"spec\":{}", ""));
	sim_loop_pass(&w->loop, 10);
	assert_string_equal(fake_last(&w->http)->method, "PATCH");
}

/*
 * The manager before made a pod a moment ago, and its event has not come: if the plan
 * relied on its absence, the NodeSet might go, and the pod with its job.
 */
/* Acceptance: removal-20 */
static void test_a_leader_decides_by_lists_that_it_has_asked_for_as_such(void **state)
{
	static const char deleted[] = ONE_NODESET("\"spec\":{\"replicas\":1}",
		",\"deletionTimestamp\":\"2026-01-02T03:04:05Z\",\"finalizers\":[\"" FINALIZER_DRAIN
		"\"]");
	static const char a_pod[] =
		"{\"metadata\":{\"resourceVersion\":\"2\"},\"items\":[{\"metadata\":{\"name\":\"a-"
		"0\","
		"\"namespace\":\"b\",\"uid\":\"p\",\"resourceVersion\":\"2\",\"ownerReferences\":[{"
		"\"apiVersion\":\"slinky.slurm.net/v1alpha1\",\"kind\":\"NodeSet\",\"name\":\"a\","
		"\"uid\":\"c\",\"controller\":true}]},\"spec\":{},\"status\":{\"phase\":"
		"\"Running\"}}]}";
	static const struct fake_row pod_is_there[] = {
		{ "watch=true", 0, NULL },
		{ "/nodesets", 200, deleted },
		{ "/pods", 200, a_pod },
		{ "", 200, GOOD_LIST },
	};
	struct controller_world *w = *state;
	/* given: it stands by, and knows of no pod */
	controller_may_act(w->controller, loop_now_ms(&w->loop.loop) + 1000);
	sim_loop_pass(&w->loop, 1000);
	when_listed(w, 200, deleted);
	sim_loop_pass(&w->loop, 1000);
	/* when: it leads */
	int sent = w->http.n;
	controller_may_act(w->controller, INT64_MAX);
	controller_lead(w->controller);
	sim_loop_pass(&w->loop, 1000);
	/* then: it asks first, and lets nothing go */
	for (int i = sent; i < w->http.n; i++)
		assert_string_equal(w->http.calls[i].method, "GET");
	fake_answer_all(&w->http, pod_is_there, LENGTH(pod_is_there));
	sim_loop_pass(&w->loop, 20000);
	for (int i = sent; i < w->http.n; i++)
		if (str_eq(w->http.calls[i].method, "PATCH"))
			assert_null(strstr(w->http.calls[i].body, "\"finalizers\""));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_operator, free_controller_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_bad_input_a_crd_that_is_not_installed_is_named_with_its_remedy),
		T(test_bad_input_missing_rbac_is_named_with_its_remedy),
		T(test_a_token_that_is_not_known_is_told_apart_from_missing_rbac),
		T(test_bad_input_an_answer_that_is_not_json_or_too_deep_is_waited_out),
		T(test_bad_input_an_api_server_that_restarts_is_found_again),
		T(test_a_crd_that_is_deleted_under_the_manager_is_told_until_it_is_back),
		T(test_bad_input_what_is_known_in_part_is_counted_once),
		T(test_bad_input_a_namespace_with_too_many_large_objects_stops_itself_only),
		T(test_bad_input_a_watch_that_is_held_back_shows),
		T(test_bad_input_an_api_server_that_is_away_for_long_shows),
		T(test_when_its_time_is_over_nothing_is_sent),
		T(test_a_leader_decides_by_lists_that_it_has_asked_for_as_such),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
