/* SPDX-License-Identifier: Apache-2.0 */
/* Whether anything of a pod runs, or has ever run, as its kubelet says. */
#include "lib/given.h"
#include "engine/pod/pod.h"

#define SPEC "\"spec\":{\"containers\":[{\"name\":\"slurmd\"}]"
#define STATE(state) "\"containerStatuses\":[{\"name\":\"slurmd\",\"restartCount\":0," state "}]"
#define WAITS(reason) "\"state\":{\"waiting\":{\"reason\":\"" reason "\"}}"
#define BACKS_OFF(time)                                                                        \
	"\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off " time \
	" restarting failed container=slurmd pod=a-0_slurm(u)\"}}"
#define INIT(state) "\"initContainerStatuses\":[{\"name\":\"i\"," state "}],"
#define HAS_INIT SPEC ",\"initContainers\":[{\"name\":\"i\"}]"

/* This stands in for the word of Slurm, so nothing but a clear state counts. */
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
	{ SPEC, STATE(BACKS_OFF("10s")), true, true },
	{ SPEC, STATE(BACKS_OFF("2m40s")), true, true },
	{ SPEC, STATE(BACKS_OFF("5m0s")), true, true },
	/* The container may run again before a deletion arrives */
	{ SPEC, STATE(BACKS_OFF("1s")), true, false },
	{ SPEC, STATE(BACKS_OFF("9.5s")), true, false },
	{ SPEC, STATE(BACKS_OFF("500ms")), true, false },
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
	/* A side car: its purpose is unknown */
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

#define VOLUMES                                                                        \
	"\"volumes\":[{\"name\":\"a\",\"secret\":{\"secretName\":\"key\"}},"           \
	"{\"name\":\"b\",\"secret\":{\"secretName\":\"other\",\"optional\":true}},"    \
	"{\"name\":\"c\",\"secret\":{\"secretName\":\"../configmaps/x\"}},"            \
	"{\"name\":\"d\",\"emptyDir\":{}},"                                            \
	"{\"name\":\"e\",\"projected\":{\"sources\":[{\"secret\":{\"name\":\"jwt\"}}," \
	"{\"configMap\":{\"name\":\"c\"}}]}}]"
#define MOUNT(name) "{\"name\":\"" name "\",\"mountPath\":\"/" name "\"}"
#define MOUNTS                                                                                  \
	"\"volumeMounts\":[" MOUNT("a") "," MOUNT("b") "," MOUNT("c") "," MOUNT("d") "," MOUNT( \
		"e") "]"

/*
 * A kubelet does not look for the Secret of a volume that no container mounts. It starts
 * the containers of a pod one after the other and may pull an image between two of them,
 * for minutes in which it does not tell that the first one runs.
 */
static void test_the_secrets_that_a_pod_waits_for_are_known_until_it_starts(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *status, *secrets;
	} rows[] = {
		{ "\"containers\":[{" MOUNTS "}]", "{" WAITS("ContainerCreating") "}", "key,jwt" },
		{ "\"containers\":[{" MOUNTS "}]", "{\"state\":{\"running\":{}}}", "" },
		{ "\"containers\":[{\"volumeMounts\":[" MOUNT("e") "]}]",
			"{" WAITS("ContainerCreating") "}", "jwt" },
		{ "\"containers\":[{}]", "{" WAITS("ContainerCreating") "}", "" },
		{ "\"containers\":[{" MOUNTS "},{}]",
			"{" WAITS("ContainerCreating") "},{" WAITS("ContainerCreating") "}", "" },
	};
	WORLD(g);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena,
				"{\"spec\":{%s," VOLUMES "},\"status\":{\"phase\":\"Pending\","
				"\"containerStatuses\":[%s]}}",
				rows[i].spec, rows[i].status)));
		assert_string_equal(p->secrets, rows[i].secrets);
	}
}

#define SANDBOX(status) \
	"\"conditions\":[{\"type\":\"PodReadyToStartContainers\",\"status\":\"" status "\"}],"

/*
 * Behind its volumes and its network a pod may still pull an image, for which no
 * ConfigMap is to blame. A kubelet that does not say how far it is counts as behind them.
 */
/* Acceptance: status-3 */
static void test_what_a_pod_mounts_is_known_while_its_volumes_are_to_come(void **state)
{
	(void)state;
#define CM(volume, name, more) \
	"{\"name\":\"" volume "\",\"configMap\":{\"name\":\"" name "\"" more "}}"
#define MIXED                                                                                     \
	"\"volumes\":[" CM("a", "site", "") "," CM("b", "gone", ",\"optional\":true") "," CM("c", \
		"site", "") "," CM("unmounted", "u", "") "," CM("d", "../x", "") "]"
	static const struct {
		const char *mounts, *volumes, *before, *state, *wanted;
	} rows[] = {
		{ MOUNTS, VOLUMES, SANDBOX("False"), WAITS("ContainerCreating"),
			"configmap/c secret/key secret/jwt" },
		{ MOUNTS, MIXED, SANDBOX("False"), WAITS("ContainerCreating"), "configmap/site" },
		{ "\"volumeMounts\":[" MOUNT("e") "]", VOLUMES, SANDBOX("False"),
			WAITS("ContainerCreating"), "configmap/c secret/jwt" },
		{ MOUNTS, VOLUMES, SANDBOX("True"), WAITS("ContainerCreating"), "" },
		{ MOUNTS, VOLUMES, "", WAITS("ContainerCreating"), "" },
		{ MOUNTS, VOLUMES, SANDBOX("False"), "\"state\":{\"running\":{}}", "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
			arena_printf(&g.arena,
				"{\"spec\":{\"containers\":[{%s}],%s},\"status\":{%s\"phase\":"
				"\"Pending\",\"containerStatuses\":[{%s}]}}",
				rows[i].mounts, rows[i].volumes, rows[i].before, rows[i].state)));
		assert_string_equal(p->mounts, rows[i].wanted);
	}
#undef CM
#undef MIXED
}

static void test_an_init_container_waits_for_its_secrets_too(void **state)
{
	(void)state;
	WORLD(g);
	AUTO(own_free) struct pod_fact *p = pod_fact_new(given_json(&g,
		"{\"spec\":{\"containers\":[{}],\"initContainers\":[{\"volumeMounts\":[" MOUNT(
			"a") "]}]," VOLUMES
			     "},\"status\":{\"phase\":\"Pending\"," INIT(WAITS("PodInitializing"))
				     STATE(WAITS("PodInitializing")) "}}"));
	assert_string_equal(p->secrets, "key");
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
		cmocka_unit_test(test_what_a_pod_mounts_is_known_while_its_volumes_are_to_come),
		cmocka_unit_test(test_an_init_container_waits_for_its_secrets_too),
		cmocka_unit_test(test_when_a_pod_began_to_wait_is_known_if_it_was_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
