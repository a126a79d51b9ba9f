/* SPDX-License-Identifier: Apache-2.0 */
/* State words of nodes and jobs. */
#include "lib/fake_slurmrestd.h"

static uint32_t bits(const char *a, const char *b, const char *c)
{
	return node_state_bit(a) | (b ? node_state_bit(b) : 0) | (c ? node_state_bit(c) : 0);
}

/* Words of the OpenAPI documents: 24.11.5 (v0.0.40 to 42) and 26.05.5 (v0.0.42 to 45). */
static const char *const node_bases[] = { "DOWN", "IDLE", "ALLOCATED", "ERROR", "MIXED", "FUTURE" };
static const char *const node_says_nothing[] = { "INVALID", "UNKNOWN", "EXTERNAL" };
static const char *const node_flags[] = {
	"RESERVED",
	"UNDRAIN",
	"CLOUD",
	"RESUME",
	"DRAIN",
	"COMPLETING",
	"NOT_RESPONDING",
	"POWERED_DOWN",
	"FAIL",
	"POWERING_UP",
	"MAINTENANCE",
	"REBOOT_REQUESTED",
	"REBOOT_CANCELED",
	"POWERING_DOWN",
	"DYNAMIC_FUTURE",
	"REBOOT_ISSUED",
	"PLANNED",
	"INVALID_REG",
	"POWER_DOWN",
	"POWER_UP",
	"POWER_DRAIN",
	"POWER_DOWN_ASAP",
	"POWER_DOWN_FORCE",
	"DYNAMIC_NORM",
	"BLOCKED",
};

static void test_every_word_of_a_node_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(node_bases); i++) {
		assert_int_not_equal(node_state_bit(node_bases[i]), NODE_OTHER);
		assert_false(node_state_strange(node_state_bit(node_bases[i])));
	}
	for (size_t i = 0; i < LENGTH(node_says_nothing); i++) {
		assert_int_not_equal(node_state_bit(node_says_nothing[i]), NODE_OTHER);
		assert_true(node_state_strange(node_state_bit(node_says_nothing[i])));
	}
	for (size_t i = 0; i < LENGTH(node_flags); i++) {
		assert_int_not_equal(node_state_bit(node_flags[i]), NODE_OTHER);
		assert_true(node_state_strange(node_state_bit(node_flags[i]))); /* alone */
		assert_false(node_state_strange(bits("IDLE", node_flags[i], NULL)));
	}
}

static void test_unknown_words_are_kept_as_other(void **state)
{
	(void)state;
	assert_int_equal(node_state_bit("SLEEPING"), NODE_OTHER);
	assert_int_equal(node_state_bit("idle"), NODE_OTHER);
	assert_int_equal(node_state_bit(""), NODE_OTHER);
	assert_int_equal(node_state_bit(NULL), NODE_OTHER);
	assert_int_equal(node_state_bit("DRAINING"), NODE_OTHER);
	assert_int_equal(job_state_bit("SLEEPING"), JOB_OTHER);
	assert_int_equal(job_state_bit("running"), JOB_OTHER);
	assert_int_equal(job_state_bit(""), JOB_OTHER);
	assert_int_equal(job_state_bit(NULL), JOB_OTHER);
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
	assert_int_equal(job_state_bit("COMPLETED"), JOB_COMPLETED);
	assert_int_equal(job_state_bit("COMPLETING"), JOB_COMPLETING);
	assert_int_equal(job_state_bit("REQUEUED"), JOB_REQUEUED);
	assert_int_equal(job_state_bit("REQUEUE_HOLD"), JOB_REQUEUE_HOLD);
}

/* Acceptance: removal-5 */
static void test_drained_is_drain_without_work(void **state)
{
	(void)state;
	assert_false(node_state_drained(bits("IDLE", NULL, NULL)));
	assert_true(node_state_drained(bits("IDLE", "DRAIN", "DYNAMIC_NORM")));
	assert_true(node_state_drained(bits("DOWN", "DRAIN", NULL)));
	assert_true(node_state_drained(bits("IDLE", "DRAIN", "CLOUD")));
	assert_false(node_state_drained(bits("ALLOCATED", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("MIXED", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "COMPLETING")));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "UNDRAIN")));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "RESUME")));
	assert_false(node_state_drained(bits("DOWN", NULL, NULL)));
}

static void test_a_state_that_says_nothing_is_never_drained(void **state)
{
	(void)state;
	assert_false(node_state_drained(NODE_DRAIN)); /* no base state */
	assert_false(node_state_drained(bits("DRAIN", "DYNAMIC_NORM", NULL)));
	assert_false(node_state_drained(bits("INVALID", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "INVALID")));
	assert_false(node_state_drained(bits("UNKNOWN", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("EXTERNAL", "DRAIN", NULL)));
	assert_false(node_state_drained(bits("IDLE", "DRAIN", "SLEEPING")));
}

static const struct {
	const char *word;
	bool holds;
} job_bases[] = {
	{ "PENDING", false },   { "RUNNING", true },       { "SUSPENDED", true },
	{ "COMPLETED", false }, { "CANCELLED", false },    { "FAILED", false },
	{ "TIMEOUT", false },   { "NODE_FAIL", false },    { "PREEMPTED", false },
	{ "BOOT_FAIL", false }, { "DEADLINE", false },     { "OUT_OF_MEMORY", false },
}, job_flags[] = {
	{ "LAUNCH_FAILED", false }, { "REQUEUED", false },      { "REQUEUE_HOLD", false },
	{ "SPECIAL_EXIT", false },  { "RESIZING", true },       { "CONFIGURING", true },
	{ "COMPLETING", true },     { "STOPPED", true },        { "RECONFIG_FAIL", false },
	{ "POWER_UP_NODE", true },  { "REVOKED", false },       { "REQUEUE_FED", false },
	{ "RESV_DEL_HOLD", false }, { "SIGNALING", true },      { "STAGE_OUT", true },
	{ "EXPEDITING", false },    { "A_WORD_OF_2031", true },
};

static void test_a_job_holds_nodes_from_its_beginning_to_its_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(job_bases); i++) {
		uint32_t base = job_state_bit(job_bases[i].word);
		assert_int_not_equal(base, JOB_OTHER);
		assert_true(base & JOB_BASE_MASK);
		assert_int_equal(job_state_holds(base), job_bases[i].holds);
		for (size_t k = 0; k < LENGTH(job_flags); k++) {
			uint32_t both = base | job_state_bit(job_flags[k].word);
			bool holds = job_bases[i].holds || job_flags[k].holds;
			assert_int_equal(job_state_holds(both), holds);
		}
	}
}

static void test_a_job_without_a_base_state_may_hold_nodes(void **state)
{
	(void)state;
	assert_true(job_state_holds(0));
	for (size_t k = 0; k < LENGTH(job_flags); k++)
		assert_true(job_state_holds(job_state_bit(job_flags[k].word)));
	for (size_t k = 0; k + 1 < LENGTH(job_flags); k++)
		assert_int_not_equal(job_state_bit(job_flags[k].word), JOB_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_word_of_a_node_is_known),
		cmocka_unit_test(test_unknown_words_are_kept_as_other),
		cmocka_unit_test(test_words_that_begin_alike_are_not_mixed_up),
		cmocka_unit_test(test_drained_is_drain_without_work),
		cmocka_unit_test(test_a_state_that_says_nothing_is_never_drained),
		cmocka_unit_test(test_a_job_holds_nodes_from_its_beginning_to_its_end),
		cmocka_unit_test(test_a_job_without_a_base_state_may_hold_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
