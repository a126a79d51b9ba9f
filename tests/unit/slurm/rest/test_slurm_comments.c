/* SPDX-License-Identifier: Apache-2.0 */
/* Comments go out two at a time: what matters more never waits behind hundreds. */
#include "lib/fake_slurmrestd.h"

#define POST "POST /slurm/v0.0.42/nodes/"
#define OPENAPI "GET /openapi/v3"
#define GOOD "{\"errors\":[],\"warnings\":[]}"

enum { MANY = 300 };

struct seen {
	int calls, good;
	struct slurm *free_me;
};

static void done(void *ctx, struct err err)
{
	struct seen *s = ctx;
	s->calls++;
	s->good += !failed(err);
	slurm_free(TAKE(s->free_me));
}

struct setup {
	struct fake_slurmrestd *f;
	struct slurm *s;
	struct seen seen;
};

static void comment(struct setup *t, int i)
{
	char name[16], text[16];
	snprintf(name, sizeof(name), "n%d", i);
	snprintf(text, sizeof(text), "c%d", i);
	slurm_update_nodes(t->s, SLURM_COMMENT, &(const char *){ name }, 1, text, done, &t->seen);
}

static void drain(struct setup *t)
{
	slurm_update_nodes(t->s, SLURM_DRAIN, &(const char *){ "d" }, 1, "r", done, &t->seen);
}

static void begin(struct setup *t, int n)
{
	*t = (struct setup){ .f = fake_slurmrestd_new() };
	t->s = rest_client(t->f);
	for (int i = 0; i < n; i++)
		comment(t, i);
}

static void end(struct setup *t)
{
	slurm_free(t->s);
	fake_slurmrestd_free(t->f);
}

/* The oldest request is comment i. */
static void answer_comment(struct setup *t, int i, int status, const char *body)
{
	char expected[80];
	snprintf(expected, sizeof(expected), "{\"name\":[\"n%d\"],\"comment\":\"c%d\"}", i, i);
	assert_string_equal(rest_oldest(t->f)->body, expected);
	rest_answers(t->f, POST, status, body);
}

static void test_two_at_a_time_in_order(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, MANY);
	rest_negotiates(t.f);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(rest_waiting(t.f), i < MANY - 1 ? 2 : 1);
		answer_comment(&t, i, 200, GOOD);
		assert_int_equal(t.seen.calls, i + 1);
	}
	assert_int_equal(t.seen.good, MANY);
	end(&t);
}

static void test_a_drain_is_sent_at_once(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, MANY);
	rest_negotiates(t.f);
	drain(&t);
	assert_int_equal(rest_waiting(t.f), 3);
	answer_comment(&t, 0, 200, GOOD);
	answer_comment(&t, 1, 200, GOOD);
	rest_answers(t.f, POST, 200, GOOD);
	assert_non_null(strstr(t.f->last_body, "DRAIN"));
	assert_int_equal(t.seen.calls, 3);
	end(&t);
	assert_int_equal(t.seen.calls, 3); /* the rest is cancelled, without a callback */
}

static void test_failures_hold_nobody_up(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, 5);
	rest_negotiates(t.f);
	answer_comment(&t, 0, 500, "{\"errors\":[{\"error_number\":2010}]}");
	rest_fails(t.f, POST, err_new(ERR_LOST, "time out"));
	answer_comment(&t, 2, 500, "{\"errors\":[{\"error_number\":2018}]}");
	answer_comment(&t, 3, 200, "{}");
	answer_comment(&t, 4, 200, GOOD);
	assert_int_equal(t.seen.calls, 5);
	assert_int_equal(t.seen.good, 1);
	end(&t);
}

static void test_one_comment_for_many_nodes_keeps_its_place(void **state)
{
	(void)state;
	struct setup t = { .f = fake_slurmrestd_new() };
	const char *names[1500];
	t.s = rest_client(t.f);
	for (int i = 0; i < 1500; i++)
		names[i] = "n";
	for (int i = 0; i < 3; i++)
		slurm_update_nodes(t.s, SLURM_COMMENT, names, 1500, "c", done, &t.seen);
	rest_negotiates(t.f);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(rest_waiting(t.f), i < 4 ? 2 : 1);
		rest_answers(t.f, POST, 200, GOOD);
	}
	assert_int_equal(t.seen.good, 3);
	end(&t);
}

static void test_a_new_version_in_the_middle(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, 4);
	rest_negotiates(t.f);
	rest_replays(t.f, POST, "24.11/unknown-path");
	rest_replays(t.f, POST, "24.11/unknown-path");
	sim_loop_pass(&t.f->loop, 0);
	assert_int_equal(t.seen.calls, 2); /* who asked decides again */
	rest_replays(t.f, OPENAPI, "26.05/openapi");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rest_waiting(t.f), i < 1 ? 2 : 1);
		rest_answers(t.f, "POST /slurm/v0.0.45/nodes/", 200, GOOD);
	}
	assert_int_equal(t.seen.good, 2);
	end(&t);
}

static void test_a_token_that_cannot_be_sent_fails_those_who_wait(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, 6);
	rest_negotiates(t.f);
	slurm_set_token(t.s, "a b");
	rest_answers(t.f, POST, 200, GOOD);
	rest_answers(t.f, POST, 200, GOOD);
	assert_int_equal(rest_waiting(t.f), 0);
	sim_loop_pass(&t.f->loop, 0);
	assert_int_equal(t.seen.calls, 6);
	assert_int_equal(t.seen.good, 2);
	slurm_set_token(t.s, FAKE_TOKEN);
	for (int i = 0; i < 3; i++)
		comment(&t, i);
	assert_int_equal(rest_waiting(t.f), 2); /* all places were given back */
	end(&t);
}

static void test_a_server_that_is_away_fails_all_and_gives_the_places_back(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, 4);
	rest_fails(t.f, OPENAPI, err_new(ERR_RETRY, "connection refused"));
	sim_loop_pass(&t.f->loop, 0);
	assert_int_equal(t.seen.calls, 4);
	for (int i = 0; i < 4; i++)
		comment(&t, i);
	rest_negotiates(t.f);
	for (int i = 0; i < 4; i++)
		answer_comment(&t, i, 200, GOOD);
	assert_int_equal(t.seen.good, 4);
	end(&t);
}

static void test_freed_from_within_done_while_others_wait(void **state)
{
	(void)state;
	struct setup t;
	begin(&t, 10);
	rest_negotiates(t.f);
	t.seen.free_me = t.s;
	rest_answers(t.f, POST, 200, GOOD);
	assert_int_equal(t.seen.calls, 1);
	fake_slurmrestd_free(t.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_at_a_time_in_order),
		cmocka_unit_test(test_a_drain_is_sent_at_once),
		cmocka_unit_test(test_failures_hold_nobody_up),
		cmocka_unit_test(test_one_comment_for_many_nodes_keeps_its_place),
		cmocka_unit_test(test_a_new_version_in_the_middle),
		cmocka_unit_test(test_a_token_that_cannot_be_sent_fails_those_who_wait),
		cmocka_unit_test(test_a_server_that_is_away_fails_all_and_gives_the_places_back),
		cmocka_unit_test(test_freed_from_within_done_while_others_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
