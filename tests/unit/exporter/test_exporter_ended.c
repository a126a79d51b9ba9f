/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that have ended, by the exporter: what slurmdbd 24.11.5 answered, each job once,
 * and what fails alone.
 */
#include "lib/fake_slurmrestd.h"
#include "lib/metrics_page.h"

#include "exporter/exporter.h"
#include "exporter/ended.h"
#include "slurm/rest/ended.h"

enum { T = 1795749264 }; /* when the recorded jobs were submitted */

/* ---- one job ---- */

static struct json_doc *recorded(const char *name)
{
	int status;
	struct json_doc *doc = NULL;
	AUTO(own_free) char *body = recorded_answer(name, &status);
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	return doc;
}

/*
 * As sacct said: TotalCPU 4.314, CPUTimeRAW 7, TRESUsageInTot mem=61692K; 15; 1; 2; and
 * 1.237, 9, 15640K. The job 6 is 2_1, whose first run was requeued.
 */
/* Acceptance: exporter-17 */
static void jobs_are_as_sacct_shows_them(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = recorded("24.11/v0.0.42/ended-steps");
	AUTO(str_free) struct str all = { 0 };
	for (struct json_iter it = json_iter(json_get(json_root(doc), "jobs")); json_next(&it);) {
		struct slurm_ended_job j;
		assert_false(failed(slurm_read_ended(it.value, &j)));
		str_addf(&all, "%lld (%lld_%lld) %s %s/%s/%s %.3f of %lld s, %lld of %lld\n",
			(long long)j.id, (long long)j.array_id, (long long)j.task,
			j.ended ? "ended" : "goes on", j.partition, j.account, j.user, j.cpu_s,
			(long long)(j.elapsed_s * j.cpus), (long long)(j.memory_used >> 10),
			(long long)(j.memory >> 20));
	}
	assert_string_equal(str_text(&all),
		"6 (2_1) goes on all/physics/alice 0.003 of 8 s, 3396 of 10\n"
		"1 (0_0) ended all/physics/alice 4.314 of 7 s, 61692 of 100\n"
		"5 (0_0) ended all/physics/alice 0.002 of 15 s, 3456 of 20\n"
		"6 (2_1) ended all/physics/alice 0.004 of 1 s, 3344 of 10\n"
		"7 (0_0) ended all/root/root 0.007 of 2 s, 3588 of 60\n"
		"8 (0_0) ended all/physics/alice 1.237 of 9 s, 15640 of 40\n");
}

/* Acceptance: exporter-17 */
static void a_job_without_a_number_is_refused(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct slurm_ended_job j;
	static const char text[] = "{\"steps\":7,\"tres\":[],\"time\":{\"end\":\"x\"}}";
	assert_false(failed(json_parse(text, strlen(text), 1000, &doc)));
	assert_int_equal(slurm_read_ended(json_root(doc), &j).kind, ERR_INVALID);
}

/* ---- windows ---- */

/* Acceptance: exporter-17 */
static void windows_leave_no_second_out_and_none_is_twice(void **state)
{
	(void)state;
	struct exporter_ended e = { .limits = { 9, 9, 9, 9 } };
	struct ended_window w;
	int64_t next_s = T - ENDED_LATE_S;
	for (int i = 0; i < 5; i++) {
		assert_true(exporter_ended_window(&e, T + 60 * i, &w));
		assert_true(w.from_s == next_s && w.to_s == T + 60 * i - ENDED_LATE_S);
		exporter_ended_take(&e, &w, NULL, 0);
		next_s = w.to_s + 1;
	}
	assert_false(exporter_ended_window(&e, T + 240, &w));
	/* Slurm could not be asked for a day: a part at a time */
	assert_true(exporter_ended_window(&e, T + 86400, &w));
	assert_true(w.from_s == next_s && w.to_s == next_s + ENDED_MOST_S - 1);
	for (int span = ENDED_MOST_S / 2; span > 0; span /= 2) {
		exporter_ended_too_large(&e, &w);
		assert_true(exporter_ended_window(&e, T + 86400, &w));
		assert_true(w.from_s == next_s && w.to_s == next_s + span - 1);
	}
	/* Not even a second fits: it is left out */
	exporter_ended_too_large(&e, &w);
	assert_true(exporter_ended_window(&e, T + 86400, &w));
	assert_true(w.from_s == next_s + 1);
	exporter_ended_free(&e);
}

/* ---- the exporter ---- */

struct world {
	struct fake_slurmrestd *f;
	struct slurm *slurm;
	struct exporter_ended sums;
	struct ended_reader *reader;
	struct err err;
	int ends;
};

static void ended(void *ctx, struct err err)
{
	struct world *w = ctx;
	w->err = err;
	w->ends++;
}

static void begin(struct world *w)
{
	*w = (struct world){ .f = fake_slurmrestd_new() };
	w->f->http.forgets = true;
	w->slurm = rest_client(w->f);
	w->sums.limits = (struct exporter_limits){ 100, 100, 100, 100 };
	w->reader = ended_reader_new(&w->f->loop.loop, w->slurm, &w->sums);
}

static void end(struct world *w)
{
	ended_reader_free(w->reader);
	slurm_free(w->slurm);
	fake_slurmrestd_free(w->f);
	exporter_ended_free(&w->sums);
}

/* The window from T+5 to T+100, of which the list of jobs was recorded. */
static void when_read(struct world *w)
{
	bool first = !w->sums.until_s;
	if (first)
		w->sums.until_s = T + 4;
	w->f->loop.wall_ms = (int64_t)(T + 100 + ENDED_LATE_S) * 1000 - w->f->loop.now_ms;
	ended_reader_read(w->reader, ended, w);
	if (first)
		rest_negotiates(w->f);
}

static void when_answered(struct world *w, const char *part, int status, const char *body)
{
	struct http_call *c = fake_open(&w->f->http, part);
	if (!c)
		fail_msg("nothing was asked that has \"%s\"", part);
	fake_answer(c, status, body);
}

static void when_replayed(struct world *w, const char *part, const char *name)
{
	int status;
	AUTO(own_free) char *body = recorded_answer(name, &status);
	when_answered(w, part, status, body);
}

#define LIST "GET /slurmdb/v0.0.42/jobs/?skip_steps=true&show_duplicates=true"
#define SOME "GET /slurmdb/v0.0.42/jobs/?show_duplicates=true&step="

static const double *sum_of(const struct name_rows *r, const char *name)
{
	const struct ended_sum *sum = name_rows_find(r, sizeof(*sum), name, strlen(name));
	if (!sum)
		fail_msg("no job of %s was counted", name);
	return sum->v;
}

static void then_physics_is(struct world *w, double jobs)
{
	const double *v = sum_of(&w->sums.accounts, "physics");
	assert_true(v[ENDED_JOBS] == jobs);
}

/* Acceptance: exporter-17 */
static void what_slurmdbd_says_is_added_up(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	when_read(&w);
	when_replayed(&w, LIST, "24.11/v0.0.42/ended-jobs");
	/* Job 4 was cancelled before it ran; of the others one started at T+1 */
	struct http_call *c = fake_open(&w.f->http, SOME);
	assert_non_null(c);
	assert_string_equal(c->path,
		"/slurmdb/v0.0.42/jobs/?show_duplicates=true&step=1&step=5&step=2_1&step=7&step=8"
		"&start_time=1795749265&end_time=1795749364");
	when_replayed(&w, SOME, "24.11/v0.0.42/ended-steps");
	assert_true(w.ends == 1 && !failed(w.err));
	const double *v = sum_of(&w.sums.accounts, "physics");
	assert_true(v[ENDED_JOBS] == 4 && v[ENDED_CPU_ALLOCATED] == 7 + 15 + 1 + 9);
	assert_true(v[ENDED_CPU] > 5.5577 && v[ENDED_CPU] < 5.5578);
	assert_true(v[ENDED_MEMORY_MAX] == (61692.0 + 3456 + 3344 + 15640) * 1024);
	assert_true(v[ENDED_MEMORY_REQUESTED] == (100.0 + 20 + 10 + 40) * 1048576);
	assert_true(sum_of(&w.sums.users, "root")[ENDED_CPU_ALLOCATED] == 2);
	assert_true(sum_of(&w.sums.partitions, "all")[ENDED_JOBS] == 5);
	/* The window was read: there is nothing to ask */
	when_read(&w);
	assert_true(w.ends == 2 && !failed(w.err) && !rest_waiting(w.f));
	end(&w);
}

/* Acceptance: exporter-17 */
static void nobody_ended(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	when_read(&w);
	when_replayed(&w, LIST, "24.11/v0.0.42/ended-none");
	assert_true(w.ends == 1 && !failed(w.err) && !w.sums.accounts.n);
	assert_int_equal(w.sums.until_s, T + 100);
	end(&w);
}

#define NO_DATABASE                                                                            \
	"{\"errors\":[{\"description\":\"Failed to open slurmdbd connection\","                \
	"\"error_number\":7000,\"error\":\"Unable to connect to database\"}],\"warnings\":[]," \
	"\"meta\":{\"slurm\":{\"cluster\":\"lab\"}}}"

/* A window that failed on the way is read anew, and no job of it is counted twice. */
/* Acceptance: exporter-17 */
static void a_job_counts_once_after_a_failure(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	when_read(&w);
	when_replayed(&w, LIST, "24.11/v0.0.42/ended-jobs");
	when_answered(&w, SOME, 502, NO_DATABASE);
	assert_true(w.ends == 1 && w.err.kind == ERR_RETRY && !w.sums.accounts.n);
	assert_non_null(strstr(w.err.text, "slurmdbd does not answer slurmrestd"));
	when_read(&w);
	when_replayed(&w, LIST, "24.11/v0.0.42/ended-jobs");
	when_replayed(&w, SOME, "24.11/v0.0.42/ended-steps");
	assert_true(w.ends == 2 && !failed(w.err));
	then_physics_is(&w, 4);
	end(&w);
}

/* A slurmrestd that serves slurmctld alone: the others are read by the same version. */
static void a_slurmrestd_without_slurmdbd_fails_alone(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	when_read(&w);
	when_answered(&w, LIST, 404, "Unable find requested URL.");
	assert_true(w.ends == 1 && w.err.kind == ERR_RETRY);
	assert_non_null(strstr(w.err.text, "slurmrestd does not serve slurmdbd"));
	assert_int_equal(rest_waiting(w.f), 0);
	end(&w);
}

/* ---- too large ---- */

/* A list of so many bytes, of jobs that did not end in the window. */
static char *long_list(size_t bytes)
{
	enum { NAME = 1 << 20 };
	struct str s = { 0 };
	AUTO(own_free) char *name = own_alloc(NAME + 1);
	memset(name, 'a', NAME);
	str_add(&s, "{\"errors\":[],\"warnings\":[],\"jobs\":[{\"job_id\":1}");
	while (s.len < bytes)
		str_addf(&s, ",{\"job_id\":2,\"name\":\"%s\"}", name);
	str_add(&s, "]}");
	return s.text;
}

static void a_list_that_is_too_large_is_asked_for_in_parts(void **state)
{
	(void)state;
	struct world w;
	AUTO(own_free) char *body = long_list((32 << 20) + 1);
	begin(&w);
	when_read(&w);
	when_answered(&w, LIST, 200, body);
	assert_true(w.ends == 1 && w.err.kind == ERR_TOO_LARGE);
	when_read(&w);
	assert_non_null(fake_open(&w.f->http, "&start_time=1795749269&end_time=1795749316"));
	end(&w);
}

static void a_job_that_is_too_large_is_left_out(void **state)
{
	(void)state;
	struct world w;
	AUTO(own_free) char *body = long_list((32 << 20) + 1);
	begin(&w);
	when_read(&w);
	when_replayed(&w, LIST, "24.11/v0.0.42/ended-jobs");
	when_answered(&w, "step=1&step=5&step=2_1&step=7&step=8", 200, body);
	when_answered(&w, "step=1&step=5&start", 200, body);
	when_answered(&w, "step=1&start", 200, body); /* it alone */
	while (!w.ends)
		when_replayed(&w, SOME, "24.11/v0.0.42/ended-steps");
	assert_true(!failed(w.err) && w.sums.left_out == 1);
	then_physics_is(&w, 3);
	assert_true(sum_of(&w.sums.accounts, "root")[ENDED_JOBS] == 1);
	end(&w);
}

/* ---- the page ---- */

static void the_page_has_counters_of_at_most_so_many(void **state)
{
	(void)state;
	AUTO(str_free) struct str page = { 0 };
	struct exporter_ended e = { .limits = { 9, 1, 1, 9 } };
	struct ended_window w = { T, T };
	const struct exporter_ended_job jobs[] = {
		{ "all", "a\"b", "u", { 1, 2.5, 10, 1024, 4096 } },
		{ "all", "c", "u", { 1, 1, 10, 0, 0 } },
		{ "all", "c", "", { 1, 1, 10, 0, 0 } },
	};
	exporter_ended_take(&e, &w, jobs, LENGTH(jobs));
	struct exporter_self self = { .version = "1", .ended = &e };
	exporter_rest(NULL, &self, EXPORTER_OPENMETRICS, &page);
	page_has(&page, "# TYPE slurm_account_ended_jobs_cpu_seconds counter");
	page_has(&page, "slurm_account_ended_jobs_cpu_seconds_total{account=\"c\"} 2");
	page_has(&page, "slurm_partition_ended_jobs_cpu_seconds_total{partition=\"all\"} 4.5");
	page_has(&page,
		"slurm_partition_ended_jobs_cpu_allocated_seconds_total{partition=\"all\"} 30");
	page_has(&page, "slurm_user_ended_jobs_memory_max_bytes_total{user=\"u\"} 1024");
	page_has(&page, "slurm_user_ended_jobs_memory_requested_bytes_total{user=\"u\"} 4096");
	page_has(&page, "slurm_partition_ended_jobs_total{partition=\"all\"} 3");
	page_has(&page, "slurm_exporter_ended_left_out{of=\"accounts\"} 1");
	page_lacks(&page, "account=\"a");
	self.ended = NULL;
	str_clear(&page);
	exporter_rest(NULL, &self, EXPORTER_TEXT, &page);
	page_lacks(&page, "ended");
	exporter_ended_free(&e);
}

/* Only when it is wanted, and once a minute; its failure takes nothing else along. */
static void it_is_off_by_default(void **state)
{
	(void)state;
	for (int wanted = 0; wanted < 2; wanted++) {
		AUTO(str_free) struct str rest = { 0 };
		struct fake_slurmrestd *f = fake_slurmrestd_new();
		struct slurm *slurm = rest_client(f);
		struct exporter *e = exporter_new(&(struct exporter_config){
			.loop = &f->loop.loop,
			.slurm = slurm,
			.cache_ms = 5000,
			.job_efficiency = wanted,
			.limits = { 100, 100, 100, 100 },
		});
		f->http.forgets = true;
		rest_negotiates(f);
		static const struct fake_row rows[] = { { "/slurmdb/", 404, "" },
			{ "/diag/", 200, "{\"statistics\":{},\"errors\":[]}" }, { "", 502, "" } };
		int asked = 0;
		for (int i = 0; i < 40; i++) {
			asked += fake_count(&f->http, "/slurmdb/");
			fake_answer_all(&f->http, rows, LENGTH(rows));
			sim_loop_pass(&f->loop, 1000);
		}
		exporter_page(e, EXPORTER_TEXT, &(struct exporter_process){ 0 }, &rest);
		assert_int_equal(asked, wanted);
		assert_string_equal(exporter_trouble(e), "");
		page_has(&rest, "slurm_exporter_source_fresh{source=\"diag\"} 1");
		if (wanted)
			page_has(&rest, "slurm_exporter_source_fresh{source=\"accounting\"} 0");
		else
			page_lacks(&rest, "accounting");
		exporter_free(e);
		slurm_free(slurm);
		fake_slurmrestd_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_as_sacct_shows_them),
		cmocka_unit_test(a_job_without_a_number_is_refused),
		cmocka_unit_test(windows_leave_no_second_out_and_none_is_twice),
		cmocka_unit_test(what_slurmdbd_says_is_added_up),
		cmocka_unit_test(nobody_ended),
		cmocka_unit_test(a_job_counts_once_after_a_failure),
		cmocka_unit_test(a_slurmrestd_without_slurmdbd_fails_alone),
		cmocka_unit_test(a_list_that_is_too_large_is_asked_for_in_parts),
		cmocka_unit_test(a_job_that_is_too_large_is_left_out),
		cmocka_unit_test(the_page_has_counters_of_at_most_so_many),
		cmocka_unit_test(it_is_off_by_default),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
