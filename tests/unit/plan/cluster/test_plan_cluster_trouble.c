/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and Events of a Cluster in trouble, and the time before the first Event. */
#include "base/time.h"
#include "lib/given.h"
#include "json/build.h"
#include "object/condition.h"
#include "plan/cluster/plan.h"

struct trouble_world {
	struct given g;
	struct cluster_view view;
};

static void world_end(struct trouble_world *w) { given_end(&w->g); }

#define CLUSTER(w) struct trouble_world w AUTO(world_end) = { 0 }

static void given_cluster(struct trouble_world *w, const char *metadata, const char *status)
{
	w->g.d = jdoc_new(&w->g.arena);
	w->view = (struct cluster_view){
		.object = given_json(&w->g,
			arena_printf(&w->g.arena,
				"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\"%s},"
				"\"spec\":{"
				"\"server\":\"https://h:1\",\"token\":{\"secretRef\":\"t\"}}%s}",
				metadata, status)),
		.link = { .secret = YES,
			.checked = true,
			.health = SLURM_UP,
			.version = "v0.0.42",
			.trouble = "" },
		.nodesets_known = true,
	};
}

/* Writes the status, when there is something to write. */
static void when_published(struct trouble_world *w)
{
	w->g.plan = (struct plan){ .arena = &w->g.arena };
	cluster_plan(&w->view, GIVEN_NOW_MS, GIVEN_WALL_MS, &w->g.plan);
	const struct action *a = find_action(&w->g, DO(PATCH_STATUS, CLUSTER), "slurm");
	w->g.object = w->view.object;
	if (a)
		when_applied(&w->g, a);
	w->view.object = w->g.object;
}

static void then_trouble(struct trouble_world *w, const char *word)
{
	when_published(w);
	assert_string_equal(json_str(json_at(w->g.object, "status", "trouble"), "?"), word);
}

#define WAS_READY                                                                                \
	",\"status\":{\"isReady\":true,\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"," \
	"\"reason\":\"Reachable\",\"message\":\"m\","                                            \
	"\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}"

/* An installation makes the Cluster and the Job that makes its Secret at one time. */
/* Acceptance: status-4 */
static void test_a_new_cluster_has_time_to_get_its_secret(void **state)
{
	(void)state;
	static const struct {
		int64_t age_ms;
		const char *status; /* that was published before */
		const char *reason;
		int64_t again_ms;
	} rows[] = {
		{ 0, "", "NotChecked", 30000 },
		{ 29000, "", "NotChecked", 1000 },
		{ 29000, WAS_READY, "NotChecked", 1000 },
		{ 30000, "", "SecretMissing", 0 },
		{ 30000, WAS_READY, "SecretMissing", 0 },
		/* Our clock is behind, so the age of the object is unknown. */
		{ -1000, "", "SecretMissing", 0 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLUSTER(w);
		char created[TIME_RFC3339_BYTES];
		time_format(GIVEN_WALL_MS - rows[i].age_ms, created);
		given_cluster(&w,
			arena_printf(&w.g.arena, ",\"creationTimestamp\":\"%s\"", created),
			rows[i].status);
		w.view.link = (struct link_fact){
			.secret = NO,
			.version = "",
			.trouble = "Secret ns/t with the Slurm token does not exist",
		};
		then_trouble(&w, rows[i].reason);
		assert_int_equal(w.g.plan.again_in_ms, rows[i].again_ms);
		then_condition(&w.g, "Ready", rows[i].again_ms ? "Unknown" : "False",
			rows[i].reason);
		then_says(&w.g, "Ready", w.view.link.trouble);
		if (rows[i].again_ms)
			then_no(&w.g, DO(TELL, EVENT), NULL);
		else
			assert_string_equal(then(&w.g, DO(TELL, EVENT), "slurm")->reason,
				"SecretMissing");
	}
}

/* Slurm is well and takes jobs, and none of them starts. */
/* Acceptance: cluster-5 */
static void test_a_slurm_without_a_partition_that_is_up_is_a_trouble(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	w.view.partitions = (struct partitions_fact){ true, 2, 1, "b (DOWN)", 1 };
	then_trouble(&w, "");
	assert_true(w.g.plan.demand.of[ASK_PARTITIONS].wanted);
	w.view.partitions = (struct partitions_fact){ true, 7, 0, "a (DOWN), b (DRAIN)", 2 };
	then_trouble(&w, "PartitionsDown");
	assert_string_equal(then(&w.g, DO(TELL, EVENT), "slurm")->reason, "PartitionsDown");
	then_condition(&w.g, "PartitionsUp", "False", "PartitionsDown");
	then_says(&w.g, "PartitionsUp", "so no job starts: a (DOWN), b (DRAIN) and 5 more;");
	then_condition(&w.g, "Ready", "True", "Reachable");
	when_published(&w);
	then_nothing(&w.g);
	w.view.partitions = (struct partitions_fact){ true, 0, 0, "", 0 };
	then_trouble(&w, "NoPartition");
}

/* A Slurm that is away is the graver trouble. Back again, it may still have none. */
static void test_what_is_not_known_of_partitions_stays_as_it_was(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	w.view.partitions = (struct partitions_fact){ true, 1, 0, "a (DOWN)", 1 };
	then_trouble(&w, "PartitionsDown");
	w.view.partitions = (struct partitions_fact){ .others = "" };
	then_trouble(&w, "PartitionsDown");
	w.view.link.health = SLURM_UNREACHABLE;
	w.view.link.trouble = "connection refused";
	then_trouble(&w, "Unreachable");
	then_condition(&w.g, "PartitionsUp", "False", "PartitionsDown");
	w.view.link.health = SLURM_UP;
	w.view.link.trouble = "";
	then_trouble(&w, "PartitionsDown");
	w.view.partitions = (struct partitions_fact){ true, 1, 1, "", 0 };
	then_trouble(&w, "");
	assert_null(condition_find(json_at(w.g.object, "status", "conditions"), "PartitionsUp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_cluster_has_time_to_get_its_secret),
		cmocka_unit_test(test_a_slurm_without_a_partition_that_is_up_is_a_trouble),
		cmocka_unit_test(test_what_is_not_known_of_partitions_stays_as_it_was),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
