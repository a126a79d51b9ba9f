/* SPDX-License-Identifier: Apache-2.0 */
/* P8: deleting a NodeSet drains first, and leaves no finalizer behind. */
#include "lib/given.h"
#include "engine/removal.h"
#include "json/build.h"

/* Acceptance: nodeset-1 */
static void test_deletion_is_accepted_and_drains_all_before_any_pod_goes(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":3", GIVEN_DELETING);
	given_pods(&g, 3);
	given_node(&g.pods[1], NODE_MIXED, "");
	when_planned(&g);
	assert_int_equal(then(&g, DO(DRAIN, SLURM_NODE), NULL)->n_nodes, 3);
	assert_int_equal(count_actions(&g, DO(PATCH, POD)), 3);
	then_no(&g, DO(DELETE, POD), NULL);
	then_no(&g, DO(PATCH, NODESET), NULL);
}

static void test_drained_pods_go_busy_ones_stay_nothing_is_created(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":3", GIVEN_DELETING);
	given_pods(&g, 2);
	for (int i = 0; i < 2; i++)
		given_our_cordon(&g.pods[i]);
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	given_node(&g.pods[1], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 1);
	then_no(&g, DO(CREATE, POD), NULL);
	then_no(&g, DO(CREATE, REVISION), NULL);
	then_condition(&g, "Progressing", "True", "Deleting");
	then_condition(&g, "Draining", "True", "JobsRunning");
}

static void test_last_pod_gone_the_finalizer_goes_and_others_stay(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":3",
		"\"finalizers\":[\"example.com/theirs\",\"" FINALIZER_DRAIN
		"\"],\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
	given_pods(&g, 1);
	g.pods[0].fact.terminating = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);
	g.n_pods = 0;
	g.n_overtaken = 1; /* one more may come yet */
	when_planned(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);
	g.n_overtaken = 0;
	when_planned(&g);
	assert_int_equal(g.plan.n, 1);
	assert_non_null(strstr(then(&g, DO(PATCH, NODESET), "foo")->body,
		"[\"example.com/theirs\"]"));
	when_settled(&g);
	then_nothing(&g);
}

static void test_deleting_without_our_finalizer_is_nobodys_business(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":3",
		"\"finalizers\":[\"example.com/"
		"theirs\"],\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
	given_pods(&g, 1);
	when_planned(&g);
	then_nothing(&g);
}

static void test_deletion_waits_for_slurm_and_says_what_would_unblock_it(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_pods(&g, 1);
	given_slurm_silent(&g);
	g.cluster = NO;
	when_settled(&g);
	then_nothing(&g);
	then_condition(&g, "Degraded", "True", "ClusterMissing");
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"),
		ANNOTATION_RELEASE_NOW));
}

static void test_release_now_deletes_at_once(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2",
		GIVEN_DELETING ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"true\"}");
	given_pods(&g, 2);
	given_node(&g.pods[0], NODE_ALLOCATED, "");
	given_slurm_silent(&g);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, POD)), 2);
	assert_string_equal(then(&g, DO(DELETE, POD), "foo-0")->guard.uid, "uid-foo-0");
	then(&g, DO(TELL, EVENT), "foo");
}

static void test_deletion_goes_on_although_the_spec_is_wrong(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":-1", GIVEN_DELETING);
	given_pods(&g, 1);
	given_label(&g.pods[0], "app", "relabelled");
	given_node(&g.pods[0], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then(&g, DO(DELETE, POD), "foo-0");
}

/* The pod would go with the owner that it just got, and its job with it. */
static void test_the_finalizer_waits_for_an_adoption_on_its_way(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	struct given_pod *stray = given_pod(&g, 0);
	given_orphan(stray);
	stray->fact.in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, NODESET), NULL);
	stray->fact.in_flight = false;
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
}

static void test_orphans_are_not_adopted_by_a_nodeset_that_goes(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_orphan(given_pod(&g, 0));
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	then(&g, DO(PATCH, NODESET), "foo");
}

/* ---- in the foreground, or so that the pods stay ---- */

static struct given_pod *given_orphaned(struct given *g, int ordinal)
{
	struct given_pod *p = given_pod(g, ordinal);
	given_orphan(p);
	given_annotation(p, ANNOTATION_NODESET_UID, "set");
	return p;
}

/* As the garbage collector leaves them after a deletion with --cascade=orphan. */
static void given_revisions_without_controller(struct given *g)
{
	for (size_t i = 0; i < g->n_revisions; i++) {
		struct jval *o = j_copy(g->d, g->revisions[i].object);
		j_del(j_get(o, "metadata"), "ownerReferences");
		g->revisions[i].object = given_json(g, j_text(g->d, o));
	}
}

#define GIVEN_ENDING(finalizers)                           \
	"\"finalizers\":[" finalizers "\"" FINALIZER_DRAIN \
	"\"],\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""

static void then_drained_first(struct given *g)
{
	when_settled(g);
	assert_int_equal(then(g, DO(DRAIN, SLURM_NODE), NULL)->n_nodes, 2);
	then_no(g, DO(DELETE, POD), NULL);
	then_no(g, DO(PATCH, NODESET), NULL);
	for (int i = 0; i < 2; i++)
		given_node(&g->pods[i], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	given_node(&g->pods[1], NODE_ALLOCATED | NODE_DRAIN, OUR_REASON);
	when_settled(g);
	then(g, DO(DELETE, POD), "foo-0");
	then_no(g, DO(DELETE, POD), "foo-1");
	then_no(g, DO(PATCH, NODESET), NULL);
	g->n_pods = 0;
	when_planned(g);
	then(g, DO(PATCH, NODESET), "foo");
}

static void test_in_the_foreground_pods_without_reference_are_drained_and_waited_for(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2", GIVEN_ENDING("\"foregroundDeletion\","));
	given_orphaned(&g, 0);
	given_orphaned(&g, 1);
	then_drained_first(&g);
}

static void test_so_are_they_when_the_collector_is_done_and_has_deleted_the_revisions(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2", GIVEN_DELETING);
	given_orphaned(&g, 0);
	given_orphaned(&g, 1);
	g.n_revisions = 0;
	then_drained_first(&g);
}

static void test_so_are_they_when_the_spec_is_wrong(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":-1", GIVEN_DELETING);
	given_label(given_orphaned(&g, 0), "app", "relabelled");
	g.n_revisions = 0;
	when_settled(&g);
	assert_int_equal(then(&g, DO(DRAIN, SLURM_NODE), NULL)->n_nodes, 1);
	then_no(&g, DO(PATCH, NODESET), NULL);
}

static void test_whose_they_are_is_waited_for_while_nobody_can_say(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_orphaned(&g, 0);
	when_planned(&g);
	then_nothing(&g);
	assert_int_equal(g.plan.again_in_ms, 1000);
	/* A user who took the reference away himself wants to keep the pod. */
	g.wall_ms += 61000;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(DRAIN, SLURM_NODE), NULL);
	then(&g, DO(PATCH, NODESET), "foo");
}

static void test_a_clock_that_was_set_back_makes_nobody_wait_longer(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_orphaned(&g, 0);
	g.wall_ms -= 3600000;
	when_planned(&g);
	then(&g, DO(PATCH, NODESET), "foo");
}

static void test_a_revision_made_after_the_deletion_tells_nothing(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2", GIVEN_DELETING);
	given_orphaned(&g, 0);
	given_orphaned(&g, 1);
	struct jval *o = j_copy(g.d, g.revisions[0].object);
	j_set_str(g.d, j_get(o, "metadata"), "creationTimestamp", "2026-01-01T00:00:01Z");
	g.revisions[0].object = given_json(&g, j_text(g.d, o));
	then_drained_first(&g);
}

static void test_pods_that_are_to_stay_are_not_touched_and_the_finalizer_goes_at_once(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":0", GIVEN_ENDING("\"orphan\","));
	given_pod(&g, 0);
	given_our_cordon(given_orphaned(&g, 1));
	given_node(&g.pods[1], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_planned(&g);
	assert_int_equal(g.plan.n, 1);
	assert_non_null(strstr(then(&g, DO(PATCH, NODESET), "foo")->body, "[\"orphan\"]"));
}

static void test_they_stay_also_when_only_the_revisions_tell_that_they_are_to(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2", GIVEN_DELETING);
	given_orphaned(&g, 0);
	given_our_cordon(given_orphaned(&g, 1));
	given_node(&g.pods[1], NODE_IDLE | NODE_DRAIN, OUR_REASON);
	given_revisions_without_controller(&g);
	when_planned(&g);
	assert_int_equal(g.plan.n, 1);
	then(&g, DO(PATCH, NODESET), "foo");
}

/*
 * The finalizer is gone, the collector takes the rest of the revisions, and no watch has
 * shown that yet.
 */
/* The store keeps a part of the revisions, which does not tell. */
static void test_while_the_revisions_have_no_room_nobody_can_say(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_DELETING);
	given_leaving(given_orphaned(&g, 0), DRAINED);
	g.n_revisions = 0;
	g.in_short = true;
	when_planned(&g);
	then_nothing(&g);
	g.wall_ms += 3600000;
	when_planned(&g);
	then_nothing(&g);
}

static void test_that_they_stay_is_written_down_before_the_finalizer_goes(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":2", GIVEN_DELETING);
	given_orphaned(&g, 0);
	given_our_cordon(given_orphaned(&g, 1));
	given_revisions_without_controller(&g);
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, NODESET), "foo")->body;
	assert_non_null(strstr(body, ANNOTATION_PODS_STAY));
	assert_null(strstr(body, "finalizers"));

	given_spec(&g, "\"replicas\":2",
		"\"annotations\":{\"" ANNOTATION_PODS_STAY "\":\"true\"}," GIVEN_DELETING);
	g.n_revisions = 0;
	when_planned(&g);
	assert_int_equal(g.plan.n, 1);
	assert_non_null(strstr(then(&g, DO(PATCH, NODESET), "foo")->body, "\"finalizers\":[]"));
}

static void test_a_stripped_pod_of_another_nodeset_of_that_name_is_nobodys(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset_meta(&g, "\"replicas\":1", GIVEN_ENDING("\"foregroundDeletion\","));
	given_annotation(given_orphaned(&g, 0), ANNOTATION_NODESET_UID, "predecessor");
	g.n_revisions = 0;
	when_planned(&g);
	assert_int_equal(g.plan.n, 1);
	then(&g, DO(PATCH, NODESET), "foo");
}

/* The template of a NodeSet that goes is compared with what was published last. */
static void test_pods_of_a_nodeset_that_goes_stay_counted_as_updated(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3,\"updateStrategy\":{\"type\":\"OnDelete\"}");
	given_pods(&g, 3);
	given_old(&g.pods[2]);
	for (int i = 0; i < 3; i++)
		given_node(&g.pods[i], NODE_ALLOCATED, "");
	when_settled(&g);
	assert_int_equal(status_of(&g, "updatedReplicas"), 2);
	struct jval *o = j_copy(g.d, g.object);
	j_set_str(g.d, j_child(g.d, o, "metadata"), "deletionTimestamp", "2026-01-01T00:00:00Z");
	g.object = given_json(&g, j_text(g.d, o));
	when_settled(&g);
	then_condition(&g, "Progressing", "True", "Deleting");
	assert_int_equal(status_of(&g, "updatedReplicas"), 2);
	then_no(&g, DO(CREATE, REVISION), NULL);
}

/* ---- what never worked ---- */

static void given_never_worked(struct given *g)
{
	given_nodeset_meta(g, "\"replicas\":1", GIVEN_DELETING);
	given_pods(g, 1);
	given_our_cordon(&g->pods[0]);
	given_no_annotation(&g->pods[0], ANNOTATION_REGISTERED);
	given_slurm_silent(g);
	g->pods[0].fact.ready = false;
	g->pods[0].fact.ready_since_ms = 0;
}

/* Acceptance: removal-26 */
static void test_a_pod_whose_secret_is_missing_goes_without_slurm(void **state)
{
	(void)state;
	WORLD(g);
	given_never_worked(&g);
	given_pending(&g.pods[0], true);
	g.pods[0].fact.unstarted = true;
	g.pods[0].fact.secrets = "mykey";
	g.pods[0].fact.phase_seen_ms = g.now_ms - UNSTARTED_MS + 1000;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
	assert_int_equal(g.plan.again_in_ms, 1001);

	g.now_ms += 1000;
	when_planned(&g);
	const struct action *a = then(&g, DO(DELETE, POD), "foo-0");
	assert_int_equal(a->guard.read, READ_NO_SECRET);
	assert_string_equal(a->guard.secrets, "mykey");
	assert_string_equal(a->guard.resource_version, "3");
	assert_int_equal(a->guard.within_ms, REMOVAL_WITHIN_MS);
}

static void test_a_pod_that_ends_again_and_again_goes_without_slurm(void **state)
{
	(void)state;
	WORLD(g);
	given_never_worked(&g);
	g.cluster = NO;
	g.pods[0].fact.halted = true;
	g.pods[0].fact.halted_end_ms = g.wall_ms - 1000;
	g.pods[0].fact.halted_ms = g.now_ms - HALTED_FRESH_MS - 1;
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);

	g.pods[0].fact.halted_ms = g.now_ms;
	when_planned(&g);
	then(&g, DO(DELETE, POD), "foo-0");

	given_annotation(&g.pods[0], ANNOTATION_REGISTERED, GIVEN_SLURM);
	when_planned(&g);
	then_no(&g, DO(DELETE, POD), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pod_whose_secret_is_missing_goes_without_slurm),
		cmocka_unit_test(test_a_pod_that_ends_again_and_again_goes_without_slurm),
		cmocka_unit_test(test_deletion_is_accepted_and_drains_all_before_any_pod_goes),
		cmocka_unit_test(test_drained_pods_go_busy_ones_stay_nothing_is_created),
		cmocka_unit_test(test_last_pod_gone_the_finalizer_goes_and_others_stay),
		cmocka_unit_test(test_deleting_without_our_finalizer_is_nobodys_business),
		cmocka_unit_test(test_deletion_waits_for_slurm_and_says_what_would_unblock_it),
		cmocka_unit_test(test_release_now_deletes_at_once),
		cmocka_unit_test(test_deletion_goes_on_although_the_spec_is_wrong),
		cmocka_unit_test(test_the_finalizer_waits_for_an_adoption_on_its_way),
		cmocka_unit_test(test_orphans_are_not_adopted_by_a_nodeset_that_goes),
		cmocka_unit_test(
			test_in_the_foreground_pods_without_reference_are_drained_and_waited_for),
		cmocka_unit_test(
			test_so_are_they_when_the_collector_is_done_and_has_deleted_the_revisions),
		cmocka_unit_test(test_so_are_they_when_the_spec_is_wrong),
		cmocka_unit_test(test_whose_they_are_is_waited_for_while_nobody_can_say),
		cmocka_unit_test(test_a_clock_that_was_set_back_makes_nobody_wait_longer),
		cmocka_unit_test(test_a_revision_made_after_the_deletion_tells_nothing),
		cmocka_unit_test(
			test_pods_that_are_to_stay_are_not_touched_and_the_finalizer_goes_at_once),
		cmocka_unit_test(test_they_stay_also_when_only_the_revisions_tell_that_they_are_to),
		cmocka_unit_test(test_while_the_revisions_have_no_room_nobody_can_say),
		cmocka_unit_test(test_that_they_stay_is_written_down_before_the_finalizer_goes),
		cmocka_unit_test(test_a_stripped_pod_of_another_nodeset_of_that_name_is_nobodys),
		cmocka_unit_test(test_pods_of_a_nodeset_that_goes_stay_counted_as_updated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
