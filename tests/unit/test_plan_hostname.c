/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod's host name is believed only when this NodeSet gives it: it names the Slurm node
 * that is drained.
 */
#include "unit/given.h"

#define RADAR                                                                                  \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},\"spec\":{\"hostname\":" \
	"\"radar-\",\"containers\":[{\"name\":\"slurmd\",\"image\":\"slurmd:1\"}]}}"

/* The template of every NodeSet here gives radar-N. */
static void given_radar(struct given *g, int replicas, const char *metadata)
{
	given_nodeset(g, "");
	g->n_revisions = 0;
	g->object = given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\","
			"\"resourceVersion\":\"7\","
			"\"generation\":1,%s},\"spec\":{\"replicas\":%d,\"clusterName\":\"slurm\","
			"\"serviceName\":\"svc\",\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}"
			"}," RADAR "}}",
			metadata, replicas));
	given_newest_revision(g, 1);
}

static struct given_pod *given_called(struct given *g, int ordinal, const char *hostname)
{
	struct given_pod *p = given_pod(g, ordinal);
	p->fact.hostname = hostname;
	return p;
}

static void test_host_names_that_the_nodeset_gives_are_believed(void **state)
{
	(void)state;
	static const char *const good[] = { "radar-0", "foo-0", "", "older0" };
	for (size_t i = 0; i < LENGTH(good); i++) {
		WORLD(g);
		given_radar(&g, 1, GIVEN_FINALIZER);
		given_revision(&g, "older", 0,
			"{\"spec\":{\"template\":{\"$patch\":\"replace\",\"spec\":{\"hostname\":"
			"\"older\"}}}}");
		given_called(&g, 0, good[i]);
		when_settled(&g);
		then_condition(&g, "Degraded", "False", "AsExpected");
	}
}

static void test_orphan_with_a_host_name_of_its_own_is_not_adopted(void **state)
{
	(void)state;
	static const char *const bad[] = { "big-metal-17", "radar-1", "radar-00", "radar-",
		"radar-0x", "foo-1" };
	for (size_t i = 0; i < LENGTH(bad); i++) {
		WORLD(g);
		given_radar(&g, 2, GIVEN_FINALIZER);
		given_called(&g, 0, bad[i])->fact.controller = (struct owner_fact){ "", "", "",
			false };
		when_settled(&g);
		then_no(&g, ACT_PATCH_POD, NULL);
		/* Its name is taken all the same. */
		then(&g, ACT_CREATE_POD, "foo-1");
		then(&g, ACT_CREATE_POD, "foo-2");
	}
}

static void test_nothing_is_done_in_slurm_for_a_pod_of_ours_with_a_strange_host_name(void **state)
{
	(void)state;
	/*
	 * It is to go; it stays and is cordoned; it stays and its node is drained by us;
	 * it stays, and nothing else.
	 */
	for (int i = 0; i < 4; i++) {
		WORLD(g);
		given_radar(&g, i ? 1 : 0, GIVEN_FINALIZER);
		struct given_pod *p = given_called(&g, 0, "big-metal-17");
		p->node.comment = "";
		if (i == 0)
			given_our_cordon(p);
		if (i == 1)
			given_annotation(p, ANNOTATION_POD_CORDON, "true");
		if (i == 2)
			given_node(p, NODE_IDLE | NODE_DRAIN, OUR_REASON);
		when_settled(&g);
		then_no(&g, ACT_DRAIN_NODES, NULL);
		then_no(&g, ACT_UNDRAIN_NODES, NULL);
		then_no(&g, ACT_COMMENT_NODE, NULL);
		then_no(&g, ACT_DELETE_POD, NULL);
		then_condition(&g, "Degraded", "True", "StrangeHostName");
		const char *text = condition_member(&g, "Degraded", "message");
		assert_non_null(strstr(text, "foo-0"));
		assert_non_null(strstr(text, "big-metal-17"));
		if (i == 0)
			then_condition(&g, "Draining", "True", "NodeUnclear");
	}
}

static void test_drained_node_of_that_name_does_not_let_the_pod_go(void **state)
{
	(void)state;
	WORLD(g);
	given_radar(&g, 0, GIVEN_FINALIZER);
	struct given_pod *p = given_called(&g, 0, "big-metal-17");
	given_our_cordon(p);
	given_node(p, NODE_IDLE | NODE_DRAIN, OUR_REASON);
	when_settled(&g);
	then_nothing(&g);
	given_absent(&g, p, 3600000);
	when_settled(&g);
	then_nothing(&g);
}

static void test_revision_that_is_nobodys_gives_no_name(void **state)
{
	(void)state;
	WORLD(g);
	given_radar(&g, 1, GIVEN_FINALIZER);
	given_revision(&g, "theirs", 0,
		"{\"spec\":{\"template\":{\"$patch\":\"replace\",\"spec\":{\"hostname\":\"big-"
		"metal-1\"}}}}");
	struct jval *o = j_copy(g.d, g.revisions[1].object);
	j_del(j_get(o, "metadata"), "ownerReferences");
	g.revisions[1].object = given_json(&g, j_text(g.d, o));
	given_called(&g, 0, "big-metal-10");
	when_planned(&g);
	assert_non_null(strstr(then(&g, ACT_PATCH_STATUS, "foo")->body, "StrangeHostName"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_names_that_the_nodeset_gives_are_believed),
		cmocka_unit_test(test_orphan_with_a_host_name_of_its_own_is_not_adopted),
		cmocka_unit_test(
			test_nothing_is_done_in_slurm_for_a_pod_of_ours_with_a_strange_host_name),
		cmocka_unit_test(test_drained_node_of_that_name_does_not_let_the_pod_go),
		cmocka_unit_test(test_revision_that_is_nobodys_gives_no_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
