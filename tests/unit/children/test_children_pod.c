/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of pods, revisions and claims. */
#include "lib/given.h"
#include "children/pvc.h"
#include "json/build.h"

static const struct json *built_for(struct given *g, const char *template, const char *more,
	const char *second_owner)
{
	struct nodeset n;
	nodeset_read(given_json(g,
			     arena_printf(&g->arena,
				     "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":"
				     "\"set\"},"
				     "\"spec\":{\"serviceName\":\"svc\",\"template\":%s%s}}",
				     template, more)),
		&n);
	return given_json(g,
		pod_build(g->d, &g->arena, &n, 4, "h4sh", (struct carry_over){ 0 }, second_owner));
}

static const struct json *built(struct given *g, const char *template, const char *more)
{
	return built_for(g, template, more, "");
}

static const char *at(const struct json *pod, const char *a, const char *b)
{
	return json_str(json_at(pod, a, b), "");
}

static void start(struct given *g) { g->d = jdoc_new(&g->arena); }

/* Acceptance: nodeset-7 */
static void test_identity_of_a_pod(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	const struct json *p = built(&g,
		"{\"metadata\":{\"labels\":{\"app\":\"slurmd\"},\"annotations\":{\"a\":\"b\"},"
		"\"finalizers\":[\"x/y\"],"
		"\"name\":\"no\"},"
		"\"spec\":{\"nodeName\":\"pinned\",\"containers\":[{\"name\":\"slurmd\"}]}}",
		"");
	assert_string_equal(at(p, "metadata", "name"), "foo-4");
	assert_string_equal(at(p, "metadata", "namespace"), "ns");
	const struct json *labels = json_at(p, "metadata", "labels");
	assert_string_equal(json_str(json_get(labels, "app"), ""), "slurmd");
	assert_string_equal(json_str(json_get(labels, LABEL_POD_NAME), ""), "foo-4");
	assert_string_equal(json_str(json_get(labels, LABEL_POD_INDEX), ""), "4");
	assert_string_equal(json_str(json_get(labels, LABEL_HASH), ""), "h4sh");
	assert_string_equal(json_str(json_at(p, "metadata", "annotations", "a"), ""), "b");
	assert_string_equal(json_str(json_at(p, "metadata", "annotations", ANNOTATION_NODESET_UID),
				    ""),
		"set");
	assert_int_equal(json_count(json_at(p, "metadata", "finalizers")), 1);
	assert_string_equal(at(p, "spec", "hostname"), "foo-4");
	assert_string_equal(at(p, "spec", "subdomain"), "svc");
	assert_null(json_at(p, "spec", "nodeName"));
	const struct json *owner = json_item(json_at(p, "metadata", "ownerReferences"), 0);
	assert_true(json_bool(json_get(owner, "controller"), false) &&
		json_bool(json_get(owner, "blockOwnerDeletion"), false));
	assert_string_equal(json_str(json_get(owner, "apiVersion"), ""),
		"slinky.slurm.net/v1alpha1");
}

static void test_a_pod_has_its_namespace_as_second_owner_as_soon_as_that_is_known(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	const struct json *owners = json_at(built(&g, "{\"spec\":{}}", ""), "metadata",
		"ownerReferences");
	assert_int_equal(json_count(owners), 1);
	owners = json_at(built_for(&g, "{\"spec\":{}}", "", "uid-of-ns"), "metadata",
		"ownerReferences");
	assert_int_equal(json_count(owners), 2);
	const struct json *second = json_item(owners, 1);
	assert_string_equal(json_str(json_get(second, "kind"), ""), "Namespace");
	assert_string_equal(json_str(json_get(second, "apiVersion"), ""), "v1");
	assert_string_equal(json_str(json_get(second, "name"), ""), "ns");
	assert_string_equal(json_str(json_get(second, "uid"), ""), "uid-of-ns");
	/* The Namespace is no controller: its deletion waits for no dependent. */
	assert_null(json_get(second, "controller"));
	assert_null(json_get(second, "blockOwnerDeletion"));
}

/* Acceptance: nodeset-7 */
static void test_host_name_comes_from_the_template_prefix(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	assert_string_equal(at(built(&g, "{\"spec\":{\"hostname\":\"radar-\",\"containers\":[]}}",
				       ""),
				    "spec", "hostname"),
		"radar-4");
	struct pod_fact f = { .name = "foo-4", .hostname = "radar-4" };
	assert_string_equal(pod_slurm_name(&f), "radar-4");
	f.hostname = "";
	assert_string_equal(pod_slurm_name(&f), "foo-4");
}

static size_t tolerations(const struct json *pod, const char *key)
{
	size_t n = 0;
	struct json_iter it = json_iter(json_at(pod, "spec", "tolerations"));
	while (json_next(&it))
		n += str_eq(json_str(json_get(it.value, "key"), ""), key);
	return n;
}

/* Acceptance: removal-10 */
static void test_tolerations_of_a_daemonset_are_added_once(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	const struct json *p = built(&g, "{\"spec\":{\"containers\":[]}}", "");
	assert_int_equal(json_count(json_at(p, "spec", "tolerations")), 5);
	assert_int_equal(tolerations(p, "node.kubernetes.io/unschedulable"), 0);
	assert_int_equal(tolerations(p, "node.kubernetes.io/network-unavailable"), 0);
	p = built(&g,
		"{\"spec\":{\"hostNetwork\":true,\"containers\":[],\"tolerations\":[{\"key\":"
		"\"gpu\",\"operator\":\"Exists\"},"
		"{\"key\":\"node.kubernetes.io/"
		"unreachable\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"}]}}",
		"");
	assert_int_equal(json_count(json_at(p, "spec", "tolerations")), 7);
	assert_int_equal(tolerations(p, "node.kubernetes.io/unreachable"), 1);
	assert_int_equal(tolerations(p, "gpu"), 1);
	/* A toleration for a while only is not the one that is needed. */
	p = built(&g,
		"{\"spec\":{\"containers\":[],\"tolerations\":[{\"key\":\"node.kubernetes.io/"
		"unreachable\",\"operator\":\"Exists\","
		"\"effect\":\"NoExecute\",\"tolerationSeconds\":5}]}}",
		"");
	assert_int_equal(tolerations(p, "node.kubernetes.io/unreachable"), 2);
}

/* Acceptance: claim-1 */
static void test_claims_become_volumes_and_win_over_the_templates(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	const struct json *p = built(&g,
		"{\"spec\":{\"containers\":[],\"volumes\":[{\"name\":\"data\",\"emptyDir\":{}},{"
		"\"name\":\"tmp\","
		"\"emptyDir\":{}}]}}",
		",\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},\"spec\":{}}]");
	const struct json *volumes = json_at(p, "spec", "volumes");
	assert_int_equal(json_count(volumes), 2);
	assert_string_equal(json_str(json_at(json_item(volumes, 0), "persistentVolumeClaim",
					     "claimName"),
				    ""),
		"data-foo-4");
	assert_string_equal(json_str(json_get(json_item(volumes, 1), "name"), ""), "tmp");
}

static void test_unknown_members_of_the_template_survive(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	const struct json *p = built(&g,
		"{\"spec\":{\"containers\":[{\"name\":\"slurmd\",\"future\":[1,{\"x\":null}]}],"
		"\"newField\":{\"a\":1.5}}}",
		"");
	AUTO(own_free) char *number = json_text(json_at(p, "spec", "newField", "a"), NULL);
	assert_string_equal(number, "1.5");
	assert_int_equal(json_count(json_get(json_item(json_at(p, "spec", "containers"), 0),
				 "future")),
		2);
}

static void test_claim_has_the_labels_of_template_and_selector(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	struct nodeset n;
	nodeset_read(
		given_json(&g,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\"},"
			"\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}},"
			"\"persistentVolumeClaimRetentionPolicy\":{\"whenDeleted\":\"Delete\","
			"\"whenScaled\":\"Retain\"},"
			"\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\","
			"\"labels\":{\"app\":\"theirs\",\"tier\":\"fast\"},\"annotations\":{\"a\":"
			"\"b\"}},\"spec\":{\"storageClassName\":\"ssd\"},\"status\":{}}]}}"),
		&n);
	const struct json *template = json_item(n.claim_templates, 0);
	assert_string_equal(pvc_name(&g.arena, template, "foo-4"), "data-foo-4");
	const struct json *c = given_json(&g, pvc_build(g.d, &n, template, "data-foo-4"));
	/* The selector wins */
	assert_string_equal(json_str(json_at(c, "metadata", "labels", "app"), ""), "slurmd");
	assert_string_equal(json_str(json_at(c, "metadata", "labels", "tier"), ""), "fast");
	assert_string_equal(json_str(json_at(c, "metadata", "annotations", "a"), ""), "b");
	/* The policy lets the manager give away claims with this mark only */
	assert_string_equal(json_str(json_at(c, "metadata", "annotations", ANNOTATION_NODESET_UID),
				    ""),
		"set");
	assert_string_equal(json_str(json_at(c, "spec", "storageClassName"), ""), "ssd");
	assert_null(json_get(c, "status"));
	assert_string_equal(json_str(json_get(json_item(json_at(c, "metadata", "ownerReferences"),
						      0),
					     "uid"),
				    ""),
		"set");
}

static void test_hash_is_stable_and_its_alphabet_safe(void **state)
{
	(void)state;
	WORLD(g);
	start(&g);
	const char *hash = revision_hash(&g.arena, "{\"spec\":{}}", 0);
	assert_string_equal(hash, revision_hash(&g.arena, "{\"spec\":{}}", 0));
	assert_string_not_equal(hash, revision_hash(&g.arena, "{\"spec\":{}}", 1));
	assert_int_equal(strspn(hash, "bcdfghjklmnpqrstvwxz2456789"), strlen(hash));
	assert_true(strlen(hash) <= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity_of_a_pod),
		cmocka_unit_test(
			test_a_pod_has_its_namespace_as_second_owner_as_soon_as_that_is_known),
		cmocka_unit_test(test_host_name_comes_from_the_template_prefix),
		cmocka_unit_test(test_tolerations_of_a_daemonset_are_added_once),
		cmocka_unit_test(test_claims_become_volumes_and_win_over_the_templates),
		cmocka_unit_test(test_unknown_members_of_the_template_survive),
		cmocka_unit_test(test_claim_has_the_labels_of_template_and_selector),
		cmocka_unit_test(test_hash_is_stable_and_its_alphabet_safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
