/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A NodeSet read from its JSON: defaults, and one sentence for each thing that is wrong.
 */
#include "lib/given.h"
#include "api/nodeset.h"

static struct nodeset nodeset_of(struct given *g, const char *spec)
{
	struct nodeset n;
	nodeset_read(given_json(g,
			     arena_printf(&g->arena,
				     "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\","
				     "\"generation\":4},\"spec\":{%s}}",
				     spec)),
		&n);
	return n;
}

static void test_defaults(void **state)
{
	(void)state;
	WORLD(g);
	struct nodeset n = nodeset_of(&g, "");
	assert_int_equal(n.replicas, 0);
	assert_int_equal(n.update, UPDATE_ROLLING);
	assert_int_equal(n.max_unavailable, 1);
	assert_int_equal(n.history_limit, 0);
	assert_int_equal(n.min_ready_s, 0);
	assert_int_equal(n.when_deleted, RETAIN);
	assert_int_equal(n.when_scaled, RETAIN);
	assert_int_equal(n.generation, 4);
	assert_false(n.deleting || n.has_finalizer || n.release_now || n.max_unavailable_bad ||
		n.retention_bad);
	assert_string_equal(n.uid, "");
}

static void test_nothing_at_all_is_read_without_harm(void **state)
{
	(void)state;
	struct nodeset n;
	struct fault faults[NODESET_MAX_FAULTS];
	nodeset_read(NULL, &n);
	assert_true(nodeset_faults(&n, faults) > 0);
	assert_true(faults[0].fatal);
}

/* Acceptance: webhook-7 */
static void test_max_unavailable_forms(void **state)
{
	(void)state;
	static const struct {
		const char *json;
		bool good;
		int64_t of_ten;
	} rows[] = {
		{ "0", true, 0 },
		{ "3", true, 3 },
		{ "\"0%\"", true, 0 },
		{ "\"1%\"", true, 1 },
		{ "\"20%\"", true, 2 },
		{ "\"25%\"", true, 3 },
		{ "\"200%\"", true, 20 },
		{ "-1", false, 1 },
		{ "\"3\"", false, 1 },
		{ "\"%\"", false, 1 },
		{ "\"-5%\"", false, 1 },
		{ "\"5 %\"", false, 1 },
		{ "\"05%\"", false, 1 },
		{ "1.5", false, 1 },
		{ "true", false, 1 },
		{ "null", true, 1 },
		{ "\"99999999999999999999%\"", false, 1 },
		{ "\"\"", false, 1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		struct nodeset n = nodeset_of(&g,
			arena_printf(&g.arena,
				"\"replicas\":10,\"updateStrategy\":{\"rollingUpdate\":{"
				"\"maxUnavailable\":%s}}",
				rows[i].json));
		assert_int_equal(n.max_unavailable, rows[i].of_ten);
		assert_int_equal(n.max_unavailable_bad, !rows[i].good);
	}
}

#define GOOD                                                                                \
	"\"clusterName\":\"slurm\",\"serviceName\":\"svc\",\"selector\":{\"matchLabels\":{" \
	"\"app\":\"slurmd\"}},\"template\":" GIVEN_TEMPLATE

static void test_a_good_one_has_no_fault(void **state)
{
	(void)state;
	WORLD(g);
	struct fault faults[NODESET_MAX_FAULTS];
	struct nodeset n = nodeset_of(&g,
		GOOD ",\"replicas\":65536,\"persistentVolumeClaimRetentionPolicy\":{"
		     "\"whenDeleted\":\"Delete\","
		     "\"whenScaled\":\"Retain\"}");
	assert_int_equal(nodeset_faults(&n, faults), 0);
	assert_int_equal(n.when_deleted, DELETE_CLAIM);
}

static const struct {
	const char *spec, *reason;
	bool fatal;
	const char *says;
} faulty[] = {
	{ GOOD ",\"replicas\":-1", "InvalidReplicas", true, "spec.replicas is -1" },
	{ GOOD ",\"replicas\":65537", "InvalidReplicas", true, "from 0 to 65536" },
	{ GOOD ",\"replicas\":\"3\"", "InvalidReplicas", true, "not a whole number" },
	{ GOOD ",\"updateStrategy\":{\"type\":\"Recreate\"}", "InvalidUpdateStrategy", false,
		"\"Recreate\"" },
	{ GOOD ",\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":\"x\"}}",
		"InvalidMaxUnavailable", false, "neither a number" },
	{ GOOD ",\"volumeClaimTemplates\":{\"data\":{\"metadata\":{\"name\":\"x\"}}}",
		"InvalidClaimTemplates", true, "a list of claims" },
	{ GOOD ",\"volumeClaimTemplates\":[{\"spec\":{}}]", "InvalidClaimTemplates", true,
		"metadata.name" },
	{ GOOD ",\"minReadySeconds\":-1", "InvalidCount", false, "spec.minReadySeconds is -1" },
	{ GOOD ",\"revisionHistoryLimit\":-2", "InvalidCount", false,
		"spec.revisionHistoryLimit is -2" },
	{ GOOD ",\"persistentVolumeClaimRetentionPolicy\":{}", "InvalidRetentionPolicy", false,
		"whenDeleted" },
	{ GOOD ",\"persistentVolumeClaimRetentionPolicy\":{\"whenDeleted\":\"Delete\","
	       "\"whenScaled\":\"delete\"}",
		"InvalidRetentionPolicy", false, "whenScaled \"delete\"" },
	{ "\"serviceName\":\"svc\",\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}},"
	  "\"template\":" GIVEN_TEMPLATE,
		"InvalidClusterName", false, "name a Cluster" },
	{ "\"clusterName\":\"c\",\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}},"
	  "\"template\":" GIVEN_TEMPLATE,
		"InvalidServiceName", false, "headless" },
	{ "\"clusterName\":\"C_1\",\"serviceName\":\"svc\",\"selector\":{\"matchLabels\":{"
	  "\"app\":\"slurmd\"}},\"template\":" GIVEN_TEMPLATE,
		"InvalidClusterName", false, "\"C_1\" is no name of a Cluster" },
	{ "\"clusterName\":\"c\",\"serviceName\":\"a.b\",\"selector\":{\"matchLabels\":{"
	  "\"app\":\"slurmd\"}},\"template\":" GIVEN_TEMPLATE,
		"InvalidServiceName", false, "\"a.b\" is no name of a Service" },
	{ "\"clusterName\":\"c\",\"serviceName\":\"s\",\"selector\":{\"matchLabels\":{"
	  "\"app\":\"x\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{"
	  "\"restartPolicy\":\"never\",\"containers\":[{}]}}",
		"InvalidRestartPolicy", false, "\"never\"; it must be Always" },
	{ "\"clusterName\":\"c\",\"serviceName\":\"s\",\"selector\":{},"
	  "\"template\":" GIVEN_TEMPLATE,
		"SelectingAll", true, "every pod of namespace ns" },
	{ "\"clusterName\":\"c\",\"serviceName\":\"s\",\"selector\":{\"matchLabels\":{"
	  "\"app\":\"x\"}},\"template\":" GIVEN_TEMPLATE,
		"SelectorMismatch", true, "does not match" },
};

static void test_each_fault_has_its_reason_and_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(faulty); i++) {
		WORLD(g);
		struct fault faults[NODESET_MAX_FAULTS];
		struct nodeset n = nodeset_of(&g, faulty[i].spec);
		assert_int_equal(nodeset_faults(&n, faults), 1);
		assert_string_equal(faults[0].reason, faulty[i].reason);
		assert_int_equal(faults[0].fatal, faulty[i].fatal);
		assert_int_equal(faults[0].err.kind, ERR_INVALID);
		assert_non_null(strstr(faults[0].err.text, faulty[i].says));
	}
}

static void test_name_must_leave_room_for_the_ordinal(void **state)
{
	(void)state;
	static const struct {
		int length, replicas;
		bool good;
	} rows[] = { { 61, 10, true }, { 61, 11, false }, { 62, 1, false }, { 57, 65536, true },
		{ 58, 65536, false } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		struct nodeset n;
		struct fault faults[NODESET_MAX_FAULTS];
		char name[80] = "";
		memset(name, 'a', (size_t)rows[i].length);
		nodeset_read(given_json(&g,
				     arena_printf(&g.arena,
					     "{\"metadata\":{\"name\":\"%s\"},\"spec\":{" GOOD
					     ",\"replicas\":%d}}",
					     name, rows[i].replicas)),
			&n);
		assert_int_equal(nodeset_faults(&n, faults), !rows[i].good);
	}
}

#define NAMED(name, spec)                                                                         \
	"{\"metadata\":{\"name\":\"" name                                                         \
	"\"},\"spec\":{\"clusterName\":\"c\",\"serviceName\":\"s\",\"replicas\":11,"              \
	"\"selector\":{\"matchLabels\":{\"app\":\"x\"}},\"template\":{\"metadata\":{\"labels\":{" \
	"\"app\":\"x\"}},\"spec\":{\"containers\":[{}]" spec "}}}}"
#define SIXTY "abcdefghij-abcdefghij-abcdefghij-abcdefghij-abcdefghij-abcde"

static void test_host_names_that_kubernetes_would_refuse_are_a_fault(void **state)
{
	(void)state;
	static const struct {
		const char *object, *says;
	} rows[] = {
		{ NAMED("foo", ""), NULL },
		{ NAMED("f.oo", ""), "the name f.oo gives pods host names such as f.oo-0" },
		{ NAMED("f.oo", ",\"hostname\":\"foo-\""), NULL },
		{ NAMED("foo", ",\"hostname\":\"radar\""), NULL },
		{ NAMED("foo", ",\"hostname\":\"ra.dar-\""),
			"spec.template.spec.hostname gives pods host names such as ra.dar-0" },
		{ NAMED("foo", ",\"hostname\":\"Radar-\""), "lower-case" },
		{ NAMED("foo", ",\"hostname\":\"ra_dar-\""), "such as ra_dar-0" },
		{ NAMED("foo", ",\"hostname\":\"-radar\""), "such as -radar0" },
		{ NAMED("foo", ",\"hostname\":\"" SIXTY "-\""), NULL },
		{ NAMED("foo", ",\"hostname\":\"" SIXTY "a-\""), "63" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		struct nodeset n;
		struct fault faults[NODESET_MAX_FAULTS];
		nodeset_read(given_json(&g, rows[i].object), &n);
		assert_int_equal(nodeset_faults(&n, faults), rows[i].says != NULL);
		if (!rows[i].says)
			continue;
		assert_string_equal(faults[0].reason, "InvalidHostName");
		assert_true(faults[0].fatal);
		if (!strstr(faults[0].err.text, rows[i].says))
			fail_msg("\"%s\" lacks \"%s\"", faults[0].err.text, rows[i].says);
	}
}

static void test_wishes_in_the_metadata(void **state)
{
	(void)state;
	WORLD(g);
	struct nodeset n;
	nodeset_read(given_json(&g,
			     "{\"metadata\":{\"finalizers\":[\"a\",\"" FINALIZER_DRAIN
			     "\"],\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
			     "\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"true\"}}}"),
		&n);
	assert_true(n.deleting && n.has_finalizer && n.release_now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_nothing_at_all_is_read_without_harm),
		cmocka_unit_test(test_max_unavailable_forms),
		cmocka_unit_test(test_a_good_one_has_no_fault),
		cmocka_unit_test(test_each_fault_has_its_reason_and_sentence),
		cmocka_unit_test(test_name_must_leave_room_for_the_ordinal),
		cmocka_unit_test(test_host_names_that_kubernetes_would_refuse_are_a_fault),
		cmocka_unit_test(test_wishes_in_the_metadata),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
