/* SPDX-License-Identifier: Apache-2.0 */
/* When tokens are written into Secrets of others, and what the Cluster says of it. */
#include "base/time.h"
#include "json/build.h"
#include "plan/cluster/plan.h"
#include "lib/given.h"

enum { NOW_S = GIVEN_WALL_MS / 1000, LIFE_S = 3600 };

struct tokens_world {
	struct given g;
	struct cluster_view view;
	struct recipient_fact rows[2];
	struct failing_action failing;
};

static void world_end(struct tokens_world *w) { given_end(&w->g); }

#define TOKENS(w) struct tokens_world w AUTO(world_end) = { 0 }

/* Slurm takes tokens of the key, and Secret "r" has had one for so long. */
static void given_token(struct tokens_world *w, int64_t age_s)
{
	w->g.d = jdoc_new(&w->g.arena);
	w->view = (struct cluster_view){
		.object = given_json(&w->g,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\","
			"\"resourceVersion\":\"3\",\"generation\":2},\"spec\":{\"server\":\"https:/"
			"/"
			"h:1\",\"token\":{\"jwtKeyRef\":\"k\",\"writeTo\":[{\"secretRef\":\"r\"}]}}"
			"}"),
		.link = { .secret = YES,
			.consent = CONSENT_GIVEN,
			.checked = true,
			.health = SLURM_UP,
			.version = "v0.0.42",
			.trouble = "" },
		.nodesets_known = true,
		.recipients = { true, w->rows, 1 },
	};
	for (size_t i = 0; i < LENGTH(w->rows); i++)
		w->rows[i] = (struct recipient_fact){
			.who = { i ? "second" : "r", "exporter", LIFE_S },
			.known = YES,
			.trouble = "",
			.uid = "u-r",
			.resource_version = "7",
			.consents = true,
			.permitted = YES,
			.current = true,
			.begins_s = NOW_S - age_s,
			.ends_s = NOW_S - age_s + LIFE_S,
		};
}

static void when_tokens_planned(struct tokens_world *w)
{
	w->g.plan = (struct plan){ .arena = &w->g.arena };
	cluster_plan(&w->view, GIVEN_NOW_MS, GIVEN_WALL_MS, &w->g.plan);
}

static void then_written(struct tokens_world *w, bool written)
{
	when_tokens_planned(w);
	if (!written) {
		then_no(&w->g, DO(WRITE_TOKEN, SECRET), NULL);
		return;
	}
	const struct action *a = then(&w->g, DO(WRITE_TOKEN, SECRET), "r");
	assert_string_equal(a->ns, "ns");
	assert_string_equal(a->guard.uid, "u-r");
	assert_string_equal(a->guard.resource_version, "7");
	assert_null(a->body);
}

/* Applies the status: then nothing is left to say. NULL: it says nothing of tokens. */
static void then_said(struct tokens_world *w, const char *status, const char *reason,
	const char *part)
{
	when_tokens_planned(w);
	w->g.object = w->view.object;
	const struct action *a = find_action(&w->g, DO(PATCH_STATUS, CLUSTER), "slurm");
	if (a)
		when_applied(&w->g, a);
	w->view.object = w->g.object;
	if (!status) {
		assert_null(strstr(j_text(w->g.d, j_copy(w->g.d, w->g.object)), "TokensWritten"));
		return;
	}
	then_condition(&w->g, "TokensWritten", status, reason);
	if (!strstr(condition_member(&w->g, "TokensWritten", "message"), part))
		fail_msg("\"%s\" lacks \"%s\"", condition_member(&w->g, "TokensWritten", "message"),
			part);
	when_tokens_planned(w);
	then_no(&w->g, DO(PATCH_STATUS, CLUSTER), NULL);
}

/* Acceptance: cluster-7 */
static void test_a_token_is_renewed_when_half_of_its_life_is_over(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 0);
	then_written(&w, false);
	assert_int_equal(w.g.plan.again_in_ms, 1800000);
	given_token(&w, 1799);
	then_written(&w, false);
	assert_int_equal(w.g.plan.again_in_ms, 1000);
	given_token(&w, 1800);
	then_written(&w, true);
	w.rows[0].in_flight = true;
	then_written(&w, false);
}

static void test_a_token_that_is_not_as_asked_for_is_replaced(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 10);
	w.rows[0].current = false; /* of another key or user, none, another owner's */
	then_written(&w, true);
	given_token(&w, 10);
	w.rows[0].who.life_s = 600;
	then_written(&w, true);
	given_token(&w, -30); /* the clock of the manager before was ahead */
	then_written(&w, false);
	given_token(&w, -86400); /* the clock was set back */
	then_written(&w, true);
}

/* Acceptance: cluster-7 */
static void test_no_token_is_written_without_leave(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 1800);
	w.rows[0].consents = false;
	then_written(&w, false);
	given_token(&w, 1800);
	w.rows[0].permitted = NO;
	then_written(&w, false);
	given_token(&w, 1800);
	w.rows[0].permitted = UNKNOWN;
	then_written(&w, false);
	given_token(&w, 1800);
	w.view.recipients.mintable = false;
	then_written(&w, false);
	given_token(&w, 1800);
	w.rows[0].known = NO;
	then_written(&w, false);
	given_token(&w, 1800);
	w.rows[0].trouble = "reading Secret ns/r: the API server is away";
	then_written(&w, false);
}

static void test_each_trouble_of_a_secret_is_told(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 10);
	then_said(&w, "True", "Written", "each Secret of spec.token.writeTo has a current token");
	w.rows[0].consents = false;
	then_said(&w, "False", "NoConsent", "lacks the annotation slinky.slurm.net/token-of=slurm");
	w.rows[0].known = NO;
	then_said(&w, "False", "SecretMissing", "Secret ns/r does not exist");
	given_token(&w, 10);
	w.rows[0].permitted = NO;
	then_said(&w, "False", "UserNotNamed", "Secret ns/k with the key does not name that user");
	given_token(&w, 10);
	w.rows[0].trouble = "reading Secret ns/r: secrets \"r\" is forbidden";
	then_said(&w, "False", "NotReadable", "is forbidden");
	given_token(&w, 1800);
	w.view.failing = &w.failing;
	w.view.n_failing = 1;
	w.failing = (struct failing_action){ DO(WRITE_TOKEN, SECRET), ERR_DENIED, "r",
		"secrets \"r\" is forbidden" };
	then_said(&w, "False", "NotWritten", "Secret ns/r: secrets \"r\" is forbidden");
	then_written(&w, true); /* it is tried again */
	given_token(&w, 10);
	then_said(&w, "True", "Written", "current token");
}

/* A user may create the Secret a moment after the Cluster. */
static void test_a_secret_of_a_new_cluster_may_be_missing_for_a_while(void **state)
{
	(void)state;
	TOKENS(w);
	for (int64_t age_ms = 29000; age_ms <= 30000; age_ms += 1000) {
		char created[TIME_RFC3339_BYTES];
		time_format(GIVEN_WALL_MS - age_ms, created);
		given_token(&w, 10);
		w.view.object = given_json(&w.g,
			arena_printf(&w.g.arena,
				"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\","
				"\"resourceVersion\":\"3\",\"creationTimestamp\":\"%s\"},\"spec\":{"
				"\"server\":\"https://h:1\",\"token\":{\"jwtKeyRef\":\"k\"}}}",
				created));
		w.rows[0].known = NO;
		when_tokens_planned(&w);
		if (age_ms < 30000)
			assert_int_equal(w.g.plan.again_in_ms, 30000 - age_ms);
		then_said(&w, age_ms < 30000 ? NULL : "False", "SecretMissing",
			"Secret ns/r does not exist");
	}
}

static void test_two_troubles_are_one_condition(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 10);
	w.view.recipients.n = 2;
	w.rows[0].consents = false;
	w.rows[1].known = NO;
	then_said(&w, "False", "NoConsent", "slurm; Secret ns/second does not exist");
}

/* A token that is about to be replaced, or cannot be for a while, is still good. */
static void test_what_nobody_can_say_yet_stays_as_it_was(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 10);
	then_said(&w, "True", "Written", "current token");
	const struct json *said = w.view.object;
	for (int i = 0; i < 5; i++) {
		given_token(&w, 1800);
		w.view.object = said;
		w.rows[0].in_flight = i == 1;
		w.view.recipients.mintable = i < 2;
		w.view.link.checked = i != 2;
		w.rows[0].permitted = i == 3 ? UNKNOWN : YES;
		w.rows[0].known = i == 4 ? UNKNOWN : YES;
		when_tokens_planned(&w);
		const struct action *a = find_action(&w.g, DO(PATCH_STATUS, CLUSTER), "slurm");
		if (a && !strstr(a->body, "\"type\":\"TokensWritten\",\"status\":\"True\""))
			fail_msg("%d: %s", i, a->body);
	}
	given_token(&w, LIFE_S + 1); /* and then it is not */
	w.view.recipients.mintable = false;
	w.view.link.health = SLURM_DENIED;
	then_said(&w, "False", "NotWritten",
		"none can be made until Slurm accepts a token of the key");
}

static void test_a_cluster_without_recipients_says_nothing_of_tokens(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 10);
	w.rows[0].consents = false;
	then_said(&w, "False", "NoConsent", "lacks");
	w.view.recipients.n = 0;
	then_said(&w, NULL, NULL, NULL);
}

/* The nodes are drained yet, so other clients may still ask Slurm. */
static void test_tokens_are_renewed_until_the_cluster_is_gone(void **state)
{
	(void)state;
	TOKENS(w);
	given_token(&w, 1800);
	w.view.object = given_json(&w.g,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\",\"deletionTimestamp\":"
		"\"2026-01-01T00:00:00Z\",\"finalizers\":[\"cluster.slinky.slurm.net/in-use\"]},"
		"\"spec\":{\"server\":\"https://h:1\",\"token\":{\"jwtKeyRef\":\"k\"}}}");
	w.view.n_nodesets = 1;
	then_written(&w, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_token_is_renewed_when_half_of_its_life_is_over),
		cmocka_unit_test(test_a_token_that_is_not_as_asked_for_is_replaced),
		cmocka_unit_test(test_no_token_is_written_without_leave),
		cmocka_unit_test(test_each_trouble_of_a_secret_is_told),
		cmocka_unit_test(test_a_secret_of_a_new_cluster_may_be_missing_for_a_while),
		cmocka_unit_test(test_two_troubles_are_one_condition),
		cmocka_unit_test(test_what_nobody_can_say_yet_stays_as_it_was),
		cmocka_unit_test(test_a_cluster_without_recipients_says_nothing_of_tokens),
		cmocka_unit_test(test_tokens_are_renewed_until_the_cluster_is_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
