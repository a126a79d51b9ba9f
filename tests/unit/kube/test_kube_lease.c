/* SPDX-License-Identifier: Apache-2.0 */
/* Two holders of one lease, one of them played by the test. */
#include "lib/given_kube.h"

#include "kube/lease.h"

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct lease *lease;
	int leading, lost, released;
	int64_t until_ms;
	struct err why;
};

static void leading(void *ctx) { ((struct world *)ctx)->leading++; }
static void released(void *ctx) { ((struct world *)ctx)->released++; }

static void lost(void *ctx, struct err why)
{
	struct world *w = ctx;
	w->lost++;
	w->why = why;
}

static void holds(void *ctx, int64_t until_ms) { ((struct world *)ctx)->until_ms = until_ms; }

static const struct lease_handler handler = { leading, lost, holds };

static int given_a_candidate(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->http, &w->loop);
	w->lease = lease_new(&w->kube, "ns", "lock", "me", &handler, w);
	sim_loop_pass(&w->loop, 0);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	lease_free(w->lease);
	free_kube(&w->http, &w->loop);
	free(w);
	return 0;
}

static struct http_call *last(struct world *w) { return fake_last(&w->http); }

static void expect(struct world *w, const char *method, const char *path)
{
	assert_string_equal(last(w)->method, method);
	assert_string_equal(last(w)->path, path);
	assert_true(last(w)->open);
}

#define LOCK "/apis/coordination.k8s.io/v1/namespaces/ns/leases/lock"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
#define LEASE(version, who, renew)                                        \
	"{\"metadata\":{\"name\":\"lock\",\"resourceVersion\":\"" version \
	"\",\"labels\":{\"x\":\"y\"}},"                                   \
	"\"spec\":{\"holderIdentity\":\"" who "\",\"renewTime\":\"" renew \
	"\",\"leaseDurationSeconds\":15,\"leaseTransitions\":3}}"

static void given_it_leads(struct world *w)
{
	expect(w, "GET", LOCK);
	fake_answer(last(w), 404, "{}");
	expect(w, "POST", LEASES);
	fake_answer(last(w), 201, last(w)->body);
	assert_int_equal(w->leading, 1);
}

static void it_holds_for_ten_seconds_from_when_it_was_asked_for(void **state)
{
	struct world *w = *state;
	int64_t asked_ms = loop_now_ms(&w->loop.loop);
	fake_answer(last(w), 404, "{}");
	sim_loop_pass(&w->loop, 700); /* the answer takes its time */
	assert_int_equal(w->until_ms, 0);
	fake_answer(last(w), 201, last(w)->body);
	assert_int_equal(w->until_ms, asked_ms + 10000);
	sim_loop_pass(&w->loop, 2000);
	expect(w, "PUT", LOCK);
	fake_answer(last(w), 200, last(w)->body);
	assert_int_equal(w->until_ms, asked_ms + 12700);
}

static void an_absent_lease_is_made(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	assert_non_null(strstr(last(w)->body, "\"holderIdentity\":\"me\""));
	assert_non_null(strstr(last(w)->body, "\"leaseDurationSeconds\":15"));
	assert_non_null(strstr(last(w)->body, "\"leaseTransitions\":0"));
	sim_loop_pass(&w->loop, 2000);
	expect(w, "PUT", LOCK);
	assert_int_equal(w->leading, 1);
}

static void a_foreign_lease_is_taken_by_our_own_clock(void **state)
{
	struct world *w = *state;
	/* its renewTime is years ago by our wall clock: that says nothing */
	for (int i = 0; i < 7; i++) {
		fake_answer(last(w), 200, LEASE("5", "other", "2001-01-01T00:00:00.000000Z"));
		sim_loop_pass(&w->loop, 2000);
		expect(w, "GET", LOCK);
	}
	/* The other renewed after 14 s */
	fake_answer(last(w), 200, LEASE("6", "other", "2001-01-01T00:00:02.000000Z"));
	for (int i = 0; i < 7; i++) {
		sim_loop_pass(&w->loop, 2000);
		expect(w, "GET", LOCK);
		fake_answer(last(w), 200, LEASE("6", "other", "2001-01-01T00:00:02.000000Z"));
	}
	assert_int_equal(w->leading, 0);
	sim_loop_pass(&w->loop, 2000); /* 16 s without a renewal */
	fake_answer(last(w), 200, LEASE("6", "other", "2001-01-01T00:00:02.000000Z"));
	expect(w, "PUT", LOCK);
	assert_non_null(strstr(last(w)->body, "\"resourceVersion\":\"6\""));
	assert_non_null(strstr(last(w)->body, "\"labels\":{\"x\":\"y\"}"));
	assert_non_null(strstr(last(w)->body, "\"leaseTransitions\":4"));
	fake_answer(last(w), 200, last(w)->body);
	assert_int_equal(w->leading, 1);
}

static void a_released_lease_is_taken_at_once(void **state)
{
	struct world *w = *state;
	fake_answer(last(w), 200, LEASE("5", "", "2001-01-01T00:00:00.000000Z"));
	expect(w, "PUT", LOCK);
	fake_answer(last(w), 409, "{\"reason\":\"Conflict\"}"); /* the other one was faster */
	assert_int_equal(w->leading, 0);
	sim_loop_pass(&w->loop, 2000);
	expect(w, "GET", LOCK);
}

static void a_renewal_that_never_succeeds_ends_leading_after_ten_seconds(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	sim_loop_pass(&w->loop, 2000);
	fake_fail(last(w), ERR_LOST);
	for (int i = 0; i < 3; i++) {
		sim_loop_pass(&w->loop, 2000);
		expect(w, "GET", LOCK); /* after an unknown end it reads first */
		fake_fail(last(w), ERR_RETRY);
	}
	sim_loop_pass(&w->loop, 1999);
	assert_int_equal(w->lost, 0);
	sim_loop_pass(&w->loop, 1);
	assert_int_equal(w->lost, 1);
	assert_non_null(strstr(w->why.text, "the lease ns/lock was not renewed for 10 s"));
	sim_loop_pass(&w->loop, 100000);
	assert_int_equal(w->lost, 1);
}

static void a_request_that_hangs_does_not_delay_the_end(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	sim_loop_pass(&w->loop, 10000);
	assert_int_equal(w->lost, 1);
	assert_true(last(w)->cancelled);
}

static void a_lost_answer_is_looked_up(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	sim_loop_pass(&w->loop, 2000);
	fake_fail(last(w), ERR_LOST);
	sim_loop_pass(&w->loop, 2000);
	/* The write had been done */
	fake_answer(last(w), 200, LEASE("9", "me", "2026-01-01T00:00:00.000000Z"));
	expect(w, "PUT", LOCK);
	assert_non_null(strstr(last(w)->body, "\"resourceVersion\":\"9\""));
	fake_answer(last(w), 200, last(w)->body);
	sim_loop_pass(&w->loop, 9999);
	assert_int_equal(w->lost, 0);
	assert_int_equal(w->leading, 1);
}

static void a_lease_taken_by_another_ends_leading_at_once(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	sim_loop_pass(&w->loop, 2000);
	fake_answer(last(w), 409, "{\"reason\":\"Conflict\"}");
	sim_loop_pass(&w->loop, 0);
	expect(w, "GET", LOCK);
	fake_answer(last(w), 200, LEASE("9", "other", "2026-01-01T00:00:00.000000Z"));
	assert_int_equal(w->lost, 1);
	assert_non_null(strstr(w->why.text, "was taken by other"));
}

static void a_release_leaves_the_lease_without_a_holder(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	lease_release(w->lease, released, w);
	expect(w, "GET", LOCK);
	fake_answer(last(w), 200, LEASE("9", "me", "2026-01-01T00:00:00.000000Z"));
	expect(w, "PUT", LOCK);
	assert_non_null(strstr(last(w)->body, "\"holderIdentity\":\"\""));
	assert_non_null(strstr(last(w)->body, "\"leaseDurationSeconds\":1"));
	assert_non_null(strstr(last(w)->body, "\"leaseTransitions\":3"));
	assert_int_equal(w->released, 0);
	fake_answer(last(w), 200, last(w)->body);
	assert_int_equal(w->released, 1);
}

static void a_release_does_not_wait_for_ever(void **state)
{
	struct world *w = *state;
	given_it_leads(w);
	lease_release(w->lease, released, w);
	sim_loop_pass(&w->loop, 3000);
	assert_int_equal(w->released, 1);
	assert_true(last(w)->cancelled);
}

static void a_release_of_what_was_never_held_writes_nothing(void **state)
{
	struct world *w = *state;
	int sent = w->http.n;
	lease_release(w->lease, released, w);
	assert_int_equal(w->released, 0);
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(w->released, 1);
	assert_int_equal(w->http.n, sent);
}

/* Without the role, a manager waits for ever: that must not look like health. */
static void a_missing_role_is_a_trouble_with_its_remedy(void **state)
{
	struct world *w = *state;
	assert_string_equal(lease_trouble(w->lease), "");
	for (int i = 0; i < 3; i++) {
		fake_answer(last(w), 403,
			"{\"kind\":\"Status\",\"message\":\"x cannot get resource leases\"}");
		assert_non_null(strstr(lease_trouble(w->lease), "x cannot get resource leases"));
		assert_non_null(strstr(lease_trouble(w->lease), "slurm-operator rbac"));
		assert_non_null(strstr(lease_trouble(w->lease), "rbac --virtual-node"));
		sim_loop_pass(&w->loop, 2000);
	}
	given_it_leads(w);
	assert_string_equal(lease_trouble(w->lease), "");
}

/* No role helps a token that the API server does not know. */
static void a_token_that_is_not_known_is_another_trouble(void **state)
{
	struct world *w = *state;
	fake_answer(last(w), 401, "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}");
	assert_non_null(strstr(lease_trouble(w->lease), "rollout restart"));
	assert_null(strstr(lease_trouble(w->lease), "rbac"));
}

/* Get is allowed, create is not. */
static void a_lease_that_cannot_be_made_is_a_trouble(void **state)
{
	struct world *w = *state;
	fake_answer(last(w), 404, "{}");
	assert_string_equal(lease_trouble(w->lease), "");
	expect(w, "POST", LEASES);
	fake_answer(last(w), 403,
		"{\"kind\":\"Status\",\"message\":\"x cannot create resource leases\"}");
	assert_non_null(strstr(lease_trouble(w->lease), "cannot create"));
	sim_loop_pass(&w->loop, 2000);
	fake_answer(last(w), 404, "{}");
	assert_non_null(strstr(lease_trouble(w->lease), "cannot create")); /* nothing has changed */
}

/* Get is allowed, update is not: a read that succeeds ends no trouble of writing. */
static void a_lease_that_cannot_be_taken_is_a_lasting_trouble(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 3; i++) {
		fake_answer(last(w), 200, LEASE("5", "", "2001-01-01T00:00:00.000000Z"));
		expect(w, "PUT", LOCK);
		if (i)
			assert_non_null(strstr(lease_trouble(w->lease), "cannot update"));
		fake_answer(last(w), 403,
			"{\"kind\":\"Status\",\"message\":\"x cannot update resource leases\"}");
		sim_loop_pass(&w->loop, 2000);
	}
	/* Another manager may */
	fake_answer(last(w), 200, LEASE("6", "other", "2001-01-01T00:00:02.000000Z"));
	assert_string_equal(lease_trouble(w->lease), "");
}

static void a_standby_and_one_that_was_slower_have_no_trouble(void **state)
{
	struct world *w = *state;
	fake_answer(last(w), 200, LEASE("5", "", "2001-01-01T00:00:00.000000Z"));
	fake_answer(last(w), 409, "{\"reason\":\"Conflict\"}");
	assert_string_equal(lease_trouble(w->lease), "");
	sim_loop_pass(&w->loop, 2000);
	fake_answer(last(w), 200, LEASE("6", "other", "2001-01-01T00:00:02.000000Z"));
	assert_string_equal(lease_trouble(w->lease), "");
}

#define LEASE_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_candidate, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LEASE_TEST(it_holds_for_ten_seconds_from_when_it_was_asked_for),
		LEASE_TEST(an_absent_lease_is_made),
		LEASE_TEST(a_foreign_lease_is_taken_by_our_own_clock),
		LEASE_TEST(a_released_lease_is_taken_at_once),
		LEASE_TEST(a_renewal_that_never_succeeds_ends_leading_after_ten_seconds),
		LEASE_TEST(a_request_that_hangs_does_not_delay_the_end),
		LEASE_TEST(a_lost_answer_is_looked_up),
		LEASE_TEST(a_lease_taken_by_another_ends_leading_at_once),
		LEASE_TEST(a_release_leaves_the_lease_without_a_holder),
		LEASE_TEST(a_release_does_not_wait_for_ever),
		LEASE_TEST(a_release_of_what_was_never_held_writes_nothing),
		LEASE_TEST(a_missing_role_is_a_trouble_with_its_remedy),
		LEASE_TEST(a_token_that_is_not_known_is_another_trouble),
		LEASE_TEST(a_lease_that_cannot_be_made_is_a_trouble),
		LEASE_TEST(a_lease_that_cannot_be_taken_is_a_lasting_trouble),
		LEASE_TEST(a_standby_and_one_that_was_slower_have_no_trouble),
	};
	return cmocka_run_group_tests_name("kube_lease", tests, NULL, NULL);
}
