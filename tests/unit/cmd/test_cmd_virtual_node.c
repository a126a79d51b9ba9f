/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of virtual nodes: where red-boxes are, and as whom jobs run. */
#include "lib/command_line.h"

static void test_what_virtual_nodes_cannot_use_is_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "virtual-node", "virtual-node needs --red-box=NAME=PATH or NAME=HOST:PORT" },
		{ "virtual-node --red-box=a=login", "is no red-box: NAME=/path/of/socket or" },
		{ "virtual-node --red-box=a=:7433", "is no red-box: NAME=/path/of/socket or" },
		{ "virtual-node --red-box=a=login:0", "is no red-box: NAME=/path/of/socket or" },
		{ "virtual-node --red-box=a=https://login:1", "is no red-box: NAME=" },
		{ "virtual-node --red-box=a=login:70000", "is no red-box: NAME=/path/of/socket" },
		{ "virtual-node --red-box=a=/s,b=login:7433",
			"needs --red-box-cert-dir: a folder" },
		{ "virtual-node --red-box=a=/s --red-box-cert-dir=/c", "do nothing without" },
		{ "virtual-node --red-box=a=/s --red-box-server-name=x", "do nothing without" },
		{ "virtual-node --red-box=/run/s", "is no red-box: NAME=/path/of/socket" },
		{ "virtual-node --red-box=Hpc=/run/s", "is no red-box: NAME=/path/of/socket" },
		{ "virtual-node --red-box=a-b=/run/s", "is no red-box: NAME=/path/of/socket" },
		{ "virtual-node --red-box=a=/s,a=/t", "give each Slurm its own" },
		{ "virtual-node --red-box=a=/s --partitions=a,,b", "is empty: A,B" },
		{ "virtual-node --red-box=a=/s --leader-elect", "is no option of virtual-node" },
		{ "rbac --virtual-node --webhook", "--virtual-node may be combined only with" },
		{ "rbac --virtual-node --namespaces=a",
			"--virtual-node may be combined only with" },
	};
	then_refused(rows, LENGTH(rows));
}

static void test_what_virtual_nodes_are_told_is_taken(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l,
		"virtual-node --red-box=a=/s,b=/t --partitions=x,Y --node-address=10.0.0.1 "
		"--leader-election-namespace=ns");
	assert_string_equal(l.err.text, "");
	assert_ptr_equal(l.options.command, virtual_node_command);
	assert_string_equal(l.options.virtual_node.red_boxes[1], "b=/t");
	assert_string_equal(l.options.virtual_node.partitions[1], "Y");
	assert_string_equal(l.options.virtual_node.node_address, "10.0.0.1");
	assert_string_equal(l.options.manager.lease_namespace, "ns");
}

static void test_a_red_box_elsewhere_has_certificates(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l,
		"virtual-node --red-box=a=/s,b=login.example:7433,c=[fd00::5]:7433 "
		"--red-box-cert-dir=/c --red-box-server-name=red-box");
	assert_string_equal(l.err.text, "");
	assert_string_equal(l.options.virtual_node.red_boxes[2], "c=[fd00::5]:7433");
	assert_string_equal(l.options.virtual_node.red_box_cert_dir, "/c");
	assert_string_equal(l.options.virtual_node.red_box_server_name, "red-box");
}

/* Acceptance: vnode-19 */
static void test_a_red_box_may_be_that_of_a_user(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ "virtual-node --red-box=a=-x@/s", "is no red-box: NAME=/path" },
		{ "virtual-node --red-box=a=@/s", "is no red-box: NAME=/path" },
		{ "virtual-node --red-box=a=x@y@/s", "is no red-box: NAME=/path" },
		{ "virtual-node --red-box=a=x@", "is no red-box: NAME=/path" },
		{ "virtual-node --red-box=a=x@h:1", "needs --red-box-cert-dir" },
		{ "virtual-node --red-box=a=x@/s --account-red-box=a/y=/s",
			"another red-box is there already" },
		{ "virtual-node --red-box=a=/s --account-red-box=a/y=y@/t",
			"is no red-box of an account" },
	};
	then_refused(rows, LENGTH(rows));
	LINE(l);
	when_typed(&l,
		"virtual-node --red-box=a=slurm-bridge@/s,b=x@login:7433,c=/s@t "
		"--red-box-cert-dir=/c");
	assert_string_equal(l.err.text, "");
	assert_string_equal(l.options.virtual_node.red_boxes[0], "a=slurm-bridge@/s");
}

#define BOX "virtual-node --red-box=a=/s "

static void test_accounts_of_namespaces_are_taken(void **state)
{
	(void)state;
	LINE(l);
	when_typed(&l,
		BOX "--account-red-box=a/alice=/t,a/Bob.2=/u "
		    "--account=a/team=alice,a/x=Bob.2,a/of-all= --require-account");
	assert_string_equal(l.err.text, "");
	assert_string_equal(l.options.virtual_node.account_boxes[1], "a/Bob.2=/u");
	assert_string_equal(l.options.virtual_node.accounts[0], "a/team=alice");
	assert_string_equal(l.options.virtual_node.accounts[2], "a/of-all=");
	assert_true(l.options.virtual_node.require_account);
}

/* No account is guessed: a job that runs as another one is worse than none. */
static void test_bad_input_accounts_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
		{ BOX "--account-red-box=a/alice", "is no red-box of an account: NAME/ACCOUNT=" },
		{ BOX "--account-red-box=a=/t", "is no red-box of an account: NAME/ACCOUNT=" },
		{ BOX "--account-red-box=a/=/t", "is no red-box of an account: NAME/ACCOUNT=" },
		{ BOX "--account-red-box=a/-x=/t", "is no red-box of an account: NAME/ACCOUNT=" },
		{ BOX "--account-red-box=a/a,b=/t", "is no red-box of an account: NAME/ACCOUNT=" },
		{ BOX "--account-red-box=a/x=t", "is no red-box of an account: NAME/ACCOUNT=" },
		{ BOX "--account-red-box=a/x=/t,a/x=/u", "an account has one red-box" },
		{ BOX "--account-red-box=b/x=/t", "is of a Slurm that --red-box does not name" },
		{ BOX "--account-red-box=a/x=/s", "another red-box is there already" },
		{ BOX "--account-red-box=a/x=/t,a/y=/t", "another red-box is there already" },
		{ BOX "--account-red-box=a/x=h:1", "needs --red-box-cert-dir" },
		{ BOX "--account=team=x", "is no account of a namespace" },
		{ BOX "--account=a/Team=x", "is no account of a namespace" },
		{ BOX "--account=a/team=x/y", "is no account of a namespace" },
		{ BOX "--account=a", "is no account of a namespace" },
		{ BOX "--account=a/team=x", "needs --account-red-box=a/x=WHERE" },
		{ BOX "--account=b/team=", "is of a Slurm that --red-box does not name" },
		{ BOX "--account-red-box=a/x=/t,a/y=/u --account=a/t=x,a/t=y",
			"has an account already" },
		{ BOX "--account-red-box=a/xy=/t --account=a/t=x", "--account-red-box=a/x=WHERE" },
		{ BOX "--require-account", "refuses all jobs without --account" },
		{ "manager --require-account", "is no option of manager" },
	};
	then_refused(rows, LENGTH(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_virtual_nodes_cannot_use_is_refused),
		cmocka_unit_test(test_what_virtual_nodes_are_told_is_taken),
		cmocka_unit_test(test_a_red_box_elsewhere_has_certificates),
		cmocka_unit_test(test_a_red_box_may_be_that_of_a_user),
		cmocka_unit_test(test_accounts_of_namespaces_are_taken),
		cmocka_unit_test(test_bad_input_accounts_that_do_not_fit_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
