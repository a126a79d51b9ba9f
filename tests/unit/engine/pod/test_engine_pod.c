/* SPDX-License-Identifier: Apache-2.0 */
/* From the JSON of a Pod to what is known of it: why it is not ready. */
#include "lib/given.h"
#include "engine/pod/pod.h"

/* The why of a pod whose status has these members. */
static const char *why_of(struct given *g, const char *status)
{
	struct pod_fact *p = pod_fact_new(given_json(g,
		arena_printf(&g->arena, "{\"status\":{%s}}", status)));
	const char *why = arena_strdup(&g->arena, p->why);
	free(p);
	return why;
}

#define WAITING(reason, message)                                     \
	"\"containerStatuses\":[{\"name\":\"slurmd\",\"image\":\"m/" \
	"x:1\",\"restartCount\":5,\"state\":{\"waiting\":{"          \
	"\"reason\":\"" reason "\",\"message\":\"" message           \
	"\"}},\"lastState\":{\"terminated\":{\"exitCode\":127,\"reason\":\"Error\"}}}]"

static void test_pod_says_why_it_is_not_ready(void **state)
{
	(void)state;
	static const struct {
		const char *status, *why;
	} rows[] = {
		{ "\"phase\":\"Running\"", "" },
		{ WAITING("ContainerCreating", ""), "" },
		{ WAITING("ErrImagePull", "m/x:1: not found"),
			"ErrImagePull: image m/x:1: m/x:1: not found" },
		{ WAITING("CreateContainerConfigError", "secret \\\"key\\\" not found"),
			"CreateContainerConfigError: secret \"key\" not found" },
		{ WAITING("CrashLoopBackOff", "back-off 2m40s restarting"),
			"CrashLoopBackOff: container slurmd ends again and again, 4 times or more, "
			"the last "
			"time with exit code 127 (Error); kubectl logs --previous shows its last "
			"words" },
		{ "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
		  "\"Unschedulable\",\"message\":\"0/3 nodes are available: 3 "
		  "Insufficient nvidia.com/gpu.\"}]",
			"Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu." },
		{ "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]," WAITING(
			  "ErrImagePull", "of a side car that nobody needs"),
			"" },
	};
	WORLD(g);
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_string_equal(why_of(&g, rows[i].status), rows[i].why);
}

/* Acceptance: vnode-12 */
static void test_what_kubernetes_takes_away_by_itself_is_known(void **state)
{
	(void)state;
	static const char *const words[] = { "False", "True" };
	WORLD(g);
	for (size_t i = 0; i < LENGTH(words); i++) {
		AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena,
				"{\"status\":{\"phase\":\"Failed\",\"conditions\":[{\"type\":"
				"\"DisruptionTarget\",\"status\":\"%s\",\"reason\":"
				"\"EvictionByEvictionAPI\"}]}}",
				words[i])));
		assert_int_equal(p->disrupted, i);
		assert_false(p->unseen_end);
	}
}

static void test_both_addresses_of_a_pod_are_known(void **state)
{
	(void)state;
	WORLD(g);
	struct pod_fact *p = pod_fact_new(given_json(&g,
		"{\"status\":{\"podIP\":\"10.0.0.7\",\"podIPs\":[{\"ip\":\"10.0.0.7\"},{\"ip\":"
		"\"fd00::7\"}]}}"));
	assert_string_equal(p->ip, "10.0.0.7");
	assert_string_equal(p->second_ip, "fd00::7");
	assert_false(p->host_network);
	free(p);
	p = pod_fact_new(given_json(&g,
		"{\"status\":{\"podIP\":\"10.0.0.7\",\"podIPs\":[{\"ip\":\"10.0.0.7\"}]}}"));
	assert_string_equal(p->second_ip, "");
	free(p);
}

#define READY(ready, containers, reason)                                                           \
	"\"conditions\":[{\"type\":\"Ready\",\"status\":\"" ready "\",\"reason\":\"" reason "\"}," \
	"{\"type\":\"ContainersReady\",\"status\":\"" containers "\"}]"

/* Only the node controller takes the condition Ready alone away. */
static void test_a_pod_of_a_machine_that_is_silent_says_so(void **state)
{
	(void)state;
	WORLD(g);
	static const struct {
		const char *status;
		bool silent;
	} rows[] = {
		{ READY("False", "True", ""), true },
		{ READY("True", "True", ""), false },
		{ READY("False", "False", "ContainersNotReady"), false },
		{ READY("False", "True", "ReadinessGatesNotReady"), false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena,
				"{\"spec\":{\"nodeName\":\"m1\"},\"status\":{\"phase\":\"Running\","
				"%s}}",
				rows[i].status)));
		assert_int_equal(strstr(p->why, "Kubernetes node m1 does not answer") != NULL,
			rows[i].silent);
		assert_int_equal(strstr(p->why, "kubectl get node m1") != NULL, rows[i].silent);
		free(p);
	}
}

/* The kubelet calls a failed pull by two names in turn: that is no news. */
static void test_pull_and_its_back_off_are_one_cause(void **state)
{
	(void)state;
	WORLD(g);
	assert_string_equal(why_of(&g, WAITING("ErrImagePull", "m/x:1: not found")),
		why_of(&g,
			WAITING("ImagePullBackOff",
				"Back-off pulling image \\\"m/x:1\\\": ErrImagePull: m/x:1: not "
				"found")));
}

static void test_init_container_is_named_before_the_others(void **state)
{
	(void)state;
	WORLD(g);
	assert_non_null(strstr(
		why_of(&g,
			"\"initContainerStatuses\":[{\"state\":{\"waiting\":{\"reason\":"
			"\"InvalidImageName\",\"message\":\"m/X\"}}}]," WAITING("PodInitializing",
				"")),
		"InvalidImageName: m/X"));
}

/*
 * Foreign texts are cut, and neither control characters nor broken UTF-8 get into a
 * status.
 */
static void test_of_annotations_only_those_of_ours_are_kept(void **state)
{
	(void)state;
	static const struct {
		const char *annotations;
		bool annotated;
		size_t kept;
	} rows[] = {
		{ "{}", false, 0 },
		{ "{\"example.com/large\":\"x\"}", true, 0 },
		{ "{\"example.com/large\":\"x\",\"nodeset.slinky.slurm.net/pod-cordon\":\"true\"}",
			true, 1 },
		{ "{\"slinky.slurm.net.example.com/x\":\"y\"}", true, 0 },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str text = { 0 };
		AUTO(json_auto) struct json_doc *doc = NULL;
		str_addf(&text, "{\"metadata\":{\"annotations\":%s}}", rows[i].annotations);
		assert_false(failed(json_parse(str_text(&text), text.len, SIZE_MAX, &doc)));
		struct pod_fact *f = pod_fact_new(json_root(doc));
		assert_int_equal(f->annotated, rows[i].annotated);
		assert_int_equal(f->n_annotations, rows[i].kept);
		free(f);
	}
}

static void test_foreign_texts_are_bounded_and_plain(void **state)
{
	(void)state;
	WORLD(g);
	char longest[2000];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	const char *why = why_of(&g,
		arena_printf(&g.arena,
			"\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
			"\"message\":\"a\\nb\\u001b[31m%s\"}]",
			longest));
	assert_non_null(strstr(why, "a b [31m"));
	assert_in_range(strlen(why), 300, 400);
	struct str s AUTO(str_free) = { 0 };
	str_add_foreign(&s,
		"a\xff"
		"b\x7f\xc3\xa4",
		100);
	assert_string_equal(str_text(&s), "a b \xc3\xa4");
}

#define FIRST(state) "\"containerStatuses\":[{\"state\":{" state "}}]"
#define ENDED                                                                      \
	"\"terminated\":{\"exitCode\":7,\"reason\":\"TIMEOUT\",\"message\":\"m\"," \
	"\"startedAt\":\"2026-01-01T00:00:00Z\"}"

/* A running container is not shown; some leave "running" beside "terminated". */
/* Acceptance: job-6 */
static void test_how_the_first_container_waits_or_ended_is_known(void **state)
{
	(void)state;
	static const struct {
		const char *status, *reason, *message;
		int64_t exit_code, begun_ms;
	} rows[] = {
		{ "", "", "", -1, 0 },
		{ FIRST("\"running\":{\"startedAt\":\"2026-01-01T00:00:00Z\"}"), "", "", -1,
			GIVEN_WALL_MS },
		{ FIRST("\"waiting\":{\"reason\":\"Priority\"}"), "Priority", "", -1, 0 },
		{ FIRST(ENDED), "TIMEOUT", "m", 7, GIVEN_WALL_MS },
		{ FIRST(ENDED ",\"running\":{}"), "TIMEOUT", "m", 7, GIVEN_WALL_MS },
		{ FIRST("\"running\":{},\"terminated\":{\"reason\":\"Job finished\"}"),
			"Job finished", "", 0, 0 },
		{ "\"reason\":\"ProviderFailed\",\"message\":\"no\"", "ProviderFailed", "no", -1,
			0 },
		/* The pod failed before it began: why it waited says nothing of that */
		{ FIRST("\"waiting\":{\"reason\":\"Preparing\"}") ",\"phase\":\"Failed\","
								  "\"reason\":\"InputsFailed\","
								  "\"message\":\"no volume\"",
			"InputsFailed", "no volume", -1, 0 },
	};
	WORLD(g);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena, "{\"status\":{%s}}", rows[i].status)));
		assert_string_equal(p->reason, rows[i].reason);
		assert_string_equal(p->message, rows[i].message);
		assert_int_equal(p->exit_code, rows[i].exit_code);
		assert_int_equal(p->begun_ms, rows[i].begun_ms);
	}
}

static void test_the_finalizer_of_a_pod_that_is_not_told_yet_is_found(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
		"{\"metadata\":{\"finalizers\":[\"wlm.sylabs.io/other\",\"" FINALIZER_UNREPORTED
		"\"]}}"));
	AUTO(own_free) struct pod_fact *none = pod_fact_new(given_json(&g, "{}"));
	assert_int_equal(p->unreported_at, 1);
	assert_int_equal(none->unreported_at, -1);
}

/* ---- what it asks of a node ---- */

#define OWNED(kind)                                                                      \
	"\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"wlm.sylabs.io/v1alpha1\"," \
	"\"kind\":\"" kind "\",\"name\":\"cow\",\"uid\":\"u\",\"controller\":true}]}"
#define NOWHERE                                                                        \
	"\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\"," \
	"\"reason\":\"Unschedulable\"}]}"
#define ASKS(expressions, more)                                                        \
	"\"affinity\":{\"nodeAffinity\":{"                                             \
	"\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{" \
	"\"matchExpressions\":[" expressions "]}" more "]}}}"
#define GT(key, n) "{\"key\":\"" key "\",\"operator\":\"Gt\",\"values\":[\"" n "\"]}"
#define SELECTS "\"nodeSelector\":{\"gpu\":\"a100\",\"type\":\"virtual-kubelet\"}"
#define SELECTED "gpu=a100\ntype=virtual-kubelet\n"

/* Acceptance: job-19 */
static void test_what_a_job_that_no_node_takes_asks_for_is_kept(void **state)
{
	(void)state;
	static const struct {
		const char *owner, *spec, *status, *wishes;
	} rows[] = {
		{ OWNED("SlurmJob"), SELECTS "," ASKS(GT("a/cpu", "7") "," GT("a/mem", "3"), ""),
			NOWHERE, "a/cpu>7\na/mem>3\n" SELECTED },
		{ OWNED("WlmJob"), SELECTS, NOWHERE, SELECTED },
		{ OWNED("SlurmJob"),
			ASKS("{\"key\":\"z\",\"operator\":\"In\",\"values\":[\"a\"]}", ""), NOWHERE,
			"z=a\n" },
		/* These forms are not reported. */
		{ OWNED("SlurmJob"),
			ASKS("{\"key\":\"z\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]}", ""),
			NOWHERE, "" },
		{ OWNED("SlurmJob"), ASKS(GT("a", "1"), ",{}"), NOWHERE, "" },
		/* These wait for no node. */
		{ OWNED("NodeSet"), SELECTS, NOWHERE, "" },
		{ "\"metadata\":{}", SELECTS, NOWHERE, "" },
		{ OWNED("SlurmJob"), SELECTS, "\"status\":{}", "" },
		{ OWNED("SlurmJob"), SELECTS ",\"nodeName\":\"slurm-a\"", NOWHERE, "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		const struct json *pod = given_json(&g,
			arena_printf(&g.arena, "{%s,\"spec\":{%s},%s}", rows[i].owner, rows[i].spec,
				rows[i].status));
		AUTO(own_free) struct pod_fact *p = pod_fact_new(pod);
		AUTO(own_free) struct pod_fact *in_short = pod_fact_in_short(pod);
		assert_string_equal(p->wishes, rows[i].wishes);
		assert_string_equal(in_short->wishes, "");
	}
}

/* Whole lines, and so many only. */
/* Acceptance: job-19 */
static void test_a_pod_that_asks_for_very_much_is_kept_in_part(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(str_free) struct str pod = { 0 };
	str_add(&pod, "{" OWNED("SlurmJob") "," NOWHERE ",\"spec\":{\"nodeSelector\":{");
	for (int i = 0; i < 100; i++)
		str_addf(&pod, "%s\"label-%d\":\"%060d\"", i ? "," : "", i, i);
	str_add(&pod, "}}}");
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g, str_text(&pod)));
	assert_in_range(strlen(p->wishes), 1900, 2000);
	assert_int_equal(p->wishes[strlen(p->wishes) - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pod_says_why_it_is_not_ready),
		cmocka_unit_test(test_what_kubernetes_takes_away_by_itself_is_known),
		cmocka_unit_test(test_both_addresses_of_a_pod_are_known),
		cmocka_unit_test(test_a_pod_of_a_machine_that_is_silent_says_so),
		cmocka_unit_test(test_pull_and_its_back_off_are_one_cause),
		cmocka_unit_test(test_init_container_is_named_before_the_others),
		cmocka_unit_test(test_of_annotations_only_those_of_ours_are_kept),
		cmocka_unit_test(test_foreign_texts_are_bounded_and_plain),
		cmocka_unit_test(test_how_the_first_container_waits_or_ended_is_known),
		cmocka_unit_test(test_what_a_job_that_no_node_takes_asks_for_is_kept),
		cmocka_unit_test(test_a_pod_that_asks_for_very_much_is_kept_in_part),
		cmocka_unit_test(test_the_finalizer_of_a_pod_that_is_not_told_yet_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
