/* SPDX-License-Identifier: Apache-2.0 */
/* Durations and times of Slurm's command line tools. */
#include "lib/test.h"

#include <time.h>

#include "slurm/duration.h"

static void lasts(const char *text, int64_t seconds)
{
	int64_t s = 77;
	struct err e = slurm_duration_parse(text, &s);
	if (failed(e) || s != seconds)
		fail_msg("\"%s\" lasts %lld s: %s", text, (long long)s, e.text);
}

static void is_no_duration(const char *text)
{
	int64_t s = 77;
	struct err e = slurm_duration_parse(text, &s);
	if (e.kind != ERR_INVALID || s != SLURM_ABSENT || !strstr(e.text, "no duration"))
		fail_msg("\"%s\" lasts %lld s: %s", text, (long long)s, e.text);
}

/* Acceptance: red-box-1, word-1 */
static void test_each_form_of_a_duration(void **state)
{
	(void)state;
	lasts("6", 6 * 60);
	lasts("6:06", 6 * 60 + 6);
	lasts("6:06:06", 6 * 3600 + 6 * 60 + 6);
	lasts("00:00:30", 30);
	lasts("00:00:00", 0);
	lasts("3-5", 3 * 86400 + 5 * 3600);
	lasts("3-5:07", 3 * 86400 + 5 * 3600 + 7 * 60);
	lasts("3-5:07:08", 3 * 86400 + 5 * 3600 + 7 * 60 + 8);
	lasts("365-00:00:00", 365 * 86400);
	lasts("100:00:00", 360000);
}

/* Acceptance: red-box-1, word-2 */
static void test_words_for_no_duration_are_no_error(void **state)
{
	static const char *const words[] = { "UNLIMITED", "", "Partition_Limit", "INVALID",
		"INFINITE", "-1", "NOT_SET", "unlimited", "N/A", "Unknown", NULL };
	(void)state;
	for (size_t i = 0; i < LENGTH(words); i++)
		lasts(words[i], SLURM_ABSENT);
}

/* Acceptance: red-box-1, word-3 */
static void test_what_is_no_duration_is_refused(void **state)
{
	static const char *const texts[] = { "6:6:6:6", "foo", "foo:06", "6:foo", "foo:6:06",
		"6:foo:06", "6:06:foo", "foo-5", "3-foo", "3-5:foo", "3-5:07:bar", "-5", "3-", ":",
		"6:", ":6", "6 ", " 6", "+6", "1-2-3", "3-5:07:08:09", "\x1b[31m" };
	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++)
		is_no_duration(texts[i]);
}

/* Acceptance: red-box-1 */
static void test_a_duration_beyond_all_numbers_is_refused(void **state)
{
	(void)state;
	lasts("153722867280912930", INT64_C(153722867280912930) * 60);
	is_no_duration("153722867280912931");
	is_no_duration("99999999999999999999");
	is_no_duration("106751991167300-23:00:00");
}

static void in_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void is_time(const char *text, int64_t seconds)
{
	int64_t s = 77;
	struct err e = slurm_time_parse(text, &s);
	if (failed(e) || s != seconds)
		fail_msg("\"%s\" is %lld: %s", text, (long long)s, e.text);
}

/* Acceptance: red-box-4 */
static void test_times_are_those_of_the_zone(void **state)
{
	(void)state;
	in_zone("UTC0");
	is_time("2019-04-16T11:49:19", 1555415359);
	in_zone("Europe/Berlin");
	is_time("2019-04-16T11:49:19", 1555415359 - 7200);
	is_time("2019-01-16T11:49:19", 1547639359 - 3600);
	in_zone("EST5");
	is_time("2019-04-16T11:49:19", 1555415359 + 5 * 3600);
	in_zone("UTC0");
	is_time("2020-02-29T23:59:59", 1583020799);
}

/* Acceptance: red-box-4 */
static void test_words_for_no_time_are_no_error(void **state)
{
	static const char *const words[] = { "Unknown", "unknown", "UNKNOWN", "None", "N/A", "",
		"(null)", NULL };
	(void)state;
	for (size_t i = 0; i < LENGTH(words); i++)
		is_time(words[i], SLURM_ABSENT);
}

static void test_what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = { "20 Feb 20109 11:16:55", "2019-02-20", "11:16:55",
		"2019-02-30T00:00:00", "2019-13-01T00:00:00", "2019-02-20T25:00:00",
		"2019-02-20T11:16:55Z", "2019-02-20 11:16:55", "02/20-11:16:55", "1550661415",
		"2019-2-20T11:16:55", "1960-01-01T00:00:00" };
	(void)state;
	in_zone("UTC0");
	for (size_t i = 0; i < LENGTH(texts); i++) {
		int64_t s = 77;
		struct err e = slurm_time_parse(texts[i], &s);
		if (e.kind != ERR_INVALID || s != SLURM_ABSENT || !strstr(e.text, "no time"))
			fail_msg("\"%s\" is %lld: %s", texts[i], (long long)s, e.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_form_of_a_duration),
		cmocka_unit_test(test_words_for_no_duration_are_no_error),
		cmocka_unit_test(test_what_is_no_duration_is_refused),
		cmocka_unit_test(test_a_duration_beyond_all_numbers_is_refused),
		cmocka_unit_test(test_times_are_those_of_the_zone),
		cmocka_unit_test(test_words_for_no_time_are_no_error),
		cmocka_unit_test(test_what_is_no_time_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
