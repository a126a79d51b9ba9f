/* SPDX-License-Identifier: Apache-2.0 */
/* A large answer is given out over many turns of the loop. */
#include "lib/slurm_reading.h"

#define STATES "GET /slurm/v0.0.42/jobs/state/"
enum { A_TURN = 32768 }; /* TURN_NAMES of src/slurm/rest/job_memory.c */

static size_t given; /* jobs, in this turn */

/* Each has so many nodes that it fills a turn. */
static size_t each(void *ctx, const struct slurm_job *j)
{
	struct seen *s = ctx;
	str_addf(&s->text, "%lld ", (long long)j->id);
	given++;
	return A_TURN;
}

static void done(void *ctx, struct err err, int64_t asked_ms)
{
	seen_done(ctx, err, !failed(err), asked_ms);
}

static void start(struct setup *t) { slurm_held_jobs(t->s, each, done, &t->seen); }

static void answer(struct setup *t, const char *line, const char *cluster, const char *list)
{
	AUTO(str_free) struct str body = { 0 };
	str_addf(&body,
		"{\"meta\":{\"slurm\":{\"cluster\":\"%s\"}},\"jobs\":[%s],\"errors\":[],"
		"\"warnings\":[]}",
		cluster, list);
	rest_answers(t->f, line, 200, str_text(&body));
}

/* Three jobs are read, and the first of them is given out. */
static void given_three_large_jobs(struct setup *t)
{
	given = 0;
	begin_reading(t, start, "reading the jobs of Slurm: ");
	rest_grants_rights(t->f, "v0.0.42");
	answer(t, STATES, "lab",
		"{\"job_id\":1,\"state\":[\"RUNNING\"]},{\"job_id\":2,\"state\":[\"RUNNING\"]},"
		"{\"job_id\":3,\"state\":[\"RUNNING\"]}");
	for (int i = 1; i <= 3; i++) {
		char line[64], job[100];
		snprintf(line, sizeof(line), "GET /slurm/v0.0.42/job/%d", i);
		snprintf(job, sizeof(job),
			"{\"job_id\":%d,\"job_state\":[\"RUNNING\"],\"nodes\":\"n[1-32768]\"}", i);
		answer(t, line, "lab", job);
	}
	assert_int_equal(given, 1);
	assert_int_equal(t->seen.calls, 0);
}

static void test_each_turn_gives_out_what_is_good_for_one(void **state)
{
	(void)state;
	struct setup t;
	given_three_large_jobs(&t);
	for (size_t turn = 2; turn <= 3; turn++) {
		assert_true(sim_loop_step(&t.f->loop));
		assert_int_equal(given, turn);
	}
	was_read(&t, "1 2 3 ");
	end_reading(&t);
}

static void test_who_is_freed_between_two_turns_is_given_nothing_more(void **state)
{
	(void)state;
	struct setup t;
	given_three_large_jobs(&t);
	slurm_free(TAKE(t.s));
	assert_false(sim_loop_step(&t.f->loop));
	assert_int_equal(t.seen.calls, 0);
	end_reading(&t);
}

static void pinged(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	(void)ctx, (void)health, (void)err, (void)version;
}

/* The numbers of jobs mean others there. */
static void test_another_slurm_that_is_heard_between_two_turns_ends_it(void **state)
{
	(void)state;
	struct setup t;
	given_three_large_jobs(&t);
	slurm_ping(t.s, pinged, NULL);
	rest_answers(t.f, "GET /slurm/v0.0.42/ping/", 200,
		"{\"meta\":{\"slurm\":{\"cluster\":\"other\"}},\"pings\":[{\"pinged\":\"UP\"}],"
		"\"errors\":[]}");
	assert_true(sim_loop_step(&t.f->loop));
	assert_int_equal(given, 1);
	assert_int_equal(t.seen.calls, 1);
	assert_int_equal(t.seen.err.kind, ERR_RETRY);
	rest_answers(t.f, "GET /slurm/v0.0.42/nodes/?update_time=4000000000", 304, "");
	end_reading(&t);
}

static void each_node(void *ctx, const struct slurm_node *n)
{
	(void)ctx;
	assert_true(n->asked_ms > 0);
	given++;
}

static void nodes_done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	seen_done(ctx, err, changed, asked_ms);
}

static void start_nodes(struct setup *t) { slurm_nodes(t->s, each_node, nodes_done, &t->seen); }

static void test_many_nodes_are_given_out_over_several_turns(void **state)
{
	enum { TURN = 8192 }; /* TURN_NODES of src/slurm/rest/nodes.c */
	(void)state;
	struct setup t;
	AUTO(str_free) struct str body = { 0 };
	given = 0;
	str_add(&body, "{\"nodes\":[{\"name\":\"n\",\"state\":[]}");
	for (int i = 0; i < TURN; i++)
		str_addf(&body, ",{\"name\":\"n%d\",\"state\":[]}", i);
	str_add(&body, "],\"errors\":[],\"warnings\":[]}");
	begin_reading(&t, start_nodes, "reading the nodes of Slurm: ");
	rest_answers(t.f, "GET /slurm/v0.0.42/nodes/", 200, str_text(&body));
	assert_int_equal(given, TURN);
	assert_int_equal(t.seen.calls, 0);
	assert_true(sim_loop_step(&t.f->loop));
	assert_int_equal(given, TURN + 1);
	was_read(&t, "");
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_turn_gives_out_what_is_good_for_one),
		cmocka_unit_test(test_many_nodes_are_given_out_over_several_turns),
		cmocka_unit_test(test_who_is_freed_between_two_turns_is_given_nothing_more),
		cmocka_unit_test(test_another_slurm_that_is_heard_between_two_turns_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
