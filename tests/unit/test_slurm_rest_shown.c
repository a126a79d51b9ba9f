/* SPDX-License-Identifier: Apache-2.0 */
/* What slurmrestd tells, as scontrol showed the same jobs at that time. */
#include "lib/fake_slurmrestd.h"

#include "slurm/rest_shown.h"

enum { NOW_S = 1795546685 };

static struct err shown(const char *json, struct arena *a, struct slurm_job_shown *out)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(json, strlen(json), 1 << 20, &doc)));
	return rest_job(json_root(doc), NOW_S, a, out);
}

static void add_job(struct str *s, const struct slurm_job_shown *j)
{
	str_addf(s,
		"%lld/%s %s %s %s %s %s %s [%s] %s \"%s\" sub %lld start %lld end %lld run %lld "
		"limit %lld %s\n",
		(long long)j->id, j->array_id, j->user, j->state, j->reason, j->restarts,
		j->exit_code, j->partition, j->nodes, j->node_count, j->comment,
		(long long)j->submit_s, (long long)j->start_s, (long long)j->end_s,
		(long long)j->run_s, (long long)j->limit_s, j->std_out);
}

/* Each job of a recorded answer, a line for each. */
static void is_shown(const char *recorded, const char *lines)
{
	int status;
	AUTO(arena_free) struct arena a = { 0 };
	AUTO(str_free) struct str all = { 0 };
	AUTO(json_auto) struct json_doc *doc = NULL;
	AUTO(own_free) char *body = recorded_answer(recorded, &status);
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	const struct json *jobs = json_get(json_root(doc), "jobs");
	for (struct json_iter it = json_iter(jobs); json_next(&it);) {
		struct slurm_job_shown job;
		struct err e = rest_job(it.value, NOW_S, &a, &job);
		if (failed(e))
			fail_msg("%s", e.text);
		add_job(&all, &job);
	}
	assert_string_equal(str_text(&all), lines);
}

static void a_job_that_waits(void **state)
{
	(void)state;
	is_shown("24.11/v0.0.42/job-held",
		"8/ alice(1000) PENDING JobHeldUser 0 0:0 all [] 1-1 \"k7 two \"words\" \\ back\" "
		"sub 1795546543 start -1 end -1 run 0 limit -1 /tmp/slurm-8.out\n");
	is_shown("24.11/v0.0.42/job-requeued",
		"20/ alice(1000) PENDING BeginTime 1 0:0 all [] 1 \"k11\" sub 1795546685 "
		"start 1795546701 end 1795546761 run 0 limit 60 /tmp/slurm-20.out\n");
}

static void an_array_has_what_waits_and_each_task(void **state)
{
	(void)state;
	is_shown("24.11/v0.0.42/job-array",
		"18/18 alice(1000) PENDING JobArrayTaskLimit 0 0:0 all [] 1 \"k10\" sub 1795546642 "
		"start -1 end -1 run 0 limit -1 /tmp/slurm-18_4294967294.out\n"
		"19/18 alice(1000) RUNNING None 0 0:0 all [n1] 1 \"k10\" sub 1795546642 "
		"start 1795546642 end 1827082642 run 43 limit 31536000 /tmp/slurm-18_1.out\n");
}

static void components_of_a_heterogeneous_job(void **state)
{
	(void)state;
	is_shown("24.11/v0.0.42/job-het",
		"5/ alice(1000) PENDING Resources 0 0:0 all [] 1 \"k5\" sub 1795546543 "
		"start 1795546579 end 1795546879 run 0 limit 300 /tmp/slurm-5.out\n"
		"6/ alice(1000) PENDING Resources 0 0:0 all [] 1 \"k5\" sub 1795546543 "
		"start 1795546920 end 1795547220 run 0 limit 300 /tmp/slurm-6.out\n");
}

static void a_job_that_a_signal_ended(void **state)
{
	(void)state;
	is_shown("24.11/v0.0.42/job-signal",
		"16/ alice(1000) FAILED RaisedSignal:9(Killed) 0 0:9 all [n1] 1 \"k6\" "
		"sub 1795546633 start 1795546633 end 1795546633 run 0 limit 31536000 "
		"/tmp/slurm-16.out\n");
}

static void time_in_which_it_was_suspended_does_not_count(void **state)
{
	(void)state;
	is_shown("24.11/v0.0.42/job-suspended-5s",
		"20/ alice(1000) SUSPENDED None 0 0:0 all [n1] 1 \"k11\" sub 1795546674 "
		"start 1795546674 end 1795546734 run 5 limit 60 /tmp/slurm-20.out\n");
	is_shown("24.11/v0.0.42/job-resumed",
		"20/ alice(1000) RUNNING None 0 0:0 all [n1] 1 \"k11\" sub 1795546674 "
		"start 1795546674 end 1795546738 run 7 limit 60 /tmp/slurm-20.out\n");
}

/* 26.05 tells patterns, and the paths that they become. */
static void a_path_is_one_and_no_pattern(void **state)
{
	(void)state;
	is_shown("26.05/v0.0.45/job-array",
		"2/2 alice(1000) PENDING JobArrayTaskLimit 0 0:0 hid [] 1 \"k1\" sub 1795548002 "
		"start -1 end -1 run 0 limit 120 /tmp/slurm-2_4294967294.out\n"
		"3/2 alice(1000) RUNNING None 0 0:0 hid [n1] 1 \"k1\" sub 1795548002 "
		"start 1795548003 end 1795548123 run 0 limit 120 /tmp/slurm-2_1.out\n");
	is_shown("26.05/v0.0.45/job-signal",
		"5/ alice(1000) FAILED RaisedSignal:9(Killed) 0 0:9 all [n1] 1 \"k2\" sub "
		"1795548040 "
		"start 1795548040 end 1795548041 run 1 limit 120 /tmp/o-5.wrap\n");
}

#define JOB(more) "{\"job_id\":7,\"user_id\":1000,\"user_name\":\"u\"," more "}"

/* The tools print one word: a flag before the base state, whatever the order is. */
static void of_several_states_the_one_that_the_tools_print(void **state)
{
	static const struct {
		const char *list, *word;
	} rows[] = {
		{ "[\"CANCELLED\",\"COMPLETING\"]", "COMPLETING" },
		{ "[\"COMPLETING\",\"COMPLETED\"]", "COMPLETING" },
		{ "[\"PENDING\",\"REQUEUED\"]", "REQUEUED" },
		{ "[\"REQUEUED\",\"COMPLETING\",\"PENDING\"]", "COMPLETING" },
		{ "[\"RUNNING\",\"CONFIGURING\"]", "CONFIGURING" },
		{ "[\"POWER_UP_NODE\",\"RUNNING\"]", "RUNNING" },
		{ "[\"NODE_FAIL\"]", "NODE_FAIL" },
		{ "[\"SOMETHING_NEW\"]", "SOMETHING_NEW" },
		{ "[\"RUNNING\",\"SOMETHING_NEW\"]", "RUNNING" },
		/* Whether it has ended is not sure */
		{ "[\"FAILED\",\"EXPEDITING\"]", "EXPEDITING" },
		{ "[\"COMPLETED\",\"SOMETHING_NEW\"]", "SOMETHING_NEW" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(arena_free) struct arena a = { 0 };
		AUTO(str_free) struct str json = { 0 };
		struct slurm_job_shown job;
		str_addf(&json, JOB("\"job_state\":%s"), rows[i].list);
		assert_false(failed(shown(str_text(&json), &a, &job)));
		assert_string_equal(job.state, rows[i].word);
	}
}

static void what_is_no_number_is_absent(void **state)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct slurm_job_shown job;
	(void)state;
	assert_false(failed(shown(JOB("\"job_state\":[\"RUNNING\"],\"time_limit\":{\"set\":true,"
				      "\"infinite\":false,\"number\":9223372036854775807},"
				      "\"start_time\":{\"set\":false,\"infinite\":false,"
				      "\"number\":5},\"end_time\":{\"set\":true,\"infinite\":true,"
				      "\"number\":0},\"node_count\":{\"infinite\":true}"),
		&a, &job)));
	assert_int_equal(job.limit_s, SLURM_ABSENT);
	assert_int_equal(job.start_s, SLURM_ABSENT);
	assert_int_equal(job.end_s, SLURM_ABSENT);
	assert_int_equal(job.run_s, 0);
	assert_string_equal(job.node_count, "");
	assert_string_equal(job.comment, "");
	assert_string_equal(job.exit_code, "0:0");
}

/* A description of the reason comes before its word, with no blank in it. */
static void a_reason_that_somebody_wrote(void **state)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct slurm_job_shown job;
	(void)state;
	assert_false(failed(shown(JOB("\"job_state\":[\"PENDING\"],\"state_reason\":\"Resources\","
				      "\"state_description\":\"node n1\\tis down\""),
		&a, &job)));
	assert_string_equal(job.reason, "node_n1_is_down");
}

static void a_job_without_what_it_is_known_by_is_none(void **state)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"{\"job_id\":0,\"user_id\":1,\"job_state\":[\"RUNNING\"]}",
		"{\"job_id\":4294967296,\"user_id\":1,\"job_state\":[\"RUNNING\"]}",
		"{\"job_id\":\"7\",\"user_id\":1,\"job_state\":[\"RUNNING\"]}",
		"{\"job_id\":7,\"job_state\":[\"RUNNING\"]}",
		JOB("\"job_state\":[]"),
		JOB("\"job_state\":\"RUNNING\""),
		JOB("\"job_state\":[3]"),
		JOB("\"job_state\":[\"\",\"FAILED\"]"),
		JOB("\"job_state\":{\"a\":[],\"b\":\"FAILED\"}"),
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++) {
		AUTO(arena_free) struct arena a = { 0 };
		struct slurm_job_shown job;
		struct err e = shown(bad[i], &a, &job);
		assert_int_equal(e.kind, ERR_INVALID);
	}
}

/* ---- partitions ---- */

static void partition(const char *json, struct arena *a, struct slurm_partition_shown *out)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(json, strlen(json), 1 << 20, &doc)));
	assert_false(failed(rest_partition(json_root(doc), a, out)));
}

#define N(n) "{\"set\":true,\"infinite\":false,\"number\":" #n "}"
#define NO_LIMIT "{\"set\":false,\"infinite\":true,\"number\":0}"
#define NOT_SET "{\"set\":false,\"infinite\":false,\"number\":0}"
#define PARTITION(time, nodes, cpus, node_mb, cpu_mb)                                    \
	"{\"name\":\"p\",\"nodes\":{\"total\":8},\"cpus\":{\"total\":32},\"maximums\":{" \
	"\"time\":" time ",\"nodes\":" nodes ",\"cpus_per_node\":" cpus                  \
	",\"partition_memory_per_node\":" node_mb ",\"partition_memory_per_cpu\":" cpu_mb "}}"

static void limits_of_a_partition(void **state)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct slurm_partition_shown p;
	(void)state;
	partition(PARTITION(N(30), N(3), N(1), N(512), NOT_SET), &a, &p);
	assert_int_equal(p.wall_s, 1800);
	assert_int_equal(p.nodes, 3);
	assert_int_equal(p.cpus_per_node, 1);
	assert_int_equal(p.memory_per_node_mb, 512);
	partition(PARTITION(NO_LIMIT, NO_LIMIT, NO_LIMIT, N(0), NOT_SET), &a, &p);
	assert_int_equal(p.wall_s, SLURM_ABSENT);
	assert_int_equal(p.nodes, 8);
	assert_int_equal(p.cpus_per_node, 32);
	assert_int_equal(p.memory_per_node_mb, SLURM_ABSENT);
	partition(PARTITION(NO_LIMIT, NO_LIMIT, NO_LIMIT, NOT_SET, N(100)), &a, &p);
	assert_int_equal(p.memory_per_node_mb, 0); /* each CPU has a limit, and no node */
}

/* ---- a cancellation ---- */

static void was_cancelled(const char *recorded, enum err_kind kind, bool tells)
{
	int status;
	bool said;
	AUTO(json_auto) struct json_doc *doc = NULL;
	AUTO(own_free) char *body = recorded_answer(recorded, &status);
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	struct err e = rest_cancelled(json_root(doc), &said);
	assert_string_equal(err_kind_name(e.kind), err_kind_name(kind));
	assert_int_equal(said, tells);
}

static void what_became_of_a_cancellation_stands_within_a_good_answer(void **state)
{
	(void)state;
	was_cancelled("24.11/v0.0.42/cancel", ERR_NONE, true);
	was_cancelled("24.11/v0.0.42/cancel-ended", ERR_NONE, true);
	was_cancelled("24.11/v0.0.42/cancel-unknown", ERR_NOT_FOUND, true);
	was_cancelled("24.11/v0.0.42/cancel-denied", ERR_DENIED, true);
	was_cancelled("24.11/v0.0.41/cancel-denied", ERR_NONE, false);
}

#define STATUS(code) "{\"error\":{\"code\":" #code ",\"message\":\"m\"}}"

static void of_several_tasks_the_worst_counts(void **state)
{
	static const struct {
		const char *json;
		enum err_kind kind;
	} rows[] = {
		{ "{\"status\":[" STATUS(2017) "," STATUS(2002) "]}", ERR_DENIED },
		{ "{\"status\":[" STATUS(2002) "," STATUS(2017) "]}", ERR_DENIED },
		{ "{\"status\":[" STATUS(0) "," STATUS(2021) "]}", ERR_NONE },
		{ "{\"status\":[" STATUS(2017) "," STATUS(1234) "]}", ERR_LOST },
		{ "{\"status\":[{}]}", ERR_LOST },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		bool tells;
		AUTO(json_auto) struct json_doc *doc = NULL;
		assert_false(failed(json_parse(rows[i].json, strlen(rows[i].json), 1 << 20, &doc)));
		assert_int_equal(rest_cancelled(json_root(doc), &tells).kind, rows[i].kind);
		assert_true(tells);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_that_waits),
		cmocka_unit_test(an_array_has_what_waits_and_each_task),
		cmocka_unit_test(components_of_a_heterogeneous_job),
		cmocka_unit_test(a_job_that_a_signal_ended),
		cmocka_unit_test(time_in_which_it_was_suspended_does_not_count),
		cmocka_unit_test(a_path_is_one_and_no_pattern),
		cmocka_unit_test(of_several_states_the_one_that_the_tools_print),
		cmocka_unit_test(what_is_no_number_is_absent),
		cmocka_unit_test(a_reason_that_somebody_wrote),
		cmocka_unit_test(a_job_without_what_it_is_known_by_is_none),
		cmocka_unit_test(limits_of_a_partition),
		cmocka_unit_test(what_became_of_a_cancellation_stands_within_a_good_answer),
		cmocka_unit_test(of_several_tasks_the_worst_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
