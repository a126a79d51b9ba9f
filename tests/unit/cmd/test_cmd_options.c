/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: what is not understood is refused with what would be right, never
 * swallowed.
 */
#include "lib/command_line.h"

#include "kind/all.h"

static void test_what_is_not_understood_is_refused_with_what_would_be_right(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "", "no command; try \"slurm-operator help\"" },
		{ "manger", "unknown command \"manger\"; did you mean manager?" },
		{ "zzz",
			"the commands are: manager, webhook, virtual-node, exporter, results, "
			"prepare, rbac, "
			"keys, probe, "
			"help, "
			"version, libraries, metrics" },
		{ "manager rbac", "unexpected \"rbac\"" },
		{ "manager --leader-elct",
			"unknown option --leader-elct; did you mean --leader-elect?" },
		{ "manager --namespacs=a",
			"unknown option --namespacs; did you mean --namespaces?" },
		{ "manager --zzz", "unknown option --zzz; \"slurm-operator help\" lists them" },
		{ "manager -x", "unknown option -x" },
		{ "manager --leader-elect=maybe",
			"--leader-elect: \"maybe\" must be true or false" },
		{ "manager --leader-elect=", "must be true or false" },
		{ "manager --log-format=xml", "--log-format: \"xml\" must be json or text" },
		{ "manager --log-level=loud", "must be debug, info, warn or error" },
		{ "manager --namespaces=", "--namespaces: \"\" is no name of a namespace" },
		{ "manager --namespaces=a,", "is no name of a namespace" },
		{ "manager --namespaces", "--namespaces needs a value: --namespaces=A,B" },
		{ "rbac --namespaces=A_B", "\"A_B\" is no name of a namespace" },
		{ "rbac --leader-election-namespace=-a", "is no name of a namespace" },
		{ "manager --kubeconfig=", "is empty" },
		{ "manager --metrics-cert-path=/x --metrics-bind-address=0", "does nothing with" },
		{ "manager --cluster-workers=many", "is no number" },
		{ "manager --namespaces=a --namespaces=b",
			"--namespaces is given twice; give it once: --namespaces=A,B" },
		{ "rbac --namespaces=a --namespaces=a", "is given twice" },
		{ "manager --leader-election-namespace=x",
			"--leader-election-namespace does nothing without --leader-elect" },
	};
	then_refused(rows, LENGTH(rows));
}

static void test_what_is_of_another_command_is_refused_with_what_this_one_has(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "manager --namespace=a",
			"--namespace is no option of manager; did you mean --namespaces?" },
		{ "rbac --log-level=debug",
			"--log-level is no option of rbac; \"slurm-operator help rbac\" lists" },
		{ "manager extra", "manager takes options only, and \"extra\" is none" },
		{ "help extra", "unknown command \"extra\"" },
	};
	then_refused(rows, LENGTH(rows));
}

static void test_what_says_whom_to_ask_and_what_to_read_is_checked(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "manager --allowed-servers=http://a", "\"http://a\" is no pattern of a host" },
		{ "manager --allowed-servers=*.svc,", "\"\" is no pattern of a host" },
		{ "manager --slurm-memory=1G", "must be a whole number of MiB from 8 to 65536" },
		{ "manager --allowed-servers=*.svc:6820",
			"\"*.svc:6820\" is no pattern of a host" },
		{ "manager --allowed-servers=10.0.0.1:6820", "without scheme and port" },
		{ "manager --require-consent=perhaps", "must be true or false" },
		{ "manager --results-image=", "is empty" },
		{ "manager --results-user=0", "\"0\" is no user: UID or UID:GID" },
		{ "manager --results-user=7:x", "\"7:x\" is no user" },
		{ "manager --results-volumes=nfs,host-path",
			"\"host-path\" is no type of a volume" },
		{ "manager --results-volumes=nfs:", "\"nfs:\" is no type of a volume" },
		{ "manager --results-volumes=nfs:a/b", "\"nfs:a/b\" is no type of a volume" },
		{ "manager --results-volumes=hostPath:x", "\"hostPath:x\" is no type" },
		{ "manager --jobs=false --results-user=7", "does nothing with --jobs=false" },
		{ "manager --secrets=a", "--secrets is no option of manager" },
		{ "rbac --secrets=A", "\"A\" is no name of a Secret" },
		{ "rbac --secrets=a,", "is no name of a Secret" },
		{ "keys", "keys needs --make=JSON" },
		{ "manager --make=[]", "--make is no option of manager" },
		{ "probe", "probe needs --urls=" },
		{ "probe --urls=a:80", "\"a:80\" is no URL" },
		{ "probe --urls=http:///a", "is no URL" },
		{ "probe --urls=http://a --seconds=0", "must be a whole number of seconds" },
		{ "rbac --urls=http://a", "--urls is no option of rbac" },
		{ "rbac --namespace-label=a", "\"a\" is no label: KEY=VALUE" },
		{ "rbac --namespace-label=a=", "is no label" },
		{ "rbac --namespace-label=a=b'", "is no label" },
		{ "rbac --namespace-label=a/b/c=d", "is no label" },
		{ "rbac --namespace-label=a/=d", "is no label" },
		{ "rbac --namespace-label=a=b/c", "is no label" },
		{ "rbac --namespace-label=-a=b", "is no label" },
		{ "rbac --namespace-label=a=b.", "is no label" },
	};
	then_refused(rows, LENGTH(rows));
}

static void test_what_a_webhook_cannot_use_is_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "webhook --cert-dir=/x --secret-name=a",
			"--secret-name does nothing with --cert-dir" },
		{ "webhook --service-name=a.b", "is no name of a Service" },
		{ "webhook --secret-name=A", "is no name: up to 253" },
		{ "webhook --ca-overlap=0", "must be a number of seconds from 1 to 86400" },
		{ "webhook --leader-elect", "--leader-elect is no option of webhook" },
		{ "rbac --secret-name=a", "--secret-name does nothing without --webhook" },
		{ "rbac --webhook --secrets=a", "--secrets does nothing with --webhook" },
	};
	then_refused(rows, LENGTH(rows));
}

/* The webhook refuses exactly what the manager does not do. */
/* Acceptance: webhook-18 */
static void test_manager_and_webhook_read_the_same_of_what_both_judge_by(void **state)
{
	(void)state;
	static const char *const lines[] = { "manager --results-volumes=nfs,hostPath",
		"webhook --results-volumes=nfs,hostPath" };
	static const struct refused rows[] = {
		{ "webhook --results-volumes=nfs,host-path",
			"\"host-path\" is no type of a volume" },
		{ "virtual-node --red-box=a=/b --results-volumes=nfs",
			"--results-volumes is no option of virtual-node" },
	};
	for (size_t i = 0; i < LENGTH(lines); i++) {
		LINE(l);
		when_typed(&l, lines[i]);
		assert_string_equal(l.err.text, "");
		assert_string_equal(l.options.manager.results_volumes[0], "nfs");
		assert_string_equal(l.options.manager.results_volumes[1], "hostPath");
		assert_null(l.options.manager.results_volumes[2]);
	}
	then_refused(rows, LENGTH(rows));
}

static void test_what_is_understood_is_taken(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l,
		"--namespaces=a,b-2,a manager --leader-elect --kubeconfig /k --context=c "
		"--log-level debug --log-format=text "
		"--leader-election-namespace=x --health-probe-bind-address=0 --zap-log-level=warn "
		"--metrics-bind-address=:1 --metrics-cert-path=/tls --allow-local-servers "
		"--allowed-servers=*.svc,10.0.*,fd00:*,::ffff:10.* --require-consent=true "
		"--nodeset-workers=4 --slurm-memory=256 --jobs=false "
		"--objects-memory=64");
	assert_string_equal(l.err.text, "");
	assert_ptr_equal(l.options.command, manager_command);
	assert_string_equal(l.options.manager.namespaces[0], "a");
	assert_string_equal(l.options.manager.namespaces[1], "b-2");
	assert_null(l.options.manager.namespaces[2]);
	assert_true(l.options.manager.leader_elect && l.options.log_text);
	assert_string_equal(l.options.manager.kubeconfig, "/k");
	assert_string_equal(l.options.manager.context, "c");
	assert_string_equal(l.options.manager.lease_namespace, "x");
	assert_string_equal(l.options.manager.metrics_address, ":1");
	assert_string_equal(l.options.manager.metrics_cert_path, "/tls");
	assert_string_equal(l.options.manager.probe_address, "0");
	assert_int_equal(l.options.log_level, LOG_WARN);
	assert_string_equal(l.options.manager.allowed_servers[0], "*.svc");
	assert_string_equal(l.options.manager.allowed_servers[1], "10.0.*");
	assert_true(l.options.manager.require_consent && l.options.manager.allow_local_servers);
	assert_false(l.options.manager.jobs);
	assert_int_equal(l.options.manager.slurm_memory_mib, 256);
	assert_int_equal(l.options.manager.objects_memory_mib, 64);
}

/* A manager without jobs still serves the kinds that Slurms on Kubernetes need. */
static void test_jobs_are_served_unless_somebody_says_no(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l, "manager");
	assert_true(l.options.manager.jobs);
	assert_ptr_equal(kinds_hosted[0], kinds_all[0]);
	assert_ptr_equal(kinds_hosted[1], kinds_all[1]);
	assert_null(kinds_hosted[2]);
	assert_ptr_equal(kinds_all[2], &kind_slurmjob);
}

#define RESULTS_KEY "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define RESULTS_ALL                                                                           \
	"results --url=https://10.0.0.7:10250 --public-key=" RESULTS_KEY " --pod=ns/cow-job " \
	"--token-file=/t --to=/collect"

static void test_what_a_collector_cannot_use_is_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "results", "results needs --url, --public-key, --pod, --token-file and --to" },
		{ "prepare", "prepare needs --url, --public-key, --pod, --token-file and --from" },
		{ "results --url=http://10.0.0.7", "should look like https://10.0.0.7:10250" },
		{ "results --url=https://", "should look like https://" },
		{ "results --url=https://a/b", "should look like https://" },
		{ "results --public-key=sha256//AAAA", "should look like sha256//BASE64" },
		{ "results --public-key=" RESULTS_KEY ";sha256//x", "should look like sha256//" },
		{ "results --pod=cow-job", "should look like default/cow-job" },
		{ "results --pod=ns/a/b", "should look like default/cow-job" },
		{ "results --to=", "is empty" },
		{ RESULTS_ALL " --kubeconfig=k", "--kubeconfig is no option of results" },
	};
	then_refused(rows, LENGTH(rows));
	LINE(l);
	when_typed(&l, RESULTS_ALL);
	assert_string_equal(l.err.text, "");
	assert_ptr_equal(l.options.command, results_command);
	assert_string_equal(l.options.results.pod, "ns/cow-job");
	assert_string_equal(l.options.results.public_key, RESULTS_KEY);
}

static void test_what_a_webhook_is_told_is_taken(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l, "webhook");
	assert_string_equal(l.options.webhook.address, ":9443");
	assert_string_equal(l.options.manager.probe_address, ":8081");
	assert_string_equal(l.options.webhook.secret, "slurm-operator-webhook-ca");
	assert_string_equal(l.options.webhook.service, "slurm-operator-webhook");
	assert_string_equal(l.options.webhook.configuration, "slurm-operator-webhook");
	assert_null(l.options.webhook.cert_dir);
	when_typed(&l,
		"webhook --bind-address=:1 --namespace=ns --secret-name=s.x --service-name=svc "
		"--webhook-configuration=w --ca-overlap=20 --zap-log-level=debug");
	assert_string_equal(l.err.text, "");
	assert_ptr_equal(l.options.command, webhook_command);
	assert_string_equal(l.options.webhook.address, ":1");
	assert_string_equal(l.options.webhook.ns, "ns");
	assert_string_equal(l.options.webhook.secret, "s.x");
	assert_int_equal(l.options.webhook.overlap_s, 20);
	when_typed(&l, "webhook --cert-dir=/tls --kubeconfig=/k");
	assert_string_equal(l.err.text, "");
	assert_string_equal(l.options.webhook.cert_dir, "/tls");
}

static void test_what_roles_are_to_say_is_taken(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l, "rbac --secrets=a,b --namespace-label=example.com/slurm=yes");
	assert_string_equal(l.err.text, "");
	assert_string_equal(l.options.rbac.secrets[1], "b");
	assert_null(l.options.rbac.secrets[2]);
	assert_string_equal(l.options.rbac.label_key, "example.com/slurm");
	assert_string_equal(l.options.rbac.label_value, "yes");
}

/*
 * A chart that turns the election off need not drop what belongs to it; rbac has no
 * election.
 */
static void test_the_namespace_of_an_election_that_is_turned_off_is_taken(void **state)
{
	(void)state;
	static const char *const typed[] = {
		"manager --leader-election-namespace=x --leader-elect=false",
		"rbac --leader-election-namespace=x",
	};
	for (size_t i = 0; i < LENGTH(typed); i++) {
		LINE(l);
		when_typed(&l, typed[i]);
		assert_string_equal(l.err.text, "");
	}
}

static void test_words_that_a_go_program_takes_for_true_and_false_are_taken(void **state)
{
	(void)state;
	static const struct {
		const char *typed;
		bool on;
	} rows[] = { { "true", true }, { "True", true }, { "1", true }, { "false", false },
		{ "0", false } };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		LINE(l);
		char typed[60];
		snprintf(typed, sizeof(typed), "manager --leader-elect=%s", rows[i].typed);
		when_typed(&l, typed);
		assert_false(failed(l.err));
		assert_int_equal(l.options.manager.leader_elect, rows[i].on);
	}
}

static void test_help_is_found_by_whatever_is_typed_and_is_about_the_command(void **state)
{
	(void)state;
	static const struct {
		const char *typed, *has, *has_not;
	} rows[] = {
		{ "help", "Commands:", "only of" },
		{ "-h", "Commands:", "only of" },
		{ "--help", "Example:", "only of" },
		{ "help manager", "slurm-operator manager --leader-elect", "Commands:" },
		{ "manager -h", "--log-level=LEVEL", "Commands:" },
		{ "rbac --help", "rbac --namespaces=slurm | kubectl apply", "--log-level" },
		{ "version", "slurm-operator " OPERATOR_VERSION, "Commands:" },
		{ "--version", OPERATOR_VERSION, "Commands:" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		LINE(l);
		when_typed(&l, rows[i].typed);
		assert_false(failed(l.err));
		assert_null(l.options.command);
		if (!strstr(str_text(&l.print), rows[i].has) ||
			strstr(str_text(&l.print), rows[i].has_not))
			fail_msg("\"%s\" printed: %s", rows[i].typed, str_text(&l.print));
		assert_null(strstr(str_text(&l.print), "zap"));
	}
}

static void test_programs_of_others_are_told_where_their_work_is(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "configurator", "\"configurator\"; virtual-node finds the partitions" },
		{ "red-box", "is a program of its own, for the login node" },
	};
	then_refused(rows, LENGTH(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_not_understood_is_refused_with_what_would_be_right),
		cmocka_unit_test(test_what_is_of_another_command_is_refused_with_what_this_one_has),
		cmocka_unit_test(test_programs_of_others_are_told_where_their_work_is),
		cmocka_unit_test(test_what_says_whom_to_ask_and_what_to_read_is_checked),
		cmocka_unit_test(test_manager_and_webhook_read_the_same_of_what_both_judge_by),
		cmocka_unit_test(test_what_is_understood_is_taken),
		cmocka_unit_test(test_what_a_webhook_cannot_use_is_refused),
		cmocka_unit_test(test_jobs_are_served_unless_somebody_says_no),
		cmocka_unit_test(test_what_a_webhook_is_told_is_taken),
		cmocka_unit_test(test_what_a_collector_cannot_use_is_refused),
		cmocka_unit_test(test_what_roles_are_to_say_is_taken),
		cmocka_unit_test(test_the_namespace_of_an_election_that_is_turned_off_is_taken),
		cmocka_unit_test(test_words_that_a_go_program_takes_for_true_and_false_are_taken),
		cmocka_unit_test(test_help_is_found_by_whatever_is_typed_and_is_about_the_command),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
