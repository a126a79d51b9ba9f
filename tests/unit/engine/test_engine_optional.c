/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds whose CRDs are not there, as after an upgrade: the others go on without them, and
 * they begin when their CRDs have come.
 */
#include "lib/controller_world.h"

#include "base/metric.h"

#define LIST(items) "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" items "]}"
#define NODESET                                                                                  \
	"{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\",\"uid\":\"set\",\"resourceVersion\":" \
	"\"1\"},\"spec\":{\"replicas\":1}}"
#define SLURMJOB                                                               \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"b\",\"uid\":\"job\"," \
	"\"resourceVersion\":\"2\"},\"spec\":{\"batch\":\"#!/bin/sh\\n\"}}"
#define FORBIDDEN                                                                                \
	"{\"kind\":\"Status\",\"code\":403,\"message\":\"slurmjobs.wlm.sylabs.io is forbidden: " \
	"User \\\"x\\\" cannot list\"}"

/* Answers every list, those of jobs so. Watches stay open. */
static void when_listed(struct controller_world *w, int status, const char *jobs)
{
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "wlm.sylabs.io/v1alpha1/slurmjobs", status, jobs },
		{ "/slurmjobs", status, status == 200 ? LIST("") : jobs },
		{ "/wlmjobs", status, status == 200 ? LIST("") : jobs },
		{ "/nodesets", 200, LIST(NODESET) },
		{ "GET", 200, LIST("") },
	};
	fake_answer_all(&w->http, script, LENGTH(script));
	sim_loop_pass(&w->loop, 10);
}

#define NODESET_WRITE "PATCH /apis/slinky.slurm.net/v1alpha1/namespaces/b/nodesets/a"
#define JOB_WRITE "PATCH /apis/wlm.sylabs.io/v1alpha1/namespaces/b/slurmjobs/cow"

static struct http_call *asked_for(struct controller_world *w, const char *part)
{
	struct http_call *c = fake_open(&w->http, part);
	assert_non_null(c);
	return c;
}

/* Acceptance: job-18 */
static void test_without_the_crds_of_jobs_nodesets_go_on(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 404, "404 page not found\n");
	assert_string_equal(controller_trouble(w->controller), "");
	assert_non_null(fake_open(&w->http, NODESET_WRITE));
}

/* An older role does not name them, and the API server asks for rights first. */
/* Acceptance: job-18 */
static void test_without_the_rights_to_jobs_nodesets_go_on(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 403, FORBIDDEN);
	assert_string_equal(controller_trouble(w->controller), "");
	assert_non_null(fake_open(&w->http, NODESET_WRITE));
}

/* Acceptance: job-18 */
static void test_nodesets_do_not_wait_for_the_list_of_jobs(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 0, NULL);
	assert_non_null(fake_open(&w->http, NODESET_WRITE));
	assert_string_not_equal(controller_trouble(w->controller), "");
}

static void test_an_api_server_in_trouble_changes_nothing_of_that(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 404, "404 page not found\n");
	sim_loop_pass(&w->loop, 10000);
	when_listed(w, 500, "{\"kind\":\"Status\",\"code\":500}");
	assert_string_equal(controller_trouble(w->controller), "");
}

static bool in_order(struct controller_world *w)
{
	AUTO(str_free) struct str text = { 0 };
	controller_measure(w->controller);
	metric_render(&text);
	return strstr(str_text(&text),
		"slurm_operator_watch_out_of_order_seconds{resource=\"slurmjobs\",namespace=\"\"} "
		"0\n");
}

/* A conversion webhook that is gone, say. The metric tells. */
static void test_a_list_of_jobs_that_fails_for_ever_keeps_nobody_from_being_ready(void **state)
{
	struct controller_world *w = *state;
	for (int minute = 0; minute < 10; minute++) {
		when_listed(w, 500, "{\"kind\":\"Status\",\"code\":500}");
		assert_string_equal(controller_trouble(w->controller), "");
		sim_loop_pass(&w->loop, 10000);
		assert_false(in_order(w));
	}
	assert_non_null(fake_open(&w->http, NODESET_WRITE));
	sim_loop_pass(&w->loop, 60000);
	when_listed(w, 200, LIST(SLURMJOB));
	assert_true(in_order(w));
	assert_non_null(fake_open(&w->http, JOB_WRITE));
}

/* The same later: what is known of jobs only gets old. */
static void test_a_watch_of_jobs_that_breaks_for_ever_is_nobody_elses_trouble(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200, LIST(SLURMJOB));
	fake_answer(watch_of(w, "/wlm.sylabs.io/v1alpha1/slurmjobs"), 500,
		"{\"kind\":\"Status\",\"code\":500}");
	for (int minute = 0; minute < 10; minute++) {
		when_listed(w, 500, "{\"kind\":\"Status\",\"code\":500}");
		sim_loop_pass(&w->loop, 30000);
	}
	assert_string_equal(controller_trouble(w->controller), "");
	assert_false(in_order(w));
}

/* Acceptance: job-18 */
static void test_jobs_begin_when_their_crds_have_come(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 404, "404 page not found\n");
	sim_loop_pass(&w->loop, 10000);
	when_listed(w, 200, LIST(SLURMJOB));
	assert_non_null(fake_open(&w->http, JOB_WRITE));
}

/* The facts about them are as old as that, so no decision relies on them any more. */
/* Acceptance: job-18 */
static void test_jobs_whose_crds_go_are_let_be(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 200, LIST(SLURMJOB));
	fake_answer(watch_of(w, "/wlm.sylabs.io/v1alpha1/slurmjobs"), 404, "404 page not found\n");
	fake_answer(asked_for(w, JOB_WRITE), 500, "{\"kind\":\"Status\",\"code\":500}");
	sim_loop_pass(&w->loop, 5000);
	assert_null(fake_open(&w->http, JOB_WRITE));
	assert_string_equal(controller_trouble(w->controller), "");
	sim_loop_pass(&w->loop, 5000);
	when_listed(w, 200, LIST(SLURMJOB));
	asked_for(w, JOB_WRITE);
}

static void test_a_kind_that_was_never_there_is_in_order(void **state)
{
	struct controller_world *w = *state;
	when_listed(w, 404, "404 page not found\n");
	sim_loop_pass(&w->loop, 9000);
	assert_true(in_order(w));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_operator, free_controller_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_without_the_crds_of_jobs_nodesets_go_on),
		T(test_without_the_rights_to_jobs_nodesets_go_on),
		T(test_nodesets_do_not_wait_for_the_list_of_jobs),
		T(test_an_api_server_in_trouble_changes_nothing_of_that),
		T(test_a_list_of_jobs_that_fails_for_ever_keeps_nobody_from_being_ready),
		T(test_a_watch_of_jobs_that_breaks_for_ever_is_nobody_elses_trouble),
		T(test_jobs_begin_when_their_crds_have_come),
		T(test_jobs_whose_crds_go_are_let_be),
		T(test_a_kind_that_was_never_there_is_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
