/* SPDX-License-Identifier: Apache-2.0 */
/* Admission to the kubelet API, with an API server that a test plays. */
#include "lib/given_kube.h"

#include "kubelet/gate.h"
#include "kubelet/cache.h"

#define KNOWN(user)                                                                                \
	"{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"" user                       \
	"\",\"uid\":\"7\",\"groups\":[\"g\",\"system:authenticated\"],\"extra\":{\"k\":[\"v\"]}}}" \
	"}"
#define MAY "{\"status\":{\"allowed\":true}}"
#define MAY_NOT "{\"status\":{\"allowed\":false,\"reason\":\"no RBAC policy matched\"}}"

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct gate *gate;
	int told, status;
	char why[ERR_TEXT_BYTES];
	char *who;
	bool by_token;
};

static int given_a_gate(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->http, &w->loop);
	w->gate = gate_new(&w->kube);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	gate_free(w->gate);
	free_kube(&w->http, &w->loop);
	free(w->who);
	free(w);
	return 0;
}

static void told(void *world, const struct gate_answer *a)
{
	struct world *w = world;
	w->told++;
	w->status = a->status;
	w->by_token = a->by_token;
	snprintf(w->why, sizeof(w->why), "%s", a->why);
	free(w->who);
	w->who = own_strdup(a->who);
}

static struct gate_ask *ask(struct world *w, const struct x509_subject *certificate,
	const char *authorization)
{
	const struct gate_wish wish = { certificate, authorization, "GET", "proxy", "slurm-x" };
	w->told = 0;
	struct gate_ask *a = gate_ask(w->gate, &wish, told, w);
	assert_int_equal(w->told, 0);
	return a;
}

/* Until there is an answer, of an API server that answers so; how often it was asked. */
static int asked(struct world *w, const char *authorization, const char *review, const char *right)
{
	const struct fake_row rows[] = { { "tokenreviews", review ? 201 : 0, review },
		{ "subjectaccessreviews", right ? 201 : 0, right } };
	int before = w->http.n;
	ask(w, NULL, authorization);
	fake_answer_all(&w->http, rows, 2);
	fake_answer_all(&w->http, rows, 2);
	sim_loop_pass(&w->loop, 0);
	assert_true(w->told);
	return w->http.n - before;
}

static void whoever_shows_nothing_is_not_known(void **state)
{
	static const char *const headers[] = { NULL, "", "Bearer", "Bearer ", "Bearer   ",
		"Basic dTpw", "Bearer two words", "bearertoken" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(headers); i++) {
		assert_int_equal(asked(w, headers[i], NULL, NULL), 0);
		assert_int_equal(w->status, 401);
		assert_string_equal(w->who, "");
	}
	assert_non_null(strstr(w->why, "a certificate"));
}

static void a_token_is_asked_about_and_then_the_right(void **state)
{
	struct world *w = *state;
	assert_int_equal(asked(w, "Bearer t0ken", KNOWN("prom"), MAY), 2);
	assert_int_equal(w->status, 200);
	assert_true(w->by_token);
	const struct http_call *review = &w->http.calls[0], *right = &w->http.calls[1];
	assert_string_equal(review->path, "/apis/authentication.k8s.io/v1/tokenreviews");
	assert_non_null(strstr(review->body, "\"spec\":{\"token\":\"t0ken\"}"));
	assert_string_equal(right->path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
	assert_non_null(strstr(right->body, "\"user\":\"prom\""));
	assert_non_null(strstr(right->body, "\"uid\":\"7\""));
	assert_non_null(strstr(right->body, "\"extra\":{\"k\":[\"v\"]}"));
	assert_non_null(strstr(right->body, "\"groups\":[\"g\",\"system:authenticated\"]"));
	assert_non_null(strstr(right->body,
		"\"resourceAttributes\":{\"verb\":\"get\",\"version\":\"v1\",\"resource\":"
		"\"nodes\","
		"\"subresource\":\"proxy\",\"name\":\"slurm-x\"}"));
	assert_null(strstr(w->who, "t0ken"));
	assert_in_range(review->timeout_ms, 1, 30000);
	assert_in_range(right->timeout_ms, 1, 30000);
}

static void what_was_answered_is_known_for_a_while(void **state)
{
	struct world *w = *state;
	assert_int_equal(asked(w, "Bearer a", KNOWN("u"), MAY), 2);
	assert_int_equal(asked(w, "bearer  a ", NULL, NULL), 0);
	assert_int_equal(w->status, 200);
	assert_int_equal(asked(w, "Bearer b", KNOWN("u"), NULL), 1); /* the right is known */
	sim_loop_pass(&w->loop, 119000);
	assert_int_equal(asked(w, "Bearer a", NULL, NULL), 0);
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(asked(w, "Bearer a", KNOWN("u"), NULL), 1); /* who: two minutes */
	sim_loop_pass(&w->loop, 180000);
	assert_int_equal(asked(w, "Bearer a", KNOWN("u"), MAY_NOT), 2); /* a yes: five */
	assert_int_equal(w->status, 403);
	assert_string_equal(w->why,
		"u may not get nodes/proxy of slurm-x: a ClusterRole should allow it");
	sim_loop_pass(&w->loop, 29000);
	assert_int_equal(asked(w, "Bearer a", NULL, NULL), 0);
	assert_int_equal(w->status, 403);
	sim_loop_pass(&w->loop, 1000);
	assert_int_equal(asked(w, "Bearer a", NULL, MAY), 1); /* a no: 30 s */
	assert_int_equal(w->status, 200);
}

static void a_token_that_the_api_server_does_not_know_is_asked_about_each_time(void **state)
{
	static const char *const answers[] = { "{\"status\":{\"authenticated\":false}}", "{}", "[]",
		"{\"status\":{\"authenticated\":true}}",
		"{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"\"}}}",
		"{\"status\":{\"error\":\"x\",\"user\":{\"username\":\"root\"}}}" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(answers); i++) {
		assert_int_equal(asked(w, "Bearer a", answers[i], NULL), 1);
		assert_int_equal(w->status, 401);
	}
}

/* Acceptance: log-7 */
static void a_right_that_is_not_said_is_none(void **state)
{
	static const char *const answers[] = { "{}", "{\"status\":{}}",
		"{\"status\":{\"allowed\":\"true\"}}", "{\"status\":{\"allowed\":1}}" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(answers); i++) {
		asked(w, "Bearer a", KNOWN("u"), answers[i]);
		assert_int_equal(w->status, 403);
		sim_loop_pass(&w->loop, 30000);
	}
}

/* Acceptance: log-7 */
static void an_api_server_that_does_not_answer_lets_nobody_in(void **state)
{
	struct world *w = *state;
	ask(w, NULL, "Bearer a");
	fake_fail(fake_last(&w->http), ERR_LOST);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 500);
	assert_non_null(strstr(w->why, "the API server did not say whose token this is: "));
	ask(w, NULL, "Bearer a");
	fake_answer(fake_last(&w->http), 201, KNOWN("u"));
	fake_answer(fake_last(&w->http), 403, "{\"message\":\"forbidden\"}");
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 500);
	assert_non_null(strstr(w->why, "the API server did not say whether this is allowed: "));
	assert_int_equal(asked(w, "Bearer a", NULL, MAY), 1); /* nothing was made of it */
	assert_int_equal(w->status, 200);
}

static void a_certificate_names_the_user(void **state)
{
	static const char *const groups[] = { "system:masters", "x\"y" };
	const struct x509_subject s = { "kube-apiserver", groups, 2 };
	struct world *w = *state;
	ask(w, &s, "Bearer ignored");
	const struct http_call *right = fake_last(&w->http);
	assert_non_null(strstr(right->path, "subjectaccessreviews"));
	assert_non_null(strstr(right->body, "\"user\":\"kube-apiserver\""));
	assert_non_null(strstr(right->body,
		"\"groups\":[\"system:masters\",\"x\\\"y\",\"system:authenticated\"]"));
	fake_answer(fake_last(&w->http), 201, MAY);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 200);
	assert_false(w->by_token);
	/* The same groups of another user are another one. */
	const struct x509_subject other = { "kube-apiserver2", groups, 2 };
	ask(w, &other, NULL);
	fake_answer(fake_last(&w->http), 201, MAY_NOT);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 403);
}

static void methods_have_their_verbs(void **state)
{
	static const char *const rows[][2] = { { "POST", "create" }, { "PUT", "update" },
		{ "PATCH", "patch" }, { "DELETE", "delete" }, { "HEAD", "get" } };
	const struct x509_subject s = { "u", NULL, 0 };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str verb = { 0 };
		str_addf(&verb, "\"verb\":\"%s\"", rows[i][1]);
		const struct gate_wish wish = { &s, NULL, rows[i][0], "stats", "" };
		gate_ask(w->gate, &wish, told, w);
		const char *body = fake_last(&w->http)->body;
		assert_non_null(strstr(body, str_text(&verb)));
		assert_non_null(strstr(body, "\"subresource\":\"stats\""));
		assert_null(strstr(body, "\"name\""));
		fake_answer(fake_last(&w->http), 201, MAY);
		sim_loop_pass(&w->loop, 0);
		assert_int_equal(w->status, 200);
	}
	const struct gate_wish odd = { &s, NULL, "TRACE", "stats", "" };
	gate_ask(w->gate, &odd, told, w);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 403);
}

static void who_floods_the_door_with_tokens_is_sent_away(void **state)
{
	struct world *w = *state;
	struct gate_ask *asks[16];
	AUTO(str_free) struct str header = { 0 };
	for (int i = 0; i < 16; i++) {
		str_clear(&header);
		str_addf(&header, "Bearer %d", i);
		asks[i] = ask(w, NULL, str_text(&header));
	}
	assert_int_equal(asked(w, "Bearer more", NULL, NULL), 0);
	assert_int_equal(w->status, 429);
	gate_ask_cancel(asks[0]);
	assert_int_equal(asked(w, "Bearer more", "{}", NULL), 1);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(asked(w, "Bearer a", KNOWN("u"), MAY), 2); /* all have ended */
	assert_int_equal(w->status, 200);
}

static struct gate_ask *ask_from(struct world *w, const char *from, const char *authorization)
{
	const struct gate_wish wish = { NULL, authorization, "GET", "proxy", "slurm-x",
		.from = from };
	w->told = 0;
	return gate_ask(w->gate, &wish, told, w);
}

/* An unknown client can do that: any pod may flood the listener. */
static void who_floods_the_door_keeps_nobody_else_outside(void **state)
{
	enum { FLOOD = 100 };
	struct world *w = *state;
	AUTO(str_free) struct str header = { 0 };
	for (int i = 0; i < FLOOD; i++) {
		str_clear(&header);
		str_addf(&header, "Bearer %d", i);
		ask_from(w, "0a000001", str_text(&header));
	}
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 429);
	const struct fake_row rows[] = { { "tokenreviews", 201, KNOWN("u") },
		{ "subjectaccessreviews", 201, MAY } };
	struct gate_ask *a = ask_from(w, "0a000002", "Bearer a");
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->told, 0); /* it is being asked about */
	assert_non_null(a);
	fake_answer_all(&w->http, rows, 2);
	fake_answer_all(&w->http, rows, 2);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->status, 200);
}

static void who_has_gone_is_told_nothing(void **state)
{
	struct world *w = *state;
	gate_ask_cancel(ask(w, NULL, "Bearer a"));
	assert_true(fake_last(&w->http)->cancelled);
	struct gate_ask *a = ask(w, NULL, "Bearer a");
	fake_answer(fake_last(&w->http), 201, KNOWN("u"));
	gate_ask_cancel(a);
	assert_true(fake_last(&w->http)->cancelled);
	gate_ask_cancel(ask(w, NULL, NULL)); /* the answer was on its way */
	sim_loop_pass(&w->loop, 60000);
	assert_int_equal(w->told, 0);
	gate_ask_cancel(NULL);
}

static void the_cache_has_bounds(void **state)
{
	struct cache *m = cache_new();
	char key[16384];
	(void)state;
	for (int i = 0; i < 1001; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		cache_put(m, key, "v", 1000);
	}
	assert_null(cache_get(m, "k0", 0)); /* the oldest made room */
	assert_string_equal(cache_get(m, "k1", 0), "v");
	cache_put(m, "k1", "other", 2000);
	assert_string_equal(cache_get(m, "k1", 1999), "other");
	assert_null(cache_get(m, "k1", 2000));
	assert_null(cache_get(m, "k2", 1000));
	memset(key, 'x', sizeof(key));
	key[9000] = '\0';
	cache_put(m, key, "v", 1000);
	assert_null(cache_get(m, key, 0));
	cache_free(m);
	cache_free(NULL);
	gate_free(NULL);
}

#define GATE_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_gate, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(whoever_shows_nothing_is_not_known),
		GATE_TEST(a_token_is_asked_about_and_then_the_right),
		GATE_TEST(what_was_answered_is_known_for_a_while),
		GATE_TEST(a_token_that_the_api_server_does_not_know_is_asked_about_each_time),
		GATE_TEST(a_right_that_is_not_said_is_none),
		GATE_TEST(an_api_server_that_does_not_answer_lets_nobody_in),
		GATE_TEST(a_certificate_names_the_user),
		GATE_TEST(methods_have_their_verbs),
		GATE_TEST(who_floods_the_door_with_tokens_is_sent_away),
		GATE_TEST(who_floods_the_door_keeps_nobody_else_outside),
		GATE_TEST(who_has_gone_is_told_nothing),
		cmocka_unit_test(the_cache_has_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
