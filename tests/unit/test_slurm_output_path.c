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

static void test_each_pattern_is_expanded_as_slurmd_does_it(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown j = job("n1.example.org");
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_string_equal(slurm_output_path(&a, rows[i].shown, &j), rows[i].file);
}

/* A job that waits has no host yet. */
static void test_a_host_that_is_not_known_stays_a_pattern(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	const struct slurm_job_shown j = job("");
	(void)state;
	assert_string_equal(slurm_output_path(&a, "/h/%N-%5N-%n", &j), "/h/%N-%5N-0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_pattern_is_expanded_as_slurmd_does_it),
		cmocka_unit_test(test_a_host_that_is_not_known_stays_a_pattern),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
