/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deletion that relies on Slurm: its node is looked at right before it is sent, and
 * what is seen must permit it.
 */
#include "engine/removal.h"
#include "lib/executor_scene.h"

#define STATE(name, state)                            \
	"{\"name\":\"" name "\",\"hostname\":\"" name \
	"\",\"address\":\"10.0.0.1\",\"state\":[" state "]}"
#define FREE STATE("foo-0", "\"IDLE\",\"DRAIN\"")
#define POD                                                                     \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-0\",\"uid\":\"u\"," \
	"\"resourceVersion\":\"3\"},\"status\":{\"phase\":\"Running\"}}"

#define SCENE(s, world)                                  \
	struct scene s AUTO(scene_end) = { .w = world }; \
	given_scene(&s)

static const struct object_ref about = { RES_NODESET, "ns", "foo", "set" };

/* The facts of the plan. */
static const struct removal_facts drained = {
	.phase = POD_RUNNING,
	.bound = true,
	.cordoned = true,
	.usable = true,
	.node = YES,
	.state = NODE_IDLE | NODE_DRAIN,
	.held = NO,
	.jobs_asked_ms = 1,
	.free_since_ms = 1,
	.at_its_address = true,
};
static const struct removal_facts absent = {
	.phase = POD_RUNNING,
	.bound = true,
	.cordoned = true,
	.usable = true,
	.node = NO,
	.absent_for_ms = ABSENT_GRACE_MS,
};

/*
 * Slurm says that foo-0 is drained, idle and held by no job; the deletion of its pod is
 * ordered.
 */
static void given_scene(struct scene *s)
{
	struct json_doc *doc = NULL;
	scene_begin(s);
	assert_false(failed(json_parse(POD, strlen(POD), SIZE_MAX, &doc)));
	store_put(s->store, RES_POD, json_root(doc));
	json_free(doc);
	s->w->nodes = s->w->one = NODES(FREE);
	given_up(s->w);
	slurm_link_demand(s->w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_AT_REST },
			.of[ASK_JOBS] = { .at_ms = s->w->loop.now_ms } });
	when_passed(s->w, 1000);
	assert_int_equal(node(s->w, "foo-0").held, NO);
	struct action *a = plan_add(&s->plan, DO(DELETE, POD), "deleting pod foo-0");
	a->ns = "ns";
	a->name = "foo-0";
	a->guard = (struct guard){
		.uid = "u",
		.resource_version = "3",
		.node = { "foo-0", "10.0.0.1" },
		.removal = &drained,
		.removal_ms = s->w->loop.now_ms,
	};
}

static struct http_call *deletion(struct scene *s) { return fake_open(&s->w->api, "DELETE "); }

static struct http_call *look(struct scene *s) { return fake_open(&s->w->rest, "/node/foo-0"); }

static void when_ordered(struct scene *s) { executor_run(s->x, &s->plan, &about, "slurm"); }

static void then_it_is_given_up(struct scene *s)
{
	assert_null(deletion(s));
	assert_int_equal(executor_in_flight(s->x), 0);
	assert_int_equal(s->outcomes, 1);
	assert_false(store_get(s->store, RES_POD, "ns", "foo-0")->in_flight);
}

/* Acceptance: removal-14 */
static void test_the_node_is_looked_at_before_its_pod_is_deleted(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	assert_null(deletion(&s));
	assert_non_null(look(&s));
	assert_true(store_get(s.store, RES_POD, "ns", "foo-0")->in_flight);
	answer(s.w, look(&s), 200, NODES(FREE));
	assert_non_null(deletion(&s));
	assert_non_null(strstr(deletion(&s)->body, "\"resourceVersion\":\"3\""));
}

static void test_a_node_that_was_resumed_meanwhile_keeps_its_pod(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	answer(s.w, look(&s), 200, NODES(STATE("foo-0", "\"IDLE\"")));
	then_it_is_given_up(&s);
}

static void test_a_node_that_is_not_there_any_more_was_not_what_was_decided_on(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	answer(s.w, look(&s), 200, NO_SUCH_NODE);
	then_it_is_given_up(&s);
}

static void test_a_node_that_has_come_meanwhile_keeps_its_pod(void **state)
{
	SCENE(s, *state);
	s.plan.actions[0].guard.removal = &absent;
	when_ordered(&s);
	answer(s.w, look(&s), 200, NODES(STATE("foo-0", "\"IDLE\"")));
	then_it_is_given_up(&s);
}

/* The plan must say by which facts it ordered the deletion, and they must permit it. */
/* Acceptance: rule-1 */
static void test_a_deletion_without_facts_that_permit_it_is_not_sent(void **state)
{
	static const struct removal_facts busy = { .phase = POD_RUNNING, .bound = true };
	const struct removal_facts *const facts[] = { NULL, &busy };
	for (size_t i = 0; i < LENGTH(facts); i++) {
		SCENE(s, *state);
		s.plan.actions[0].guard.removal = facts[i];
		when_ordered(&s);
		answer(s.w, look(&s), 200, NODES(FREE));
		then_it_is_given_up(&s);
	}
}

/* An API server that has said nothing for minutes may have been told other wishes. */
/* Acceptance: rule-1 */
static void test_facts_of_kubernetes_grow_old_while_it_is_looked(void **state)
{
	struct removal_facts old = drained;
	SCENE(s, *state);
	old.kube_age_ms = KUBE_FRESH_MS - 500;
	s.plan.actions[0].guard.removal = &old;
	when_ordered(&s);
	s.w->loop.now_ms += 501;
	answer(s.w, look(&s), 200, NODES(FREE));
	then_it_is_given_up(&s);
}

static void test_a_look_that_fails_deletes_nothing(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	fake_fail(look(&s), ERR_LOST);
	then_it_is_given_up(&s);
}

/*
 * The world has gone on: it is planned anew, and what that look has seen is good for the
 * next order.
 */
static void test_after_a_slow_look_it_is_decided_anew(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	struct http_answer slow = { 200, NODES(FREE), strlen(NODES(FREE)), s.w->loop.now_ms, -1 };
	s.w->loop.now_ms += 1500;
	fake_end(look(&s), OK, &slow);
	then_it_is_given_up(&s);
	s.w->loop.now_ms += 100;
	when_ordered(&s);
	assert_null(look(&s));
	assert_non_null(deletion(&s));
}

static void test_a_link_that_goes_while_it_looks_gives_the_place_back(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	slurm_link_set(s.w->link, "http://other:6820", "t");
	then_it_is_given_up(&s);
}

/* Orders deletions that rely on a node which was looked at a moment ago. */
static int when_many_are_ordered(struct scene *s, const char *ns, int n)
{
	struct plan plan = { .arena = &s->arena };
	const struct object_ref other = { RES_NODESET, ns, "foo", ns };
	int before = executor_in_flight(s->x);
	for (int i = 0; i < n; i++) {
		struct action *a = plan_add(&plan, DO(DELETE, POD), "deleting a pod");
		a->ns = arena_strdup(&s->arena, ns);
		a->name = arena_printf(&s->arena, "%s-%d", ns, i);
		a->guard = s->plan.actions[0].guard;
	}
	executor_run(s->x, &plan, &other, "slurm");
	return executor_in_flight(s->x) - before;
}

/* Acceptance: removal-4 */
static void test_deletions_that_rely_on_slurm_have_a_share_by_namespace(void **state)
{
	SCENE(s, *state);
	when_ordered(&s);
	answer(s.w, look(&s), 200, NODES(FREE));
	assert_int_equal(when_many_are_ordered(&s, "a", 400), 159); /* half of 320 less that one */
	assert_int_equal(when_many_are_ordered(&s, "b", 400), 80);
	for (int i = 0; i < 6; i++) {
		char ns[] = "c0";
		ns[1] = (char)('0' + i);
		assert_true(when_many_are_ordered(&s, ns, 400) >= 8);
	}
	assert_int_equal(when_many_are_ordered(&s, "a", 1), 0);
}

#define RUNS_7                                                                            \
	"{\"jobs\":[{\"job_id\":7,\"state\":[\"RUNNING\"]}],\"errors\":[],\"warnings\":[" \
	"]}"
#define ON_N9                                                                                    \
	"{\"jobs\":[{\"job_id\":7,\"job_state\":[\"RUNNING\"],\"nodes\":\"n9\"}],\"errors\":[]," \
	"\"warnings\":[]}"

static void when_asked_for(struct scene *s, bool jobs)
{
	slurm_link_demand(s->w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_JOBS] = { .at_ms = jobs ? s->w->loop.now_ms : 0 } });
	when_passed(s->w, 0);
}

/*
 * Job 7 runs on n9 as far as the operator has read, and has foo-0 by now: it was resized,
 * or requeued to begin at once. It stood suspended when the list of nodes was made, and
 * has been resumed since.
 */
static void given_a_list_from_before_the_jobs(struct scene *s)
{
	s->w->jobs = RUNS_7;
	s->w->job = ON_N9;
	when_asked_for(s, true);
	s->w->nodes = NODES(STATE("foo-0", "\"ALLOCATED\",\"DRAIN\""));
	when_asked_for(s, false);
	when_passed(s->w, 1000);
	s->w->nodes = NODES(FREE);
	while (!node(s->w, "foo-0").free_since_ms)
		when_passed(s->w, 0);
	when_asked_for(s, true);
	struct slurm_node_fact f = node(s->w, "foo-0");
	assert_true(slurm_link_slurm(s->w->link).jobs_seen_ms >= f.free_since_ms);
	assert_int_equal(f.held, NO);
	assert_true(s->w->loop.now_ms - f.named_ms < 1000);
}

static void test_a_list_from_before_the_jobs_is_no_look(void **state)
{
	SCENE(s, *state);
	given_a_list_from_before_the_jobs(&s);
	when_ordered(&s);
	assert_null(deletion(&s));
	answer(s.w, look(&s), 200, NODES(STATE("foo-0", "\"ALLOCATED\",\"DRAIN\"")));
	then_it_is_given_up(&s);
}

static void test_a_list_from_behind_the_jobs_is_a_look(void **state)
{
	SCENE(s, *state);
	given_a_list_from_before_the_jobs(&s);
	when_passed(s.w, 1000);
	when_ordered(&s);
	assert_null(look(&s));
	assert_non_null(deletion(&s));
}

/* The pod that has the name now would be deleted. */
/* Acceptance: removal-2 */
static void test_a_pod_is_never_deleted_by_its_name_alone(void **state)
{
	static const struct guard guards[] = {
		{ .uid = "u" },
		{ .resource_version = "3" },
		{ .uid = "", .resource_version = "3" },
		{ .uid = NULL },
	};
	for (size_t i = 0; i < LENGTH(guards); i++) {
		SCENE(s, *state);
		s.plan.actions[0].guard = guards[i];
		when_ordered(&s);
		assert_null(deletion(&s));
		assert_int_equal(s.outcomes, 1);
		assert_int_equal(executor_in_flight(s.x), 0);
		assert_false(store_get(s.store, RES_POD, "ns", "foo-0")->in_flight);
	}
}

/* Slurm takes two at a time; one that does not answer keeps each for half a minute. */
static void test_few_comments_of_an_object_are_under_way(void **state)
{
	SCENE(s, *state);
	s.plan = (struct plan){ .arena = &s.arena };
	for (int i = 0; i < 40; i++) {
		struct action *a = plan_add(&s.plan, DO(COMMENT, SLURM_NODE), "names its pod");
		const char **node = arena_array(&s.arena, const char *, 1);
		node[0] = arena_printf(&s.arena, "foo-%d", i);
		a->ns = "ns";
		a->name = "slurm";
		a->nodes = node;
		a->n_nodes = 1;
		a->text = "{}";
	}
	executor_run(s.x, &s.plan, &about, "slurm");
	assert_int_equal(executor_in_flight(s.x), 20);
	slurm_link_set(s.w->link, "http://other:6820", "t");
	assert_int_equal(executor_in_flight(s.x), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_few_comments_of_an_object_are_under_way),
		T(test_the_node_is_looked_at_before_its_pod_is_deleted),
		T(test_a_node_that_was_resumed_meanwhile_keeps_its_pod),
		T(test_a_node_that_is_not_there_any_more_was_not_what_was_decided_on),
		T(test_a_node_that_has_come_meanwhile_keeps_its_pod),
		T(test_a_deletion_without_facts_that_permit_it_is_not_sent),
		T(test_facts_of_kubernetes_grow_old_while_it_is_looked),
		T(test_a_look_that_fails_deletes_nothing),
		T(test_after_a_slow_look_it_is_decided_anew),
		T(test_a_link_that_goes_while_it_looks_gives_the_place_back),
		T(test_deletions_that_rely_on_slurm_have_a_share_by_namespace),
		T(test_a_list_from_before_the_jobs_is_no_look),
		T(test_a_list_from_behind_the_jobs_is_a_look),
		T(test_a_pod_is_never_deleted_by_its_name_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
