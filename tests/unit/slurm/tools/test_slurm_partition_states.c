/* SPDX-License-Identifier: Apache-2.0 */
/* The state of partitions as scontrol and sinfo of real Slurms print it. */
#include "lib/test.h"

#include "lib/tool_output.h"
#include "slurm/tools/printed.h"

struct world {
	struct arena a;
	struct slurm_partition_shown *partitions;
	size_t n;
};

static int given_nothing(void **state)
{
	*state = own_alloc(sizeof(struct world));
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	arena_free(&w->a);
	free(w);
	return 0;
}

static void partitions(struct world *w, const char *text, size_t n)
{
	struct err e = slurm_show_partitions(text, &w->a, &w->partitions, &w->n);
	if (failed(e))
		fail_msg("%s", e.text);
	assert_int_equal(w->n, n);
}

/* Each partition is named after what is special about it. */
static void test_the_state_of_partitions_of_real_slurms(void **state)
{
	static const char *const files[] = { "24.11/tools/partitions-states.txt",
		"26.05/tools/partitions-states.txt" };
	static const struct {
		const char *name, *state, *root_only, *groups, *accounts, *denied, *reservation;
	} rows[] = {
		{ "none", "UP", "NO", "ALL", "ALL", "", "NO" },
		{ "down", "DOWN", "NO", "ALL", "ALL", "", "NO" },
		{ "drain", "DRAIN", "NO", "ALL", "ALL", "", "NO" },
		{ "inactive", "INACTIVE", "NO", "ALL", "ALL", "", "NO" },
		{ "root", "UP", "YES", "ALL", "ALL", "", "NO" },
		{ "groups", "UP", "NO", "games,root", "ALL", "", "NO" },
		{ "accounts", "UP", "NO", "ALL", NULL, "", "NO" },
		{ "denied", "UP", "NO", "ALL", "", "a1", "NO" },
		{ "resv", "UP", "NO", "ALL", "ALL", "", "YES" },
	};
	struct world *w = *state;
	for (size_t f = 0; f < LENGTH(files); f++) {
		partitions(w, tool_output(&w->a, files[f]), 11);
		for (size_t i = 0; i < LENGTH(rows); i++) {
			const struct slurm_partition_shown *p = &w->partitions[i];
			assert_string_equal(p->name, rows[i].name);
			assert_string_equal(p->state, rows[i].state);
			assert_string_equal(p->root_only, rows[i].root_only);
			assert_string_equal(p->allow_groups, rows[i].groups);
			if (rows[i].accounts)
				assert_string_equal(p->allow_accounts, rows[i].accounts);
			assert_string_equal(p->deny_accounts, rows[i].denied);
			assert_string_equal(p->needs_reservation, rows[i].reservation);
			assert_int_equal(p->all_nodes, i == 0 ? 0 : 2);
			assert_int_equal(p->usable_nodes, SLURM_ABSENT);
		}
		assert_true(str_has_prefix(w->partitions[6].allow_accounts, "a2"));
	}
	partitions(w, tool_output(&w->a, files[0]), 11);
	assert_string_equal(w->partitions[6].allow_qos, "normal,q1");
	assert_string_equal(w->partitions[7].deny_qos, "q1");
}

static void test_an_older_slurm_prints_no_state(void **state)
{
	struct world *w = *state;
	partitions(w, "PartitionName=bare\n", 1);
	assert_string_equal(w->partitions[0].state, "");
	assert_string_equal(w->partitions[0].allow_accounts, "");
}

/* As sinfo of 24.11.5 and 26.05 prints it. */
static void test_how_many_nodes_run_jobs(void **state)
{
	struct world *w = *state;
	size_t n;
	const struct printed_usable *rows =
		printed_usable("none|0/0/0/0\ndown|0/2/0/2\nall|3/1/2/6\nbig|1.5K/12/0/2K\nbroken\n"
			       "bad|x/1/1/1\n|1/1/1/1\n",
			&w->a, &n);
	assert_int_equal(n, 4);
	assert_string_equal(rows[0].partition, "none");
	assert_int_equal(rows[0].nodes, 0);
	assert_int_equal(rows[1].nodes, 2);
	assert_int_equal(rows[2].nodes, 4);
	assert_int_equal(rows[3].nodes, 1036);
	printed_usable("", &w->a, &n);
	assert_int_equal(n, 0);
}

#define STATE_TEST(name) cmocka_unit_test_setup_teardown(name, given_nothing, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_the_state_of_partitions_of_real_slurms),
		STATE_TEST(test_an_older_slurm_prints_no_state),
		STATE_TEST(test_how_many_nodes_run_jobs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
