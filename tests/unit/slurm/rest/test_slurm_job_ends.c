/* SPDX-License-Identifier: Apache-2.0 */
/* When jobs that stood suspended, or are to make room, must have ended. */
#include "lib/slurm_reading.h"

static size_t each(void *ctx, const struct slurm_job *j)
{
	struct seen *s = ctx;
	str_addf(&s->text, j->end_s == INT64_MAX ? "never" : "%lld", (long long)j->end_s);
	return 0;
}

static void done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static void start(struct setup *t) { slurm_held_jobs(t->s, each, done, &t->seen); }

/* The job began at 5000, and has a limit of five minutes. */
static void ends(const char *state, const char *end_time, const char *expected)
{
	struct setup t;
	AUTO(str_free) struct str body = { 0 };
	begin_reading(&t, start, "reading the jobs of Slurm: ");
	rest_grants_rights(t.f, "v0.0.42");
	str_addf(&body, "{\"jobs\":[{\"job_id\":\"7\",\"state\":[\"%s\"]}],\"errors\":[]}", state);
	rest_answers(t.f, "GET /slurm/v0.0.42/jobs/state/", 200, str_text(&body));
	str_clear(&body);
	str_addf(&body,
		"{\"jobs\":[{\"job_id\":7,\"job_state\":[\"%s\"],\"nodes\":\"n1\",\"start_time\":"
		"5000,\"time_limit\":5,\"end_time\":%s}],\"errors\":[]}",
		state, end_time);
	rest_answers(t.f, "GET /slurm/v0.0.42/job/7", 200, str_text(&body));
	was_read(&t, expected);
	end_reading(&t);
}

/* While a job stands, its time does: Slurm puts off its end when it goes on. */
static void test_a_job_that_stood_for_ten_minutes_ends_ten_minutes_later(void **state)
{
	(void)state;
	ends("RUNNING", "{\"set\":true,\"infinite\":false,\"number\":5900}", "5900");
	ends("RUNNING", "5900", "5900");
	ends("SUSPENDED", "5900", "never"); /* it is unknown when it goes on */
}

/* A job that is to make room for another is told so, and may go on all the same. */
static void test_no_job_ends_before_its_limit(void **state)
{
	(void)state;
	ends("RUNNING", "5300", "5300");
	ends("RUNNING", "5060", "5300");
	ends("RUNNING", "0", "5300");
	ends("RUNNING", "{\"set\":false,\"infinite\":false,\"number\":0}", "5300");
}

static void test_an_end_beyond_all_times_is_none(void **state)
{
	(void)state;
	ends("RUNNING", "{\"set\":false,\"infinite\":true,\"number\":0}", "never");
	ends("RUNNING", "9223372036854775806", "never");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_job_that_stood_for_ten_minutes_ends_ten_minutes_later),
		cmocka_unit_test(test_no_job_ends_before_its_limit),
		cmocka_unit_test(test_an_end_beyond_all_times_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
