/* SPDX-License-Identifier: Apache-2.0 */
/* A namespace finds room for its jobs, however many calls another one has under way. */
#include "lib/vnode_world.h"

#include "virtual_node/parts.h"

#define W struct vnode_world *w = *state

static int calls_of(const struct vnode_world *w, enum wlm_request_kind kind)
{
	int n = 0;
	for (int i = 0; i < WORLD_CALLS; i++)
		n += w->calls[i].open && w->calls[i].kind == kind;
	return n;
}

/* Acceptance: vnode-17 */
static void test_a_namespace_has_one_call_in_any_case(void **state)
{
	W;
	when_time_passed(w, 3000);
	w->vnode->boxes[0].under_way = VROOM_CALLS; /* of others */
	given_a_job_in(w, "b", "dog", "SlurmJob");
	when_time_passed(w, 3000);
	assert_int_equal(w->sbatches, 1);
	slurm_job(w, "dog")->state = "RUNNING";
	when_time_passed(w, 4000);
	then_phase(w, "dog", "Running");
	w->vnode->boxes[0].under_way -= VROOM_CALLS;
}

static void test_a_namespace_without_room_is_heard_of(void **state)
{
	W;
	when_time_passed(w, 3000);
	w->vnode->boxes[0].under_way = VROOM_CALLS;
	w->holds = true;
	given_a_job_in(w, "b", "dog", "SlurmJob");
	given_a_job_in(w, "b", "owl", "SlurmJob");
	when_time_passed(w, 3000);
	assert_int_equal(calls_of(w, WLM_SUBMIT_JOB), 1); /* the other one waits */
	const struct pod_space *b = w->vnode->parts->pods->space;
	assert_string_equal(b->ns, "b");
	assert_true(pod_space_others_wait(w->vnode, NULL, VROOM_CALL));
	assert_false(pod_space_others_wait(w->vnode, b, VROOM_CALL));
	assert_false(pod_space_others_wait(w->vnode, NULL, VROOM_SLOT));
	w->vnode->boxes[0].under_way -= VROOM_CALLS;
	w->holds = false;
	when_time_passed(w, 3000);
	assert_int_equal(w->sbatches, 2);
	assert_false(pod_space_others_wait(w->vnode, NULL, VROOM_CALL));
}

/* A red-box that does not answer keeps no call of another one waiting. */
static void test_a_namespace_has_calls_of_each_red_box(void **state)
{
	W;
	when_killed(w);
	w->accounts = 1;
	when_begun(w);
	when_time_passed(w, 3000);
	struct pod_space *b = pod_space_of(w->vnode, "b");
	b->pods++;
	w->vnode->boxes[1].under_way = VROOM_CALLS;
	*pod_space_calls(b, &w->vnode->boxes[1]) = VROOM_CALLS;
	given_a_job_in(w, "b", "dog", "SlurmJob");
	when_time_passed(w, 3000);
	assert_int_equal(w->sbatches, 1);
	w->vnode->boxes[1].under_way = 0;
	*pod_space_calls(b, &w->vnode->boxes[1]) = 0;
	pod_space_leave(w->vnode, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_namespace_has_one_call_in_any_case),
		VNODE_TEST(test_a_namespace_without_room_is_heard_of),
		VNODE_TEST(test_a_namespace_has_calls_of_each_red_box),
	};
	return cmocka_run_group_tests_name("vnode_room", tests, NULL, NULL);
}
