/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as our client writes them, byte for byte, and answers as it reads them. */
#include "lib/hex.h"
#include "wlm/answer.h"
#include "wlm/ask.h"

#define SUM "abcdefghijklmnopqrstuvwxyz012345"
#define SUM_HEX "6162636465666768696a6b6c6d6e6f707172737475767778797a303132333435"

/* ---- requests ---- */

/* Acceptance: word-28 */
static void requests_are_written(void **state)
{
	(void)state;
	WRITTEN("0a1323212f62696e2f73680a686f73746e616d650a120564656275671a027531",
		wlm_ask_submit(&out, "#!/bin/sh\nhostname\n", "debug", "u1", 0));
	WRITTEN("0a0178", wlm_ask_submit(&out, "x", NULL, "", 0));
	WRITTEN("0a01781a01612035", wlm_ask_submit(&out, "x", NULL, "a", 53));
	WRITTEN("0835", wlm_ask_job(&out, 53, NULL));
	WRITTEN("0835120161", wlm_ask_job(&out, 53, "a"));
	WRITTEN("120161", wlm_ask_job(&out, 0, "a"));
	WRITTEN("0a022f61", wlm_ask_open(&out, "/a", 0));
	WRITTEN("0a022f6110ac02", wlm_ask_open(&out, "/a", 300));
	WRITTEN("0a022f61", wlm_ask_path(&out, "/a"));
	WRITTEN("12022f61", wlm_ask_tail(&out, false, "/a", 0));
	WRITTEN("080112022f61", wlm_ask_tail(&out, true, "/a", 0));
	WRITTEN("12022f611814", wlm_ask_tail(&out, false, "/a", 20));
	WRITTEN("0801", wlm_ask_tail(&out, true, "", 0));
	WRITTEN("0a056465627567", wlm_ask_resources(&out, "debug"));
	const struct wlm_new_file plain = { .path = "a/b.zip" };
	const struct wlm_new_file dressed = { "a", 0750, (const uint8_t *)SUM };
	WRITTEN("0a07612f622e7a6970", wlm_ask_new_file(&out, &plain));
	WRITTEN("0a016118e8032220" SUM_HEX, wlm_ask_new_file(&out, &dressed));
	WRITTEN("1202504b", wlm_ask_content(&out, "PK", 2));
}

/* Acceptance: word-32 */
static void a_container_is_written(void **state)
{
	static const char *const binds[] = { "b1", "b2" };
	(void)state;
	const struct wlm_container_ask all = {
		.image = "library://x",
		.partition = "debug",
		.nodes = 1,
		.cpu_per_node = 2,
		.mem_per_node_mb = 512,
		.wall_time_s = 600,
		.app = "main",
		.host_name = "test1",
		.binds = binds,
		.n_binds = 2,
		.allow_unsigned = true,
		.clear_env = true,
		.fake_root = true,
		.ipc = true,
		.pid = true,
		.no_privs = true,
		.writable = true,
	};
	WRITTEN("0a0b6c6962726172793a2f2f781001180220800428d8043205646562756742230a046d61696e10"
		"011a0262311a02623220012801320574657374313801400148015001",
		wlm_ask_container(&out, &all));
	/* Options go along also when there are none. */
	WRITTEN("0a01784200", wlm_ask_container(&out, &(struct wlm_container_ask){ .image = "x" }));
}

/* ---- answers ---- */

static struct wlm_answer read_hex(struct arena *a, enum wlm_answer_kind kind, const char *hex)
{
	struct wlm_answer out;
	uint8_t bytes[512];
	size_t n = bytes_of(hex, bytes);
	struct err e = wlm_answer_read(kind, bytes, n, a, &out);
	if (failed(e))
		fail_msg("%s", e.text);
	return out;
}

#define READ(kind, hex)                              \
	AUTO(arena_free) struct arena arena = { 0 }; \
	const struct wlm_answer m = read_hex(&arena, kind, hex)

/* Acceptance: red-box-9, word-28 */
static void the_id_of_a_job_is_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_JOB_ID, "0835");
	assert_int_equal(m.job_id, 53);
}

/* Acceptance: word-31 */
static void a_job_that_runs_is_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_JOBS,
		"0aa0010a023533120d76616772616e742831303030291a067362617463682203303a30280a320608bf"
		"82d7e5053a0608c082d7e5054202081e4a040890bf05520d2f686f6d652f76616772616e745a1a2f68"
		"6f6d652f76616772616e742f736c75726d2d35332e6f7574621a2f686f6d652f76616772616e742f73"
		"6c75726d2d35332e6f75746a056465627567720776616772616e747a0776616772616e748201"
		"0131");
	assert_int_equal(m.n_jobs, 1);
	const struct slurm_job_shown *j = m.jobs;
	assert_int_equal(j->id, 53);
	assert_string_equal(j->user, "vagrant(1000)");
	assert_string_equal(j->name, "sbatch");
	assert_string_equal(j->exit_code, "0:0");
	assert_string_equal(j->state, "RUNNING");
	assert_int_equal(j->submit_s, 1555415359);
	assert_int_equal(j->start_s, 1555415360);
	assert_int_equal(j->run_s, 30);
	assert_int_equal(j->limit_s, 90000);
	assert_string_equal(j->work_dir, "/home/vagrant");
	assert_string_equal(j->std_out, "/home/vagrant/slurm-53.out");
	assert_string_equal(j->std_err, "/home/vagrant/slurm-53.out");
	assert_string_equal(j->partition, "debug");
	assert_string_equal(j->nodes, "vagrant");
	assert_string_equal(j->batch_host, "vagrant");
	assert_string_equal(j->node_count, "1");
	assert_string_equal(j->array_id, "");
}

/* Acceptance: word-31 */
static void a_job_that_waits_is_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_JOBS, "0a080a02353228044200");
	assert_string_equal(m.jobs->state, "PENDING");
	assert_int_equal(m.jobs->run_s, 0);
	assert_int_equal(m.jobs->start_s, SLURM_ABSENT);
	assert_int_equal(m.jobs->limit_s, SLURM_ABSENT);
	assert_string_equal(m.jobs->batch_host, "");
}

static void the_number_of_a_state_that_nobody_knows_is_no_end(void **state)
{
	static const struct {
		const char *hex, *state;
	} rows[] = {
		{ "0a040a023532", "COMPLETED" },
		{ "0a060a0235322801", "CANCELLED" },
		{ "0a060a0235322802", "FAILED" },
		{ "0a060a0235322803", "TIMEOUT" },
		{ "0a060a0235322805", "RUNNING" },
		{ "0a060a023532280b", "RUNNING" },
		{ "0a0f0a02353228ffffffffffffffffff01", "RUNNING" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		READ(WLM_ANSWER_JOBS, rows[i].hex);
		assert_string_equal(m.jobs->state, rows[i].state);
	}
}

/* Acceptance: word-30 */
static void resources_are_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_RESOURCES,
		"0804100218ffffffffffffffffff01"
		"2a1b0a0a636f6e7461696e657273120b73696e67756c61726974791814");
	assert_int_equal(m.resources.nodes, 4);
	assert_int_equal(m.resources.cpu_per_node, 2);
	assert_int_equal(m.resources.mem_per_node_mb, -1);
	assert_int_equal(m.resources.wall_time_s, 0);
	assert_int_equal(m.resources.n_features, 1);
	assert_string_equal(m.resources.features->name, "containers");
	assert_string_equal(m.resources.features->version, "singularity");
	assert_int_equal(m.resources.features->quantity, 20);
}

static void partitions_are_read_without_an_empty_one(void **state)
{
	(void)state;
	READ(WLM_ANSWER_NAMES, "0a0564656275670a000a06646562756733");
	assert_int_equal(m.n_names, 2);
	assert_string_equal(m.names[0], "debug");
	assert_string_equal(m.names[1], "debug3");
}

static void the_version_is_read_without_its_newline(void **state)
{
	(void)state;
	READ(WLM_ANSWER_WORKLOAD, "0a05736c75726d120831382e30382e350a18e807");
	assert_string_equal(m.workload, "slurm");
	assert_string_equal(m.version, "18.08.5");
	assert_int_equal(m.uid, 1000);
}

/* Acceptance: word-29 */
static void a_piece_of_a_file_is_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_CHUNK, "0a05746500740a");
	assert_int_equal(m.content_bytes, 5);
	assert_memory_equal(m.content, "te\0t\n", 5);
}

static void a_file_of_a_list_is_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_FILE, "0a056f75742f61100518a403288094ebdc03");
	assert_string_equal(m.file.path, "out/a");
	assert_int_equal(m.file.size, 5);
	assert_int_equal(m.file.mode, 0644);
	assert_int_equal(m.file.modified_ns, 1000000000);
	assert_false(m.file.folder);
}

static void the_end_of_a_list_is_read(void **state)
{
	(void)state;
	READ(WLM_ANSWER_FILE, "3002");
	assert_string_equal(m.file.path, "");
	assert_int_equal(m.left_out, 2);
}

static void a_name_that_is_no_utf8_is_made_one(void **state)
{
	(void)state;
	READ(WLM_ANSWER_JOBS, "0a0a0a0235321a04636166e9");
	assert_string_equal(m.jobs->name, "caf?");
}

static void refused(enum wlm_answer_kind kind, const char *hex, const char *sentence)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct wlm_answer out;
	uint8_t bytes[512];
	size_t n = bytes_of(hex, bytes);
	struct err e = wlm_answer_read(kind, bytes, n, &a, &out);
	assert_int_equal(e.kind, ERR_INVALID);
	if (!strstr(e.text, sentence))
		fail_msg("%s", e.text);
}

static void what_could_be_taken_for_a_success_is_refused(void **state)
{
	(void)state;
	refused(WLM_ANSWER_JOBS, "", "it contains no job");
	refused(WLM_ANSWER_JOBS, "0a00", "a job should have a number, and its id is \"\"");
	refused(WLM_ANSWER_JOBS, "0a040a0235320a00", "a job should have a number");
	refused(WLM_ANSWER_JOBS, "0a030a0130", "id is \"0\"");
	refused(WLM_ANSWER_JOBS, "0a040a023578", "id is \"5x\"");
	refused(WLM_ANSWER_JOB_ID, "", "above 0, and is 0");
	refused(WLM_ANSWER_JOB_ID, "08ffffffffffffffffff01", "is -1");
}

/* A message of 4 MiB would have 250,000 jobs of 15 bytes, each of 500 in memory. */
/* Acceptance: vnode-17 */
static void an_answer_has_so_many_fields_at_most(void **state)
{
	static const struct {
		const char *field, *around; /* around: the record that has the fields; "": none */
		int n;
		const char *sentence;
	} rows[] = {
		{ "\x0a\x04\x0a\x02\x35\x33", "", 20000, "" },
		{ "\x0a\x04\x0a\x02\x35\x33", "", 20001, "has more than 20000 fields" },
		{ "\x0a\x01\x35", "\x0a\xe3\xd4\x03", 20001, "has more than 20000 fields" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(arena_free) struct arena a = { 0 };
		AUTO(str_free) struct str bytes = { 0 };
		struct wlm_answer out;
		str_add(&bytes, rows[i].around);
		for (int k = 0; k < rows[i].n; k++)
			str_add(&bytes, rows[i].field);
		struct err e = wlm_answer_read(WLM_ANSWER_JOBS, str_text(&bytes), bytes.len, &a,
			&out);
		assert_int_equal(failed(e), *rows[i].sentence != '\0');
		if (!strstr(e.text, rows[i].sentence))
			fail_msg("%s", e.text);
	}
}

/* A client that puts it below a folder of its own finds it there. */
static void a_path_that_leads_elsewhere_is_refused(void **state)
{
	static const char *const paths[] = {
		"0a022f61",       /* /a */
		"0a022e2e",       /* .. */
		"0a012e",         /* . */
		"0a04612f2e2e",   /* a/.. */
		"0a05612f2e2f62", /* a/./b */
		"0a04612f2f62",   /* a//b */
		"0a02612f",       /* a/ */
		"0a012f",         /* / */
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(paths); i++)
		refused(WLM_ANSWER_FILE, paths[i], "the path of a file should be like");
	AUTO(arena_free) struct arena a = { 0 };
	assert_string_equal(read_hex(&a, WLM_ANSWER_FILE, "0a032e2e61").file.path, "..a");
}

static void numbers_that_no_file_has_are_refused(void **state)
{
	(void)state;
	refused(WLM_ANSWER_FILE, "0a016110ffffffffffffffffff01", "should have a size");
	refused(WLM_ANSWER_FILE, "0a0161188010", "should have a size");
	refused(WLM_ANSWER_FILE, "30ffffffffffffffffff01", "should have a size");
	refused(WLM_ANSWER_CHECKSUM, "0a02abab", "a checksum should have 32 bytes, and has 2");
	refused(WLM_ANSWER_CHECKSUM, "", "a checksum should have 32 bytes, and has 0");
}

static void what_is_no_answer_is_refused(void **state)
{
	(void)state;
	for (int kind = 0; kind < WLM_ANSWER_KINDS; kind++)
		refused((enum wlm_answer_kind)kind, "0affffff", "this is no ");
	refused(WLM_ANSWER_JOBS, "0a040a023500", "a text of it holds a NUL byte");
	refused(WLM_ANSWER_NAMES,
		"0a0161"
		"0a026100",
		"NUL byte");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_written),
		cmocka_unit_test(a_container_is_written),
		cmocka_unit_test(the_id_of_a_job_is_read),
		cmocka_unit_test(a_job_that_runs_is_read),
		cmocka_unit_test(a_job_that_waits_is_read),
		cmocka_unit_test(the_number_of_a_state_that_nobody_knows_is_no_end),
		cmocka_unit_test(resources_are_read),
		cmocka_unit_test(partitions_are_read_without_an_empty_one),
		cmocka_unit_test(the_version_is_read_without_its_newline),
		cmocka_unit_test(a_piece_of_a_file_is_read),
		cmocka_unit_test(a_file_of_a_list_is_read),
		cmocka_unit_test(the_end_of_a_list_is_read),
		cmocka_unit_test(a_name_that_is_no_utf8_is_made_one),
		cmocka_unit_test(what_could_be_taken_for_a_success_is_refused),
		cmocka_unit_test(an_answer_has_so_many_fields_at_most),
		cmocka_unit_test(a_path_that_leads_elsewhere_is_refused),
		cmocka_unit_test(numbers_that_no_file_has_are_refused),
		cmocka_unit_test(what_is_no_answer_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
