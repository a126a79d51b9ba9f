/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces have accounts, each with a red-box of its own: a job runs as the account of
 * its namespace, and whatever is changed afterwards, it is one job, of that red-box.
 */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "base/metric.h"

#define W struct vnode_world *w = *state

enum { OWN, A1, A2 };

static const struct vnode_space of_team = { "hpc", "team", "a1" };
static const struct vnode_space of_other_team = { "hpc", "team", "a2" };
static const struct vnode_space of_the_own = { "hpc", "team", "" };

/* The process is started anew with these accounts. */
static void when_configured(struct vnode_world *w, int accounts, const struct vnode_space *space)
{
	when_killed(w);
	w->accounts = accounts;
	w->spaces = space;
	w->n_spaces = space ? 1 : 0;
	when_begun(w);
	when_time_passed(w, 3000);
}

static void given_a_job_of_the_team(struct vnode_world *w)
{
	when_configured(w, 2, &of_team);
	given_a_job_in(w, "team", "cow", "SlurmJob");
	when_time_passed(w, 3000);
	slurm_job(w, "cow")->state = "RUNNING";
	when_time_passed(w, 4000);
	then_phase(w, "cow", "Running");
}

/* "True a1" of its condition */
static void then_noted(struct vnode_world *w, const char *what)
{
	AUTO(own_free) char *pod = pod_json(w, "cow");
	const char *at = strstr(pod, CONDITION_JOB_KEY);
	char status[16] = "", reason[16] = "", text[40];
	assert_non_null(at);
	sscanf(strstr(at, "\"status\":\""), "\"status\":\"%15[^\"]", status);
	sscanf(strstr(at, "\"reason\":\""), "\"reason\":\"%15[^\"]", reason);
	snprintf(text, sizeof(text), "%s %s", status, reason);
	assert_string_equal(text, what);
}

/* Acceptance: vnode-15 */
static void test_a_job_runs_as_the_account_of_its_namespace(void **state)
{
	W;
	given_a_job_of_the_team(w);
	given_a_job_in(w, "else", "dog", "SlurmJob");
	when_time_passed(w, 3000);
	assert_int_equal(slurm_job(w, "cow")->box, A1);
	assert_int_equal(slurm_job(w, "dog")->box, OWN);
	then_noted(w, "True a1");
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ACCOUNT), "a1");
	assert_string_equal(pod_note(w, "dog", ANNOTATION_JOB_ACCOUNT), "");
	struct kubelet_pod shown;
	assert_true(vnode_find(w->vnode, "team", "cow-job", &shown));
	assert_ptr_equal(shown.red_box, &w->boxes[A1]);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 25000);
	assert_false(pod_is_there(w, "cow"));
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
	assert_int_equal(w->sbatches, 2);
}

/* Acceptance: vnode-15 */
static void test_a_job_stays_with_its_account_when_its_namespace_gets_another(void **state)
{
	W;
	given_a_job_of_the_team(w);
	when_configured(w, 2, &of_other_team);
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
	assert_int_equal(w->boxes[A2].asked, 0);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
}

/* Acceptance: vnode-15 */
static void test_a_job_stays_with_its_account_when_its_namespace_has_none_any_more(void **state)
{
	W;
	given_a_job_of_the_team(w);
	int asked = w->boxes[OWN].asked;
	w->require_account = true;
	when_configured(w, 2, NULL);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->boxes[OWN].asked, asked);
}

/* Acceptance: vnode-16 */
static void test_of_a_job_whose_account_is_not_configured_nothing_is_concluded(void **state)
{
	W;
	given_a_job_of_the_team(w);
	int asked = w->boxes[OWN].asked;
	when_configured(w, 0, NULL);
	when_time_passed(w, 120000);
	then_phase(w, "cow", "Running");
	assert_true(event_was_told(w, "AccountUnknown"));
	assert_non_null(strstr(str_text(&w->events), "account \"a1\", which has no red-box here"));
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 120000);
	assert_true(pod_is_there(w, "cow"));
	assert_int_equal(w->boxes[OWN].asked, asked);
	assert_int_equal(w->cancels, 0);
	/* The red-box is named again, and all goes on. */
	when_configured(w, 1, NULL);
	when_time_passed(w, 25000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->sbatches, 1);
	assert_string_equal(slurm_job(w, "cow")->state, "CANCELLED by 1000");
}

/* Acceptance: vnode-15 */
static void test_a_pod_of_a_version_without_accounts_is_of_the_own_red_box(void **state)
{
	W;
	given_a_job_in(w, "team", "cow", "SlurmJob");
	when_time_passed(w, 3000);
	then_noted(w, "True ");
	w->require_account = true;
	when_configured(w, 2, &of_team);
	when_time_passed(w, 10000);
	assert_int_equal(w->sbatches, 1);
	assert_int_equal(w->boxes[A1].asked, 0);
	assert_int_equal(slurm_job(w, "cow")->box, OWN);
}

/* Acceptance: vnode-16 */
static void test_a_namespace_without_an_account_is_refused_where_one_is_required(void **state)
{
	W;
	w->require_account = true;
	when_configured(w, 1, &of_team);
	given_a_job_in(w, "else", "cow", "SlurmJob");
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "NoAccount");
	assert_string_equal(pod_text(w, "cow", "status.message"),
		"namespace else has no account of this Slurm, so nothing is submitted; the "
		"administrator of the virtual nodes can give it one with --account");
	assert_int_equal(w->boxes[OWN].asked + w->boxes[A1].asked, 0);
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 3000);
	assert_false(pod_is_there(w, "cow"));
}

/* Acceptance: vnode-16 */
static void test_a_namespace_may_have_the_account_of_the_own_red_box(void **state)
{
	W;
	w->require_account = true;
	when_configured(w, 1, &of_the_own);
	given_a_job_in(w, "team", "cow", "SlurmJob");
	given_a_job_in(w, "else", "dog", "SlurmJob");
	when_time_passed(w, 3000);
	assert_int_equal(slurm_job(w, "cow")->box, OWN);
	then_noted(w, "True ");
	then_phase(w, "dog", "Failed");
	when_configured(w, 2, &of_team); /* it stays with the one that it has */
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->sbatches, 1);
	assert_int_equal(w->boxes[A1].asked, 0);
}

/* A job from before its namespace got the own red-box is not looked for there. */
/* Acceptance: vnode-16 */
static void test_a_job_stays_when_its_namespace_gets_the_own_red_box(void **state)
{
	W;
	given_a_job_of_the_team(w);
	int asked = w->boxes[OWN].asked;
	when_configured(w, 2, &of_the_own);
	when_time_passed(w, 30000);
	then_noted(w, "True a1");
	assert_int_equal(w->boxes[OWN].asked, asked);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->sbatches, 1);
}

/* Two sockets were swapped: each red-box says that the calls are not for it. */
/* Acceptance: vnode-19 */
static void test_of_what_another_users_red_box_says_nothing_is_concluded(void **state)
{
	W;
	given_a_job_of_the_team(w);
	given_a_job_in(w, "team", "hen", "SlurmJob");
	when_time_passed(w, 3000);
	w->boxes[A1].down = true; /* it ends each call with UNAVAILABLE */
	slurm_job(w, "cow")->state = "COMPLETED";
	given_pod_changed(w, "hen", DELETED);
	given_a_job_in(w, "team", "fox", "SlurmJob");
	when_time_passed(w, 120000);
	then_phase(w, "cow", "Running");
	assert_true(pod_is_there(w, "hen"));
	assert_int_equal(w->sbatches, 2);
	assert_int_equal(w->cancels, 0);
	assert_int_equal(w->boxes[OWN].asked + w->boxes[A2].asked, 0);
	w->boxes[A1].down = false;
	when_time_passed(w, 40000);
	then_phase(w, "cow", "Succeeded");
	assert_false(pod_is_there(w, "hen"));
	assert_int_equal(slurm_job(w, "fox")->box, A1);
	assert_int_equal(w->sbatches, 3);
}

/* No text that tenants may write chooses an account. */
/* Acceptance: vnode-16 */
static void test_no_annotation_and_no_label_chooses_an_account(void **state)
{
	W;
	when_configured(w, 2, &of_team);
	given_a_job_in(w, "else", "cow", "SlurmJob");
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"labels\":{\"" ANNOTATION_JOB_ACCOUNT
		"\":\"a1\"},\"annotations\":{\"" ANNOTATION_JOB_ACCOUNT
		"\":\"a1\",\"" ANNOTATION_JOB_KEY "\":\"uid-cow\"}}}");
	when_time_passed(w, 3000);
	assert_int_equal(slurm_job(w, "cow")->box, OWN);
	assert_int_equal(w->boxes[A1].asked, 0);
}

/* A user took the condition away, and it is unknown which red-box has the job. */
/* Acceptance: vnode-16 */
static void test_an_annotation_alone_leads_to_no_other_account(void **state)
{
	W;
	given_a_job_of_the_team(w);
	when_killed(w);
	given_pod_changed(w, "cow", "{\"status\":{\"conditions\":[]}}");
	w->spaces = &of_other_team;
	when_begun(w);
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
	assert_int_equal(w->boxes[A2].asked, 0);
	assert_true(event_was_told(w, "AccountUnknown"));
	/* The red-box is here: to name it once more would change nothing. */
	assert_null(strstr(str_text(&w->events), "has no red-box here"));
	assert_non_null(strstr(str_text(&w->events), "its job runs as account \"a1\", but"));
	when_configured(w, 2, &of_team); /* and where both say the same, it is so */
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 8000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->sbatches, 1);
}

static void test_what_is_taken_away_while_it_is_served_comes_back(void **state)
{
	W;
	given_a_job_of_the_team(w);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_ACCOUNT
		"\":null,\"" ANNOTATION_JOB_KEY "\":null}},\"status\":{\"conditions\":[]}}");
	when_time_passed(w, 6000);
	then_noted(w, "True a1");
	assert_int_equal(w->sbatches, 1);
}

/* The account has no red-box here, and a user takes all notes of the pod away. */
static void test_what_is_lost_does_not_become_a_job_of_the_own_red_box(void **state)
{
	W;
	given_a_job_of_the_team(w);
	when_configured(w, 0, NULL);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_JOB_ACCOUNT
		"\":null,\"" ANNOTATION_JOB_KEY "\":null}},\"status\":{\"conditions\":[]}}");
	when_time_passed(w, 60000);
	assert_int_equal(w->sbatches, 1);
}

/* The inputs go to the account that the job is to have. */
/* Acceptance: vnode-15 */
static void test_the_account_is_noted_before_inputs_come(void **state)
{
	W;
	struct kubelet_pod shown;
	when_configured(w, 2, &of_team);
	given_a_job_in(w, "team", "cow", "SlurmJob");
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_INPUTS_WANTED "\":\"yes\"}}}");
	assert_true(!vnode_find(w->vnode, "team", "cow-job", &shown) || !shown.red_box);
	when_time_passed(w, 3000);
	then_noted(w, "False a1");
	assert_true(vnode_find(w->vnode, "team", "cow-job", &shown));
	assert_ptr_equal(shown.red_box, &w->boxes[A1]);
	assert_int_equal(w->sbatches, 0);
	when_configured(w, 2, &of_other_team);
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"annotations\":{\"" ANNOTATION_INPUTS_THERE "\":\"pod-cow\"}}}");
	when_time_passed(w, 3000);
	then_noted(w, "True a1");
	assert_int_equal(slurm_job(w, "cow")->box, A1);
	assert_int_equal(w->boxes[A2].asked, 0);
}

/* Acceptance: vnode-20 */
static void test_a_red_box_of_an_account_that_is_away_harms_no_other(void **state)
{
	W;
	given_a_job_of_the_team(w);
	given_a_job_in(w, "else", "dog", "SlurmJob");
	w->boxes[A1].down = true;
	when_time_passed(w, 10000);
	struct str metrics AUTO(str_free) = { 0 };
	vnode_measure(w->vnode);
	metric_render(&metrics);
	assert_non_null(strstr(str_text(&metrics),
		"slurm_operator_red_box_away{cluster=\"hpc\",account=\"a1\"} 1"));
	assert_string_equal(vnode_trouble(w->vnode), "");
	assert_string_equal(node_text(w, "spec.taints.1.key"), "");
	assert_int_equal(slurm_job(w, "dog")->box, OWN);
	then_phase(w, "cow", "Running");
	given_a_job_in(w, "team", "hen", "SlurmJob");
	when_time_passed(w, 10000);
	assert_true(event_was_told(w, "AccountAway"));
	assert_int_equal(w->sbatches, 2);
	w->boxes[A1].down = false;
	when_time_passed(w, 6000);
	assert_int_equal(slurm_job(w, "hen")->box, A1);
}

/* The home of the account hangs, and with it each sbatch: it has many jobs to submit. */
static void test_a_red_box_that_hangs_leaves_room_for_others(void **state)
{
	W;
	char name[16];
	when_configured(w, 2, &of_team);
	w->boxes[A1].holds = true;
	for (int i = 0; i < 80; i++)
		given_a_job_in(w, "team", numbered(name, i), "SlurmJob");
	when_time_passed(w, 5000);
	given_a_job_in(w, "else", "dog", "SlurmJob");
	when_time_passed(w, 5000);
	assert_int_equal(w->n_jobs, 1);
	assert_int_equal(slurm_job(w, "dog")->box, OWN);
	w->boxes[A1].holds = false;
	when_time_passed(w, 10000);
	assert_int_equal(w->n_jobs, 81);
}

/* There may be hundreds of them. */
/* Acceptance: vnode-20 */
static void test_the_red_box_of_an_account_is_left_alone_until_it_is_needed(void **state)
{
	W;
	when_configured(w, 2, &of_team);
	when_time_passed(w, 120000);
	assert_int_equal(w->boxes[A1].listings + w->boxes[A1].asked, 0);
	given_a_job_in(w, "team", "cow", "SlurmJob");
	when_time_passed(w, 60000);
	assert_in_range(w->boxes[A1].listings, 0, 1);
	assert_int_equal(w->boxes[A2].listings + w->boxes[A2].asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_job_runs_as_the_account_of_its_namespace),
		VNODE_TEST(test_a_job_stays_with_its_account_when_its_namespace_gets_another),
		VNODE_TEST(test_a_job_stays_with_its_account_when_its_namespace_has_none_any_more),
		VNODE_TEST(test_of_a_job_whose_account_is_not_configured_nothing_is_concluded),
		VNODE_TEST(test_a_pod_of_a_version_without_accounts_is_of_the_own_red_box),
		VNODE_TEST(test_a_namespace_without_an_account_is_refused_where_one_is_required),
		VNODE_TEST(test_a_namespace_may_have_the_account_of_the_own_red_box),
		VNODE_TEST(test_a_job_stays_when_its_namespace_gets_the_own_red_box),
		VNODE_TEST(test_of_what_another_users_red_box_says_nothing_is_concluded),
		VNODE_TEST(test_no_annotation_and_no_label_chooses_an_account),
		VNODE_TEST(test_an_annotation_alone_leads_to_no_other_account),
		VNODE_TEST(test_what_is_taken_away_while_it_is_served_comes_back),
		VNODE_TEST(test_what_is_lost_does_not_become_a_job_of_the_own_red_box),
		VNODE_TEST(test_the_account_is_noted_before_inputs_come),
		VNODE_TEST(test_a_red_box_of_an_account_that_is_away_harms_no_other),
		VNODE_TEST(test_a_red_box_that_hangs_leaves_room_for_others),
		VNODE_TEST(test_the_red_box_of_an_account_is_left_alone_until_it_is_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
