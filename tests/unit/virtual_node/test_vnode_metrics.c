/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of virtual nodes: pods, jobs, and the age of answers. */
#include "lib/metrics_page.h"
#include "lib/vnode_world.h"

#include "base/metric.h"

#define W struct vnode_world *w = *state
#define OF_NODE(rest) "{node=\"" NODE_NAME "\"" rest "}"
#define JOBS(state) "slurm_operator_virtual_node_jobs" OF_NODE(",state=\"" state "\"")
#define PHASE(phase) "slurm_operator_virtual_node_pod_phase" OF_NODE(",phase=\"" phase "\"")
#define AGE "slurm_operator_virtual_node_answer_age_seconds" OF_NODE("")

static struct str page_of(const struct vnode *v)
{
	struct str page = { 0 };
	vnode_measure(v);
	metric_render(&page);
	return page;
}

static double age_of(const struct str *page)
{
	const char *at = strstr(str_text(page), "\n" AGE " ");
	if (!at)
		fail_msg("the page has no age");
	return strtod(at + strlen("\n" AGE " "), NULL);
}

/* Acceptance: metric-12 */
static void jobs_are_counted_by_what_slurm_says(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	given_a_job(w, "hen", "SlurmJob");
	given_a_job(w, "ewe", "SlurmJob");
	when_time_passed(w, 3000);
	AUTO(str_free) struct str waits = page_of(w->vnode);
	page_has(&waits, "slurm_operator_virtual_node_pods" OF_NODE("") " 3");
	page_has(&waits, JOBS("pending") " 3");
	page_has(&waits, JOBS("running") " 0");
	page_has(&waits, PHASE("Pending") " 3");
	slurm_job(w, "cow")->state = "RUNNING";
	slurm_job(w, "hen")->state = "COMPLETED";
	when_time_passed(w, 20000);
	AUTO(str_free) struct str page = page_of(w->vnode);
	page_has(&page, JOBS("pending") " 1");
	page_has(&page, JOBS("running") " 1");
	page_has(&page, PHASE("Pending") " 1");
	page_has(&page, PHASE("Running") " 1");
	assert_true(age_of(&page) <= 11);
}

static void a_red_box_that_is_away_lets_answers_grow_old(void **state)
{
	W;
	when_time_passed(w, 12000);
	w->down = true;
	when_time_passed(w, 300000);
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 3000);
	AUTO(str_free) struct str page = page_of(w->vnode);
	assert_true(age_of(&page) > 290);
	page_has(&page, JOBS("unsubmitted") " 1");
	page_has(&page, "slurm_operator_red_box_away{cluster=\"hpc\",account=\"\"} 1");
}

/* Another process acts: what was true of this one is not any more. */
/* Acceptance: metric-12 */
static void one_that_stands_by_has_no_series(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 3000);
	AUTO(str_free) struct str page = page_of(w->vnode);
	page_has(&page, "slurm_operator_virtual_node_pods" OF_NODE("") " 1");
	AUTO(str_free) struct str after = page_of(NULL);
	page_lacks(&after, NODE_NAME);
	page_lacks(&after, "slurm_operator_red_box_away{");
	metric_free_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(jobs_are_counted_by_what_slurm_says),
		VNODE_TEST(a_red_box_that_is_away_lets_answers_grow_old),
		VNODE_TEST(one_that_stands_by_has_no_series),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
