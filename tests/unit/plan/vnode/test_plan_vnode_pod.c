/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual nodes: what is read before a step of a pod, and how long that is kept. */
#include "lib/test.h"

#include "api/names.h"
#include "base/own.h"
#include "plan/vnode/pod.h"

enum { NOW_MS = 1000000 };

/* A pod whose job may have been submitted, and whose owner was read a second ago. */
struct known {
	struct arena arena;
	struct vobject object;
	struct vowner owner;
	struct vreport report;
	struct vattempt attempt;
	struct vpod_view view;
	struct vpod_plan plan;
};

static char key[] = "uid-cow", account[] = "";

#define POD(more, condition)                                                                 \
	"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"slurm\",\"uid\":\"p\","         \
	"\"resourceVersion\":\"7\"" more ",\"annotations\":{\"" ANNOTATION_JOB_KEY           \
	"\":\"uid-cow\"},\"ownerReferences\":[{\"apiVersion\":\"wlm.sylabs.io/v1alpha1\","   \
	"\"kind\":\"SlurmJob\",\"name\":\"cow\",\"uid\":\"uid-cow\",\"controller\":true}]}," \
	"\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"" CONDITION_JOB_KEY   \
	"\",\"status\":\"True\",\"reason\":\"\",\"message\":\"uid-cow\"}" condition "]}}"
#define BEGUN POD("", "")
#define EVICTED                                                \
	POD(",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", \
		",{\"type\":\"DisruptionTarget\",\"status\":\"True\"}")

static void given(struct known *k, const char *pod)
{
	const struct json *json = json_parse_in(&k->arena, pod, strlen(pod), SIZE_MAX);
	assert_non_null(json);
	k->object = (struct vobject){ .pod = json,
		.key = key,
		.way = VWAY_NOTED,
		.account = account,
		.begun = true,
		.known_ms = 1 };
	k->owner = (struct vowner){ .is = VOWNER_LIVE, .asked_ms = NOW_MS - 1000, .script = json };
	k->report = (struct vreport){ 0 };
	k->attempt = (struct vattempt){ 0 };
	k->view = (struct vpod_view){ &k->object, &k->owner, &k->report, &k->attempt, .node = "n" };
}

static enum vpod_step planned(struct known *k)
{
	vpod_plan(&k->view, &k->arena, NOW_MS, INT64_C(1767225600000), &k->plan);
	return k->plan.step;
}

#define KNOWN(k, pod)                        \
	struct known k AUTO(forget) = { 0 }; \
	given(&k, pod)

static void forget(struct known *k) { arena_free(&k->arena); }

/* Acceptance: rule-4 */
static void test_a_script_is_read_before_it_is_submitted(void **state)
{
	(void)state;
	KNOWN(k, BEGUN);
	assert_int_equal(planned(&k), VPOD_SUBMIT);
	assert_false(k.plan.drops_script);
	k.owner.script = NULL; /* at once, though the owner was read a moment ago */
	assert_int_equal(planned(&k), VPOD_ASK_OWNER);
	k.owner.asked_ms = NOW_MS - VPOD_OWNER_MS; /* a wish of long ago is none */
	assert_int_equal(planned(&k), VPOD_ASK_OWNER);
}

/* Without its red-box nothing is read for it either. */
static void test_no_script_is_read_that_cannot_be_submitted(void **state)
{
	(void)state;
	KNOWN(k, BEGUN);
	k.owner.script = NULL;
	k.view.red_box_away = true;
	assert_int_equal(planned(&k), VPOD_WAIT);
	assert_int_equal(k.plan.again_ms, -1);
	k.view.red_box_away = false;
	k.object.way = VWAY_LOST;
	assert_int_equal(planned(&k), VPOD_LEAVE);
}

static void test_a_script_that_nobody_submits_is_dropped(void **state)
{
	(void)state;
	KNOWN(k, BEGUN);
	k.view.red_box_away = true;
	assert_int_equal(planned(&k), VPOD_WAIT);
	assert_true(k.plan.drops_script);
	k.view.red_box_away = false;
	k.view.partition_gone = true; /* it is planned again soon */
	assert_int_equal(planned(&k), VPOD_WAIT);
	assert_false(k.plan.drops_script);
	k.view.partition_gone = false;
	k.view.in_flight = true;
	planned(&k);
	assert_false(k.plan.drops_script);
	k.owner.asked_ms = NOW_MS - VPOD_OWNER_MS;
	planned(&k);
	assert_true(k.plan.drops_script);
	given(&k, BEGUN);
	struct slurm_job_shown one = { .id = 7,
		.state = "RUNNING",
		.reason = "",
		.array_id = "",
		.exit_code = "0:0",
		.nodes = "" };
	k.report = (struct vreport){
		.job = VJOB_LIVE, .asked_ms = NOW_MS, .records = &one, .n_records = 1
	};
	planned(&k);
	assert_true(k.plan.drops_script);
}

/* An evicted pod: read after its owner, it says whether its job is to stay. */
/* Acceptance: rule-4 */
static void test_a_pod_whose_owner_goes_is_read_after_it(void **state)
{
	(void)state;
	static const struct {
		enum vpod_owner is;
		bool orphans, pod_read;
		enum vpod_step step;
	} rows[] = {
		{ VOWNER_UNKNOWN, false, false, VPOD_ASK_OWNER },
		{ VOWNER_GONE, false, false, VPOD_ASK_POD },
		{ VOWNER_GONE, true, false, VPOD_ASK_POD },
		{ VOWNER_DELETING, false, false, VPOD_ASK_POD },
		{ VOWNER_GONE, false, true, VPOD_CANCEL },
		{ VOWNER_DELETING, false, true, VPOD_CANCEL },
		/* it has still to take the reference away */
		{ VOWNER_DELETING, true, false, VPOD_TELL },
	};
	KNOWN(k, EVICTED);
	struct slurm_job_shown one = { .id = 7,
		.state = "RUNNING",
		.reason = "",
		.array_id = "",
		.exit_code = "0:0",
		.nodes = "" };
	k.report = (struct vreport){
		.job = VJOB_LIVE, .asked_ms = NOW_MS, .records = &one, .n_records = 1
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		k.owner = (struct vowner){ .is = rows[i].is,
			.orphans = rows[i].orphans,
			.pod_read = rows[i].pod_read,
			.asked_ms = rows[i].is == VOWNER_UNKNOWN ? 0 : NOW_MS - 1000 };
		if (planned(&k) != rows[i].step)
			fail_msg("row %zu: step %d", i, (int)k.plan.step);
	}
}

static void test_a_pod_that_cannot_be_read_is_read_again(void **state)
{
	(void)state;
	KNOWN(k, EVICTED);
	k.owner.is = VOWNER_GONE;
	k.attempt = (struct vattempt){ .failed = VPOD_ASK_POD, .failures = 1, .failed_ms = NOW_MS };
	assert_int_equal(planned(&k), VPOD_WAIT);
	assert_int_equal(k.plan.again_ms, 1000);
	k.attempt.failed_ms = NOW_MS - 1000;
	assert_int_equal(planned(&k), VPOD_ASK_POD);
	k.owner.asked_ms = NOW_MS - VPOD_OWNER_MS; /* by then its owner is read again, too */
	assert_int_equal(planned(&k), VPOD_ASK_OWNER);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_script_is_read_before_it_is_submitted),
		cmocka_unit_test(test_no_script_is_read_that_cannot_be_submitted),
		cmocka_unit_test(test_a_script_that_nobody_submits_is_dropped),
		cmocka_unit_test(test_a_pod_whose_owner_goes_is_read_after_it),
		cmocka_unit_test(test_a_pod_that_cannot_be_read_is_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
