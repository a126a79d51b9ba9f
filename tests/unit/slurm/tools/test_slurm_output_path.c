/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of output files: what scontrol shows and what slurmd made of it, as seen with a
 * real Slurm 24.11.5 whose node n1.example.org has the short host name n1.
 */
#include "lib/test.h"

#include "slurm/tools/output_path.h"

static const struct row {
	const char *shown, *file;
} rows[] = {
	/* what slurmctld leaves */
	{ "%N", "n1" },
	{ "%n", "0" },
	{ "%t", "0" },
	{ "%s", "batch" },
	{ "%J", "11" },
	{ "a%Nb%nc", "an1b0c" },
	{ "%N%N", "n1n1" },
	/* widths */
	{ "%5N", "n1" },
	{ "%3n", "000" },
	{ "%03t", "000" },
	{ "%12n", "0000000000" },
	{ "%0n", "0" },
	{ "%3s", "batch" },
	{ "%7J", "0000011" },
	/* what slurmctld expands, and what is no pattern */
	{ "pat-1-4294967294-4-1-root-my.job", "pat-1-4294967294-4-1-root-my.job" },
	{ "%U", "%U" },
	{ "%5U", "5U" },
	{ "%", "%" },
	{ "end%", "end%" },
	{ "%n%", "0%" },
	{ "%5", "5" },
	{ "%3%", "3%" },
	{ "%3%n", "30" },
	{ "%3 n", "3 n" },
	{ "%-3n", "%-3n" },
	{ "%%n", "%0" }, /* of "%%%n" */
	{ "-%h-%q-%.out", "-%h-%q-%.out" },
	/* with a backslash */
	{ "p\\%N", "p%N" },
	{ "a\\\\%N", "a\\%N" },
	{ "a\\\\\\\\b", "a\\\\b" },
	{ "%n\\b", "%nb" },
	{ "\\\\\\%n", "\\%n" },
	{ "d\\e", "de" },
	{ "d\\", "d" },
	{ "", "" },
};

static struct slurm_job_shown job(const char *host)
{
	return (struct slurm_job_shown){ .id = 11, .batch_host = host };
}

/* Acceptance: log-12 */
static void test_each_pattern_is_expanded_as_slurmd_does_it(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown j = job("n1.example.org");
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_string_equal(slurm_output_path(&a, rows[i].shown, &j), rows[i].file);
}

/* A job that waits has no host yet. */
/* Acceptance: log-12 */
static void test_a_host_that_is_not_known_stays_a_pattern(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown j = job("");
	(void)state;
	assert_string_equal(slurm_output_path(&a, "/h/%N-%5N-%n", &j), "/h/%N-%5N-0");
}

/* As sacct shows them without --expand-patterns, and as slurmd named the file. */
static const struct row patterns[] = {
	{ "/q/slurm-%j.out", "/q/slurm-12.out" },
	{ "/q/slurm-%A_%a.out", "/q/slurm-10_17.out" },
	{ "%3A-%4a-%b-%2j", "010-0017-7-12" },
	{ "%x by %u", "a b by nobody" },
	{ "%5x%5u", "a bnobody" },
	{ "%N-%s-%3n-%03t-%7J", "n3-batch-000-000-0000012" },
	{ "%%j%%", "%j%" },
	{ "%%", "%" },
	{ "%%N", "%N" },
	{ "end%", "end%" },
	{ "%j%", "12%" },
	{ "%5", "5" },
	{ "%3%n", "30" },
	{ "%5U", "5U" },
	{ "%U", "%U" },
	{ "%-3n", "%-3n" },
	{ "p\\%j", "p%j" },
	{ "a\\\\%N", "a\\%N" },
	{ "/dev/null", "/dev/null" },
	{ "", "" },
};

/* Acceptance: log-12 */
static void test_the_pattern_of_the_accounts_is_expanded_as_slurmd_does_it(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct slurm_job_shown j = { .id = 12, .array_id = "10", .task = "17", .name = "a b" };
	(void)state;
	j.user = "nobody(65534)";
	j.nodes = "n[3-4]";
	j.batch_host = "";
	for (size_t i = 0; i < LENGTH(patterns); i++)
		assert_string_equal(slurm_output_pattern(&a, patterns[i].shown, &j),
			patterns[i].file);
	j.array_id = j.task = "";
	assert_string_equal(slurm_output_pattern(&a, "%A-%a-%b", &j), "12-4294967294-4");
	j.nodes = "None assigned";
	assert_string_equal(slurm_output_pattern(&a, "%N.%j", &j), "%N.12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_pattern_is_expanded_as_slurmd_does_it),
		cmocka_unit_test(test_a_host_that_is_not_known_stays_a_pattern),
		cmocka_unit_test(test_the_pattern_of_the_accounts_is_expanded_as_slurmd_does_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
