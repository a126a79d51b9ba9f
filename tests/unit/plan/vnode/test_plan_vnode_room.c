/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual nodes: room for steps of pods, partitions that go, jobs that are missing. */
#include "lib/test.h"

#include "plan/vnode/missing.h"
#include "plan/vnode/node.h"
#include "plan/vnode/room.h"

static void test_a_step_that_reads_or_asks_needs_room(void **state)
{
	(void)state;
	static const enum vroom_kind kinds[] = {
		[VPOD_ASK_OWNER] = VROOM_SLOT,
		[VPOD_ASK_POD] = VROOM_SLOT,
		[VPOD_SUBMIT] = VROOM_CALL,
		[VPOD_ASK_JOB] = VROOM_CALL,
		[VPOD_CANCEL] = VROOM_CALL,
		[VPOD_CLOSE] = VROOM_CALL,
		[VPOD_FORGET] = VROOM_NOTHING,
	};
	for (size_t i = 0; i < LENGTH(kinds); i++)
		assert_int_equal(vroom_kind_of((enum vpod_step)i), kinds[i]);
}

#define ROOM(...) (&(const struct vroom){ .box_alone = true, __VA_ARGS__ })

static void test_a_red_box_has_so_many_calls(void **state)
{
	(void)state;
	assert_true(vroom_has(ROOM(.calls = VROOM_CALLS - 1, .calls_of_space = 9), VROOM_CALL));
	assert_false(vroom_has(ROOM(.calls = VROOM_CALLS, .calls_of_space = 9), VROOM_CALL));
	assert_true(vroom_has(ROOM(.calls = VROOM_CALLS), VROOM_SLOT));
	assert_true(vroom_has(ROOM(.calls = VROOM_CALLS, .slots = 99), VROOM_NOTHING));
}

/* Acceptance: vnode-17 */
static void test_calls_are_divided_among_namespaces_that_wait(void **state)
{
	(void)state;
	static const struct {
		struct vroom room;
		bool has;
	} rows[] = {
		/* while no other namespace waits it has all of them */
		{ { .calls = VROOM_CALLS - 1, .calls_of_space = VROOM_CALLS - 1 }, true },
		{ { .calls = VROOM_CALLS, .calls_of_space = VROOM_CALLS }, false },
		/* and otherwise half of what the others leave, one in any case */
		{ { .calls = 499, .calls_of_space = 499, .other_space_waits = true }, true },
		{ { .calls = 500, .calls_of_space = 500, .other_space_waits = true }, false },
		{ { .calls = 900, .calls_of_space = 50, .other_space_waits = true }, true },
		{ { .calls = 900, .calls_of_space = 100, .other_space_waits = true }, false },
		{ { .calls = 1200, .calls_of_space = 0, .other_space_waits = true }, true },
		{ { .calls = 1200, .calls_of_space = 0 }, true },
		{ { .calls = 1200, .calls_of_space = 1, .other_space_waits = true }, false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (vroom_has(&rows[i].room, VROOM_CALL) != rows[i].has)
			fail_msg("row %zu", i);
}

/* Acceptance: rule-4 */
static void test_slots_are_divided_among_those_that_wait(void **state)
{
	(void)state;
	static const struct {
		struct vroom room;
		bool has;
	} rows[] = {
		/* alone it has all of them */
		{ { .slots = 63, .of_box = 63, .of_space = 63, .box_alone = true }, true },
		{ { .slots = 64, .of_box = 64, .of_space = 64, .box_alone = true }, false },
		/* with another red-box half of what that leaves */
		{ { .slots = 31, .of_box = 31, .of_space = 31 }, true },
		{ { .slots = 32, .of_box = 32, .of_space = 32 }, false },
		{ { .slots = 42, .of_box = 22, .of_space = 1 }, false },
		{ { .slots = 41, .of_box = 21, .of_space = 1 }, true },
		/* while another namespace waits, half of what that leaves */
		{ { .slots = 31,
			  .of_box = 31,
			  .of_space = 31,
			  .box_alone = true,
			  .other_space_waits = true },
			true },
		{ { .slots = 32,
			  .of_box = 32,
			  .of_space = 32,
			  .box_alone = true,
			  .other_space_waits = true },
			false },
		{ { .slots = 60, .of_box = 60, .of_space = 30, .box_alone = true }, true },
		{ { .slots = 60,
			  .of_box = 60,
			  .of_space = 30,
			  .box_alone = true,
			  .other_space_waits = true },
			false },
		{ { .slots = 70, .of_box = 0, .of_space = 0, .other_space_waits = true }, true },
		{ { .slots = 70, .of_box = 1, .of_space = 0 }, false }, /* one in any case */
		{ { .slots = 70, .of_box = 0, .of_space = 1, .other_space_waits = true }, false },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (vroom_has(&rows[i].room, VROOM_SLOT) != rows[i].has)
			fail_msg("row %zu", i);
}

/* Acceptance: rule-4 */
static void test_a_partition_is_missed_after_a_while(void **state)
{
	(void)state;
	enum { T = 1000000 };
	static const struct {
		struct vnode_view heard;
		enum vnode_trouble is;
	} rows[] = {
		{ { .answered_ms = T, .listed_ms = T }, VNODE_FINE },
		{ { .answered_ms = T, .listed_ms = T - VNODE_MISSED_MS + 1 }, VNODE_FINE },
		{ { .answered_ms = T, .listed_ms = T - VNODE_MISSED_MS }, VNODE_GONE },
		{ { .red_box_away = true, .answered_ms = T - VNODE_SILENT_MS + 1 }, VNODE_FINE },
		{ { .red_box_away = true, .answered_ms = T - VNODE_SILENT_MS }, VNODE_AWAY },
		/* what it does not answer says nothing about its partitions */
		{ { .red_box_away = true, .answered_ms = T - 1, .listed_ms = 1 }, VNODE_FINE },
		{ { .answered_ms = T - VNODE_SILENT_MS, .listed_ms = T - VNODE_SILENT_MS },
			VNODE_FINE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(vnode_trouble_of(&rows[i].heard, T), rows[i].is);
}

/* Slurm is asked at once after each submission, and does not know the job. */
static struct vmissing missed(int64_t *now_ms, int times, int64_t wait_ms)
{
	struct vmissing m = vmissing_unknown((struct vmissing){ 0 }, true, *now_ms, 0);
	for (int i = 0; i < times; i++) {
		m = vmissing_numbered(m, true);
		int64_t submitted_ms = *now_ms;
		*now_ms += wait_ms;
		m = vmissing_unknown(m, true, *now_ms, submitted_ms);
	}
	return m;
}

/* Acceptance: rule-4 */
static void test_a_job_that_stays_missing_is_lost(void **state)
{
	(void)state;
	int64_t start_ms = 50000, now_ms = start_ms;
	struct vmissing m = missed(&now_ms, VPOD_MISSING_TIMES, 5);
	assert_false(vmissing_is_lost(m, start_ms + VPOD_MISSING_MS - 1));
	assert_true(vmissing_is_lost(m, start_ms + VPOD_MISSING_MS));
	now_ms = start_ms;
	m = missed(&now_ms, VPOD_MISSING_TIMES - 1, 5);
	assert_false(vmissing_is_lost(m, start_ms + 10 * VPOD_MISSING_MS));
}

/* A slurmctld may have lost each of the jobs that they made. */
static void test_what_is_asked_for_too_late_was_not_missing(void **state)
{
	(void)state;
	int64_t now_ms = 50000;
	struct vmissing m = missed(&now_ms, 10, VPOD_SETTLE_MS + 1);
	assert_false(vmissing_is_lost(m, now_ms + 10 * VPOD_MISSING_MS));
	now_ms = 50000;
	m = missed(&now_ms, VPOD_MISSING_TIMES, VPOD_SETTLE_MS);
	assert_true(vmissing_is_lost(m, 50000 + VPOD_MISSING_MS));
}

static void test_another_number_is_another_job(void **state)
{
	(void)state;
	int64_t now_ms = 50000;
	struct vmissing m = missed(&now_ms, VPOD_MISSING_TIMES, 5);
	m = vmissing_numbered(m, false);
	assert_false(vmissing_is_lost(m, now_ms + 10 * VPOD_MISSING_MS));
	/* A job without a number yet is not missed. */
	m = vmissing_unknown((struct vmissing){ 0 }, false, now_ms, now_ms);
	assert_int_equal(m.since_ms, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_step_that_reads_or_asks_needs_room),
		cmocka_unit_test(test_a_red_box_has_so_many_calls),
		cmocka_unit_test(test_calls_are_divided_among_namespaces_that_wait),
		cmocka_unit_test(test_slots_are_divided_among_those_that_wait),
		cmocka_unit_test(test_a_partition_is_missed_after_a_while),
		cmocka_unit_test(test_a_job_that_stays_missing_is_lost),
		cmocka_unit_test(test_what_is_asked_for_too_late_was_not_missing),
		cmocka_unit_test(test_another_number_is_another_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
