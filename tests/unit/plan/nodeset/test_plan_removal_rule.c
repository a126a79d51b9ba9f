/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that protects running jobs, a row for each case. */
#include "lib/given.h"
#include "engine/removal.h"

static const struct removal_facts running = {
	.phase = POD_RUNNING,
	.bound = true,
	.cordoned = true,
	.usable = true,
	.node = YES,
	.age_ms = 100,
	.state = NODE_IDLE,
	.held = NO,
	.jobs_asked_ms = 200,
	.free_since_ms = 100,
	.at_its_address = true,
};

#define CASE(expected, ...)                                     \
	do {                                                    \
		f = running;                                    \
		__VA_ARGS__;                                    \
		assert_int_equal(decide_removal(&f), expected); \
	} while (0)

static void of_a_drained_node(void)
{
	struct removal_facts f;
	CASE(REMOVAL_DRAINED, f.state = DRAINED);
	CASE(REMOVAL_WAIT_SLURM, f.state = DRAINED | NODE_OTHER);
	CASE(REMOVAL_WAIT_JOBS, f.state = DRAINED; f.held = YES);
	CASE(REMOVAL_WAIT_JOBS_ANSWER, f.state = DRAINED; f.held = UNKNOWN);
	CASE(REMOVAL_WAIT_JOBS_ANSWER, f.state = DRAINED; f.jobs_asked_ms = 99);
	CASE(REMOVAL_WAIT_JOBS_ANSWER, f.state = DRAINED; f.free_since_ms = 0);
	CASE(REMOVAL_WAIT_JOBS_ANSWER, f.state = DRAINED; f.jobs_age_ms = JOBS_FRESH_MS + 1);
	CASE(REMOVAL_WAIT_REGISTRATION, f.state = DRAINED; f.at_its_address = false;
		f.in_phase_for_ms = ABSENT_GRACE_MS - 1);
	CASE(REMOVAL_WAIT_REGISTRATION, f.state = DRAINED; f.at_its_address = false;
		f.in_phase_for_ms = 600000);
	CASE(REMOVAL_DRAINED, f.state = DRAINED | NODE_NOT_RESPONDING; f.at_its_address = false;
		f.in_phase_for_ms = ABSENT_GRACE_MS);
	CASE(REMOVAL_WAIT_NAME, f.state = DRAINED; f.ambiguous = true);
	CASE(REMOVAL_WAIT_ACTION, f.state = DRAINED; f.lift_may_come = true);
	CASE(REMOVAL_WAIT_CORDON, f.state = DRAINED; f.cordoned = false);
	CASE(REMOVAL_DRAINED, f.state = DRAINED; f.phase = POD_PENDING; f.cordoned = false);
	CASE(REMOVAL_WAIT_SLURM, f.state = DRAINED; f.usable = false);
	CASE(REMOVAL_WAIT_ANSWER, f.state = DRAINED; f.age_ms = SLURM_FRESH_MS + 1);
	CASE(REMOVAL_WAIT_ANSWER, f.state = DRAINED; f.age_ms = -1);
	CASE(REMOVAL_WAIT_ANSWER, f.state = DRAINED; f.predates_pod = true);
	CASE(REMOVAL_WAIT_ACTION, f.state = DRAINED; f.update_in_flight = true);
	CASE(REMOVAL_WAIT_ACTION, f.state = DRAINED; f.in_flight = true);
}

static void of_a_node_that_slurm_has_not(void)
{
	struct removal_facts f;
	CASE(REMOVAL_WAIT_NAME, f.node = NO; f.absent_for_ms = ABSENT_GRACE_MS; f.ambiguous = true);
	CASE(REMOVAL_WAIT_FORGOTTEN, f.node = NO; f.absent_for_ms = ABSENT_GRACE_MS;
		f.lost_work = true);
	CASE(REMOVAL_WAIT_CORDON, f.node = NO; f.absent_for_ms = ABSENT_GRACE_MS;
		f.cordoned = false);
	CASE(REMOVAL_ABSENT, f.node = NO; f.phase = POD_PENDING; f.absent_for_ms = START_GRACE_MS;
		f.cordoned = false);
	CASE(REMOVAL_WAIT_ANSWER, f.node = NO; f.phase = POD_PENDING; f.predates_pod = true);
	CASE(REMOVAL_WAIT_REGISTRATION, f.node = NO; f.absent_for_ms = ABSENT_GRACE_MS - 1);
	CASE(REMOVAL_ABSENT, f.node = NO; f.absent_for_ms = ABSENT_GRACE_MS);
	/*
	 * The slurmd may run already: a kubelet reported it a second after the job had
	 * begun (seen with Kubernetes 1.34).
	 */
	CASE(REMOVAL_WAIT_REGISTRATION, f.node = NO; f.phase = POD_PENDING;
		f.absent_for_ms = START_GRACE_MS - 1);
	CASE(REMOVAL_ABSENT, f.node = NO; f.phase = POD_PENDING; f.absent_for_ms = START_GRACE_MS);
	/* The pull of the image has just failed. A report of that is old after 5 s. */
	CASE(REMOVAL_WAIT_REGISTRATION, f.node = NO; f.phase = POD_PENDING; f.stuck = true;
		f.halted = true; f.absent_for_ms = ABSENT_GRACE_MS - 1);
	CASE(REMOVAL_ABSENT, f.node = NO; f.phase = POD_PENDING; f.stuck = true; f.halted = true;
		f.halted_for_ms = HALTED_FRESH_MS; f.absent_for_ms = ABSENT_GRACE_MS);
	CASE(REMOVAL_WAIT_REGISTRATION, f.node = NO; f.phase = POD_PENDING; f.stuck = true;
		f.halted = true; f.halted_for_ms = HALTED_FRESH_MS + 1;
		f.absent_for_ms = START_GRACE_MS - 1);
	CASE(REMOVAL_WAIT_REGISTRATION, f.node = NO; f.phase = POD_PENDING; f.stuck = true;
		f.absent_for_ms = START_GRACE_MS - 1);
	CASE(REMOVAL_WAIT_REGISTRATION, f.node = NO; f.phase = POD_PHASE_UNKNOWN);
	CASE(REMOVAL_WAIT_SLURM, f.node = NO; f.absent_for_ms = ABSENT_GRACE_MS; f.usable = false);
}

static void of_a_pod_that_has_no_work(void)
{
	struct removal_facts f;
	CASE(REMOVAL_UNBOUND, f.phase = POD_PENDING; f.bound = false; f.usable = false);
	CASE(REMOVAL_WAIT_SLURM, f.phase = POD_PENDING; f.usable = false);
	CASE(REMOVAL_ENDED, f.phase = POD_FAILED; f.usable = false);
	CASE(REMOVAL_ENDED, f.phase = POD_SUCCEEDED; f.usable = false);
	CASE(REMOVAL_WAIT_ACTION, f.phase = POD_FAILED; f.in_flight = true);
	CASE(REMOVAL_RELEASED, f.release_now = true; f.usable = false);
	CASE(REMOVAL_WAIT_KUBE, f.release_now = true; f.kube_age_ms = KUBE_FRESH_MS + 1);
	CASE(REMOVAL_RELEASED, f.release_now = true; f.kube_age_ms = KUBE_FRESH_MS);
	CASE(REMOVAL_WAIT_KUBE, f.kube_age_ms = KUBE_FRESH_MS + 1);
	CASE(REMOVAL_ENDED, f.phase = POD_FAILED; f.kube_age_ms = KUBE_FRESH_MS + 1);
	CASE(REMOVAL_UNBOUND, f.phase = POD_PENDING; f.bound = false;
		f.kube_age_ms = KUBE_FRESH_MS + 1);
	CASE(REMOVAL_WAIT_ACTION, f.release_now = true; f.in_flight = true);
}

static void of_a_pod_that_slurm_says_nothing_of(void)
{
	struct removal_facts f;
#define SILENT f.usable = false
#define UNSTARTED                            \
	SILENT;                              \
	f.phase = POD_PENDING;               \
	f.unstarted = f.needs_secret = true; \
	f.seen_for_ms = UNSTARTED_MS
#define HALTED                            \
	SILENT;                           \
	f.halted = true;                  \
	f.ended_for_ms = HALTED_ENDED_MS; \
	f.halted_for_ms = HALTED_FRESH_MS
	CASE(REMOVAL_UNSTARTED, UNSTARTED);
	CASE(REMOVAL_UNSTARTED, UNSTARTED; f.usable = true; f.node = UNKNOWN);
	CASE(REMOVAL_WAIT_SLURM, UNSTARTED; f.needs_secret = false);
	CASE(REMOVAL_WAIT_SLURM, UNSTARTED; f.unstarted = false);
	CASE(REMOVAL_WAIT_SLURM, UNSTARTED; f.registered = true);
	CASE(REMOVAL_WAIT_SLURM, UNSTARTED; f.phase = POD_RUNNING);
	CASE(REMOVAL_WAIT_SLURM, UNSTARTED; f.seen_for_ms = UNSTARTED_MS - 1);
	CASE(REMOVAL_WAIT_NAME, UNSTARTED; f.ambiguous = true);
	CASE(REMOVAL_WAIT_KUBE, UNSTARTED; f.kube_age_ms = KUBE_FRESH_MS + 1);
	CASE(REMOVAL_HALTED, HALTED);
	CASE(REMOVAL_WAIT_SLURM, HALTED; f.halted = false);
	CASE(REMOVAL_WAIT_SLURM, HALTED; f.ended_for_ms = HALTED_ENDED_MS + 1);
	CASE(REMOVAL_WAIT_SLURM, HALTED; f.ended_for_ms = -HALTED_AHEAD_MS - 1);
	CASE(REMOVAL_HALTED, HALTED; f.ended_for_ms = INT64_MAX; f.phase = POD_PENDING;
		f.unstarted = true);
	CASE(REMOVAL_WAIT_SLURM, HALTED; f.halted_for_ms = HALTED_FRESH_MS + 1);
	CASE(REMOVAL_WAIT_SLURM, HALTED; f.halted_for_ms = -1);
	CASE(REMOVAL_WAIT_SLURM, HALTED; f.registered = true);
	CASE(REMOVAL_WAIT_CORDON, HALTED; f.cordoned = false);
	/* The state of the node in Slurm counts, as soon as Slurm has one */
	CASE(REMOVAL_WAIT_DRAIN, HALTED; f.usable = true);
	CASE(REMOVAL_WAIT_JOBS, UNSTARTED; f.usable = true; f.state = NODE_ALLOCATED | NODE_DRAIN);
#undef SILENT
#undef UNSTARTED
#undef HALTED
}

static void test_decide_removal_table(void **state)
{
	(void)state;
	struct removal_facts f;
	CASE(REMOVAL_WAIT_DRAIN, (void)0);
	CASE(REMOVAL_DRAINED, f.state = NODE_DOWN | NODE_DRAIN);
	CASE(REMOVAL_WAIT_SLURM, f.state = NODE_UNKNOWN | NODE_DRAIN);
	CASE(REMOVAL_WAIT_SLURM, f.state = NODE_DRAIN);
	CASE(REMOVAL_WAIT_JOBS, f.state = NODE_ALLOCATED | NODE_DRAIN);
	CASE(REMOVAL_WAIT_JOBS, f.state = NODE_MIXED | NODE_DRAIN);
	CASE(REMOVAL_WAIT_JOBS, f.state = NODE_IDLE | NODE_COMPLETING | NODE_DRAIN);
	CASE(REMOVAL_WAIT_DRAIN, f.state = NODE_IDLE | NODE_DRAIN | NODE_UNDRAIN);
	CASE(REMOVAL_WAIT_DRAIN, f.state = NODE_DOWN);
	CASE(REMOVAL_WAIT_SLURM, f.node = UNKNOWN);
	of_a_drained_node();
	of_a_node_that_slurm_has_not();
	of_a_pod_that_has_no_work();
	of_a_pod_that_slurm_says_nothing_of();
}
#undef CASE

/* ---- at the backend ---- */

static const struct removal_answer free_by_now = {
	.looked = true,
	.usable = true,
	.node = YES,
	.age_ms = 100,
	.state = DRAINED,
	.held = NO,
	.jobs_asked_ms = 200,
	.free_since_ms = 100,
	.confirmed = true,
};

#define CASE(expected, ...)                                        \
	do {                                                       \
		f = running;                                       \
		f.state = DRAINED;                                 \
		a = free_by_now;                                   \
		__VA_ARGS__;                                       \
		assert_int_equal(removal_holds(&f, &a), expected); \
	} while (0)

/* Acceptance: rule-1 */
static void test_a_drained_node_is_still_so_at_the_door(void **state)
{
	struct removal_facts f;
	struct removal_answer a;
	(void)state;
	CASE(true, (void)0);
	CASE(false, a.looked = false);
	CASE(false, a.usable = false);
	CASE(false, f.usable = false);
	CASE(false, a.node = NO);
	CASE(false, a.node = NO; a.absent_for_ms = f.absent_for_ms = START_GRACE_MS);
	CASE(false, a.node = UNKNOWN);
	CASE(false, a.ambiguous = true);
	CASE(false, a.update_in_flight = true);
	CASE(false, a.age_ms = SLURM_FRESH_MS + 1);
	CASE(false, a.age_ms = -1);
	CASE(false, a.state = NODE_IDLE);
	CASE(false, a.state = NODE_ALLOCATED | NODE_DRAIN);
	CASE(false, a.held = YES);
	CASE(false, a.held = UNKNOWN);
	CASE(false, a.free_since_ms = 0);
	CASE(false, a.free_since_ms = 201);
	CASE(false, a.jobs_age_ms = JOBS_FRESH_MS + 1);
	CASE(false, a.confirmed = false);
	CASE(false, a.kube_age_ms = KUBE_FRESH_MS + 1);
	CASE(false, f.state = NODE_IDLE); /* it was never permitted */
	CASE(false, f.cordoned = false);
	CASE(false, f.phase = POD_FAILED); /* what does not rely on Slurm has no look */
	CASE(true, f.by_list = true; a.list_age_ms = SLURM_FRESH_MS);
	CASE(false, f.by_list = true; a.list_age_ms = SLURM_FRESH_MS + 1);
}

/* Acceptance: rule-1 */
static void test_an_absent_node_is_still_so_at_the_door(void **state)
{
	struct removal_facts f;
	struct removal_answer a;
	(void)state;
#define ABSENT                                  \
	f.node = a.node = NO;                   \
	f.absent_for_ms = ABSENT_GRACE_MS;      \
	a.absent_for_ms = 5 * ABSENT_GRACE_MS;  \
	f.list_waited_ms = ABSENT_GRACE_MS;     \
	a.list_waited_ms = 5 * ABSENT_GRACE_MS; \
	f.by_list = true
	CASE(true, ABSENT);
	CASE(true, ABSENT; a.confirmed = false; a.held = UNKNOWN; a.free_since_ms = 0);
	CASE(false, ABSENT; a.node = YES); /* drained, even */
	CASE(false, ABSENT; a.looked = false);
	CASE(false, ABSENT; a.ambiguous = true);
	CASE(false, ABSENT; f.lost_work = true);
	CASE(false, ABSENT; a.absent_for_ms = 0); /* it came and went meanwhile */
	CASE(false, ABSENT; a.list_waited_ms = 0);
	CASE(false, ABSENT; a.list_age_ms = SLURM_FRESH_MS + 1);
#define FAILED_TO_COME         \
	f.phase = POD_PENDING; \
	f.stuck = f.halted = true
	CASE(true, ABSENT; FAILED_TO_COME; a.halted_for_ms = HALTED_FRESH_MS);
	CASE(false, ABSENT; FAILED_TO_COME; a.halted_for_ms = HALTED_FRESH_MS + 1);
#undef FAILED_TO_COME
#undef ABSENT
}
#undef CASE

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide_removal_table),
		cmocka_unit_test(test_a_drained_node_is_still_so_at_the_door),
		cmocka_unit_test(test_an_absent_node_is_still_so_at_the_door),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
