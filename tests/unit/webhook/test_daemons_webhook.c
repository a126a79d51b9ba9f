/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reviews as an API server sends them: which path is about what, what is answered, and
 * what is known of other NodeSets.
 */
#include <unistd.h>

#include "lib/given_kube.h"

#include "base/codec.h"
#include "base/metric.h"
#include "webhook/certificate_file.h"
#include "webhook/webhook.h"
#include "kube/review.h"
#include "net/x509.h"

#define VALIDATE_NODESET "/validate-slinky-slurm-net-v1alpha1-nodeset"
#define MUTATE_NODESET "/mutate-slinky-slurm-net-v1alpha1-nodeset"
#define VALIDATE_CLUSTER "/validate-slinky-slurm-net-v1alpha1-cluster"
#define MUTATE_CLUSTER "/mutate-slinky-slurm-net-v1alpha1-cluster"

struct asked {
	struct str out;
	struct json_doc *doc;
	int status;
};

static void asked_end(struct asked *a)
{
	str_free(&a->out);
	json_free(a->doc);
}
#define ASKED(a) struct asked a AUTO(asked_end) = { 0 }

static enum caller caller = CALLER_AUTHENTICATED;
static void when_asked(struct asked *a, const struct neighbours *n, const char *path,
	const char *body)
{
	asked_end(a);
	*a = (struct asked){ 0 };
	const struct webhook_known known = { .neighbours = n };
	a->status = webhook_review(&known, caller, path, body, strlen(body), &a->out);
	if (a->status == 200)
		assert_false(failed(json_parse(str_text(&a->out), a->out.len, SIZE_MAX, &a->doc)));
}

static const struct json *answered(const struct asked *a, const char *key)
{
	return json_at(json_root(a->doc), "response", key);
}

#define REVIEW_OF(version, kind, operation, object)                                           \
	"{\"apiVersion\":\"" version "\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":"  \
	"\"u-1\",\"kind\":{\"group\":\"slinky.slurm.net\",\"version\":\"v1alpha1\",\"kind\":" \
	"\"" kind "\"},\"operation\":\"" operation                                            \
	"\",\"namespace\":\"ns\",\"name\":\"foo\"," object "}}"
#define REVIEW(kind, operation, object) REVIEW_OF("admission.k8s.io/v1", kind, operation, object)
#define TEMPLATE                                                                          \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"hostname\":" \
	"\"gpu\",\"containers\":[{\"name\":\"slurmd\"}]}}"
#define NODESET(name, members)                                                           \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"resourceVersion\":" \
	"\"7\"},\"spec\":{\"clusterName\":\"c\",\"serviceName\":\"s\",\"selector\":{"    \
	"\"matchLabels\":{\"app\":\"x\"}}," members TEMPLATE "}}"
#define CLUSTER(server)                                                                  \
	"{\"metadata\":{\"name\":\"c\"},\"spec\":{\"server\":\"" server "\",\"token\":{" \
	"\"secretRef\":\"t\"}}}"

static void test_what_is_good_is_allowed(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, VALIDATE_CLUSTER,
		REVIEW("Cluster", "CREATE", "\"object\":" CLUSTER("https://h")));
	assert_int_equal(a.status, 200);
	assert_string_equal(str_text(&a.out),
		"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
		"\"response\":{\"uid\":\"u-1\",\"allowed\":true}}");
	when_asked(&a, NULL, MUTATE_CLUSTER,
		REVIEW("Cluster", "CREATE", "\"object\":" CLUSTER("")));
	assert_true(json_bool(answered(&a, "allowed"), false));
	assert_null(answered(&a, "patch"));
}

/* Acceptance: webhook-1 */
static void test_what_is_denied_is_forbidden_with_a_sentence(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW_OF("admission.k8s.io/v1beta1", "NodeSet", "CREATE",
			"\"object\":" NODESET("foo", "\"replicas\":-1,")));
	assert_string_equal(json_str(json_get(json_root(a.doc), "apiVersion"), ""),
		"admission.k8s.io/v1beta1");
	assert_false(json_bool(answered(&a, "allowed"), true));
	const struct json *status = answered(&a, "status");
	assert_int_equal(json_i64(json_get(status, "code"), 0), 403);
	assert_string_equal(json_str(json_get(status, "reason"), ""), "Forbidden");
	assert_string_equal(json_str(json_get(status, "message"), ""),
		"spec.replicas is -1; it must be from 0 to 65536");
}

/* Acceptance: operator-chart-3 */
static void test_a_script_that_is_wrong_is_refused_by_its_line(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, "/validate-wlm-sylabs-io-v1alpha1-slurmjob",
		"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{"
		"\"uid\":\"u-1\",\"kind\":{\"group\":\"wlm.sylabs.io\",\"version\":\"v1alpha1\","
		"\"kind\":\"SlurmJob\"},\"operation\":\"CREATE\",\"namespace\":\"ns\",\"name\":"
		"\"cow\",\"object\":{\"metadata\":{\"name\":\"cow\"},\"spec\":{\"batch\":"
		"\"#!/bin/sh\\n#SBATCH --nodes=x\\n\"}}}}");
	assert_false(json_bool(answered(&a, "allowed"), true));
	assert_non_null(strstr(json_str(json_get(answered(&a, "status"), "message"), ""),
		"spec.batch: line 2"));
}

/* Acceptance: job-16 */
static void test_what_the_older_group_never_has_is_refused(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, "/validate-slurm-sylabs-io-v1alpha1-slurmjob",
		"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{"
		"\"uid\":\"u-1\",\"kind\":{\"group\":\"slurm.sylabs.io\",\"version\":\"v1alpha1\","
		"\"kind\":\"SlurmJob\"},\"operation\":\"CREATE\",\"namespace\":\"ns\",\"name\":"
		"\"cow\",\"object\":{\"metadata\":{\"name\":\"cow\"},\"spec\":{\"batch\":"
		"\"#!/bin/sh\\n\",\"ssh\":{\"user\":\"u\"}}}}}");
	assert_false(json_bool(answered(&a, "allowed"), true));
	assert_non_null(strstr(json_str(json_get(answered(&a, "status"), "message"), ""),
		"spec.ssh asks for a login"));
}

/* Acceptance: webhook-5 */
static void test_warnings_come_with_it(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, VALIDATE_CLUSTER,
		REVIEW("Cluster", "CREATE", "\"object\":" CLUSTER("http://h")));
	assert_true(json_bool(answered(&a, "allowed"), false));
	assert_int_equal(json_count(answered(&a, "warnings")), 1);
	assert_non_null(strstr(json_str(json_item(answered(&a, "warnings"), 0), ""), "plain http"));
}

/* Acceptance: webhook-6 */
static void test_defaults_are_a_packed_patch(void **state)
{
	(void)state;
	ASKED(a);
	AUTO(own_free) char *patch = NULL;
	size_t n;
	when_asked(&a, NULL, MUTATE_NODESET,
		REVIEW("NodeSet", "CREATE",
			"\"object\":" NODESET("foo",
				"\"updateStrategy\":{\"type\":\"OnDelete\"},")));
	assert_string_equal(json_str(answered(&a, "patchType"), ""), "JSONPatch");
	const char *packed = json_str(answered(&a, "patch"), "");
	assert_true(base64_decode(packed, strlen(packed), &patch, &n));
	assert_string_equal(patch,
		"[{\"op\":\"add\",\"path\":\"/spec/revisionHistoryLimit\",\"value\":0}]");
}

static void test_an_update_is_compared_with_what_was(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW("NodeSet", "UPDATE",
			"\"object\":" NODESET("foo",
				"\"replicas\":-1,") ",\"oldObject\":" NODESET("foo",
				"\"replicas\":-1,")));
	assert_true(json_bool(answered(&a, "allowed"), false));
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW("NodeSet", "UPDATE",
			"\"object\":" NODESET("foo",
				"\"replicas\":-1,") ",\"oldObject\":" NODESET("foo",
				"\"replicas\":1,")));
	assert_false(json_bool(answered(&a, "allowed"), true));
}

/* Acceptance: webhook-9 */
static void test_a_dry_run_is_judged_as_any_other(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW("NodeSet", "CREATE",
			"\"dryRun\":true,\"object\":" NODESET("foo", "\"replicas\":-1,")));
	assert_false(json_bool(answered(&a, "allowed"), true));
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW("NodeSet", "CREATE",
			"\"dryRun\":true,\"object\":" NODESET("foo", "\"replicas\":1,")));
	assert_true(json_bool(answered(&a, "allowed"), false));
}

/* Acceptance: webhook-3 */
static void test_what_no_rule_is_about_is_allowed(void **state)
{
	(void)state;
	ASKED(a);
	when_asked(&a, NULL, VALIDATE_NODESET, REVIEW("NodeSet", "DELETE", "\"object\":null"));
	assert_true(json_bool(answered(&a, "allowed"), false));
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW("NodeSet", "DELETE", "\"object\":null,\"oldObject\":{\"spec\":7}"));
	assert_true(json_bool(answered(&a, "allowed"), false));
	when_asked(&a, NULL, VALIDATE_CLUSTER, REVIEW("Cluster", "DELETE", "\"object\":null"));
	assert_true(json_bool(answered(&a, "allowed"), false));
	when_asked(&a, NULL, VALIDATE_NODESET,
		REVIEW("Scale", "UPDATE", "\"subResource\":\"scale\",\"object\":{}"));
	assert_true(json_bool(answered(&a, "allowed"), false));
}

static const struct {
	const char *path, *body;
	int status; /* 200: a review that says 400 */
	const char *says;
} bad_input[] = {
	{ VALIDATE_NODESET, "", 400, "the body: not JSON" },
	{ VALIDATE_NODESET, "[]", 400, "its kind is wrong" },
	{ VALIDATE_NODESET, "{\"kind\":\"AdmissionReview\"}", 400, "its apiVersion" },
	{ VALIDATE_NODESET, "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
		400, "it has no request with a uid" },
	{ VALIDATE_NODESET,
		"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
		"\"request\":{\"uid\":\"u\"}}",
		400, "lacks the kind or the operation" },
	{ VALIDATE_NODESET,
		"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
		"\"request\":{\"uid\":7}}",
		400, "it has no request with a uid" },
	{ VALIDATE_NODESET,
		"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
		"\"request\":[{\"uid\":\"u\"}]}",
		400, "it has no request with a uid" },
	{ VALIDATE_NODESET,
		REVIEW_OF("admission.k8s.io/v1alpha1", "NodeSet", "CREATE", "\"object\":{}"), 400,
		"its apiVersion is wrong" },
	{ VALIDATE_NODESET, REVIEW("NodeSet", "CREATE", "\"object\":{\"spec\":\"\xff\xfe\"}"), 400,
		"the body: not JSON" },
	{ "/validate", "{}", 404, "not found" },
	{ VALIDATE_NODESET, REVIEW("Cluster", "CREATE", "\"object\":{}"), 200,
		"correct the rules of the webhook configuration" },
	{ VALIDATE_NODESET, REVIEW("NodeSet", "CREATE", "\"object\":3"), 200,
		"the request for a NodeSet has no object" },
	{ MUTATE_NODESET, REVIEW("NodeSet", "CREATE", "\"object\":[{}]"), 200,
		"the request for a NodeSet has no object" },
	{ VALIDATE_NODESET, REVIEW("NodeSet", "UPDATE", "\"object\":{}"), 200, "has no oldObject" },
	{ VALIDATE_NODESET, REVIEW("NodeSet", "UPDATE", "\"object\":{},\"oldObject\":null"), 200,
		"has no oldObject" },
};

/* Acceptance: webhook-8 */
static void test_bad_input_is_answered_with_what_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(bad_input); i++) {
		ASKED(a);
		when_asked(&a, NULL, bad_input[i].path, bad_input[i].body);
		assert_int_equal(a.status, bad_input[i].status);
		if (!strstr(str_text(&a.out), bad_input[i].says))
			fail_msg("%s: %s", bad_input[i].says, str_text(&a.out));
		assert_false(json_bool(answered(&a, "allowed"), false));
		if (a.status == 200)
			assert_int_equal(json_i64(json_get(answered(&a, "status"), "code"), 0),
				400);
	}
}

/* An object with so many levels, as all of it. */
static char *deep(int levels)
{
	struct str s = { 0 };
	str_add(&s, "{\"spec\":{\"template\":");
	for (int i = 3; i <= levels; i++)
		str_add(&s, "{\"a\":");
	str_add(&s, "1");
	for (int i = 1; i <= levels; i++)
		str_add(&s, "}");
	return str_take(&s);
}

/* Acceptance: webhook-3 */
static void test_an_object_that_is_nested_too_deep_is_denied_but_not_stuck(void **state)
{
	(void)state;
	static const struct {
		int levels, levels_before; /* 0: it is made */
		bool too_deep;
	} rows[] = { { 61, 0, false }, { 62, 0, true }, { 63, 0, true }, { 500, 0, true },
		{ 500, 61, true }, { 500, 500, false }, { 61, 500, false } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		ASKED(a);
		AUTO(str_free) struct str body = { 0 };
		AUTO(own_free) char *new = deep(rows[i].levels), *old = deep(rows[i].levels_before);
		bool update = rows[i].levels_before;
		str_addf(&body,
			update ? REVIEW("NodeSet", "UPDATE", "\"object\":%s,\"oldObject\":%s")
			       : REVIEW("NodeSet", "CREATE", "\"object\":%s"),
			new, old);
		when_asked(&a, NULL, VALIDATE_NODESET, str_text(&body));
		const char *message = json_str(json_get(answered(&a, "status"), "message"), "");
		assert_int_equal(a.status, 200);
		if (!strstr(message, "nested too deep") == rows[i].too_deep)
			fail_msg("%d levels: %s", rows[i].levels, message);
	}
}

/* Acceptance: webhook-3 */
static void test_an_object_that_is_too_large_is_denied_but_not_stuck(void **state)
{
	(void)state;
	ASKED(a);
	AUTO(str_free) struct str body = { 0 }, big = { 0 };
	str_addf(&big, "{\"spec\":{\"template\":{\"a\":\"%0300000d\"}}}", 0);
	str_addf(&body, REVIEW("NodeSet", "CREATE", "\"object\":%s"), str_text(&big));
	when_asked(&a, NULL, VALIDATE_NODESET, str_text(&body));
	const char *message = json_str(json_get(answered(&a, "status"), "message"), "");
	assert_non_null(strstr(message, "too large"));
	str_clear(&body);
	str_addf(&body, REVIEW("NodeSet", "UPDATE", "\"object\":%s,\"oldObject\":%s"),
		str_text(&big), str_text(&big));
	when_asked(&a, NULL, VALIDATE_NODESET, str_text(&body));
	assert_true(json_bool(answered(&a, "allowed"), false));

	str_clear(&body);
	for (int i = 0; i <= REVIEW_VALUES; i++) /* each takes 16 bytes while it is read */
		str_add(&body, "0,");
	when_asked(&a, NULL, VALIDATE_NODESET, str_text(&body));
	assert_non_null(strstr(str_text(&a.out), "values is over the limit of 2097152"));
}

/* ---- certificates of others ---- */

/* Acceptance: webhook-11 */
static void test_bad_input_a_certificate_whose_time_is_over_is_told(void **state)
{
	(void)state;
	struct x509_pair p AUTO(x509_pair_free) = { 0 };
	struct x509_wish w = { .name = "a", .from_s = 1000000, .until_s = 2000000 };
	char path[] = "/tmp/certificate-XXXXXX";
	int64_t until_s;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_false(failed(x509_make_authority(&w, &p)));
	text_to_file(path, p.cert_pem);
	assert_false(failed(certificate_file_check(path, 1500000, &until_s)));
	assert_int_equal(until_s, 2000000);
	struct err e = certificate_file_check(path, 2000000, &until_s);
	assert_non_null(strstr(e.text, "has expired at 1970-01-24T03:33:20Z"));
	e = certificate_file_check(path, 999999, &until_s);
	assert_non_null(strstr(e.text, "is not valid before 1970-01-12T13:46:40Z"));
	text_to_file(path, "nothing");
	e = certificate_file_check(path, 1500000, &until_s);
	assert_non_null(strstr(e.text, "there is no certificate that can be read"));
	unlink(path);
	e = certificate_file_check(path, 1500000, &until_s);
	assert_non_null(strstr(e.text, "cannot be read: No such file"));
}

/* ---- others ---- */

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct neighbours *neighbours;
};

static void world_begin(struct world *w)
{
	given_kube(&w->kube, &w->http, &w->loop);
	w->neighbours = neighbours_new(&w->kube);
}

static void world_end(struct world *w)
{
	neighbours_free(w->neighbours);
	free_kube(&w->http, &w->loop);
}

#define LIST(items)                                                               \
	"{\"kind\":\"NodeSetList\",\"apiVersion\":\"slinky.slurm.net/v1alpha1\"," \
	"\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" items "]}"
#define NEW REVIEW("NodeSet", "CREATE", "\"object\":" NODESET("foo", "\"replicas\":2,"))

static bool said(const struct asked *a, const char *text)
{
	return strstr(str_text(&a->out), text) != NULL;
}

/* Acceptance: webhook-4 */
static void test_others_are_watched(void **state)
{
	(void)state;
	struct world w AUTO(world_end) = { 0 };
	ASKED(a);
	world_begin(&w);
	/* given nothing is known yet */
	when_asked(&a, w.neighbours, VALIDATE_NODESET, NEW);
	assert_true(said(&a, "it was not checked whether one of them gives the same"));
	/* when the list has come, with one that gives the same names */
	fake_answer(fake_open(&w.http, "nodesets"), 200, LIST(NODESET("bar", "\"replicas\":2,")));
	sim_loop_pass(&w.loop, 100);
	when_asked(&a, w.neighbours, VALIDATE_NODESET, NEW);
	assert_true(said(&a,
		"host name gpu0, which is the name of a Slurm node, and so do those of NodeSet bar"));
	assert_false(said(&a, "it was not checked"));
	/* when the caller is unknown, then that NodeSet is not named */
	caller = CALLER_UNKNOWN;
	when_asked(&a, w.neighbours, VALIDATE_NODESET, NEW);
	assert_true(said(&a, "so do those of another NodeSet of the namespace"));
	caller = CALLER_AUTHENTICATED;
	/* when that one goes */
	fake_data(fake_open(&w.http, "watch"),
		"{\"type\":\"DELETED\",\"object\":" NODESET("bar", "") "}\n");
	sim_loop_pass(&w.loop, 10);
	when_asked(&a, w.neighbours, VALIDATE_NODESET, NEW);
	assert_true(json_bool(answered(&a, "allowed"), false));
	assert_null(answered(&a, "warnings"));
	/* when the API server is away for minutes, that is said */
	fake_fail(fake_open(&w.http, "watch"), ERR_LOST);
	sim_loop_pass(&w.loop, 400000);
	when_asked(&a, w.neighbours, VALIDATE_NODESET, NEW);
	assert_true(said(&a, "it was not checked"));
}

static int forget_metrics(void **state)
{
	(void)state;
	metric_free_all();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_good_is_allowed),
		cmocka_unit_test(test_what_is_denied_is_forbidden_with_a_sentence),
		cmocka_unit_test(test_a_script_that_is_wrong_is_refused_by_its_line),
		cmocka_unit_test(test_what_the_older_group_never_has_is_refused),
		cmocka_unit_test(test_warnings_come_with_it),
		cmocka_unit_test(test_defaults_are_a_packed_patch),
		cmocka_unit_test(test_an_update_is_compared_with_what_was),
		cmocka_unit_test(test_a_dry_run_is_judged_as_any_other),
		cmocka_unit_test(test_what_no_rule_is_about_is_allowed),
		cmocka_unit_test(test_bad_input_is_answered_with_what_is_wrong),
		cmocka_unit_test(test_an_object_that_is_nested_too_deep_is_denied_but_not_stuck),
		cmocka_unit_test(test_an_object_that_is_too_large_is_denied_but_not_stuck),
		cmocka_unit_test(test_bad_input_a_certificate_whose_time_is_over_is_told),
		cmocka_unit_test(test_others_are_watched),
	};
	return cmocka_run_group_tests(tests, NULL, forget_metrics);
}
