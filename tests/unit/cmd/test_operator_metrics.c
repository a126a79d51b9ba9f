/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of the programs: histograms, the process, and the names of Go operators. */
#include <time.h>

#include "lib/controller_world.h"
#include "lib/metrics_page.h"

#include "base/metric.h"
#include "cmd/process_metrics.h"

#define SET                                                                                      \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"a\",\"uid\":\"u-a\","                    \
	"\"resourceVersion\":\"2\",\"generation\":1},\"spec\":{\"clusterName\":\"none\","        \
	"\"serviceName\":\"svc\",\"replicas\":3,\"selector\":{\"matchLabels\":{\"app\":\"a\"}}," \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"a\"}},\"spec\":{\"containers\":[{"    \
	"\"name\":\"slurmd\"}]}}},\"status\":{\"replicas\":2,\"readyReplicas\":1,"               \
	"\"updatedReplicas\":2,\"slurmIdle\":1,\"slurmDrain\":4,\"conditions\":[{\"type\":"      \
	"\"Available\",\"status\":\"False\",\"reason\":\"PodsMissing\"}]}}"
#define LIST(items) "{\"metadata\":{\"resourceVersion\":\"2\"},\"items\":[" items "]}"

static int given_a_nodeset(void **state)
{
	static const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "/nodesets", 200, LIST(SET) },
		{ "", 200, LIST("") },
	};
	metric_free_all();
	given_an_operator(state);
	struct controller_world *w = *state;
	w->version = 10;
	w->kube.host = "api:443";
	fake_answer_all(&w->http, script, LENGTH(script));
	sim_loop_pass(&w->loop, 50);
	return 0;
}

static struct str page_of(const struct controller_world *w)
{
	struct str page = { 0 };
	controller_measure(w->controller);
	metric_render(&page);
	return page;
}

/* Acceptance: metric-5 */
static void test_a_histogram_has_each_value_in_its_bucket_and_all_larger_ones(void **state)
{
	(void)state;
	static const double bounds[] = { 0.5, 2 };
	static struct metric one = { "t_seconds", METRIC_HISTOGRAM, "T.", "of", METRIC_OF_EACH,
		bounds, LENGTH(bounds) };
	static struct metric bare = { "b_seconds", METRIC_HISTOGRAM, "B.", "", METRIC_OF_EACH,
		bounds, LENGTH(bounds) };
	static const double values[] = { 0.25, 0.5, 1, 2, 8 };
	AUTO(str_free) struct str page = { 0 };
	for (size_t i = 0; i < LENGTH(values); i++)
		metric_observe(&one, values[i], "x");
	metric_observe(&bare, 3);
	metric_render(&page);
	page_has(&page, "# TYPE t_seconds histogram");
	page_has(&page, "t_seconds_bucket{of=\"x\",le=\"0.5\"} 2");
	page_has(&page, "t_seconds_bucket{of=\"x\",le=\"2\"} 4");
	page_has(&page, "t_seconds_bucket{of=\"x\",le=\"+Inf\"} 5");
	page_has(&page, "t_seconds_sum{of=\"x\"} 11.75");
	page_has(&page, "t_seconds_count{of=\"x\"} 5");
	page_has(&page, "b_seconds_bucket{le=\"2\"} 0");
	page_has(&page, "b_seconds_bucket{le=\"+Inf\"} 1");
	metric_free_all();
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && str_eq(text + n - m, end);
}

/* Labels that Prometheus or its operator gives itself, and would rename. */
static const char *const of_prometheus[] = { ",job,", ",instance,", ",pod,", ",container,",
	",service,", ",endpoint," };

/* ctx: the row before. */
static void row_is_well_formed(void *ctx, const struct metric *m)
{
	const struct metric **before = ctx;
	assert_true(ends_in(m->help, "."));
	assert_null(strpbrk(m->help, "\"\\\n|"));
	assert_int_equal(ends_in(m->name, "_total"), m->type == METRIC_COUNTER);
	assert_int_equal(m->n_bounds > 0, m->type == METRIC_HISTOGRAM);
	assert_null(strstr(m->name, "_ms"));
	for (size_t i = 0; i < LENGTH(of_prometheus); i++) {
		AUTO(str_free) struct str labels = { 0 };
		str_addf(&labels, ",%s,", m->labels);
		assert_null(strstr(str_text(&labels), of_prometheus[i]));
	}
	for (size_t i = 1; i < m->n_bounds; i++)
		assert_true(m->bounds[i] > m->bounds[i - 1]);
	if (*before && (*before)->of == m->of)
		assert_true(strcmp((*before)->name, m->name) < 0);
	*before = m;
}

/* Acceptance: metric-10 */
static void test_each_row_is_as_prometheus_wishes(void **state)
{
	(void)state;
	const struct metric *last = NULL;
	AUTO(str_free) struct str page = { 0 };
	metric_each(row_is_well_formed, &last);
	assert_non_null(last);
	metric_describe(&page, METRIC_OF_EACH, METRIC_OF_RED_BOX);
	assert_non_null(strstr(str_text(&page),
		"\n## Manager\n\n| Metric | Labels | Type | What it is |\n|---|---|---|---|\n"));
	assert_non_null(strstr(str_text(&page),
		"\n| `slurm_operator_nodeset_ready_replicas` | `namespace`, `nodeset` | gauge | "
		"Pods "
		"that are ready. |\n"));
	assert_non_null(strstr(str_text(&page), "The code is &lt;error> if"));
}

static double value_of(const struct str *page, const char *name)
{
	AUTO(str_free) struct str row = { 0 };
	str_addf(&row, "\n%s ", name);
	const char *at = strstr(str_text(page), str_text(&row));
	if (!at)
		fail_msg("the page lacks %s", name);
	return strtod(at + row.len, NULL);
}

/* Acceptance: metric-6 */
static void test_a_process_says_what_it_takes(void **state)
{
	(void)state;
	AUTO(str_free) struct str page = { 0 };
	process_measure();
	process_measure(); /* nothing adds up */
	metric_render(&page);
	double now = (double)time(NULL), start = value_of(&page, "process_start_time_seconds"),
	       fds = value_of(&page, "process_open_fds");
	assert_true(start > now - 3600 && start <= now + 1);
	assert_true(fds >= 1 && fds < 1000);
	assert_true(value_of(&page, "process_max_fds") >= fds);
	assert_true(value_of(&page, "process_resident_memory_bytes") > 100000);
	assert_true(value_of(&page, "process_virtual_memory_bytes") >
		value_of(&page, "process_resident_memory_bytes"));
	assert_true(value_of(&page, "process_cpu_seconds_total") < 3600);
	assert_non_null(strstr(str_text(&page),
		"\nslurm_operator_build_info{version=\"" OPERATOR_VERSION "\",compiler=\""));
	metric_free_all();
}

/* Acceptance: metric-4 */
static void test_a_nodeset_is_measured_and_forgotten(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str page = page_of(w);
	page_has(&page,
		"slurm_operator_nodeset_desired_replicas{namespace=\"ns\",nodeset=\"a\"} 3");
	page_has(&page, "slurm_operator_nodeset_replicas{namespace=\"ns\",nodeset=\"a\"} 2");
	page_has(&page, "slurm_operator_nodeset_ready_replicas{namespace=\"ns\",nodeset=\"a\"} 1");
	page_has(&page,
		"slurm_operator_nodeset_updated_replicas{namespace=\"ns\",nodeset=\"a\"} 2");
	page_has(&page,
		"slurm_operator_nodeset_available_replicas{namespace=\"ns\",nodeset=\"a\"} 0");
	page_has(&page,
		"slurm_operator_nodeset_slurm_nodes{namespace=\"ns\",nodeset=\"a\",state="
		"\"drain\"} 4");
	page_has(&page,
		"slurm_operator_nodeset_condition{namespace=\"ns\",nodeset=\"a\",condition="
		"\"Available\",status=\"False\",reason=\"PodsMissing\"} 1");
	fake_data(watch_of(w, "/nodesets"),
		"{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"namespace\":\"ns\",\"name\":"
		"\"a\","
		"\"uid\":\"u-a\",\"resourceVersion\":\"11\"}}}\n");
	sim_loop_pass(&w->loop, 50);
	AUTO(str_free) struct str after = page_of(w);
	page_lacks(&after, "nodeset=\"a\"");
	page_has(&after, "workqueue_depth{name=\"nodeset-controller\"} 0");
}

/* Acceptance: metric-5 */
static void test_plans_and_requests_have_the_names_that_dashboards_know(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str page = page_of(w);
	page_has(&page, "workqueue_depth{name=\"nodeset-controller\"} 0");
	assert_true(value_of(&page, "workqueue_adds_total{name=\"nodeset-controller\"}") >= 1);
	assert_true(value_of(&page,
			    "controller_runtime_reconcile_time_seconds_count{controller=\"nodeset-"
			    "controller\"}") >= 1);
	assert_non_null(strstr(str_text(&page),
		"\ncontroller_runtime_reconcile_total{controller=\"nodeset-controller\",result="
		"\""));
#define OF "{name=\"nodeset-controller\"}"
#define BY "{controller=\"nodeset-controller\"}"
	static const char *const once[] = { "workqueue_unfinished_work_seconds" OF " 0",
		"workqueue_longest_running_processor_seconds" OF " 0",
		"controller_runtime_active_workers" BY " 0",
		"controller_runtime_max_concurrent_reconciles" BY " 1" };
	for (size_t i = 0; i < LENGTH(once); i++)
		page_has(&page, once[i]);
	assert_int_equal((int)value_of(&page, "workqueue_work_duration_seconds_count" OF),
		(int)value_of(&page,
			"controller_runtime_reconcile_time_seconds_count{controller=\"nodeset-"
			"controller\"}"));
	fake_answer(fake_last(&w->http), 403, "{\"kind\":\"Status\",\"code\":403}");
	sim_loop_pass(&w->loop, 50);
	AUTO(str_free) struct str after = page_of(w);
	page_has(&after,
		"controller_runtime_reconcile_errors_total{controller=\"nodeset-controller\"} "
		"1");
	page_has(&after,
		"rest_client_requests_total{code=\"403\",method=\"PATCH\",host=\"api:443\"} 1");
}

static void test_a_watch_that_begins_anew_is_counted(void **state)
{
	struct controller_world *w = *state;
	double before, lists;
	AUTO(str_free) struct str page = page_of(w);
	before = value_of(&page,
		"slurm_operator_watch_requests_total{resource=\"pods\",what=\"watch\"}");
	lists = value_of(&page,
		"slurm_operator_watch_requests_total{resource=\"pods\",what=\"list\"}");
	assert_true(before >= 1 && lists >= 1);
	fake_fail(watch_of(w, "/pods"), ERR_LOST);
	sim_loop_pass(&w->loop, 30000);
	AUTO(str_free) struct str after = page_of(w);
	assert_int_equal(value_of(&after,
				 "slurm_operator_watch_requests_total{resource=\"pods\",what="
				 "\"watch\"}"),
		before + 1);
	assert_int_equal(value_of(&after,
				 "slurm_operator_watch_requests_total{resource=\"pods\",what="
				 "\"list\"}"),
		lists);
}

/* A changed object waits once, until it is planned. */
/* Acceptance: metric-5 */
static void test_the_queue_has_what_waits(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str before = page_of(w);
	double adds = value_of(&before, "workqueue_adds_total{name=\"nodeset-controller\"}");
	for (int i = 0; i < 3; i++)
		fake_data(watch_of(w, "/nodesets"), "{\"type\":\"MODIFIED\",\"object\":" SET "}\n");
	fake_data(watch_of(w, "/pods"),
		"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\","
		"\"uid\":\"u\",\"resourceVersion\":\"12\",\"ownerReferences\":[{\"kind\":"
		"\"NodeSet\",\"apiVersion\":\"slinky.slurm.net/v1alpha1\",\"name\":\"a\",\"uid\":"
		"\"u-a\",\"controller\":true}]}}}\n");
	AUTO(str_free) struct str page = page_of(w);
	page_has(&page, "workqueue_depth{name=\"nodeset-controller\"} 1");
	sim_loop_pass(&w->loop, 50);
	AUTO(str_free) struct str after = page_of(w);
	page_has(&after, "workqueue_depth{name=\"nodeset-controller\"} 0");
	assert_int_equal((int)(value_of(&after,
				       "workqueue_adds_total{name=\"nodeset-controller\"}") -
				 adds),
		1);
	/* The object waited for 5 ms, so that its changes are planned together */
	assert_int_equal((int)value_of(&after, "workqueue_queue_duration_seconds_count" OF),
		(int)value_of(&after, "workqueue_adds_total" OF));
	assert_true(value_of(&after, "workqueue_queue_duration_seconds_sum" OF) >
		value_of(&before, "workqueue_queue_duration_seconds_sum" OF));
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_nodeset, free_controller_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_histogram_has_each_value_in_its_bucket_and_all_larger_ones),
		cmocka_unit_test(test_each_row_is_as_prometheus_wishes),
		cmocka_unit_test(test_a_process_says_what_it_takes),
		T(test_a_nodeset_is_measured_and_forgotten),
		T(test_plans_and_requests_have_the_names_that_dashboards_know),
		T(test_a_watch_that_begins_anew_is_counted),
		T(test_the_queue_has_what_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
