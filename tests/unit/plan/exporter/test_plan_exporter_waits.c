/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram of waits: which starts count, once each. */
#include "lib/metrics_page.h"

#include "plan/exporter/text.h"
#include "plan/exporter/waits.h"
#include "slurm/job_state.h"

enum { T = 1795715300 }; /* some time */

static const char *const lists[] = { "a", "a,b" };
enum { IN_A, IN_BOTH };

#define JOB(number, bits, in, eligible, start) \
	{ .id = (number),                      \
		.state = (bits),               \
		.list = (in),                  \
		.cpus = 1,                     \
		.eligible_s = (eligible),      \
		.start_s = (start) }

static void end(struct exporter_waits *w) { exporter_waits_free(w); }
#define WAITS(w) struct exporter_waits w AUTO(end) = { 0 }

static void when_listed(struct exporter_waits *w, const struct exporter_job *jobs, size_t n)
{
	const struct exporter_jobs all = { jobs, n, { lists, LENGTH(lists) } };
	exporter_waits_take(w, &all, T);
}
#define LISTED(w, ...)                                           \
	do {                                                     \
		const struct exporter_job v[] = { __VA_ARGS__ }; \
		when_listed(w, v, LENGTH(v));                    \
	} while (0)

static void then_started(const struct exporter_waits *w, const char *partition, int bucket,
	double n)
{
	const struct partition_waits *p = exporter_waits_of(w, partition);
	double is = p ? p->started[bucket] : 0;
	if (is != n)
		fail_msg("%s: %g jobs in bucket %d, not %g", partition, is, bucket, n);
}

/* Acceptance: exporter-19 */
static void a_start_between_two_lists_counts_once(void **state)
{
	(void)state;
	WAITS(w);
	LISTED(&w, JOB(1, JOB_RUNNING, IN_A, T - 500, T - 100),
		JOB(2, JOB_PENDING, IN_A, T - 60, 0));
	then_started(&w, "a", 3, 0); /* it had started before */
	for (int i = 0; i < 3; i++)
		LISTED(&w, JOB(1, JOB_COMPLETED, IN_A, T - 500, T - 100),
			JOB(2, JOB_RUNNING, IN_BOTH, T - 60, T));
	then_started(&w, "a", 2, 1);
	then_started(&w, "b", 2, 1);
	assert_true(exporter_waits_of(&w, "a")->sum_s == 60);
	assert_null(exporter_waits_of(&w, "c"));
	assert_null(exporter_waits_of(&w, ""));
}

/* Acceptance: exporter-19 */
static void jobs_that_start_in_the_same_second_count_each(void **state)
{
	(void)state;
	WAITS(w);
	LISTED(&w, JOB(7, JOB_RUNNING, IN_A, T - 9, T));
	LISTED(&w, JOB(9, JOB_RUNNING, IN_A, T, T), JOB(7, JOB_RUNNING, IN_A, T - 9, T),
		JOB(8, JOB_FAILED, IN_A, T - 1, T));
	then_started(&w, "a", 0, 2);
	then_started(&w, "a", 1, 0);
	LISTED(&w, JOB(7, JOB_RUNNING, IN_A, T - 9, T), JOB(8, JOB_FAILED, IN_A, T - 1, T),
		JOB(10, JOB_RUNNING, IN_A, T - 9, T));
	then_started(&w, "a", 1, 1);
}

/* Acceptance: exporter-19 */
static void a_job_that_is_cancelled_while_it_waits_does_not_count(void **state)
{
	(void)state;
	WAITS(w);
	struct exporter_job cancelled = JOB(1, JOB_CANCELLED, IN_A, T - 7200, T);
	cancelled.cpus = 0;
	when_listed(&w, NULL, 0);
	when_listed(&w, &cancelled, 1);
	assert_null(exporter_waits_of(&w, "a"));
}

/* Acceptance: exporter-19 */
static void a_start_ahead_of_our_clock_counts_later_and_hides_no_other(void **state)
{
	(void)state;
	WAITS(w);
	when_listed(&w, NULL, 0);
	LISTED(&w, JOB(1, JOB_RUNNING, IN_A, T - 9, T + 3500));
	assert_null(exporter_waits_of(&w, "a"));
	LISTED(&w, JOB(1, JOB_RUNNING, IN_A, T - 9, T + 3500),
		JOB(2, JOB_RUNNING, IN_A, T - 9, T - 1));
	then_started(&w, "a", 1, 1);
}

/* Acceptance: exporter-19 */
static void what_is_no_start_does_not_count(void **state)
{
	(void)state;
	WAITS(w);
	when_listed(&w, NULL, 0);
	LISTED(&w, JOB(1, JOB_PENDING, IN_A, T - 5, T + 60), /* as backfill expects */
		JOB(2, JOB_RUNNING | JOB_CONFIGURING | JOB_POWER_UP_NODE, IN_A, T - 500, T - 10),
		JOB(3, JOB_RUNNING, IN_A, 0, T - 10),         /* never eligible */
		JOB(4, JOB_RUNNING, IN_A, T - 5, T + 90000)); /* a broken time */
	assert_null(exporter_waits_of(&w, "a"));
	/* The nodes of the job are there: it starts anew */
	LISTED(&w, JOB(2, JOB_RUNNING, IN_A, T - 500, T - 3), JOB(5, JOB_RUNNING, IN_A, T, T - 2));
	then_started(&w, "a", 4, 1);
	then_started(&w, "a", 0, 1); /* its wait is below 0: a clock was set */
}

/* Acceptance: exporter-19 */
static void a_job_that_runs_again_counts_again(void **state)
{
	(void)state;
	WAITS(w);
	when_listed(&w, NULL, 0);
	LISTED(&w, JOB(1, JOB_RUNNING, IN_A, T - 500, T - 499));
	LISTED(&w, JOB(1, JOB_PENDING, IN_A, T - 300, 0));
	LISTED(&w, JOB(1, JOB_RUNNING, IN_A, T - 300, T - 299));
	then_started(&w, "a", 0, 2);
}

/* Acceptance: exporter-19 */
static void a_wait_is_in_the_first_bucket_that_holds_it(void **state)
{
	(void)state;
	WAITS(w);
	when_listed(&w, NULL, 0);
	for (int i = 0; i < WAIT_BOUNDS; i++)
		LISTED(&w,
			JOB(2 * i, JOB_RUNNING, IN_A, T - 50 + i - exporter_wait_bounds[i],
				T - 50 + i),
			JOB(2 * i + 1, JOB_RUNNING, IN_A, T - 50 + i - exporter_wait_bounds[i] - 1,
				T - 50 + i));
	then_started(&w, "a", 0, 1);
	for (int i = 1; i < WAIT_BOUNDS; i++)
		then_started(&w, "a", i, 2);
	then_started(&w, "a", WAIT_BOUNDS, 1);
}

static void the_page_has_each_bucket_with_those_below_it(void **state)
{
	(void)state;
	WAITS(w);
	AUTO(str_free) struct str page = { 0 };
	static const struct exporter_partition known[] = { { "a", 1, 1 }, { "idle", 1, 1 } };
	const struct exporter_partitions partitions = { known, LENGTH(known) };
	const struct exporter_jobs none = { 0 };
	when_listed(&w, NULL, 0);
	LISTED(&w, JOB(1, JOB_RUNNING, IN_A, T - 5, T - 4),
		JOB(2, JOB_RUNNING, IN_A, T - 40, T - 4),
		JOB(3, JOB_RUNNING, IN_A, T - 9999999, T - 4));
	struct exporter_facts f = { .jobs = &none, .partitions = &partitions, .waits = &w };
	exporter_gauges(&f, &page);
	page_has(&page, "# TYPE slurm_partition_job_wait_seconds histogram");
	page_has(&page, "slurm_partition_job_wait_seconds_bucket{partition=\"a\",le=\"1.0\"} 1");
	page_has(&page, "slurm_partition_job_wait_seconds_bucket{partition=\"a\",le=\"10.0\"} 1");
	page_has(&page, "slurm_partition_job_wait_seconds_bucket{partition=\"a\",le=\"60.0\"} 2");
	page_has(&page,
		"slurm_partition_job_wait_seconds_bucket{partition=\"a\",le=\"604800.0\"} 2");
	page_has(&page, "slurm_partition_job_wait_seconds_bucket{partition=\"a\",le=\"+Inf\"} 3");
	page_has(&page, "slurm_partition_job_wait_seconds_sum{partition=\"a\"} 10000032");
	page_has(&page, "slurm_partition_job_wait_seconds_count{partition=\"a\"} 3");
	page_has(&page, "slurm_partition_job_wait_seconds_count{partition=\"idle\"} 0");
	f.jobs = NULL;
	str_clear(&page);
	exporter_gauges(&f, &page);
	page_lacks(&page, "job_wait");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_between_two_lists_counts_once),
		cmocka_unit_test(jobs_that_start_in_the_same_second_count_each),
		cmocka_unit_test(what_is_no_start_does_not_count),
		cmocka_unit_test(a_job_that_is_cancelled_while_it_waits_does_not_count),
		cmocka_unit_test(a_start_ahead_of_our_clock_counts_later_and_hides_no_other),
		cmocka_unit_test(a_job_that_runs_again_counts_again),
		cmocka_unit_test(a_wait_is_in_the_first_bucket_that_holds_it),
		cmocka_unit_test(the_page_has_each_bucket_with_those_below_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
