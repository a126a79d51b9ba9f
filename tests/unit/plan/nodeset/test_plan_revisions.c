/* SPDX-License-Identifier: Apache-2.0 */
/* ControllerRevisions: one for each template, reused on rollback, cut oldest first. */
#include "lib/given.h"
#include "json/build.h"

static void given_other_revision(struct given *g, const char *hash, int64_t number)
{
	given_revision(g, hash, number,
		arena_printf(&g->arena,
			"{\"spec\":{\"template\":{\"$patch\":\"replace\",\"spec\":{\"note\":\"%s\"}"
			"}}}",
			hash));
}

/* Acceptance: nodeset-4 */
static void test_a_template_is_kept_as_a_revision_once(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	g.n_revisions = 0;
	when_planned(&g);
	const struct action *a = then(&g, DO(CREATE, REVISION),
		arena_printf(&g.arena, "foo-%s", g.hash));
	const struct json *body = given_json(&g, a->body);
	assert_int_equal(json_i64(json_get(body, "revision"), 0), 1);
	assert_string_equal(json_str(json_at(body, "metadata", "labels", LABEL_HASH), ""), g.hash);
	assert_string_equal(json_str(json_at(body, "metadata", "labels", "app"), ""), "slurmd");
	assert_string_equal(json_str(json_at(body, "data", "spec", "template", "$patch"), ""),
		"replace");
	then_no(&g, DO(CREATE, POD), NULL);

	g.revisions[g.n_revisions++] = (struct object_fact){ body, true };
	when_planned(&g);
	then_no(&g, DO(CREATE, REVISION), NULL);
	then_no(&g, DO(CREATE, POD), NULL);

	/* No pod is made before its revision is there. */
	g.revisions[0].in_flight = false;
	when_planned(&g);
	then_no(&g, DO(CREATE, REVISION), NULL);
	assert_non_null(strstr(then(&g, DO(CREATE, POD), "foo-0")->body, g.hash));
}

/* Acceptance: nodeset-4 */
static void test_replicas_change_makes_no_revision_template_change_does(void **state)
{
	(void)state;
	WORLD(g);
	given_at_rest(&g, 1);
	given_spec(&g, "\"replicas\":3,\"minReadySeconds\":5,\"revisionHistoryLimit\":3",
		GIVEN_FINALIZER);
	when_planned(&g);
	then_no(&g, DO(CREATE, REVISION), NULL);
	then_no(&g, DO(PATCH, REVISION), NULL);

	g.n_revisions = 0;
	given_other_revision(&g, "was", 4);
	when_planned(&g);
	assert_int_equal(json_i64(json_get(given_json(&g,
						   then(&g, DO(CREATE, REVISION), NULL)->body),
					  "revision"),
				 0),
		5);
}

/* Acceptance: nodeset-5 */
static void test_rollback_reuses_the_old_revision_with_a_higher_number(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0,\"revisionHistoryLimit\":5");
	given_other_revision(&g, "later", 2);
	when_planned(&g);
	const struct action *a = then(&g, DO(PATCH, REVISION),
		arena_printf(&g.arena, "foo-%s", g.hash));
	assert_non_null(strstr(a->body, "\"revision\":3"));
	assert_non_null(strstr(a->body, "\"resourceVersion\":\"5\""));
	then_no(&g, DO(CREATE, REVISION), NULL);
	g.revisions[0].in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, REVISION), NULL);
}

/* Acceptance: nodeset-6 */
static void test_orphan_revision_is_adopted_and_named_by_itself(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0,\"revisionHistoryLimit\":5");
	g.revisions[g.n_revisions++].object = given_json(&g,
		"{\"metadata\":{\"name\":\"foo-orphan\",\"namespace\":\"ns\",\"uid\":\"o\","
		"\"resourceVersion\":\"2\",\"labels\":{\"app\":\"slurmd\"},"
		"\"ownerReferences\":[{\"kind\":\"Other\",\"name\":\"x\",\"uid\":\"y\"}]},\"data\":"
		"{},\"revision\":0}");
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, REVISION), "foo-orphan")->body;
	assert_non_null(strstr(body, "\"uid\":\"set\""));
	assert_non_null(strstr(body, "\"uid\":\"y\"")); /* what was there stays */
	assert_non_null(strstr(body, LABEL_HASH "\":\"foo-orphan\""));
}

static void test_name_clash_with_other_data_counts_collisions(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	const char *taken = g.hash;
	g.n_revisions = 0;
	given_other_revision(&g, taken, 1);
	when_settled(&g);
	assert_int_equal(status_of(&g, "collisionCount"), 1);
	const char *hash = json_str(json_at(g.object, "status", "nodeSetHash"), "");
	assert_string_not_equal(hash, taken);
	/* And stays with that name. */
	when_settled(&g);
	assert_string_equal(json_str(json_at(g.object, "status", "nodeSetHash"), ""), hash);
	then_no(&g, DO(CREATE, REVISION), NULL);
}

/* Acceptance: nodeset-6 */
static void test_history_is_cut_oldest_first_and_spares_what_pods_use(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":2,\"revisionHistoryLimit\":1,\"updateStrategy\":{\"type\":"
		"\"OnDelete\"}");
	g.n_revisions = 0;
	given_newest_revision(&g, 9);
	given_other_revision(&g, "r2", 2);
	given_other_revision(&g, "r3", 3);
	given_other_revision(&g, "r4", 4);
	given_other_revision(&g, "r5", 5);
	given_pods(&g, 2);
	given_label(&g.pods[0], LABEL_HASH, "r2"); /* used by an old pod: protected */
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, REVISION)), 2);
	then(&g, DO(DELETE, REVISION), "foo-r3");
	assert_string_equal(then(&g, DO(DELETE, REVISION), "foo-r4")->guard.uid, "rev-r4");
}

static void test_default_history_keeps_only_what_is_used(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	g.n_revisions = 0;
	given_newest_revision(&g, 3);
	given_other_revision(&g, "r1", 1);
	given_other_revision(&g, "r2", 2);
	when_planned(&g);
	assert_int_equal(count_actions(&g, DO(DELETE, REVISION)), 2);
}

static void test_key_order_of_the_template_does_not_matter(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	g.n_revisions = 0;
	given_revision(&g, "by-hand", 1,
		"{\"spec\":{\"template\":{\"$patch\":\"replace\",\"metadata\":{\"labels\":{\"app\":"
		"\"slurmd\"}},"
		"\"spec\":{\"containers\":[{\"image\":\"slurmd:1\",\"name\":\"slurmd\"}]}}}}");
	when_settled(&g);
	then_nothing(&g);
	assert_string_equal(json_str(json_at(g.object, "status", "nodeSetHash"), ""), "by-hand");
}

/* ---- the bytes of data, which must not change ---- */

#define TEMPLATE_WITH_SIGNS                                                                       \
	"{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},"                                        \
	"\"spec\":{\"containers\":[{\"name\":\"slurmd\",\"command\":[\"sh\",\"-c\",\"a <b >c && " \
	"d\"]}]}}"

static void test_data_is_stored_as_the_api_server_would_write_it_anew(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	g.n_revisions = 0;
	g.object = given_json(&g,
		arena_printf(&g.arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":"
			"\"set\"," GIVEN_FINALIZER "},"
			"\"spec\":{\"clusterName\":\"slurm\",\"serviceName\":\"svc\",\"selector\":{"
			"\"matchLabels\":{\"app\":\"slurmd\"}},\"template\":%s}}",
			TEMPLATE_WITH_SIGNS));
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(CREATE, REVISION), NULL)->body,
		"\"data\":{\"spec\":{\"template\":{\"$patch\":\"replace\",\"metadata\":{\"labels\":"
		"{\"app\":\"slurmd\"}},\"spec\":{\"containers\":"
		"[{\"command\":[\"sh\",\"-c\",\"a \\u003cb \\u003ec \\u0026\\u0026 "
		"d\"],\"name\":\"slurmd\"}]}}}}"));
}

/* As versions before this one stored the template of every NodeSet in these tests. */
#define DATA_OF_BEFORE                                                                         \
	"{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},"             \
	"\"spec\":{\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\"}]},\"$patch\":" \
	"\"replace\"}}}"

static void test_revision_of_an_earlier_version_gets_a_twin_and_no_pod_is_touched(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1,\"revisionHistoryLimit\":5");
	g.n_revisions = 0;
	given_revision(&g, "h", 4, DATA_OF_BEFORE);
	g.hash = "h";
	given_pods(&g, 1);
	when_planned(&g);
	const struct json *twin = given_json(&g,
		then(&g, DO(CREATE, REVISION), "foo-h-again")->body);
	assert_string_equal(json_str(json_at(twin, "metadata", "labels", LABEL_HASH), ""), "h");
	assert_int_equal(json_i64(json_get(twin, "revision"), 0), 4);
	assert_true(revision_comes_through(twin));
	then_no(&g, DO(DELETE, REVISION), NULL);

	/* Only once the twin is there, the first one goes. */
	when_settled(&g);
	assert_string_equal(then(&g, DO(DELETE, REVISION), "foo-h")->guard.uid, "rev-h");
	assert_int_equal(g.plan.n, 1);
	g.revisions[0] = g.revisions[--g.n_revisions];
	when_settled(&g);
	then_nothing(&g);
	assert_string_equal(json_str(json_at(g.object, "status", "nodeSetHash"), ""), "h");
	assert_int_equal(status_of(&g, "updatedReplicas"), 1);
}

static void test_going_back_to_a_revision_of_an_earlier_version_numbers_its_twin(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0,\"revisionHistoryLimit\":5");
	g.n_revisions = 0;
	given_revision(&g, "h", 4, DATA_OF_BEFORE);
	given_other_revision(&g, "later", 7);
	when_planned(&g);
	assert_int_equal(
		json_i64(json_get(given_json(&g,
					  then(&g, DO(CREATE, REVISION), "foo-h-again")->body),
				 "revision"),
			0),
		8);
	then_no(&g, DO(PATCH, REVISION), NULL);

	/* The twin was made for the history, and then the user went back. */
	g.n_revisions = 0;
	given_revision(&g, "h", 4, DATA_OF_BEFORE);
	given_other_revision(&g, "later", 7);
	g.revisions[g.n_revisions++].object = given_json(&g,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-h-again\",\"uid\":\"t\","
		"\"resourceVersion\":\"5\",\"labels\":{\"app\":\"slurmd\",\"" LABEL_HASH
		"\":\"h\"},\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":\"foo\","
		"\"uid\":\"set\",\"controller\":true}]},\"data\":{\"spec\":{\"template\":{\"$"
		"patch\":\"replace\",\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},"
		"\"spec\":{\"containers\":[{\"image\":\"slurmd:1\",\"name\":\"slurmd\"}]}}}},"
		"\"revision\":4}");
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH, REVISION), "foo-h-again")->body,
		"\"revision\":8"));
	then_no(&g, DO(CREATE, REVISION), NULL);
}

static void test_history_keeps_the_twin_that_an_old_pod_uses(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1,\"updateStrategy\":{\"type\":\"OnDelete\"}");
	given_revision(&g, "old", 0,
		"{\"spec\":{\"template\":{\"spec\":{\"note\":1},\"$patch\":\"replace\"}}}");
	given_pods(&g, 1);
	given_label(&g.pods[0], LABEL_HASH, "old");
	when_settled(&g);
	then(&g, DO(DELETE, REVISION), "foo-old");
	then_no(&g, DO(DELETE, REVISION), "foo-old-again");
}

static void test_hash_that_pods_of_another_template_carry_is_not_used(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	const char *taken = g.hash;
	g.n_revisions = 0;
	given_revision(&g, "other", 1,
		arena_printf(&g.arena,
			"{\"spec\":{\"template\":{\"$patch\":\"replace\",\"spec\":{}}}}"));
	struct jval *o = j_copy(g.d, g.revisions[0].object);
	j_set_str(g.d, j_child(g.d, j_child(g.d, o, "metadata"), "labels"), LABEL_HASH, taken);
	g.revisions[0].object = given_json(&g, j_text(g.d, o));
	when_planned(&g);
	assert_string_not_equal(
		json_str(json_at(given_json(&g, then(&g, DO(CREATE, REVISION), NULL)->body),
				 "metadata", "labels", LABEL_HASH),
			""),
		taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_template_is_kept_as_a_revision_once),
		cmocka_unit_test(test_replicas_change_makes_no_revision_template_change_does),
		cmocka_unit_test(test_rollback_reuses_the_old_revision_with_a_higher_number),
		cmocka_unit_test(test_orphan_revision_is_adopted_and_named_by_itself),
		cmocka_unit_test(test_name_clash_with_other_data_counts_collisions),
		cmocka_unit_test(test_history_is_cut_oldest_first_and_spares_what_pods_use),
		cmocka_unit_test(test_default_history_keeps_only_what_is_used),
		cmocka_unit_test(test_key_order_of_the_template_does_not_matter),
		cmocka_unit_test(test_data_is_stored_as_the_api_server_would_write_it_anew),
		cmocka_unit_test(
			test_revision_of_an_earlier_version_gets_a_twin_and_no_pod_is_touched),
		cmocka_unit_test(
			test_going_back_to_a_revision_of_an_earlier_version_numbers_its_twin),
		cmocka_unit_test(test_history_keeps_the_twin_that_an_old_pod_uses),
		cmocka_unit_test(test_hash_that_pods_of_another_template_carry_is_not_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
