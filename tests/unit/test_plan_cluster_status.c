/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a Cluster. */
#include "lib/given.h"
#include "plan/cluster/plan.h"

static const struct action *when_cluster_planned(struct given *g, const char *status)
{
	const char *text = arena_printf(&g->arena,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\",\"uid\":\"u\","
		"\"resourceVersion\":\"3\",\"generation\":1},\"status\":%s}",
		status);
	struct cluster_view view = { .object = given_json(g, text),
		.link = { .secret = YES,
			.checked = true,
			.health = SLURM_UP,
			.version = "v0.0.42",
			.trouble = "", }, };
	g->plan = (struct plan){ .arena = &g->arena };
	cluster_plan(&view, GIVEN_NOW_MS, GIVEN_WALL_MS, &g->plan);
	return then(g, DO(PATCH_STATUS, CLUSTER), "slurm");
}

/*
 * The list of conditions is replaced as a whole: one that somebody else adds at this
 * moment must make the patch fail.
 */
static void test_status_is_written_over_the_version_it_was_made_from(void **state)
{
	(void)state;
	WORLD(g);
	g.d = jdoc_new(&g.arena);
	const struct action *a = when_cluster_planned(&g,
		"{\"conditions\":[{\"type\":\"example.com/Seen\",\"status\":\"True\"}]}");
	const struct json *body = given_json(&g, a->body);
	assert_string_equal(json_str(json_at(body, "metadata", "resourceVersion"), ""), "3");
	assert_string_equal(json_str(json_at(body, "metadata", "uid"), ""), "u");
	assert_int_equal(json_count(json_at(body, "status", "conditions")), 2);
}

static void test_the_trouble_of_a_cluster_is_empty_while_it_is_ready(void **state)
{
	(void)state;
	static const struct {
		enum slurm_health health;
		const char *trouble;
	} rows[] = { { SLURM_UP, "" }, { SLURM_CTLD_DOWN, "ControllerDown" } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		g.d = jdoc_new(&g.arena);
		struct cluster_view view = {
			.object = given_json(&g,
				"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\"},"
				"\"spec\":{\"server\":\"http://s:1\","
				"\"token\":{\"secretRef\":\"t\"}}}"),
			.link = { .secret = YES,
				.checked = true,
				.health = rows[i].health,
				.version = "v0.0.42",
				.trouble = "", },
		};
		g.plan = (struct plan){ .arena = &g.arena };
		cluster_plan(&view, GIVEN_NOW_MS, GIVEN_WALL_MS, &g.plan);
		const struct json *body = given_json(&g,
			then(&g, DO(PATCH_STATUS, CLUSTER), "slurm")->body);
		assert_string_equal(json_str(json_at(body, "status", "trouble"), "?"),
			rows[i].trouble);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_is_written_over_the_version_it_was_made_from),
		cmocka_unit_test(test_the_trouble_of_a_cluster_is_empty_while_it_is_ready),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
