/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The webhook's own authority: what is decided, and what several replicas make of it with
 * one API server.
 */
#include "lib/given_kube.h"

#include "base/codec.h"
#include "webhook/authority.h"

enum { DAY_S = 86400, OVERLAP_S = 600 };

/* ---- decisions ---- */

/* Long ago made, and long to go. */
static struct authority_facts at_rest(void)
{
	return (struct authority_facts){
		.stored = true,
		.ca_usable = true,
		.server_good = true,
		.server_of_newest = true,
		.published = true,
		.ca_made_s = 0,
		.ca_until_s = 3650LL * DAY_S,
		.server_made_s = 0,
		.server_until_s = 365LL * DAY_S,
		.n_authorities = 1,
	};
}

static enum authority_step decided(struct authority_facts f, int64_t now_s)
{
	return authority_decide(&f, now_s, OVERLAP_S);
}

static void test_what_is_decided(void **state)
{
	(void)state;
	struct authority_facts f = { 0 };
	assert_int_equal(decided(f, 1000), AUTHORITY_BEGIN);
	f = at_rest();
	assert_int_equal(decided(f, DAY_S), AUTHORITY_REST);
	f.server_good = false; /* of other names, broken, expired */
	assert_int_equal(decided(f, DAY_S), AUTHORITY_NEW_SERVER);
	f.ca_usable = false;
	assert_int_equal(decided(f, DAY_S), AUTHORITY_BEGIN);
	f = at_rest();
	f.stored = false; /* a user deleted the Secret */
	assert_int_equal(decided(f, DAY_S), AUTHORITY_NEW_CA);
	f = at_rest();
	f.ca_usable = false; /* a Secret of others: no ca.key */
	assert_int_equal(decided(f, DAY_S), AUTHORITY_NEW_CA);
	f = at_rest();
	assert_int_equal(decided(f, 244LL * DAY_S), AUTHORITY_REST);
	assert_int_equal(decided(f, 246LL * DAY_S), AUTHORITY_NEW_SERVER);
	f.server_until_s = 4000LL * DAY_S;
	assert_int_equal(decided(f, 2919LL * DAY_S), AUTHORITY_REST);
	assert_int_equal(decided(f, 2921LL * DAY_S), AUTHORITY_NEW_CA);
}

static void test_a_new_ca_signs_once_everybody_trusts_it(void **state)
{
	(void)state;
	struct authority_facts f = at_rest();
	f.server_of_newest = false;
	f.n_authorities = 2;
	f.ca_made_s = 100LL * DAY_S;
	assert_int_equal(decided(f, 100LL * DAY_S + OVERLAP_S - 1), AUTHORITY_REST);
	assert_int_equal(decided(f, 100LL * DAY_S + OVERLAP_S), AUTHORITY_NEW_SERVER);
	f.published = false;
	assert_int_equal(decided(f, 200LL * DAY_S), AUTHORITY_REST);
	/* At the last moment all the same: who trusts nothing new fails either way. */
	assert_int_equal(decided(f, 365LL * DAY_S - 1), AUTHORITY_NEW_SERVER);
}

static void test_an_old_ca_goes_once_nobody_shows_its_certificate(void **state)
{
	(void)state;
	struct authority_facts f = at_rest();
	f.n_authorities = 2;
	f.server_made_s = DAY_S;
	assert_int_equal(decided(f, DAY_S + OVERLAP_S - 1), AUTHORITY_REST);
	assert_int_equal(decided(f, DAY_S + OVERLAP_S), AUTHORITY_DROP_OLD);
}

/* ---- an API server that has one Secret and two configurations ---- */

struct api {
	char *secret; /* the JSON of its data; NULL: there is none */
	int version;
	char *bundles[2][2]; /* of both configurations, each with two webhooks */
	bool no_configurations;
};

struct replica {
	struct fake_http http;
	struct kube kube;
	struct authority *authority;
	char *cert; /* served with */
	int used;
};

struct world {
	struct sim_loop loop;
	struct api api;
	struct replica replicas[2];
};

static void use(void *ctx, const struct x509_pair *pair)
{
	struct replica *r = ctx;
	assert_true(x509_key_fits(pair->cert_pem, pair->key_pem));
	free(r->cert);
	r->cert = own_strdup(pair->cert_pem);
	r->used++;
}

static void start(struct world *w, int i)
{
	struct replica *r = &w->replicas[i];
	fake_http_init(&r->http, &w->loop);
	r->http.forgets = true;
	r->kube = (struct kube){ &r->http.http, &w->loop.loop };
	struct authority_config c = { &r->kube, "ns", "ca", "hook", "conf", OVERLAP_S, use, r };
	r->authority = authority_new(&c);
}

static void given_a_world(struct world *w)
{
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	start(w, 0);
}

static void world_end(struct world *w)
{
	for (size_t i = 0; i < LENGTH(w->replicas); i++) {
		authority_free(w->replicas[i].authority);
		free(w->replicas[i].cert);
		fake_http_clear(&w->replicas[i].http);
	}
	for (int i = 0; i < 4; i++)
		free(w->api.bundles[i / 2][i % 2]);
	free(w->api.secret);
	assert_int_equal(sim_loop_end(&w->loop), 0);
}

static void answer_secret(struct api *s, struct http_call *c)
{
	AUTO(str_free) struct str body = { 0 };
	struct json_doc *doc AUTO(json_auto) = NULL;
	if (c->has_body && c->body[0]) {
		bool make = str_eq(c->method, "POST");
		assert_false(failed(json_parse(c->body, strlen(c->body), SIZE_MAX, &doc)));
		const char *seen = json_str(json_at(json_root(doc), "metadata", "resourceVersion"),
			"0");
		if ((make && s->secret) || (!make && atoi(seen) != s->version)) {
			fake_answer(c, 409, make ? "{\"reason\":\"AlreadyExists\"}" : "{}");
			return;
		}
		free(s->secret);
		s->secret = json_text(json_get(json_root(doc), "data"), &(size_t){ 0 });
		s->version++;
	}
	str_addf(&body, "{\"metadata\":{\"resourceVersion\":\"%d\"},\"data\":%s}", s->version,
		s->secret ? s->secret : "{}");
	fake_answer(c, s->secret ? 200 : 404, s->secret ? str_text(&body) : "{}");
}

static void patch_bundles(char *bundles[2], const char *body)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(body, strlen(body), SIZE_MAX, &doc)));
	for (struct json_iter it = json_iter(json_root(doc)); json_next(&it);) {
		const char *path = json_str(json_get(it.value, "path"), "");
		char **to = &bundles[path[strlen("/webhooks/")] - '0'];
		if (!strstr(path, "caBundle"))
			continue;
		free(*to);
		*to = own_strdup(json_str(json_get(it.value, "value"), ""));
	}
}

static void answer_configuration(struct api *s, struct http_call *c)
{
	AUTO(str_free) struct str body = { 0 };
	char **bundles = s->bundles[strstr(c->path, "mutating") != NULL];
	if (s->no_configurations) {
		fake_answer(c, 404, "{}");
		return;
	}
	if (str_eq(c->method, "PATCH"))
		patch_bundles(bundles, c->body);
	str_add(&body, "{\"webhooks\":[");
	for (int i = 0; i < 2; i++)
		str_addf(&body, "%s{\"name\":\"w%d\",\"clientConfig\":{\"caBundle\":\"%s\"}}",
			i ? "," : "", i, bundles[i] ? bundles[i] : "");
	str_add(&body, "]}");
	fake_answer(c, 200, str_text(&body));
}

/* Answers whatever replica i asks next; false: nothing is asked. */
static bool answer_one(struct world *w, int i)
{
	struct http_call *c = w->replicas[i].authority ? fake_open(&w->replicas[i].http, "") : NULL;
	if (!c)
		return false;
	if (strstr(c->path, "/secrets"))
		answer_secret(&w->api, c);
	else
		answer_configuration(&w->api, c);
	return true;
}

static bool is_trusted(const char *cert, const char *packed)
{
	AUTO(own_free) char *bundle = NULL;
	size_t n;
	if (!packed || !base64_decode(packed, strlen(packed), &bundle, &n))
		return false;
	const char *at = bundle;
	bool found = false;
	for (char *one; (one = x509_next(&at)); free(one))
		found |= x509_signed_by(cert, one);
	return found;
}

/* Every replica's certificate is trusted by every configuration. */
static void then_calls_succeed(const struct world *w)
{
	for (size_t i = 0; i < LENGTH(w->replicas); i++)
		for (int b = 0; b < 4 && w->replicas[i].cert; b++)
			if (!is_trusted(w->replicas[i].cert, w->api.bundles[b / 2][b % 2]))
				fail_msg("replica %zu is not trusted by webhook %d", i, b);
}

/* Lets time pass; calls must succeed all the time once they could. */
static void pass(struct world *w, int64_t ms)
{
	bool ready = str_empty(authority_trouble(w->replicas[0].authority));
	int64_t until = loop_now_ms(&w->loop.loop) + ms;
	while (loop_now_ms(&w->loop.loop) < until) {
		while (answer_one(w, 0) || answer_one(w, 1))
			if (ready)
				then_calls_succeed(w);
		sim_loop_pass(&w->loop, 500);
	}
}

static size_t authorities(const struct world *w)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	AUTO(own_free) char *bundle = NULL;
	size_t bytes, n = 0;
	assert_false(failed(json_parse(w->api.secret, strlen(w->api.secret), SIZE_MAX, &doc)));
	const char *packed = json_str(json_get(json_root(doc), "ca.crt"), "");
	assert_true(base64_decode(packed, strlen(packed), &bundle, &bytes));
	const char *at = bundle;
	for (char *one; (one = x509_next(&at)); free(one))
		n++;
	return n;
}

static void test_the_first_one_makes_it_and_tells_the_configurations(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	assert_string_equal(authority_trouble(w.replicas[0].authority),
		"there is no certificate yet");
	pass(&w, 2000);
	assert_string_equal(authority_trouble(w.replicas[0].authority), "");
	assert_int_equal(authorities(&w), 1);
	assert_true(x509_is_for(w.replicas[0].cert, "hook.ns.svc"));
	then_calls_succeed(&w);
	/* and at rest nothing is written */
	int version = w.api.version;
	pass(&w, 3600000);
	assert_int_equal(w.api.version, version);
	assert_int_equal(w.replicas[0].used, 1);
}

/* Acceptance: webhook-10 */
static void test_of_two_that_begin_together_one_makes_it(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	start(&w, 1);
	pass(&w, 3000);
	assert_int_equal(w.api.version, 1);
	assert_string_equal(w.replicas[0].cert, w.replicas[1].cert);
	assert_string_equal(authority_trouble(w.replicas[1].authority), "");
}

/* Acceptance: webhook-10 */
static void test_without_configurations_it_is_not_ready(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	w.api.no_configurations = true;
	pass(&w, 5000);
	assert_string_equal(authority_trouble(w.replicas[0].authority),
		"the webhook configurations do not have the CA yet");
	w.api.no_configurations = false;
	pass(&w, 3000);
	assert_string_equal(authority_trouble(w.replicas[0].authority), "");
	/* A user applies them again, without the CA. */
	free(TAKE(w.api.bundles[0][1]));
	pass(&w, 1);
	sim_loop_pass(&w.loop, 11000);
	while (answer_one(&w, 0))
		;
	then_calls_succeed(&w);
}

/* Acceptance: webhook-10 */
static void test_a_deleted_secret_is_a_rotation_without_a_failed_call(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	start(&w, 1);
	pass(&w, 3000);
	AUTO(own_free) char *first = own_strdup(w.replicas[0].cert);
	free(TAKE(w.api.secret));
	/* when it is seen: a new CA beside the old one, and the same certificate */
	pass(&w, 15000);
	assert_int_equal(authorities(&w), 2);
	assert_string_equal(w.replicas[0].cert, first);
	/* then the new certificate, and at the end the new CA alone */
	pass(&w, OVERLAP_S * 1000 + 15000);
	assert_string_not_equal(w.replicas[0].cert, first);
	assert_string_equal(w.replicas[0].cert, w.replicas[1].cert);
	assert_int_equal(authorities(&w), 2);
	pass(&w, OVERLAP_S * 1000 + 15000);
	assert_int_equal(authorities(&w), 1);
	assert_false(is_trusted(first, w.api.bundles[0][0]));
}

static void test_a_secret_that_somebody_broke_is_made_again_the_same_way(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	pass(&w, 3000);
	free(w.api.secret);
	w.api.secret = own_strdup("{\"tls.crt\":\"QUJD\",\"tls.key\":\"***\"}");
	w.api.version++;
	pass(&w, 15000);
	assert_int_equal(authorities(&w), 2);
	then_calls_succeed(&w);
}

/* Twelve years in steps of a month: it is renewed and rotated, and no call ever fails. */
/* Acceptance: webhook-10 */
static void test_over_the_years_no_call_fails(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	start(&w, 1);
	pass(&w, 3000);
	for (int i = 0; i < 146; i++) {
		sim_loop_jump_wall(&w.loop, 30LL * DAY_S * 1000);
		pass(&w, 12000);
		assert_string_equal(authority_trouble(w.replicas[0].authority), "");
	}
	assert_true(w.replicas[0].used > 12);
	assert_int_equal(authorities(&w), 1);
}

static void test_who_may_not_write_says_so_and_serves_on(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	given_a_world(&w);
	pass(&w, 3000);
	sim_loop_pass(&w.loop, 11000);
	fake_answer(fake_open(&w.replicas[0].http, "secrets"), 403, "{\"message\":\"no\"}");
	assert_string_equal(authority_trouble(w.replicas[0].authority), "");
	pass(&w, 15000);
	assert_string_equal(authority_trouble(w.replicas[0].authority), "");
	assert_int_equal(w.replicas[0].used, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_decided),
		cmocka_unit_test(test_a_new_ca_signs_once_everybody_trusts_it),
		cmocka_unit_test(test_an_old_ca_goes_once_nobody_shows_its_certificate),
		cmocka_unit_test(test_the_first_one_makes_it_and_tells_the_configurations),
		cmocka_unit_test(test_of_two_that_begin_together_one_makes_it),
		cmocka_unit_test(test_without_configurations_it_is_not_ready),
		cmocka_unit_test(test_a_deleted_secret_is_a_rotation_without_a_failed_call),
		cmocka_unit_test(test_a_secret_that_somebody_broke_is_made_again_the_same_way),
		cmocka_unit_test(test_over_the_years_no_call_fails),
		cmocka_unit_test(test_who_may_not_write_says_so_and_serves_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
