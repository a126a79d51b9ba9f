/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions that may happen only once: the object that they rely on is read right before,
 * and an old action does nothing.
 */
#include "lib/executor_world.h"

#define CREATED                                                                 \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-0\",\"uid\":\"u\"," \
	"\"resourceVersion\":\"9\"}}"

static struct http_call *when_ordered(struct executor_world *w)
{
	struct action *a = given_creation(w, DO(CREATE, POD), 0);
	a->guard = (struct guard){
		.uid = executor_about.uid,
		.resource_version = "7",
		.read = READ_PLANNED,
	};
	when_run(w);
	assert_null(fake_open(&w->http, "POST"));
	return asked(w, "GET /apis/slinky.slurm.net/v1alpha1/namespaces/ns/nodesets/foo");
}

static const char *object_of(struct executor_world *w, const char *uid, const char *version)
{
	return arena_printf(&w->arena,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%s\"}}",
		uid, version);
}

static void then_nothing_is_created(struct executor_world *w, int64_t outcomes)
{
	assert_null(fake_open(&w->http, "POST /api/v1/namespaces/ns/pods"));
	assert_null(store_get(w->store, RES_POD, "ns", "foo-0"));
	assert_int_equal(w->outcomes, outcomes);
}

static void test_an_object_that_is_as_it_was_gets_its_pod(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_ordered(w), 200, object_of(w, executor_about.uid, "7"));
	fake_answer(asked(w, "POST /api/v1/namespaces/ns/pods"), 201, CREATED);
	assert_int_equal(store_get(w->store, RES_POD, "ns", "foo-0")->version, 9);
}

/* Another manager may have made the pod meanwhile, and said so there. */
/* Acceptance: job-3 */
static void test_an_object_that_has_changed_gets_none(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_ordered(w), 200, object_of(w, executor_about.uid, "8"));
	then_nothing_is_created(w, 1);
}

static void test_another_object_of_the_name_gets_none(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_ordered(w), 200, object_of(w, "another", "7"));
	then_nothing_is_created(w, 1);
}

static void test_an_object_that_is_gone_gets_none_and_nobody_is_told(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_ordered(w), 404, "{\"kind\":\"Status\",\"code\":404}");
	then_nothing_is_created(w, 1);
	assert_null(fake_open(&w->http, "/events"));
}

/* The request was a read: it cannot have created a pod. */
static void test_a_read_without_an_answer_creates_nothing(void **state)
{
	struct executor_world *w = *state;
	fake_fail(when_ordered(w), ERR_LOST);
	then_nothing_is_created(w, 1);
	assert_null(fake_open(&w->http, "GET"));
}

static void test_who_may_not_act_any_more_creates_nothing(void **state)
{
	struct executor_world *w = *state;
	struct http_call *read = when_ordered(w);
	executor_stop(w->executor);
	fake_answer(read, 200, object_of(w, executor_about.uid, "7"));
	then_nothing_is_created(w, 1);
}

/* ---- a pod that never started goes when a Secret of it is missing ---- */

static struct http_call *when_unstarted_is_ordered(struct executor_world *w, const char *first)
{
	struct action *a = plan_add(&w->plan, DO(DELETE, POD), "it never started");
	a->ns = "ns";
	a->name = "foo-0";
	a->guard = (struct guard){
		.uid = "u0",
		.resource_version = "5",
		.read = READ_NO_SECRET,
		.secrets = "key,other",
		.within_ms = 3000,
	};
	when_run(w);
	assert_null(fake_open(&w->http, "DELETE"));
	return asked(w, first);
}

/* Acceptance: removal-26 */
static void test_a_pod_goes_when_one_of_its_secrets_is_missing(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_unstarted_is_ordered(w, "GET /api/v1/namespaces/ns/secrets/key"), 200,
		"{\"metadata\":{\"name\":\"key\"}}");
	assert_null(fake_open(&w->http, "DELETE"));
	fake_answer(asked(w, "GET /api/v1/namespaces/ns/secrets/other"), 404,
		"{\"kind\":\"Status\",\"code\":404}");
	struct http_call *sent = asked(w, "DELETE /api/v1/namespaces/ns/pods/foo-0?timeout=3000ms");
	assert_non_null(strstr(sent->body, "\"resourceVersion\":\"5\""));
}

/* The API server, or the way to it, stood still: it is not to be carried out later. */
/* Acceptance: removal-26 */
static void test_a_deletion_that_is_not_answered_in_its_time_is_taken_back(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_unstarted_is_ordered(w, "GET /api/v1/namespaces/ns/secrets/key"), 404,
		"{\"kind\":\"Status\",\"code\":404}");
	struct http_call *sent = asked(w, "DELETE /api/v1/namespaces/ns/pods/foo-0?timeout=3000ms");
	assert_in_range(sent->timeout_ms, 3000, 5000);
	fake_fail(sent, ERR_LOST);
	assert_non_null(asked(w, "GET /api/v1/namespaces/ns/pods/foo-0"));
}

static void test_a_pod_whose_secrets_are_all_there_stays(void **state)
{
	struct executor_world *w = *state;
	static const char there[] = "{\"metadata\":{\"name\":\"x\"}}";
	fake_answer(when_unstarted_is_ordered(w, "GET /api/v1/namespaces/ns/secrets/key"), 200,
		there);
	fake_answer(asked(w, "GET /api/v1/namespaces/ns/secrets/other"), 200, there);
	/* Not asked for at once again: nothing tells when that changes */
	when_run(w);
	assert_null(fake_open(&w->http, "DELETE"));
	assert_null(fake_open(&w->http, "GET"));
}

static void test_a_pod_stays_when_nobody_says_whether_its_secret_is_there(void **state)
{
	struct executor_world *w = *state;
	fake_fail(when_unstarted_is_ordered(w, "GET /api/v1/namespaces/ns/secrets/key"), ERR_LOST);
	assert_null(fake_open(&w->http, "DELETE"));
}

/* ---- an object goes when its pod has gone ---- */

#define READ_POD "GET /api/v1/namespaces/ns/pods/foo-job"
#define PATCHES "PATCH /apis/slinky.slurm.net/v1alpha1/namespaces/ns/nodesets/foo"

static struct http_call *when_it_is_to_go(struct executor_world *w)
{
	struct action *a = plan_add(&w->plan, DO(PATCH, NODESET), "nothing is left of it");
	a->ns = "ns";
	a->name = "foo";
	a->body = "{}";
	a->guard = (struct guard){ .read = READ_NO_POD, .pod = "foo-job" };
	when_run(w);
	assert_null(fake_open(&w->http, "PATCH"));
	return asked(w, READ_POD);
}

static const char *pod_of_uid(struct executor_world *w, const char *uid)
{
	return arena_printf(&w->arena,
		"{\"metadata\":{\"name\":\"foo-job\",\"uid\":\"p\",\"ownerReferences\":[{"
		"\"controller\":true,\"uid\":\"%s\"}]}}",
		uid);
}

static void test_an_object_whose_pod_is_gone_goes(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_it_is_to_go(w), 404, "{\"kind\":\"Status\",\"code\":404}");
	asked(w, PATCHES);
}

static void test_an_object_goes_beside_the_pod_of_another(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_it_is_to_go(w), 200, pod_of_uid(w, "another"));
	asked(w, PATCHES);
}

/* Acceptance: job-10 */
static void test_an_object_whose_pod_is_there_after_all_stays(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_it_is_to_go(w), 200, pod_of_uid(w, executor_about.uid));
	assert_null(fake_open(&w->http, "PATCH"));
	assert_int_equal(w->outcomes, 1);
}

/* The pod was to stay, and lost its owner: no other plan would take its finalizer. */
static void test_an_object_whose_pod_is_held_and_nobodys_stays(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_it_is_to_go(w), 200,
		"{\"metadata\":{\"name\":\"foo-job\",\"uid\":\"p\",\"finalizers\":["
		"\"" FINALIZER_UNREPORTED "\"]}}");
	assert_null(fake_open(&w->http, "PATCH"));
	assert_int_equal(w->outcomes, 1);
}

/* ---- a pod whose object has gone ---- */

#define READ_SET "GET /apis/slinky.slurm.net/v1alpha1/namespaces/ns/nodesets/gone"
#define PATCHES_POD "PATCH /api/v1/namespaces/ns/pods/gone-job"

static struct http_call *when_its_pod_is_to_go(struct executor_world *w)
{
	struct action *a = plan_add(&w->plan, DO(PATCH, POD), "its object has gone");
	a->ns = "ns";
	a->name = "gone-job";
	a->body = "[]";
	a->guard = (struct guard){
		.read = READ_GONE,
		.gone = { RES_NODESET, "ns", "gone", "uid-of-gone" },
	};
	when_run(w);
	assert_null(fake_open(&w->http, "PATCH"));
	return asked(w, READ_SET);
}

static void test_a_pod_whose_object_has_gone_is_written(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_its_pod_is_to_go(w), 404, "{\"kind\":\"Status\",\"code\":404}");
	asked(w, PATCHES_POD);
}

static void test_a_successor_of_its_object_is_another_one(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_its_pod_is_to_go(w), 200, object_of(w, "another", "7"));
	asked(w, PATCHES_POD);
}

static void test_a_pod_whose_object_is_there_after_all_is_let_be(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_its_pod_is_to_go(w), 200, object_of(w, "uid-of-gone", "7"));
	assert_null(fake_open(&w->http, "PATCH"));
	assert_int_equal(w->outcomes, 1);
}

static void test_a_pod_whose_object_nobody_can_read_is_let_be(void **state)
{
	struct executor_world *w = *state;
	fake_answer(when_its_pod_is_to_go(w), 500, "{\"kind\":\"Status\",\"code\":500}");
	assert_null(fake_open(&w->http, "PATCH"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_executor, free_executor_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_an_object_that_is_as_it_was_gets_its_pod),
		T(test_an_object_that_has_changed_gets_none),
		T(test_another_object_of_the_name_gets_none),
		T(test_an_object_that_is_gone_gets_none_and_nobody_is_told),
		T(test_a_read_without_an_answer_creates_nothing),
		T(test_who_may_not_act_any_more_creates_nothing),
		T(test_a_pod_goes_when_one_of_its_secrets_is_missing),
		T(test_a_deletion_that_is_not_answered_in_its_time_is_taken_back),
		T(test_a_pod_whose_secrets_are_all_there_stays),
		T(test_a_pod_stays_when_nobody_says_whether_its_secret_is_there),
		T(test_an_object_whose_pod_is_gone_goes),
		T(test_an_object_goes_beside_the_pod_of_another),
		T(test_an_object_whose_pod_is_there_after_all_stays),
		T(test_an_object_whose_pod_is_held_and_nobodys_stays),
		T(test_a_pod_whose_object_has_gone_is_written),
		T(test_a_successor_of_its_object_is_another_one),
		T(test_a_pod_whose_object_is_there_after_all_is_let_be),
		T(test_a_pod_whose_object_nobody_can_read_is_let_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
