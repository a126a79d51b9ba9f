/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of red-box as our client makes them, and what each end of them allows. */
#include "lib/metrics_page.h"
#include "lib/wlm_box.h"

#include "base/metric.h"

/* ---- each call ---- */

static void each_call_has_its_method(void **state)
{
	struct box b;
	const struct wlm_container_ask image = { .image = "x" };
	(void)state;
	given_a_box(&b);
	DOES("SubmitJob", "0a01781a0161", "0835", wlm_submit(&me, "x", "", "a", 0));
	assert_int_equal(b.job_id, 53);
	DOES("SubmitJobContainer", "0a01784200", "0836", wlm_submit_container(&me, &image));
	assert_int_equal(b.job_id, 54);
	DOES("CancelJob", "0835", "", wlm_cancel(&me, 53, NULL));
	DOES("CancelJob", "0835120161", "", wlm_cancel(&me, 53, "a"));
	DOES("CloseSubmission", "0a0161", "", wlm_close(&me, "a"));
	DOES("JobInfo", "120161", "0a040a023533", wlm_job_info(&me, 0, "a"));
	DOES("JobInfo", "0835", "0a040a0235330a040a023534", wlm_job_info(&me, 53, NULL));
	assert_int_equal(b.things, 2);
	DOES("Resources", "0a0164", "08032a020a00", wlm_resources(&me, "d"));
	assert_int_equal(b.things, 1);
	DOES("Partitions", "", "0a0164", wlm_partitions(&me));
	assert_int_equal(b.things, 1);
	DOES("WorkloadInfo", "", "", wlm_workload(&me));
	assert_int_equal(b.things, 1);
	over(&b);
}

/* ---- what the end of a call allows ---- */

static void each_status_has_its_kind(void **state)
{
	static const struct {
		enum grpc_status status;
		enum err_kind submission, cancellation, question;
	} rows[] = {
		{ GRPC_UNKNOWN, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_INTERNAL, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_DEADLINE_EXCEEDED, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_CANCELLED, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_UNAVAILABLE, ERR_LOST, ERR_RETRY, ERR_RETRY },
		{ GRPC_RESOURCE_EXHAUSTED, ERR_RETRY, ERR_RETRY, ERR_RETRY },
		{ GRPC_INVALID_ARGUMENT, ERR_INVALID, ERR_INVALID, ERR_INVALID },
		{ GRPC_UNIMPLEMENTED, ERR_INVALID, ERR_INVALID, ERR_INVALID },
		{ GRPC_NOT_FOUND, ERR_NOT_FOUND, ERR_NOT_FOUND, ERR_NOT_FOUND },
		{ GRPC_PERMISSION_DENIED, ERR_DENIED, ERR_DENIED, ERR_DENIED },
		{ GRPC_FAILED_PRECONDITION, ERR_EXISTS, ERR_EXISTS, ERR_EXISTS },
		{ GRPC_ABORTED, ERR_CONFLICT, ERR_CONFLICT, ERR_CONFLICT },
	};
	struct box b;
	(void)state;
	given_a_box(&b);
	b.text = "a reason";
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct wlm_caller me = by(&b);
		b.status = rows[i].status;
		wlm_submit(&me, "x", "", "", 0);
		when_done(&b);
		assert_int_equal(b.e.kind, rows[i].submission);
		assert_int_equal(b.e.code, rows[i].status);
		assert_string_equal(b.e.text, "SubmitJob: a reason");
		me = by(&b);
		wlm_cancel(&me, 53, NULL);
		when_done(&b);
		assert_int_equal(b.e.kind, rows[i].cancellation);
		me = by(&b);
		wlm_job_info(&me, 53, NULL);
		when_done(&b);
		assert_int_equal(b.e.kind, rows[i].question);
	}
	over(&b);
}

/* Acceptance: metric-12 */
static void each_end_is_counted_by_its_status(void **state)
{
	struct box b;
	AUTO(str_free) struct str page = { 0 };
	(void)state;
	metric_free_all();
	given_a_box(&b);
	for (int i = 0; i < 3; i++) {
		struct wlm_caller me = by(&b);
		b.status = i ? GRPC_UNAVAILABLE : GRPC_OK;
		b.answers[0] = "0835";
		wlm_submit(&me, "x", "", "", 0);
		when_done(&b);
	}
	metric_render(&page);
	page_has(&page,
		"slurm_operator_virtual_node_red_box_calls_total{method=\"SubmitJob\",code=\"OK\"} "
		"1");
	page_has(&page,
		"slurm_operator_virtual_node_red_box_calls_total{method=\"SubmitJob\",code="
		"\"UNAVAILABLE\"} 2");
	page_has(&page,
		"slurm_operator_virtual_node_red_box_call_duration_seconds_count{method="
		"\"SubmitJob\"} 3");
	over(&b);
	metric_free_all();
}

static void answers_that_are_none_leave_it_open(void **state)
{
	static const struct {
		const char *first, *second, *text;
	} rows[] = {
		{ NULL, NULL, "SubmitJob: the server ended without an answer" },
		{ "", NULL, "SubmitJob: reading a SubmitJobResponse: the number of the job" },
		{ "0affff", NULL, "SubmitJob: this is no SubmitJobResponse" },
		{ "0835", "0836", "SubmitJob: the server answered twice" },
	};
	struct box b;
	(void)state;
	given_a_box(&b);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct wlm_caller me = by(&b);
		b.answers[0] = rows[i].first;
		b.answers[1] = rows[i].second;
		wlm_submit(&me, "x", "", "", 0);
		when_done(&b);
		assert_int_equal(b.e.kind, ERR_LOST);
		if (!strstr(b.e.text, rows[i].text))
			fail_msg("%s", b.e.text);
	}
	struct wlm_caller me = by(&b);
	b.answers[0] = "0a00"; /* a job without a number would have succeeded */
	b.answers[1] = NULL;
	wlm_job_info(&me, 53, NULL);
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_RETRY);
	me = by(&b);
	b.answers[0] = "0aff";
	wlm_open(&me, "a", 0);
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_RETRY);
	over(&b);
}

static void what_was_not_sent_may_be_sent_again(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	grpc_server_free(TAKE(b.w.server));
	struct wlm_caller me = by(&b);
	me.timeout_ms = 20;
	wlm_submit(&me, "x", "", "", 0);
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_RETRY);
	over(&b);
}

static void what_was_sent_and_not_answered_is_lost(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.hangs = true;
	wlm_submit(&me, "x", "", "", 0);
	while (!b.asked.len)
		raw_turn(b.w.loop);
	grpc_server_free(TAKE(b.w.server));
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_LOST);
	me = by(&b);
	wlm_submit(&me, "x", "", "", 0);
	grpc_client_free(TAKE(b.client));
	assert_int_equal(b.done, 1);
	assert_int_equal(b.e.kind, ERR_CANCELLED);
	over(&b);
}

static void a_path_that_is_no_socket_s_is_refused(void **state)
{
	char path[200] = "";
	struct grpc_client *c = NULL;
	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	const struct grpc_client_config config = { .path = path };
	struct err e = grpc_client_new(NULL, &config, &c);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "1 to 107 bytes, but this path has 199"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_has_its_method),
		cmocka_unit_test(each_status_has_its_kind),
		cmocka_unit_test(each_end_is_counted_by_its_status),
		cmocka_unit_test(answers_that_are_none_leave_it_open),
		cmocka_unit_test(what_was_not_sent_may_be_sent_again),
		cmocka_unit_test(what_was_sent_and_not_answered_is_lost),
		cmocka_unit_test(a_path_that_is_no_socket_s_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
