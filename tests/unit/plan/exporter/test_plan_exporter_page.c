/* SPDX-License-Identifier: Apache-2.0 */
/* The page of metrics: formats, rows, and when Slurm is read again for it. */
#include "lib/metrics_page.h"

#include "plan/exporter/rule.h"
#include "plan/exporter/rpcs.h"
#include "plan/exporter/text.h"

/* ---- the short part and the formats ---- */

static void then_ends(const struct str *page, const char *with)
{
	size_t n = strlen(with);
	assert_true(page->len >= n);
	assert_string_equal(page->text + page->len - n, with);
}

static void counters_and_the_end_of_each_format(void **state)
{
	(void)state;
	struct exporter_diag diag = { .v = { 21 }, .told = { true } };
	struct exporter_self self = { .version = "1.2", .reads = { { 3, 4, 5 } } };
	AUTO(str_free) struct str page = { 0 };
	self.source[EXPORTER_JOBS][SOURCE_AGE] = 1.5;
	self.source[EXPORTER_NODES][SOURCE_AGE] = __builtin_nan("");
	exporter_rest(&diag, &self, EXPORTER_TEXT, &page);
	page_has(&page, "# TYPE slurm_scheduler_cycle_depth_total counter");
	page_has(&page, "slurm_scheduler_cycle_depth_total 21");
	page_has(&page, "slurm_exporter_reads_total{source=\"nodes\",result=\"failed\"} 5");
	page_has(&page, "slurm_exporter_data_age_seconds{source=\"jobs\"} 1.5");
	page_has(&page, "slurm_exporter_build_info{version=\"1.2\"} 1");
	page_lacks(&page, "slurm_exporter_data_age_seconds{source=\"nodes\"}");
	page_lacks(&page, "slurm_scheduler_cycle_last_seconds");
	page_lacks(&page, "# EOF");
	str_clear(&page);
	exporter_rest(&diag, &self, EXPORTER_OPENMETRICS, &page);
	page_has(&page, "# TYPE slurm_scheduler_cycle_depth counter");
	page_has(&page, "slurm_scheduler_cycle_depth_total 21");
	then_ends(&page, "\n# EOF\n");
	str_clear(&page);
	exporter_rest(NULL, &self, EXPORTER_TEXT, &page);
	page_lacks(&page, "slurm_scheduler");
}

static void microseconds_become_seconds(void **state)
{
	(void)state;
	struct exporter_diag diag = { 0 };
	struct exporter_self self = { .version = "" };
	AUTO(str_free) struct str page = { 0 };
	for (size_t i = 0; i < n_exporter_statistics; i++) {
		diag.told[i] = true;
		diag.v[i] = 1500000;
	}
	exporter_rest(&diag, &self, EXPORTER_TEXT, &page);
	page_has(&page, "slurm_scheduler_cycle_last_seconds 1500000");
	page_has(&page, "slurm_scheduler_cycle_last_duration_seconds 1.5");
	page_has(&page, "slurm_bfscheduler_cycle_duration_seconds_total 1.5");
}

/* Exporter 0.3 had 0 for "not set", which its names keep. */
/* Acceptance: metric-3 */
static void a_time_that_never_was_has_no_sample_under_the_right_name(void **state)
{
	(void)state;
	struct exporter_diag diag = { 0 };
	struct exporter_self self = { .version = "" };
	AUTO(str_free) struct str page = { 0 };
	for (size_t i = 0; i < n_exporter_statistics; i++)
		diag.told[i] = true;
	exporter_rest(&diag, &self, EXPORTER_TEXT, &page);
	page_has(&page, "slurm_bfscheduler_lastcycle_timestamp 0");
	page_has(&page, "slurm_scheduler_jobs_stats_timestamp 0");
	page_lacks(&page, "slurm_bfscheduler_lastcycle_timestamp_seconds");
	page_lacks(&page, "slurm_scheduler_jobs_stats_timestamp_seconds");
	page_has(&page, "slurm_scheduler_jobs_pending 0");
}

/* A byte more of time than the rest: the hundred with the most time are shown. */
/* Acceptance: exporter-9 */
static void requests_by_type_and_of_the_users_with_the_most_time(void **state)
{
	(void)state;
	struct exporter_rpc users[120];
	const struct exporter_rpc types[] = { { "REQUEST_PING", -1, 3, 2500000 } };
	struct exporter_diag diag = { .types = { types, 1 }, .users = { users, LENGTH(users) } };
	struct exporter_self self = { .version = "" };
	AUTO(str_free) struct str page = { 0 };
	for (int64_t i = 0; i < (int64_t)LENGTH(users); i++)
		users[i] = (struct exporter_rpc){ "same", 1000 + i, i, i * 1000000 };
	exporter_rest(&diag, &self, EXPORTER_TEXT, &page);
	page_has(&page, "# TYPE slurm_rpc_requests_total counter");
	page_has(&page, "slurm_rpc_requests_total{type=\"REQUEST_PING\"} 3");
	page_has(&page, "slurm_rpc_duration_seconds_total{type=\"REQUEST_PING\"} 2.5");
	page_has(&page,
		"slurm_user_rpc_duration_seconds_total{userid=\"1020\",username=\"same\"} 20");
	page_lacks(&page, "slurm_user_rpc_requests_total{userid=\"1019\"");
	str_clear(&page);
	exporter_rest(NULL, &self, EXPORTER_TEXT, &page);
	page_lacks(&page, "slurm_rpc");
}

/* Acceptance: metric-2 */
static void requests_are_ranked_once_for_each_answer(void **state)
{
	(void)state;
	struct exporter_rpc users[300];
	for (int64_t i = 0; i < (int64_t)LENGTH(users); i++)
		users[i] = (struct exporter_rpc){ i % 2 ? "odd" : "even", i, 1, i / 2 * 1000 };
	assert_int_equal(exporter_rank_rpcs(users, LENGTH(users)), EXPORTER_RPCS_SHOWN);
	assert_int_equal(users[0].uid, 298); /* of two with the same time by name */
	assert_int_equal(users[1].uid, 299);
	assert_int_equal(users[EXPORTER_RPCS_SHOWN - 1].uid, 201);
	assert_int_equal(exporter_rank_rpcs(users, 7), 7);
	assert_int_equal(exporter_rank_rpcs(NULL, 0), 0);
}

#define OPEN "application/openmetrics-text"
#define OF_PROMETHEUS                                                                      \
	OPEN ";version=1.0.0;q=0.5," OPEN ";version=0.0.1;q=0.4,text/plain;version=0.0.4;" \
	     "q=0.3,\x2a/\x2a;q=0.2"

static void a_client_gets_the_format_that_it_names(void **state)
{
	(void)state;
	static const struct {
		const char *accept;
		enum exporter_format is;
	} rows[] = {
		{ NULL, EXPORTER_TEXT },
		{ "", EXPORTER_TEXT },
		{ "\x2a/\x2a", EXPORTER_TEXT },
		{ "text/plain", EXPORTER_TEXT },
		{ "application/openmetrics-text", EXPORTER_OPENMETRICS },
		{ OF_PROMETHEUS, EXPORTER_OPENMETRICS },
		{ "text/plain;q=0.9, Application/OpenMetrics-Text ; q=0.3", EXPORTER_TEXT },
		{ "application/openmetrics-text;q=0", EXPORTER_TEXT },
		{ "application/openmetrics-text;q=0.000,text/plain;q=0", EXPORTER_TEXT },
		{ "application/openmetrics-textual", EXPORTER_TEXT },
		{ ",,;;q=,application/openmetrics-text;q=", EXPORTER_OPENMETRICS },
		{ ";", EXPORTER_TEXT },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (exporter_format_for(rows[i].accept) != rows[i].is)
			fail_msg("Accept: %s", rows[i].accept);
}

/* Acceptance: exporter-10 */
static void gzip_is_for_clients_that_name_it(void **state)
{
	(void)state;
	static const struct {
		const char *accept;
		bool takes;
	} rows[] = {
		{ NULL, false },
		{ "", false },
		{ "gzip", true },
		{ "deflate, GZIP;q=0.5", true },
		{ "gzip;q=0", false },
		{ "gzip;q=0.0, br", false },
		{ "br;q=1.0,\tgzip;q=0.001", true },
		{ "gzipped", false },
		{ "\x2a", false },
		{ "identity", false },
		{ ",;gzip", false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (exporter_takes_gzip(rows[i].accept) != rows[i].takes)
			fail_msg("Accept-Encoding: %s", rows[i].accept);
}

/* ---- rows ---- */

typedef void each_row(const struct exporter_row *row, void *ctx);

static void for_each_row(each_row *each, void *ctx)
{
	for (size_t t = 0; t < n_exporter_tables; t++)
		for (size_t i = 0; i < exporter_tables[t]->n; i++)
			each(&exporter_tables[t]->rows[i], ctx);
}

struct found {
	const char *name;
	int n;
	const struct exporter_row *row;
};

static void compare_name(const struct exporter_row *row, void *ctx)
{
	struct found *f = ctx;
	if (str_eq(row->name, f->name)) {
		f->n++;
		f->row = row;
	}
}

static bool has_end(const char *s, const char *end)
{
	return strlen(s) > strlen(end) && str_eq(s + strlen(s) - strlen(end), end);
}

static void look_at_row(const struct exporter_row *row, void *ctx)
{
	struct found same = { .name = row->name }, right = { .name = row->right };
	(void)ctx;
	for_each_row(compare_name, &same);
	if (same.n != 1)
		fail_msg("%s is there %d times", row->name, same.n);
	if (row->right)
		for_each_row(compare_name, &right);
	if (row->right && (right.n != 1 || right.row->right))
		fail_msg("%s: %s should be the right one", row->name, row->right);
	if (row->right && row->since == EXPORTER_NOW)
		fail_msg("%s is new and wrong", row->name);
	if (has_end(row->name, "_total") != (row->kind == EXPORTER_COUNTER) && !row->right)
		fail_msg("%s: a counter ends in _total, and nothing else does", row->name);
	if (strpbrk(row->help, "\"\\\n|") || !has_end(row->help, "."))
		fail_msg("%s: its help needs no escapes and is a sentence", row->name);
}

static void names_are_there_once_and_wrong_ones_have_a_right_twin(void **state)
{
	(void)state;
	assert_true(n_exporter_statistics <= EXPORTER_STATISTICS_MOST);
	for_each_row(look_at_row, NULL);
}

/* Dashboards, rules and KEDA triggers of others have these: "0.1 slurm_node_total". */
/* Acceptance: exporter-1 */
static void every_published_name_is_there(void **state)
{
	(void)state;
	enum { PUBLISHED = 211 };
	char line[120];
	int n = 0;
	FILE *f = fopen("tests/unit/recorded/exporter/names", "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		struct found found = { .name = line + strlen("0.1 ") };
		for_each_row(compare_name, &found);
		if (found.n != 1)
			fail_msg("%s is there %d times", found.name, found.n);
		assert_int_equal(found.row->since == EXPORTER_01, line[2] == '1');
		assert_int_not_equal(found.row->since, EXPORTER_NOW);
		n++;
	}
	fclose(f);
	assert_int_equal(n, PUBLISHED);
}

/* A family of OpenMetrics may not have a name that is a sample's of a counter. */
static void look_for_clash(const struct exporter_row *row, void *ctx)
{
	char family[120];
	(void)ctx;
	if (row->kind != EXPORTER_COUNTER)
		return;
	snprintf(family, sizeof(family), "%.*s", (int)(strlen(row->name) - strlen("_total")),
		row->name);
	struct found f = { .name = family };
	for_each_row(compare_name, &f);
	if (f.n)
		fail_msg("%s is a family of its own beside %s", family, row->name);
}

static void families_of_counters_are_no_names_of_others(void **state)
{
	(void)state;
	for_each_row(look_for_clash, NULL);
}

/* ---- when ---- */

static void slurm_is_asked_less_often_when_it_is_slow_or_fails(void **state)
{
	(void)state;
	assert_int_equal(exporter_pause_ms(5000, 100, 0), 4900);
	assert_int_equal(exporter_pause_ms(5000, 2000, 0), 6000);
	assert_int_equal(exporter_pause_ms(5000, 100000, 0), 300000);
	assert_int_equal(exporter_pause_ms(5000, 100, 1), 5000);
	assert_int_equal(exporter_pause_ms(5000, 100, 2), 10000);
	assert_int_equal(exporter_pause_ms(5000, 100, 4), 40000);
	assert_int_equal(exporter_pause_ms(5000, 100, 5), 60000);
	assert_int_equal(exporter_pause_ms(5000, 100, 1000), 60000);
	assert_int_equal(exporter_pause_ms(300000, 100, 9), 300000);
}

static void an_answer_counts_for_a_minute_and_three_periods(void **state)
{
	(void)state;
	assert_true(exporter_is_fresh(75000, 100, 4900));
	assert_false(exporter_is_fresh(75001, 100, 4900));
	assert_true(exporter_is_fresh(60000 + 3 * 400000, 100000, 300000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_and_the_end_of_each_format),
		cmocka_unit_test(microseconds_become_seconds),
		cmocka_unit_test(a_time_that_never_was_has_no_sample_under_the_right_name),
		cmocka_unit_test(requests_are_ranked_once_for_each_answer),
		cmocka_unit_test(requests_by_type_and_of_the_users_with_the_most_time),
		cmocka_unit_test(a_client_gets_the_format_that_it_names),
		cmocka_unit_test(gzip_is_for_clients_that_name_it),
		cmocka_unit_test(names_are_there_once_and_wrong_ones_have_a_right_twin),
		cmocka_unit_test(every_published_name_is_there),
		cmocka_unit_test(families_of_counters_are_no_names_of_others),
		cmocka_unit_test(slurm_is_asked_less_often_when_it_is_slow_or_fails),
		cmocka_unit_test(an_answer_counts_for_a_minute_and_three_periods),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
