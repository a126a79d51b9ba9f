/* SPDX-License-Identifier: Apache-2.0 */
/* SlurmJobs of slurm.sylabs.io: what is otherwise about them, and what must not be. */
#include "lib/given_job.h"

#include "api/job.h"
#include "base/own.h"

#define SCRIPT "\"batch\":\"" JOB_SCRIPT "\""

static void given_older(struct job_world *w, const char *spec)
{
	given_job_spec(w, spec, JOB_KEPT, "");
	w->view.resource = RES_OLDER_SLURMJOB;
}

/* In its nodeSelector; NULL: it selects nothing by that. */
static const char *selects(struct job_world *w, const char *body, const char *label)
{
	const struct json *pod = json_parse_in(&w->g.arena, body, strlen(body), SIZE_MAX);
	return json_str(json_get(json_at(pod, "spec", "nodeSelector"), label), NULL);
}

/* Acceptance: job-16 */
static void test_a_slurmjob_of_the_older_group_gets_the_same_pod(void **state)
{
	(void)state;
	JOB(w);
	given_older(&w, SCRIPT);
	when_job_planned(&w);
	const struct action *a = then(&w.g, DO(CREATE, POD), "cow-job");
	assert_int_equal(a->guard.read, READ_PLANNED);
	assert_non_null(strstr(a->body,
		"{\"apiVersion\":\"slurm.sylabs.io/v1alpha1\",\"kind\":\"SlurmJob\",\"name\":"
		"\"cow\",\"uid\":\"job\",\"controller\":true"));
	assert_non_null(strstr(a->body, "{\"key\":\"wlm.sylabs.io/nodes\",\"operator\":\"Gt\""));
	assert_non_null(strstr(a->body, "\"value\":\"wlm\",\"effect\":\"NoSchedule\""));
}

/* Acceptance: job-16 */
static void test_its_labels_are_those_that_virtual_nodes_have(void **state)
{
	(void)state;
	JOB(w);
	given_older(&w,
		SCRIPT ",\"nodeSelector\":{\"slurm.sylabs.io/workload-manager\":\"slurm\","
		       "\"slurm.sylabs.io/containers\":\"singularity\","
		       "\"slurm.sylabs.io/cuda\":10,\"example.com/rack\":\"r1\","
		       "\"type\":\"virtual-kubelet\"}");
	when_job_planned(&w);
	const char *body = then(&w.g, DO(CREATE, POD), "cow-job")->body;
	assert_string_equal(selects(&w, body, "wlm.sylabs.io/containers"), "singularity");
	assert_string_equal(selects(&w, body, "wlm.sylabs.io/cuda"), "10");
	assert_string_equal(selects(&w, body, "example.com/rack"), "r1");
	assert_string_equal(selects(&w, body, "type"), "virtual-kubelet");
	assert_null(selects(&w, body, "wlm.sylabs.io/workload-manager"));
	assert_null(strstr(body, "slurm.sylabs.io/c"));
}

/* Another workload manager than Slurm is none of ours: it waits, and says so. */
/* Acceptance: job-16 */
static void test_another_workload_manager_is_not_taken_for_slurm(void **state)
{
	(void)state;
	JOB(w);
	given_older(&w,
		SCRIPT ",\"nodeSelector\":{\"slurm.sylabs.io/workload-manager\":\"other\"}");
	when_job_planned(&w);
	const char *body = then(&w.g, DO(CREATE, POD), "cow-job")->body;
	assert_string_equal(selects(&w, body, "wlm.sylabs.io/workload-manager"), "other");
}

/* A label of the group of now means what it says. */
static void test_labels_of_the_other_group_stay_as_they_are(void **state)
{
	(void)state;
	JOB(w);
	given_job_spec(&w, SCRIPT ",\"nodeSelector\":{\"slurm.sylabs.io/x\":\"y\"}", JOB_KEPT, "");
	when_job_planned(&w);
	const char *body = then(&w.g, DO(CREATE, POD), "cow-job")->body;
	assert_string_equal(selects(&w, body, "slurm.sylabs.io/x"), "y");
}

/* Nothing is made, and a sentence names what is wrong. */
static void then_refused(struct job_world *w, const char *reason, const char *part)
{
	when_job_published(w);
	then_no(&w->g, DO(CREATE, POD), NULL);
	then_condition(&w->g, "Accepted", "False", reason);
	then_says(&w->g, "Accepted", part);
}

/* Acceptance: job-16 */
static void test_two_names_of_one_label_are_refused(void **state)
{
	(void)state;
	JOB(w);
	given_older(&w,
		SCRIPT ",\"nodeSelector\":{\"wlm.sylabs.io/cuda\":\"10\","
		       "\"slurm.sylabs.io/cuda\":\"11\"}");
	then_refused(&w, "InvalidNodeSelector", "slurm.sylabs.io/cuda and wlm.sylabs.io/cuda");
}

/* The job would run as another user than it requests. */
/* Acceptance: job-16 */
static void test_a_login_of_its_own_is_refused(void **state)
{
	(void)state;
	JOB(w);
	given_older(&w, SCRIPT ",\"ssh\":{\"user\":\"vagrant\"}");
	then_refused(&w, "SshNotServed", "spec.ssh");
}

/* Acceptance: job-16 */
static void test_members_that_nobody_reads_are_told_and_the_job_is_made(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{ "\"resources\":{\"slurm.sylabs.io/cpu\":2}", "spec.resources is ignored" },
		{ "\"podSecurityContext\":{\"runAsUser\":0}",
			"spec.podSecurityContext is ignored" },
		{ "\"timeLimit\":\"1h\"", "spec.timeLimit is ignored" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		JOB(w);
		given_older(&w, arena_printf(&w.g.arena, SCRIPT ",%s", rows[i][0]));
		when_job_planned(&w);
		then(&w.g, DO(CREATE, POD), "cow-job");
		given_job_pod(&w, POD_PENDING);
		when_job_published(&w);
		then_condition(&w.g, "Accepted", "True", "Accepted");
		then_says(&w.g, "Accepted", rows[i][1]);
	}
}

/* Whether the operator of then had made it, or this one. */
static void test_what_has_had_a_pod_gets_no_other_one(void **state)
{
	(void)state;
	JOB(w);
	given_job(&w, JOB_KEPT, JOB_NOTED("Running"));
	w.view.resource = RES_OLDER_SLURMJOB;
	when_job_published(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	then_condition(&w.g, "Ended", "Unknown", "PodLost");
}

/* ---- two objects of one name, each of its group ---- */

static const enum resource groups[][2] = {
	{ RES_OLDER_SLURMJOB, RES_SLURMJOB },
	{ RES_SLURMJOB, RES_OLDER_SLURMJOB },
};

static struct pod_fact *given_namesake(struct job_world *w, const enum resource of[2])
{
	given_job(w, JOB_KEPT, "");
	w->view.resource = of[0];
	struct pod_fact *pod = given_job_pod(w, POD_PENDING);
	pod->controller = (struct owner_fact){ "SlurmJob", "cow", "the other one", true, of[1] };
	return pod;
}

/* Acceptance: job-17 */
static void test_the_pod_of_a_namesake_is_left_alone(void **state)
{
	(void)state;
	static const char *const words[] = { "SlurmJob cow of wlm.sylabs.io",
		"SlurmJob cow of slurm.sylabs.io" };
	for (size_t i = 0; i < LENGTH(groups); i++) {
		JOB(w);
		given_namesake(&w, groups[i]);
		when_job_published(&w);
		then_nothing(&w.g);
		then_condition(&w.g, "PodMade", "False", "NameTaken");
		then_says(&w.g, "PodMade", words[i]);
		assert_string_equal(job_status(&w, "status"), "");
	}
}

/*
 * The object of the pod has not recorded it, and would create a second pod, and with it a
 * job.
 */
/* Acceptance: job-17 */
static void test_a_held_pod_of_a_namesake_is_never_let_go(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(groups); i++) {
		JOB(w);
		struct pod_fact *pod = given_namesake(&w, groups[i]);
		pod->terminating = true;
		pod->unreported_at = 0;
		when_job_planned(&w);
		then_no(&w.g, DO(PATCH, POD), NULL);
		then_no(&w.g, DO(CREATE, POD), NULL);
	}
}

/* No event says when the namesake has its pod, or is refused it. */
/* Acceptance: job-17 */
static void test_while_the_pod_of_a_namesake_is_being_made_it_is_looked_at_again(void **state)
{
	(void)state;
	JOB(w);
	given_namesake(&w, groups[0])->in_flight = true;
	when_job_planned(&w);
	then_nothing(&w.g);
	assert_int_equal(w.g.plan.again_in_ms, 30000);
}

/* Acceptance: job-17 */
static void test_a_deletion_leaves_the_pod_of_a_namesake(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(groups); i++) {
		JOB(w);
		given_namesake(&w, groups[i]);
		given_job(&w, JOB_DELETING, "");
		w.view.resource = groups[i][0];
		when_job_planned(&w);
		then_no(&w.g, DO(DELETE, POD), NULL);
		then_no(&w.g, DO(PATCH, POD), NULL);
		const struct operation finish = { VERB_PATCH, groups[i][0] };
		assert_int_equal(then(&w.g, finish, "cow")->guard.read, READ_NO_POD);
	}
}

/* Acceptance: job-17 */
static void test_its_pod_is_made_when_the_namesake_has_gone(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(groups); i++) {
		JOB(w);
		given_namesake(&w, groups[i]);
		w.view.pod = NULL;
		when_job_planned(&w);
		const struct action *a = then(&w.g, DO(CREATE, POD), "cow-job");
		assert_non_null(strstr(a->body, resource_rows[groups[i][0]].api_version));
	}
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_slurmjob_of_the_older_group_gets_the_same_pod),
		T(test_its_labels_are_those_that_virtual_nodes_have),
		T(test_another_workload_manager_is_not_taken_for_slurm),
		T(test_labels_of_the_other_group_stay_as_they_are),
		T(test_two_names_of_one_label_are_refused),
		T(test_a_login_of_its_own_is_refused),
		T(test_members_that_nobody_reads_are_told_and_the_job_is_made),
		T(test_what_has_had_a_pod_gets_no_other_one),
		T(test_the_pod_of_a_namesake_is_left_alone),
		T(test_a_held_pod_of_a_namesake_is_never_let_go),
		T(test_while_the_pod_of_a_namesake_is_being_made_it_is_looked_at_again),
		T(test_a_deletion_leaves_the_pod_of_a_namesake),
		T(test_its_pod_is_made_when_the_namesake_has_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
