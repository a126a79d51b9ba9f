/* SPDX-License-Identifier: Apache-2.0 */
/* The state of its Slurm node as a pod shows it. */
#include "lib/given.h"

#include "engine/pod/pod_shown.h"
#include "slurm/state_shown.h"

static void given_shows(struct given *g, int n)
{
	given_at_rest(g, n);
	g->max_shows = 100;
	g->shows_again_ms = 700;
}

/* The pod shows what this list of conditions, label and annotation say. */
static void given_shown(struct given *g, struct given_pod *p, const char *conditions,
	const char *word, const char *reason)
{
	const char *note = *reason
		? arena_printf(&g->arena, "\"" ANNOTATION_SLURM_REASON "\":\"%s\"", reason)
		: "";
	p->fact.shown = pod_shown(given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"labels\":{\"" LABEL_SLURM_STATE "\":\"%s\"},"
			"\"annotations\":{%s}},\"status\":{\"conditions\":[%s]}}",
			word, note, conditions)));
	if (*reason)
		given_annotation(p, ANNOTATION_SLURM_REASON, reason);
}

#define TRUE_(type, more) "{\"type\":\"" type "\",\"status\":\"True\"" more "}"
#define READY TRUE_("Ready", "")

static const char *patch_of_pod(const struct given *g, const char *pod)
{
	return then(g, DO(SHOW, POD), pod)->body;
}

static void says(const char *body, const char *text)
{
	if (!strstr(body, text))
		fail_msg("%s\nlacks %s", body, text);
}
static void says_not(const char *body, const char *text)
{
	if (strstr(body, text))
		fail_msg("%s\nhas %s", body, text);
}

/* Acceptance: metric-14 */
static void test_a_pod_shows_the_state_of_its_node(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 1);
	when_planned(&g);
	const char *body = patch_of_pod(&g, "foo-0");
	says(body,
		"\"path\":\"/status/conditions/-\",\"value\":{\"type\":\"SlurmNodeStateIdle\","
		"\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}");
	says(body,
		"\"path\":\"/metadata/labels/nodeset.slinky.slurm.net~1slurm-state\","
		"\"value\":\"idle\"");
	says(body, "\"path\":\"/metadata/resourceVersion\"");
	says_not(body, "slurm-reason");

	given_shown(&g, &g.pods[0], READY "," TRUE_("SlurmNodeStateIdle", ""), "idle", "");
	when_settled(&g);
	then_nothing(&g);
}

/* Acceptance: metric-14 */
static void test_a_new_state_replaces_the_old_one(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 1);
	given_node(&g.pods[0], NODE_MIXED | NODE_DYNAMIC, "");
	given_shown(&g, &g.pods[0],
		TRUE_("SlurmNodeStateIdle", "") "," READY "," TRUE_("SlurmNodeStateCompleting", ""),
		"idle", "");
	when_planned(&g);
	const char *body = patch_of_pod(&g, "foo-0"),
		   *last = strstr(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/2\"}"),
		   *first = strstr(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/0\"}");
	assert_non_null(last);
	assert_non_null(first);
	assert_true(last < first); /* or the place of the other one would be another */
	assert_true(first < strstr(body, "SlurmNodeStateMixed"));
	says(body, "\"value\":\"mixed\"");
	says_not(body, "/status/conditions/1");
}

/* Acceptance: metric-14 */
static void test_the_reason_is_that_of_slurm(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 1);
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN | NODE_DYNAMIC,
		"fan of rack 7 is \"broken\"");
	given_shown(&g, &g.pods[0], TRUE_("SlurmNodeStateIdle", ""), "idle", "");
	when_planned(&g);
	const char *body = patch_of_pod(&g, "foo-0");
	says(body,
		"{\"type\":\"SlurmNodeStateDrain\",\"status\":\"True\",\"lastTransitionTime\":"
		"\"2026-01-01T00:00:00Z\",\"message\":\"fan of rack 7 is \\\"broken\\\"\"}");
	says(body, "1slurm-reason\",\"value\":\"fan of rack 7 is \\\"broken\\\"\"");
	says(body, "\"value\":\"drained\"");
	says_not(body, "/status/conditions/0"); /* it is idle still, and says so since then */

	given_shown(&g, &g.pods[0],
		TRUE_("SlurmNodeStateIdle", "") "," TRUE_("SlurmNodeStateDrain",
			",\"message\":\"fan\""),
		"drained", "fan");
	when_planned(&g);
	body = patch_of_pod(&g, "foo-0");
	says(body, "{\"op\":\"add\",\"path\":\"/status/conditions/1/message\",\"value\":\"fan of");
	says_not(body, "lastTransitionTime");
	says_not(body, "/status/conditions/0");

	given_node(&g.pods[0], NODE_IDLE | NODE_DYNAMIC, "");
	when_planned(&g);
	body = patch_of_pod(&g, "foo-0");
	says(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/annotations/"
		"nodeset.slinky.slurm.net~1slurm-reason\"}");
	says(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/1\"}");
}

/* Acceptance: metric-14 */
static void test_a_long_reason_is_cut_at_a_character(void **state)
{
	(void)state;
	WORLD(g);
	char reason[800] = "";
	given_shows(&g, 1);
	for (size_t i = 0; i < 399; i++)
		strcat(reason, "x");
	strcat(reason, "\xc3\xa4\xc3\xa4");
	given_node(&g.pods[0], NODE_DOWN, reason);
	when_planned(&g);
	const char *body = patch_of_pod(&g, "foo-0");
	says(body, "xxx\"");
	says_not(body, "\xc3");
	reason[399] = '\0';
	given_shown(&g, &g.pods[0],
		arena_printf(&g.arena, TRUE_("SlurmNodeStateDown", ",\"message\":\"%s\""), reason),
		"down", reason);
	when_planned(&g);
	then_no(&g, DO(SHOW, POD), NULL);
}

/* Acceptance: metric-15 */
static void test_an_unknown_state_changes_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 1);
	given_shown(&g, &g.pods[0], TRUE_("SlurmNodeStateAllocated", ""), "allocated", "");
	given_slurm_silent(&g);
	when_planned(&g);
	then_no(&g, DO(SHOW, POD), NULL);
	g.slurm.usable = YES;
	g.pods[0].node = (struct slurm_node_fact){
		.known = UNKNOWN, .reason = "", .comment = "", .address = "", .hostname = ""
	};
	when_planned(&g);
	then_no(&g, DO(SHOW, POD), NULL);
}

/* Acceptance: metric-15 */
static void test_a_pod_without_a_node_shows_none(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 2);
	given_shown(&g, &g.pods[0], READY "," TRUE_("SlurmNodeStateDown", ",\"message\":\"r\""),
		"down", "r");
	given_absent(&g, &g.pods[0], 5000);
	given_absent(&g, &g.pods[1], 5000);
	g.pods[1].fact.shown = (struct shown_fact){ .whole = true };
	when_planned(&g);
	const char *body = patch_of_pod(&g, "foo-0");
	says(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/1\"}");
	says(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/labels/"
		"nodeset.slinky.slurm.net~1slurm-state\"}");
	says(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/annotations/"
		"nodeset.slinky.slurm.net~1slurm-reason\"}");
	then_no(&g, DO(SHOW, POD), "foo-1");
}

/* Two pods name one node, or the answer is older than the process: whose is it? */
/* Acceptance: metric-15 */
static void test_a_state_of_another_is_not_shown(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 2);
	g.pods[0].fact.shown = g.pods[1].fact.shown = (struct shown_fact){ .whole = true };
	g.pods[0].node.shared = true;
	g.pods[1].fact.phase_seen_ms = g.pods[1].node.seen_ms + 1;
	when_planned(&g);
	then_no(&g, DO(SHOW, POD), NULL);
	g.pods[0].node.shared = false;
	when_planned(&g);
	then(&g, DO(SHOW, POD), "foo-0");
	then_no(&g, DO(SHOW, POD), "foo-1");
}

/*
 * Conditions of a newer operator, those that are False, and those that are there twice.
 */
static void test_strange_conditions_go(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 1);
	given_shown(&g, &g.pods[0],
		TRUE_("SlurmNodeStateIdle", "") "," TRUE_("SlurmNodeStateIdle",
			"") ",{\"type\":\"SlurmNodeStateDown\",\"status\":"
			    "\"False\"}," TRUE_("SlurmNodeStateFrozen", ""),
		"idle", "");
	when_planned(&g);
	const char *body = patch_of_pod(&g, "foo-0");
	says(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/1\"}");
	says(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/2\"}");
	says(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/3\"}");
	says_not(body, "{\"op\":\"remove\",\"path\":\"/status/conditions/0\"}");
	says_not(body, "/status/conditions/-");
}

/* ---- how many, and when ---- */

/* Acceptance: metric-16 */
static void test_shows_are_few_and_last(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 6);
	given_spec(&g, "\"replicas\":5", GIVEN_FINALIZER);
	g.max_shows = 2;
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(SHOW, POD)), 2);
	assert_true(operation_is(g.plan.actions[g.plan.n - 1].operation, DO(SHOW, POD)));
	assert_true(operation_is(g.plan.actions[g.plan.n - 2].operation, DO(SHOW, POD)));
	assert_int_equal(g.plan.again_in_ms, 700);
	g.max_shows = 0;
	when_planned(&g);
	then_no(&g, DO(SHOW, POD), NULL);
	assert_int_equal(g.plan.again_in_ms, 700);
}

/* Where states change faster than they may be shown, no pod waits for ever. */
/* Acceptance: metric-16 */
static void test_each_pod_has_its_turn(void **state)
{
	(void)state;
	WORLD(g);
	bool shown[10] = { 0 };
	given_shows(&g, 10);
	g.max_shows = 2;
	for (int second = 0; second < 10; second++) {
		when_planned(&g);
		for (int i = 0; i < 10; i++)
			shown[i] |= find_action(&g, DO(SHOW, POD), g.pods[i].fact.name) != NULL;
		g.now_ms += 1000;
		for (int i = 0; i < 10; i++)
			g.pods[i].node.seen_ms = g.pods[i].node.named_ms = g.now_ms;
		g.slurm.nodes_seen_ms = g.slurm.jobs_seen_ms = g.slurm.whole_seen_ms = g.now_ms;
	}
	for (int i = 0; i < 10; i++)
		if (!shown[i])
			fail_msg("foo-%d is never shown", i);
}

/* The version of the pod would change, and the deletion, which names one, would fail. */
/* Acceptance: metric-16 */
static void test_a_pod_that_may_go_is_not_written(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, DRAINED);
	g.max_shows = 100;
	when_planned(&g);
	then_no(&g, DO(SHOW, POD), NULL);
	given_node(&g.pods[0], NODE_ALLOCATED | NODE_DRAIN | NODE_DYNAMIC, OUR_REASON);
	when_planned(&g);
	when_settled(&g); /* the cordon, and when its work ends */
	says(patch_of_pod(&g, "foo-0"), "\"message\":\"" OUR_REASON "\"");
	says(patch_of_pod(&g, "foo-0"), "\"value\":\"draining\"");
}

/* Acceptance: metric-16 */
static void test_pods_that_come_go_first(void **state)
{
	(void)state;
	WORLD(g);
	given_shows(&g, 2);
	given_spec(&g, "\"replicas\":3", GIVEN_FINALIZER);
	when_planned(&g);
	then(&g, DO(CREATE, POD), "foo-2");
	then_no(&g, DO(SHOW, POD), NULL);
	assert_true(g.plan.again_in_ms > 0 && g.plan.again_in_ms <= 1000);
}

/* ---- words ---- */

static void test_words_of_states(void **state)
{
	(void)state;
	static const struct {
		uint32_t state;
		const char *word;
	} rows[] = {
		{ NODE_IDLE, "idle" },
		{ NODE_IDLE | NODE_DRAIN, "drained" },
		{ NODE_DOWN | NODE_DRAIN | NODE_NOT_RESPONDING, "drained" },
		{ NODE_IDLE | NODE_DRAIN | NODE_UNDRAIN, "idle" },
		{ NODE_ALLOCATED | NODE_DRAIN, "draining" },
		{ NODE_IDLE | NODE_COMPLETING | NODE_DRAIN, "draining" },
		{ NODE_ALLOCATED | NODE_COMPLETING, "allocated" },
		{ NODE_OTHER, "unknown" },
		{ NODE_RESERVED, "unknown" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_string_equal(state_shown_word(state_shown(rows[i].state)), rows[i].word);
	assert_string_equal(state_shown_word(0), "");
	assert_int_equal(state_shown(NODE_IDLE | NODE_UNKNOWN | NODE_DYNAMIC), NODE_IDLE);
	assert_true(state_shown_has_reason(NODE_IDLE | NODE_DRAIN));
	assert_false(state_shown_has_reason(NODE_IDLE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pod_shows_the_state_of_its_node),
		cmocka_unit_test(test_a_new_state_replaces_the_old_one),
		cmocka_unit_test(test_the_reason_is_that_of_slurm),
		cmocka_unit_test(test_a_long_reason_is_cut_at_a_character),
		cmocka_unit_test(test_an_unknown_state_changes_nothing),
		cmocka_unit_test(test_a_pod_without_a_node_shows_none),
		cmocka_unit_test(test_a_state_of_another_is_not_shown),
		cmocka_unit_test(test_strange_conditions_go),
		cmocka_unit_test(test_shows_are_few_and_last),
		cmocka_unit_test(test_each_pod_has_its_turn),
		cmocka_unit_test(test_a_pod_that_may_go_is_not_written),
		cmocka_unit_test(test_pods_that_come_go_first),
		cmocka_unit_test(test_words_of_states),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
