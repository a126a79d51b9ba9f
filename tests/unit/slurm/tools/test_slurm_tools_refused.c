/* SPDX-License-Identifier: Apache-2.0 */
/* Records of refused submissions have their key, and are no jobs. As 24.11.5 prints. */
#include "lib/test.h"

#include "slurm/tools/printed.h"

#define F PRINTED_FIELD
#define AT F "2026-11-27T17:23:19" F
#define QUEUED(shown, state, key) PRINTED_RECORD shown F state AT key "\n"
#define ACCOUNT(id, state) id AT F state F "sbatch --parsable --partition=p --comment=k\n"
#define NOWHERE F "None assigned"
#define NO_NODE F "1:0" NOWHERE
#define REFUSED F "FAILED" NO_NODE F "2026-11-27T17:23:19"
#define DROPPED F "CANCELLED" NO_NODE F "2026-11-27T17:23:20"

static const struct {
	const char *queue, *accounts, *found;
} rows[] = {
	/* as one job, and as an array */
	{ QUEUED("1", "1 FAILED BadConstraints ", "k"), "", "" },
	{ QUEUED("8_[0-3]", "8 FAILED BadConstraints ", "k"), "", "" },
	{ "", "1" AT REFUSED F "sbatch --comment=k\n", "" },
	{ "", "8_[0-3]" AT "k" REFUSED F "sbatch\n", "" },
	{ "", "1" AT "k" REFUSED "\n", "" },
	/* of a heterogeneous job, at its second, first and third component */
	{ QUEUED("2+0", "2 CANCELLED None ", "k") QUEUED("3", "3 FAILED BadConstraints ", "k"), "",
		"" },
	{ QUEUED("3", "3 FAILED BadConstraints ", "k") QUEUED("2+0", "2 CANCELLED None ", "k"), "",
		"" },
	{ QUEUED("7", "7 FAILED BadConstraints ", "k"), "", "" },
	{ QUEUED("2+1", "3 CANCELLED None ", "k") QUEUED("2+0", "2 CANCELLED None ", "k")
			QUEUED("4", "4 FAILED BadConstraints ", "k"),
		"", "" },
	{ "", "2" AT DROPPED F "sbatch --comment=k\n3" AT REFUSED F "sbatch --comment=k\n", "" },
	{ QUEUED("2+0", "2 CANCELLED Priority ", "k") QUEUED("3", "3 FAILED BadConstraints ", "k"),
		"", "" },
	/* the accounts have not been told of all of it yet */
	{ QUEUED("2+0", "2 CANCELLED None ", "k") QUEUED("3", "3 FAILED BadConstraints ", "k"),
		"2" AT DROPPED F "sbatch --comment=k\n", "" },
	{ QUEUED("2+0", "2 CANCELLED None ", "x") QUEUED("3", "3 FAILED BadConstraints ", "x"),
		"2" AT DROPPED F "sbatch --comment=k\n", "2 " },
	/* jobs that were accepted */
	{ QUEUED("5", "5 PENDING BadConstraints ", "k"), "", "5 " },
	{ QUEUED("5", "5 FAILED BadConstraints n1", "k"), "", "5 " },
	{ QUEUED("5", "5 FAILED RaisedSignal:1(Hangup) n2", "k"), "", "5 " },
	{ QUEUED("5", "5 CANCELLED JobHeldUser ", "k"), "", "5 " },
	{ QUEUED("5+0", "5 CANCELLED None ", "k") QUEUED("5+1", "6 CANCELLED None ", "k"), "",
		"5 " },
	{ QUEUED("5", "5 NODE_FAIL BadConstraints ", "k"), "", "5 " },
	{ "", "5" AT F "FAILED" F "1:0" F "n2" AT "sbatch --comment=k\n", "5 " },
	{ "", "5" AT F "FAILED" F "0:53" NOWHERE AT "sbatch --comment=k\n", "5 " },
	{ "", "5" AT F "CANCELLED by 0" F "0:0" NOWHERE AT "sbatch --comment=k\n", "5 " },
	/* it waited, and then slurmctld found its script lost */
	{ "", "5" AT F "FAILED" NO_NODE F "2026-11-27T17:23:20" F "sbatch --comment=k\n", "5 " },
	{ "", "5" AT F "FAILED" NO_NODE F "Unknown" F "sbatch --comment=k\n", "5 " },
	/* its partition was removed while it waited */
	{ "", "5" AT DROPPED F "sbatch --comment=k\n", "5 " },
	/* before 21.08 a record has no command: another key was refused */
	{ "", "5" AT "k" DROPPED "\n6" AT "x" REFUSED "\n", "5 " },
	{ "", "5" AT "k" DROPPED "\n6" AT "k" REFUSED "\n", "" },
	/* the next attempt with the key, and a refusal of another key behind a job */
	{ QUEUED("2+0", "2 CANCELLED None ", "k") QUEUED("3", "3 FAILED BadConstraints ", "k")
			QUEUED("9", "9 RUNNING None n1", "k"),
		"", "9 " },
	{ QUEUED("5+0", "5 CANCELLED None ", "k") QUEUED("7", "7 FAILED BadConstraints ", "x"), "",
		"5 " },
	{ QUEUED("5+0", "5 CANCELLED None ", "k") QUEUED("133", "133 FAILED BadConstraints ", "k"),
		"", "5 " },
	{ QUEUED("5", "5 CANCELLED None ", "k") QUEUED("4", "4 FAILED BadConstraints ", "k"), "",
		"5 " },
	{ QUEUED("5+0", "5 CANCELLED None n1", "k") QUEUED("7", "7 FAILED BadConstraints ", "k"),
		"", "5 " },
	/* submitted later */
	{ QUEUED("5+0", "5 CANCELLED JobHeldUser ", "k") PRINTED_RECORD
		"7" F "7 FAILED BadConstraints " F "2026-11-27T17:23:21" F "k\n",
		"", "5 " },
};

/* Acceptance: red-box-37 */
static void test_what_is_left_of_a_refused_submission_is_no_job(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct arena a AUTO(arena_free) = { 0 };
		struct str got AUTO(str_free) = { 0 };
		struct printed_found found;
		assert_true(!failed(printed_look_for("k", &a, &found)));
		assert_true(!failed(printed_queue(rows[i].queue, &a, &found)));
		assert_true(!failed(printed_accounts(rows[i].accounts, &a, &found)));
		for (size_t k = 0; k < found.n; k++)
			str_addf(&got, "%lld ", (long long)found.jobs[k].id);
		if (!str_eq(str_text(&got), rows[i].found))
			fail_msg("row %zu: found \"%s\", not \"%s\"", i, str_text(&got),
				rows[i].found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_left_of_a_refused_submission_is_no_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
