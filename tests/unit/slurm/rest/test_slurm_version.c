/* SPDX-License-Identifier: Apache-2.0 */
/* Which version of the REST API is spoken. */
#include "lib/fake_slurmrestd.h"

#include "slurm/rest/version.h"

struct pinged {
	int calls;
	enum slurm_health health;
	struct err err;
	char version[16];
};

static void pinged(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	struct pinged *p = ctx;
	p->calls++;
	p->health = health;
	p->err = err;
	memset(p->version, 0, sizeof(p->version));
	if (version)
		memcpy(p->version, version, strnlen(version, sizeof(p->version) - 1));
}

static const char *chosen(const char *recorded)
{
	int status;
	AUTO(json_auto) struct json_doc *doc = NULL;
	AUTO(own_free) char *body = recorded_answer(recorded, &status);
	assert_false(failed(json_parse(body, strlen(body), 1 << 20, &doc)));
	const struct slurm_version *v = slurm_version_choose(json_root(doc));
	return v ? v->name : NULL;
}

static void test_the_newest_version_that_both_know_is_chosen(void **state)
{
	(void)state;
	assert_string_equal(chosen("24.11/openapi"), "v0.0.42");
	assert_string_equal(chosen("26.05/openapi"), "v0.0.45");
}

static const char *chosen_of(const char *text)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(text, strlen(text), 1 << 20, &doc)));
	const struct slurm_version *v = slurm_version_choose(json_root(doc));
	return v ? v->name : NULL;
}

static void test_versions_that_we_do_not_know_are_passed_over(void **state)
{
	(void)state;
	assert_string_equal(
		chosen_of(
			"{\"paths\":{\"/slurm/v0.0.99/nodes/\":{},\"/slurm/v0.0.41/nodes/\":{}}}"),
		"v0.0.41");
	assert_string_equal(chosen_of("{\"paths\":{\"/slurm/v0.0.40/nodes\":{}}}"), "v0.0.40");
	assert_null(chosen_of("{\"paths\":{\"/slurm/v0.0.38/nodes/\":{},\"/slurm/v0.0.422/nodes/"
			      "\":{},\"/slurmdb/v0.0.42/nodes/\":{}}}"));
	assert_null(chosen_of("{\"paths\":{\"/slurm/v0.0.42/ping/\":{}}}"));
	assert_null(chosen_of("{\"paths\":[\"/slurm/v0.0.42/nodes/\"]}"));
	assert_null(chosen_of("[]"));
}

/* Begins a ping, that needs the version. */
static struct slurm *begun(struct fake_slurmrestd *f, struct pinged *p)
{
	struct slurm *s = rest_client(f);
	slurm_ping(s, pinged, p);
	return s;
}

static void test_versions_are_tried_one_by_one_when_openapi_is_refused(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_answers(f, "GET /openapi/v3", 403, "forbidden by a proxy");
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "24.11/unknown-path");
	rest_replays(f, "GET /slurm/v0.0.44/ping/", "24.11/unknown-path");
	rest_replays(f, "GET /slurm/v0.0.43/ping/", "24.11/unknown-path");
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/v0.0.42/ping");
	assert_int_equal(p.calls, 0);
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/v0.0.42/ping");
	rest_replays(f, "GET /slurm/v0.0.42/nodes/?update_time=4000000000",
		"24.11/v0.0.42/nodes-unchanged");
	assert_int_equal(p.health, SLURM_UP);
	assert_string_equal(p.version, "v0.0.42");
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_an_openapi_document_that_is_too_large_is_done_without(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	assert_int_equal(rest_oldest(f)->max_answer_bytes, 2 << 20);
	rest_fails(f, "GET /openapi/v3", err_new(ERR_TOO_LARGE, "more than 2097152 bytes"));
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "26.05/v0.0.45/ping");
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "26.05/v0.0.45/ping");
	slurm_free(s);
	fake_slurmrestd_free(f);
	assert_int_equal(p.calls, 0);
}

static void test_no_version_in_common(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_answers(f, "GET /openapi/v3", 200, "{\"paths\":{\"/slurm/v0.0.38/nodes/\":{}}}");
	assert_int_equal(p.calls, 0); /* never from within */
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(p.calls, 1);
	assert_int_equal(p.health, SLURM_VERSION);
	assert_int_equal(p.err.kind, ERR_INVALID);
	assert_non_null(strstr(p.err.text, "v0.0.40 to v0.0.45"));
	assert_string_equal(p.version, "");
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_no_version_in_common_without_openapi(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_answers(f, "GET /openapi/v3", 200, "not JSON");
	static const char *const lines[] = { "GET /slurm/v0.0.45/ping/", "GET /slurm/v0.0.44/ping/",
		"GET /slurm/v0.0.43/ping/", "GET /slurm/v0.0.42/ping/", "GET /slurm/v0.0.41/ping/",
		"GET /slurm/v0.0.40/ping/" };
	for (size_t i = 0; i < LENGTH(lines); i++)
		rest_replays(f, lines[i], "26.05/unknown-path");
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(p.health, SLURM_VERSION);
	assert_int_equal(p.err.kind, ERR_INVALID);
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_a_web_page_is_not_slurm(void **state)
{
	(void)state;
	static const char page[] = "\n<!doctype html><html><body>Welcome to nginx</body></html>";
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_answers(f, "GET /openapi/v3", 200, page);
	rest_answers(f, "GET /slurm/v0.0.45/ping/", 200, page);
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(p.health, SLURM_NOT_SLURM);
	assert_int_equal(p.err.kind, ERR_INVALID);
	assert_non_null(strstr(p.err.text, "web page"));
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_a_server_that_knows_no_path_is_not_slurm(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_answers(f, "GET /openapi/v3", 404, "{\"kind\":\"Status\",\"code\":404}");
	for (int v = 45; v >= 40; v--) {
		char line[64];
		snprintf(line, sizeof(line), "GET /slurm/v0.0.%d/ping/", v);
		rest_answers(f, line, 404, "{\"kind\":\"Status\",\"code\":404}");
	}
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(p.health, SLURM_NOT_SLURM);
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_no_token_is_denied(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_replays(f, "GET /openapi/v3", "24.11/no-token");
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "24.11/no-token");
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(p.health, SLURM_DENIED);
	assert_int_equal(p.err.kind, ERR_DENIED);
	assert_int_equal(p.err.code, 401);
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_an_unreachable_server_fails_all_who_wait_and_is_asked_again_later(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged a = { 0 }, b = { 0 };
	struct slurm *s = begun(f, &a);
	slurm_ping(s, pinged, &b);
	assert_int_equal(rest_waiting(f), 1); /* one negotiation for both */
	rest_fails(f, "GET /openapi/v3", err_new(ERR_RETRY, "connection refused"));
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(a.health, SLURM_UNREACHABLE);
	assert_int_equal(b.health, SLURM_UNREACHABLE);
	assert_int_equal(a.err.kind, ERR_RETRY);
	slurm_ping(s, pinged, &a);
	rest_negotiates(f);
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/v0.0.42/ping");
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_tls_trouble_has_a_health_of_its_own(void **state)
{
	(void)state;
	static const enum err_kind kinds[] = { ERR_DENIED, ERR_INVALID };
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		struct fake_slurmrestd *f = fake_slurmrestd_new();
		struct pinged p = { 0 };
		struct slurm *s = begun(f, &p);
		rest_fails(f, "GET /openapi/v3",
			err_new(kinds[i], "the certificate is not trusted"));
		sim_loop_pass(&f->loop, 0);
		assert_int_equal(p.health, SLURM_TLS);
		assert_int_equal(p.err.kind, kinds[i]);
		slurm_free(s);
		fake_slurmrestd_free(f);
	}
}

static void test_an_unknown_path_negotiates_anew_once(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged p = { 0 };
	struct slurm *s = begun(f, &p);
	rest_replays(f, "GET /openapi/v3", "26.05/openapi");
	/* slurmrestd was replaced by an older one meanwhile */
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "24.11/unknown-path");
	rest_negotiates(f);
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/v0.0.42/ping");
	rest_replays(f, "GET /slurm/v0.0.42/nodes/?update_time=4000000000",
		"24.11/v0.0.42/nodes-unchanged");
	assert_int_equal(p.health, SLURM_UP);
	assert_string_equal(p.version, "v0.0.42");

	slurm_ping(s, pinged, &p);
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/unknown-path");
	rest_negotiates(f);
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/unknown-path");
	sim_loop_pass(&f->loop, 0);
	assert_int_equal(rest_waiting(f), 0);
	assert_int_equal(p.calls, 2);
	assert_int_equal(p.health, SLURM_NOT_SLURM);
	slurm_free(s);
	fake_slurmrestd_free(f);
}

static void test_two_that_meet_the_unknown_path_negotiate_once(void **state)
{
	(void)state;
	struct fake_slurmrestd *f = fake_slurmrestd_new();
	struct pinged a = { 0 }, b = { 0 };
	struct slurm *s = begun(f, &a);
	slurm_ping(s, pinged, &b);
	rest_replays(f, "GET /openapi/v3", "26.05/openapi");
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "24.11/unknown-path");
	rest_replays(f, "GET /slurm/v0.0.45/ping/", "24.11/unknown-path");
	rest_negotiates(f);
	assert_int_equal(rest_waiting(f), 2);
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/v0.0.42/ping");
	rest_replays(f, "GET /slurm/v0.0.42/ping/", "24.11/v0.0.42/ping");
	slurm_free(s);
	fake_slurmrestd_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_newest_version_that_both_know_is_chosen),
		cmocka_unit_test(test_versions_that_we_do_not_know_are_passed_over),
		cmocka_unit_test(test_versions_are_tried_one_by_one_when_openapi_is_refused),
		cmocka_unit_test(test_an_openapi_document_that_is_too_large_is_done_without),
		cmocka_unit_test(test_no_version_in_common),
		cmocka_unit_test(test_no_version_in_common_without_openapi),
		cmocka_unit_test(test_a_web_page_is_not_slurm),
		cmocka_unit_test(test_a_server_that_knows_no_path_is_not_slurm),
		cmocka_unit_test(test_no_token_is_denied),
		cmocka_unit_test(
			test_an_unreachable_server_fails_all_who_wait_and_is_asked_again_later),
		cmocka_unit_test(test_tls_trouble_has_a_health_of_its_own),
		cmocka_unit_test(test_an_unknown_path_negotiates_anew_once),
		cmocka_unit_test(test_two_that_meet_the_unknown_path_negotiate_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
