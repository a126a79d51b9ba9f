/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of sbatch's options. Seen with "sbatch -v" of Slurm 24.11.5 and of 26.05.5,
 * which prints what it understood; what sbatch reads otherwise is marked as ours.
 */
#include "lib/test.h"

#include "slurm/sbatch/sbatch.h"

struct value {
	const char *text;
	int64_t number; /* WRONG: it is refused */
};

enum { WRONG = -1 };

static const struct sbatch_wishes nothing;

static void value_is(const char *option, size_t member, const struct value *value)
{
	struct sbatch_wishes got = { 7, 7, 7, 7 }, wishes = nothing;
	AUTO(str_free) struct str script = { 0 };
	str_addf(&script, "#!/bin/sh\n#SBATCH --%s='%s'\n", option, value->text);
	struct err e = sbatch_read(script.text, script.len, &got);
	bool refused = value->number == WRONG;
	if (!refused)
		*(int64_t *)((char *)&wishes + member) = value->number;
	if (failed(e) != refused || memcmp(&got, &wishes, sizeof(got)) != 0)
		fail_msg("--%s=%s: %lld nodes, %lld s, %lld MiB, %lld CPUs: %s", option,
			value->text, (long long)got.nodes, (long long)got.wall_time_s,
			(long long)got.mem_per_node_mib, (long long)got.cpus_per_node, e.text);
	AUTO(str_free) struct str begins = { 0 };
	str_addf(&begins, "line 2: --%s: \"%s\" should be ", option, value->text);
	if (refused && !str_has_prefix(e.text, begins.text))
		fail_msg("--%s=%s: %s", option, value->text, e.text);
}

static void values_are(const char *option, size_t member, const struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		value_is(option, member, &values[i]);
}

/* Acceptance: word-8 */
static void test_numbers_of_nodes(void **state)
{
	static const struct value values[] = { { "5", 5 }, { "5-7", 5 }, { "5-5", 5 }, { "0", 0 },
		{ "00", 0 }, { "+5", 5 }, { " 5", 5 }, { "5 ", 5 }, { " 5 - 7 ", 5 }, { "-5", 1 },
		{ "0-5", 0 }, { "5-0", 5 }, { "2k", 2048 }, { "2K", 2048 }, { "1m", 1048576 },
		{ "2-1k", 2 }, { "1k-2k", 1024 }, { "1,3-5", 1 }, { "3,1", 1 }, { "4-6,2,8", 2 },
		{ "3-9:3", 3 }, { "0,5", 0 }, { "2147483647", 2147483647 }, { "7-5", WRONG },
		{ "5-", WRONG }, { "-", WRONG }, { "5--7", WRONG }, { "2kk", WRONG },
		{ "2km", WRONG }, { "foo", WRONG }, { "5x", WRONG }, { "5-foo", WRONG },
		{ "foo-5", WRONG }, { "", WRONG }, { "=5", WRONG }, { "0x10", WRONG },
		{ "1e3", WRONG }, { "5.5", WRONG }, { "4294967297", WRONG }, { "2097152k", WRONG },
		{ "99999999999999999999", WRONG }, { "1,x", WRONG }, { ",5", WRONG },
		{ "9-3:2", WRONG }, { "3-9:0", WRONG }, { "1-3:", WRONG }, { "3:2", WRONG },
		{ "5-5:1", WRONG }, { "3-9:2,12", WRONG }, { "3-9:2:2", WRONG }, { "3-9:20", 3 },
		{ " 3-9:2", 3 }, { "3, 9", 3 }, { "3,9 ", WRONG }, { "1-3,5k", WRONG }, { "5,", 0 },
		{ "1-3,", 0 }, { "6-4,8", 8 }, { ",", WRONG } };
	(void)state;
	values_are("nodes", offsetof(struct sbatch_wishes, nodes), values, LENGTH(values));
}

static void test_times(void **state)
{
	static const struct value values[] = { { "6", 360 }, { "6:06", 420 }, { "6:00", 360 },
		{ "6:06:06", 6 * 3600 + 420 }, { "0:00:01", 60 }, { "0:61", 120 }, { "6:99", 480 },
		{ "007", 420 }, { "3-5", 277200 }, { "3-5:07", 277620 }, { "3-5:07:08", 277680 },
		{ "3-", 259200 }, { "366-0", 31622400 }, { "24855-3", 2147482800 },
		{ "0", SBATCH_NO_LIMIT }, { "0:0", SBATCH_NO_LIMIT }, { "0-0", SBATCH_NO_LIMIT },
		{ "UNLIMITED", SBATCH_NO_LIMIT }, { "unlimited", SBATCH_NO_LIMIT },
		{ "INFINITE", SBATCH_NO_LIMIT }, { "-1", SBATCH_NO_LIMIT }, { "", WRONG },
		{ "foo", WRONG }, { "6:6:6:6", WRONG }, { "foo:06", WRONG }, { "6:foo", WRONG },
		{ "6:06:foo", WRONG }, { "foo-5", WRONG }, { "3-foo", WRONG }, { "3-5:foo", WRONG },
		{ "3-5:07:bar", WRONG }, { "3-5:", WRONG }, { "6:", WRONG }, { ":6", WRONG },
		{ "1-:5", WRONG }, { "-", WRONG }, { "1-2-3", WRONG }, { "--5", WRONG },
		{ "+6", WRONG }, { " 6", WRONG }, { "6 ", WRONG }, { "1.5", WRONG },
		{ "1h", WRONG }, { "=5", WRONG }, { "Partition_Limit", WRONG }, { "NONE", WRONG },
		{ "N/A", WRONG }, { "Unknown", WRONG },
		/* Ours: sbatch counts with 31 bits, and makes millions of days of them */
		{ "24855-4", WRONG }, { "35791394", WRONG }, { "99999999999", WRONG },
		{ "-5", WRONG } };
	(void)state;
	values_are("time", offsetof(struct sbatch_wishes, wall_time_s), values, LENGTH(values));
}

/* Acceptance: word-8 */
static void test_memory(void **state)
{
	static const struct value values[] = { { "24000", 24000 }, { "00004", 4 }, { "+4", 4 },
		{ " 4", 4 }, { "4M", 4 }, { "4m", 4 }, { "4MB", 4 }, { "4G", 4096 }, { "4g", 4096 },
		{ "4GB", 4096 }, { "4Gb", 4096 }, { "4T", 4194304 }, { "1K", 1 }, { "1024k", 1 },
		{ "1025K", 2 }, { "1KB", 1 }, { "0", 0 }, { "0G", 0 }, { "0K", 0 },
		{ "9223372036854775807", INT64_MAX },
		{ "8796093022207T", INT64_MAX / 1048576 * 1048576 }, { "", WRONG },
		{ "foo", WRONG }, { "-1", WRONG }, { "4GiB", WRONG }, { "4 G", WRONG },
		{ "4G ", WRONG }, { "4.5G", WRONG }, { "4P", WRONG }, { "4B", WRONG },
		{ "4Gx", WRONG }, { "G", WRONG }, { "9223372036854775808", WRONG },
		/* Ours: sbatch overflows */
		{ "8796093022208T", WRONG }, { "9007199254740992G", WRONG } };
	(void)state;
	values_are("mem", offsetof(struct sbatch_wishes, mem_per_node_mib), values, LENGTH(values));
}

static void test_counts(void **state)
{
	static const struct value values[] = { { "1", 1 }, { "8", 8 }, { "007", 7 }, { "+4", 4 },
		{ " 4", 4 }, { "65536", 65536 }, { "2147483646", 2147483646 }, { "0", WRONG },
		{ "-1", WRONG }, { "4 ", WRONG }, { "4k", WRONG }, { "", WRONG }, { "0x4", WRONG },
		{ "1-2", WRONG }, { "4.0", WRONG }, { "2147483647", WRONG },
		{ "4294967297", WRONG } };
	const size_t cpus = offsetof(struct sbatch_wishes, cpus_per_node);
	(void)state;
	values_are("cpus-per-task", cpus, values, LENGTH(values));
	values_are("ntasks-per-node", cpus, values, LENGTH(values));
	values_are("ntasks", 0, &(struct value){ "0", WRONG }, 1);
}

static void test_the_largest_counts_overflow_nothing(void **state)
{
	static const char script[] =
		"#!/bin/sh\n#SBATCH -c 2147483646 --ntasks-per-node 2147483646\n";
	struct sbatch_wishes got;
	(void)state;
	struct err e = sbatch_read(script, strlen(script), &got);
	assert_string_equal(e.text, "");
	assert_int_equal(got.cpus_per_node, INT64_C(2147483646) * 2147483646);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_of_nodes),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_the_largest_counts_overflow_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
