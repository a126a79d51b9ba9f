/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a partition in Slurm: on its Node, and for submissions that it refuses. */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "object/condition.h"
#include "plan/vnode/partition.h"

#define W struct vnode_world *w = *state
#define FAILS "SubmitJob: sbatch: Batch job submission failed: "
#define NO_NODES FAILS "Requested node configuration is not available"

/* "value:effect" of the taint; "": there is none. */
static const char *taint(struct vnode_world *w, const char *key)
{
	static char text[100];
	text[0] = 0;
	struct json_iter it = json_iter(json_at(json_root(w->node), "spec", "taints"));
	while (json_next(&it)) {
		assert_string_not_equal(json_str(json_get(it.value, "effect"), ""), "NoExecute");
		if (str_eq(json_str(json_get(it.value, "key"), ""), key))
			snprintf(text, sizeof(text), "%s:%s",
				json_str(json_get(it.value, "value"), ""),
				json_str(json_get(it.value, "effect"), ""));
	}
	return text;
}

static const char *label(struct vnode_world *w, const char *key)
{
	return json_str(json_get(json_at(json_root(w->node), "metadata", "labels"), key), "(none)");
}

static const char *of_condition(struct vnode_world *w, const char *type, const char *member)
{
	const struct json *c = condition_find(json_at(json_root(w->node), "status", "conditions"),
		type);
	return json_str(json_get(c, member), "(none)");
}

#define OPEN { "UP", 2, 2, false, false, "", "", "", "", "" }

static const struct {
	struct wlm_partition now;
	const char *taint, *status, *reason, *says;
} states[] = {
	{ OPEN, "", "True", "PartitionUp", "partition debug of Slurm hpc starts jobs" },
	{ { "DOWN", 2, 2, false, false, "", "", "", "", "" }, "partition-down:NoSchedule", "False",
		"PartitionDown", "is DOWN: Slurm starts no job there" },
	{ { "DRAIN", 2, 2, false, false, "", "", "", "", "" }, "partition-drain:NoSchedule",
		"False", "PartitionDrain", "takes no new job" },
	{ { "INACTIVE", 2, 2, false, false, "", "", "", "", "" }, "partition-inactive:NoSchedule",
		"False", "PartitionInactive", "takes and starts no job" },
	{ { "UP", 2, 2, true, false, "", "", "", "", "" }, "root-only:NoSchedule", "False",
		"RootOnly", "for root alone" },
	{ { "UP", 0, 0, false, false, "", "", "", "", "" }, "no-nodes:PreferNoSchedule", "False",
		"NoNodes", "has no node at the moment" },
	{ { "UP", 2, 0, false, false, "", "", "", "", "" }, "nodes-down:PreferNoSchedule", "False",
		"NodesDown", "no node that runs jobs" },
	/* not known is neither up nor down */
	{ { "UP", 2, -1, false, false, "", "", "", "", "" }, "", "True", "PartitionUp", "starts" },
	{ { "UP", -1, -1, false, false, "", "", "", "", "" }, "", "True", "PartitionUp", "starts" },
	{ { "HALF", 2, 2, true, false, "", "", "", "", "" }, "", "Unknown", "NotReported",
		"is unknown here" },
};

/* Acceptance: vnode-26 */
static void test_each_state_has_its_taint_and_its_sentence(void **state)
{
	W;
	for (size_t i = 0; i < LENGTH(states); i++) {
		w->resources.now = &states[i].now;
		when_time_passed(w, 15000);
		assert_string_equal(taint(w, TAINT_UNAVAILABLE), states[i].taint);
		assert_string_equal(taint(w, TAINT_PROVIDER), "wlm:NoSchedule");
		assert_string_equal(label(w, LABEL_PARTITION_STATE), states[i].now.state);
		const char *type = CONDITION_PARTITION_AVAILABLE;
		assert_string_equal(of_condition(w, type, "status"), states[i].status);
		assert_string_equal(of_condition(w, type, "reason"), states[i].reason);
		if (!strstr(of_condition(w, type, "message"), states[i].says))
			fail_msg("%s", of_condition(w, type, "message"));
		assert_string_equal(of_condition(w, "Ready", "status"), "True");
	}
}

static const struct {
	struct wlm_partition now;
	const char *says;
} lists[] = {
	{ { "UP", 2, 2, false, false, "a2,root", "", "", "", "" },
		"partition debug of Slurm hpc takes jobs of the accounts a2, root only "
		"(AllowAccounts): Slurm refuses other jobs, or lets them wait for ever; " },
	{ { "UP", 2, 2, false, false, "", "a1", "", "", "q1" },
		" takes no jobs of the accounts a1 (DenyAccounts), no jobs of the QOS q1 "
		"(DenyQos)" },
	{ { "UP", 2, 2, false, false, "", "", "games", "normal,q1", "" },
		" takes jobs of the Unix groups games only (AllowGroups), jobs of the QOS normal, "
		"q1 only (AllowQos): " },
	{ { "UP", 2, 2, false, true, "", "", "", "", "" },
		" takes jobs with a reservation only (ReqResv): " },
};

/* Acceptance: vnode-27 */
static void test_who_may_use_it_is_said_and_another_partition_preferred(void **state)
{
	static const struct wlm_partition open = OPEN;
	W;
	const char *type = CONDITION_PARTITION_RESTRICTED;
	for (size_t i = 0; i < LENGTH(lists); i++) {
		w->resources.now = &lists[i].now;
		when_time_passed(w, 15000);
		assert_string_equal(taint(w, TAINT_RESTRICTED), "true:PreferNoSchedule");
		assert_string_equal(taint(w, TAINT_UNAVAILABLE), "");
		assert_string_equal(label(w, LABEL_PARTITION_RESTRICTED), "true");
		assert_string_equal(of_condition(w, type, "status"), "True");
		if (!strstr(of_condition(w, type, "message"), lists[i].says))
			fail_msg("%s", of_condition(w, type, "message"));
	}
	w->resources.now = &open;
	when_time_passed(w, 15000);
	assert_string_equal(taint(w, TAINT_RESTRICTED), "");
	assert_string_equal(label(w, LABEL_PARTITION_RESTRICTED), "false");
	assert_string_equal(of_condition(w, type, "status"), "False");
}

/* Unknown is unknown, and not UP. */
/* Acceptance: vnode-26 */
static void test_an_older_red_box_says_nothing_of_the_partition(void **state)
{
	W;
	assert_string_equal(taint(w, TAINT_UNAVAILABLE), "");
	assert_string_equal(label(w, LABEL_PARTITION_STATE), "(none)");
	assert_string_equal(of_condition(w, CONDITION_PARTITION_AVAILABLE, "status"), "Unknown");
	assert_string_equal(of_condition(w, CONDITION_PARTITION_RESTRICTED, "status"), "Unknown");
	/* and after a newer one its words go */
	w->resources.now = &states[1].now;
	when_time_passed(w, 15000);
	assert_string_equal(label(w, LABEL_PARTITION_STATE), "DOWN");
	w->resources.now = NULL;
	when_time_passed(w, 15000);
	assert_string_equal(label(w, LABEL_PARTITION_STATE), "(none)");
	assert_string_equal(taint(w, TAINT_UNAVAILABLE), "");
	int writes = w->node_writes;
	when_time_passed(w, 60000);
	assert_int_equal(w->node_writes, writes);
}

static void test_the_taint_stays_while_a_process_starts_and_red_box_is_away(void **state)
{
	W;
	w->resources.now = &states[1].now;
	when_time_passed(w, 15000);
	int writes = w->node_writes;
	when_killed(w);
	when_begun(w);
	when_time_passed(w, 15000);
	assert_string_equal(taint(w, TAINT_UNAVAILABLE), "partition-down:NoSchedule");
	assert_in_range(w->node_writes, writes, writes + 1); /* its status alone */
	w->down = true;
	when_time_passed(w, 40000);
	assert_string_equal(taint(w, TAINT_UNAVAILABLE), "red-box-away:NoSchedule");
	assert_string_equal(of_condition(w, CONDITION_PARTITION_AVAILABLE, "status"), "Unknown");
	w->down = false;
	when_time_passed(w, 20000);
	assert_string_equal(taint(w, TAINT_UNAVAILABLE), "partition-down:NoSchedule");
}

/* Acceptance: vnode-26 */
static void test_jobs_that_are_there_are_not_touched(void **state)
{
	W;
	given_a_running_job(w);
	for (size_t i = 0; i < LENGTH(states); i++) {
		w->resources.now = &states[i].now;
		when_time_passed(w, 15000);
		then_phase(w, "cow", "Running");
	}
	assert_int_equal(w->cancels, 0);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
}

/* ---- refusals ---- */

static const struct {
	enum err_kind kind;
	const char *says;
	const struct wlm_partition *now; /* NULL: not known */
	bool final;
} refusals[] = {
	{ ERR_INVALID, NO_NODES, &states[0].now, true },
	{ ERR_INVALID, NO_NODES, NULL, true },
	{ ERR_INVALID, NO_NODES, &states[5].now, false },
	{ ERR_INVALID, NO_NODES, &states[6].now, false },
	{ ERR_INVALID, FAILS "More processors requested than permitted", &states[5].now, false },
	{ ERR_INVALID, FAILS "More processors requested than permitted", &states[0].now, true },
	{ ERR_DENIED, FAILS "Access/permission denied", &states[4].now, true },
	{ ERR_DENIED, "the token is too old", &states[0].now, false },
	{ ERR_INVALID, FAILS "Invalid partition name specified", &states[0].now, false },
	{ ERR_LOST, FAILS "Required partition not available (inactive or drain)", NULL, false },
	{ ERR_INVALID, FAILS "MaxJobCount limit reached", NULL, false }, /* an older red-box */
	{ ERR_INVALID, "SubmitJob: sbatch: unrecognized option '--nope'", &states[5].now, true },
	{ ERR_INVALID, FAILS "Invalid qos specification", NULL, true },
	{ ERR_LOST, FAILS "Invalid qos specification", NULL, false },
};

/* Acceptance: vnode-28 */
static void test_a_refusal_is_for_good_or_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(refusals); i++)
		if (vrefusal_is_final(err_new(refusals[i].kind, "%s", refusals[i].says),
			    refusals[i].now) != refusals[i].final)
			fail_msg("row %zu: %s", i, refusals[i].says);
}

/* Acceptance: vnode-28 */
static void test_a_partition_without_a_node_fails_no_job(void **state)
{
	W;
	w->resources.now = &states[5].now;
	when_time_passed(w, 15000);
	w->submit_fails = ERR_INVALID;
	w->submit_says = NO_NODES;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 600000);
	then_phase(w, "cow", "Pending");
	assert_true(event_was_told(w, "SubmissionDelayed"));
	/* it is submitted when a node comes, and not minutes later */
	w->submit_fails = ERR_NONE;
	w->resources.now = &states[0].now;
	when_time_passed(w, 15000);
	assert_int_equal(w->sbatches, 1);
	then_phase(w, "cow", "Pending");
}

/* The last node went a moment ago, and the virtual node has not heard of that yet. */
/* Acceptance: vnode-28 */
static void test_news_of_before_a_refusal_fail_no_job(void **state)
{
	W;
	w->resources.now = &states[0].now;
	when_time_passed(w, 15000);
	w->resources.now = &states[5].now;
	w->submit_fails = ERR_INVALID;
	w->submit_says = NO_NODES;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 600000);
	then_phase(w, "cow", "Pending");
	w->submit_fails = ERR_NONE;
	w->resources.now = &states[0].now;
	when_time_passed(w, 15000);
	assert_int_equal(w->sbatches, 1);
}

/* Acceptance: vnode-28 */
static void test_what_its_nodes_do_not_suffice_for_is_for_good(void **state)
{
	W;
	w->resources.now = &states[0].now;
	when_time_passed(w, 15000);
	w->submit_fails = ERR_INVALID;
	w->submit_says = NO_NODES;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 40000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "SubmissionRefused");
	assert_in_range(w->submits, 2, 6);
}

static void test_root_only_is_for_good(void **state)
{
	W;
	w->submit_fails = ERR_DENIED;
	w->submit_says = FAILS "Access/permission denied";
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "SubmissionRefused");
	assert_int_equal(w->submits, 1);
}

/* 1 s, 2 s, 4 s, ..., up to three minutes: 8 submissions in the first 4 minutes. */
/* Acceptance: vnode-28 */
static void test_a_refusal_for_now_is_tried_later_and_later(void **state)
{
	W;
	w->submit_fails = ERR_LOST;
	w->submit_says = FAILS "Job violates accounting/QOS policy (job submit limit, ...";
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 300000);
	assert_in_range(w->submits, 7, 9);
	int submits = w->submits;
	when_time_passed(w, 1800000);
	assert_in_range(w->submits - submits, 9, 11); /* every three minutes */
	w->submit_fails = ERR_NONE;
	when_time_passed(w, 190000);
	assert_int_equal(w->sbatches, 1);
}

static void test_a_deletion_does_not_wait_for_a_pause(void **state)
{
	W;
	w->submit_fails = ERR_LOST;
	w->submit_says = FAILS "Job violates accounting/QOS policy";
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 900000);
	given_no_owner(w, "cow");
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 75000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->sbatches, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_each_state_has_its_taint_and_its_sentence),
		VNODE_TEST(test_who_may_use_it_is_said_and_another_partition_preferred),
		VNODE_TEST(test_an_older_red_box_says_nothing_of_the_partition),
		VNODE_TEST(test_the_taint_stays_while_a_process_starts_and_red_box_is_away),
		VNODE_TEST(test_jobs_that_are_there_are_not_touched),
		cmocka_unit_test(test_a_refusal_is_for_good_or_passes),
		VNODE_TEST(test_a_partition_without_a_node_fails_no_job),
		VNODE_TEST(test_news_of_before_a_refusal_fail_no_job),
		VNODE_TEST(test_what_its_nodes_do_not_suffice_for_is_for_good),
		VNODE_TEST(test_root_only_is_for_good),
		VNODE_TEST(test_a_refusal_for_now_is_tried_later_and_later),
		VNODE_TEST(test_a_deletion_does_not_wait_for_a_pause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
