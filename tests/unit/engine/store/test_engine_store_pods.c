/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that the store keeps of a pod. */
#include "lib/store_world.h"

static void test_a_pod_becomes_a_fact(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 5, "Running");
	const struct pod_fact *p = get(s, "foo-0")->pod;
	assert_int_equal(p->phase, POD_RUNNING);
	assert_true(p->ready);
	assert_int_equal(p->ready_since_ms, 1767225600000);
	assert_string_equal(p->node_name, "n1");
	assert_string_equal(p->hostname, "h");
	assert_string_equal(p->controller.uid, "set");
	assert_string_equal(pod_label(p, "a"), "b");
	assert_null(pod_label(p, "z"));
	assert_string_equal(p->claims[0].claim, "c");
	assert_string_equal(p->resource_version, "5");
}

static void test_a_pod_that_terminates_says_since_when_and_what_holds_it(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 5, "Running");
	assert_string_equal(get(s, "foo-0")->pod->finalizer, "");
	assert_int_equal(get(s, "foo-0")->pod->ends_at_ms, 0);
	static const char text[] = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-0\",\"uid\":"
				   "\"u1\",\"resourceVersion\":\"6\","
				   "\"deletionTimestamp\":\"1970-01-01T00:00:05Z\",\"finalizers\":["
				   "\"example.com/a\",\"b\"]}}";
	struct json_doc *doc AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, RES_POD, json_root(doc));
	assert_string_equal(get(s, "foo-0")->pod->finalizer, "example.com/a");
	assert_int_equal(get(s, "foo-0")->pod->ends_at_ms, 5000);
}

static void test_a_pod_that_ended_says_when(void **state)
{
	struct store *s = *state;
	static const struct {
		const char *status;
		int64_t started_s, ended_s;
	} rows[] = {
		{ "\"phase\":\"Running\",\"startTime\":\"1970-01-01T00:00:05Z\"", 5, 0 },
		{ "\"phase\":\"Failed\",\"startTime\":\"1970-01-01T00:00:05Z\","
		  "\"containerStatuses\":["
		  "{\"state\":{\"terminated\":{\"finishedAt\":\"1970-01-01T00:00:09Z\"}}},{"
		  "\"state\":{\"terminated\":{\"finishedAt\":\"1970-01-01T00:00:08Z\"}}}]",
			5, 9 },
		{ "\"phase\":\"Failed\",\"startTime\":\"1970-01-01T00:00:05Z\","
		  "\"initContainerStatuses\":["
		  "{\"state\":{\"terminated\":{\"finishedAt\":\"1970-01-01T00:00:06Z\"}}}],"
		  "\"containerStatuses\":[{\"state\":{\"waiting\":{}}}]",
			5, 6 },
		/* The machine is gone, or the kubelet refused the pod. */
		{ "\"phase\":\"Failed\",\"startTime\":\"1970-01-01T00:00:05Z\",\"conditions\":[{"
		  "\"type\":\"Ready\",\"status\":\"False\","
		  "\"lastTransitionTime\":\"1970-01-01T00:00:07Z\"}],\"containerStatuses\":[{"
		  "\"state\":{\"running\":{}}}]",
			5, 7 },
		{ "\"phase\":\"Failed\",\"startTime\":\"1970-01-01T00:00:05Z\",\"reason\":"
		  "\"UnexpectedAdmissionError\"",
			5, 5 },
		{ "\"phase\":\"Succeeded\"", 0, 0 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char text[1000], name[20];
		struct json_doc *doc AUTO(json_auto) = NULL;
		snprintf(name, sizeof(name), "foo-%zu", i);
		snprintf(text, sizeof(text),
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
			"\"resourceVersion\":\"5\"},\"status\":{%s}}",
			name, name, rows[i].status);
		assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
		store_put(s, RES_POD, json_root(doc));
		assert_int_equal(get(s, name)->pod->started_ms, rows[i].started_s * 1000);
		assert_int_equal(get(s, name)->pod->ended_ms, rows[i].ended_s * 1000);
	}
}

static bool stuck_with(struct store *s, const char *reason)
{
	static int version = 10;
	char text[400];
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\",\"uid\":\"u1\","
		"\"resourceVersion\":\"%d\"},"
		"\"status\":{\"phase\":\"Pending\",\"containerStatuses\":[{\"state\":{\"waiting\":{"
		"\"reason\":\"%s\"}}}]}}",
		version++, reason);
	put_text(s, text);
	return get(s, "p")->pod->stuck;
}

static void test_a_pod_is_stuck_when_the_kubelet_says_why_it_cannot_start(void **state)
{
	assert_false(stuck_with(*state, "ContainerCreating"));
	assert_true(stuck_with(*state, "ErrImagePull"));
	assert_true(stuck_with(*state, "ImagePullBackOff"));
	assert_false(stuck_with(*state, "PodInitializing"));
	assert_true(stuck_with(*state, "CreateContainerConfigError"));
	assert_false(stuck_with(*state, ""));
}

/* A container may begin at once, long before the kubelet reports more than Pending. */
static void test_a_pending_pod_is_seen_in_its_phase_since_it_was_assigned(void **state)
{
	struct store *s = *state;
	store_clock.now_ms = 1000;
	put(s, "p", "u1", 5, "Pending");
	store_clock.now_ms = 2000;
	put_text(s,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\",\"uid\":\"u1\","
		"\"resourceVersion\":\"6\"},"
		"\"spec\":{\"nodeName\":\"m\"},\"status\":{\"phase\":\"Pending\"}}");
	assert_int_equal(get(s, "p")->pod->phase_seen_ms, 2000);
}

static void test_a_pod_is_seen_in_its_phase_since_it_changed_or_restarted(void **state)
{
	struct store *s = *state;
	store_clock.now_ms = 1000;
	put(s, "p", "u1", 5, "Pending");
	store_clock.now_ms = 2000;
	put(s, "p", "u1", 6, "Running");
	store_clock.now_ms = 3000;
	put(s, "p", "u1", 7, "Running");
	assert_int_equal(get(s, "p")->pod->phase_seen_ms, 2000);
	put_text(s,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\",\"uid\":\"u1\","
		"\"resourceVersion\":\"8\"},"
		"\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"restartCount\":1}]}}");
	assert_int_equal(get(s, "p")->pod->phase_seen_ms, 3000);
	store_clock.now_ms = 4000;
	put(s, "p", "u2", 9, "Running");
	assert_int_equal(get(s, "p")->pod->phase_seen_ms, 4000);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_store, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_pod_becomes_a_fact),
		T(test_a_pod_that_terminates_says_since_when_and_what_holds_it),
		T(test_a_pod_that_ended_says_when),
		T(test_a_pod_is_stuck_when_the_kubelet_says_why_it_cannot_start),
		T(test_a_pending_pod_is_seen_in_its_phase_since_it_was_assigned),
		T(test_a_pod_is_seen_in_its_phase_since_it_changed_or_restarted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
