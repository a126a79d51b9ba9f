/* SPDX-License-Identifier: Apache-2.0 */
/* Whether anything of a pod runs, or has ever run, as its kubelet says. */
#include "lib/given.h"
#include "engine/pod.h"

#define SPEC "\"spec\":{\"containers\":[{\"name\":\"slurmd\"}]"
#define STATE(state) "\"containerStatuses\":[{\"name\":\"slurmd\",\"restartCount\":0," state "}]"
#define WAITS(reason) "\"state\":{\"waiting\":{\"reason\":\"" reason "\"}}"
#define INIT(state) "\"initContainerStatuses\":[{\"name\":\"i\"," state "}],"
#define HAS_INIT SPEC ",\"initContainers\":[{\"name\":\"i\"}]"

/* What Slurm does not say may be read from that, so nothing but a clear word counts. */
static const struct row {
	const char *spec, *status;
	bool unstarted, halted;
} stands[] = {
	{ SPEC, STATE(WAITS("ContainerCreating")), true, false },
	{ SPEC, STATE(WAITS("ErrImagePull")), true, true },
	{ SPEC, STATE(WAITS("ImagePullBackOff")), true, false },
	{ SPEC,
		STATE(WAITS(
			"CrashLoopBackOff") ",\"lastState\":{\"terminated\":{\"exitCode\":64}}"),
		false, true },
	{ SPEC,
		STATE(WAITS(
			"ContainerCreating") ",\"lastState\":{\"terminated\":{\"exitCode\":1}}"),
		false, false },
	{ SPEC, STATE(WAITS("ContainerCreating") ",\"containerID\":\"containerd://1\""), false,
		false },
	{ SPEC, STATE("\"state\":{\"running\":{}}"), false, false },
	{ SPEC, STATE("\"state\":{\"terminated\":{}}"), false, false },
	{ SPEC, "\"containerStatuses\":[]", false, false },
	{ SPEC, "\"phase\":\"Pending\"", false, false },
	{ HAS_INIT, STATE(WAITS("PodInitializing")), false, false },
	{ HAS_INIT, INIT(WAITS("PodInitializing")) STATE(WAITS("PodInitializing")), true, false },
	{ HAS_INIT, INIT(WAITS("ErrImagePull")) STATE(WAITS("PodInitializing")), true, true },
	{ HAS_INIT, INIT("\"state\":{\"terminated\":{}}") STATE(WAITS("ErrImagePull")), false,
		true },
	/* A side car: nobody knows what it is */
	{ HAS_INIT, INIT("\"state\":{\"running\":{}}") STATE(WAITS("CrashLoopBackOff")), false,
		false },
	{ "\"spec\":{\"containers\":[{},{}]",
		"\"containerStatuses\":[{" WAITS("CrashLoopBackOff") "},{" WAITS(
			"CrashLoopBackOff") "}]",
		true, false },
	{ "\"spec\":{\"containers\":[{},{}]",
		"\"containerStatuses\":[{" WAITS("CrashLoopBackOff") "},{\"state\":{"
								     "\"terminated\":{}}}]",
		false, false },
};

static void test_whether_anything_of_a_pod_has_started_is_read_strictly(void **state)
{
	(void)state;
	WORLD(g);
	for (size_t i = 0; i < LENGTH(stands); i++) {
		AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena, "{%s},\"status\":{\"phase\":\"Pending\",%s}}",
				stands[i].spec, stands[i].status)));
		assert_int_equal(p->unstarted, stands[i].unstarted);
		assert_int_equal(p->halted, stands[i].halted);
	}
}

static void test_the_secrets_that_a_pod_waits_for_are_known_until_it_starts(void **state)
{
	(void)state;
	static const char volumes[] =
		",\"volumes\":[{\"secret\":{\"secretName\":\"key\"}},"
		"{\"secret\":{\"secretName\":\"other\",\"optional\":true}},"
		"{\"secret\":{\"secretName\":\"../configmaps/x\"}},{\"emptyDir\":{}},"
		"{\"projected\":{\"sources\":[{\"secret\":{\"name\":\"jwt\"}},"
		"{\"configMap\":{\"name\":\"c\"}}]}}]";
	static const struct {
		const char *state, *secrets;
	} rows[] = {
		{ WAITS("ContainerCreating"), "key,jwt" },
		{ "\"state\":{\"running\":{}}", "" },
	};
	WORLD(g);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena,
				"{" SPEC "%s},\"status\":{\"phase\":\"Pending\","
				"\"containerStatuses\":[{%s}]}}",
				volumes, rows[i].state)));
		assert_string_equal(p->secrets, rows[i].secrets);
	}
}

/* A pod of which the manager did not see how it failed may start at any moment. */
static void test_when_a_pod_began_to_wait_is_known_if_it_was_seen(void **state)
{
	(void)state;
	WORLD(g);
#define POD_THAT(state)                                                \
	pod_fact_new(given_json(&g,                                    \
		"{\"metadata\":{\"uid\":\"u\"}," SPEC "},\"status\":{" \
		"\"phase\":\"Running\"," STATE(state) "}}"))
	AUTO(own_free) struct pod_fact *first = POD_THAT(WAITS("CrashLoopBackOff"));
	AUTO(own_free) struct pod_fact *runs = POD_THAT("\"state\":{\"running\":{}}");
	AUTO(own_free) struct pod_fact *fails = POD_THAT(WAITS("CrashLoopBackOff"));
	AUTO(own_free) struct pod_fact *same = POD_THAT(WAITS("CrashLoopBackOff"));
	pod_fact_times(first, NULL, NULL, 100);
	pod_fact_times(runs, first, NULL, 200);
	pod_fact_times(fails, runs, NULL, 300);
	pod_fact_times(same, fails, NULL, 400);
	assert_int_equal(first->halted_ms, 0);
	assert_int_equal(runs->halted_ms, 0);
	assert_int_equal(fails->halted_ms, 300);
	assert_int_equal(same->halted_ms, 300);
#undef POD_THAT
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whether_anything_of_a_pod_has_started_is_read_strictly),
		cmocka_unit_test(test_the_secrets_that_a_pod_waits_for_are_known_until_it_starts),
		cmocka_unit_test(test_when_a_pod_began_to_wait_is_known_if_it_was_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
