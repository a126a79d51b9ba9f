/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roles: what the program prints, and the file that those have who have no program at
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "cmd/options.h"
#include "cmd/rbac.h"

static const char *file(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "re");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void test_the_file_in_deploy_is_what_the_program_prints(void **state)
{
	(void)state;
	static const char *one[] = { "slurm", NULL };
	const struct options options = { .manager = { .namespaces = (char **)one } };
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	if (strcmp(file("deploy/examples/rbac.yaml"), str_text(&printed)))
		fail_msg("make it again: tools/toolbox run build/slurm-operator rbac "
			 "--namespaces=slurm >deploy/examples/rbac.yaml");
}

/* Acceptance: operator-chart-2 */
static void test_the_roles_of_virtual_nodes_in_deploy_are_what_the_program_prints(void **state)
{
	(void)state;
	const struct options options = {
		.manager = { .lease_namespace = "slurm-virtual-node" },
		.rbac = { .virtual_node = true },
	};
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	if (strcmp(file("deploy/examples/virtual-node-rbac.yaml"), str_text(&printed)))
		fail_msg("make it again: tools/toolbox run build/slurm-operator rbac "
			 "--virtual-node --leader-election-namespace=slurm-virtual-node "
			 ">deploy/examples/virtual-node-rbac.yaml");
}

static void test_the_deployment_is_for_the_same_namespace_and_this_version(void **state)
{
	(void)state;
	const char *text = file("deploy/examples/operator.yaml");
	assert_non_null(strstr(text, "--namespaces=slurm,"));
	assert_non_null(strstr(text, "image: localhost/slurm-operator:" OPERATOR_VERSION "\n"));
}

static void test_the_example_of_virtual_nodes_may_mount_the_socket(void **state)
{
	(void)state;
	const char *text = file("deploy/examples/virtual-node.yaml");
	assert_non_null(strstr(text, "image: localhost/slurm-operator:" OPERATOR_VERSION "\n"));
	assert_non_null(strstr(text,
		"  name: slurm-virtual-node\n"
		"  labels:\n"
		"    pod-security.kubernetes.io/enforce: privileged\n"));
	assert_non_null(strstr(text, "--leader-election-namespace=slurm-virtual-node\n"));
	assert_non_null(strstr(text, "  namespace: slurm-virtual-node\n"));
	assert_null(strstr(text, "namespace: slurm-operator\n"));
}

static void test_for_some_namespaces_no_cluster_role_is_needed(void **state)
{
	(void)state;
	static const char *two[] = { "a", "b", NULL };
	const struct options options = {
		.manager = { .namespaces = (char **)two, .lease_namespace = "x" },
	};
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	assert_null(strstr(str_text(&printed), "ClusterRole"));
	assert_non_null(strstr(str_text(&printed), "namespace: a\n"));
	assert_non_null(strstr(str_text(&printed), "namespace: b\n"));
	assert_non_null(strstr(str_text(&printed), "name: slurm-operator, namespace: x"));
}

/* A Role cannot give it, and a manager of all namespaces has a role for the cluster. */
/* Acceptance: job-19 */
static void test_for_all_namespaces_nodes_may_be_read(void **state)
{
	(void)state;
	const struct options options = { 0 };
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	assert_non_null(strstr(str_text(&printed), "resources: [nodes]\n    verbs: [get, list]\n"));
}

static void test_what_is_known_by_name_is_asked_for_by_name(void **state)
{
	(void)state;
	static const char *secrets[] = { "token-a", "token-b", NULL };
	const struct options options = { .rbac = { .secrets = (char **)secrets } };
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	assert_non_null(strstr(str_text(&printed),
		"resources: [secrets]\n    resourceNames: [\"token-a\", \"token-b\"]\n    verbs: "
		"[get]\n"));
	assert_non_null(strstr(str_text(&printed),
		"resources: [secrets]\n    resourceNames: [\"token-a\", \"token-b\"]\n    verbs: "
		"[patch]\n"));
	assert_null(strstr(str_text(&printed), "secrets]\n    verbs"));
	assert_non_null(strstr(str_text(&printed),
		"resourceNames: [0033bda7.slinky.slurm.net]\n    verbs: [get, update, patch]\n"));
	assert_non_null(strstr(str_text(&printed), "resources: [leases]\n    verbs: [create]\n"));
}

/* Acceptance: V32 */
static void test_virtual_nodes_have_roles_of_their_own(void **state)
{
	(void)state;
	const struct options options = {
		.rbac = { .virtual_node = true },
		.manager = { .lease_namespace = "x" },
	};
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	const char *text = str_text(&printed);
	assert_non_null(strstr(text, "name: slurm-virtual-node, namespace: x"));
	assert_non_null(strstr(text, "namespace: kube-node-lease"));
	assert_non_null(strstr(text, "resources: [pods/status]\n    verbs: [patch]"));
	assert_null(strstr(text, "secrets"));
}

static void test_the_webhook_asks_for_its_own_objects_by_name(void **state)
{
	(void)state;
	const struct options options = {
		.rbac = { .webhook = true },
		.webhook = { .ns = "x", .secret = "s", .configuration = "w" },
	};
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	const char *text = str_text(&printed);
	assert_non_null(strstr(text, "resourceNames: [s]\n    verbs: [get, patch]\n"));
	assert_non_null(strstr(text, "resourceNames: [w]\n    verbs: [get, patch]\n"));
	assert_non_null(strstr(text, "name: slurm-operator-webhook, namespace: x"));
	assert_null(strstr(text, "pods"));
}

/* A real API server evaluates its expressions: tests/cluster/deployed. */
static void test_the_policy_is_about_the_account_that_the_roles_are_for(void **state)
{
	(void)state;
	const struct options options = {
		.manager = { .lease_namespace = "x" },
		.rbac = { .label_key = "example.com/slurm", .label_value = "yes" },
	};
	AUTO(str_free) struct str printed = { 0 };
	assert_int_equal(rbac_command(&options, &printed), 0);
	const char *text = str_text(&printed);
	assert_non_null(strstr(text, "== 'system:serviceaccount:x:slurm-operator'"));
	/* Two managers do not share one. */
	assert_non_null(strstr(text, "name: x.manager.slinky.slurm.net\n"));
	assert_non_null(strstr(text, "policyName: x.manager.slinky.slurm.net\n"));
	assert_non_null(strstr(text, "labels[?'example.com/slurm'].orValue('') == 'yes'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_webhook_asks_for_its_own_objects_by_name),
		cmocka_unit_test(test_virtual_nodes_have_roles_of_their_own),
		cmocka_unit_test(test_the_file_in_deploy_is_what_the_program_prints),
		cmocka_unit_test(
			test_the_roles_of_virtual_nodes_in_deploy_are_what_the_program_prints),
		cmocka_unit_test(test_the_deployment_is_for_the_same_namespace_and_this_version),
		cmocka_unit_test(test_the_example_of_virtual_nodes_may_mount_the_socket),
		cmocka_unit_test(test_for_some_namespaces_no_cluster_role_is_needed),
		cmocka_unit_test(test_for_all_namespaces_nodes_may_be_read),
		cmocka_unit_test(test_what_is_known_by_name_is_asked_for_by_name),
		cmocka_unit_test(test_the_policy_is_about_the_account_that_the_roles_are_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
