/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a Cluster. */
#include "lib/given.h"
#include "json/build.h"
#include "object/condition.h"
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
 * The list of conditions is replaced as a whole: one that another client adds at this
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

#define REFUSED "Slurm cannot read the new configuration: slurm.conf line 31: X=1"

/* A Cluster with a slurmctld that has refused its configuration, or not. */
static const struct json *when_planned_beside(struct given *g, struct pod_fact *slurmctld,
	const char *status, bool pods_known)
{
	struct cluster_view view = { .object = given_json(g,
					     arena_printf(&g->arena,
						     "{\"metadata\":{\"namespace\":\"ns\","
						     "\"name\":\"slurm\"},\"spec\":{"
						     "\"server\":\"https://s:1\",\"token\":{"
						     "\"secretRef\":\"t\"}},\"status\":%s}",
						     status)),
		.link = { .secret = YES,
			.checked = true,
			.health = SLURM_UP,
			.version = "v0.0.42",
			.trouble = "", },
		.pods_known = pods_known,
	};
	if (slurmctld)
		chain_add(&view.chain, slurmctld);
	g->d = jdoc_new(&g->arena);
	g->plan = (struct plan){ .arena = &g->arena };
	cluster_plan(&view, GIVEN_NOW_MS, GIVEN_WALL_MS, &g->plan);
	return json_get(given_json(g, then(g, DO(PATCH_STATUS, CLUSTER), "slurm")->body), "status");
}

static struct pod_fact given_slurmctld(const char *refused)
{
	return (struct pod_fact){ .ns = "ns",
		.name = "c-0",
		.daemon = DAEMON_SLURMCTLD,
		.phase = POD_RUNNING,
		.ready = true,
		.refused = refused };
}

static const struct json *refused_in(const struct json *status)
{
	return condition_find(json_get(status, "conditions"), "ConfigurationRefused");
}

/* Jobs go on, so the Cluster is ready; the condition, TROUBLE and an Event say it. */
/* Acceptance: cluster-4 */
static void test_a_refused_configuration_is_a_trouble_of_a_ready_cluster(void **state)
{
	(void)state;
	WORLD(g);
	struct pod_fact slurmctld = given_slurmctld(REFUSED);
	const struct json *status = when_planned_beside(&g, &slurmctld, "{}", true),
			  *c = refused_in(status);
	assert_true(json_bool(json_get(status, "isReady"), false));
	assert_string_equal(json_str(json_get(status, "trouble"), "?"), "ConfigurationRefused");
	assert_true(condition_is(c, "True"));
	assert_string_equal(json_str(json_get(c, "message"), ""),
		REFUSED "; jobs go on; correct the configuration and apply it again (helm upgrade);"
			" see kubectl -n ns logs c-0 -c reconfigure");
	const struct action *event = then(&g, DO(TELL, EVENT), "slurm");
	assert_string_equal(event->reason, "ConfigurationRefused");
	assert_true(event->warning && event->with_status);
	/* No change of a pod wakes its Cluster. */
	assert_int_equal(g.plan.again_in_ms, 10000);
}

/* Acceptance: cluster-4 */
static void test_the_condition_goes_when_nothing_is_refused_any_more(void **state)
{
	(void)state;
	static const char was[] = "{\"trouble\":\"ConfigurationRefused\",\"conditions\":[{\"type\":"
				  "\"ConfigurationRefused\",\"status\":\"True\",\"reason\":"
				  "\"ConfigurationRefused\",\"message\":\"x\"}]}";
	static const struct {
		const char *refused; /* NULL: no pod */
		bool pods_known, stays;
	} rows[] = {
		{ "", true, false },
		{ NULL, true, false },
		{ REFUSED, true, true },
		/* A manager that has just begun */
		{ NULL, false, true },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		struct pod_fact slurmctld = given_slurmctld(rows[i].refused);
		const struct json *status = when_planned_beside(&g,
			rows[i].refused ? &slurmctld : NULL, was, rows[i].pods_known);
		assert_int_equal(refused_in(status) != NULL, rows[i].stays);
		assert_string_equal(json_str(json_get(status, "trouble"), "?"),
			rows[i].stays ? "ConfigurationRefused" : "");
		then_no(&g, DO(TELL, EVENT), "slurm");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_is_written_over_the_version_it_was_made_from),
		cmocka_unit_test(test_the_trouble_of_a_cluster_is_empty_while_it_is_ready),
		cmocka_unit_test(test_a_refused_configuration_is_a_trouble_of_a_ready_cluster),
		cmocka_unit_test(test_the_condition_goes_when_nothing_is_refused_any_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
