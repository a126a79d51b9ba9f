/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How deep a NodeSet may be nested, and how large: a template that is taken has a
 * revision that can be read whole, by a list and by a watch. A revision that cannot would
 * be created again without end.
 */
#include "lib/given.h"
#include "engine/store/trim.h"
#include "json/build.h"
#include "object/metadata.h"

/* A template with so many levels in all. */
static void given_a_template(struct given *g, int levels)
{
	AUTO(str_free) struct str spec = { 0 };
	str_add(&spec,
		"\"replicas\":1,\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},"
		"\"spec\":{\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\"}],"
		"\"junk\":");
	for (int i = 2; i < levels; i++)
		str_add(&spec, "[");
	for (int i = 2; i < levels; i++)
		str_add(&spec, "]");
	str_add(&spec, "}}");
	given_nodeset(g, str_text(&spec));
	g->n_revisions = 0;
}

static void test_the_deepest_template_has_a_revision_that_can_be_read_whole(void **state)
{
	(void)state;
	WORLD(g);
	given_a_template(&g, JSON_OBJECT_DEPTH - 3);
	when_planned(&g);
	const char *body = then(&g, DO(CREATE, REVISION), NULL)->body;
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse_cut(body, strlen(body), SIZE_MAX, &doc)));
	assert_false(json_is_cut(json_root(doc)));
}

static void test_of_a_deeper_one_nothing_is_made(void **state)
{
	(void)state;
	WORLD(g);
	given_a_template(&g, JSON_OBJECT_DEPTH - 2);
	when_planned(&g);
	then_no(&g, DO(CREATE, REVISION), NULL);
	then_no(&g, DO(CREATE, POD), NULL);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "NestedTooDeep");
}

/* A NodeSet that the store keeps in part is not touched, nor are its own pods. */
/* Acceptance: removal-21 */
static void test_of_one_that_is_too_large_nothing_is_made(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	given_pods(&g, 1);
	given_edited(&g, "{\"" JSON_CUT "\":true,\"" OBJECT_LARGE "\":true}");
	when_planned(&g);
	then_no(&g, DO(CREATE, POD), NULL);
	then_no(&g, DO(DELETE, POD), NULL);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "TooLarge");
	then_says(&g, "Degraded", "256 kB");
}

/* Acceptance: removal-21 */
static void test_in_a_namespace_without_room_nothing_is_touched(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":3");
	given_pods(&g, 2);
	given_old(&g.pods[0]);
	g.n_revisions = 0; /* cut */
	g.in_short = true;
	when_planned(&g);
	then_no(&g, DO(CREATE, REVISION), NULL);
	then_no(&g, DO(CREATE, POD), NULL);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(DELETE, POD), NULL);
	when_settled(&g);
	then_condition(&g, "Degraded", "True", "NamespaceTooLarge");
	then_says(&g, "Degraded", "share");
}

static const struct json *in_part(struct given *g, const struct json *whole)
{
	assert_true(g->n_docs < GIVEN_DOCS);
	return json_root(g->docs[g->n_docs++] = object_trimmed(RES_NODESET, whole,
				 resource_rows[RES_NODESET].usual_kb << 10));
}

/* The NodeSet ran, and has all of its conditions, and one of another owner. */
static void given_a_large_one_at_rest(struct given *g)
{
	AUTO(str_free) struct str spec = { 0 };
	str_addf(&spec,
		"\"replicas\":2,\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},"
		"\"spec\":{\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\","
		"\"args\":[\"%0100000d\"]}]}}",
		0);
	given_nodeset(g, str_text(&spec));
	given_pods(g, 2);
	when_settled(g);
	struct jval *o = j_copy(g->d, g->object);
	struct jval *list = j_get(j_get(o, "status"), "conditions");
	j_set_str(g->d, j_child(g->d, j_get(o, "metadata"), "annotations"),
		"kubectl.kubernetes.io/last-applied-configuration", str_text(&spec));
	j_push(g->d, list,
		j_copy(g->d,
			given_json(g,
				"{\"type\":\"Theirs\",\"status\":\"True\",\"reason\":"
				"\"Theirs\"}")));
	g->object = given_json(g, j_text(g->d, o));
}

/* How many of so many plans write it. */
static int when_planned_without_room(struct given *g, int times)
{
	int writes = 0;
	g->in_short = true;
	for (int i = 0; i < times; i++) {
		const struct json *whole = g->object;
		g->object = in_part(g, whole);
		when_planned(g);
		g->object = whole;
		const struct action *a = find_action(g, DO(PATCH_STATUS, NODESET), NULL);
		writes += a && when_applied(g, a);
		g->wall_ms += 5000;
	}
	return writes;
}

/* Each write would be the reason for the next one. */
static void test_that_a_namespace_has_no_room_is_written_once(void **state)
{
	(void)state;
	WORLD(g);
	given_a_large_one_at_rest(&g);
	assert_int_equal(when_planned_without_room(&g, 3), 1);
	then_condition(&g, "Degraded", "True", "NamespaceTooLarge");
	assert_string_equal(condition_member(&g, "Theirs", "status"), "True");
}

static void test_bad_input_conditions_of_others_that_do_not_fit_are_not_lost(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(str_free) struct str status = { 0 };
	str_add(&status, "{\"status\":{\"conditions\":[{\"type\":\"Theirs\",\"status\":\"True\"}");
	for (int i = 0; i < 1000; i++)
		str_addf(&status, ",{\"type\":\"Theirs-%d\",\"status\":\"True\"}", i);
	str_add(&status, "]}}");
	given_a_large_one_at_rest(&g);
	given_edited(&g, str_text(&status));
	assert_int_equal(when_planned_without_room(&g, 3), 0);
	assert_string_equal(condition_member(&g, "Theirs", "status"), "True");
}

/* The label of the selector may be among those that are not kept, and so may the hash. */
static void test_a_pod_that_is_known_in_part_stays(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":2");
	given_pods(&g, 2);
	g.pods[1].fact.n_labels = 0;
	g.pods[1].fact.cut = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
	then_no(&g, DO(DELETE, POD), NULL);
	then_no(&g, DO(CREATE, POD), NULL);
}

/* The label that keeps it apart may be among those that are not kept. */
static void test_a_pod_of_nobody_that_is_known_in_part_is_not_adopted(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g,
		"\"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"},"
		"\"matchExpressions\":[{\"key\":\"theirs\",\"operator\":\"DoesNotExist\"}]}");
	given_orphan(given_pod(&g, 0));
	when_planned(&g);
	then(&g, DO(PATCH, POD), "foo-0");
	g.pods[0].fact.cut = true;
	when_planned(&g);
	then_no(&g, DO(PATCH, POD), NULL);
}

static void given_a_claim_that_is_cut(struct given *g)
{
	given_claim(g, "data-foo-0",
		OWNED_BY("StatefulSet", "db", "u-db", "true") ",\"labels\":{\"a\":\"b\"}");
	AUTO(own_free) char *text = json_text(g->claims[0].object, NULL);
	AUTO(str_free) struct str cut = { 0 };
	str_addf(&cut, "{\"" JSON_CUT "\":true,%s", text + 1);
	g->claims[0].object = given_json(g, str_text(&cut));
}

/* A patch of its owners would take away the unknown ones. */
static void test_a_claim_that_is_known_in_part_is_let_be(void **state)
{
	(void)state;
	WORLD(g);
	given_nodeset(&g, "\"replicas\":0," TEMPLATES "," POLICY("Delete", "Delete"));
	given_pods(&g, 1);
	given_leaving(&g.pods[0], DRAINED);
	given_mounted(&g.pods[0], "data", "data-foo-0");
	given_a_claim_that_is_cut(&g);
	when_settled(&g);
	then_no(&g, DO(PATCH, PVC), NULL);
	then(&g, DO(DELETE, POD), "foo-0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_deepest_template_has_a_revision_that_can_be_read_whole),
		cmocka_unit_test(test_of_a_deeper_one_nothing_is_made),
		cmocka_unit_test(test_of_one_that_is_too_large_nothing_is_made),
		cmocka_unit_test(test_in_a_namespace_without_room_nothing_is_touched),
		cmocka_unit_test(test_that_a_namespace_has_no_room_is_written_once),
		cmocka_unit_test(test_bad_input_conditions_of_others_that_do_not_fit_are_not_lost),
		cmocka_unit_test(test_a_pod_that_is_known_in_part_stays),
		cmocka_unit_test(test_a_pod_of_nobody_that_is_known_in_part_is_not_adopted),
		cmocka_unit_test(test_a_claim_that_is_known_in_part_is_let_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
