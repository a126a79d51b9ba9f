/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod whose creation was done after its object had gone: it is held by a finalizer of
 * ours, and no object is planned that would take it off. Through the whole operator.
 */
#include "lib/controller_world.h"

#include "engine/facts.h"

#define LIST(items) "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" items "]}"
#define SLURMJOB(uid)                                                        \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"b\",\"uid\":\"" uid \
	"\",\"resourceVersion\":\"2\"},\"spec\":{\"batch\":\"hostname\"}}"
#define POD_OF(kind) POD_OF_GROUP("wlm.sylabs.io", kind)
#define POD_OF_GROUP(group, kind)                                                          \
	"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"b\",\"uid\":\"pod\","         \
	"\"resourceVersion\":\"3\",\"finalizers\":[\"" FINALIZER_UNREPORTED                \
	"\"],\"ownerReferences\":[{\"apiVersion\":\"" group "/v1alpha1\",\"kind\":\"" kind \
	"\",\"name\":\"cow\",\"uid\":\"job\",\"controller\":true}]},\"status\":{"          \
	"\"phase\":\"Pending\"}}"
#define READ_JOB "GET /apis/wlm.sylabs.io/v1alpha1/namespaces/b/slurmjobs/cow"
#define PATCH_POD "PATCH /api/v1/namespaces/b/pods/cow-job"
#define NOT_FOUND "{\"kind\":\"Status\",\"code\":404}"

enum { STEP_MS = 10000, MINUTES_5 = 30 };

/* Passes steps: watches are silent and end, and everything is listed again. */
static void when_passed(struct controller_world *w, int steps, int status, const char *jobs,
	const char *pods)
{
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "namespaces/b", 0, NULL },
		{ "wlm.sylabs.io/v1alpha1/slurmjobs", status, jobs },
		{ "/pods", 200, pods },
		{ "GET", 200, LIST("") },
	};
	for (int i = 0; i < steps; i++) {
		fake_answer_all(&w->http, script, LENGTH(script));
		sim_loop_pass(&w->loop, STEP_MS);
	}
}

static void test_a_pod_that_came_after_its_object_went_may_go(void **state)
{
	struct controller_world *w = *state;
	when_passed(w, 8, 200, LIST(""), LIST(POD_OF("SlurmJob")));
	assert_null(fake_open(&w->http, READ_JOB));
	when_passed(w, MINUTES_5, 200, LIST(""), LIST(POD_OF("SlurmJob")));
	struct http_call *read = fake_open(&w->http, READ_JOB);
	assert_non_null(read);
	assert_null(fake_open(&w->http, PATCH_POD));
	fake_answer(read, 404, NOT_FOUND);
	const struct http_call *c = fake_open(&w->http, PATCH_POD);
	assert_non_null(c);
	assert_non_null(strstr(c->body, "/metadata/finalizers/0"));
}

static void then_it_is_held_by_a_read_of(struct controller_world *w, const char *read)
{
	assert_non_null(fake_open(&w->http, read));
	assert_null(fake_open(&w->http, PATCH_POD));
}

static void then_it_is_held(struct controller_world *w)
{
	assert_null(fake_open(&w->http, READ_JOB));
	assert_null(fake_open(&w->http, PATCH_POD));
}

static void test_a_pod_whose_object_is_there_is_held(void **state)
{
	struct controller_world *w = *state;
	when_passed(w, MINUTES_5, 200, LIST(SLURMJOB("job")), LIST(POD_OF("SlurmJob")));
	then_it_is_held(w);
}

/* Objects that are unknown are not gone. */
static void test_a_pod_is_held_while_its_objects_are_not_known(void **state)
{
	static const int answers[] = { 404, 403, 500 };
	for (size_t i = 0; i < LENGTH(answers); i++) {
		struct controller_world *w = *state;
		when_passed(w, MINUTES_5, answers[i], NOT_FOUND, LIST(POD_OF("SlurmJob")));
		then_it_is_held(w);
		free_controller_world(state);
		given_an_operator(state);
	}
}

static void test_a_pod_of_somebody_else_is_held(void **state)
{
	struct controller_world *w = *state;
	when_passed(w, MINUTES_5, 200, LIST(""), LIST(POD_OF("CronJob")));
	then_it_is_held(w);
}

/* Answers of the older group: a word about the kind, never about the object. */
static void when_older_answers(struct controller_world *w, int status, const char *pods)
{
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "namespaces/b", 0, NULL },
		{ "/slurm.sylabs.io/", status, LIST("") },
		{ "/pods", 200, pods },
		{ "GET", 200, LIST("") },
	};
	for (int i = 0; i < MINUTES_5 + 8; i++) {
		fake_answer_all(&w->http, script, LENGTH(script));
		sim_loop_pass(&w->loop, STEP_MS);
	}
}

/* A read in the one group of an object of the other says that it is gone. */
/* Acceptance: job-17 */
static void test_a_pod_of_the_older_group_is_held_by_its_own_objects(void **state)
{
	struct controller_world *w = *state;
	when_older_answers(w, 404, LIST(POD_OF_GROUP("slurm.sylabs.io", "SlurmJob")));
	assert_null(fake_open(&w->http, "/slurmjobs/cow"));
	assert_null(fake_open(&w->http, PATCH_POD));
	free_controller_world(state);
	given_an_operator(state);
	w = *state;
	when_older_answers(w, 200, LIST(POD_OF_GROUP("slurm.sylabs.io", "SlurmJob")));
	then_it_is_held_by_a_read_of(w,
		"GET /apis/slurm.sylabs.io/v1alpha1/namespaces/b/slurmjobs/cow");
	free_controller_world(state);
	given_an_operator(state);
	w = *state;
	when_older_answers(w, 200, LIST(POD_OF_GROUP("example.com", "SlurmJob")));
	assert_null(fake_open(&w->http, "/slurmjobs/cow"));
	assert_null(fake_open(&w->http, PATCH_POD));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_operator, free_controller_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_pod_that_came_after_its_object_went_may_go),
		T(test_a_pod_whose_object_is_there_is_held),
		T(test_a_pod_is_held_while_its_objects_are_not_known),
		T(test_a_pod_of_somebody_else_is_held),
		T(test_a_pod_of_the_older_group_is_held_by_its_own_objects),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
