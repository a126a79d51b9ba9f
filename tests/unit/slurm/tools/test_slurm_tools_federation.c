/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of a federation, whose numbers are above 67108863: as a real one of two clusters
 * told of them (24.11.5). They were submitted on "lab", and ran on "lab2".
 */
#include "lib/tools_world.h"

#include "lib/test.h"

#define ID INT64_C(67108874)
#define RECORD(word, submit, end)                                                  \
	"67108874\\03767108874\\037" word "\\0370:0\\037p\\037n\\0371\\037" submit \
	"\\0372026-11-25T13:29:06\\037" end                                        \
	"\\03725\\037\\037u\\0371\\037/w\\0370\\037/w/5.out\\037\\037a name\\n"
#define BEGAN "2026-11-25T13:29:05"
#define ENDED "2026-11-25T13:29:31"
#define ACCOUNTS(records) "printf '" records "'"

/* The own slurmctld does not show a job that runs elsewhere: scontrol asks the other. */
static void given_a_sibling_that_is_away(struct tools_world *w)
{
	tool_fails(w, "scontrol", "slurm_load_jobs error: Invalid job id specified\n");
}

static void test_it_is_cancelled_and_asked_for_by_its_number(void **state)
{
	struct tools_world *w = *state;
	slurm_tools_cancel(w->tools, ID, tools_told, w);
	when_told(w);
	was_called(w, "scancel [67108874]\n");
	given_a_sibling_that_is_away(w);
	tool_fails(w, "sacct", "Slurm accounting storage is disabled\n");
	slurm_tools_job(w->tools, ID, tools_told, w);
	was_told(w, ERR_NOT_FOUND, "Invalid job id specified");
}

static void test_the_accounts_are_asked_for_all_clusters(void **state)
{
	struct tools_world *w = *state;
	given_a_sibling_that_is_away(w);
	tool_does(w, "sacct",
		"case \"$*\" in *--federation*) " ACCOUNTS(RECORD("REVOKED", BEGAN,
			BEGAN) RECORD("COMPLETED", BEGAN,
			ENDED)) ";; *) " ACCOUNTS(RECORD("REVOKED", BEGAN, BEGAN)) ";; esac\n");
	slurm_tools_job(w->tools, ID, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "67108874:COMPLETED ");
	const struct slurm_job_found found = { .id = ID, .first_s = 0, .submit_s = INT64_MAX };
	slurm_tools_account(w->tools, &found, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "67108874:COMPLETED ");
}

/* For every order of the records. */
static void test_what_was_revoked_tells_nothing_beside_another_record(void **state)
{
	struct tools_world *w = *state;
	given_a_sibling_that_is_away(w);
	tool_does(w, "sacct",
		ACCOUNTS(RECORD("RUNNING", BEGAN, "Unknown") RECORD("REVOKED", BEGAN, BEGAN)));
	slurm_tools_job(w->tools, ID, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "67108874:RUNNING ");
	tool_does(w, "sacct", ACCOUNTS(RECORD("REVOKED", BEGAN, BEGAN)));
	slurm_tools_job(w->tools, ID, tools_told, w);
	when_told(w);
	assert_string_equal(str_text(&w->words), "67108874:REVOKED ");
}

/* The job runs, or ran, on another cluster. */
static void test_what_was_revoked_has_not_ended(void **state)
{
	const struct slurm_job_shown revoked = { .state = "REVOKED" },
				     ended = { .state = "FAILED" };
	(void)state;
	assert_false(slurm_jobs_ended(&revoked, 1));
	assert_true(slurm_jobs_ended(&ended, 1));
}

#define TOOLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_it_is_cancelled_and_asked_for_by_its_number),
		TOOLS_TEST(test_the_accounts_are_asked_for_all_clusters),
		TOOLS_TEST(test_what_was_revoked_tells_nothing_beside_another_record),
		cmocka_unit_test(test_what_was_revoked_has_not_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
