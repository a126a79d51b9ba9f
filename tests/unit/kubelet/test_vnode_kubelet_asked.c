/* SPDX-License-Identifier: Apache-2.0 */
/* A request for a log: its query, its file, and the bytes of that. */
#include "lib/test.h"

#include "kubelet/file.h"
#include "kubelet/slice.h"
#include "slurm/duration.h"

enum { NOW_S = 1795270000 };

/* ---- the query ---- */

/* Names and their values, up to a NULL. */
static const char *from_pairs(const void *pairs, const char *name)
{
	for (const char *const *p = pairs; *p; p += 2)
		if (str_eq(p[0], name))
			return p[1];
	return NULL;
}

#define READ(out, ...) \
	log_options_read(from_pairs, (const char *const[]){ __VA_ARGS__, NULL }, NOW_S, out)

static void an_empty_query_asks_for_all(void **state)
{
	(void)state;
	struct log_options o;
	assert_false(failed(READ(&o, "container", "jt1")));
	assert_false(o.follow || o.standard_error);
	assert_int_equal(o.tail_lines, -1);
	assert_int_equal(o.limit_bytes, -1);
	assert_int_equal(o.since_s, -1);
}

/* Acceptance: V30 */
static void each_option_is_read(void **state)
{
	(void)state;
	struct log_options o;
	assert_false(failed(READ(&o, "follow", "true", "tailLines", "10", "limitBytes", "1",
		"sinceSeconds", "60", "previous", "false", "timestamps", "0", "stream", "All")));
	assert_true(o.follow && !o.standard_error);
	assert_int_equal(o.tail_lines, 10);
	assert_int_equal(o.limit_bytes, 1);
	assert_int_equal(o.since_s, NOW_S - 60);
	assert_false(failed(READ(&o, "follow", "", "tailLines", "0", "stream", "Stderr",
		"sinceTime", "2026-01-02T03:04:05Z")));
	assert_true(o.follow && o.standard_error);
	assert_int_equal(o.tail_lines, 0);
	assert_int_equal(o.since_s, 1767323045);
	assert_false(failed(READ(&o, "sinceSeconds", "9223372036854775807")));
	assert_int_equal(o.since_s, 0);
}

/* Acceptance: log-3, V30 */
static void a_bad_value_is_one_sentence(void **state)
{
	static const struct {
		const char *name, *value, *says;
	} rows[] = {
		{ "tailLines", "-1", "tailLines is \"-1\", and should be a whole number, 0 or" },
		{ "tailLines", "", "tailLines is \"\"" },
		{ "tailLines", "1e3", "tailLines is \"1e3\"" },
		{ "tailLines", "99999999999999999999", "tailLines is" },
		{ "limitBytes", "0", "limitBytes is \"0\", and should be a whole number above 0" },
		{ "sinceSeconds", "0", "sinceSeconds is \"0\"" },
		{ "sinceTime", "yesterday", "should be a time like 2026-01-02T03:04:05Z" },
		{ "follow", "yes\n\x1b[31m",
			"follow is \"yes  [31m\", and should be true or false" },
		{ "previous", "maybe", "previous is \"maybe\"" },
		{ "previous", "true", "leave --previous out" },
		{ "timestamps", "true", "its lines have no times" },
		{ "stream", "stdout", "should be All, Stdout or Stderr" },
	};
	struct log_options o;
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct err e = READ(&o, rows[i].name, rows[i].value);
		assert_int_equal(e.kind, ERR_INVALID);
		if (!strstr(e.text, rows[i].says))
			fail_msg("%s", e.text);
	}
	struct err e = READ(&o, "sinceSeconds", "1", "sinceTime", "2026-01-02T03:04:05Z");
	assert_non_null(strstr(e.text, "one is enough"));
}

/* ---- which file ---- */

static struct slurm_job_shown job(const char *word, const char *out, const char *err)
{
	return (struct slurm_job_shown){
		.id = 53,
		.array_id = "50",
		.state = word,
		.std_out = out,
		.std_err = err,
		.reason = "Resources",
		.start_s = 1000,
		.end_s = SLURM_ABSENT,
	};
}

static void refuses(const struct slurm_job_shown *jobs, size_t n, bool standard_error,
	const char *says)
{
	struct log_file f;
	struct err e = log_file_choose(jobs, n, standard_error, &f);
	assert_true(e.kind == ERR_INVALID || e.kind == ERR_NOT_FOUND);
	if (!strstr(e.text, says))
		fail_msg("%s", e.text);
}

static void the_file_is_that_of_what_has_begun(void **state)
{
	struct log_file f;
	struct slurm_job_shown jobs[] = {
		job("PENDING", "/h/a-4294967294.out", ""),
		job("RUNNING", "/h/a.out", "/h/a.err"),
		job("COMPLETED", "/h/a.out", "/h/b.err"),
	};
	(void)state;
	assert_false(failed(log_file_choose(jobs, 3, false, &f)));
	assert_string_equal(f.path, "/h/a.out");
	assert_int_equal(f.start_s, 1000);
	assert_false(failed(log_file_choose(jobs, 2, true, &f)));
	assert_string_equal(f.path, "/h/a.err");
	refuses(jobs, 3, true,
		"job 50 is an array, and its tasks write to files of their own (/h/a");
	refuses(jobs, 1, false, "job 53 waits in Slurm (Resources): it has written nothing yet");
	refuses(jobs, 0, false, "red-box has no record of the job");
	jobs[0].reason = "None";
	refuses(jobs, 1, false, "job 53 waits in Slurm: it has");
	jobs[1].std_err = "/h/a.out";
	refuses(&jobs[1], 1, true, "it is in the log of the job");
	jobs[1].std_out = "/dev/null";
	refuses(&jobs[1], 1, false,
		"job 53 writes its standard output to /dev/null, so there is no");
	jobs[1].std_out = "";
	refuses(&jobs[1], 1, false,
		"Slurm does not say to which file job 53 writes its standard output");
}

/* Fault 5: its components have files of their own, and the script writes to the first. */
/* Acceptance: log-11 */
static void the_file_of_a_heterogeneous_job_is_that_of_its_first_component(void **state)
{
	struct log_file f;
	struct slurm_job_shown jobs[] = {
		job("RUNNING", "/h/slurm-53.out", "/h/53.err"),
		job("RUNNING", "/h/slurm-54.out", "/h/54.err"),
	};
	(void)state;
	jobs[0].array_id = jobs[1].array_id = "";
	jobs[1].start_s = 900;
	assert_false(failed(log_file_choose(jobs, 2, false, &f)));
	assert_string_equal(f.path, "/h/slurm-53.out");
	assert_int_equal(f.start_s, 1000);
	assert_false(failed(log_file_choose(jobs, 2, true, &f)));
	assert_string_equal(f.path, "/h/53.err");
	jobs[0].state = "PENDING";
	refuses(jobs, 2, false, "job 53 waits in Slurm (Resources)");
}

static void the_times_are_those_of_all_that_write(void **state)
{
	struct slurm_job_shown jobs[] = { job("COMPLETED", "/f", ""), job("FAILED", "/f", ""),
		job("RUNNING", "/f", "") };
	struct log_file f;
	(void)state;
	jobs[0].end_s = 2000;
	jobs[1].start_s = 900;
	jobs[1].end_s = 3000;
	jobs[2].end_s = 4000; /* of one that runs, it would be a forecast */
	assert_false(failed(log_file_choose(jobs, 2, false, &f)));
	assert_int_equal(f.start_s, 900);
	assert_int_equal(f.end_s, 3000);
	assert_false(failed(log_file_choose(jobs, 3, false, &f)));
	assert_int_equal(f.end_s, -1);
	jobs[2].state = "PENDING"; /* it will write to the same file */
	assert_false(failed(log_file_choose(jobs, 3, false, &f)));
	assert_int_equal(f.end_s, -1);
	jobs[1].end_s = SLURM_ABSENT; /* an old red-box does not say it */
	assert_false(failed(log_file_choose(jobs, 2, false, &f)));
	assert_int_equal(f.end_s, -1);
}

/* Acceptance: log-3, V30 */
static void since_is_all_or_nothing_or_unknown(void **state)
{
	static const struct {
		int64_t start_s, end_s, since_s;
		const char *says; /* "all", "none", or a part of the sentence */
	} rows[] = {
		{ 1000, SLURM_ABSENT, -1, "all" },
		{ 1000, SLURM_ABSENT, 1000, "all" },
		{ 1000, SLURM_ABSENT, 0, "all" },
		{ 1000, SLURM_ABSENT, 1001, "the start of the job (1970-01-01T00:16:40Z)" },
		{ 1000, 2000, 2000, "have no times" },
		{ 1000, 2000, 2001, "none" },
		{ SLURM_ABSENT, SLURM_ABSENT, 5, "(which is not known)" },
		{ SLURM_ABSENT, SLURM_ABSENT, -1, "all" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct log_file f = { "/f", rows[i].start_s, rows[i].end_s };
		bool none;
		struct err e = log_file_since(&f, rows[i].since_s, &none);
		const char *got = failed(e) ? e.text : none ? "none" : "all";
		if (!strstr(got, rows[i].says))
			fail_msg("%zu: %s", i, got);
	}
}

/* ---- which bytes ---- */

/* All of a text, in pieces of so many bytes. */
static void then_taken(const char *text, struct log_options o, size_t piece, const char *wanted)
{
	struct slice_count counted = { 0 };
	AUTO(str_free) struct str got = { 0 };
	size_t length = strlen(text);
	for (size_t at = 0; at < length; at += piece)
		slice_count(&counted, text + at, at + piece < length ? piece : length - at);
	struct slice s = slice_begin(&o, o.tail_lines < 0 ? NULL : &counted);
	for (size_t at = 0; at < length && !slice_is_over(&s); at += piece) {
		const char *bytes = text + at;
		size_t n = at + piece < length ? piece : length - at;
		slice_take(&s, &bytes, &n);
		str_add_bytes(&got, bytes, n);
	}
	assert_string_equal(str_text(&got), wanted);
}

/* Acceptance: log-1, V30 */
static void the_last_lines_are_exact_in_any_pieces(void **state)
{
	static const struct {
		const char *text;
		int64_t lines, limit;
		const char *wanted;
	} rows[] = {
		{ "one\ntwo\nthree\n", -1, -1, "one\ntwo\nthree\n" },
		{ "one\ntwo\nthree\n", 2, -1, "two\nthree\n" },
		{ "one\ntwo\nthree", 1, -1, "three" },
		{ "one\ntwo\nthree", 3, -1, "one\ntwo\nthree" },
		{ "one\ntwo\nthree", 9, -1, "one\ntwo\nthree" },
		{ "one\ntwo\nthree", 0, -1, "" },
		{ "\n\n\n", 2, -1, "\n\n" },
		{ "", 5, -1, "" },
		{ "one\ntwo\nthree\n", 2, 5, "two\nt" },
		{ "one\ntwo\nthree\n", -1, 3, "one" },
		{ "one\ntwo\nthree\n", 1, 100, "three\n" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		for (size_t piece = 1; piece < 16; piece++)
			for (int follow = 0; follow < 2; follow++)
				then_taken(rows[i].text,
					(struct log_options){
						.follow = follow,
						.tail_lines = rows[i].lines,
						.limit_bytes = rows[i].limit,
					},
					piece, rows[i].wanted);
}

/* Acceptance: log-1 */
static void what_is_added_between_two_readings_comes_to_who_follows(void **state)
{
	struct slice_count counted = { 0 };
	struct log_options o = { .tail_lines = 1, .limit_bytes = -1 };
	const char *all = "one\ntwo\nadded\n", *bytes = all;
	size_t n = strlen(all);
	(void)state;
	slice_count(&counted, all, 8);
	struct slice s = slice_begin(&o, &counted);
	slice_take(&s, &bytes, &n);
	assert_memory_equal(bytes, "two\n", n);
	assert_true(n == 4 && slice_is_over(&s) && !slice_lacks_bytes(&s));
	s = slice_begin(&o, &counted);
	bytes = "one\n"; /* it is shorter by now */
	n = 4;
	slice_take(&s, &bytes, &n);
	assert_true(n == 0 && slice_lacks_bytes(&s));
	o.follow = true;
	s = slice_begin(&o, &counted);
	bytes = all;
	n = strlen(all);
	slice_take(&s, &bytes, &n);
	assert_string_equal(bytes, "two\nadded\n");
	assert_true(n == 10 && !slice_is_over(&s));
	o.tail_lines = 0; /* also of a line that was not ended */
	slice_count(&counted, "half", 4);
	s = slice_begin(&o, &counted);
	bytes = "one\ntwo\nhalf a line\n";
	n = strlen(bytes);
	slice_take(&s, &bytes, &n);
	assert_string_equal(bytes, " a line\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_query_asks_for_all),
		cmocka_unit_test(each_option_is_read),
		cmocka_unit_test(a_bad_value_is_one_sentence),
		cmocka_unit_test(the_file_is_that_of_what_has_begun),
		cmocka_unit_test(the_file_of_a_heterogeneous_job_is_that_of_its_first_component),
		cmocka_unit_test(the_times_are_those_of_all_that_write),
		cmocka_unit_test(since_is_all_or_nothing_or_unknown),
		cmocka_unit_test(the_last_lines_are_exact_in_any_pieces),
		cmocka_unit_test(what_is_added_between_two_readings_comes_to_who_follows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
