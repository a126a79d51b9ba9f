/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter with a slurmrestd that a test plays: reads, failures, the page. */
#include "lib/fake_slurmrestd.h"
#include "lib/metrics_page.h"

#include "exporter/exporter.h"
#include "exporter/take.h"

#define V "GET /slurm/v0.0.42/"
enum { CACHE_MS = 5000 };

struct world {
	struct fake_slurmrestd *f;
	struct slurm *slurm;
	struct exporter *e;
	struct str page;
};

static void begin(struct world *w)
{
	*w = (struct world){ .f = fake_slurmrestd_new() };
	w->f->http.forgets = true;
	w->slurm = rest_client(w->f);
	w->e = exporter_new(&(struct exporter_config){
		.loop = &w->f->loop.loop,
		.slurm = w->slurm,
		.cache_ms = CACHE_MS,
		.limits = { 100, 100, 100, 100 },
	});
	rest_negotiates(w->f);
}

static void end(struct world *w)
{
	exporter_free(w->e);
	slurm_free(w->slurm);
	fake_slurmrestd_free(w->f);
	str_free(&w->page);
}

static void when_scraped(struct world *w)
{
	str_clear(&w->page);
	struct str rest = { 0 };
	size_t n;
	const struct exporter_process process = { 1, 17, 1 };
	struct http_shared *page = exporter_page(w->e, EXPORTER_TEXT, &process, &rest);
	str_addf(&w->page, "%s%s", http_shared_text(page, &n), str_text(&rest));
	str_free(&rest);
}

/* All four, as a slurmctld 24.11.5 answered. */
static void given_answers(struct world *w)
{
	rest_replays(w->f, V "nodes/", "24.11/v0.0.42/all-nodes");
	rest_replays(w->f, V "jobs/", "24.11/v0.0.42/all-jobs");
	rest_replays(w->f, V "partitions/", "24.11/v0.0.42/all-partitions");
	rest_replays(w->f, V "diag/", "24.11/v0.0.42/all-diag");
	sim_loop_pass(&w->f->loop, 100);
}

static const struct fake_row unchanged[] = { { "/nodes/?", 304, "" }, { "/partitions/?", 304, "" },
	{ "/jobs/?", 200,
		"{\"jobs\":[],\"last_update\":{\"set\":true,\"number\":0},\"errors\":[],"
		"\"warnings\":[{\"description\":\"No job changes since update_time[1]\"}]}" },
	{ "/diag/", 200, "{\"statistics\":{\"bf_active\":true},\"errors\":[]}" } };
static const struct fake_row broken[] = { { "", 502, "" } };

/* Lets ms pass, and answers each request by these rows. */
static void when_passed(struct world *w, int64_t ms, const struct fake_row *rows, size_t n)
{
	for (int64_t end_ms = w->f->loop.now_ms + ms; w->f->loop.now_ms < end_ms;) {
		sim_loop_pass(&w->f->loop, 250);
		fake_answer_all(&w->f->http, rows, n);
	}
}

static void what_slurm_says_is_on_the_page(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	assert_string_equal(exporter_trouble(w.e),
		"not ready: not every source has been read from Slurm yet");
	when_scraped(&w);
	page_lacks(&w.page, "slurm_nodes");
	page_has(&w.page, "slurm_exporter_source_fresh{source=\"jobs\"} 0");
	given_answers(&w);
	assert_string_equal(exporter_trouble(w.e), "");
	when_scraped(&w);
	page_has(&w.page, "slurm_nodes_total 7");
	page_has(&w.page, "slurm_nodes_powered_down 5");
	page_has(&w.page, "slurm_nodes_drain_total 1");
	page_has(&w.page, "slurm_partition_nodes_total{partition=\"extra\"} 1");
	page_has(&w.page, "slurm_partition_cpus{partition=\"all\"} 324");
	page_has(&w.page, "slurm_partition_jobs_pending_total{partition=\"all\"} 2");
	page_has(&w.page, "slurm_partition_pending_jobs{partition=\"all\"} 0");
	page_has(&w.page, "slurm_partition_jobs_pending_total{partition=\"extra\"} 1");
	page_has(&w.page, "slurm_user_jobs_running_total{userid=\"401\",username=\"slurm\"} 2");
	page_has(&w.page, "slurm_jobs_cpus_alloc_total 4");
	page_has(&w.page, "slurm_jobs_cpus_alloc 3");
	page_has(&w.page, "slurm_scheduler_jobs_submitted_total 5");
	page_has(&w.page, "slurm_bfscheduler_cycle_seconds 9831");
	page_has(&w.page, "process_open_fds 17");
	page_has(&w.page, "slurm_exporter_reads_total{source=\"nodes\",result=\"changed\"} 1");
	end(&w);
}

/*
 * A slurmctld 24.11.5 with GPUs and FPGAs, of which one node has only gres.conf's counts.
 * AllocTRES of its nodes: c0 gres/gpu=3; w0 gres/fpga=1,gres/gpu=3,gres/gpu:a100=3;
 * w1 gres/fpga=1,gres/gpu=4,gres/gpu:a100=3.
 */
/* Acceptance: exporter-15 */
static void gres_are_those_that_slurm_says(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	rest_replays(w.f, V "nodes/", "24.11/v0.0.42/gres-nodes");
	rest_replays(w.f, V "jobs/", "24.11/v0.0.42/gres-jobs");
	rest_replays(w.f, V "partitions/", "24.11/v0.0.42/all-partitions");
	sim_loop_pass(&w.f->loop, 100);
	when_scraped(&w);
	page_has(&w.page, "slurm_node_gres_alloc{node=\"c0\",gres=\"gpu\",type=\"\"} 3");
	page_has(&w.page, "slurm_node_gres_alloc{node=\"w0\",gres=\"fpga\",type=\"\"} 1");
	page_has(&w.page, "slurm_node_gres_alloc{node=\"w1\",gres=\"gpu\",type=\"v100\"} 1");
	page_has(&w.page, "slurm_nodes_gres{gres=\"gpu\",type=\"a100\"} 6");
	page_has(&w.page, "slurm_nodes_gres{gres=\"gpu\",type=\"\"} 32");
	page_has(&w.page, "slurm_nodes_gres_alloc{gres=\"gpu\",type=\"a100\"} 6");
	page_has(&w.page, "slurm_nodes_gres_unavailable{gres=\"gpu\",type=\"\"} 16");
	page_has(&w.page, "slurm_jobs_gres_alloc{gres=\"gpu\",type=\"a100\"} 6");
	page_has(&w.page, "slurm_jobs_gres_alloc{gres=\"gpu\",type=\"\"} 3");
	page_has(&w.page,
		"slurm_account_jobs_gres_alloc{account=\"root\",gres=\"fpga\",type="
		"\"\"} 2");
	end(&w);
}

/*
 * As slurmctld 24.11.5 answered; and a second item of a type, which must not be a second
 * series.
 */
#define PING(count)                                                                             \
	"{\"type_id\":1008,\"message_type\":\"REQUEST_PING\",\"count\":" count ",\"queued\":0," \
	"\"dropped\":0,\"cycle_last\":0,\"cycle_max\":0,\"total_time\":62,\"average_time\":{"   \
	"\"set\":"                                                                              \
	"true,\"infinite\":false,\"number\":62}}"
#define OF_SLURM                                                                                \
	"{\"user_id\":401,\"user\":\"slurm\",\"count\":3,\"total_time\":656,\"average_time\":{" \
	"\"set\":true,\"infinite\":false,\"number\":218}}"
static const struct fake_row with_requests[] = { { "/diag/", 200,
	"{\"statistics\":{\"rpcs_by_message_type\":[" PING("1") "," PING(
		"4") ",{}],"
		     "\"rpcs_by_user\":[" OF_SLURM ",{\"user\":7}]},\"errors\":[]}" } };

static const char *of_many_users(struct str *body)
{
	for (int i = 0; i <= 2000; i++)
		str_addf(body, "%s{\"user\":\"u\",\"user_id\":%d,\"total_time\":%d}",
			i ? "," : "{\"statistics\":{\"rpcs_by_user\":[", i, i);
	str_add(body, "]},\"errors\":[]}");
	return str_text(body);
}

/* Acceptance: exporter-13 */
static void requests_are_counted_by_type_and_user(void **state)
{
	(void)state;
	struct world w;
	AUTO(str_free) struct str body = { 0 };
	begin(&w);
	when_passed(&w, 2000, with_requests, LENGTH(with_requests));
	when_scraped(&w);
	page_has(&w.page, "slurm_rpc_requests_total{type=\"REQUEST_PING\"} 5");
	page_has(&w.page, "slurm_rpc_duration_seconds_total{type=\"REQUEST_PING\"} 0.000124");
	page_has(&w.page, "slurm_user_rpc_requests_total{userid=\"401\",username=\"slurm\"} 3");
	when_passed(&w, 6000, &(struct fake_row){ "/diag/", 200, of_many_users(&body) }, 1);
	when_scraped(&w);
	page_has(&w.page, "slurm_user_rpc_requests_total{userid=\"1901\",username=\"u\"} 0");
	page_lacks(&w.page, "slurm_user_rpc_requests_total{userid=\"1900\"");
	end(&w);
}

#define JOBS_AT(last, state, start)                                                      \
	"{\"jobs\":[{\"job_id\":5,\"job_state\":[\"" state "\"],\"partition\":\"all\","  \
	"\"job_resources\":{\"nodes\":{\"allocation\":[{\"cpus\":{\"count\":1}}]}},"     \
	"\"eligible_time\":{\"set\":true,\"number\":1000},\"start_time\":{\"set\":true," \
	"\"number\":" start "}}],\"last_update\":{\"set\":true,\"number\":" last         \
	"},\"errors\":[]}"

#define ONE_PARTITION                                                                 \
	{ "/partitions/", 200,                                                        \
		"{\"partitions\":[{\"name\":\"all\"}],\"last_update\":{\"set\":true," \
		"\"number\":7},\"errors\":[]}" }

/* slurmctld expects that it starts at 2000; it starts at 1042. */
static void a_job_that_starts_is_in_the_histogram_of_waits(void **state)
{
	(void)state;
	struct world w;
	static const struct fake_row pending[] = { ONE_PARTITION,
		{ "/jobs/", 200, JOBS_AT("7", "PENDING", "2000") } };
	static const struct fake_row running[] = { ONE_PARTITION,
		{ "/jobs/", 200, JOBS_AT("8", "RUNNING", "1042") } };
	begin(&w);
	when_passed(&w, 6000, pending, LENGTH(pending));
	when_scraped(&w);
	page_has(&w.page, "slurm_partition_job_wait_seconds_count{partition=\"all\"} 0");
	when_passed(&w, 12000, running, LENGTH(running));
	when_scraped(&w);
	page_has(&w.page, "slurm_partition_job_wait_seconds_count{partition=\"all\"} 1");
	page_has(&w.page, "slurm_partition_job_wait_seconds_sum{partition=\"all\"} 42");
	end(&w);
}

static void what_has_not_changed_stays_and_is_new_again(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	given_answers(&w);
	when_passed(&w, 600000, unchanged, LENGTH(unchanged));
	when_scraped(&w);
	page_has(&w.page, "slurm_nodes_total 7");
	page_has(&w.page, "slurm_jobs_total 5");
	page_has(&w.page, "slurm_exporter_source_fresh{source=\"jobs\"} 1");
	page_has(&w.page, "slurm_bfscheduler_active_bool 1");
	page_has(&w.page, "slurm_exporter_reads_total{source=\"jobs\",result=\"changed\"} 1");
	page_lacks(&w.page, "result=\"failed\"} 1");
	end(&w);
}

/* Acceptance: exporter-8 */
static void a_source_that_fails_is_dropped_and_comes_back(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	given_answers(&w);
	when_passed(&w, 60000, broken, LENGTH(broken));
	when_scraped(&w);
	page_has(&w.page, "slurm_nodes_total 7");
	page_has(&w.page, "slurm_scheduler_jobs_submitted_total 5");
	when_passed(&w, 30000, broken, LENGTH(broken));
	when_scraped(&w);
	page_lacks(&w.page, "slurm_nodes_total");
	page_lacks(&w.page, "slurm_partition");
	page_lacks(&w.page, "slurm_scheduler");
	page_has(&w.page, "slurm_exporter_source_fresh{source=\"nodes\"} 0");
	assert_string_equal(exporter_trouble(w.e), "");
	when_passed(&w, 61000, unchanged, LENGTH(unchanged));
	when_scraped(&w);
	page_has(&w.page, "slurm_nodes_total 7");
	page_has(&w.page, "slurm_exporter_source_fresh{source=\"nodes\"} 1");
	end(&w);
}

/* A read that hangs is no reason to show old data. */
/* Acceptance: exporter-8 */
static void a_slurm_that_never_answers_is_dropped_as_well(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	given_answers(&w);
	sim_loop_pass(&w.f->loop, 60000);
	when_scraped(&w);
	page_has(&w.page, "slurm_nodes_total 7");
	sim_loop_pass(&w.f->loop, 20000);
	when_scraped(&w);
	page_lacks(&w.page, "slurm_nodes_total");
	page_lacks(&w.page, "slurm_scheduler");
	page_has(&w.page, "slurm_exporter_source_fresh{source=\"jobs\"} 0");
	end(&w);
}

/* Acceptance: exporter-8 */
static void one_source_that_fails_takes_no_other_along(void **state)
{
	(void)state;
	static const struct fake_row rows[] = {
		{ "/jobs/", 500, "{\"errors\":[{\"error\":\"x\"}]}" }, { "/nodes/?", 304, "" },
		{ "/partitions/?", 304, "" }, { "/diag/", 200, "{\"errors\":[]}" }
	};
	struct world w;
	begin(&w);
	given_answers(&w);
	when_passed(&w, 100000, rows, LENGTH(rows));
	when_scraped(&w);
	page_lacks(&w.page, "slurm_jobs");
	page_lacks(&w.page, "slurm_partition_jobs");
	page_lacks(&w.page, "slurm_scheduler");
	page_has(&w.page, "slurm_nodes_total 7");
	page_has(&w.page, "slurm_partition_nodes_total{partition=\"extra\"} 1");
	end(&w);
}

static void a_list_with_a_nameless_item_is_refused_whole(void **state)
{
	(void)state;
	static const struct fake_row rows[] = { { "/nodes/", 200,
		"{\"nodes\":[{\"name\":\"a\",\"state\":[\"IDLE\"]},{}],\"last_update\":9,"
		"\"errors\":[]}" } };
	struct world w;
	begin(&w);
	given_answers(&w);
	when_passed(&w, 6000, rows, LENGTH(rows));
	when_scraped(&w);
	page_has(&w.page, "slurm_nodes_total 7");
	page_has(&w.page, "slurm_exporter_reads_total{source=\"nodes\",result=\"failed\"} 1");
	/* The time of the refused answer is not used for the next read */
	assert_null(fake_open(&w.f->http, "/nodes/?update_time=7"));
	end(&w);
}

/* Acceptance: exporter-7 */
static void a_scrape_asks_slurm_nothing(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	given_answers(&w);
	size_t before = rest_waiting(w.f);
	for (int i = 0; i < 1000; i++)
		when_scraped(&w);
	assert_int_equal(rest_waiting(w.f), before);
	page_has(&w.page, "slurm_exporter_scrapes_total 1000");
	end(&w);
}

/* ---- what is taken of the lists ---- */

static struct source_answer *taken(enum exporter_source of,
	void (*each)(struct source_answer *, const struct json *), const char *text)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct source_answer *t = take_new(of);
	assert_false(failed(json_parse(text, strlen(text), 1 << 20, &doc)));
	for (struct json_iter it = json_iter(json_root(doc)); json_next(&it);)
		each(t, it.value);
	return t;
}

/* Acceptance: exporter-20 */
static void no_node_is_twice(void **state)
{
	(void)state;
	struct source_answer *t = taken(EXPORTER_NODES, take_node,
		"[{\"name\":\"a\",\"cpus\":1,\"gres\":\"gpu:2\"},{\"name\":\"b\"},"
		"{\"name\":\"a\",\"cpus\":2,\"gres\":\"gpu:4\"}]");
	assert_false(failed(take_end(t)));
	assert_int_equal(t->nodes.n, 2);
	assert_string_equal(t->nodes.v[0].name, "a");
	assert_int_equal(t->nodes.v[0].cpus, 1);
	assert_string_equal(t->nodes.v[1].name, "b");
	assert_int_equal(t->nodes.gres.n, 1);
	assert_int_equal(t->nodes.gres.v[0].total, 2);
	take_free(t);
}

static void partitions_are_in_order_and_none_is_twice(void **state)
{
	(void)state;
	struct source_answer *t = taken(EXPORTER_PARTITIONS, take_partition,
		"[{\"name\":\"b\"},{\"name\":\"a\",\"nodes\":{\"total\":3}},{\"name\":\"b\"}]");
	assert_false(failed(take_end(t)));
	assert_int_equal(t->partitions.n, 2);
	assert_string_equal(t->partitions.v[0].name, "a");
	assert_int_equal(t->partitions.v[0].nodes, 3);
	take_free(t);
}

static void a_user_is_a_name_and_a_number(void **state)
{
	(void)state;
	struct source_answer *t = taken(EXPORTER_JOBS, take_job,
		"[{\"job_id\":1,\"user_name\":\"a\",\"user_id\":1},"
		"{\"job_id\":2,\"user_name\":\"a\",\"user_id\":2},"
		"{\"job_id\":3,\"user_name\":\"a\",\"user_id\":1,\"account\":\"x\"}]");
	assert_false(failed(take_end(t)));
	assert_true(t->jobs.n == 3 && t->jobs.n_users == 2 && t->jobs.user_names.n == 1);
	assert_true(t->jobs.users[1].uid == 2 && t->jobs.users[1].named == 0);
	assert_int_equal(t->jobs.v[2].user, 0);
	assert_int_equal(t->jobs.accounts.n, 2);
	take_free(t);
}

static void a_kind_of_gres_is_there_once_for_a_node(void **state)
{
	(void)state;
	struct source_answer *t = taken(EXPORTER_NODES, take_node,
		"[{\"name\":\"a\",\"gres\":\"(null)\",\"gres_used\":\"N/A\"},"
		"{\"name\":\"b\",\"gres\":\"gpu:2(S:0),gpu:2(S:1),gpu:x:1\",\"gres_used\":\"gpu:"
		"3\"},"
		"{\"name\":\"c\",\"gres\":\"gpu:0\",\"gres_used\":\"gpu:x:1\"}]");
	assert_false(failed(take_end(t)));
	const struct exporter_gres_list *l = &t->nodes.gres;
	assert_true(l->n == 3 && l->n_kinds == 2);
	assert_true(l->v[0].of == 1 && l->v[0].total == 4 && l->v[0].alloc == 3);
	assert_true(l->v[1].of == 1 && l->v[1].kind == 1 && l->v[1].total == 1);
	assert_true(l->v[2].of == 2 && l->v[2].kind == 1 && l->v[2].alloc == 1);
	assert_string_equal(l->kinds[1].name, "gpu");
	assert_string_equal(l->kinds[1].type, "x");
	assert_string_equal(l->kinds[0].type, "");
	take_free(t);
}

/* A list that no Slurm has takes no memory without end. */
static void too_much_is_refused(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = NULL;
	static const char text[] = "{\"name\":\"p\"}";
	struct source_answer *t = take_new(EXPORTER_PARTITIONS);
	assert_false(failed(json_parse(text, strlen(text), 100, &doc)));
	for (int i = 0; i < 4096; i++)
		take_partition(t, json_root(doc));
	assert_false(failed(t->err));
	take_partition(t, json_root(doc));
	take_partition(t, json_root(doc));
	assert_int_equal(take_end(t).kind, ERR_TOO_LARGE);
	take_free(t);
}

static void an_empty_list_is_one(void **state)
{
	(void)state;
	for (int i = 0; i < EXPORTER_DIAG; i++) {
		struct source_answer *t = take_new((enum exporter_source)i);
		assert_false(failed(take_end(t)));
		take_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_slurm_says_is_on_the_page),
		cmocka_unit_test(gres_are_those_that_slurm_says),
		cmocka_unit_test(requests_are_counted_by_type_and_user),
		cmocka_unit_test(a_job_that_starts_is_in_the_histogram_of_waits),
		cmocka_unit_test(what_has_not_changed_stays_and_is_new_again),
		cmocka_unit_test(a_source_that_fails_is_dropped_and_comes_back),
		cmocka_unit_test(a_slurm_that_never_answers_is_dropped_as_well),
		cmocka_unit_test(one_source_that_fails_takes_no_other_along),
		cmocka_unit_test(a_list_with_a_nameless_item_is_refused_whole),
		cmocka_unit_test(a_scrape_asks_slurm_nothing),
		cmocka_unit_test(no_node_is_twice),
		cmocka_unit_test(partitions_are_in_order_and_none_is_twice),
		cmocka_unit_test(a_user_is_a_name_and_a_number),
		cmocka_unit_test(a_kind_of_gres_is_there_once_for_a_node),
		cmocka_unit_test(too_much_is_refused),
		cmocka_unit_test(an_empty_list_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
