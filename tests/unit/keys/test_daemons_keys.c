/* SPDX-License-Identifier: Apache-2.0 */
/* Makers of keys, one or two at a time, with an API server that has one Secret. */
#include "lib/given_kube.h"

#include "base/codec.h"
#include "json/build.h"
#include "keys/key_maker.h"
#include "net/key.h"

#define WISH                                                                   \
	"[{\"name\":\"k\",\"keys\":{\"text\":\"text:64\",\"ecdsa\":\"ecdsa\"," \
	"\"ed25519\":\"ed25519\",\"rsa\":\"rsa\"}}]"

/* A Job. */
struct maker {
	struct fake_http http;
	struct kube kube;
	struct key_maker_config config;
	struct key_maker *maker;
	int status; /* -1: it runs */
	char said[ERR_TEXT_BYTES];
	int lines;
};

struct world {
	struct sim_loop loop;
	struct arena memory;
	struct secret_wishes wishes;
	char *data; /* of the Secret; NULL: there is none */
	int version, writes;
	bool forbidden;
	struct maker makers[2];
};

static void say(void *ctx, const char *sentence)
{
	struct maker *m = ctx;
	snprintf(m->said, sizeof(m->said), "%s", sentence);
	m->lines++;
}

static void done(void *ctx, int status) { ((struct maker *)ctx)->status = status; }

static void start(struct world *w, int i)
{
	struct maker *m = &w->makers[i];
	fake_http_init(&m->http, &w->loop);
	m->http.forgets = true;
	m->kube = (struct kube){ &m->http.http, &w->loop.loop };
	m->status = -1;
	m->config = (struct key_maker_config){ &m->kube, "ns", &w->wishes, say, done, m };
	m->maker = key_maker_new(&m->config);
}

static void given_a_world(struct world *w)
{
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	assert_false(failed(secret_wishes_read(json_parse_in(&w->memory, WISH, strlen(WISH),
						       SIZE_MAX),
		&w->wishes)));
}

static void world_end(struct world *w)
{
	for (size_t i = 0; i < LENGTH(w->makers); i++) {
		key_maker_free(w->makers[i].maker);
		fake_http_clear(&w->makers[i].http);
	}
	free(w->data);
	arena_free(&w->memory);
	assert_int_equal(sim_loop_end(&w->loop), 0);
}

/* Merges data as the API server does for a merge patch. */
static void merge(struct world *w, const char *body)
{
	struct jdoc *d = jdoc_new(&w->memory);
	struct jval *all = j_obj(d);
	const char *texts[] = { w->data ? w->data : "{}", body };
	for (size_t i = 0; i < LENGTH(texts); i++) {
		const struct json *v = json_parse_in(&w->memory, texts[i], strlen(texts[i]),
			SIZE_MAX);
		for (struct json_iter it = json_iter(i ? json_get(v, "data") : v); json_next(&it);)
			j_set(d, all, it.key, j_copy(d, it.value));
	}
	free(w->data);
	w->data = own_strdup(j_text(d, all));
	w->version++;
	w->writes++;
}

static bool is_taken(const struct world *w, const struct http_call *c)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(c->body, strlen(c->body), SIZE_MAX, &doc)));
	const char *seen = json_str(json_at(json_root(doc), "metadata", "resourceVersion"), "");
	return str_eq(c->method, "POST") ? !w->data : atoi(seen) == w->version;
}

static void answer(struct world *w, struct http_call *c)
{
	AUTO(str_free) struct str body = { 0 };
	bool writes = !str_eq(c->method, "GET");
	if (w->forbidden) {
		fake_answer(c, 403, "{\"message\":\"no role yet\"}");
		return;
	}
	if (writes && !is_taken(w, c)) {
		fake_answer(c, 409, w->data ? "{\"reason\":\"AlreadyExists\"}" : "{}");
		return;
	}
	if (writes)
		merge(w, c->body);
	str_addf(&body, "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"%d\"},\"data\":%s}",
		w->version, w->data ? w->data : "{}");
	fake_answer(c, w->data ? 200 : 404, w->data ? str_text(&body) : "{}");
}

static bool answer_one(struct world *w, int i)
{
	struct http_call *c = w->makers[i].maker ? fake_open(&w->makers[i].http, "") : NULL;
	if (c)
		answer(w, c);
	return c != NULL;
}

static void when_passed(struct world *w, int64_t ms)
{
	for (int64_t i = 0; i <= ms / 500; i++) {
		while (answer_one(w, 0) || answer_one(w, 1))
			;
		sim_loop_pass(&w->loop, 500);
	}
}

static char *value_of(const struct world *w, const char *key)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	char *out = NULL;
	size_t n;
	assert_false(failed(json_parse(w->data, strlen(w->data), SIZE_MAX, &doc)));
	const char *packed = json_str(json_get(json_root(doc), key), "");
	assert_true(base64_decode(packed, strlen(packed), &out, &n));
	return out;
}

static void test_a_secret_is_made_with_all_its_keys(void **state)
{
	static const char *const private[] = { "ecdsa", "ed25519", "rsa" };
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_a_world(&w);
	start(&w, 0);
	when_passed(&w, 1000);
	assert_int_equal(w.makers[0].status, 0);
	assert_string_equal(w.makers[0].said, "Secret k: made");
	AUTO(own_free) char *text = value_of(&w, "text");
	assert_int_equal(strlen(text), 64);
	for (size_t i = 0; i < LENGTH(private); i++) {
		AUTO(own_free) char *pem = value_of(&w, private[i]);
		assert_true(str_has_prefix(pem, "-----BEGIN PRIVATE KEY-----\n"));
	}
}

static void test_a_second_time_nothing_is_written(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_a_world(&w);
	start(&w, 0);
	when_passed(&w, 1000);
	start(&w, 1);
	when_passed(&w, 1000);
	assert_int_equal(w.makers[1].status, 0);
	assert_string_equal(w.makers[1].said, "Secret k: stays as it is");
	assert_int_equal(w.writes, 1);
}

/* Acceptance: slurm-chart-49 */
static void test_of_two_at_once_one_makes_it(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_a_world(&w);
	start(&w, 0);
	start(&w, 1);
	/* both have read that there is none before either writes */
	answer_one(&w, 0);
	answer_one(&w, 1);
	when_passed(&w, 1000);
	assert_int_equal(w.makers[0].status, 0);
	assert_int_equal(w.makers[1].status, 0);
	assert_int_equal(w.writes, 1);
}

/* Acceptance: slurm-chart-49 */
static void test_of_two_that_add_a_key_the_second_one_sees_the_first_ones(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_a_world(&w);
	w.data = own_strdup("{\"text\":\"b2xk\"}");
	start(&w, 0);
	start(&w, 1);
	answer_one(&w, 0);
	answer_one(&w, 1);
	when_passed(&w, 1000);
	assert_int_equal(w.makers[0].status + w.makers[1].status, 0);
	assert_int_equal(w.writes, 1);
	AUTO(own_free) char *old = value_of(&w, "text");
	assert_string_equal(old, "old");
	assert_string_equal(w.makers[0].said, "Secret k: a missing key was added");
	assert_string_equal(w.makers[1].said, "Secret k: stays as it is");
}

static void test_a_role_that_comes_later_is_waited_for(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_a_world(&w);
	w.forbidden = true;
	start(&w, 0);
	when_passed(&w, 10000);
	assert_int_equal(w.makers[0].status, -1);
	assert_int_equal(w.makers[0].lines, 1); /* it is told once */
	assert_non_null(strstr(w.makers[0].said, "Secret k: "));
	assert_non_null(strstr(w.makers[0].said, "no role yet"));
	w.forbidden = false;
	when_passed(&w, 2000);
	assert_int_equal(w.makers[0].status, 0);
}

static void test_one_that_never_comes_ends_it(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_a_world(&w);
	w.forbidden = true;
	start(&w, 0);
	when_passed(&w, 119000);
	assert_int_equal(w.makers[0].status, -1);
	when_passed(&w, 3000);
	assert_int_equal(w.makers[0].status, 1);
	assert_null(w.data);
}

static void test_a_text_has_letters_and_digits_and_no_two_are_alike(void **state)
{
	AUTO(own_free) char *a = NULL;
	AUTO(own_free) char *b = NULL;
	(void)state;
	assert_false(failed(key_text(1024, &a)));
	assert_false(failed(key_text(1024, &b)));
	assert_int_equal(strlen(a), 1024);
	assert_int_equal(strspn(a,
				 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
		1024);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_secret_is_made_with_all_its_keys),
		cmocka_unit_test(test_a_second_time_nothing_is_written),
		cmocka_unit_test(test_of_two_at_once_one_makes_it),
		cmocka_unit_test(test_of_two_that_add_a_key_the_second_one_sees_the_first_ones),
		cmocka_unit_test(test_a_role_that_comes_later_is_waited_for),
		cmocka_unit_test(test_one_that_never_comes_ends_it),
		cmocka_unit_test(test_a_text_has_letters_and_digits_and_no_two_are_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
