/* SPDX-License-Identifier: Apache-2.0 */
/* The rule about the pod that copies results, for all that can be known. */
#include "lib/test.h"
#include "plan/job/collect.h"

static struct collect_facts facts_of(unsigned bits, unsigned pod, unsigned state, unsigned server)
{
	return (struct collect_facts){
		.known = bits & 1,
		.asked = bits & 2,
		.begun = bits & 4,
		.faulty = bits & 8,
		.image = bits & 16,
		.of_failed = bits & 32,
		.done = bits & 64,
		.job_pod = bits & 128,
		.pod_busy = bits & 256,
		.moved = bits & 512,
		.due = bits & 1024,
		.end = (enum collect_end)(bits >> 11),
		.pod = (enum collect_pod)pod,
		.state = (enum collect_state)state,
		.server = (enum collect_server)server,
	};
}

static void then_is_sound(const struct collect_facts *f)
{
	enum collect_step step = decide_collect(f);
	bool wished = f->end == COLLECT_END_GOOD || (f->end == COLLECT_END_BAD && f->of_failed);
	if (step == COLLECT_CREATE)
		assert_true(f->known && f->asked && wished && f->image && !f->faulty && !f->done &&
			f->job_pod && f->pod == COLLECT_POD_NONE && f->due &&
			f->server == COLLECT_SERVER_THERE);
	if (step == COLLECT_DELETE)
		assert_true(f->pod == COLLECT_POD_OURS && !f->pod_busy && f->due &&
			(f->state == COLLECT_FAILED || (f->state == COLLECT_ACTIVE && f->moved)));
}

static void test_whatever_is_known_no_pod_is_made_beside_one_nor_a_stranger_deleted(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 3U << 11; bits++)
		for (unsigned rest = 0; rest < 4 * 4 * 3; rest++) {
			struct collect_facts f = facts_of(bits, rest % 4, rest / 4 % 4, rest / 16);
			then_is_sound(&f);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_whatever_is_known_no_pod_is_made_beside_one_nor_a_stranger_deleted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
