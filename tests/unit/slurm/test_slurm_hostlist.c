/* SPDX-License-Identifier: Apache-2.0 */
/* Host lists of Slurm. */
#include "lib/fake_slurmrestd.h"

#include "slurm/hostlist.h"

struct names {
	struct str joined;
	size_t n;
};

static void add(void *ctx, const char *name)
{
	struct names *names = ctx;
	if (names->n++ < 40)
		str_addf(&names->joined, "%s%s", names->n > 1 ? " " : "", name);
}

static void expands_to(const char *list, const char *expected)
{
	struct names names = { 0 };
	struct err e = hostlist_expand(list, add, &names);
	assert_string_equal(e.text, "");
	assert_int_equal(e.kind, ERR_NONE);
	assert_string_equal(str_text(&names.joined), expected);
	str_free(&names.joined);
}

static void is_refused(const char *list, enum err_kind kind, const char *part_of_text)
{
	struct names names = { 0 };
	struct err e = hostlist_expand(list, add, &names);
	assert_int_equal(e.kind, kind);
	if (!strstr(e.text, part_of_text))
		fail_msg("\"%s\" for %s lacks \"%s\"", e.text, list, part_of_text);
	assert_int_equal(names.n, 0); /* never half a list */
	str_free(&names.joined);
}

static void test_single_names_and_lists(void **state)
{
	(void)state;
	expands_to("login", "login");
	expands_to("a,b-1,c.d_e", "a b-1 c.d_e");
	expands_to("", "");
	expands_to(NULL, "");
}

static void test_ranges(void **state)
{
	(void)state;
	expands_to("node[0-2,5]", "node0 node1 node2 node5");
	expands_to("node[0-2,5],rack[1-2]n[01-03],login",
		"node0 node1 node2 node5 rack1n01 rack1n02 rack1n03 rack2n01 rack2n02 rack2n03 "
		"login");
	expands_to("[1-3]", "1 2 3");
	expands_to("n[1-2]x", "n1x n2x");
	expands_to("n[7]", "n7");
}

static void test_zeros_are_kept(void **state)
{
	(void)state;
	expands_to("n[08-11]", "n08 n09 n10 n11");
	expands_to("n[001-002]", "n001 n002");
	expands_to("n[9-10]", "n9 n10");
	expands_to("n[098-101]", "n098 n099 n100 n101");
	expands_to("n[0-1]", "n0 n1");
	expands_to("n[000000000-000000001]", "n000000000 n000000001");
}

static void test_several_groups_vary_the_last_fastest(void **state)
{
	(void)state;
	expands_to("a[1-2]b[3-4]c[5-6]", "a1b3c5 a1b3c6 a1b4c5 a1b4c6 a2b3c5 a2b3c6 a2b4c5 a2b4c6");
	expands_to("a[1,3-4][7]", "a17 a37 a47");
}

static void test_malformed_lists_are_refused_with_the_position(void **state)
{
	(void)state;
	is_refused("node[1-", ERR_INVALID, "a number is missing at position 8");
	is_refused("node[1", ERR_INVALID, "position 7");
	is_refused("node[]", ERR_INVALID, "a number is missing at position 6");
	is_refused("node[,1]", ERR_INVALID, "position 6");
	is_refused("node[1,]", ERR_INVALID, "position 8");
	is_refused("node[1-2", ERR_INVALID, "position 9");
	is_refused("node[1-2-3]", ERR_INVALID, "position 9");
	is_refused("node[a-b]", ERR_INVALID, "position 6");
	is_refused("node[3-1]", ERR_INVALID, "ends before it starts");
	is_refused("node]", ERR_INVALID, "position 5");
	is_refused("a,,b", ERR_INVALID, "a name is missing at position 3");
	is_refused(",a", ERR_INVALID, "a name is missing at position 1");
	is_refused("a,", ERR_INVALID, "a name is missing at position 3");
	is_refused("a b", ERR_INVALID, "position 2");
	is_refused("good,node[1-", ERR_INVALID, "position 13");
	is_refused("(null)", ERR_INVALID, "position 1");
	is_refused("a\nb", ERR_INVALID, "position 2");
	is_refused("[1x2]", ERR_INVALID, "position 3");
}

static void test_limits(void **state)
{
	(void)state;
	struct names names = { 0 };
	assert_false(failed(hostlist_expand("n[0-65535]", add, &names)));
	assert_int_equal(names.n, HOSTLIST_MAX);
	str_free(&names.joined);
	is_refused("n[0-65536]", ERR_TOO_LARGE, "more than 65536");
	is_refused("a[0-65535],b", ERR_TOO_LARGE, "more than 65536");
	is_refused("n[1-999999999]", ERR_TOO_LARGE, "more than 65536");
	is_refused("n[1-999999999][1-999999999][1-999999999]", ERR_TOO_LARGE, "more than 65536");
	is_refused("n[1-300][1-300]", ERR_TOO_LARGE, "more than 65536");
	is_refused("n[1-9999999999]", ERR_INVALID, "more than 9 digits");
	is_refused("n[1][1][1][1][1][1][1][1][1]", ERR_INVALID, "more than 8 bracket groups");
}

static void test_a_name_of_255_characters_is_the_longest(void **state)
{
	(void)state;
	char name[258];
	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	expands_to(name, name);
	name[255] = 'n';
	name[256] = '\0';
	is_refused(name, ERR_INVALID, "255 characters");
	/* A group counts with the digits it gives, not with those it is written with. */
	char list[300] = { 0 };
	memset(list, 'n', 253);
	memcpy(list + 253, "[98-99]", 7);
	struct names names = { 0 };
	assert_false(failed(hostlist_expand(list, add, &names)));
	assert_int_equal(names.n, 2);
	assert_int_equal(names.joined.len, 255 + 1 + 255);
	str_free(&names.joined);
	memcpy(list + 253, "[98-100]", 8);
	is_refused(list, ERR_INVALID, "255 characters");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_names_and_lists),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_zeros_are_kept),
		cmocka_unit_test(test_several_groups_vary_the_last_fastest),
		cmocka_unit_test(test_malformed_lists_are_refused_with_the_position),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_a_name_of_255_characters_is_the_longest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
