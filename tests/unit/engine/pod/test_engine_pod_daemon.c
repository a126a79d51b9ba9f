/* SPDX-License-Identifier: Apache-2.0 */
/* Which daemon of Slurm a pod is, and how its container ended. */
#include "lib/store_world.h"
#include "engine/pod/pod.h"

#define LABELS(part_of, component)                                               \
	"\"labels\":{\"app.kubernetes.io/part-of\":\"" part_of                   \
	"\",\"app.kubernetes.io/component\":\"" component "\",\"app.kubernetes." \
	"io/instance\":\"one\"}"

/* A pod as chart slurm makes it: its controller is a StatefulSet, none of ours. */
static struct json_doc *pod_doc(const char *name, const char *labels, const char *status)
{
	struct str text AUTO(str_free) = { 0 };
	struct json_doc *doc = NULL;
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"u-%s\","
		"\"resourceVersion\":\"7\",%s,\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
		"\"kind\":\"StatefulSet\",\"name\":\"s\",\"uid\":\"s\",\"controller\":true}]},"
		"\"status\":{%s}}",
		name, name, labels, status);
	assert_false(failed(json_parse(str_text(&text), text.len, SIZE_MAX, &doc)));
	return doc;
}

static struct pod_fact *fact_of(const char *labels, const char *status)
{
	struct json_doc *doc AUTO(json_auto) = pod_doc("p", labels, status);
	return pod_fact_new(json_root(doc));
}

static void test_a_daemon_is_known_by_the_labels_of_its_chart(void **state)
{
	(void)state;
	static const struct {
		const char *labels;
		enum slurm_daemon daemon;
	} rows[] = {
		{ LABELS("slurm", "database"), DAEMON_DATABASE },
		{ LABELS("slurm", "accounting"), DAEMON_SLURMDBD },
		{ LABELS("slurm", "controller"), DAEMON_SLURMCTLD },
		{ LABELS("slurm", "restapi"), DAEMON_SLURMRESTD },
		{ LABELS("slurm", "login"), DAEMON_NONE },
		{ LABELS("shop", "database"), DAEMON_NONE },
		{ "\"labels\":{}", DAEMON_NONE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct pod_fact *p = fact_of(rows[i].labels, "");
		assert_int_equal(p->daemon, rows[i].daemon);
		assert_string_equal(p->release, rows[i].daemon == DAEMON_NONE ? "" : "one");
		free(p);
	}
}

#define ENDED(reason, message)                                                   \
	"{\"terminated\":{\"exitCode\":1,\"reason\":\"" reason "\",\"message\":" \
	"\"" message "\"}}"
#define CONTAINER(name, ready, now, last) \
	"{\"name\":\"" name "\",\"ready\":" ready ",\"state\":" now ",\"lastState\":" last "}"
#define RUNS "{\"running\":{}}"
#define CRASHES "{\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off 5m\"}}"
#define WAITS(reason) "{\"waiting\":{\"reason\":\"" reason "\"}}"
#define INIT(...) "\"initContainerStatuses\":[" __VA_ARGS__ "]"
#define MAIN(...) "\"containerStatuses\":[" __VA_ARGS__ "]"
#define REFUSED                                                                                 \
	"slurmctld: slurmctld version 24.11.5 started\\n"                                       \
	"[2026-11-26T15:03:11.123] error: _parse_next_key: Parsing error at unrecognized key: " \
	"X\\n"                                                                                  \
	"[2026-11-26T15:03:11.124] error: Parse error in file /etc/slurm/slurm.conf line 31: "  \
	"\\\"X=1\\\"\\n"                                                                        \
	"[2026-11-26T15:03:11.125] fatal: Unable to process configuration file\\n"
#define REFUSED_SAID                                                             \
	"ended with exit code 1: error: _parse_next_key: Parsing error at "      \
	"unrecognized key: X; error: Parse error in file /etc/slurm/slurm.conf " \
	"line 31: \"X=1\"; fatal: Unable to process configuration file"

static void test_the_container_that_is_to_blame_says_how_it_ended(void **state)
{
	(void)state;
	static const struct {
		const char *status, *container, *ending;
	} rows[] = {
		{ "", "", "" },
		/* File, line and word; not the times, which change with each restart. */
		{ MAIN(CONTAINER("reconfigure", "true", RUNS, "{}") "," CONTAINER("slurmctld",
			  "false", CRASHES, ENDED("Error", REFUSED))),
			"slurmctld", REFUSED_SAID },
		{ MAIN(CONTAINER("slurmctld", "false", ENDED("Error", REFUSED), "{}")), "slurmctld",
			REFUSED_SAID },
		/* In between it runs again: that is no news. */
		{ MAIN(CONTAINER("slurmctld", "false", RUNS, ENDED("Error", REFUSED))), "slurmctld",
			REFUSED_SAID },
		{ MAIN(CONTAINER("slurmctld", "false", CRASHES, ENDED("OOMKilled", ""))),
			"slurmctld", "ended with exit code 1 (OOMKilled)" },
		{ MAIN(CONTAINER("slurmctld", "false", CRASHES,
			  ENDED("Error", "first\\nthe state of another Slurm is here\\n\\n"))),
			"slurmctld", "ended with exit code 1: the state of another Slurm is here" },
		/* An init container that waits; one that has done its work is ready. */
		{ INIT(CONTAINER("init", "false", RUNS, "{}")) "," MAIN(CONTAINER("slurmctld",
			  "false", WAITS("PodInitializing"), "{}")),
			"init", "" },
		{ INIT(CONTAINER("init", "true", "{\"terminated\":{\"exitCode\":0}}",
			  "{}")) "," MAIN(CONTAINER("slurmctld", "false", RUNS, "{}")),
			"slurmctld", "" },
		/* That it ended before is not why it waits now. */
		{ MAIN(CONTAINER("slurmctld", "false", WAITS("ImagePullBackOff"),
			  ENDED("Error", REFUSED))),
			"", "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct pod_fact *p = fact_of(LABELS("slurm", "controller"), rows[i].status);
		assert_string_equal(p->container, rows[i].container);
		assert_string_equal(p->ending, rows[i].ending);
		free(p);
		p = fact_of(LABELS("shop", "controller"), rows[i].status);
		assert_string_equal(p->ending, "");
		free(p);
	}
}

#define SENTENCE                                                                        \
	"Slurm cannot read the new configuration, and slurmctld goes on with the last " \
	"one: slurm.conf line 31: NoSuchThing=1; Parsing error at unrecognized key"

/* While it is refused the sidecar has ended with the sentence, for whatever reason. */
/* Acceptance: slurm-chart-6 */
static void test_the_sidecar_of_slurmctld_says_what_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *status, *refused;
	} rows[] = {
		{ "", "" },
		{ INIT(CONTAINER("reconfigure", "true", RUNS, "{}")), "" },
		{ INIT(CONTAINER("reconfigure", "true", RUNS, ENDED("Error", SENTENCE))),
			SENTENCE },
		{ INIT(CONTAINER("reconfigure", "false", CRASHES, ENDED("Error", SENTENCE))),
			SENTENCE },
		{ INIT(CONTAINER("reconfigure", "false", ENDED("OOMKilled", SENTENCE), "{}")),
			SENTENCE },
		{ MAIN(CONTAINER("reconfigure", "true", RUNS, ENDED("Error", SENTENCE))),
			SENTENCE },
		/* The last end counts: then nothing was refused any more. */
		{ INIT(CONTAINER("reconfigure", "false", ENDED("Completed", ""),
			  ENDED("Error", SENTENCE))),
			"" },
		/* The kubelet's message for a container that cannot start */
		{ INIT(CONTAINER("reconfigure", "false", CRASHES,
			  ENDED("StartError", "failed to create containerd task"))),
			"" },
		/* slurmctld itself goes on with nothing when it ends. */
		{ MAIN(CONTAINER("slurmctld", "true", RUNS, ENDED("Error", SENTENCE))), "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct pod_fact *p = fact_of(LABELS("slurm", "controller"), rows[i].status);
		assert_string_equal(p->refused, rows[i].refused);
		free(p);
		p = fact_of(LABELS("slurm", "accounting"), rows[i].status);
		assert_string_equal(p->refused, "");
		free(p);
	}
}

/* slurmdbd and MariaDB quote what they cannot read, and that may be the password. */
/* Acceptance: slurm-chart-51 */
static void test_no_password_of_the_database_is_quoted(void **state)
{
	(void)state;
	static const struct {
		const char *component, *message, *part;
	} rows[] = {
		{ "accounting",
			"error: Parse error in file /etc/slurm/slurmdbd.conf line 9: "
			"\\\"StoragePas=hush\\\"",
			"error: Parse error in file /etc/slurm/slurmdbd.conf line 9" },
		{ "accounting", "error: _parse_next_key: Parsing error at unrecognized key: hush",
			"unrecognized key" },
		{ "database",
			"2026-11-26 15:03:11 0 [ERROR] syntax to use near 'IDENTIFIED BY hush'",
			"[ERROR] syntax to use near '" },
		{ "accounting", "error: Access denied for user 'slurm' (using password: YES)",
			"Access denied for user 'slurm' (using password: YES)" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct str labels AUTO(str_free) = { 0 }, status AUTO(str_free) = { 0 };
		str_addf(&labels,
			"\"labels\":{\"app.kubernetes.io/part-of\":\"slurm\","
			"\"app.kubernetes.io/component\":\"%s\"}",
			rows[i].component);
		str_addf(&status, MAIN(CONTAINER("d", "false", CRASHES, ENDED("Error", "%s"))),
			rows[i].message);
		struct pod_fact *p = fact_of(str_text(&labels), str_text(&status));
		if (!strstr(p->ending, rows[i].part))
			fail_msg("\"%s\" lacks \"%s\"", p->ending, rows[i].part);
		assert_null(strstr(p->ending, "hush"));
		free(p);
	}
}

static void test_what_a_daemon_says_is_short_and_plain(void **state)
{
	(void)state;
	struct str status AUTO(str_free) = { 0 };
	str_add(&status,
		"\"containerStatuses\":[{\"name\":\"d\",\"state\":{\"terminated\":{"
		"\"exitCode\":1,\"message\":\"error: \\u001b[31m");
	for (int i = 0; i < 4000; i++)
		str_add(&status, "x");
	str_add(&status, "\\nfatal: red\\u001b[0m\"}}}]");
	struct pod_fact *p = fact_of(LABELS("slurm", "controller"), str_text(&status));
	assert_in_range(strlen(p->ending), 200, 400);
	assert_null(strchr(p->ending, '\x1b'));
	assert_non_null(strstr(p->ending, "fatal: red"));
	free(p);
}

static void put_pod(struct store *s, const char *name, const char *labels)
{
	struct json_doc *doc AUTO(json_auto) = pod_doc(name, labels, "");
	store_put(s, RES_POD, json_root(doc));
}

static void is_slurmctld(void *ctx, const struct record *rec)
{
	assert_int_equal(rec->pod->daemon, DAEMON_SLURMCTLD);
	++*(int *)ctx;
}

static int daemons_of(const struct store *s, const char *ns, const char *release)
{
	int n = 0;
	store_each_daemon(s, ns, release, is_slurmctld, &n);
	return n;
}

static void test_the_store_finds_the_daemons_of_a_release(void **state)
{
	struct store *s = *state;
	put_pod(s, "c-0", LABELS("slurm", "controller"));
	put_pod(s, "other", LABELS("shop", "controller"));
	assert_int_equal(daemons_of(s, "ns", "one"), 1);
	assert_int_equal(daemons_of(s, "ns", "two"), 0);
	assert_int_equal(daemons_of(s, "elsewhere", "one"), 0);
	struct json_doc *doc AUTO(json_auto) = pod_doc("c-0", "\"labels\":{}", "");
	store_remove(s, RES_POD, json_root(doc));
	assert_int_equal(daemons_of(s, "ns", "one"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_daemon_is_known_by_the_labels_of_its_chart),
		cmocka_unit_test(test_the_container_that_is_to_blame_says_how_it_ended),
		cmocka_unit_test(test_the_sidecar_of_slurmctld_says_what_is_refused),
		cmocka_unit_test(test_no_password_of_the_database_is_quoted),
		cmocka_unit_test(test_what_a_daemon_says_is_short_and_plain),
		cmocka_unit_test_setup_teardown(test_the_store_finds_the_daemons_of_a_release,
			given_a_store, free_store),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
