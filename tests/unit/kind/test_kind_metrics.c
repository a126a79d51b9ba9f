/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of NodeSets and Clusters that are made of what Slurm says. */
#include "lib/link_world.h"
#include "lib/metrics_page.h"

#include "api/names.h"
#include "base/codec.h"
#include "base/metric.h"
#include "kind/cluster_metrics.h"
#include "kind/measured.h"
#include "kind/nodeset_metrics.h"
#include "slurm/rest/mint.h"

#define KEY "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
#define SLURM_OF(name)                                                                   \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u-" name    \
	"\",\"resourceVersion\":\"5\"},\"status\":{\"conditions\":[{\"type\":\"Ready\"," \
	"\"status\":\"False\",\"reason\":\"SlurmDown\"}]}}"
#define NODESET                                                                 \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo\",\"uid\":\"set\"," \
	"\"resourceVersion\":\"5\"},\"spec\":{\"clusterName\":\"slurm\",\"replicas\":3}}"
#define DRAINED(name, at, address)                                                            \
	"{\"name\":\"" name "\",\"state\":[\"IDLE\",\"DRAIN\"],\"reason\":\"slurm-operator: " \
	"NodeSet (ns/foo) is letting the pod go\",\"comment\":\"\",\"address\":\"" address    \
	"\",\"reason_changed_at\":{\"set\":true,\"infinite\":false,\"number\":" at "}}"

/* A pod that is cordoned no more. */
#define POD_STAYS(name)                                                                            \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u-" name              \
	"\",\"resourceVersion\":\"8\",\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":"        \
	"\"foo\",\"uid\":\"set\",\"controller\":true}],\"annotations\":{\"" ANNOTATION_CORDONED_BY \
	"\":\"operator-returning\"}},\"status\":{\"phase\":\"Running\"}}"

static struct world *w;
static bool acts = true;

static void nothing(void *ctx, enum resource r, const char *ns, const char *name, const char *owner)
{
	(void)ctx, (void)r, (void)ns, (void)name, (void)owner;
}

static struct slurm_link *its_link(void *ctx, const char *ns, const char *name)
{
	(void)ctx;
	return str_eq(ns, "ns") && str_eq(name, "slurm") ? w->link : NULL;
}

static void put(struct store *s, enum resource r, const char *text)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, r, json_root(doc));
}

/* A pod of foo; by NULL: it is not cordoned. */
static void put_pod(struct store *s, const char *name, const char *by, bool ends)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"u-%s\","
		"\"resourceVersion\":\"7\",%s\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":"
		"\"foo\",\"uid\":\"set\",\"controller\":true}]",
		name, name, ends ? "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," : "");
	if (by)
		str_addf(&text,
			",\"annotations\":{\"" ANNOTATION_POD_CORDON
			"\":\"true\",\"" ANNOTATION_CORDONED_BY "\":\"%s\"}",
			by);
	str_addf(&text,
		"},\"spec\":{\"hostname\":\"%s\"},\"status\":{\"phase\":\"Running\",\"podIP\":"
		"\"10.0.0.1\"}}",
		name);
	put(s, RES_POD, str_text(&text));
}

static int given_a_slurm(void **state)
{
	metric_free_all();
	given_a_link(state);
	w = *state;
	return 0;
}

static int free_a_slurm(void **state)
{
	metric_free_all();
	return free_world(state);
}

static struct store *given_objects(void)
{
	struct store *s = store_new(&w->loop.loop, nothing, NULL);
	store_mark(s, ANNOTATION_CORDONED_BY);
	put(s, RES_CLUSTER, SLURM_OF("slurm"));
	put(s, RES_NODESET, NODESET);
	return s;
}

static struct str page_of(const struct store *s, size_t most)
{
	const struct measuring m = { s, &w->loop.loop, acts, most, its_link, NULL };
	struct str page = { 0 };
	nodeset_measure(&m);
	cluster_measure(&m);
	metric_render(&page);
	return page;
}

static double value_of(const struct str *page, const char *series)
{
	AUTO(str_free) struct str row = { 0 };
	str_addf(&row, "\n%s ", series);
	const char *at = strstr(str_text(page), str_text(&row));
	if (!at)
		fail_msg("the page lacks %s", series);
	return strtod(at + row.len, NULL);
}

#define OF_SLURM "{namespace=\"ns\",cluster=\"slurm\"}"
#define OF_FOO "{namespace=\"ns\",nodeset=\"foo\"}"

/* Acceptance: metric-8 */
static void test_a_cluster_tells_when_its_token_expires(void **state)
{
	(void)state;
	AUTO(own_free) char *token = NULL;
	char secret[2048], *coded;
	int64_t now_s = loop_wall_ms(&w->loop.loop) / 1000;
	assert_false(failed(token_mint(KEY, "slurm", now_s - 600, 3600, &token)));
	coded = base64_encode(token, strlen(token));
	snprintf(secret, sizeof(secret), SECRET("%s"), coded);
	free(coded);
	w->secret = secret;
	struct store *s = given_objects();
	AUTO(str_free) struct str before = page_of(s, 10);
	page_lacks(&before, "slurm_operator_cluster_token_expires_seconds{");
	page_lacks(&before, "slurm_operator_cluster_answer_age_seconds{");
	given_up(w);
	AUTO(str_free) struct str page = page_of(s, 10);
	double left = value_of(&page, "slurm_operator_cluster_token_expires_seconds" OF_SLURM);
	assert_true(left <= 3000 && left > 2980);
	page_has(&page, "slurm_operator_cluster_token_life_seconds" OF_SLURM " 3600");
	when_passed(w, 3100000);
	AUTO(str_free) struct str late = page_of(s, 10);
	assert_true(value_of(&late, "slurm_operator_cluster_token_expires_seconds" OF_SLURM) < 0);
	store_free(s);
}

/* Acceptance: metric-8 */
static void test_a_cluster_tells_how_old_its_answers_are(void **state)
{
	(void)state;
	struct store *s = given_objects();
	given_up(w);
	when_passed(w, 12000);
	AUTO(str_free) struct str page = page_of(s, 10);
	assert_true(value_of(&page, "slurm_operator_cluster_answer_age_seconds" OF_SLURM) <= 12);
	w->rest_down = true;
	when_passed(w, 300000);
	AUTO(str_free) struct str late = page_of(s, 10);
	assert_true(value_of(&late, "slurm_operator_cluster_answer_age_seconds" OF_SLURM) > 290);
	page_has(&late,
		"slurm_operator_cluster_condition{namespace=\"ns\",cluster=\"slurm\",condition="
		"\"Ready\",status=\"False\",reason=\"SlurmDown\"} 1");
	store_free(s);
}

#define REQUESTS "slurm_operator_slurmrestd_requests_total{namespace=\"ns\",cluster=\"slurm\","

/* Acceptance: metric-8 */
static void test_a_cluster_counts_its_requests(void **state)
{
	(void)state;
	struct store *s = given_objects();
	given_up(w);
	when_passed(w, 60000);
	AUTO(str_free) struct str page = page_of(s, 10);
	double lists = value_of(&page, REQUESTS "method=\"GET\",route=\"/nodes/\",code=\"200\"}");
	assert_true(lists >= w->lists && lists > 3);
	assert_true(value_of(&page, REQUESTS "method=\"GET\",route=\"/ping/\",code=\"200\"}") > 3);
	double all = value_of(&page,
		"slurm_operator_slurmrestd_request_duration_seconds_count" OF_SLURM);
	assert_true(all >= lists);
	page_lacks(&page, "code=\"<error>\"");
	w->rest_down = true;
	when_passed(w, 60000);
	AUTO(str_free) struct str late = page_of(s, 10);
	assert_non_null(strstr(str_text(&late), "code=\"<error>\"} "));
	assert_true(value_of(&late,
			    "slurm_operator_slurmrestd_request_duration_seconds_count" OF_SLURM) >
		all);
	store_free(s);
}

static void the_only_one(void *found, const struct slurm_request_count *c)
{
	assert_int_equal(((struct slurm_request_count *)found)->n, 0);
	*(struct slurm_request_count *)found = *c;
}

/* Acceptance: metric-8 */
static void test_any_answer_of_any_path_is_counted_somewhere(void **state)
{
	(void)state;
	static const struct {
		const char *method, *path;
		int status;
		const char *route, *code;
	} rows[] = {
		{ "GET", "/slurm/v0.0.42/nodes/?update_time=5", 304, "/nodes/", "304" },
		{ "POST", "/slurm/v0.0.42/nodes/", 200, "/nodes/", "200" },
		{ "DELETE", "/slurm/v0.0.42/node/foo-0", 500, "/node/{node}", "500" },
		{ "GET", "/slurm/v0.0.45/jobs/state/", 200, "/jobs/state/", "200" },
		{ "GET", "/slurm/v0.0.45/jobs/?update_time=1", 200, "/jobs/", "200" },
		{ "GET", "/slurm/v0.0.45/job/17", 0, "/job/{job}", "<error>" },
		{ "GET", "/openapi/v3", 511, "/openapi/", "511" },
		{ "GET", "/slurm/v0.0.45/licenses/", 418, "other", "other" },
		{ "PUT", "/slurm/v0.0.45/nodes/", 200, "other", "200" },
		{ "GET", "/slurm/", -7, "other", "other" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct slurm_requests r = { 0 };
		struct slurm_request_count found = { 0 };
		slurm_requests_add(&r, slurm_requests_route(rows[i].method, rows[i].path),
			rows[i].status, 30);
		slurm_requests_each(&r, the_only_one, &found);
		assert_string_equal(found.route, rows[i].route);
		assert_string_equal(found.code, rows[i].code);
		assert_int_equal(found.n, 1);
		assert_int_equal(r.took[2], 1);
		assert_true(r.took_s > 0.029 && r.took_s < 0.031);
	}
}

/* Acceptance: metric-7 */
static void test_a_nodeset_tells_how_long_a_drain_waits_and_for_which_job(void **state)
{
	(void)state;
	char nodes[2048], at[24], later[24];
	int64_t now_s = loop_wall_ms(&w->loop.loop) / 1000;
	snprintf(at, sizeof(at), "%lld", (long long)now_s - 7200);
	snprintf(later, sizeof(later), "%lld", (long long)now_s - 60);
	snprintf(nodes, sizeof(nodes),
		NODES(DRAINED("foo-0", "%s", "10.0.0.1") "," DRAINED("foo-1", "%s",
			"10.0.0.1") "," DRAINED("foo-2", "%s", "10.0.0.1")),
		later, at, at);
	w->nodes = nodes;
	w->jobs = "{\"jobs\":[{\"job_id\":\"17\",\"state\":[\"RUNNING\"]}],\"errors\":[],"
		  "\"warnings\":"
		  "[]}";
	w->job = "{\"jobs\":[{\"job_id\":17,\"job_state\":[\"RUNNING\"],\"nodes\":\"foo-1\","
		 "\"user_name\":\"alice\"}],\"errors\":[],\"warnings\":[]}";
	struct store *s = given_objects();
	put_pod(s, "foo-0", CORDONED_BY_OPERATOR, false);
	put_pod(s, "foo-1", CORDONED_BY_OPERATOR, false);
	put_pod(s, "foo-2", CORDONED_BY_OPERATOR, true);
	put_pod(s, "foo-3", NULL, false);
	AUTO(str_free) struct str before = page_of(s, 10);
	assert_true(value_of(&before, "slurm_operator_nodeset_drain_wait_seconds" OF_FOO) == 0);
	given_up(w);
	when_wanted(w, SLURM_SOON, true);
	when_passed(w, 5000);
	AUTO(str_free) struct str page = page_of(s, 10);
	double waited = value_of(&page, "slurm_operator_nodeset_drain_wait_seconds" OF_FOO);
	assert_true(waited >= 7200 && waited < 7300);
	page_has(&page,
		"slurm_operator_nodeset_drain_job_info{namespace=\"ns\",nodeset=\"foo\",waiting_"
		"pod="
		"\"foo-1\",job_id=\"17\"} 1");
	page_lacks(&page, "waiting_pod=\"foo-0\"");
	put(s, RES_POD, POD_STAYS("foo-0"));
	put(s, RES_POD, POD_STAYS("foo-1"));
	AUTO(str_free) struct str after = page_of(s, 10);
	page_has(&after, "slurm_operator_nodeset_drain_wait_seconds" OF_FOO " 0");
	page_lacks(&after, "slurm_operator_nodeset_drain_job_info{");
	store_free(s);
}

/* The drain is as long as the manager has seen the cordon. */
static void test_without_slurm_a_drain_waits_since_its_cordon_was_seen(void **state)
{
	(void)state;
	struct store *s = given_objects();
	put_pod(s, "foo-1", CORDONED_BY_OPERATOR, false);
	w->loop.now_ms += 90000;
	AUTO(str_free) struct str page = page_of(s, 10);
	page_has(&page, "slurm_operator_nodeset_drain_wait_seconds" OF_FOO " 90");
	page_has(&page,
		"slurm_operator_nodeset_drain_job_info{namespace=\"ns\",nodeset=\"foo\",waiting_"
		"pod="
		"\"foo-1\",job_id=\"\"} 1");
	store_free(s);
}

/* A standby asks no Slurm, so it would report another pod than the leader. */
/* Acceptance: metric-7 */
static void test_a_manager_that_stands_by_tells_of_no_drains(void **state)
{
	(void)state;
	struct store *s = given_objects();
	put_pod(s, "foo-1", CORDONED_BY_OPERATOR, false);
	acts = false;
	AUTO(str_free) struct str page = page_of(s, 10);
	acts = true;
	page_lacks(&page, "slurm_operator_nodeset_drain_wait_seconds{");
	page_lacks(&page, "slurm_operator_nodeset_drain_job_info{");
	page_has(&page, "slurm_operator_nodeset_desired_replicas" OF_FOO " 3");
	store_free(s);
}

static void put_sets(struct store *s, const char *ns, int n)
{
	for (int i = 0; i < n; i++) {
		AUTO(str_free) struct str text = { 0 };
		str_addf(&text,
			"{\"metadata\":{\"namespace\":\"%s\",\"name\":\"s%05d\",\"uid\":\"%s-%d\","
			"\"resourceVersion\":\"5\"},\"spec\":{\"replicas\":1}}",
			ns, i, ns, i);
		put(s, RES_NODESET, str_text(&text));
	}
}

/* 10,000 NodeSets of a namespace do not fill the page, nor take series of others. */
/* Acceptance: metric-9 */
static void test_a_namespace_has_no_more_series_than_its_share(void **state)
{
	(void)state;
	struct store *s = store_new(&w->loop.loop, nothing, NULL);
	put_sets(s, "a-crowd", 10000);
	put_sets(s, "zoo", 3);
	AUTO(str_free) struct str page = page_of(s, 1000);
	page_has(&page, "slurm_operator_series_left_out{resource=\"nodesets\"} 9003");
	page_has(&page, "slurm_operator_series_left_out{resource=\"clusters\"} 0");
	static const char *const shown[] = { "s00000", "s00001", "s00002" };
	for (size_t i = 0; i < LENGTH(shown); i++) {
		AUTO(str_free) struct str line = { 0 };
		str_addf(&line,
			"slurm_operator_nodeset_desired_replicas{namespace=\"zoo\",nodeset=\"%s\"} "
			"1",
			shown[i]);
		page_has(&page, str_text(&line));
	}
	page_has(&page,
		"slurm_operator_nodeset_desired_replicas{namespace=\"a-crowd\",nodeset=\"s00996\"} "
		"1");
	page_lacks(&page, "nodeset=\"s00997\"");
	assert_true(page.len < 2 << 20);
	store_free(s);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_slurm, free_a_slurm)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_cluster_tells_when_its_token_expires),
		T(test_a_cluster_tells_how_old_its_answers_are),
		T(test_a_cluster_counts_its_requests),
		T(test_any_answer_of_any_path_is_counted_somewhere),
		T(test_a_nodeset_tells_how_long_a_drain_waits_and_for_which_job),
		T(test_without_slurm_a_drain_waits_since_its_cordon_was_seen),
		T(test_a_manager_that_stands_by_tells_of_no_drains),
		T(test_a_namespace_has_no_more_series_than_its_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
