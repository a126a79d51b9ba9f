/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the lists of slurmrestd, in the answers of three of its versions. */
#include "lib/fake_slurmrestd.h"

#include "slurm/rest/counted.h"

static struct json_doc *recorded(const char *version, const char *what)
{
	char name[80];
	int status;
	struct json_doc *doc = NULL;
	snprintf(name, sizeof(name), "24.11/%s/%s", version, what);
	AUTO(own_free) char *body = recorded_answer(name, &status);
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	return doc;
}

static const char *const versions[] = { "v0.0.40", "v0.0.41", "v0.0.42" };

static void jobs_of_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(versions); i++) {
		AUTO(json_auto) struct json_doc *doc = recorded(versions[i], "all-jobs");
		AUTO(str_free) struct str all = { 0 };
		struct json_iter it = json_iter(json_get(json_root(doc), "jobs"));
		while (json_next(&it)) {
			struct slurm_job_counted j;
			assert_false(failed(slurm_count_job(it.value, &j)));
			str_addf(&all, "%x%s %s %s/%lld [%s] %lld nodes %lld cpus %lld\n", j.state,
				j.held ? " held" : "", j.partition, j.user, (long long)j.uid,
				j.account, (long long)j.nodes, (long long)j.cpus,
				(long long)j.eligible_s);
		}
		assert_string_equal(str_text(&all),
			"2 all slurm/401 [] 1 nodes 1 cpus 1795715286\n"
			"2 all slurm/401 [] 2 nodes 2 cpus 1795715286\n"
			"1 held all slurm/401 [] 3 nodes 0 cpus 0\n"
			"1 all,extra slurm/401 [] 1 nodes 0 cpus 1795715287\n"
			"8 all slurm/401 [] 1 nodes 1 cpus 1795715287\n");
	}
}

static void nodes_of_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(versions); i++) {
		AUTO(json_auto) struct json_doc *doc = recorded(versions[i], "all-nodes");
		AUTO(str_free) struct str all = { 0 };
		struct json_iter it = json_iter(json_get(json_root(doc), "nodes"));
		for (int k = 0; k < 3 && json_next(&it); k++) {
			struct slurm_node_counted n;
			assert_false(failed(slurm_count_node(it.value, &n)));
			str_addf(&all, "%s %x %zu: %lld %lld %lld %lld, %lld %lld %lld %lld\n",
				n.name, n.state, json_count(n.partitions), (long long)n.cpus,
				(long long)n.cpus_effective, (long long)n.cpus_alloc,
				(long long)n.cpus_idle, (long long)n.memory,
				(long long)n.memory_special, (long long)n.memory_alloc,
				(long long)n.memory_free);
		}
		assert_string_equal(str_text(&all),
			"w-0 40001 2: 2 2 2 0, 24152 0 0 2785\n"
			"w-1 40020 1: 2 2 1 1, 24152 0 0 2823\n"
			"e1 1860010 1: 64 64 0 64, 256000 0 0 -1\n");
	}
}

static void partitions_of_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(versions); i++) {
		AUTO(json_auto) struct json_doc *doc = recorded(versions[i], "all-partitions");
		AUTO(str_free) struct str all = { 0 };
		struct json_iter it = json_iter(json_get(json_root(doc), "partitions"));
		while (json_next(&it)) {
			struct slurm_partition_counted p;
			assert_false(failed(slurm_count_partition(it.value, &p)));
			str_addf(&all, "%s %lld %lld ", p.name, (long long)p.nodes,
				(long long)p.cpus);
		}
		assert_string_equal(str_text(&all), "all 7 324 extra 1 2 ");
	}
}

static void statistics_and_what_a_version_does_not_tell(void **state)
{
	(void)state;
	int64_t n;
	AUTO(json_auto) struct json_doc *old = recorded("v0.0.40", "all-diag");
	AUTO(json_auto) struct json_doc *new = recorded("v0.0.42", "all-diag");
	const struct json *of_old = json_get(json_root(old), "statistics");
	const struct json *of_new = json_get(json_root(new), "statistics");
	assert_true(slurm_count_statistic(of_new, "schedule_cycle_sum", &n) && n == 8695);
	assert_false(slurm_count_statistic(of_old, "schedule_cycle_sum", &n));
	assert_true(slurm_count_statistic(of_old, "bf_exit.end_job_queue", &n) && n == 10);
	assert_false(slurm_count_statistic(of_old, "bf_exit.nothing", &n));
	assert_true(slurm_count_statistic(of_new, "bf_active", &n) && n == 0);
	assert_true(slurm_count_statistic(of_new, "bf_when_last_cycle", &n) && n == 1795715296);
}

/* Not set is 0, infinite the largest number, and what has no name is refused. */
/* Acceptance: exporter-6 */
static void numbers_that_are_none(void **state)
{
	(void)state;
	static const char text[] =
		"{\"job_id\":1,\"job_state\":[\"RUNNING\",\"NEW_WORD\"],\"node_count\":{\"set\":"
		"false,\"infinite\":true,\"number\":0},\"eligible_time\":{\"set\":false,\"number\":"
		"7},"
		"\"user_id\":-5,\"hold\":\"yes\",\"partition\":5,\"job_resources\":{\"nodes\":{"
		"\"allocation\":[{\"cpus\":{\"count\":-4}},7,{\"cpus\":{\"count\":3},\"memory\":{"
		"\"allocated\":9223372036854775807}},{\"memory\":{\"allocated\":9}}]}}}";
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct slurm_job_counted j;
	struct slurm_node_counted n;
	struct slurm_partition_counted p;
	assert_false(failed(json_parse(text, strlen(text), 4096, &doc)));
	assert_false(failed(slurm_count_job(json_root(doc), &j)));
	assert_true(j.state == (JOB_RUNNING | JOB_OTHER) && !j.held);
	assert_true(j.nodes == INT64_MAX && j.eligible_s == 0 && j.cpus == 3);
	assert_true(j.memory == INT64_MAX);
	assert_string_equal(j.partition, "");
	assert_int_equal(slurm_count_node(json_root(doc), &n).kind, ERR_INVALID);
	assert_int_equal(slurm_count_partition(NULL, &p).kind, ERR_INVALID);
	assert_int_equal(slurm_count_job(NULL, &j).kind, ERR_INVALID);
}

static void words_that_share_a_bit_are_told_apart(void **state)
{
	(void)state;
	assert_true(node_state_bit("POWERED_DOWN") & NODE_POWERED_DOWN);
	assert_false(node_state_bit("POWERING_UP") & NODE_POWERED_DOWN);
	assert_true(node_state_bit("POWERING_UP") & NODE_POWERING_UP);
	assert_true(node_state_bit("POWERING_DOWN") & NODE_POWERING_DOWN);
	assert_true(node_state_bit("REBOOT_REQUESTED") & NODE_REBOOT_REQUESTED);
	assert_true(node_state_bit("REBOOT_ISSUED") & NODE_REBOOT_ISSUED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_of_every_version),
		cmocka_unit_test(nodes_of_every_version),
		cmocka_unit_test(partitions_of_every_version),
		cmocka_unit_test(statistics_and_what_a_version_does_not_tell),
		cmocka_unit_test(numbers_that_are_none),
		cmocka_unit_test(words_that_share_a_bit_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
