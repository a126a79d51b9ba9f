/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a Slurm have its share of the memory; facts beyond it are unknown. */
#include "lib/slurm_reading.h"

#define NODES "GET /slurm/v0.0.42/nodes/"
#define STATES "GET /slurm/v0.0.42/jobs/state/"

enum { SHARE = 500000 }; /* bytes */

struct case_ {
	struct setup t;
	struct budget budget;
	struct quota *quota;
};

static void each_node(void *ctx, const struct slurm_node *n)
{
	struct seen *s = ctx;
	(void)n;
	str_add(&s->text, ".");
}

static size_t each_job(void *ctx, const struct slurm_job *j)
{
	struct seen *s = ctx;
	str_addf(&s->text, "%lld %s%s, ", (long long)j->id, j->nodes ? "known" : "unknown",
		j->passing ? " for now" : "");
	return 0;
}

static void jobs_done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static void nodes_done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	seen_done(ctx, err, changed, asked_ms);
}

static void read_nodes(struct setup *t) { slurm_nodes(t->s, each_node, nodes_done, &t->seen); }
static void read_jobs(struct setup *t) { slurm_held_jobs(t->s, each_job, jobs_done, &t->seen); }

static void given_a_share(struct case_ *c, void (*start)(struct setup *t), const char *errors_begin)
{
	*c = (struct case_){ .budget = { .limit = 2 * SHARE } };
	c->quota = quota_of(&c->budget, "a");
	c->t = (struct setup){
		.f = fake_slurmrestd_new(), .start = start, .errors_begin = errors_begin
	};
	c->t.s = rest_client(c->t.f);
	slurm_pays_from(c->t.s, c->quota);
	start(&c->t);
	rest_negotiates(c->t.f);
}

/* Nothing is kept of anything when the client goes. */
static void end(struct case_ *c)
{
	end_reading(&c->t);
	assert_int_equal(c->budget.used, 0);
	quota_leave(c->quota);
}

static void nodes_answer(struct case_ *c, int n, int comment_bytes)
{
	AUTO(str_free) struct str body = { 0 };
	str_add(&body, "{\"nodes\":[");
	for (int i = 0; i < n; i++)
		str_addf(&body, "%s{\"name\":\"n%d\",\"state\":[\"IDLE\"],\"comment\":\"%*s\"}",
			i ? "," : "", i, comment_bytes, "");
	str_add(&body, "],\"errors\":[],\"warnings\":[]}");
	rest_answers(c->t.f, NODES, 200, str_text(&body));
}

static void test_a_list_of_nodes_beyond_the_share_is_an_error_that_says_so(void **state)
{
	(void)state;
	struct case_ c;
	given_a_share(&c, read_nodes, "reading the nodes of Slurm: ");
	nodes_answer(&c, 100, 10000);
	has_failed(&c.t, ERR_RETRY);
	assert_non_null(strstr(c.t.seen.err.text, "the quota of a is 488 kB, and used up"));
	assert_int_equal(c.budget.used, 0);
	read_again(&c.t);
	nodes_answer(&c, 3, 10000);
	was_read(&c.t, "...");
	end(&c);
}

static void test_more_nodes_than_a_slurm_can_have_are_not_believed(void **state)
{
	(void)state;
	struct setup t;
	AUTO(str_free) struct str body = { 0 };
	str_add(&body, "{\"nodes\":[");
	for (int i = 0; i <= 65536; i++)
		str_addf(&body, "%s{\"name\":\"n%d\",\"state\":[]}", i ? "," : "", i);
	str_add(&body, "],\"errors\":[],\"warnings\":[]}");
	begin_reading(&t, read_nodes, "reading the nodes of Slurm: ");
	rest_answers(t.f, NODES, 200, str_text(&body));
	has_failed(&t, ERR_TOO_LARGE);
	end_reading(&t);
}

static void test_one_item_beyond_the_share_is_an_error(void **state)
{
	(void)state;
	struct case_ c;
	given_a_share(&c, read_nodes, "reading the nodes of Slurm: ");
	nodes_answer(&c, 1, 2 * SHARE);
	has_failed(&c.t, ERR_RETRY);
	end(&c);
}

static void jobs_answer(struct case_ *c, const char *line, int first, int n, int nodes_bytes)
{
	AUTO(str_free) struct str body = { 0 };
	str_add(&body, "{\"jobs\":[");
	for (int i = 0; i < n; i++)
		str_addf(&body,
			"%s{\"job_id\":%d,\"state\":[\"SUSPENDED\"],\"job_state\":[\"SUSPENDED\"],"
			"\"nodes\":\"%0*d\"}",
			i ? "," : "", first + i, nodes_bytes, 1);
	str_add(&body, "],\"errors\":[],\"warnings\":[]}");
	rest_answers(c->t.f, line, 200, str_text(&body));
}

static void test_states_of_jobs_beyond_the_share_are_an_error(void **state)
{
	(void)state;
	struct case_ c;
	given_a_share(&c, read_jobs, "reading the jobs of Slurm: ");
	rest_grants_rights(c.t.f, "v0.0.42");
	jobs_answer(&c, STATES, 1, 5000, 1);
	has_failed(&c.t, ERR_RETRY);
	end(&c);
}

static void test_a_job_beyond_the_share_is_unknown_and_read_again_soon(void **state)
{
	(void)state;
	struct case_ c;
	given_a_share(&c, read_jobs, "reading the jobs of Slurm: ");
	rest_grants_rights(c.t.f, "v0.0.42");
	jobs_answer(&c, STATES, 1, 3, 1);
	jobs_answer(&c, "GET /slurm/v0.0.42/job/1", 1, 1, 10);
	jobs_answer(&c, "GET /slurm/v0.0.42/job/2", 2, 1, SHARE);
	jobs_answer(&c, "GET /slurm/v0.0.42/job/3", 3, 1, 10);
	was_read(&c.t, "1 known, 2 unknown for now, 3 known, ");
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_list_of_nodes_beyond_the_share_is_an_error_that_says_so),
		cmocka_unit_test(test_more_nodes_than_a_slurm_can_have_are_not_believed),
		cmocka_unit_test(test_one_item_beyond_the_share_is_an_error),
		cmocka_unit_test(test_states_of_jobs_beyond_the_share_are_an_error),
		cmocka_unit_test(test_a_job_beyond_the_share_is_unknown_and_read_again_soon),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
