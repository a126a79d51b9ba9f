/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who may edit a Cluster names its server and its Secret, and perhaps must not
 * know the token: it goes where the Secret and the administrator let it go.
 */
#include "lib/link_world.h"

#include "link/consent.h"

#define NAMES(servers)                                                         \
	"{\"metadata\":{\"annotations\":{\"slinky.slurm.net/server\":" servers \
	"}},\"data\":{\"auth-token\":\"dG9rZW4=\"}}"

static enum consent consent(const char *secret, const char *server)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(secret, strlen(secret), SIZE_MAX, &doc)));
	return consent_of(json_root(doc), server, false);
}

static void test_a_secret_consents_to_the_servers_that_it_names_letter_by_letter(void **state)
{
	(void)state;
	static const struct {
		const char *secret, *server;
		enum consent consent;
	} rows[] = {
		{ SECRET("dG9rZW4="), "http://a", CONSENT_UNSAID },
		{ "{\"metadata\":{\"annotations\":{\"other\":\"http://a\"}}}", "http://a",
			CONSENT_UNSAID },
		{ NAMES("\"http://a\""), "http://a", CONSENT_GIVEN },
		{ NAMES("\"http://a/\""), "http://a", CONSENT_GIVEN },
		{ NAMES("\"http://a\""), "http://a/", CONSENT_GIVEN },
		{ NAMES("\" https://b:1 ,\\n http://a\\t\""), "http://a", CONSENT_GIVEN },
		{ NAMES("\",,https://b:1,\""), "https://b:1", CONSENT_GIVEN },
		{ NAMES("\"http://a\""), "http://a:80", CONSENT_REFUSED },
		{ NAMES("\"http://a\""), "https://a", CONSENT_REFUSED },
		{ NAMES("\"http://a\""), "http://A", CONSENT_REFUSED },
		{ NAMES("\"http://a\""), "http://a/path", CONSENT_REFUSED },
		{ NAMES("\"http://ab\""), "http://a", CONSENT_REFUSED },
		{ NAMES("\"http://a http://b\""), "http://b", CONSENT_REFUSED },
		{ NAMES("\"\""), "http://a", CONSENT_REFUSED },
		{ NAMES("\" , \""), "http://a", CONSENT_REFUSED },
		{ NAMES("7"), "http://a", CONSENT_REFUSED },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (consent(rows[i].secret, rows[i].server) != rows[i].consent)
			fail_msg("row %zu: %s for %s", i, rows[i].secret, rows[i].server);
	assert_int_equal(consent_of(NULL, "http://a", true), CONSENT_REFUSED);
}

static void test_patterns_are_about_the_host_as_it_is_written(void **state)
{
	(void)state;
	static const char *const patterns[] = { "*.svc", "slurm*.example.com", "10.0.*", "fd00:*",
		NULL };
	static const struct {
		const char *url;
		bool allowed;
	} rows[] = {
		{ "http://restapi.slurm.svc:6820", true },
		{ "https://RESTAPI.Slurm.SVC.", true },
		{ "http://restapi.slurm.svc/path", true },
		{ "http://slurm.example.com", true },
		{ "http://slurm-2.a.example.com:1", true },
		{ "http://10.0.3.4:6820", true },
		{ "http://[fd00::1]:6820", true },
		{ "http://svc", false },
		{ "http://restapi.slurm", false },
		{ "http://evil.com/x.svc", false },
		{ "http://evil.com:80/.svc", false },
		{ "http://restapi.slurm.svc.evil.com", false },
		{ "http://110.0.3.4", false },
		{ "http://[fe80::1]", false },
		{ "http://slurm.example.com.evil", false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (server_allowed(patterns, rows[i].url) != rows[i].allowed)
			fail_msg("%s", rows[i].url);
	static const char *const all[] = { "*", NULL }, *const none[] = { NULL };
	assert_true(server_allowed(NULL, "http://x") && server_allowed(all, "http://x"));
	assert_false(server_allowed(none, "http://x"));
}

/* Acceptance: cluster-6 */
static void test_the_token_of_a_secret_that_names_other_servers_goes_nowhere(void **state)
{
	struct world *w = *state;
	w->secret = NAMES("\"http://slurm:6821, https://slurm:6820\"");
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 30000);
	assert_int_equal(w->clients, 0);
	assert_string_equal(w->token, "");
	struct link_fact f = slurm_link_fact(w->link);
	assert_int_equal(f.consent, CONSENT_REFUSED);
	assert_non_null(strstr(f.trouble, "Secret ns/t does not name http://slurm:6820"));
	assert_null(strstr(f.trouble, "6821")); /* which it names is not for everybody */
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
}

/* The attack: a Cluster that is well is pointed at a listener of an attacker. */
/* Acceptance: cluster-6 */
static void test_a_cluster_that_is_pointed_elsewhere_takes_no_token_along(void **state)
{
	struct world *w = *state;
	w->secret = NAMES("\"http://slurm:6820\"");
	given_up(w);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_GIVEN);
	w->token[0] = '\0';
	int clients = w->clients;
	slurm_link_set(w->link, "http://listener:6820", "t");
	when_passed(w, 30000);
	assert_int_equal(w->clients, clients);
	assert_string_equal(w->token, "");
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	/* And it is well again as soon as that is taken back. */
	slurm_link_set(w->link, "http://slurm:6820/", "t");
	when_passed(w, 1000);
	assert_string_equal(w->token, "token");
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* Acceptance: cluster-6 */
static void test_consent_that_is_withdrawn_ends_within_a_check(void **state)
{
	struct world *w = *state;
	given_up(w);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_UNSAID);
	w->secret = NAMES("\"\"");
	when_passed(w, 61000);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_REFUSED);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	w->token[0] = '\0';
	when_passed(w, 30000);
	assert_string_equal(w->token, "");
	int changes = w->changes;
	w->secret = NAMES("\"http://slurm:6820\"");
	when_passed(w, 61000);
	assert_true(w->changes > changes);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_GIVEN);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

static void test_where_consent_is_required_a_secret_that_names_none_gives_none(void **state)
{
	struct world *w = *state;
	given_rules(w, (struct server_rules){ .require_consent = true });
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 30000);
	assert_int_equal(slurm_link_fact(w->link).consent, CONSENT_REFUSED);
	assert_int_equal(w->clients, 0);
	w->secret = NAMES("\"http://slurm:6820\"");
	when_passed(w, 61000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* Acceptance: cluster-6 */
static void test_a_server_that_is_not_allowed_is_not_even_looked_up(void **state)
{
	struct world *w = *state;
	static const char *const patterns[] = { "*.svc", NULL };
	given_rules(w, (struct server_rules){ .allowed = patterns });
	slurm_link_set(w->link, "http://169.254.169.254", "t");
	slurm_link_mean(w->link, "one");
	slurm_link_mean(w->link, "two"); /* asks anew */
	when_passed(w, 30000);
	assert_int_equal(w->clients, 0);
	assert_int_equal(w->api.n, 0);
	assert_true(slurm_link_fact(w->link).forbidden);
	assert_non_null(strstr(slurm_link_slurm(w->link).trouble, "--allowed-servers"));
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	slurm_link_set(w->link, "http://slurm.slurm.svc:6820", "t");
	when_passed(w, 1000);
	assert_false(slurm_link_fact(w->link).forbidden);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_string_equal(w->token, "token");
}

static void test_a_peer_of_our_own_machine_is_refused_unless_in_development(void **state)
{
	struct world *w = *state;
	given_up(w);
	assert_true(w->refuses_local);
	given_rules(w, (struct server_rules){ .allow_local = true });
	given_up(w);
	assert_false(w->refuses_local);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_secret_consents_to_the_servers_that_it_names_letter_by_letter),
		cmocka_unit_test(test_patterns_are_about_the_host_as_it_is_written),
		T(test_the_token_of_a_secret_that_names_other_servers_goes_nowhere),
		T(test_a_cluster_that_is_pointed_elsewhere_takes_no_token_along),
		T(test_consent_that_is_withdrawn_ends_within_a_check),
		T(test_where_consent_is_required_a_secret_that_names_none_gives_none),
		T(test_a_server_that_is_not_allowed_is_not_even_looked_up),
		T(test_a_peer_of_our_own_machine_is_refused_unless_in_development),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
