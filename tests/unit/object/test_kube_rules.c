/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, selectors, conditions, and what an answer of the API server means. */
#include "lib/test.h"

#include "json/build.h"
#include "kube/client.h"
#include "object/condition.h"
#include "object/selector.h"

static struct json_doc *parse(const char *text)
{
	struct json_doc *doc = NULL;
	struct err e = json_parse(text, strlen(text), 1 << 20, &doc);
	if (failed(e))
		fail_msg("%s: %s", text, e.text);
	return doc;
}

/* ---- paths ---- */

static void paths_name_the_resource(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	(void)state;

	assert_string_equal(resource_path(&a, RES_POD, NULL, NULL, NULL), "/api/v1/pods");
	assert_string_equal(resource_path(&a, RES_POD, "ns", "x", "status"),
		"/api/v1/namespaces/ns/pods/x/status");
	assert_string_equal(resource_path(&a, RES_NODESET, "ns", NULL, NULL),
		"/apis/slinky.slurm.net/v1alpha1/namespaces/ns/nodesets");
	assert_string_equal(resource_path(&a, RES_NAMESPACE, "ignored", "x", NULL),
		"/api/v1/namespaces/x");
	assert_string_equal(resource_path(&a, RES_REVISION, NULL, NULL, NULL),
		"/apis/apps/v1/controllerrevisions");
}

static void a_strange_name_stays_one_segment(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	(void)state;

	assert_string_equal(resource_path(&a, RES_SECRET, "a/b", "c?d=e#f", NULL),
		"/api/v1/namespaces/a%2Fb/secrets/c%3Fd%3De%23f");
	assert_string_equal(resource_path(&a, RES_SECRET, "..", ".", NULL),
		"/api/v1/namespaces/%2E%2E/secrets/%2E");
}

/* ---- selectors ---- */

static const struct {
	const char *selector, *labels;
	bool matches;
} selectors[] = {
	{ "null", "{}", false },
	{ "{}", "{}", true },
	{ "{}", "{\"a\":\"b\"}", true },
	{ "{\"matchLabels\":{\"a\":\"b\"}}", "{\"a\":\"b\",\"c\":\"d\"}", true },
	{ "{\"matchLabels\":{\"a\":\"b\"}}", "{\"a\":\"c\"}", false },
	{ "{\"matchLabels\":{\"a\":\"\"}}", "{}", false },
	{ "{\"matchLabels\":{\"a\":\"\"}}", "{\"a\":\"\"}", true },
	{ "{\"matchLabels\":{\"a\":\"b\",\"c\":\"d\"}}", "{\"a\":\"b\"}", false },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\","
	  "\"y\"]}]}",
		"{\"a\":\"y\"}", true },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\","
	  "\"y\"]}]}",
		"{\"a\":\"z\"}", false },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\"]}]}", "{}",
		false },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"x\"]}"
	  "]}",
		"{}", true },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"x\"]}"
	  "]}",
		"{\"a\":\"x\"}", false },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}", "{\"a\":\"\"}",
		true },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}", "{}", false },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\"}]}", "{}", true },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\"}]}", "{\"a\":\"b\"}",
		false },
	{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Perhaps\"}]}", "{\"a\":\"b\"}",
		false },
	{ "{\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"c\","
	  "\"operator\":\"Exists\"}]}",
		"{\"a\":\"b\"}", false },
};

static void selectors_match_as_in_kubernetes(void **state)
{
	(void)state;

	for (size_t i = 0; i < LENGTH(selectors); i++) {
		AUTO(json_auto) struct json_doc *selector = parse(selectors[i].selector),
				       *labels = parse(selectors[i].labels);

		if (selector_matches(json_root(selector), labels_of_json, json_root(labels)) !=
			selectors[i].matches)
			fail_msg("%s on %s should be %d", selectors[i].selector,
				selectors[i].labels, selectors[i].matches);
	}
}

static void selectors_have_the_text_of_kubernetes(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	AUTO(json_auto) struct json_doc *doc =
		parse("{\"matchLabels\":{\"zone\":\"b\",\"app\":\"\"},\"matchExpressions\":[{"
		      "\"key\":\"m\",\"operator\":\"NotIn\",\"values\":[\"y\",\"x\"]},"
		      "{\"key\":\"f\",\"operator\":\"DoesNotExist\"},{\"key\":\"g\",\"operator\":"
		      "\"Exists\"},{\"key\":\"h\",\"operator\":\"In\",\"values\":[\"1\"]}]}");
	(void)state;

	assert_string_equal(selector_text(&a, json_root(doc)),
		"app=,!f,g,h in (1),m notin (x,y),zone=b");
	assert_string_equal(selector_text(&a, NULL), "");
	assert_true(selector_empty(NULL));
	assert_false(selector_empty(json_root(doc)));
}

static void a_selector_that_is_wrong_is_explained(void **state)
{
	static const struct {
		const char *selector, *says; /* NULL: it is right */
	} rows[] = {
		{ "{}", NULL },
		{ "null", NULL },
		{ "{\"matchLabels\":{\"app.kubernetes.io/name\":\"a-b_c.d\",\"x\":\"\"}}", NULL },
		{ "[]", "should be an object" },
		{ "{\"matchLabels\":[]}", "matchLabels should be an object" },
		{ "{\"matchExpressions\":{}}", "matchExpressions a list" },
		{ "{\"matchLabels\":{\"a b\":\"c\"}}", "the key \"a b\"" },
		{ "{\"matchLabels\":{\"/a\":\"c\"}}", "the key \"/a\"" },
		{ "{\"matchLabels\":{\"a\":\"-c\"}}", "\"-c\" for a" },
		{ "{\"matchLabels\":{\"a\":1}}", "(no string)" },
		{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Like\",\"values\":[\"x\"]}]"
		  "}",
			"operator \"Like\" for a is unknown" },
		{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}",
			"In for a needs values" },
		{ "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"x\"]"
		  "}]}",
			"takes no values" },
		{ "{\"matchExpressions\":[{\"operator\":\"Exists\"}]}", "the key \"\"" },
	};
	(void)state;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(json_auto) struct json_doc *doc = parse(rows[i].selector);
		struct err e = selector_check(json_root(doc));

		if (failed(e) != (rows[i].says != NULL) ||
			(rows[i].says && !strstr(e.text, rows[i].says)))
			fail_msg("%s: \"%s\"", rows[i].selector, e.text);
	}
}

/* ---- conditions ---- */

static const char was[] =
	"[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"},"
	"{\"type\":\"Foreign\",\"status\":\"Maybe\",\"extra\":1}]";
enum { NOW_S = 1780000000 }; /* 2026-05-28T20:26:40Z */

static void conditions_move_their_time_only_with_the_status(void **state)
{
	struct arena a AUTO(arena_free) = { 0 };
	AUTO(json_auto) struct json_doc *old = parse(was);
	struct jdoc *d = jdoc_new(&a);
	struct jval *list = j_arr(d);
	const struct condition same = { "Ready", COND_TRUE, "AllUp", "all pods are up" },
			       other = { "Ready", COND_UNKNOWN, "NoWord", NULL };
	(void)state;

	condition_set(d, list, json_root(old), &same, 4, INT64_C(1000) * NOW_S);
	assert_string_equal(j_text(d, list),
		"[{\"type\":\"Ready\",\"status\":\"True\",\"observedGeneration\":4,"
		"\"lastTransitionTime\":\"2026-01-01T00:00:00Z\",\"reason\":\"AllUp\",\"message\":"
		"\"all pods are up\"}]");
	list = j_arr(d);
	condition_set(d, list, json_root(old), &other, 0, INT64_C(1000) * NOW_S);
	assert_string_equal(j_text(d, list),
		"[{\"type\":\"Ready\",\"status\":\"Unknown\",\"lastTransitionTime\":\"2026-05-"
		"28T20:26:40Z\","
		"\"reason\":\"NoWord\",\"message\":\"\"}]");
}

static void foreign_conditions_survive(void **state)
{
	static const char *const ours[] = { "Ready", NULL };
	struct arena a AUTO(arena_free) = { 0 };
	AUTO(json_auto) struct json_doc *old = parse(was);
	struct jdoc *d = jdoc_new(&a);
	struct jval *list = j_arr(d);
	(void)state;

	condition_keep_foreign(d, list, json_root(old), ours);
	condition_keep_foreign(d, list, NULL, ours);
	assert_string_equal(j_text(d, list),
		"[{\"type\":\"Foreign\",\"status\":\"Maybe\",\"extra\":1}]");
}

/* ---- answers ---- */

static const struct {
	int status;
	const char *body;
	enum err_kind kind;
} answers[] = {
	{ 200, "{}", ERR_NONE },
	{ 201, "{}", ERR_NONE },
	{ 400, "{}", ERR_INVALID },
	{ 401, "{}", ERR_DENIED },
	{ 403, "{\"reason\":\"Forbidden\"}", ERR_DENIED },
	{ 403,
		"{\"details\":{\"causes\":[{\"reason\":\"Other\"},{\"reason\":"
		"\"NamespaceTerminating\"}]}}",
		ERR_NOT_FOUND },
	{ 404, "{}", ERR_NOT_FOUND },
	{ 405, "{}", ERR_INVALID },
	{ 409, "{\"reason\":\"AlreadyExists\"}", ERR_EXISTS },
	{ 409, "{\"reason\":\"Conflict\"}", ERR_CONFLICT },
	{ 410, "{\"reason\":\"Expired\"}", ERR_EXPIRED },
	{ 413, "{}", ERR_TOO_LARGE },
	{ 415, "{}", ERR_INVALID },
	{ 422, "{}", ERR_INVALID },
	{ 429, "{}", ERR_RETRY },
	{ 500, "{}", ERR_RETRY },
	{ 503, "[]", ERR_RETRY },
	{ 504, "{\"reason\":\"Timeout\"}", ERR_LOST },
	{ 302, "{}", ERR_INVALID },
};

static void answers_say_what_may_be_done_next(void **state)
{
	(void)state;

	for (size_t i = 0; i < LENGTH(answers); i++) {
		AUTO(json_auto) struct json_doc *doc = parse(answers[i].body);
		struct err e = kube_status_error(answers[i].status, json_root(doc));

		if (e.kind != answers[i].kind || (failed(e) && e.code != answers[i].status))
			fail_msg("%d %s is %s with %d", answers[i].status, answers[i].body,
				err_kind_name(e.kind), e.code);
	}
	AUTO(json_auto) struct json_doc *doc = parse("{\"message\":\"pods \\\"x\\\" not found\"}");
	assert_string_equal(kube_status_error(404, json_root(doc)).text,
		"the API server answered 404: pods \"x\" not found");
	assert_string_equal(kube_status_error(503, NULL).text, "the API server answered 503");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_name_the_resource),
		cmocka_unit_test(a_strange_name_stays_one_segment),
		cmocka_unit_test(selectors_match_as_in_kubernetes),
		cmocka_unit_test(selectors_have_the_text_of_kubernetes),
		cmocka_unit_test(a_selector_that_is_wrong_is_explained),
		cmocka_unit_test(conditions_move_their_time_only_with_the_status),
		cmocka_unit_test(foreign_conditions_survive),
		cmocka_unit_test(answers_say_what_may_be_done_next),
	};
	return cmocka_run_group_tests_name("kube_rules", tests, NULL, NULL);
}
