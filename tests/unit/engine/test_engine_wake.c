/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which change makes which NodeSet be planned: the whole operator, against an API server
 * that the test plays.
 */
#include "lib/controller_world.h"

#include "base/metric.h"

enum { SOON_MS = 50 };

#define NODESET(name)                                                                              \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u-" name              \
	"\",\"resourceVersion\":\"2\",\"generation\":1},"                                          \
	"\"spec\":{\"clusterName\":\"none\",\"serviceName\":\"svc\",\"replicas\":0,\"selector\":{" \
	"\"matchLabels\":{\"app\":\"" name "\"}},"                                                 \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"" name                                  \
	"\"}},\"spec\":{\"containers\":[{\"name\":\"slurmd\"}]}}}}"

#define LIST(items) "{\"metadata\":{\"resourceVersion\":\"2\"},\"items\":[" items "]}"

/* Two NodeSets, a and b, planned and at rest: nothing that they ordered is answered. */
static int given_two_nodesets(void **state)
{
	static const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "/nodesets", 200, LIST(NODESET("a") "," NODESET("b")) },
		{ "", 200, LIST("") },
	};
	given_an_operator(state);
	struct controller_world *w = *state;
	w->version = 10;
	fake_answer_all(&w->http, script, LENGTH(script));
	sim_loop_pass(&w->loop, SOON_MS);
	return 0;
}

static int plans(void)
{
	struct str text AUTO(str_free) = { 0 };
	metric_render(&text);
	const char *row = strstr(str_text(&text), "slurm_operator_plans_total{kind=\"NodeSet\"} ");
	return row ? atoi(strchr(row, ' ')) : 0;
}

/*
 * An event about pod p in namespace ns; app is its label, owner the NodeSet that controls
 * it, "" for none.
 */
static void event(struct controller_world *w, const char *type, const char *app, const char *owner)
{
	struct str line AUTO(str_free) = { 0 };
	str_addf(&line,
		"{\"type\":\"%s\",\"object\":{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\","
		"\"uid\":\"u\",\"resourceVersion\":\"%d\",\"labels\":{\"app\":\"%s\"}",
		type, ++w->version, app);
	if (*owner)
		str_addf(&line,
			",\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":\"%s\",\"uid\":\"u-%"
			"s\",\"controller\":true}]",
			owner, owner);
	str_add(&line, "},\"spec\":{\"containers\":[]},\"status\":{\"phase\":\"Running\"}}}\n");
	fake_data(watch_of(w, "/pods"), str_text(&line));
}

static int planned_after(struct controller_world *w, const char *type, const char *app,
	const char *owner)
{
	int before = plans();
	event(w, type, app, owner);
	sim_loop_pass(&w->loop, SOON_MS);
	return plans() - before;
}

/* Acceptance: wake-1 */
static void test_a_pod_wakes_the_nodeset_that_controls_it(void **state)
{
	struct controller_world *w = *state;
	assert_int_equal(plans(), 2);
	assert_int_equal(planned_after(w, "ADDED", "a", "a"), 1);
	assert_int_equal(planned_after(w, "MODIFIED", "a", "a"), 1);
	assert_int_equal(planned_after(w, "DELETED", "a", "a"), 1);
}

/* Acceptance: wake-1 */
static void test_an_orphan_wakes_those_that_may_adopt_it(void **state)
{
	struct controller_world *w = *state;
	assert_int_equal(planned_after(w, "ADDED", "a", ""), 2);
	/* The old one and the new one */
	assert_int_equal(planned_after(w, "MODIFIED", "b", ""), 2);
}

/* Acceptance: wake-1 */
static void test_a_pod_that_changes_hands_wakes_both(void **state)
{
	struct controller_world *w = *state;
	event(w, "ADDED", "a", "a");
	sim_loop_pass(&w->loop, SOON_MS);
	assert_int_equal(planned_after(w, "MODIFIED", "a", "b"), 2);
}

/* Acceptance: wake-1 */
static void test_the_end_of_an_unowned_pod_may_free_a_name(void **state)
{
	struct controller_world *w = *state;
	event(w, "ADDED", "other", "");
	sim_loop_pass(&w->loop, SOON_MS);
	assert_int_equal(planned_after(w, "DELETED", "other", ""), 2);
}

/* Acceptance: wake-1 */
static void test_a_pod_of_somebody_else_wakes_nobody(void **state)
{
	struct controller_world *w = *state;
	assert_int_equal(planned_after(w, "ADDED", "a", "stranger"), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_two_nodesets, free_controller_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_pod_wakes_the_nodeset_that_controls_it),
		T(test_an_orphan_wakes_those_that_may_adopt_it),
		T(test_a_pod_that_changes_hands_wakes_both),
		T(test_the_end_of_an_unowned_pod_may_free_a_name),
		T(test_a_pod_of_somebody_else_wakes_nobody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
