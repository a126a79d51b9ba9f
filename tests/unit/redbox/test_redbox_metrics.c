/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of red-box, made of what clients have done. */
#include "lib/metrics_page.h"
#include "lib/redbox_world.h"

#include "base/metric.h"
#include "wlm/wlm.pb-c.h"

static int given_a_counting_service(void **state)
{
	metric_free_all();
	return given_a_service(state);
}

static int end_of_counting(void **state)
{
	metric_free_all();
	return free_world(state);
}

static struct str page_of(const struct world *w)
{
	struct str page = { 0 };
	service_measure(w->service, w->server, w->journal);
	metric_render(&page);
	return page;
}

#define RED_BOX "slurm_operator_red_box_"
#define SUBMISSION "\x0a\x01x\x1a\x01k" /* script x, key k */

/* Acceptance: metric-11 */
static void calls_are_counted_by_method_and_code(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str before = page_of(w);
	page_lacks(&before, RED_BOX "calls_total{");
	page_has(&before, RED_BOX "streams 0");
	ends(whole_call(w, "SubmitJob", "", 0), GRPC_INVALID_ARGUMENT, "the script is empty");
	ends(whole_call(w, "SubmitJob", "", 0), GRPC_INVALID_ARGUMENT, "the script is empty");
	ends(whole_call(w, "MakeTea", "", 0), GRPC_UNIMPLEMENTED, "");
	struct reply *r = whole_call(w, "WorkloadInfo", "", 0);
	fake_says(tool(w, FAKE_VERSION), OK, &(struct slurm_tools_told){ .version = "24.11.5" });
	client_wait(r);
	AUTO(str_free) struct str page = page_of(w);
	page_has(&page, RED_BOX "calls_total{method=\"SubmitJob\",code=\"INVALID_ARGUMENT\"} 2");
	page_has(&page, RED_BOX "calls_total{method=\"other\",code=\"UNIMPLEMENTED\"} 1");
	page_has(&page, RED_BOX "calls_total{method=\"WorkloadInfo\",code=\"OK\"} 1");
	page_has(&page, RED_BOX "call_duration_seconds_count{method=\"SubmitJob\"} 2");
	page_has(&page, RED_BOX "connections{on=\"unix\"} 1");
	page_has(&page, RED_BOX "connections{on=\"tcp\"} 0");
	page_has(&page, RED_BOX "submissions_waiting{for=\"sbatch\"} 0");
}

/* Acceptance: metric-11 */
static void a_submission_shows_what_it_waits_for_and_how_it_ended(void **state)
{
	struct world *w = *state;
	slurmctld_lives(w);
	struct reply *r = whole_call(w, "SubmitJob", SUBMISSION, 6);
	struct slurm_tools_call *find = tool(w, FAKE_FIND); /* the journal is young */
	AUTO(str_free) struct str asking = page_of(w);
	page_has(&asking, RED_BOX "submissions_waiting{for=\"slurm\"} 1");
	page_has(&asking, RED_BOX "streams 1");
	page_has(&asking, RED_BOX "journal_complete 0");
	fake_says(find, OK, NULL);
	struct slurm_tools_call *sbatch = tool(w, FAKE_SUBMIT);
	AUTO(str_free) struct str running = page_of(w);
	page_has(&running, RED_BOX "submissions_waiting{for=\"slurm\"} 0");
	page_has(&running, RED_BOX "submissions_waiting{for=\"sbatch\"} 1");
	page_has(&running, RED_BOX "journal_keys 1");
	page_lacks(&running, RED_BOX "submission_duration_seconds_count ");
	fake_says(sbatch, OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
	r = whole_call(w, "SubmitJob", "\x0a\x01x", 3);
	fake_says(tool(w, FAKE_SUBMIT), err_new(ERR_INVALID, "no such partition"), NULL);
	ends(r, GRPC_INVALID_ARGUMENT, "no such partition");
	AUTO(str_free) struct str after = page_of(w);
	page_has(&after, RED_BOX "submissions_total{outcome=\"ok\"} 1");
	page_has(&after, RED_BOX "submissions_total{outcome=\"invalid\"} 1");
	page_has(&after, RED_BOX "submission_duration_seconds_count 1");
	page_has(&after, RED_BOX "submissions_waiting{for=\"sbatch\"} 0");
	page_has(&after, RED_BOX "streams 0");
}

/* A question for a job, and the closing of a key, are no submissions. */
static void what_submits_nothing_is_no_submission(void **state)
{
	struct world *w = *state;
	answers(whole_call(w, "CloseSubmission", "\x0a\x01k", 3), "", 0);
	AUTO(str_free) struct str page = page_of(w);
	page_has(&page, RED_BOX "calls_total{method=\"CloseSubmission\",code=\"OK\"} 1");
	page_lacks(&page, RED_BOX "submissions_total{");
}

static void not_told(void *ctx, struct err e, const struct submit_told *told)
{
	(void)ctx, (void)e, (void)told;
}

/* Acceptance: metric-11 */
static void a_limit_that_was_hit_is_counted(void **state)
{
	struct world *w = *state;
	char who[24];
	snprintf(who, sizeof(who), "%lld", (long long)geteuid());
	const struct submit_ask ask = { .submission = { "x", "", NULL, who } };
	for (size_t i = 0; i < SUBMIT_MOST / 2; i++)
		submit_wait_stop(submitter_submit(w->submitter, &ask, not_told, NULL));
	ends(whole_call(w, "SubmitJob", "\x0a\x01x", 3), GRPC_RESOURCE_EXHAUSTED, "too many");
	AUTO(str_free) struct str page = page_of(w);
	page_has(&page, RED_BOX "limits_hit_total{limit=\"submissions\"} 1");
	page_has(&page, RED_BOX "limits_hit_total{limit=\"files\"} 0");
	page_has(&page, RED_BOX "submissions_total{outcome=\"too-large\"} 1");
	page_has(&page, RED_BOX "submissions_waiting{for=\"sbatch\"} 1000");
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_counting_service, end_of_counting)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(calls_are_counted_by_method_and_code),
		T(a_submission_shows_what_it_waits_for_and_how_it_ended),
		T(what_submits_nothing_is_no_submission),
		T(a_limit_that_was_hit_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
