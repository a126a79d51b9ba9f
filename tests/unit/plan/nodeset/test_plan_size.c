/* SPDX-License-Identifier: Apache-2.0 */
/* How large a NodeSet may be: each pod that is made has a copy of its template. */
#include "lib/given.h"

/* A template with so many bytes, or little more, and this many replicas. */
static void given_a_template(struct given *g, size_t bytes, int replicas)
{
	AUTO(str_free) struct str spec = { 0 };
	str_addf(&spec,
		"\"replicas\":%d,\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},"
		"\"spec\":{\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\",\"args\":["
		"\"%*s\"]}]}}",
		replicas, (int)bytes, "");
	given_nodeset(g, str_text(&spec));
}

static size_t planned_bytes(const struct given *g)
{
	size_t bytes = 0;
	for (size_t i = 0; i < g->plan.n; i++)
		if (operation_is(g->plan.actions[i].operation, DO(CREATE, POD)))
			bytes += strlen(g->plan.actions[i].body);
	return bytes;
}

static void test_a_plan_makes_as_many_large_pods_as_have_room_in_it(void **state)
{
	enum { TEMPLATE = 200000, PLAN = 1 << 20 };
	(void)state;
	WORLD(g);
	given_a_template(&g, TEMPLATE, 100);
	when_planned(&g);
	assert_true(planned_bytes(&g) > PLAN - TEMPLATE);
	assert_true(planned_bytes(&g) < PLAN + 2 * TEMPLATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_plan_makes_as_many_large_pods_as_have_room_in_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
