/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a ping about slurmctld. */
#include "lib/fake_slurmrestd.h"

#define PING "GET /slurm/v0.0.42/ping/"
#define CHECK "GET /slurm/v0.0.42/nodes/?update_time=4000000000"

struct pinged {
	int calls;
	enum slurm_health health;
	struct err err;
	struct slurm *free_me;
};

static void pinged(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	struct pinged *p = ctx;
	p->calls++;
	p->health = health;
	p->err = err;
	if (health == SLURM_UP) {
		assert_string_equal(err.text, "");
		assert_non_null(version);
	}
	assert_null(strstr(err.text, FAKE_TOKEN));
	slurm_free(TAKE(p->free_me));
}

struct ping_case {
	struct fake_slurmrestd *f;
	struct slurm *s;
	struct pinged p;
};

static void ended(struct ping_case *c)
{
	slurm_free(c->s);
	fake_slurmrestd_free(c->f);
}

/* The case must stay where it is: its p is known to the client. */
#define BEGIN(name, openapi)                                    \
	struct ping_case name = { .f = fake_slurmrestd_new() }; \
	name.s = rest_client(name.f);                           \
	slurm_ping(name.s, pinged, &name.p);                    \
	rest_replays(name.f, "GET /openapi/v3", openapi)

static void test_up_with_a_good_token(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping");
	assert_string_equal(c.f->last_token, FAKE_TOKEN);
	assert_int_equal(c.p.calls, 0);
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-unchanged");
	assert_string_equal(c.f->last_token, FAKE_TOKEN);
	assert_int_equal(c.p.calls, 1);
	assert_int_equal(c.p.health, SLURM_UP);
	ended(&c);
}

static void test_bad_input_a_refused_token_is_denied_although_ping_says_200(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-bad-token");
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-conditional-bad-token");
	assert_int_equal(c.p.health, SLURM_DENIED);
	assert_int_equal(c.p.err.kind, ERR_DENIED);
	assert_int_equal(c.p.err.code, 1007);
	assert_non_null(strstr(c.p.err.text, "Protocol authentication error"));
	ended(&c);
}

static void test_status_511_is_denied_even_without_an_entry_in_errors(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-bad-token");
	rest_replays(c.f, CHECK, "24.11/v0.0.42/partitions-conditional-bad-token");
	assert_int_equal(c.p.health, SLURM_DENIED);
	assert_int_equal(c.p.err.code, 511);
	ended(&c);
}

static void test_slurmctld_down_is_not_a_bad_token(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-slurmctld-down");
	/* slurmrestd needs 9 s to say so; ping has said it already */
	assert_int_equal(rest_oldest(c.f)->timeout_ms, 3000);
	rest_fails(c.f, CHECK, err_new(ERR_LOST, "no answer within 3 s"));
	assert_int_equal(c.p.health, SLURM_CTLD_DOWN);
	assert_int_equal(c.p.err.kind, ERR_RETRY);
	ended(&c);
}

/* To a token that is refused ping says DOWN, too; a busy slurmctld refuses it late. */
static void test_a_slurmctld_that_stays_down_has_time_to_refuse_the_token(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-bad-token");
	rest_fails(c.f, CHECK, err_new(ERR_LOST, "no answer within 3 s"));
	assert_int_equal(c.p.health, SLURM_CTLD_DOWN);
	slurm_ping(c.s, pinged, &c.p);
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-bad-token");
	assert_int_equal(rest_oldest(c.f)->timeout_ms, 15000);
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-conditional-bad-token");
	assert_int_equal(c.p.health, SLURM_DENIED);
	slurm_ping(c.s, pinged, &c.p); /* the next time it is told soon again */
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-slurmctld-down");
	assert_int_equal(rest_oldest(c.f)->timeout_ms, 3000);
	rest_fails(c.f, CHECK, err_new(ERR_LOST, "no answer within 3 s"));
	ended(&c);
}

static void test_slurmctld_down_after_the_ping(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping");
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-conditional-slurmctld-down");
	assert_int_equal(c.p.health, SLURM_CTLD_DOWN);
	assert_int_equal(c.p.err.kind, ERR_RETRY);
	assert_int_equal(c.p.err.code, 1800);
	ended(&c);
}

static void test_a_slurmctld_that_hangs_is_down(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping");
	rest_answers(c.f, CHECK, 504, "{\"errors\":[],\"warnings\":[]}");
	assert_int_equal(c.p.health, SLURM_CTLD_DOWN);
	assert_int_equal(c.p.err.kind, ERR_RETRY);
	ended(&c);
}

static void test_slurmrestd_lost_between_both_requests(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping");
	rest_fails(c.f, CHECK, err_new(ERR_RETRY, "connection refused"));
	assert_int_equal(c.p.health, SLURM_UNREACHABLE);
	ended(&c);
}

static void test_ping_without_pinged_in_v45_and_without_responding_in_v40(void **state)
{
	(void)state;
	BEGIN(c, "26.05/openapi");
	rest_replays(c.f, "GET /slurm/v0.0.45/ping/", "26.05/v0.0.45/ping");
	assert_int_equal(rest_oldest(c.f)->timeout_ms, 15000); /* taken as up */
	rest_answers(c.f, "GET /slurm/v0.0.45/nodes/?update_time=4000000000", 304, "");
	assert_int_equal(c.p.health, SLURM_UP);
	ended(&c);

	struct ping_case d = { .f = fake_slurmrestd_new() };
	d.s = rest_client(d.f);
	slurm_ping(d.s, pinged, &d.p);
	rest_answers(d.f, "GET /openapi/v3", 200, "{\"paths\":{\"/slurm/v0.0.40/nodes/\":{}}}");
	rest_replays(d.f, "GET /slurm/v0.0.40/ping/", "24.11/v0.0.40/ping");
	assert_int_equal(rest_oldest(d.f)->timeout_ms, 15000);
	rest_replays(d.f, "GET /slurm/v0.0.40/nodes/?update_time=uts4000000000",
		"24.11/v0.0.40/nodes-unchanged");
	assert_int_equal(d.p.health, SLURM_UP);
	ended(&d);
}

static void test_one_of_two_controllers_is_enough(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_answers(c.f, PING, 200,
		"{\"pings\":[{\"pinged\":\"DOWN\",\"responding\":false},{\"pinged\":\"UP\","
		"\"responding\":true}],\"errors\":[]}");
	assert_int_equal(rest_oldest(c.f)->timeout_ms, 15000);
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-unchanged");
	assert_int_equal(c.p.health, SLURM_UP);
	ended(&c);
}

static void test_an_answer_without_pings_is_not_slurm(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_answers(c.f, PING, 200, "{\"hello\":\"world\"}");
	assert_int_equal(c.p.health, SLURM_NOT_SLURM);
	assert_int_equal(c.p.err.kind, ERR_INVALID);
	ended(&c);
}

static void test_bad_input_an_answer_that_is_not_json_is_not_slurm(void **state)
{
	(void)state;
	static const struct {
		int status;
		const char *body;
	} answers[] = { { 200, "" }, { 200, "{\"pings\":[" }, { 200, "[]" }, { 302, "" },
		{ 415, "Accept content type is unknown" } };
	for (size_t i = 0; i < LENGTH(answers); i++) {
		BEGIN(c, "24.11/openapi");
		rest_answers(c.f, PING, answers[i].status, answers[i].body);
		assert_int_equal(c.p.health, SLURM_NOT_SLURM);
		assert_int_equal(c.p.err.kind, ERR_INVALID);
		ended(&c);
	}
}

/*
 * A user who may name the server of a Cluster may name anything that the manager reaches:
 * its answer must not be readable in a condition.
 */
/* Acceptance: cluster-8 */
static void test_nothing_is_repeated_of_who_has_not_shown_that_it_is_slurmrestd(void **state)
{
	(void)state;
	static const struct {
		int status;
		const char *body;
	} answers[] = {
		{ 403,
			"{\"kind\":\"Status\",\"errors\":[{\"error\":\"inner\",\"description\":"
			"\"inner\",\"error_number\":7}]}" },
		{ 500, "{\"errors\":[{\"description\":\"inner\",\"error_number\":1800}]}" },
		{ 401, "{\"errors\":[{\"description\":\"inner\"}]}" },
		{ 418, "inner" },
	};
	for (size_t i = 0; i < LENGTH(answers); i++) {
		struct ping_case c = { .f = fake_slurmrestd_new() };
		c.s = rest_client(c.f);
		slurm_ping(c.s, pinged, &c.p);
		rest_answers(c.f, "GET /openapi/v3", answers[i].status, answers[i].body);
		rest_answers(c.f, "GET /slurm/v0.0.45/ping/", answers[i].status, answers[i].body);
		sim_loop_pass(&c.f->loop, 0);
		assert_int_equal(c.p.calls, 1);
		assert_true(failed(c.p.err));
		assert_null(strstr(c.p.err.text, "inner"));
		assert_non_null(strstr(c.p.err.text, "HTTP status"));
		ended(&c);
	}
}

/* Acceptance: cluster-8 */
static void test_slurmrestd_is_repeated_without_its_control_characters(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_answers(c.f, PING, 500,
		"{\"errors\":[{\"error\":\"a\\u001b[2Jb\\r\\n\",\"description\":\"c\\u202ed\","
		"\"error_number\":9999}]}");
	assert_non_null(strstr(c.p.err.text, "a [2Jb  , error 9999 (c d)"));
	ended(&c);
}

static void test_a_proxy_without_slurmrestd_behind_it_is_unreachable(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_answers(c.f, PING, 503, "<html>no healthy upstream</html>");
	assert_int_equal(c.p.health, SLURM_UNREACHABLE);
	assert_int_equal(c.p.err.kind, ERR_RETRY);
	ended(&c);
}

static void test_a_token_with_a_line_end_is_never_sent(void **state)
{
	(void)state;
	static const char *const tokens[] = { "abc\n", "abc\r\nX-SLURM-USER-NAME: root", "", "a b",
		NULL };
	for (size_t i = 0; i < LENGTH(tokens); i++) {
		struct fake_slurmrestd *f = fake_slurmrestd_new();
		struct pinged p = { 0 };
		struct slurm *s = slurm_new(&f->loop.loop, &f->http.http, tokens[i]);
		slurm_ping(s, pinged, &p);
		assert_int_equal(p.calls, 0);
		sim_loop_pass(&f->loop, 0);
		assert_int_equal(p.calls, 1);
		assert_int_equal(p.health, SLURM_DENIED);
		assert_int_equal(p.err.kind, ERR_DENIED);
		assert_null(strstr(p.err.text, "abc"));
		assert_int_equal(rest_waiting(f), 0);
		slurm_free(s);
		fake_slurmrestd_free(f);
	}
}

static void test_a_new_token_is_used_at_once(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	rest_replays(c.f, PING, "24.11/v0.0.42/ping-bad-token");
	slurm_set_token(c.s, "new");
	/* Was sent with the old one */
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-conditional-bad-token");
	assert_string_equal(c.f->last_token, FAKE_TOKEN);
	slurm_ping(c.s, pinged, &c.p);
	rest_replays(c.f, PING, "24.11/v0.0.42/ping");
	assert_string_equal(c.f->last_token, "new");
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-unchanged");
	assert_int_equal(c.p.health, SLURM_UP);
	ended(&c);
}

static void test_free_cancels_everything_and_calls_nobody(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	slurm_ping(c.s, pinged, &c.p);
	assert_int_equal(rest_waiting(c.f), 2);
	slurm_free(c.s);
	assert_true(c.f->http.freed);
	sim_loop_pass(&c.f->loop, 100000);
	assert_int_equal(c.p.calls, 0);
	fake_slurmrestd_free(c.f);

	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct slurm *s = rest_client(f);
	slurm_ping(s, pinged, &c.p);
	slurm_free(s); /* while the version is being asked for */
	assert_int_equal(c.p.calls, 0);
	fake_slurmrestd_free(f);
	slurm_free(NULL);
}

static void test_the_client_may_be_freed_from_within_the_callback(void **state)
{
	(void)state;
	BEGIN(c, "24.11/openapi");
	c.p.free_me = c.s;
	rest_replays(c.f, PING, "24.11/v0.0.42/ping");
	rest_replays(c.f, CHECK, "24.11/v0.0.42/nodes-unchanged");
	assert_int_equal(c.p.calls, 1);
	fake_slurmrestd_free(c.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up_with_a_good_token),
		cmocka_unit_test(test_bad_input_a_refused_token_is_denied_although_ping_says_200),
		cmocka_unit_test(test_status_511_is_denied_even_without_an_entry_in_errors),
		cmocka_unit_test(test_slurmctld_down_is_not_a_bad_token),
		cmocka_unit_test(test_a_slurmctld_that_stays_down_has_time_to_refuse_the_token),
		cmocka_unit_test(test_slurmctld_down_after_the_ping),
		cmocka_unit_test(test_a_slurmctld_that_hangs_is_down),
		cmocka_unit_test(test_slurmrestd_lost_between_both_requests),
		cmocka_unit_test(test_ping_without_pinged_in_v45_and_without_responding_in_v40),
		cmocka_unit_test(test_one_of_two_controllers_is_enough),
		cmocka_unit_test(test_an_answer_without_pings_is_not_slurm),
		cmocka_unit_test(test_bad_input_an_answer_that_is_not_json_is_not_slurm),
		cmocka_unit_test(
			test_nothing_is_repeated_of_who_has_not_shown_that_it_is_slurmrestd),
		cmocka_unit_test(test_slurmrestd_is_repeated_without_its_control_characters),
		cmocka_unit_test(test_a_proxy_without_slurmrestd_behind_it_is_unreachable),
		cmocka_unit_test(test_a_token_with_a_line_end_is_never_sent),
		cmocka_unit_test(test_a_new_token_is_used_at_once),
		cmocka_unit_test(test_free_cancels_everything_and_calls_nobody),
		cmocka_unit_test(test_the_client_may_be_freed_from_within_the_callback),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
