/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of red-box, byte for byte as clients of wlm-operator have them. */
#include "lib/wlm_hex.h"

#include "wlm/wlm.pb-c.h"

/* ---- requests: what a client writes, and what is read of it ---- */

#define SUBMIT "0a1323212f62696e2f73680a686f73746e616d650a120564656275671a027531"
#define SCRIPT "#!/bin/sh\nhostname\n"

/* Acceptance: red-box-9, word-28 */
static void a_submission_is_read(void **state)
{
	(void)state;
	struct wlm_request r = read_hex(WLM_SUBMIT_JOB, SUBMIT);
	assert_string_equal(r.script, SCRIPT);
	assert_string_equal(r.partition, "debug");
	assert_string_equal(r.key, "u1");
	assert_string_equal(r.path, "");
	wlm_request_free(&r);
	Api__SubmitJobRequest m = API__SUBMIT_JOB_REQUEST__INIT;
	m.script = (char *)(uintptr_t)SCRIPT;
	m.partition = (char *)(uintptr_t)"debug";
	m.client_id = (char *)(uintptr_t)"u1";
	is_message(&m.base, SUBMIT);
}

/* Acceptance: red-box-9, word-28 */
static void the_id_of_a_job_is_read(void **state)
{
	static const enum wlm_request_kind kinds[] = { WLM_CANCEL_JOB, WLM_JOB_INFO,
		WLM_JOB_STEPS };
	(void)state;
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		struct wlm_request r = read_hex(kinds[i], "0835");
		assert_int_equal(r.job_id, 53);
		wlm_request_free(&r);
	}
}

/* Acceptance: red-box-9, word-29 */
static void what_a_tail_asks_for_is_read(void **state)
{
	(void)state;
	struct wlm_request r = read_hex(WLM_TAIL_FILE, "12022f61");
	assert_string_equal(r.path, "/a");
	assert_false(r.read_to_end);
	wlm_request_free(&r);
	r = read_hex(WLM_TAIL_FILE, "080112022f61");
	assert_string_equal(r.path, "/a");
	assert_true(r.read_to_end);
	wlm_request_free(&r);
}

/* Acceptance: red-box-9, word-32 */
static void a_file_to_be_made_is_read(void **state)
{
	(void)state;
	struct wlm_request r = read_hex(WLM_CREATE_FILE, "0a07612f622e7a6970");
	assert_string_equal(r.path, "a/b.zip");
	assert_int_equal(r.content.len, 0);
	wlm_request_free(&r);
	r = read_hex(WLM_CREATE_FILE, "1202504b");
	assert_string_equal(r.path, "");
	assert_string_equal(str_text(&r.content), "PK");
	wlm_request_free(&r);
}

static void an_empty_request_is_one(void **state)
{
	(void)state;
	for (int kind = 0; kind < WLM_REQUEST_KINDS; kind++) {
		struct wlm_request r = read_hex((enum wlm_request_kind)kind, "");
		assert_string_equal(r.script, "");
		assert_int_equal(r.job_id, 0);
		wlm_request_free(&r);
	}
}

static void fields_of_a_later_protocol_are_passed_over(void **state)
{
	(void)state;
	/* 100: a text with a NUL byte, 101: a fixed64, 102: a fixed32 */
	struct wlm_request r = read_hex(WLM_CANCEL_JOB,
		"a2060161a90600000000000000"
		"00b506000000000835");
	assert_int_equal(r.job_id, 53);
	wlm_request_free(&r);
}

/* Acceptance: red-box-29 */
static void a_text_with_a_nul_byte_is_refused(void **state)
{
	(void)state;
	refused(WLM_OPEN_FILE, "0a032f6100", "a text of the OpenFileRequest holds a NUL byte");
	refused(WLM_SUBMIT_JOB, "0a0161120300780a", "NUL byte");
	/* content is bytes, and may hold any */
	struct wlm_request r = read_hex(WLM_CREATE_FILE, "12030061620a0161");
	assert_int_equal(r.content.len, 3);
	wlm_request_free(&r);
}

static void what_is_no_message_is_refused(void **state)
{
	(void)state;
	refused(WLM_SUBMIT_JOB, "0a13", "this is no SubmitJobRequest");
	refused(WLM_CANCEL_JOB, "08ffffffffffffffffffffff01", "this is no CancelJobRequest");
	refused(WLM_CANCEL_JOB, "ff", "this is no CancelJobRequest");
}

/* Two bytes of a request would be a text, and some 50 in memory. */
static void a_request_has_so_many_fields_at_most(void **state)
{
	(void)state;
	for (int n = 20000; n <= 20001; n++) {
		AUTO(str_free) struct str bytes = { 0 };
		struct wlm_request r;
		for (int i = 0; i < n; i++)
			str_add(&bytes, "\x0a\x01\x61");
		struct err e = wlm_read(WLM_OPEN_FILE, str_text(&bytes), bytes.len, &r);
		assert_int_equal(failed(e), n > 20000);
		assert_non_null(strstr(e.text, n > 20000 ? "has more than 20000 fields" : ""));
		wlm_request_free(&r);
	}
}

/* Acceptance: red-box-9 */
static void paths_of_archives_are_read(void **state)
{
	(void)state;
	struct wlm_request r = read_hex(WLM_ZIP, "0a01611203622e7a");
	assert_string_equal(r.path, "a");
	assert_string_equal(r.target, "b.z");
	wlm_request_free(&r);
	r = read_hex(WLM_UNZIP, "0a03622e7a120161");
	assert_string_equal(r.source, "b.z");
	assert_string_equal(r.path, "a");
	wlm_request_free(&r);
}

/* ---- answers ---- */

/* Acceptance: red-box-9, word-28, word-29, word-30 */
static void small_answers_are_written(void **state)
{
	static const char *const names[] = { "debug", "debug2", "debug3" };
	(void)state;
	WRITTEN("0835", wlm_add_job_id(&out, 53));
	WRITTEN("0a05746573740a", wlm_add_chunk(&out, "test\n", 5));
	WRITTEN("0a0564656275670a066465627567320a06646562756733",
		wlm_add_partitions(&out, names, 3));
	WRITTEN("0a05736c75726d120831382e30382e350a18e807",
		wlm_add_workload(&out, "slurm", "18.08.5\n", 1000));
}

/* Acceptance: red-box-9, word-30 */
static void resources_are_written(void **state)
{
	const struct wlm_feature singularity = { "containers", "singularity", 20 };
	(void)state;
	WRITTEN("0803100118800420880e",
		wlm_add_resources(&out, &(struct wlm_resources){ 3, 1, 512, 1800, NULL, 0 }));
	WRITTEN("0804100218ffffffffffffffffff01",
		wlm_add_resources(&out, &(struct wlm_resources){ 4, 2, -1, 0, NULL, 0 }));
	WRITTEN("08032a1b0a0a636f6e7461696e657273120b73696e67756c61726974791814",
		wlm_add_resources(&out, &(struct wlm_resources){ 3, 0, 0, 0, &singularity, 1 }));
}

static const struct slurm_job_shown nothing = {
	.array_id = "",
	.name = "",
	.user = "",
	.state = "",
	.reason = "",
	.exit_code = "",
	.partition = "",
	.nodes = "",
	.node_count = "",
	.batch_host = "",
	.work_dir = "",
	.std_out = "",
	.std_err = "",
	.comment = "",
	.submit_s = SLURM_ABSENT,
	.start_s = SLURM_ABSENT,
	.end_s = SLURM_ABSENT,
	.run_s = SLURM_ABSENT,
	.limit_s = SLURM_ABSENT,
};

#define RUNNING_JOB                                                                            \
	"0aa0010a023533120d76616772616e742831303030291a067362617463682203303a30280a320608bf82" \
	"d7e5053a0608c082d7e5054202081e4a040890bf05520d2f686f6d652f76616772616e745a1a2f686f6d" \
	"652f76616772616e742f736c75726d2d35332e6f7574621a2f686f6d652f76616772616e742f736c7572" \
	"6d2d35332e6f75746a056465627567720776616772616e747a0776616772616e7482010131"

/* Acceptance: red-box-7, red-box-9, word-31 */
static void a_job_is_written(void **state)
{
	struct slurm_job_shown j = nothing;
	(void)state;
	j.id = 53;
	j.user = "vagrant(1000)";
	j.name = "sbatch";
	j.exit_code = "0:0";
	j.state = "RUNNING";
	j.submit_s = 1555415359;
	j.start_s = 1555415360;
	j.run_s = 30;
	j.limit_s = 90000;
	j.work_dir = "/home/vagrant";
	j.std_out = j.std_err = "/home/vagrant/slurm-53.out";
	j.partition = "debug";
	j.nodes = j.batch_host = "vagrant";
	j.node_count = "1";
	WRITTEN(RUNNING_JOB, wlm_add_jobs(&out, &j, 1, NULL));
}

/* Acceptance: red-box-7, word-31 */
static void no_time_is_another_thing_than_no_duration(void **state)
{
	struct slurm_job_shown j = nothing;
	(void)state;
	j.id = 52;
	j.state = "PENDING";
	j.run_s = 0;
	WRITTEN("0a080a02353228044200", wlm_add_jobs(&out, &j, 1, NULL));
}

/* Acceptance: red-box-7, red-box-9, word-31 */
static void a_step_is_written(void **state)
{
	const struct slurm_step_shown s = { "35", "test", "COMPLETED", 2, 1550661415, 1550661415 };
	(void)state;
	WRITTEN("0a1c0a02333512047465737418022a0608a7eeb4e305320608a7eeb4e305",
		wlm_add_steps(&out, &s, 1));
}

static Api__JobInfoResponse *written_and_read(const struct slurm_job_shown *j, size_t n,
	const char *key)
{
	AUTO(str_free) struct str out = { 0 };
	wlm_add_jobs(&out, j, n, key);
	Api__JobInfoResponse *m = api__job_info_response__unpack(NULL, out.len,
		(const uint8_t *)str_text(&out));
	assert_non_null(m);
	assert_int_equal(m->n_info, n);
	return m;
}

/* Acceptance: red-box-7 */
static void a_client_reads_a_job_again(void **state)
{
	uint8_t bytes[512];
	size_t n = bytes_of(RUNNING_JOB, bytes);
	(void)state;
	Api__JobInfoResponse *m = api__job_info_response__unpack(NULL, n, bytes);
	assert_non_null(m);
	assert_int_equal(m->n_info, 1);
	assert_string_equal(m->info[0]->id, "53");
	assert_string_equal(m->info[0]->user_id, "vagrant(1000)");
	assert_int_equal(m->info[0]->status, API__JOB_STATUS__UNKNOWN);
	assert_int_equal(m->info[0]->start_time->seconds, 1555415360);
	assert_int_equal(m->info[0]->time_limit->seconds, 90000);
	assert_string_equal(m->info[0]->num_nodes, "1");
	api__job_info_response__free_unpacked(m, NULL);
}

/* Acceptance: red-box-7, word-24 */
static void each_field_of_a_job_has_its_place(void **state)
{
	const struct slurm_job_shown j = { 53, "111", "2-9%1", "name", "user(1)", "COMPLETED",
		"None", "0", "0:1", "debug", "node1", "2", "host1", "/work", "/out", "/err", "key",
		10, 20, 30, 1, 3600 };
	(void)state;
	Api__JobInfoResponse *m = written_and_read(&j, 1, "key");
	const Api__JobInfo *i = m->info[0];
	assert_string_equal(i->id, "53");
	assert_string_equal(i->array_id, "111");
	assert_string_equal(i->array_task, "2-9%1");
	assert_string_equal(i->name, "name");
	assert_string_equal(i->user_id, "user(1)");
	assert_int_equal(i->status, API__JOB_STATUS__COMPLETED);
	assert_string_equal(i->exit_code, "0:1");
	assert_string_equal(i->partition, "debug");
	assert_string_equal(i->node_list, "node1");
	assert_string_equal(i->num_nodes, "2");
	assert_string_equal(i->batch_host, "host1");
	assert_string_equal(i->working_dir, "/work");
	assert_string_equal(i->std_out, "/out");
	assert_string_equal(i->std_err, "/err");
	assert_int_equal(i->submit_time->seconds, 10);
	assert_int_equal(i->start_time->seconds, 20);
	assert_int_equal(i->run_time->seconds, 1);
	assert_int_equal(i->time_limit->seconds, 3600);
	assert_string_equal(i->client_id, "key");
	assert_string_equal(i->state, "COMPLETED");
	assert_string_equal(i->reason, "None");
	assert_int_equal(i->end_time->seconds, 30);
	api__job_info_response__free_unpacked(m, NULL);
}

static void the_end_that_is_expected_of_a_job_that_runs_is_no_end(void **state)
{
	struct slurm_job_shown j = nothing;
	(void)state;
	j.state = "RUNNING";
	j.end_s = 30;
	Api__JobInfoResponse *m = written_and_read(&j, 1, "key");
	assert_null(m->info[0]->end_time);
	api__job_info_response__free_unpacked(m, NULL);
}

static void a_client_of_the_original_hears_what_it_knows(void **state)
{
	struct slurm_job_shown j = nothing;
	(void)state;
	j.state = "COMPLETED";
	j.reason = "None";
	j.task = "7";
	j.end_s = 30;
	Api__JobInfoResponse *m = written_and_read(&j, 1, NULL);
	assert_string_equal(m->info[0]->array_task, "");
	assert_string_equal(m->info[0]->client_id, "");
	assert_string_equal(m->info[0]->state, "");
	assert_string_equal(m->info[0]->reason, "");
	assert_null(m->info[0]->end_time);
	api__job_info_response__free_unpacked(m, NULL);
}

/* Acceptance: red-box-7, word-24 */
static void steps_have_their_states(void **state)
{
	const struct slurm_step_shown rows[] = {
		{ "1", "a", "FAILED", 1, SLURM_ABSENT, SLURM_ABSENT },
		{ "2", "b", "COMPLETED", 2, 10, 20 },
	};
	struct str out = { 0 };
	(void)state;
	wlm_add_steps(&out, rows, LENGTH(rows));
	Api__JobStepsResponse *m = api__job_steps_response__unpack(NULL, out.len,
		(const uint8_t *)str_text(&out));
	str_free(&out);
	assert_non_null(m);
	assert_int_equal(m->n_job_steps, 2);
	assert_int_equal(m->job_steps[0]->status, API__JOB_STATUS__FAILED);
	assert_int_equal(m->job_steps[0]->exit_code, 1);
	assert_null(m->job_steps[0]->start_time);
	assert_int_equal(m->job_steps[1]->status, API__JOB_STATUS__COMPLETED);
	assert_int_equal(m->job_steps[1]->exit_code, 2);
	assert_int_equal(m->job_steps[1]->end_time->seconds, 20);
	api__job_steps_response__free_unpacked(m, NULL);
}

/* Acceptance: red-box-7 */
static void every_end_of_a_job_is_an_end_for_the_client(void **state)
{
	static const struct {
		const char *word;
		Api__JobStatus status;
	} rows[] = {
		{ "COMPLETED", API__JOB_STATUS__COMPLETED },
		{ "CANCELLED", API__JOB_STATUS__CANCELLED },
		{ "TIMEOUT", API__JOB_STATUS__TIMEOUT },
		{ "NODE_FAIL", API__JOB_STATUS__FAILED },
		{ "OUT_OF_MEMORY", API__JOB_STATUS__FAILED },
		{ "PENDING", API__JOB_STATUS__PENDING },
		{ "RESV_DEL_HOLD", API__JOB_STATUS__PENDING },
		{ "COMPLETING", API__JOB_STATUS__UNKNOWN },
		{ "", API__JOB_STATUS__UNKNOWN },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct slurm_job_shown j = nothing;
		j.state = rows[i].word;
		Api__JobInfoResponse *m = written_and_read(&j, 1, NULL);
		assert_int_equal(m->info[0]->status, rows[i].status);
		api__job_info_response__free_unpacked(m, NULL);
	}
}

static void a_name_that_is_no_utf8_is_made_one(void **state)
{
	struct slurm_job_shown j = nothing;
	(void)state;
	j.name = "caf\xe9 \xc3\xa9";
	Api__JobInfoResponse *m = written_and_read(&j, 1, NULL);
	assert_string_equal(m->info[0]->name, "caf? \xc3\xa9");
	api__job_info_response__free_unpacked(m, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_submission_is_read),
		cmocka_unit_test(the_id_of_a_job_is_read),
		cmocka_unit_test(what_a_tail_asks_for_is_read),
		cmocka_unit_test(a_file_to_be_made_is_read),
		cmocka_unit_test(an_empty_request_is_one),
		cmocka_unit_test(fields_of_a_later_protocol_are_passed_over),
		cmocka_unit_test(a_text_with_a_nul_byte_is_refused),
		cmocka_unit_test(what_is_no_message_is_refused),
		cmocka_unit_test(a_request_has_so_many_fields_at_most),
		cmocka_unit_test(paths_of_archives_are_read),
		cmocka_unit_test(small_answers_are_written),
		cmocka_unit_test(resources_are_written),
		cmocka_unit_test(a_job_is_written),
		cmocka_unit_test(no_time_is_another_thing_than_no_duration),
		cmocka_unit_test(a_step_is_written),
		cmocka_unit_test(a_client_reads_a_job_again),
		cmocka_unit_test(each_field_of_a_job_has_its_place),
		cmocka_unit_test(the_end_that_is_expected_of_a_job_that_runs_is_no_end),
		cmocka_unit_test(a_client_of_the_original_hears_what_it_knows),
		cmocka_unit_test(steps_have_their_states),
		cmocka_unit_test(every_end_of_a_job_is_an_end_for_the_client),
		cmocka_unit_test(a_name_that_is_no_utf8_is_made_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
