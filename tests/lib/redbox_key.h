/* SPDX-License-Identifier: Apache-2.0 */
/* One job that red-box has submitted for key k. For one test program each. */
#ifndef TESTS_LIB_REDBOX_KEY_H
#define TESTS_LIB_REDBOX_KEY_H

#include "lib/redbox_world.h"

/* Slurm has accepted job 53 of key k, when it had been started at second 1000. */
static inline void given_a_submission(struct world *w)
{
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL); /* the journal is young */
	fake_says(tool(w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
}

#define BY_KEY "\x12\x01k"

/* slurmctld lived on for long enough; then its state was taken from a backup. */
static inline void given_a_settled_job(struct world *w)
{
	given_a_submission(w);
	assert_false(failed(journal_done(w->journal, "k", 53)));
}

#define KEY_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

#endif
