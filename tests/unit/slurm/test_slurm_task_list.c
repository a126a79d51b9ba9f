/* SPDX-License-Identifier: Apache-2.0 */
/* How many tasks of an array a record stands for; lists as real Slurms print them. */
#include "lib/test.h"

#include <string.h>

#include "slurm/sbatch/sbatch.h"
#include "slurm/task_list.h"
#include "slurm/tools/printed.h"

/* Acceptance: vnode-32 */
static void test_a_list_is_counted_or_not_known(void **state)
{
	static const struct {
		const char *list;
		int64_t count;
	} rows[] = {
		{ "7", 1 },
		{ "0", 1 },
		{ "5-8", 4 },
		{ "2-9%1", 8 },
		{ "1-1999:3%1", 667 },
		{ "1-39:2", 20 },
		{ "1,3,5-9,20,25,30,35,40%2", 12 },
		{ "1-3000000000", 0 },
		{ "1-2000000000,1-2000000000", 0 },
		{ "1-3,3-5", 0 },
		{ "5,1", 0 },
		{ "1-9:2,2-8:2", 0 },
		{ "1,7,10,13,61,64...%1", 0 },
		{ "1,7,...", 0 },
		{ "", 0 },
		{ "N/A", 0 },
		{ "9-2", 0 },
		{ "1-", 0 },
		{ "1-5:0", 0 },
		{ "1,", 0 },
		{ "-1", 0 },
		{ "99999999999999999999", 0 },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (slurm_task_count(rows[i].list) != rows[i].count)
			fail_msg("%s: %lld", rows[i].list,
				(long long)slurm_task_count(rows[i].list));
}

/* Acceptance: vnode-31 */
static void test_the_tasks_of_an_array_are_counted(void **state)
{
	static const struct {
		const char *script;
		int64_t tasks;
	} rows[] = {
		{ "#!/bin/sh\n#SBATCH --array=0-9%2\n", 10 },
		{ "#!/bin/sh\n#SBATCH -a1,3,8-20:4 -N2\n", 6 },
		{ "#!/bin/sh\n#SBATCH --array=0-9\n#SBATCH --array=7\n", 1 },
		{ "#!/bin/sh\n#SBATCH -a 1-5,3-9\n", 0 },
		{ "#!/bin/sh\n#SBATCH --array=what\n", 0 },
		{ "#!/bin/sh\n#SBATCH -N2\n", 0 },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct sbatch_wishes got;
		struct err e = sbatch_read(rows[i].script, strlen(rows[i].script), &got);
		if (failed(e) || got.tasks != rows[i].tasks)
			fail_msg("%s: %lld: %s", rows[i].script, (long long)got.tasks, e.text);
	}
}

#define F PRINTED_FIELD
#define RECORD(raw, id)                                                                      \
	raw F id F "COMPLETED" F "0:0" F "p" F "n1" F "1" F "2026-04-16T11:49:19" F "None" F \
		   "None" F "0" F "25" F "u" F "1" F "/w" F "0" F "/w/o" F F "name\n"

/* Acceptance: vnode-32 */
static void test_the_accounts_name_the_tasks_of_a_record(void **state)
{
	static const char *const tasks[] = { "7", "1-8%1", "", "" };
	struct arena a AUTO(arena_free) = { 0 };
	struct slurm_job_shown *jobs;
	size_t n;
	(void)state;
	struct err e = printed_jobs(RECORD("49", "42_7") RECORD("42", "42_[1-8%1]")
					    RECORD("50", "50") RECORD("51", "51+0"),
		PRINTED_JOBS_NEW, &a, &jobs, &n);
	assert_false(failed(e));
	assert_int_equal(n, LENGTH(tasks));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(jobs[i].task, tasks[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_list_is_counted_or_not_known),
		cmocka_unit_test(test_the_tasks_of_an_array_are_counted),
		cmocka_unit_test(test_the_accounts_name_the_tasks_of_a_record),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
