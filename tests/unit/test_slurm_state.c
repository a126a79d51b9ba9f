#include "slurm_fake.h"

static uint32_t bits(const char *a, const char *b, const char *c)
{
	return node_state_bit(a) | (b ? node_state_bit(b) : 0) | (c ? node_state_bit(c) : 0);
}

static void test_words_of_both_slurm_releases_are_known(void **state)
{
	(void)state;
	static const char *const words[] = { "INVALID", "UNKNOWN", "DOWN", "IDLE", "ALLOCATED", "ERROR", "MIXED", "FUTURE", "RESERVED", "UNDRAIN",
		"CLOUD", "DRAIN", "COMPLETING", "NOT_RESPONDING", "POWERED_DOWN", "FAIL", "POWERING_UP", "MAINTENANCE", "REBOOT_REQUESTED", "REBOOT_CANCELED",
		"POWERING_DOWN", "DYNAMIC_FUTURE", "REBOOT_ISSUED", "PLANNED", "INVALID_REG", "POWER_DOWN", "POWER_UP", "POWER_DRAIN", "DYNAMIC_NORM", "BLOCKED" };
	for (size_t i = 0; i < LENGTH(words); i++)
		if (node_state_bit(words[i]) == NODE_OTHER)
			fail_msg("%s is not known", words[i]);
}

static void test_unknown_words_are_kept_as_other(void **state)
{
	(void)state;
	assert_int_equal(node_state_bit("SLEEPING"), NODE_OTHER);
	assert_int_equal(node_state_bit("idle"), NODE_OTHER);
	assert_int_equal(node_state_bit(""), NODE_OTHER);
	assert_int_equal(node_state_bit(NULL), NODE_OTHER);
	assert_int_equal(node_state_bit("DRAINING"), NODE_OTHER);
}

static void test_words_that_begin_alike_are_not_mixed_up(void **state)
{
	(void)state;
	assert_int_equal(node_state_bit("DRAIN"), NODE_DRAIN);
	assert_int_equal(node_state_bit("UNDRAIN"), NODE_UNDRAIN);
	assert_int_equal(node_state_bit("INVALID"), NODE_INVALID);
	assert_int_equal(node_state_bit("INVALID_REG"), NODE_INVALID_REG);
	assert_int_equal(node_state_bit("DOWN"), NODE_DOWN);
	assert_int_equal(node_state_bit("POWER_DOWN"), NODE_POWER);
}

static void test_8_1_drained_is_drain_without_work(void **state)
{
	(void)state;
	assert_false(node_state_drained(bits("IDLE", NULL, NULL)));
	assert_true(node_state_drained(bits("IDLE", "DRAIN", "DYNAMIC_NORM")));
	assert_true(node_state_drained(bits("DOWN", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("ALLOCATED", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("MIXED", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "COMPLETING")));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "UNDRAIN")));
	assert_false(node_state_drained(bits("DOWN", NULL, NULL)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_of_both_slurm_releases_are_known),
		cmocka_unit_test(test_unknown_words_are_kept_as_other),
		cmocka_unit_test(test_words_that_begin_alike_are_not_mixed_up),
		cmocka_unit_test(test_8_1_drained_is_drain_without_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
