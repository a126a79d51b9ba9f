/* SPDX-License-Identifier: Apache-2.0 */
/* From the store to what the NodeSet planner is given. */
#include "lib/fake_http.h"
#include "lib/sim_loop.h"
#include "lib/test.h"

#include "engine/kind.h"
#include "kind/all.h"
#include "kind/nodeset_view.h"

struct world {
	struct sim_loop loop;
	struct store *store;
	struct arena arena;
	struct nodeset_view view;
	int version; /* of the NodeSet */
};

static void changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid)
{
	(void)ctx, (void)r, (void)ns, (void)name, (void)owner_uid;
}

static int given_a_store(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	w->store = store_new(&w->loop.loop, changed, NULL);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	store_free(w->store);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	arena_free(&w->arena);
	free(w);
	return 0;
}

static void given(struct world *w, enum resource r, const char *text)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(w->store, r, json_root(doc));
}

static void given_nodeset(struct world *w, int replicas)
{
	given(w, RES_NODESET,
		arena_printf(&w->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\","
			"\"resourceVersion\":\"%d\"},"
			"\"spec\":{\"replicas\":%d}}",
			++w->version, replicas));
}

/* kind NULL: it has no controller. */
static void given_pod(struct world *w, const char *ns, const char *name, const char *kind,
	const char *owner_uid)
{
	const char *owner = !kind ? ""
				  : arena_printf(&w->arena,
					    ",\"ownerReferences\":[{\"kind\":\"%s\",\"name\":"
					    "\"foo\",\"uid\":\"%s\",\"controller\":true}]",
					    kind, owner_uid);
	given(w, RES_POD,
		arena_printf(&w->arena,
			"{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s/"
			"%s\",\"resourceVersion\":\"2\"%s}}",
			ns, name, ns, name, owner));
}

static void when_viewed(struct world *w)
{
	nodeset_view_make(w->store, NULL, store_get(w->store, RES_NODESET, "ns", "foo"), "slurm",
		&w->arena, &w->view);
}

static bool says_taken(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->view.n_taken; i++)
		if (str_eq(w->view.taken[i]->name, name))
			return true;
	return false;
}

static void test_names_that_pods_of_others_have_are_told(void **state)
{
	struct world *w = *state;
	given_nodeset(w, 2);
	given_pod(w, "ns", "foo-0", "StatefulSet", "theirs");
	given_pod(w, "ns", "foo-1", "NodeSet", "set");
	given_pod(w, "ns", "foo-2", NULL, NULL);
	given_pod(w, "ns", "foo-3", "StatefulSet", "theirs");
	given_pod(w, "ns", "foo-9", "StatefulSet", "theirs"); /* too far away to matter */
	given_pod(w, "ns", "foo-x", "StatefulSet", "theirs");
	given_pod(w, "ns", "foo-bar-0", "StatefulSet", "theirs");
	given_pod(w, "elsewhere", "foo-4", "StatefulSet", "theirs");
	when_viewed(w);
	assert_int_equal(w->view.n_pods, 2);
	assert_true(says_taken(w, "foo-0"));
	assert_true(says_taken(w, "foo-3"));
	assert_int_equal(w->view.n_taken, 2);
	assert_string_equal(w->view.taken[0]->controller.kind, "StatefulSet");
}

/* No NodeSet counts pods without an owner: there may be many that look at them. */
static void test_a_demand_says_how_many_pods_are_the_nodesets_own(void **state)
{
	struct world *w = *state;
	given_nodeset(w, 2);
	given_pod(w, "ns", "foo-0", "NodeSet", "set");
	given_pod(w, "ns", "foo-1", "NodeSet", "set");
	given_pod(w, "ns", "foo-2", NULL, NULL);
	given_pod(w, "ns", "foo-3", "NodeSet", "another");
	struct fake_http api;
	fake_http_init(&api, &w->loop);
	struct kube kube = { &api.http, &w->loop.loop };
	struct plan plan = { .arena = &w->arena };
	const struct record *rec = store_get(w->store, RES_NODESET, "ns", "foo");
	struct sight sight = { .store = w->store,
		.rec = rec,
		.refers_to = "slurm",
		.own = kind_nodeset.begin(&kube, rec, NULL, NULL),
		.loop = &w->loop.loop };
	kind_nodeset.plan(&sight, &plan);
	assert_int_equal(plan.demand.n_nodes, 2);
	kind_nodeset.end(sight.own);
	fake_http_clear(&api);
}

/*
 * The pod may be one that a NodeSet left behind with its slurmd: it is unknown which of
 * them Slurm means.
 */
static void test_a_pod_of_nobody_that_names_the_node_shares_it(void **state)
{
	struct world *w = *state;
	given_nodeset(w, 1);
	given(w, RES_POD,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-0\",\"uid\":\"u\","
		"\"resourceVersion\":\"2\","
		"\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\","
		"\"controller\":true}]},\"spec\":{\"hostname\":\"bar-0\"}}");
	when_viewed(w);
	assert_false(w->view.slurm_nodes[0].shared);
	given_pod(w, "ns", "bar-0", NULL, NULL);
	when_viewed(w);
	assert_true(w->view.slurm_nodes[0].shared);
}

/* The next pod needs a name in a moment. */
static void test_a_pod_that_terminates_leaves_a_name_to_be_found(void **state)
{
	struct world *w = *state;
	given_nodeset(w, 1);
	given_pod(w, "ns", "foo-0", "StatefulSet", "theirs");
	given_pod(w, "ns", "foo-1", "StatefulSet", "theirs");
	given(w, RES_POD,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-2\",\"uid\":\"u\","
		"\"resourceVersion\":\"2\","
		"\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"ownerReferences\":[{\"kind\":"
		"\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\",\"controller\":true}]}}");
	when_viewed(w);
	assert_int_equal(w->view.n_taken, 2);
}

static void test_set_that_is_complete_still_tells_of_names_that_it_skipped(void **state)
{
	struct world *w = *state;
	given_nodeset(w, 1);
	given_pod(w, "ns", "foo-0", "StatefulSet", "theirs");
	given_pod(w, "ns", "foo-1", "NodeSet", "set");
	when_viewed(w);
	assert_true(says_taken(w, "foo-0"));
}

static void test_any_number_of_replicas_can_be_viewed(void **state)
{
	struct world *w = *state;
	static const int replicas[] = { -1, 0, 65536, 2000000000 };
	for (size_t i = 0; i < LENGTH(replicas); i++) {
		given_nodeset(w, replicas[i]);
		when_viewed(w);
		assert_int_equal(w->view.n_taken, 0);
	}
}

static struct err no_http(void *ctx, const struct http_config *config, struct http **out)
{
	(void)ctx, (void)config, (void)out;
	return err_new(ERR_INVALID, "there is none");
}

static void slurm_changed(void *ctx, struct slurm_link *l) { (void)ctx, (void)l; }

static void test_a_host_name_that_another_pod_has_is_told(void **state)
{
	struct world *w = *state;
	struct fake_http api;
	fake_http_init(&api, &w->loop);
	struct kube kube = { &api.http, &w->loop.loop };
	struct link_config config = { &kube, &w->loop.loop, no_http, w, slurm_changed, w };
	struct slurm_link *link = slurm_link_new(&config, "ns", "slurm");
	given(w, RES_NODESET,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\","
		"\"resourceVersion\":\"1\"},"
		"\"spec\":{\"replicas\":2,\"template\":{\"spec\":{\"hostname\":\"bar-\"}}}}");
	given(w, RES_NODESET,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"bar\",\"uid\":\"other\","
		"\"resourceVersion\":\"1\"},\"spec\":{\"clusterName\":\"slurm\"}}");
	given(w, RES_POD,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"bar-1\",\"uid\":\"p\","
		"\"resourceVersion\":\"2\",\"ownerReferences\":"
		"[{\"kind\":\"NodeSet\",\"name\":\"bar\",\"uid\":\"other\",\"controller\":true}]},"
		"\"status\":{\"phase\":\"Running\"}}");
	nodeset_view_make(w->store, link, store_get(w->store, RES_NODESET, "ns", "foo"), "slurm",
		&w->arena, &w->view);
	assert_int_equal(w->view.n_host_names,
		1); /* whether it works or not: it may at any second */
	assert_int_equal(w->view.host_names[0].ordinal, 1);
	assert_string_equal(w->view.host_names[0].pod->name, "bar-1");
	slurm_link_free(link);
	fake_http_clear(&api);
}

static void given_cluster(struct world *w, const char *ns, const char *server)
{
	given(w, RES_CLUSTER,
		arena_printf(&w->arena,
			"{\"metadata\":{\"namespace\":\"%s\",\"name\":\"slurm\",\"uid\":\"c-%s\","
			"\"resourceVersion\":\"%d\"},\"spec\":{\"server\":\"%s\"}}",
			ns, ns, ++w->version, server));
}

/* The same NodeSet in two namespaces, whose Clusters may be one Slurm. */
static void test_a_pod_of_another_namespace_has_the_name_when_the_slurm_is_one(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *ours, *theirs;
		size_t found;
	} rows[] = {
		{ "http://restapi.slurm:6820", "http://restapi.slurm:6820", 1 },
		{ "http://restapi:6820", "http://restapi:6820", 0 }, /* one in each namespace */
		{ "http://restapi.slurm:6820", "http://restapi.q:6820", 0 },
		{ "http://10.0.0.1:6820", "http://10.0.0.1:6820", 1 },
		{ "http://[fd00::1]:6820", "http://[fd00::1]:6820", 1 },
	};
	struct fake_http api;
	fake_http_init(&api, &w->loop);
	struct kube kube = { &api.http, &w->loop.loop };
	struct link_config config = { &kube, &w->loop.loop, no_http, w, slurm_changed, w };
	struct slurm_link *link = slurm_link_new(&config, "ns", "slurm");
	given_nodeset(w, 1);
	given(w, RES_NODESET,
		"{\"metadata\":{\"namespace\":\"q\",\"name\":\"foo\",\"uid\":\"other\","
		"\"resourceVersion\":\"1\"},\"spec\":{\"clusterName\":\"slurm\"}}");
	given_pod(w, "q", "foo-0", "NodeSet", "other");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		given_cluster(w, "ns", rows[i].ours);
		given_cluster(w, "q", rows[i].theirs);
		nodeset_view_make(w->store, link, store_get(w->store, RES_NODESET, "ns", "foo"),
			"slurm", &w->arena, &w->view);
		assert_int_equal(w->view.n_host_names, rows[i].found);
	}
	slurm_link_free(link);
	fake_http_clear(&api);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_store, free_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_pod_of_another_namespace_has_the_name_when_the_slurm_is_one),
		T(test_names_that_pods_of_others_have_are_told),
		T(test_a_demand_says_how_many_pods_are_the_nodesets_own),
		T(test_a_pod_of_nobody_that_names_the_node_shares_it),
		T(test_a_pod_that_terminates_leaves_a_name_to_be_found),
		T(test_set_that_is_complete_still_tells_of_names_that_it_skipped),
		T(test_any_number_of_replicas_can_be_viewed),
		T(test_a_host_name_that_another_pod_has_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
