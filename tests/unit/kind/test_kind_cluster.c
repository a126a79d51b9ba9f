/* SPDX-License-Identifier: Apache-2.0 */
/* From the store to the plan of a Cluster: which pods are those of its Slurm. */
#include "lib/link_world.h"

#include "engine/kind.h"
#include "kind/all.h"

static void changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid)
{
	(void)ctx, (void)r, (void)ns, (void)name, (void)owner_uid;
}

static void given(struct store *s, enum resource r, const char *text)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, r, json_root(doc));
}

static void given_cluster(struct store *s, const char *labels)
{
	struct str text AUTO(str_free) = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\",\"uid\":\"u\","
		"\"resourceVersion\":\"3\",\"labels\":{%s}},\"spec\":{\"server\":"
		"\"http://slurm:6820\",\"token\":{\"secretRef\":\"t\"}}}",
		labels);
	given(s, RES_CLUSTER, str_text(&text));
}

/* A slurmctld that has ended long ago. */
static void given_slurmctld(struct store *s, const char *ns, const char *release)
{
	struct str text AUTO(str_free) = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"%s\",\"name\":\"c-0\",\"uid\":\"u-c\","
		"\"resourceVersion\":\"4\",\"creationTimestamp\":\"2020-01-01T00:00:00Z\","
		"\"labels\":{\"app.kubernetes.io/part-of\":\"slurm\",\"app.kubernetes.io/"
		"component\":\"controller\",\"app.kubernetes.io/instance\":\"%s\"},"
		"\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\","
		"\"name\":\"c\",\"uid\":\"c\",\"controller\":true}]},\"status\":{"
		"\"containerStatuses\":[{\"name\":\"slurmctld\",\"state\":{\"terminated\":{"
		"\"exitCode\":1,\"message\":\"fatal: no\"}}}]}}",
		ns, release);
	given(s, RES_POD, str_text(&text));
}

/* Whether the plan, while slurmrestd does not answer, names that slurmctld. */
static bool names_slurmctld(struct world *w, struct store *s)
{
	struct arena a = { 0 };
	struct plan plan = { .arena = &a };
	struct sight sight = { .store = s,
		.rec = store_get(s, RES_CLUSTER, "ns", "slurm"),
		.link = w->link,
		.loop = &w->loop.loop };
	kind_cluster.plan(&sight, &plan);
	bool names = false, tells = false;
	for (size_t i = 0; i < plan.n; i++) {
		const char *body = plan.actions[i].body ? plan.actions[i].body : "";
		names |= strstr(body, "\"trouble\":\"SlurmctldNotReady\"") != NULL;
		tells |= strstr(body, "fatal: no") != NULL;
	}
	assert_int_equal(names, tells);
	arena_free(&a);
	return names;
}

#define RELEASE(name) "\"app.kubernetes.io/instance\":\"" name "\""

/* Acceptance: slurm-chart-51 */
static void test_a_cluster_knows_the_daemons_of_its_release(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *labels, *ns, *release;
		bool named;
	} rows[] = {
		{ RELEASE("one"), "ns", "one", true },
		{ RELEASE("one"), "ns", "two", false },
		{ RELEASE("one"), "elsewhere", "one", false },
		/* Made by hand: the owner of these pods is unknown. */
		{ "", "ns", "one", false },
		{ "", "ns", "", false },
	};
	w->rest_down = true;
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	then_health(w, SLURM_UNREACHABLE);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct store *s = store_new(&w->loop.loop, changed, NULL);
		given_cluster(s, rows[i].labels);
		given_slurmctld(s, rows[i].ns, rows[i].release);
		assert_int_equal(names_slurmctld(w, s), rows[i].named);
		store_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_cluster_knows_the_daemons_of_its_release,
			given_a_link, free_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
