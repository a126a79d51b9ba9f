/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor between the store and an API server that the test plays: outcomes become
 * facts and Events, failures wait.
 */
#include "lib/executor_world.h"

#define CREATED                                                                 \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-0\",\"uid\":\"u\"," \
	"\"resourceVersion\":\"9\"}}"
#define TERMINATING                                                                             \
	"{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"code\":403,\"details\":{\"causes\":[{" \
	"\"reason\":\"NamespaceTerminating\"}]}}"
#define EXISTS                                                                               \
	"{\"kind\":\"Status\",\"reason\":\"AlreadyExists\",\"code\":409,\"message\":\"pods " \
	"\\\"foo-0\\\" already exists\"}"

/* Acceptance: status-6 */
static void test_a_creation_becomes_a_fact_and_an_event(void **state)
{
	struct executor_world *w = *state;
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	fake_answer(asked(w, "/pods"), 201, CREATED);
	assert_int_equal(store_get(w->store, RES_POD, "ns", "foo-0")->version, 9);
	assert_non_null(strstr(asked(w, "/events")->body, "\"SuccessfulCreate\""));
	assert_non_null(strstr(asked(w, "/events")->body, "\"kind\":\"NodeSet\""));
	assert_int_equal(w->outcomes, 1);
}

static void test_a_warning_of_the_api_server_about_a_new_pod_is_told(void **state)
{
	struct executor_world *w = *state;
	struct action *a = given_creation(w, DO(CREATE, POD), 0);
	a->event_warned = "TemplateWarning";
	a->warned_of = "the pods that are made from spec.template";
	when_run(w);
	fake_answer_warning(asked(w, "/pods"), 201, CREATED,
		"299 - \"unknown field \\\"spec.tollerations\\\"\"");
	const struct http_call *event = asked(w, "/events");
	assert_non_null(strstr(event->body, "\"TemplateWarning\""));
	assert_non_null(strstr(event->body,
		"spec.template: unknown field \\\"spec.tollerations\\\"\""));
	assert_int_equal(fake_count(&w->http, "/events"), 2);
}

/* The original told a claim that was made with the error of looking for it. */
/* Acceptance: status-6 */
static void test_a_claim_that_was_made_is_no_failure(void **state)
{
	struct executor_world *w = *state;
	given_creation(w, DO(CREATE, PVC), 0);
	when_run(w);
	fake_answer(asked(w, "/persistentvolumeclaims"), 201, CREATED);
	assert_non_null(strstr(asked(w, "/events")->body, "\"SuccessfulCreate\""));
	assert_null(strstr(asked(w, "/events")->body, "not found"));
}

/* Acceptance: nodeset-3 */
static void test_a_terminating_namespace_is_no_failure_to_tell(void **state)
{
	struct executor_world *w = *state;
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	fake_answer(asked(w, "/pods"), 403, TERMINATING);
	assert_int_equal(fake_count(&w->http, "/events"), 0);
	assert_null(store_get(w->store, RES_POD, "ns", "foo-0"));
	assert_true(when_run(w) > 0); /* and no hot loop */
	assert_int_equal(fake_count(&w->http, "/pods"), 0);
}

/* Acceptance: nodeset-3 */
static void test_an_existing_pod_is_an_error_and_is_read(void **state)
{
	struct executor_world *w = *state;
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	fake_answer(asked(w, "/pods"), 409, EXISTS);
	assert_int_equal(w->outcomes, 0); /* not before it is known what is there */
	fake_answer(asked(w, "/pods/foo-0"), 200, CREATED);
	assert_int_equal(w->outcomes, 1);
	assert_int_equal(store_get(w->store, RES_POD, "ns", "foo-0")->version, 9);
	assert_true(when_run(w) > 0); /* the same creation waits */
}

/* Otherwise one more is made meanwhile, under another name. */
static void test_a_creation_whose_answer_is_lost_is_coming_until_somebody_tells(void **state)
{
	struct executor_world *w = *state;
	given_creation(w, DO(CREATE, POD), 0);
	when_run(w);
	fake_fail(asked(w, "/pods"), ERR_LOST);
	fake_fail(asked(w, "/pods/foo-0"), ERR_RETRY); /* the API server is restarting */
	assert_int_equal(w->outcomes, 0);
	assert_true(store_get(w->store, RES_POD, "ns", "foo-0")->in_flight);

	sim_loop_pass(&w->loop, 500);
	fake_fail(asked(w, "/pods/foo-0"), ERR_RETRY);
	assert_int_equal(fake_count(&w->http, "/pods/foo-0"), 0);
	sim_loop_pass(&w->loop, 1000);
	fake_answer(asked(w, "/pods/foo-0"), 200, CREATED);
	assert_int_equal(w->outcomes, 1);
	assert_int_equal(store_get(w->store, RES_POD, "ns", "foo-0")->version, 9);
}

static struct action *given_patch(struct executor_world *w, struct operation operation,
	const char *name, const char *why)
{
	struct action *a = plan_add(&w->plan, operation, why);
	a->ns = "ns";
	a->name = name;
	a->body = "{}";
	return a;
}

/* Acceptance: status-6 */
static void test_a_patch_error_is_told_and_waits(void **state)
{
	struct executor_world *w = *state;
	given_patch(w, DO(PATCH, POD), "foo-0", "cordoning foo-0")->event_failed = "FailedUpdate";
	when_run(w);
	fake_answer(asked(w, "/pods/foo-0"), 422,
		"{\"kind\":\"Status\",\"code\":422,\"message\":\"no\"}");
	assert_non_null(strstr(asked(w, "/events")->body, "\"FailedUpdate\""));
	assert_non_null(strstr(asked(w, "/events")->body,
		"cordoning foo-0: the API server answered 422: no"));
	assert_int_equal(when_run(w), 5000);
	sim_loop_pass(&w->loop, 5000);
	when_run(w);
	assert_int_equal(fake_count(&w->http, "/pods/foo-0"), 1);
}

/* ---- what keeps failing ---- */

static size_t failing(struct executor_world *w, struct failing_action *out)
{
	return executor_failing(w->executor, "set", out, 4);
}

static void when_refused(struct executor_world *w, const char *status, int64_t pass_ms)
{
	when_run(w);
	fake_answer(asked(w, "/pods/foo-0"), 422, status);
	sim_loop_pass(&w->loop, pass_ms);
}

#define NO "{\"kind\":\"Status\",\"code\":422,\"message\":\"no\"}"

static void test_what_fails_twice_for_a_human_is_told_until_it_succeeds(void **state)
{
	struct executor_world *w = *state;
	struct failing_action f[4];
	given_patch(w, DO(PATCH, POD), "foo-0", "cordoning foo-0");
	when_refused(w, NO, 5000);
	assert_int_equal(failing(w, f), 0);
	when_refused(w, NO, 10000);
	assert_int_equal(failing(w, f), 1);
	assert_true(operation_is(f[0].operation, DO(PATCH, POD)));
	assert_int_equal(f[0].error, ERR_INVALID);
	assert_string_equal(f[0].name, "foo-0");
	assert_string_equal(f[0].sentence, "the API server answered 422: no");
	assert_int_equal(executor_failing(w->executor, "another", f, 4), 0);
	when_run(w);
	fake_answer(asked(w, "/pods/foo-0"), 200, CREATED);
	assert_int_equal(failing(w, f), 0);
}

/* Scaled back, say: then no action is held up any more. */
static void test_what_no_plan_asks_for_any_more_fails_no_more(void **state)
{
	struct executor_world *w = *state;
	struct failing_action f[4];
	given_patch(w, DO(PATCH, POD), "foo-0", "cordoning foo-0");
	when_refused(w, NO, 5000);
	when_refused(w, NO, 1000);
	w->plan.n = 0;
	assert_int_equal(when_run(w), 39000); /* and looks again by itself */
	assert_int_equal(failing(w, f), 1);
	sim_loop_pass(&w->loop, 39000);
	assert_int_equal(when_run(w), 1); /* so that the next plan tells */
	assert_int_equal(failing(w, f), 0);
	assert_int_equal(when_run(w), 0);
}

/*
 * A webhook that takes our annotations away again is met by ever fewer writes, and told.
 */
static void test_what_somebody_undoes_is_done_ever_less_often_and_told(void **state)
{
	struct executor_world *w = *state;
	struct failing_action f[4];
	static const int64_t pauses_ms[] = { 0, 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
	struct action *a = given_patch(w, DO(PATCH, POD), "foo-0", "cordoning foo-0");
	for (size_t i = 0; i < LENGTH(pauses_ms); i++) {
		a->body = arena_printf(&w->arena,
			"{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"%zu\"}}", 9 + i);
		when_run(w);
		fake_answer(asked(w, "/pods/foo-0"), 200, CREATED);
		if (pauses_ms[i])
			assert_int_equal(when_run(w), pauses_ms[i]);
		assert_int_equal(fake_count(&w->http, "/pods/foo-0"), 0);
		sim_loop_pass(&w->loop, pauses_ms[i]);
	}
	assert_int_equal(failing(w, f), 1);
	assert_non_null(strstr(f[0].sentence, "without a lasting effect"));
	assert_true(operation_is(f[0].operation, DO(PATCH, POD)));

	/* Other writes do not wait. */
	a->body = "{\"metadata\":{\"uid\":\"u\",\"labels\":{}}}";
	when_run(w);
	assert_int_equal(fake_count(&w->http, "/pods/foo-0"), 1);
	fake_answer(asked(w, "/pods/foo-0"), 200, CREATED);
	assert_int_equal(failing(w, f), 0);
}

/* An API server that is away for a moment is no news; one that is away for 20 s is. */
static void test_what_may_pass_is_told_only_when_it_lasts(void **state)
{
	struct executor_world *w = *state;
	struct failing_action f[4];
	given_patch(w, DO(PATCH, POD), "foo-0", "cordoning foo-0");
	for (int64_t ms = 0, delay = 200; ms < 20000;
		ms += delay, delay = delay * 2 < 30000 ? delay * 2 : 30000) {
		when_run(w);
		fake_answer(asked(w, "/pods/foo-0"), 503, "");
		assert_int_equal(failing(w, f), 0);
		sim_loop_pass(&w->loop, delay);
	}
	when_run(w);
	fake_answer(asked(w, "/pods/foo-0"), 503, "");
	assert_int_equal(failing(w, f), 1);
}

static void test_a_status_is_written_at_most_four_times_a_second(void **state)
{
	struct executor_world *w = *state;
	given_patch(w, DO(PATCH_STATUS, NODESET), "foo", "the status has changed");
	assert_int_equal(when_run(w), 0);
	fake_answer(asked(w, "/nodesets/foo/status"), 200,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\"}}");
	assert_int_equal(when_run(w), 250);
	assert_int_equal(fake_count(&w->http, "/status"), 0);
	sim_loop_pass(&w->loop, 250);
	assert_int_equal(when_run(w), 0);
	assert_int_equal(fake_count(&w->http, "/status"), 1);
}

/* ---- updates of Slurm nodes ---- */

/* The link has no client, so that it refuses every update. */
static void given_a_link_that_refuses(struct executor_world *w)
{
	struct link_config config = { .kube = &w->kube, .loop = &w->loop.loop };
	w->link = slurm_link_new(&config, "ns", "slurm");
}

static void given_undrain(struct executor_world *w, const char *const *nodes, size_t n)
{
	w->plan.n = 0;
	struct action *a = plan_add(&w->plan, DO(UNDRAIN, SLURM_NODE),
		"the pods of these nodes stay");
	a->ns = "ns";
	a->name = "slurm";
	a->nodes = nodes;
	a->n_nodes = n;
}

/*
 * P7: an update is refused for one of its nodes; another one that stands behind it in the
 * next is not held up.
 */
static void test_a_refused_update_holds_up_no_other_node(void **state)
{
	struct executor_world *w = *state;
	static const char *const nodes[] = { "foo-0", "foo-1", "foo-2" };
	given_a_link_that_refuses(w);
	given_undrain(w, nodes, 2);
	when_run(w);
	assert_int_equal(w->outcomes, 1);
	assert_true(when_run(w) > 0); /* both wait */
	assert_int_equal(w->outcomes, 1);

	given_undrain(w, nodes, 3);
	assert_true(when_run(w) > 0);
	assert_int_equal(w->outcomes, 2);

	sim_loop_pass(&w->loop, 200); /* each for its own time */
	when_run(w);
	assert_int_equal(w->outcomes, 3);
	assert_true(when_run(w) > 0);
	assert_int_equal(w->outcomes, 3);
}

/* A write that was refused with a token may be accepted with the next one. */
static void test_a_new_token_ends_the_waits_of_its_cluster(void **state)
{
	struct executor_world *w = *state;
	static const char *const nodes[] = { "foo-0", "foo-1" };
	given_a_link_that_refuses(w);
	given_undrain(w, nodes, 2);
	when_run(w);
	executor_new_token(w->executor, "ns", "slur");
	executor_new_token(w->executor, "n", "slurm");
	when_run(w);
	assert_int_equal(w->outcomes, 1);
	executor_new_token(w->executor, "ns", "slurm");
	when_run(w);
	assert_int_equal(w->outcomes, 2);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_executor, free_executor_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_creation_becomes_a_fact_and_an_event),
		T(test_a_warning_of_the_api_server_about_a_new_pod_is_told),
		T(test_a_claim_that_was_made_is_no_failure),
		T(test_a_terminating_namespace_is_no_failure_to_tell),
		T(test_an_existing_pod_is_an_error_and_is_read),
		T(test_a_creation_whose_answer_is_lost_is_coming_until_somebody_tells),
		T(test_a_patch_error_is_told_and_waits),
		T(test_a_status_is_written_at_most_four_times_a_second),
		T(test_a_refused_update_holds_up_no_other_node),
		T(test_a_new_token_ends_the_waits_of_its_cluster),
		T(test_what_fails_twice_for_a_human_is_told_until_it_succeeds),
		T(test_what_no_plan_asks_for_any_more_fails_no_more),
		T(test_what_somebody_undoes_is_done_ever_less_often_and_told),
		T(test_what_may_pass_is_told_only_when_it_lasts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
