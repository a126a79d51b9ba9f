/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How deep a NodeSet may be nested, and how large: a template that is taken has a
 * revision that can be read whole, by a list and by a watch. One that is not would be
 * made again without end.
 */
#include "lib/given.h"
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

/* Of one that the store keeps in part, and of its own pods, nothing is touched. */
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

static void given_a_claim_that_is_cut(struct given *g)
{
	given_claim(g, "data-foo-0",
		OWNED_BY("StatefulSet", "db", "u-db", "true") ",\"labels\":{\"a\":\"b\"}");
	AUTO(own_free) char *text = json_text(g->claims[0].object, NULL);
	AUTO(str_free) struct str cut = { 0 };
	str_addf(&cut, "{\"" JSON_CUT "\":true,%s", text + 1);
	g->claims[0].object = given_json(g, str_text(&cut));
}

/* A patch of its owners would take away those that nobody knows. */
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
		cmocka_unit_test(test_a_claim_that_is_known_in_part_is_let_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
