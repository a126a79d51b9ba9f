/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who may create pods in the namespace may write any host name into one, also that
 * of a machine which is no pod: nothing is done in Slurm for a name that the NodeSet does
 * not give.
 */
#include "lib/given.h"
#include "json/build.h"

#define TEMPLATE(prefix)                                                                       \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},\"spec\":{\"hostname\":" \
	"\"" prefix "\",\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\"}]}}"

/* The template gives radar-N. */
static void given_radar(struct given *g, int replicas)
{
	given_nodeset(g, arena_printf(&g->arena, "\"replicas\":%d," TEMPLATE("radar-"), replicas));
	g->n_revisions = 0;
	given_newest_revision(g, 1);
}

static void given_older_revision(struct given *g, const char *name, const char *prefix)
{
	given_revision(g, name, 0,
		arena_printf(&g->arena,
			"{\"spec\":{\"template\":{\"$patch\":\"replace\",\"spec\":{\"hostname\":\"%"
			"s\"}}}}",
			prefix));
}

static struct given_pod *given_called(struct given *g, const char *hostname)
{
	struct given_pod *p = given_pod(g, 0);
	p->fact.hostname = hostname;
	return p;
}

/* Acceptance: removal-23 */
static void test_host_names_that_the_nodeset_gives_are_believed(void **state)
{
	(void)state;
	static const char *const good[] = { "radar-0", "foo-0", "", "older0" };
	for (size_t i = 0; i < LENGTH(good); i++) {
		WORLD(g);
		given_radar(&g, 1);
		given_older_revision(&g, "older", "older");
		given_called(&g, good[i]);
		when_settled(&g);
		then_says_not(&g, "Degraded", "big-metal-17");
		assert_string_not_equal(condition_member(&g, "Degraded", "reason"),
			"StrangeHostName");
	}
}

/* The name is taken all the same. */
/* Acceptance: removal-23 */
static void test_an_orphan_with_a_host_name_of_its_own_is_not_adopted(void **state)
{
	(void)state;
	static const char *const bad[] = { "big-metal-17", "radar-1", "radar-00", "radar-",
		"radar-0x", "foo-1" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		WORLD(g);
		given_radar(&g, 2);
		given_orphan(given_called(&g, bad[i]));
		when_settled(&g);
		then_no(&g, DO(PATCH, POD), NULL);
		then_no(&g, DO(CREATE, POD), "foo-0");
		then(&g, DO(CREATE, POD), "foo-1");
	}
}

static void nothing_is_done_in_slurm(struct given *g)
{
	then_no(g, DO(DRAIN, SLURM_NODE), NULL);
	then_no(g, DO(UNDRAIN, SLURM_NODE), NULL);
	then_no(g, DO(COMMENT, SLURM_NODE), NULL);
	then_no(g, DO(DELETE, POD), NULL);
	then_condition(g, "Degraded", "True", "StrangeHostName");
	then_says(g, "Degraded", "foo-0");
	then_says(g, "Degraded", "big-metal-17");
}

enum { IT_IS_TO_GO, IT_IS_CORDONED, ITS_NODE_IS_DRAINED_BY_US, IT_JUST_STAYS, WAYS };

/* Acceptance: removal-23 */
static void test_nothing_is_done_in_slurm_for_a_pod_with_a_strange_host_name(void **state)
{
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		WORLD(g);
		given_radar(&g, way == IT_IS_TO_GO ? 0 : 1);
		struct given_pod *p = given_called(&g, "big-metal-17");
		p->node.comment = "";
		if (way == IT_IS_TO_GO)
			given_our_cordon(p);
		if (way == IT_IS_CORDONED)
			given_annotation(p, ANNOTATION_POD_CORDON, "true");
		if (way == ITS_NODE_IS_DRAINED_BY_US)
			given_node(p, NODE_IDLE | NODE_DRAIN, OUR_REASON);
		when_settled(&g);
		nothing_is_done_in_slurm(&g);
	}
}

/* Acceptance: removal-23 */
static void test_a_drained_node_of_a_strange_name_lets_no_pod_go(void **state)
{
	(void)state;
	WORLD(g);
	given_radar(&g, 0);
	struct given_pod *p = given_called(&g, "big-metal-17");
	given_leaving(p, DRAINED);
	when_settled(&g);
	nothing_is_done_in_slurm(&g);
	given_absent(&g, p, 3600000);
	when_settled(&g);
	nothing_is_done_in_slurm(&g);
}

/* Acceptance: removal-23 */
static void test_a_revision_that_is_nobodys_gives_no_name(void **state)
{
	(void)state;
	WORLD(g);
	given_radar(&g, 1);
	given_older_revision(&g, "theirs", "big-metal-1");
	struct jval *o = j_copy(g.d, g.revisions[1].object);
	j_del(j_get(o, "metadata"), "ownerReferences");
	g.revisions[1].object = given_json(&g, j_text(g.d, o));
	given_called(&g, "big-metal-10");
	when_planned(&g);
	assert_non_null(strstr(then(&g, DO(PATCH_STATUS, NODESET), "foo")->body,
		"StrangeHostName"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_names_that_the_nodeset_gives_are_believed),
		cmocka_unit_test(test_an_orphan_with_a_host_name_of_its_own_is_not_adopted),
		cmocka_unit_test(test_nothing_is_done_in_slurm_for_a_pod_with_a_strange_host_name),
		cmocka_unit_test(test_a_drained_node_of_a_strange_name_lets_no_pod_go),
		cmocka_unit_test(test_a_revision_that_is_nobodys_gives_no_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
