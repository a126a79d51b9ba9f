/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the exporter, as exporters of the years before took it. */
#include "lib/command_line.h"

#include "cmd/values.h"

static void an_exporter_without_options_has_those_of_03(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l, "exporter");
	assert_string_equal(l.err.text, "");
	assert_ptr_equal(l.options.command, exporter_command);
	assert_string_equal(l.options.exporter.server, "http://localhost:6820");
	assert_int_equal(l.options.exporter.cache_ms, 5000);
	assert_false(l.options.exporter.per_user_names);
	assert_false(l.options.exporter.job_efficiency);
	assert_string_equal(l.options.manager.metrics_address, ":8080");
}

static void options_of_every_older_exporter_are_taken(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l,
		"exporter --server http://slurm-restapi:6820 --cache-freq=1m30s --per-user-metrics "
		"--metrics-bind-address=:9 --zap-log-level=5 --zap-devel --zap-encoder=json "
		"--zap-time-encoding=iso8601 --zap-stacktrace-level=panic --max-users=7 "
		"--job-efficiency "
		"--max-gres=9 --server-user=401,root "
		"--scrape-token-file=/t --metrics-cert-path=/c");
	assert_string_equal(l.err.text, "");
	assert_string_equal(l.options.exporter.server, "http://slurm-restapi:6820");
	assert_int_equal(l.options.exporter.cache_ms, 90000);
	assert_true(l.options.exporter.per_user_names);
	assert_true(l.options.exporter.job_efficiency);
	assert_int_equal(l.options.exporter.limits.users, 7);
	assert_int_equal(l.options.exporter.limits.gres, 9);
	assert_int_equal(l.options.exporter.n_server_users, 2);
	assert_int_equal(l.options.exporter.server_users[0], 401);
	assert_int_equal(l.options.exporter.server_users[1], 0);
	assert_string_equal(l.options.exporter.scrape_token_file, "/t");
	assert_string_equal(l.options.manager.metrics_cert_path, "/c");
	assert_int_equal(l.options.log_level, LOG_DEBUG);
}

static void what_is_wrong_is_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "exporter --cache-freq=5", "--cache-freq: \"5\" should look like 5s, 1m30s" },
		{ "exporter --max-users=-1", "must be a whole number from 0 to 1000000" },
		{ "exporter --server=", "--server: \"\" is empty" },
		{ "exporter --server-user=no-such-user",
			"\"no-such-user\" is no user of this machine" },
		{ "exporter --server-user=401,", "\"\" is no user of this machine" },
		{ "manager --server-user=401", "--server-user is no option of manager" },
		{ "exporter --zap-log-level=loud", "must be debug, info, warn or error" },
		{ "exporter --kubeconfig=/k", "--kubeconfig is no option of exporter" },
		{ "manager --cache-freq=5s", "--cache-freq is no option of manager" },
	};
	then_refused(rows, LENGTH(rows));
}

static void durations_are_those_of_go(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ms; /* -1: it is refused */
	} rows[] = { { "5s", 5000 }, { "1.5s", 1500 }, { "1h2m3s", 3723000 }, { "500ms", 500 },
		{ "2500us", 2 }, { "1.001s", 1001 }, { ".5m", 30000 }, { "", -1 }, { "5", -1 },
		{ "s", -1 }, { "-5s", -1 }, { "5 s", -1 }, { "0x5s", -1 }, { "1e3s", -1 },
		{ "5d", -1 }, { "nans", -1 }, { "9999999999999h", -1 }, { "1..5s", -1 } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		int64_t ms = -1;
		struct err e = value_duration(&ms, rows[i].text);
		if (failed(e) != (rows[i].ms < 0) || (!failed(e) && ms != rows[i].ms))
			fail_msg("\"%s\" is %lld: %s", rows[i].text, (long long)ms, e.text);
	}
}

static void the_tables_of_all_metrics_can_be_printed(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l, "exporter --describe");
	assert_int_equal(l.options.command(&l.options, &l.print), 0);
	assert_non_null(strstr(str_text(&l.print),
		"| `slurm_partition_pending_jobs` | `partition` | gauge | 0.1 |"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exporter_without_options_has_those_of_03),
		cmocka_unit_test(options_of_every_older_exporter_are_taken),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(durations_are_those_of_go),
		cmocka_unit_test(the_tables_of_all_metrics_can_be_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
