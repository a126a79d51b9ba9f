/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REST interface request by request, as spec 3.4 of the bridge has it: paths,
 * methods, status codes, JSON fields and errors.
 */
#include "lib/rest_world.h"

/* ---- POST /sbatch ---- */

/* Acceptance: red-box-43 */
static void a_script_is_submitted(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = posts(r, "{\"command\": \"#!/bin/sh\\necho \\u003c\\\"\\n\"}");
	struct slurm_tools_call *sbatch = tool(r->w, FAKE_SUBMIT);
	assert_string_equal(sbatch->script, "#!/bin/sh\necho <\"\n");
	assert_null(sbatch->key);
	assert_true(str_empty(sbatch->partition));
	fake_says(sbatch, OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers_with(c, 200, "\r\nContent-Type: text/plain; charset=utf-8\r\n", "53");
}

static void what_is_no_script_is_refused(void **state)
{
	static const struct {
		const char *body, *sentence;
	} rows[] = {
		{ "{}", "command must not be empty" },
		{ "null", "command must not be empty" },
		{ "{\"command\": \"\"}", "command must not be empty" },
		{ "{\"command\": null}", "command must not be empty" },
		{ "{\"command\": \"x\", \"command\": \"\"}", "command must not be empty" },
		{ "{\"command\": 5}", "command must be a string" },
		{ "{\"command\": [\"x\"]}", "command must be a string" },
		{ "{\"command\": \"a\\u0000b\"}", "command has a NUL character" },
		{ "[]", "the body must be a JSON object with a command" },
		{ "\"x\"", "the body must be a JSON object with a command" },
	};
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		is_refused(posts(r, rows[i].body), 400, rows[i].sentence);
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], 0);
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const bodies[] = { "{", "{\"command\": \"x\"} y", "\xff\xfe", "x" };
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(bodies); i++) {
		struct raw *c = posts(r, bodies[i]);
		raw_wait(c, "\r\n\r\nthe body is not JSON: ");
		assert_true(str_has_prefix(str_text(&c->got), "HTTP/1.1 400 "));
	}
	is_refused(asks(r, "POST /sbatch HTTP/1.1\r\nHost: x\r\n\r\n"), 400,
		"the body is empty: {\"command\": SCRIPT} is wanted");
	is_refused(posts(r, ""), 400, "the body is empty: {\"command\": SCRIPT} is wanted");
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], 0);
}

static void what_slurm_refuses_is_500(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = posts(r, "{\"command\": \"x\"}");
	fake_says(tool(r->w, FAKE_SUBMIT), err_new(ERR_INVALID, "sbatch: no such option"), NULL);
	is_refused(c, 500, "sbatch: no such option");
	c = posts(r, "{\"command\": \"x\"}");
	fake_says(tool(r->w, FAKE_SUBMIT), err_new(ERR_RETRY, "slurmctld is away"), NULL);
	is_refused(c, 500, "slurmctld is away");
}

/* ---- GET /sjob/ID ---- */

static const struct slurm_job_shown whole = {
	.id = 53,
	.array_id = "",
	.name = "a job",
	.user = "vagrant(1000)",
	.state = "RUNNING",
	.exit_code = "0:0",
	.partition = "debug",
	.nodes = "(null)",
	.node_count = "1-1",
	.batch_host = "node1",
	.work_dir = "/home/vagrant",
	.std_out = "/home/vagrant/slurm-53.out",
	.std_err = "/home/vagrant/slurm-53.err",
	.submit_s = 1767323045,
	.start_s = 1767323046,
	.run_s = 61,
	.limit_s = 3600,
};

/* Acceptance: red-box-43 */
static void a_job_has_these_fields(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = asks(r, GET("/sjob/53"));
	struct slurm_tools_call *job = tool(r->w, FAKE_JOB);
	assert_int_equal(job->number, 53);
	fake_says(job, OK, &(struct slurm_tools_told){ .jobs = &whole, .n = 1 });
	answers_with(c, 200, "\r\nContent-Type: application/json\r\n",
		"{\"id\":\"53\",\"user_id\":\"vagrant(1000)\",\"name\":\"a job\","
		"\"exit_code\":\"0:0\",\"state\":\"RUNNING\","
		"\"submit_time\":\"2026-01-02T03:04:05Z\",\"start_time\":\"2026-01-02T03:04:06Z\","
		"\"run_time\":61000000000,\"time_limit\":3600000000000,"
		"\"work_dir\":\"/home/vagrant\",\"std_out\":\"/home/vagrant/slurm-53.out\","
		"\"std_err\":\"/home/vagrant/slurm-53.err\",\"partition\":\"debug\","
		"\"node_list\":\"(null)\",\"batch_host\":\"node1\",\"num_nodes\":\"1-1\"}");
}

/* Acceptance: red-box-43 */
static void what_slurm_does_not_tell_is_null(void **state)
{
	struct rest_world *r = *state;
	struct slurm_job_shown job = whole;
	job.submit_s = job.start_s = job.run_s = job.limit_s = SLURM_ABSENT;
	struct raw *c = asks(r, GET("/sjob/53"));
	fake_says(tool(r->w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = &job, .n = 1 });
	raw_wait(c,
		"\"submit_time\":null,\"start_time\":null,\"run_time\":null,"
		"\"time_limit\":null,");
}

/* By what the client waits for: the end of all tasks, and how they ended. */
/* Acceptance: red-box-43 */
static void an_array_is_the_task_that_decides(void **state)
{
	static const struct {
		const char *states[3], *wanted;
	} rows[] = {
		{ { "COMPLETED", "RUNNING", "COMPLETED" }, "\"state\":\"RUNNING\"" },
		{ { "COMPLETED", "FAILED", "PENDING" }, "\"state\":\"PENDING\"" },
		{ { "COMPLETED", "FAILED", "CANCELLED" }, "\"state\":\"FAILED\"" },
		{ { "COMPLETED", "COMPLETED", "COMPLETED" }, "\"state\":\"COMPLETED\"" },
		{ { "COMPLETED", "COMPLETED", "TIMEOUT" }, "\"state\":\"TIMEOUT\"" },
	};
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char path[64];
		struct slurm_job_shown jobs[3] = { whole, whole, whole };
		for (size_t t = 0; t < 3; t++) {
			jobs[t].id = 60 + (int64_t)t;
			jobs[t].state = rows[i].states[t];
		}
		snprintf(path, sizeof(path), GET("/sjob/%zu"), 100 + i);
		struct raw *c = asks(r, path);
		fake_says(tool(r->w, FAKE_JOB), OK,
			&(struct slurm_tools_told){ .jobs = jobs, .n = 3 });
		raw_wait(c, rows[i].wanted);
		snprintf(path, sizeof(path), "{\"id\":\"%zu\",", 100 + i);
		assert_non_null(strstr(str_text(&c->got), path));
	}
}

static void a_job_that_cannot_be_told_is_500(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = asks(r, GET("/sjob/53"));
	fake_says(tool(r->w, FAKE_JOB), err_new(ERR_NOT_FOUND, "Slurm has no such job"), NULL);
	is_refused(c, 500, "sjob of job 53: Slurm has no such job");
	c = asks(r, GET("/sjob/54"));
	fake_says(tool(r->w, FAKE_JOB), OK, NULL);
	is_refused(c, 500, "sjob of job 54: Slurm has no record of it");
	c = asks(r, GET("/sjob/55"));
	fake_says(tool(r->w, FAKE_JOB), OK,
		&(struct slurm_tools_told){ .jobs = &whole, .n = 1, .from_accounts = true });
	is_refused(c, 500, "sjob of job 55: " SUBMISSION_UNENDED);
}

/* ---- GET /sjob/steps/ID ---- */

/* Acceptance: red-box-43 */
static void steps_have_these_fields(void **state)
{
	static const struct slurm_step_shown steps[] = {
		{ "53", "test", "CANCELLED", 2, 1767323045, 1767323046 },
		{ "53.batch", "batch", "RUNNING", 0, 1767323045, SLURM_ABSENT },
	};
	struct rest_world *r = *state;
	struct raw *c = asks(r, GET("/sjob/steps/53"));
	struct slurm_tools_call *call = tool(r->w, FAKE_STEPS);
	assert_int_equal(call->number, 53);
	fake_says(call, OK, &(struct slurm_tools_told){ .steps = steps, .n = 2 });
	answers_with(c, 200, "\r\nContent-Type: application/json\r\n",
		"[{\"id\":\"53\",\"name\":\"test\",\"started_at\":\"2026-01-02T03:04:05Z\","
		"\"finished_at\":\"2026-01-02T03:04:06Z\",\"exit_code\":2,\"state\":\"CANCELLED\"},"
		"{\"id\":\"53.batch\",\"name\":\"batch\",\"started_at\":\"2026-01-02T03:04:05Z\","
		"\"finished_at\":null,\"exit_code\":0,\"state\":\"RUNNING\"}]");
	c = asks(r, GET("/sjob/steps/54"));
	fake_says(tool(r->w, FAKE_STEPS), OK, NULL);
	is_answered(c, 200, "[]");
	c = asks(r, GET("/sjob/steps/55"));
	fake_says(tool(r->w, FAKE_STEPS), err_new(ERR_RETRY, "slurmdbd is away"), NULL);
	is_refused(c, 500, "steps of job 55: slurmdbd is away");
}

/* ---- GET /scancel/ID ---- */

static void a_job_is_cancelled(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = asks(r, GET("/scancel/53"));
	struct slurm_tools_call *call = tool(r->w, FAKE_CANCEL);
	assert_int_equal(call->number, 53);
	fake_says(call, OK, NULL);
	is_answered(c, 200, "");
	c = asks(r, GET("/scancel/54"));
	fake_says(tool(r->w, FAKE_CANCEL), err_new(ERR_DENIED, "it is not yours"), NULL);
	is_refused(c, 500, "scancel of job 54: it is not yours");
}

/* ---- paths and methods ---- */

/* Acceptance: red-box-43 */
static void ids_are_numbers(void **state)
{
	static const char *const paths[] = { "/sjob/", "/sjob/steps/", "/scancel/" };
	static const char *const ids[] = { "abc", "1x", "-1", "0", "99999999999999999999", "1%20",
		"..", "%00" };
	struct rest_world *r = *state;
	for (size_t p = 0; p < LENGTH(paths); p++)
		for (size_t i = 0; i < LENGTH(ids); i++) {
			char request[128];
			snprintf(request, sizeof(request), GET("%s%s"), paths[p], ids[i]);
			struct raw *c = asks(r, request);
			raw_wait(c, "\r\n\r\nthe id of a job is a number from 1 on, not ");
			assert_true(str_has_prefix(str_text(&c->got), "HTTP/1.1 400 "));
		}
	is_refused(asks(r, GET("/sjob/abc")), 400,
		"the id of a job is a number from 1 on, not abc");
	assert_int_equal(r->w->tools.seen[FAKE_JOB] + r->w->tools.seen[FAKE_CANCEL] +
			r->w->tools.seen[FAKE_STEPS],
		0);
}

/* Acceptance: red-box-43 */
static void other_paths_are_404(void **state)
{
	static const char *const paths[] = { "/", "/sbatch/", "/sjob", "/sjob/", "/sjob/1/2",
		"/sjob/1/", "/sjob/steps/", "/sjob/steps/1/2", "/scancel/", "/open/", "/opened",
		"/srun", "/sacct/1", "/../open", "/sjob/../open", "//sjob/1", "/sjob/1%2F2" };
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(paths); i++) {
		char request[128];
		snprintf(request, sizeof(request), GET("%s"), paths[i]);
		struct raw *c = asks(r, request);
		raw_wait(c, "\r\n\r\nthere is nothing at ");
		if (!str_has_prefix(str_text(&c->got), "HTTP/1.1 404 "))
			fail_msg("%s: %s", paths[i], str_text(&c->got));
	}
	is_refused(asks(r, GET("/sjob/1/2")), 404, "there is nothing at /sjob/1/2");
}

/* Acceptance: red-box-43 */
static void other_methods_are_405(void **state)
{
	static const struct {
		const char *request, *allow, *sentence;
	} rows[] = {
		{ GET("/sbatch"), "\r\nAllow: POST\r\n", "/sbatch takes POST alone" },
		{ "POST /sjob/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
			"\r\nAllow: GET\r\n", "/sjob/ takes GET alone" },
		{ "POST /scancel/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
			"\r\nAllow: GET\r\n", "/scancel/ takes GET alone" },
		{ "DELETE /scancel/1 HTTP/1.1\r\nHost: x\r\n\r\n", "\r\nAllow: GET\r\n",
			"/scancel/ takes GET alone" },
		{ "PUT /open?path=a HTTP/1.1\r\nHost: x\r\n\r\n", "\r\nAllow: GET\r\n",
			"/open takes GET alone" },
	};
	struct rest_world *r = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct raw *c = asks(r, rows[i].request);
		is_refused(c, 405, rows[i].sentence);
		assert_non_null(strcasestr(str_text(&c->got), rows[i].allow));
	}
	struct raw *c = asks(r, "HEAD /scancel/1 HTTP/1.1\r\nHost: x\r\n\r\n");
	raw_wait(c, "\r\n\r\n");
	assert_true(str_has_prefix(str_text(&c->got), "HTTP/1.1 405 "));
	assert_int_equal(r->w->tools.seen[FAKE_JOB] + r->w->tools.seen[FAKE_CANCEL] +
			r->w->tools.seen[FAKE_STEPS],
		0);
}

/* A client keeps its connection for one request after the other. */
static void requests_share_a_connection(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = asks(r, GET("/scancel/53"));
	fake_says(tool(r->w, FAKE_CANCEL), OK, NULL);
	is_answered(c, 200, "");
	str_clear(&c->got);
	raw_send(c, GET("/sjob/steps/53"));
	fake_says(tool(r->w, FAKE_STEPS), OK, NULL);
	is_answered(c, 200, "[]");
	assert_false(c->ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REST_TEST(a_script_is_submitted),
		REST_TEST(what_is_no_script_is_refused),
		REST_TEST(what_is_no_json_is_refused),
		REST_TEST(what_slurm_refuses_is_500),
		REST_TEST(a_job_has_these_fields),
		REST_TEST(what_slurm_does_not_tell_is_null),
		REST_TEST(an_array_is_the_task_that_decides),
		REST_TEST(a_job_that_cannot_be_told_is_500),
		REST_TEST(steps_have_these_fields),
		REST_TEST(a_job_is_cancelled),
		REST_TEST(ids_are_numbers),
		REST_TEST(other_paths_are_404),
		REST_TEST(other_methods_are_405),
		REST_TEST(requests_share_a_connection),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
