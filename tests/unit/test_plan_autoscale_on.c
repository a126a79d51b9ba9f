/* SPDX-License-Identifier: Apache-2.0 */
/* What spec.autoscaling does on the day on which it is switched on. */
#include "lib/given_autoscaled.h"
#include "plan/nodeset/worksheet.h"

/* As helm leaves it: the new manifest has no replicas any more. */
#define UNSET(more) TEMPLATE ",\"autoscaling\":{\"maxReplicas\":5" more "}"

static void given_published(struct given *g, int replicas)
{
	given_edited(g, arena_printf(&g->arena, "{\"status\":{\"replicas\":%d}}", replicas));
}

static void test_replicas_that_are_left_out_are_the_pods_there_are(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, UNSET(""), 3);
	given_published(&g, 3);
	given_jobs(&g, 0, 1);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	then_no(&g, DO(PATCH, POD), NULL);
	when_settled(&g);
	then_replicas(&g, 3);
	then_autoscaling(&g, "True", "Following");
	given_later(&g, DELAY_MS + 1000);
	when_settled(&g);
	then_replicas(&g, 0);
}

static void test_replicas_that_somebody_takes_away_are_set_again(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, AUTOSCALED(1, ""), 1);
	given_jobs(&g, 2, 1);
	when_settled(&g);
	then_replicas(&g, 2);
	given_edited(&g, "{\"spec\":{\"replicas\":null}}");
	when_settled(&g);
	then_replicas(&g, 2);
	then_autoscaling(&g, "True", "Following");
}

/* It is 0 either way, and no write and no Event. */
static void test_without_pods_nothing_is_written(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, UNSET(""), 0);
	given_jobs(&g, 0, 1);
	when_settled(&g);
	then_replicas(&g, -1);
}

static void test_without_autoscaling_it_still_means_none(void **state)
{
	(void)state;
	WORLD(g);
	given_autoscaled(&g, TEMPLATE, 3);
	given_published(&g, 3);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)) + count_actions(&g, DO(PATCH, POD)), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replicas_that_are_left_out_are_the_pods_there_are),
		cmocka_unit_test(test_replicas_that_somebody_takes_away_are_set_again),
		cmocka_unit_test(test_without_pods_nothing_is_written),
		cmocka_unit_test(test_without_autoscaling_it_still_means_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
