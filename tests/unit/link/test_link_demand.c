/* SPDX-License-Identifier: Apache-2.0 */
/* Several ask one link: it answers what all of them together wish to know. */
#include "lib/link_world.h"

enum { A_WHILE_MS = 20000, AT_REST = 3, SOON = 20 };

static const char somebody[] = "somebody", another[] = "another";

static void when_asks(struct world *w, const void *who, enum slurm_need need)
{
	slurm_link_demand(w->link, who, &(struct demand){ .of[ASK_NODES] = { true, need } });
}

static void when_waits_for(struct world *w, const void *who, const char *node)
{
	struct ask looks = { .names = &node, .n_names = 1 };
	slurm_link_demand(w->link, who, &(struct demand){ .of[ASK_LOOKS] = looks });
}

static int lists_in_a_while(struct world *w)
{
	int before = w->lists;
	when_passed(w, A_WHILE_MS);
	return w->lists - before;
}

static int looks_in_a_while(struct world *w)
{
	int before = w->single;
	when_passed(w, A_WHILE_MS);
	return w->single - before;
}

static void test_who_waits_is_not_held_up_by_who_does_not(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_asks(w, somebody, SLURM_SOON);
	when_asks(w, another, SLURM_AT_REST);
	assert_true(lists_in_a_while(w) >= SOON);
}

static void test_what_an_asker_says_replaces_what_it_said_before(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_asks(w, somebody, SLURM_SOON);
	when_asks(w, somebody, SLURM_AT_REST);
	assert_true(lists_in_a_while(w) <= AT_REST);
}

static void test_with_an_asker_goes_what_it_asked_for(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_asks(w, somebody, SLURM_SOON);
	when_waits_for(w, another, "foo-0");
	slurm_link_demand(w->link, somebody, NULL);
	assert_true(lists_in_a_while(w) <= AT_REST);
	assert_true(looks_in_a_while(w) > 0);
	slurm_link_demand(w->link, another, NULL);
	when_passed(w, 1000); /* a read that was on its way */
	assert_int_equal(looks_in_a_while(w), 0);
}

/* A drained node may have its job for weeks. */
static void test_what_has_been_waited_for_for_long_is_looked_at_less(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_waits_for(w, somebody, "foo-0");
	assert_true(looks_in_a_while(w) > 50);
	when_passed(w, 3600000);
	assert_in_range(looks_in_a_while(w), 10, 22);
	when_waits_for(w, somebody, "foo-0");
	assert_in_range(looks_in_a_while(w), 10, 22);
	when_waits_for(w, another, "bar-0");
	assert_true(looks_in_a_while(w) > 50);
}

/* One answer that was late says nothing of the next one. */
static void test_one_slow_read_does_not_put_off_the_next(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_waits_for(w, somebody, "foo-0");
	when_passed(w, 1000);
	while (!first_open(&w->rest))
		sim_loop_pass(&w->loop, 50);
	sim_loop_pass(&w->loop, 3300);
	int before = w->single;
	when_passed(w, 2000);
	assert_true(w->single - before >= 4);
}

static void test_who_never_asked_may_go(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_asks(w, somebody, SLURM_SOON);
	slurm_link_demand(w->link, another, NULL);
	assert_true(lists_in_a_while(w) >= SOON);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_who_waits_is_not_held_up_by_who_does_not),
		T(test_what_an_asker_says_replaces_what_it_said_before),
		T(test_with_an_asker_goes_what_it_asked_for),
		T(test_what_has_been_waited_for_for_long_is_looked_at_less),
		T(test_one_slow_read_does_not_put_off_the_next),
		T(test_who_never_asked_may_go),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
