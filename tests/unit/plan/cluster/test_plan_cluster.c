/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of a Cluster: one condition that says what is wrong, where, and what would
 * be right; and the finalizer that keeps it while needed.
 */
#include "api/cluster.h"
#include "json/build.h"
#include "plan/cluster/plan.h"
#include "lib/given.h"
#include "object/condition.h"

struct cluster_world {
	struct given g;
	struct cluster_view view;
};

static void given_server(struct cluster_world *w, const char *server, const char *metadata,
	const char *status)
{
	w->g.d = jdoc_new(&w->g.arena);
	w->view.object = given_json(&w->g,
		arena_printf(&w->g.arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\","
			"\"resourceVersion\":\"3\",\"generation\":2%s%s},"
			"\"spec\":{\"server\":\"%s\",\"token\":{\"secretRef\":\"t\"}}%s%s}",
			*metadata ? "," : "", metadata, server, *status ? "," : "", status));
	w->view.link = (struct link_fact){
		.secret = YES,
		.checked = true,
		.health = SLURM_UP,
		.version = "v0.0.42",
		.trouble = "",
	};
	w->view.nodesets_known = true;
}

static void given_cluster(struct cluster_world *w, const char *metadata, const char *status)
{
	given_server(w, "http://h:1", metadata, status);
}

static void world_end(struct cluster_world *w) { given_end(&w->g); }

#define CLUSTER(w) struct cluster_world w AUTO(world_end) = { 0 }

static void when_cluster_planned(struct cluster_world *w)
{
	w->g.plan = (struct plan){ .arena = &w->g.arena };
	cluster_plan(&w->view, GIVEN_NOW_MS, GIVEN_WALL_MS, &w->g.plan);
}

/* Plans, applies the status, and plans again: nothing is left to say. */
static void then_ready(struct cluster_world *w, const char *status, const char *reason,
	const char *part)
{
	when_cluster_planned(w);
	w->g.object = w->view.object;
	when_applied(&w->g, then(&w->g, DO(PATCH_STATUS, CLUSTER), "slurm"));
	w->view.object = w->g.object;
	then_condition(&w->g, "Ready", status, reason);
	if (!strstr(condition_member(&w->g, "Ready", "message"), part))
		fail_msg("\"%s\" lacks \"%s\"", condition_member(&w->g, "Ready", "message"), part);
	assert_int_equal(json_bool(json_at(w->g.object, "status", "isReady"), true),
		str_eq(status, "True"));
	when_cluster_planned(w);
	then_nothing(&w->g);
}

#define WAS_READY                                                                               \
	"\"status\":{\"isReady\":true,\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"," \
	"\"reason\":\"Reachable\",\"message\":\"m\","                                           \
	"\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}"
#define IN_USE "\"finalizers\":[\"other\",\"cluster.slinky.slurm.net/in-use\"]"

/* Acceptance: cluster-1 */
static void test_ping_up_is_ready_and_said_once(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	then_ready(&w, "True", "Reachable", "v0.0.42");
}

static void test_bad_input_each_health_has_its_reason_and_its_advice(void **state)
{
	(void)state;
	static const struct {
		enum slurm_health health;
		const char *reason, *advice;
	} rows[] = {
		{ SLURM_UNREACHABLE, "Unreachable", "check spec.server" },
		{ SLURM_DENIED, "TokenRefused",
			"put a valid token into the key auth-token of Secret ns/t" },
		{ SLURM_TLS, "TLSFailed",
			"check the scheme of spec.server and the key ca.crt of Secret ns/t" },
		{ SLURM_VERSION, "VersionUnsupported", "if spec.server has a path" },
		{ SLURM_CTLD_DOWN, "ControllerDown", "check that slurmctld runs" },
		{ SLURM_NOT_SLURM, "NotSlurm", "address of slurmrestd" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLUSTER(w);
		given_cluster(&w, "", "\"status\":{\"isReady\":true}");
		w.view.link.health = rows[i].health;
		w.view.link.trouble = "what was seen";
		then_ready(&w, "False", rows[i].reason, rows[i].advice);
		assert_non_null(strstr(condition_member(&w.g, "Ready", "message"),
			"what was seen"));
	}
}

/* There is no token in any Secret. */
static void test_a_key_that_slurm_refuses_is_told_as_such(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	w.view.object = given_json(&w.g,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\",\"resourceVersion\":\"3\"},"
		"\"spec\":{\"server\":\"http://h:1\",\"token\":{\"jwtKeyRef\":\"k\"}}}");
	w.view.link.health = SLURM_DENIED;
	w.view.link.trouble = "what was seen";
	then_ready(&w, "False", "TokenRefused",
		"what was seen; it must be the jwt_key of slurmctld");
	assert_null(strstr(condition_member(&w.g, "Ready", "message"), "auth-token"));
}

/*
 * The ping is well, but the list of nodes is not to be had: no pod goes, so the Cluster
 * is not ready.
 */
static void test_nodes_that_cannot_be_read_end_readiness(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.slurm = (struct slurm_fact){
		.usable = NO,
		.nodes_seen_ms = GIVEN_NOW_MS - 10000,
		.trouble = "reading nodes failed: 500",
	};
	when_cluster_planned(&w);
	then_no(&w.g, DO(TELL, EVENT), NULL); /* one read that fails is no trouble yet */
	assert_int_equal(w.g.plan.again_in_ms, 5000);
	w.view.slurm.nodes_seen_ms -= 5000;
	when_cluster_planned(&w);
	assert_string_equal(then(&w.g, DO(TELL, EVENT), "slurm")->reason, "NodesUnreadable");
	then_ready(&w, "False", "NodesUnreadable", "reading nodes failed: 500");
	then_says(&w.g, "Ready", "log of slurmrestd");
	w.view.slurm =
		(struct slurm_fact){ .usable = YES, .nodes_seen_ms = GIVEN_NOW_MS, .trouble = "" };
	then_ready(&w, "True", "Reachable", "");
}

static void test_bad_input_wrong_url_is_said_and_survives_any_bytes(void **state)
{
	(void)state;
	static const char *const urls[] = { "slurm:6820", "\xc3\xa9\xc3\xa9", "http://" };
	for (size_t i = 0; i < LENGTH(urls); i++) {
		CLUSTER(w);
		struct str url AUTO(str_free) = { 0 };
		for (int n = 0; n < 150; n++) /* long enough to be cut inside of a character */
			str_add(&url, urls[i]);
		given_server(&w, str_text(&url), "", "");
		w.view.link = (struct link_fact){ .version = "", .trouble = "" };
		then_ready(&w, "False", "InvalidSpec", "http://HOST:PORT");
	}
}

/* Acceptance: cluster-1 */
static void test_cluster_without_its_secret_is_not_ready(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	w.view.link = (struct link_fact){
		.secret = NO,
		.version = "",
		.trouble = "Secret ns/t with the Slurm token does not exist",
	};
	then_ready(&w, "False", "SecretMissing", "Secret ns/t");
}

static void test_after_a_restart_readiness_stays_until_the_first_check_has_ended(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.link = (struct link_fact){ .version = "", .trouble = "" };
	when_cluster_planned(&w);
	then_nothing(&w.g);
}

/*
 * Otherwise a manager that may not read Secrets would say Ready for ever, because its
 * predecessor did.
 */
static void test_bad_input_missing_rbac_for_secrets_ends_readiness(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.link = (struct link_fact){
		.version = "",
		.trouble = "reading Secret ns/t: the API server answered 403: forbidden",
	};
	then_ready(&w, "Unknown", "NotChecked", "403");
}

static void test_finalizer_comes_with_the_first_nodeset_and_goes_with_the_last(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "\"finalizers\":[\"other\"]", "");
	w.view.n_nodesets = 1;
	when_cluster_planned(&w);
	assert_non_null(strstr(then(&w.g, DO(PATCH, CLUSTER), "slurm")->body,
		"\"other\",\"cluster.slinky.slurm.net/in-use\""));
	given_cluster(&w, IN_USE ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "");
	when_cluster_planned(&w);
	then_no(&w.g, DO(PATCH, CLUSTER), NULL);
	w.view.n_nodesets = 0;
	w.view.nodesets_known = false;
	when_cluster_planned(&w);
	then_no(&w.g, DO(PATCH, CLUSTER), NULL);
	w.view.nodesets_known = true;
	when_cluster_planned(&w);
	assert_null(strstr(then(&w.g, DO(PATCH, CLUSTER), "slurm")->body, "in-use"));
}

static void test_an_expired_token_has_a_reason_of_its_own(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	w.view.link.health = SLURM_DENIED;
	w.view.link.token_expired = true;
	w.view.link.trouble =
		"the token in Secret ns/t cannot be used: it expired at 2026-01-01T00:00:00Z";
	then_ready(&w, "False", "TokenExpired", "scontrol token");
}

/* A role that lacks what the finalizer takes: READY would be blank for ever. */
static void test_a_finalizer_that_is_refused_does_not_hold_up_the_status(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	w.view.n_nodesets = 1;
	when_cluster_planned(&w);
	assert_true(str_eq(then(&w.g, DO(PATCH, CLUSTER), "slurm")->event_failed, "FailedUpdate"));
	then_no(&w.g, DO(PATCH_STATUS, CLUSTER), NULL); /* one after the other */
	w.view.n_failing = 1;
	when_cluster_planned(&w);
	then(&w.g, DO(PATCH, CLUSTER), "slurm");
	assert_true(str_eq(then(&w.g, DO(PATCH_STATUS, CLUSTER), "slurm")->event_failed,
		"FailedUpdate"));
}

static void then_event(struct cluster_world *w, bool warning, const char *reason)
{
	const struct action *a = then(&w->g, DO(TELL, EVENT), "slurm");
	assert_string_equal(a->reason, reason);
	assert_int_equal(a->warning, warning);
	assert_true(a->with_status);
}

static void test_trouble_of_a_cluster_and_its_end_are_events_once(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.link.health = SLURM_UNREACHABLE;
	w.view.link.trouble = "no connection";
	when_cluster_planned(&w);
	then_event(&w, true, "Unreachable");
	/* And then there is nothing more to say */
	then_ready(&w, "False", "Unreachable", "no connection");
	w.view.link.health = SLURM_UP;
	when_cluster_planned(&w);
	then_event(&w, false, "Reachable");
}

static void test_a_new_cluster_that_is_well_is_no_event(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", "");
	when_cluster_planned(&w);
	then_no(&w.g, DO(TELL, EVENT), NULL);
	w.view.link = (struct link_fact){ .version = "", .trouble = "" }; /* not asked yet */
	when_cluster_planned(&w);
	then_no(&w.g, DO(TELL, EVENT), NULL);
}

static void test_a_cluster_deleted_too_early_says_what_it_waits_for(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, IN_USE ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", WAS_READY);
	w.view.n_nodesets = 2;
	w.view.nodesets = "cpu, gpu";
	when_cluster_planned(&w);
	then_event(&w, true, "NodeSetsLeft");
	then_ready(&w, "True", "Reachable", ""); /* they still drain by it */
	then_condition(&w.g, "Terminating", "True", "NodeSetsLeft");
	assert_non_null(strstr(condition_member(&w.g, "Terminating", "message"), "cpu, gpu"));
	assert_non_null(strstr(condition_member(&w.g, "Terminating", "message"),
		"remove the finalizer"));
}

/*
 * Secrets of before name no server, and go on working: that is a warning of its own, and
 * no Event.
 */
/* Acceptance: cluster-6 */
static void test_a_secret_that_names_no_server_is_used_with_a_warning(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.link.consent = CONSENT_UNSAID;
	then_ready(&w, "True", "Reachable", "v0.0.42");
	then_condition(&w.g, "SecretConsents", "False", "NoAnnotation");
	then_says(&w.g, "SecretConsents", "slinky.slurm.net/server");
	then_says(&w.g, "SecretConsents", "http://h:1");
	then_says(&w.g, "SecretConsents", "Secret ns/t");
	w.view.link.consent = CONSENT_GIVEN;
	when_cluster_planned(&w);
	then_no(&w.g, DO(TELL, EVENT), NULL);
	then_ready(&w, "True", "Reachable", "v0.0.42");
	then_condition(&w.g, "SecretConsents", "True", "ServerNamed");
}

static void test_a_secret_that_names_other_servers_ends_readiness_and_is_told(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.link = (struct link_fact){
		.secret = YES,
		.consent = CONSENT_REFUSED,
		.version = "",
		.trouble = "Secret ns/t does not name http://h:1",
	};
	when_cluster_planned(&w);
	then_event(&w, true, "NoConsent");
	then_ready(&w, "False", "NoConsent", "a user who may edit the Secret can add it");
	then_condition(&w.g, "SecretConsents", "False", "ServerNotNamed");
}

static void test_a_server_that_the_administrator_does_not_allow_is_said(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	w.view.link = (struct link_fact){
		.forbidden = true,
		.version = "",
		.trouble = "spec.server http://h:1 fits none of the patterns",
	};
	when_cluster_planned(&w);
	then_event(&w, true, "ServerForbidden");
	then_ready(&w, "False", "ServerForbidden", "fits none of the patterns");
	assert_null(condition_find(json_at(w.g.object, "status", "conditions"),
		"InsecureTransport"));
}

/* While the API server is away, it is unknown whether the Secret still says so. */
static void test_what_a_secret_said_stays_while_nobody_can_read_it(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "",
		"\"status\":{\"conditions\":[{\"type\":\"SecretConsents\",\"status\":\"True\","
		"\"reason\":\"ServerNamed\",\"message\":\"m\"}]}");
	then_ready(&w, "True", "Reachable", "v0.0.42");
	then_condition(&w.g, "SecretConsents", "True", "ServerNamed");
}

static void test_a_token_that_everybody_on_the_way_can_read_is_said(void **state)
{
	(void)state;
	CLUSTER(w);
	given_cluster(&w, "", WAS_READY);
	then_ready(&w, "True", "Reachable", "");
	then_condition(&w.g, "InsecureTransport", "True", "PlainHTTP");
	given_server(&w, "https://h:1", "", WAS_READY);
	then_ready(&w, "True", "Reachable", "");
	assert_null(condition_find(json_at(w.g.object, "status", "conditions"),
		"InsecureTransport"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ping_up_is_ready_and_said_once),
		cmocka_unit_test(test_bad_input_each_health_has_its_reason_and_its_advice),
		cmocka_unit_test(test_a_key_that_slurm_refuses_is_told_as_such),
		cmocka_unit_test(test_nodes_that_cannot_be_read_end_readiness),
		cmocka_unit_test(test_bad_input_wrong_url_is_said_and_survives_any_bytes),
		cmocka_unit_test(test_cluster_without_its_secret_is_not_ready),
		cmocka_unit_test(
			test_after_a_restart_readiness_stays_until_the_first_check_has_ended),
		cmocka_unit_test(test_bad_input_missing_rbac_for_secrets_ends_readiness),
		cmocka_unit_test(
			test_finalizer_comes_with_the_first_nodeset_and_goes_with_the_last),
		cmocka_unit_test(test_a_finalizer_that_is_refused_does_not_hold_up_the_status),
		cmocka_unit_test(test_an_expired_token_has_a_reason_of_its_own),
		cmocka_unit_test(test_trouble_of_a_cluster_and_its_end_are_events_once),
		cmocka_unit_test(test_a_new_cluster_that_is_well_is_no_event),
		cmocka_unit_test(test_a_cluster_deleted_too_early_says_what_it_waits_for),
		cmocka_unit_test(test_a_secret_that_names_no_server_is_used_with_a_warning),
		cmocka_unit_test(test_a_secret_that_names_other_servers_ends_readiness_and_is_told),
		cmocka_unit_test(test_a_server_that_the_administrator_does_not_allow_is_said),
		cmocka_unit_test(test_what_a_secret_said_stays_while_nobody_can_read_it),
		cmocka_unit_test(test_a_token_that_everybody_on_the_way_can_read_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
