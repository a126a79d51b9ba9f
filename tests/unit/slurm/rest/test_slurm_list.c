/* SPDX-License-Identifier: Apache-2.0 */
/* Long lists that are read again and again, whole only when they have changed. */
#include "lib/fake_slurmrestd.h"

#include "slurm/rest/list.h"

#define JOBS "GET /slurm/v0.0.42/jobs/"
/* last_update of ONE is 5000 */
#define SINCE JOBS "?update_time=4998"
#define ONE                                                                            \
	"{\"jobs\":[{\"job_id\":1}],\"last_update\":{\"set\":true,\"infinite\":false," \
	"\"number\":5000},\"errors\":[],\"warnings\":[]}"
#define NO_CHANGES                                                                              \
	"{\"jobs\":[],\"last_update\":{\"set\":true,\"number\":0},\"errors\":[],\"warnings\":[" \
	"{\"description\":\"No job changes since update_time[4998]=2026\"}]}"

struct reading {
	struct fake_slurmrestd *f;
	struct slurm *s;
	struct list_memory memory;
	struct slurm_op *op;
	int begun, items, ends;
	bool changed;
	int64_t asked_ms;
	struct err err;
};

static void begin(void *ctx)
{
	struct reading *r = ctx;
	r->begun++;
	r->items = 0;
}

static void each(void *ctx, const struct json *item)
{
	(void)item;
	((struct reading *)ctx)->items++;
}

static void done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	struct reading *r = ctx;
	r->op = NULL;
	r->ends++;
	r->err = err;
	r->changed = changed;
	r->asked_ms = asked_ms;
}

static const struct slurm_list jobs = {
	.path = "/jobs/",
	.key = "jobs",
	.begin = begin,
	.each = each,
	.max_bytes = 1 << 20,
	.timeout_ms = 1000,
	.whole_ms = 60000,
};

static void when_read(struct reading *r)
{
	r->ends = 0;
	r->op = list_begin(r->s, &r->memory, &jobs, done, r);
}

static void given(struct reading *r)
{
	*r = (struct reading){ .f = fake_slurmrestd_new() };
	r->s = rest_client(r->f);
	when_read(r);
	rest_negotiates(r->f);
	rest_answers(r->f, JOBS, 200, ONE);
	assert_string_equal(r->err.text, "");
	assert_true(r->changed && r->items == 1 && r->ends == 1);
	assert_int_equal(r->asked_ms, r->f->loop.now_ms - 5);
}

static void end(struct reading *r)
{
	slurm_free(r->s);
	fake_slurmrestd_free(r->f);
}

static void then_unchanged(const struct reading *r)
{
	assert_string_equal(r->err.text, "");
	assert_int_equal(r->ends, 1);
	assert_false(r->changed);
	assert_int_equal(r->asked_ms, r->f->loop.now_ms - 5);
}

static void a_list_that_has_not_changed_is_not_sent_again(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	for (int i = 0; i < 3; i++) {
		when_read(&r);
		rest_answers(r.f, SINCE, 304, "");
		then_unchanged(&r);
	}
	end(&r);
}

static void jobs_that_have_not_changed_are_an_empty_list_with_a_warning(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	when_read(&r);
	rest_answers(r.f, SINCE, 200, NO_CHANGES);
	then_unchanged(&r);
	/* An empty list that says something else tells nothing */
	when_read(&r);
	rest_answers(r.f, SINCE, 200,
		"{\"jobs\":[],\"warnings\":[{\"description\":\"busy\"}],\"errors\":[]}");
	rest_answers(r.f, JOBS, 200, ONE);
	assert_true(r.changed && r.items == 1);
	end(&r);
}

/* As 24.11.5 says it. */
static void a_slurm_without_jobs_has_an_empty_list(void **state)
{
	(void)state;
	static const char none[] =
		"{\"jobs\":[],\"last_update\":{\"set\":true,\"number\":6000},\"errors\":[],"
		"\"warnings\":[{\"description\":\"Zero jobs to dump\"}]}";
	struct reading r;
	given(&r);
	when_read(&r);
	rest_answers(r.f, SINCE, 200, none);
	rest_answers(r.f, JOBS, 200, none);
	assert_string_equal(r.err.text, "");
	assert_true(r.changed && r.items == 0 && r.ends == 1);
	when_read(&r);
	rest_answers(r.f, JOBS "?update_time=5998", 200, NO_CHANGES);
	then_unchanged(&r);
	end(&r);
}

static void without_a_condition_nothing_is_unchanged(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	list_forget(&r.memory);
	when_read(&r);
	rest_answers(r.f, JOBS, 200, NO_CHANGES);
	assert_int_equal(r.err.kind, ERR_RETRY);
	assert_false(r.changed);
	when_read(&r);
	rest_answers(r.f, JOBS, 304, "");
	assert_int_equal(r.err.kind, ERR_RETRY);
	end(&r);
}

static void a_refused_condition_is_left_out(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	when_read(&r);
	rest_answers(r.f, SINCE, 500, "{\"errors\":[{\"error_number\":-1}]}");
	rest_answers(r.f, JOBS, 200, ONE);
	assert_true(r.changed && r.items == 1 && r.ends == 1);
	assert_int_equal(r.begun, 3);
	/* Without it a refusal is one */
	list_forget(&r.memory);
	when_read(&r);
	rest_answers(r.f, JOBS, 500, "{\"errors\":[{\"error_number\":-1}]}");
	assert_int_equal(r.err.kind, ERR_RETRY);
	assert_int_equal(r.asked_ms, 0);
	end(&r);
}

static void it_is_read_whole_from_time_to_time(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	sim_loop_pass(&r.f->loop, jobs.whole_ms);
	when_read(&r);
	rest_answers(r.f, JOBS, 200, ONE);
	assert_true(r.changed);
	end(&r);
}

/* The time of a list means something else in another Slurm. */
static void another_slurm_is_read_whole(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	when_read(&r);
	rest_answers(r.f, SINCE, 200,
		"{\"jobs\":[{\"job_id\":1}],\"last_update\":7000,\"errors\":[],\"meta\":{"
		"\"slurm\":{\"cluster\":\"a\"}}}");
	r.memory.clusters--; /* as if another one had answered something else meanwhile */
	when_read(&r);
	rest_answers(r.f, JOBS, 200, ONE);
	assert_true(r.changed);
	end(&r);
}

static void it_can_be_stopped(void **state)
{
	(void)state;
	struct reading r;
	given(&r);
	when_read(&r);
	ask_stop(r.op);
	sim_loop_pass(&r.f->loop, 5000);
	assert_int_equal(r.ends, 0);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_that_has_not_changed_is_not_sent_again),
		cmocka_unit_test(jobs_that_have_not_changed_are_an_empty_list_with_a_warning),
		cmocka_unit_test(a_slurm_without_jobs_has_an_empty_list),
		cmocka_unit_test(without_a_condition_nothing_is_unchanged),
		cmocka_unit_test(a_refused_condition_is_left_out),
		cmocka_unit_test(it_is_read_whole_from_time_to_time),
		cmocka_unit_test(another_slurm_is_read_whole),
		cmocka_unit_test(it_can_be_stopped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
