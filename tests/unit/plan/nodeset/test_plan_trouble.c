/* SPDX-License-Identifier: Apache-2.0 */
/* The first place where one looks: the column TROUBLE, and what Degraded says to it. */
#include "base/time.h"
#include "lib/given.h"

static const char *trouble(struct given *g)
{
	return json_str(json_at(g->object, "status", "trouble"), "?");
}

static void test_all_is_well_and_no_trouble_is_shown(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 2);
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
	assert_string_equal(trouble(&g), "");
}

static void given_unready(struct given *g, const char *why, int64_t for_ms)
{
	g->pods[0].fact.ready = false;
	g->pods[0].fact.ready_since_ms = 0;
	g->pods[0].fact.unready_since_ms = g->wall_ms - for_ms;
	g->pods[0].fact.why = why;
}

static void test_a_pod_that_is_not_ready_for_a_minute_is_a_trouble(void **state)
{
	(void)state;
	static const struct {
		const char *why, *word, *says;
	} rows[] = {
		{ "ErrImagePull: image m/x:1: not found", "ErrImagePull",
			"not ready for more than a minute: ErrImagePull: image m/x:1: not found: "
			"foo-0" },
		{ "", "PodsNotReady", "the readiness probe does not succeed" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_unready(&g, rows[i].why, 59000);
		when_settled(&g);
		then_condition(&g, "Degraded", "False", "AsExpected");
		assert_string_equal(trouble(&g), "");
		assert_int_equal(g.plan.again_in_ms, 1001);

		given_unready(&g, rows[i].why, 60000);
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "PodsNotReady");
		then_says(&g, "Degraded", rows[i].says);
		assert_string_equal(trouble(&g), rows[i].word);
	}
}

/* The operator does not know that one of them is missing, so it does not say so. */
/* Acceptance: status-3 */
static void test_a_pod_whose_volumes_do_not_come_names_what_it_mounts(void **state)
{
	(void)state;
	static const struct {
		const char *mounts, *word;
	} rows[] = {
		{ "configmap/site", "VolumesNotReady:configmap/site" },
		{ "configmap/site secret/auth-key",
			"VolumesNotReady:configmap/site,secret/auth-key" },
		{ "configmap/a-name-of-forty-bytes-is-long-for-table secret/auth-key-of-someone "
		  "secret/x",
			"VolumesNotReady:configmap/a-name-of-forty-bytes-is-long-for-table,secret/"
			"auth-key-of-someone,..." },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_unready(&g, "", 60000);
		g.pods[0].fact.phase = POD_PENDING;
		g.pods[0].fact.mounts = rows[i].mounts;
		when_settled(&g);
		then_condition(&g, "Degraded", "True", "PodsNotReady");
		then_says(&g, "Degraded",
			arena_printf(&g.arena, "(kubectl -n ns get %s); if so", rows[i].mounts));
		assert_string_equal(trouble(&g), rows[i].word);
		assert_null(strstr(condition_member(&g, "Degraded", "message"), "missing"));
		assert_null(strstr(condition_member(&g, "Available", "message"), "kubectl -n"));
	}
}

/* The report of the kubelet goes before the volumes of the pod. */
static void test_the_word_of_the_kubelet_goes_before_what_a_pod_mounts(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_unready(&g, "CreateContainerConfigError: configmap \"x\" not found", 60000);
	g.pods[0].fact.phase = POD_PENDING;
	g.pods[0].fact.mounts = "configmap/site";
	when_settled(&g);
	assert_string_equal(trouble(&g), "CreateContainerConfigError");
	then_says(&g, "Degraded", "configmap \"x\" not found: foo-0");
}

static void test_a_pod_that_goes_is_no_trouble_however_unready(void **state)
{
	(void)state;
	WORLD(g);
	given_condemned(&g, NODE_ALLOCATED | NODE_DRAIN);
	given_unready(&g, "CrashLoopBackOff: container slurmd ends again", 600000);
	when_settled(&g);
	then_condition(&g, "Degraded", "False", "AsExpected");
	assert_string_equal(trouble(&g), "");
}

/*
 * A NodeSet is created together with its Slurm. A NodeSet that is deleted says at once
 * what keeps it.
 */
/* Acceptance: status-4 */
static void test_a_new_nodeset_gives_its_slurm_time_to_start(void **state)
{
	(void)state;
	static const struct {
		int64_t age_ms;
		const char *more; /* of metadata */
		bool answered;    /* a minute ago */
		const char *trouble;
	} rows[] = {
		{ 0, "", false, "" },
		{ 29000, "", false, "" },
		{ 29000, "", true, "ClusterNotReady" },
		{ 29000, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", false,
			"ClusterNotReady" },
		{ 30000, "", false, "ClusterNotReady" },
		{ -1000, "", false, "ClusterNotReady" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		char created[TIME_RFC3339_BYTES];
		time_format(GIVEN_WALL_MS - rows[i].age_ms, created);
		given_at_rest(&g, 1);
		given_edited(&g,
			arena_printf(&g.arena, "{\"metadata\":{\"creationTimestamp\":\"%s\"%s}}",
				created, rows[i].more));
		given_slurm_silent(&g);
		g.slurm.usable = NO;
		g.slurm.nodes_seen_ms = rows[i].answered ? GIVEN_NOW_MS - 60000 : 0;
		when_settled(&g);
		assert_string_equal(trouble(&g), rows[i].trouble);
	}
}

/* A user knows which nodes they drained; a drain by Slurm itself has to be reported. */
static void test_a_node_that_slurm_drained_by_itself_is_a_trouble(void **state)
{
	(void)state;
	static const struct {
		const char *reason, *trouble;
	} rows[] = {
		{ "Prolog error", "SlurmNodesDrained" },
		{ "Kill task failed", "SlurmNodesDrained" },
		{ "Low RealMemory (reported:900 < 100.00% of configured:1000)",
			"SlurmNodesDrained" },
		{ "gres/gpu count reported lower than configured (0 < 4)", "SlurmNodesDrained" },
		{ "gres/gpu is to be replaced, alice", "" },
		{ "new memory, alice", "" },
		{ "", "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		given_at_rest(&g, 1);
		given_node(&g.pods[0], DRAINED, rows[i].reason);
		when_settled(&g);
		assert_string_equal(trouble(&g), rows[i].trouble);
		then_no(&g, DO(UNDRAIN, SLURM_NODE), NULL);
	}
}

/* After a restart of the manager, what was published stays until Slurm has been asked. */
static void test_the_trouble_stays_while_slurm_has_not_been_asked(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_node(&g.pods[0], NODE_DOWN, "Not responding");
	when_settled(&g);
	assert_string_equal(trouble(&g), "SlurmNodesDown");

	given_slurm_silent(&g);
	g.slurm.usable = UNKNOWN;
	when_settled(&g);
	assert_string_equal(trouble(&g), "SlurmNodesDown");
}

static void test_jobs_of_a_forgotten_node_can_be_looked_for(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_annotation(&g.pods[0], ANNOTATION_POD_DEADLINE, "2027-01-01T00:00:00Z");
	given_absent(&g, &g.pods[0], 40000);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "NodesForgotten");
	then_says(&g, "Degraded", "kubectl exec POD -- pgrep -a slurmstepd");
	then_says(&g, "Degraded", "delete it (kubectl delete pod POD)");
	assert_string_equal(trouble(&g), "NodesForgotten");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_well_and_no_trouble_is_shown),
		cmocka_unit_test(test_a_pod_that_is_not_ready_for_a_minute_is_a_trouble),
		cmocka_unit_test(test_a_pod_whose_volumes_do_not_come_names_what_it_mounts),
		cmocka_unit_test(test_the_word_of_the_kubelet_goes_before_what_a_pod_mounts),
		cmocka_unit_test(test_a_new_nodeset_gives_its_slurm_time_to_start),
		cmocka_unit_test(test_a_pod_that_goes_is_no_trouble_however_unready),
		cmocka_unit_test(test_a_node_that_slurm_drained_by_itself_is_a_trouble),
		cmocka_unit_test(test_the_trouble_stays_while_slurm_has_not_been_asked),
		cmocka_unit_test(test_jobs_of_a_forgotten_node_can_be_looked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
