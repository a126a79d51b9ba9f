/* SPDX-License-Identifier: Apache-2.0 */
/* The advice of a condition: never a lie, and always something that can be done. */
#include "lib/given.h"

/* ---- actions that keep failing ---- */

static void test_every_deed_that_fails_has_words(void **state)
{
	(void)state;
	static const struct operation operations[] = {
		{ VERB_CREATE, RES_POD },
		{ VERB_PATCH, RES_POD },
		{ VERB_DELETE, RES_POD },
		{ VERB_CREATE, RES_PVC },
		{ VERB_PATCH, RES_PVC },
		{ VERB_CREATE, RES_REVISION },
		{ VERB_PATCH, RES_REVISION },
		{ VERB_DELETE, RES_REVISION },
		{ VERB_PATCH, RES_NODESET },
		{ VERB_PATCH_STATUS, RES_NODESET },
		{ VERB_DRAIN, RES_SLURM_NODE },
		{ VERB_UNDRAIN, RES_SLURM_NODE },
		{ VERB_RESUME, RES_SLURM_NODE },
		{ VERB_COMMENT, RES_SLURM_NODE },
		{ VERB_REMOVE, RES_SLURM_NODE },
	};
	for (size_t i = 0; i < LENGTH(operations); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_failing(&g, operations[i], ERR_RETRY, "n-1", "no answer");
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "ActionsFailing");
		then_says(&g, "Degraded", " fails: n-1");
		then_says_not(&g, "Degraded", "an action of the NodeSet");
		then_says_not(&g, "Degraded", "null");
	}
}

static void test_a_slurm_node_that_stays_is_told_with_what_may_hold_it(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_failing(&g, DO(REMOVE, SLURM_NODE), ERR_INVALID, "foo-1",
		"deleting node foo-1 of Slurm: Slurm refused");
	when_settled(&g);
	then_says(&g, "Degraded",
		"removing Slurm nodes of pods that are gone fails: foo-1: deleting node foo-1 of "
		"Slurm: Slurm refused");
	then_says(&g, "Degraded", "scontrol show reservation");
	then_says_not(&g, "Degraded", "spec.template");

	given_slurm_silent(&g); /* then that is all there is to say */
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "ClusterNotReady");
	then_says_not(&g, "Degraded", "foo-1");
}

static void test_a_trouble_that_begins_beside_another_is_an_event_once(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], NODE_DOWN, "");
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "SlurmNodesDown");

	given_failing(&g, DO(PATCH, POD), ERR_DENIED, "foo-0", "User x cannot patch");
	when_planned(&g);
	assert_int_equal(g.plan.n, 2); /* the Event and the status */
	const struct action *a = then(&g, DO(TELL, EVENT), "foo");
	assert_string_equal(a->reason, "ActionsFailing");
	assert_null(strstr(a->why, "DOWN"));
	when_settled(&g);
	then_says(&g, "Degraded", "; ActionsFailing: writing to pods fails");

	given_node(&g.pods[0], NODE_IDLE, ""); /* one ends, the other was told */
	when_planned(&g);
	assert_int_equal(events_of(&g, "ActionsFailing"), 0);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "ActionsFailing");
	given_node(&g.pods[0], NODE_DOWN, ""); /* and begins again, before it */
	when_planned(&g);
	assert_int_equal(events_of(&g, "SlurmNodesDown"), 1);
	assert_int_equal(events_of(&g, "ActionsFailing"), 0);
}

/* ---- jobs ---- */

static void test_draining_names_the_job_that_ends_last_and_that_there_are_others(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_MIXED | NODE_DRAIN);
	g.pods[0].node.held = YES;
	g.pods[0].node.busy_until_s = GIVEN_WALL_MS / 1000 + 60;
	g.pods[0].node.holder = (struct job_fact){
		.id = 8,
		.user = "alice",
		.end_s = GIVEN_WALL_MS / 1000 + 60,
		.others = true,
	};
	when_settled(&g);
	then_says(&g, "Draining", "foo-0 (job 8 of alice until 2026-01-01T00:01:00Z, and others)");
}

static void test_draining_says_that_somebody_must_resume_or_cancel_a_suspended_job(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_IDLE | NODE_DRAIN);
	g.pods[0].node.held = YES;
	g.pods[0].node.busy_until_s = INT64_MAX;
	g.pods[0].node.holder = (struct job_fact){
		.id = 8,
		.user = "alice",
		.end_s = INT64_MAX,
		.suspended = true,
	};
	when_settled(&g);
	then_condition(&g, "Draining", "True", "JobsRunning");
	then_says(&g, "Draining",
		"foo-0 (job 8 of alice, suspended: scontrol resume or scancel it)");
	then_says_not(&g, "Draining", "running");
	then_says_not(&g, "Draining", "time limit");
}

/* slurmctld lost its state: the slurmd is well, and will not register again. */
static void test_a_node_forgotten_with_a_job_is_told_with_the_only_way_out(void **state)
{
	(void)state;
	for (int replicas = 1; replicas >= 0; replicas--) {
		WORLD(g);
		given_nodeset(&g, arena_printf(&g.arena, "\"replicas\":%d", replicas));
		given_pods(&g, 1);
		given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "9999-12-31T23:59:59Z");
		given_absent(&g, &g.pods[0], 600000);
		when_settled(&g);
		then_no(&g, DO(DELETE, POD), NULL);
		then_says(&g, replicas ? "Degraded" : "Draining",
			"when no job runs in the pod any more, delete it");
		then_says(&g, replicas ? "Degraded" : "Draining", "foo-0");
		if (replicas)
			then_condition(&g, "Degraded", "True", "NodesForgotten");
		else
			then_condition(&g, "Draining", "True", "JobsForgotten");
	}
}

static void test_a_node_forgotten_without_a_job_is_told_to_be_replaced(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_absent(&g, &g.pods[0], 40000);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "NodesForgotten");
	then_says(&g, "Degraded", "they are replaced");
	then_says_not(&g, "Degraded", "delete");
}

/* ---- a NodeSet whose last pod is gone ---- */

#define OUR_CLAIM                                                  \
	"\"ownerReferences\":[{\"apiVersion\":\"slinky.slurm.net/" \
	"v1alpha1\",\"kind\":\"NodeSet\",\"name\":\"foo\","        \
	"\"uid\":\"set\",\"controller\":true}]"

static void test_a_deletion_that_waits_for_a_claim_says_so_and_what_fails(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g,
		"\"replicas\":1,\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"}}]",
		GIVEN_DELETING);
	given_claim(&g, "data-foo-0", OUR_CLAIM);
	given_failing(&g, DO(PATCH, PVC), ERR_DENIED, "data-foo-0", "User x cannot patch");
	when_planned(&g);
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ActionsFailing");
	when_settled(&g);
	then_condition(&g, "Progressing", "True", "Deleting");
	then_says(&g, "Progressing", "claims");
	then_condition(&g, "Degraded", "True", "ActionsFailing");
	assert_int_equal(status_of(&g, "replicas"), 0);
}

static void test_a_deletion_that_waits_for_slurm_nodes_says_so(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_record(&g, "foo-0")->podless_since_ms = GIVEN_NOW_MS - 1000;
	when_settled(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);
	then_condition(&g, "Progressing", "True", "Deleting");
	then_says(&g, "Progressing", "at most a minute");
}

static void test_a_deletion_whose_finalizer_stays_says_why(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_failing(&g, DO(PATCH, NODESET), ERR_DENIED, "foo", "User x cannot patch nodesets");
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo"); /* it is still tried */
	assert_string_equal(then(&g, DO(TELL, EVENT), "foo")->reason, "ActionsFailing");
	when_applied(&g, then(&g, DO(PATCH_STATUS, NODESET), "foo"));
	then_condition(&g, "Degraded", "True", "ActionsFailing");
	then_says(&g, "Progressing", "finalizer");
}

static void test_a_deletion_that_nothing_holds_writes_no_status(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
	assert_int_equal(g.plan.n, 1);
}

/* ---- Slurm that is gone, or says unknown things ---- */

static void test_a_deletion_whose_slurm_is_gone_names_the_way_out(void **state)
{
	(void)state;
	for (int deleting = 0; deleting < 2; deleting++) {
		WORLD(g);
		given_nodeset_meta(&g, "\"replicas\":1",
			deleting ? GIVEN_DELETING : GIVEN_FINALIZER);
		given_pods(&g, 1);
		given_our_cordon(&g.pods[0]);
		given_slurm_silent(&g);
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "ClusterNotReady");
		assert_int_equal(strstr(condition_member(&g, "Degraded", "message"),
					 ANNOTATION_RELEASE_NOW) != NULL,
			deleting);
	}
}

static void test_a_state_that_says_nothing_is_named_with_its_node(void **state)
{
	(void)state;
	static const struct {
		uint32_t state;
		const char *says;
	} rows[] = {
		{ NODE_UNKNOWN | NODE_DRAIN, "state UNKNOWN: foo-0" },
		{ NODE_EXTERNAL | NODE_DRAIN, "state EXTERNAL: foo-0" },
		{ NODE_IDLE | NODE_DRAIN | NODE_OTHER,
			"a state that this operator does not know: foo-0" },
		{ NODE_DRAIN, "no state that tells what it does: foo-0" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_condemned(&g, rows[i].state);
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "SlurmUnknown");
		then_says(&g, "Degraded", rows[i].says);
		then_says(&g, "Degraded", "scontrol show node");
		then_says_not(&g, "Degraded", "Cluster ns/slurm");
	}
}

/* ---- a NodeSet that is stopped ---- */

#define STOPPING                                                                                 \
	"{\"metadata\":{\"generation\":2},\"spec\":{\"replicas\":5,\"template\":{\"metadata\":{" \
	"\"labels\":{\"app\":\"other\"}}}}}"

static void test_a_fault_that_stops_the_nodeset_leaves_no_condition_of_before(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	when_settled(&g);
	then_condition(&g, "Progressing", "False", "Complete");

	given_edited(&g, STOPPING);
	g.n_pods = 1; /* and the other pod dies meanwhile */
	/* Would be adopted */
	given_orphan(given_pod_named(&g, "foo-9"));
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "True", "SelectorMismatch");
	then_condition(&g, "Available", "False", "PodsUnavailable");
	then_says(&g, "Available", "1 of 5 pods");
	then_condition(&g, "Progressing", "False", "Stopped");
	then_condition(&g, "Draining", "False", "Stopped");
	static const char *const ones[] = { "replicas", "readyReplicas", "availableReplicas",
		"updatedReplicas", "slurmIdle" };
	for (size_t i = 0; i < LENGTH(ones); i++)
		assert_int_equal(status_of(&g, ones[i]), 1);

	given_edited(&g,
		"{\"spec\":{\"replicas\":1,\"template\":{\"metadata\":{\"labels\":{\"app\":"
		"\"slurmd\"}}}}}");
	given_no_annotation(&g.pods[0], ANNOTATION_POD_CORDON);
	g.n_pods = 1;
	when_settled(&g);
	then_condition(&g, "Progressing", "False", "Complete");
}

static void test_a_number_of_replicas_that_says_nothing_is_no_word_on_availability(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	given_leaving(&g.pods[1], NODE_IDLE | NODE_DRAIN);
	given_edited(&g, "{\"spec\":{\"replicas\":-1}}");
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Available", "Unknown", "InvalidReplicas");
	then_says(&g, "Available", "2 pods are available");
	then_condition(&g, "Draining", "False", "Stopped");
	then_says(&g, "Draining", "foo-1");
}

static void test_without_its_finalizer_a_nodeset_touches_no_pod_and_says_so(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", "\"labels\":{}");
	given_pods(&g, 1);
	given_orphan(&g.pods[0]);
	given_failing(&g, DO(PATCH, NODESET), ERR_DENIED, "foo", "User x cannot patch");
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	when_applied(&g, then(&g, DO(PATCH_STATUS, NODESET), "foo"));
	then_condition(&g, "Progressing", "False", "Stopped");
	then_condition(&g, "Available", "False", "PodsUnavailable");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_deed_that_fails_has_words),
		cmocka_unit_test(test_a_slurm_node_that_stays_is_told_with_what_may_hold_it),
		cmocka_unit_test(test_a_trouble_that_begins_beside_another_is_an_event_once),
		cmocka_unit_test(
			test_draining_names_the_job_that_ends_last_and_that_there_are_others),
		cmocka_unit_test(
			test_draining_says_that_somebody_must_resume_or_cancel_a_suspended_job),
		cmocka_unit_test(test_a_node_forgotten_with_a_job_is_told_with_the_only_way_out),
		cmocka_unit_test(test_a_node_forgotten_without_a_job_is_told_to_be_replaced),
		cmocka_unit_test(test_a_deletion_that_waits_for_a_claim_says_so_and_what_fails),
		cmocka_unit_test(test_a_deletion_that_waits_for_slurm_nodes_says_so),
		cmocka_unit_test(test_a_deletion_whose_finalizer_stays_says_why),
		cmocka_unit_test(test_a_deletion_that_nothing_holds_writes_no_status),
		cmocka_unit_test(test_a_deletion_whose_slurm_is_gone_names_the_way_out),
		cmocka_unit_test(test_a_state_that_says_nothing_is_named_with_its_node),
		cmocka_unit_test(test_a_fault_that_stops_the_nodeset_leaves_no_condition_of_before),
		cmocka_unit_test(
			test_a_number_of_replicas_that_says_nothing_is_no_word_on_availability),
		cmocka_unit_test(test_without_its_finalizer_a_nodeset_touches_no_pod_and_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
