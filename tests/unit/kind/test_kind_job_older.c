/* SPDX-License-Identifier: Apache-2.0 */
/* SlurmJobs of both groups through the whole operator. */
#include "lib/controller_world.h"

#include "api/names.h"
#include "engine/facts.h"

#define LIST(items) "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" items "]}"
#define KEPT ",\"finalizers\":[\"" FINALIZER_JOB "\"]"
/* Two SlurmJobs "cow", each of its group, with the uids "now" and "older". */
#define OBJECT(uid, version, metadata, more)                                 \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"b\",\"uid\":\"" uid \
	"\",\"resourceVersion\":\"" version "\"" metadata                    \
	"},\"spec\":{\"batch\":\"#!/bin/sh\\n\"}" more "}"
#define POD(group, uid, version, phase)                                                        \
	"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"b\",\"uid\":\"pod-" uid           \
	"\",\"resourceVersion\":\"" version "\",\"ownerReferences\":[{\"apiVersion\":\"" group \
	"/v1alpha1\",\"kind\":"                                                                \
	"\"SlurmJob\",\"name\":\"cow\",\"uid\":\"" uid                                         \
	"\",\"controller\":true}]},\"status\":{\"phase\":\"" phase "\"}}"
#define NOW "/apis/wlm.sylabs.io/v1alpha1/namespaces/b/slurmjobs/cow"
#define OLDER "/apis/slurm.sylabs.io/v1alpha1/namespaces/b/slurmjobs/cow"
#define PODS "/api/v1/namespaces/b/pods"

static void when_listed(struct controller_world *w, int now_status, const char *now,
	int older_status, const char *older)
{
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "/wlm.sylabs.io/v1alpha1/slurmjobs", now_status, now },
		{ "/slurm.sylabs.io/v1alpha1/slurmjobs", older_status, older },
		{ "GET", 200, LIST("") },
	};
	fake_answer_all(&w->http, script, LENGTH(script));
	sim_loop_pass(&w->loop, 10);
}

static const char *when_answered(struct controller_world *w, const char *request, int status,
	const char *body)
{
	struct http_call *c = fake_open(&w->http, request);
	if (!c)
		fail_msg("nobody asks for %s", request);
	fake_answer(c, status, body);
	sim_loop_pass(&w->loop, 300);
	return c->body;
}

/* Acceptance: job-16 */
static void test_an_object_of_the_older_group_is_served_alone(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 404, "404 page not found\n", 200, LIST(OBJECT("older", "2", "", "")));
	when_answered(w, "PATCH " OLDER, 200, OBJECT("older", "6", KEPT, ""));
	when_answered(w, "GET " OLDER, 200, OBJECT("older", "6", KEPT, ""));
	const char *pod = when_answered(w, "POST " PODS, 201,
		POD("slurm.sylabs.io", "older", "7", "Pending"));
	assert_non_null(strstr(pod, "\"apiVersion\":\"slurm.sylabs.io/v1alpha1\""));
	const struct http_call *c = fake_open(&w->http, "PATCH " OLDER "/status");
	assert_non_null(c);
	assert_non_null(strstr(c->body, "\"status\":\"Pending\""));
	assert_null(fake_open(&w->http, "wlm.sylabs.io/v1alpha1/namespaces"));
}

/* A list of the one says nothing of the other. */
/* Acceptance: job-17 */
static void test_each_group_is_known_by_its_own_list(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 0, NULL, 200, LIST(OBJECT("older", "2", "", "")));
	assert_non_null(fake_open(&w->http, "PATCH " OLDER));
	assert_string_not_equal(controller_trouble(w->controller), "");
	when_listed(w, 200, LIST(OBJECT("now", "3", "", "")), 200, LIST(""));
	assert_string_equal(controller_trouble(w->controller), "");
	assert_non_null(fake_open(&w->http, "PATCH " NOW));
	assert_non_null(fake_open(&w->http, "PATCH " OLDER));
}

/* Both want the pod cow-job, and only one can have it at a time. */
/* Acceptance: job-17 */
static void test_of_two_objects_of_one_name_one_waits_for_the_other(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200, LIST(OBJECT("now", "2", KEPT, "")), 200,
		LIST(OBJECT("older", "3", KEPT, "")));
	when_answered(w, "GET " NOW, 200, OBJECT("now", "2", KEPT, ""));
	assert_null(fake_open(&w->http, "GET " OLDER));
	const char *pod = when_answered(w, "POST " PODS, 201,
		POD("wlm.sylabs.io", "now", "7", "Pending"));
	assert_non_null(strstr(pod, "\"uid\":\"now\""));
	sim_loop_pass(&w->loop, 40000);
	assert_null(fake_open(&w->http, "POST " PODS));
	const struct http_call *c = fake_open(&w->http, "PATCH " OLDER "/status");
	assert_non_null(c);
	assert_non_null(strstr(c->body, "NameTaken"));
	assert_non_null(strstr(c->body, "SlurmJob cow of wlm.sylabs.io"));
	/* when: the first one has gone with its pod; then: it is the turn of the other */
	fake_data(watch_of(w, "/pods"),
		"{\"type\":\"DELETED\",\"object\":" POD("wlm.sylabs.io", "now", "9",
			"Succeeded") "}\n");
	when_answered(w, "PATCH " OLDER "/status", 200, OBJECT("older", "10", KEPT, ""));
	sim_loop_pass(&w->loop, 40000);
	when_answered(w, "GET " OLDER, 200, OBJECT("older", "10", KEPT, ""));
	const struct http_call *post = fake_open(&w->http, "POST " PODS);
	assert_non_null(post);
	assert_non_null(strstr(post->body, "\"uid\":\"older\""));
	assert_null(fake_open(&w->http, "GET " NOW));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_operator, free_controller_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_an_object_of_the_older_group_is_served_alone),
		T(test_each_group_is_known_by_its_own_list),
		T(test_of_two_objects_of_one_name_one_waits_for_the_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
