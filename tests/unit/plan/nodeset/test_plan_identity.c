/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods are the NodeSet's own: names, labels and owners. */
#include "lib/given.h"
#include "plan/nodeset/claim.h"

/* Acceptance: nodeset-7 */
static void test_ordinal_of_a_pod_name(void **state)
{
	(void)state;
	static const struct {
		const char *set, *pod;
		int64_t ordinal;
	} rows[] = {
		{ "foo", "foo-0", 0 },
		{ "foo-bar", "foo-bar-12", 12 },
		{ "foo", "foo-bar-12", -1 },
		{ "foo", "foo", -1 },
		{ "foo", "foo-", -1 },
		{ "foo", "foo-01", -1 },
		{ "foo", "foo--1", -1 },
		{ "foo", "foo-x", -1 },
		{ "f.o", "foo-1", -1 },
		{ "foo", "foo-1x", -1 },
		{ "foo", "fo-1", -1 },
		{ "foo", "foo-99999999999999999999", -1 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(pod_ordinal(rows[i].set, rows[i].pod), rows[i].ordinal);
}

static void test_decide_claim_table(void **state)
{
	(void)state;
	static const struct {
		struct claim_facts f;
		enum claim claim;
	} rows[] = {
		{ { .controlled = true, .fits = true, .sent = true }, CLAIM_OURS },
		{ { .controlled = true, .sent = true }, CLAIM_RELEASE },
		{ { .controlled = true, .terminating = true, .sent = true }, CLAIM_IGNORE },
		{ { .controlled = true, .fits = true, .terminating = true, .sent = true },
			CLAIM_OURS },
		{ { .controlled = true, .deleting = true, .invalid = true, .sent = true },
			CLAIM_OURS },
		{ { .fits = true, .sent = true }, CLAIM_ADOPT },
		{ { .fits = true, .sent = true, .terminating = true }, CLAIM_IGNORE },
		{ { .fits = true, .sent = true, .deleting = true }, CLAIM_IGNORE },
		{ { .fits = true }, CLAIM_IGNORE },
		{ { .sent = true }, CLAIM_IGNORE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(decide_claim(&rows[i].f), rows[i].claim);
}

/* Acceptance: nodeset-9 */
static void test_foo_does_not_take_pods_of_foo_bar(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0");
	given_pod_named(&g, "foo-bar-0")->fact.controller = (struct owner_fact){ "", "", "",
		false };
	given_pod_named(&g, "foo-bar-1")->fact.controller = (struct owner_fact){ "NodeSet",
		"foo-bar", "other", true };
	when_settled(&g);
	then_nothing(&g);
	assert_int_equal(status_of(&g, "replicas"), 0);
}

/* Acceptance: nodeset-8 */
static void test_orphan_that_fits_is_adopted_and_counts(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_orphan(given_pod(&g, 0));
	when_planned(&g);
	const struct action *a = then(&g, DO(PATCH, POD), "foo-0");
	assert_non_null(strstr(a->body, "\"uid\":\"set\""));
	assert_string_equal(a->guard.resource_version, "3");
	then_no(&g, DO(CREATE, POD), NULL);
}

/*
 * With one owner it would go with the NodeSet, if that is deleted while the adoption is
 * on its way.
 */
static void test_orphan_is_adopted_when_its_second_owner_is_known(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_orphan(given_pod(&g, 0));
	g.namespace_uid = NULL;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
}

/*
 * When a NodeSet goes, its revisions tell what becomes of its pods: they are its own
 * before the first pod is.
 */
static void test_orphan_is_adopted_when_the_revision_is_ours(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_orphan(given_pod(&g, 0));
	g.revisions[0].in_flight = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(CREATE, POD), NULL);
	g.revisions[0].in_flight = false;
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
}

/* Acceptance: nodeset-8 */
static void test_pod_whose_labels_were_changed_is_let_be_and_replaced(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	given_label(given_pod(&g, 0), "app", "debug-me");
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/0\"}"));
	/* The name is taken for as long as the pod is there. */
	then(&g, DO(CREATE, POD), "foo-1");
}

static void then_it_is_released_alone(struct given *g)
{
	const char *body = then(g, DO(PATCH, POD), "foo-0")->body;
	const char *second_owner = strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/2\"}");
	const char *set = strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/1\"}");
	assert_true(second_owner && set &&
		second_owner < set); /* the first removal must not move the second */
	assert_null(strstr(body, "/metadata/ownerReferences/0"));
	assert_non_null(strstr(body,
		"{\"op\":\"remove\",\"path\":\"/metadata/"
		"annotations/" ANNOTATION_NODESET_UID_ESCAPED "\"}"));
}

static void test_adoption_and_release_leave_other_owners_alone(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	g.namespace_uid = "ns-uid";
	struct given_pod *p = given_pod(&g, 0);
	given_orphan(p);
	p->fact.n_owners = 1; /* a ConfigMap, say */
	when_planned(&g);
	const char *body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"{\"op\":\"add\",\"path\":\"/metadata/ownerReferences/-\",\"value\":{"));
	assert_null(strstr(body, "\"path\":\"/metadata/ownerReferences\""));
	assert_non_null(strstr(body,
		"{\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"3\"}"));

	p->fact.n_owners = 0;
	when_planned(&g);
	body = then(&g, DO(PATCH, POD), "foo-0")->body;
	assert_non_null(strstr(body,
		"{\"op\":\"add\",\"path\":\"/metadata/ownerReferences\",\"value\":[]}"));

	/*
	 * The pod is ours, with a ConfigMap before and its Namespace behind, and does not
	 * fit any more.
	 */
	p->fact.controller = (struct owner_fact){ "NodeSet", "foo", "set", true };
	p->fact.second_owner_uid = "ns-uid";
	p->fact.n_owners = 3;
	p->fact.controller_at = 1;
	p->fact.second_owner_at = 2;
	given_label(p, "app", "other");
	given_annotation(p, ANNOTATION_NODESET_UID, "set");
	when_planned(&g);
	then_it_is_released_alone(&g);
}

static void test_name_of_another_controllers_pod_is_skipped_and_said(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_taken(&g, "foo-0", "StatefulSet", "foo");
	given_taken(&g, "foo-2", "StatefulSet", "foo");
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-1");
	then(&g, DO(CREATE, POD), "foo-3");
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 2);
	then_condition(&g, "Degraded", "True", "NamesTaken");
	const char *text = condition_member(&g, "Degraded", "message");
	assert_non_null(strstr(text, "foo-0, foo-2"));
	assert_non_null(strstr(text, "StatefulSet foo"));
	assert_true(g.plan.again_in_ms > 0); /* the end of those pods is unknown */
}

static void test_pod_of_an_earlier_nodeset_of_the_name_is_waited_for(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_taken(&g, "foo-0", "NodeSet", "foo");
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-1");
	assert_int_equal(count_actions(&g, DO(CREATE, POD)), 1);
	then_condition(&g, "Degraded", "True", "NamesTaken");
	then_condition(&g, "Progressing", "True", "ScalingOut");
	g.n_taken = 0;
	given_pod(&g, 1);
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-0");
	then_condition(&g, "Degraded", "False", "AsExpected");
}

static void test_many_taken_names_are_counted(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":1");
	for (int i = 0; i < 5; i++)
		given_taken(&g, arena_printf(&g.arena, "foo-%d", i), "StatefulSet", "foo");
	when_settled(&g);
	then(&g, DO(CREATE, POD), "foo-5");
	assert_non_null(strstr(condition_member(&g, "Degraded", "message"),
		"foo-0, foo-1, foo-2 and 2 more"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordinal_of_a_pod_name),
		cmocka_unit_test(test_decide_claim_table),
		cmocka_unit_test(test_foo_does_not_take_pods_of_foo_bar),
		cmocka_unit_test(test_orphan_that_fits_is_adopted_and_counts),
		cmocka_unit_test(test_orphan_is_adopted_when_its_second_owner_is_known),
		cmocka_unit_test(test_orphan_is_adopted_when_the_revision_is_ours),
		cmocka_unit_test(test_pod_whose_labels_were_changed_is_let_be_and_replaced),
		cmocka_unit_test(test_adoption_and_release_leave_other_owners_alone),
		cmocka_unit_test(test_name_of_another_controllers_pod_is_skipped_and_said),
		cmocka_unit_test(test_pod_of_an_earlier_nodeset_of_the_name_is_waited_for),
		cmocka_unit_test(test_many_taken_names_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
