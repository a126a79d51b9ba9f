/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm was away, or refused the token, and is back: what was seen meanwhile says nothing
 * of how it is now.
 */
#include "lib/link_world.h"

/* Longer than a check of the link and its period. */
enum { NOTICED_MS = 26000 };

static void given_away(struct world *w)
{
	w->rest_down = true;
	when_passed(w, NOTICED_MS);
	assert_int_not_equal(slurm_link_fact(w->link).health, SLURM_UP);
}

static void when_back(struct world *w)
{
	w->rest_down = w->token_refused = false;
	for (int i = 0; i < 400 && slurm_link_fact(w->link).health != SLURM_UP; i++)
		when_passed(w, 0);
	then_health(w, SLURM_UP);
}

/* slurmrestd waits for a slurmctld that is gone, and answers when it has come back. */
static void given_a_list_that_waited_for_slurmctld(struct world *w)
{
	when_wanted(w, SLURM_SOON, false);
	w->list_takes_ms = 25000;
	int lists = w->lists;
	for (int i = 0; i < 200 && w->lists == lists; i++)
		when_passed(w, 0);
	when_passed(w, w->list_takes_ms);
	w->list_takes_ms = 0;
}

static void test_a_list_that_waited_for_slurmctld_does_not_hold_up_the_next_ones(void **state)
{
	struct world *w = *state;
	given_up(w);
	given_a_list_that_waited_for_slurmctld(w);
	given_away(w);
	int lists = w->lists;

	when_back(w);
	when_passed(w, 3000);

	assert_true(w->lists >= lists + 2);
}

static void test_nor_does_a_single_read_hold_up_the_next_ones(void **state)
{
	struct world *w = *state;
	const char *names[] = { "foo-0" };
	struct demand demand = { .of[ASK_NODES] = { .need = SLURM_SOON },
		.of[ASK_LOOKS] = { .names = names, .n_names = 1 } };
	given_up(w);
	node(w, "foo-0");
	slurm_link_demand(w->link, NULL, &demand);
	sim_loop_pass(&w->loop, 300); /* it is sent, and answered 20 s later */
	sim_loop_pass(&w->loop, 20000);
	when_passed(w, 1000);
	given_away(w);
	int single = w->single;

	when_back(w);
	when_passed(w, 3000);

	assert_true(w->single >= single + 2);
}

static void test_a_trouble_of_the_jobs_from_before_a_new_token_is_over_with_it(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->token_refused = true;
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_JOBS] = { .at_ms = w->loop.now_ms } });
	when_passed(w, NOTICED_MS);
	assert_true(strlen(slurm_link_slurm(w->link).jobs_trouble) > 0);

	w->secret = SECRET("b3RoZXI=");
	w->token_refused = false;
	w->jobs_troubles = 0;
	when_passed(w, NOTICED_MS);

	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_int_equal(w->jobs_troubles, 0);
}

static void test_a_trouble_of_the_jobs_from_before_an_outage_ended_is_over_with_it(void **state)
{
	struct world *w = *state;
	given_up(w);
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_JOBS] = { .at_ms = w->loop.now_ms } });
	given_away(w);
	w->jobs_troubles = 0;

	when_back(w);
	when_passed(w, 3000);

	assert_int_equal(w->jobs_troubles, 0);
	w->jobs = "{\"errors\":[{\"error_number\":9999,\"error\":\"x\"}]}";
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_JOBS] = { .at_ms = w->loop.now_ms } });
	when_passed(w, 3000);
	assert_true(w->jobs_troubles > 0); /* a new one */
}

/* The second one came to a link that was freed after the first. */
static void test_another_Slurm_that_is_meant_ends_the_read_of_the_Secret(void **state)
{
	struct world *w = *state;
	given_up(w);
	slurm_link_mean(w->link, "lab");
	when_passed(w, 55000);
	for (int i = 0; i < 40 && !fake_open(&w->api, "secrets"); i++)
		sim_loop_pass(&w->loop, 1000);
	assert_int_equal(fake_count(&w->api, "secrets"), 1);
	slurm_link_mean(w->link, "another");
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(fake_count(&w->api, "secrets"), 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_list_that_waited_for_slurmctld_does_not_hold_up_the_next_ones),
		T(test_nor_does_a_single_read_hold_up_the_next_ones),
		T(test_another_Slurm_that_is_meant_ends_the_read_of_the_Secret),
		T(test_a_trouble_of_the_jobs_from_before_a_new_token_is_over_with_it),
		T(test_a_trouble_of_the_jobs_from_before_an_outage_ended_is_over_with_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
