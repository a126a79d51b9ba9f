/* SPDX-License-Identifier: Apache-2.0 */
/* When two actions request the same, so that the second says: the first was reverted. */
#include "lib/test.h"

#include "engine/act/reverted.h"

static uint32_t what(const char *body)
{
	return reverted_what(&(struct action){
		.operation = DO(PATCH_STATUS, NODESET), .body = body });
}

#define STATUS(version, status, time, message)                                     \
	"{\"metadata\":{\"resourceVersion\":\"" version                            \
	"\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status \
	"\",\"lastTransitionTime\":\"" time "\",\"reason\":\"r\",\"message\":\"" message "\"}]}}"
#define THEN "2026-01-01T00:00:00Z"
#define NOW "2026-12-31T23:59:59Z"

static void test_the_same_wish_of_another_version_and_time_is_the_same(void **state)
{
	(void)state;
	uint32_t wish = what(STATUS("7", "True", THEN, "2 pods"));
	assert_int_not_equal(wish, 0);
	assert_int_equal(what(STATUS("1234", "True", THEN, "2 pods")), wish);
	assert_int_equal(what(STATUS("1234", "True", NOW, "2 pods")), wish);
	assert_int_equal(
		what("[{\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"},{\"a\":1}]"),
		what("[{\"path\":\"/metadata/resourceVersion\",\"value\":\"1234\"},{\"a\":1}]"));
}

static void test_whatever_else_differs_is_another_wish(void **state)
{
	(void)state;
	static const char *const bodies[] = {
		STATUS("7", "True", THEN, "2 pods"),
		STATUS("7", "False", THEN, "2 pods"),
		STATUS("7", "True", THEN, "3 pods"),
		"{\"lastTransitionTime\":null,\"replicas\":2}",
		"{\"lastTransitionTime\":null,\"replicas\":3}",
		"{\"resourceVersion\":\"\",\"replicas\":2}",
		"{\"resourceVersion\":\"\",\"replicas\":3}",
		"{\"resourceVersion\"",
		"",
	};
	for (size_t i = 0; i < LENGTH(bodies); i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(what(bodies[i]), what(bodies[k]));
}

/*
 * The second has the hash of the first by FNV, which any tenant can bring about: it is
 * the node of a NodeSet giao0asq in another namespace.
 */
static void test_nobody_else_makes_a_node_wait_by_a_name(void **state)
{
	enum { NOW_MS = 1000 };
	const uint32_t undrain = reverted_what(&(struct action){
		.operation = { .verb = VERB_UNDRAIN } });
	struct reverted *all = NULL;
	(void)state;
	for (int i = 0; i < 4; i++)
		reverted_done(&all, "evil/c giao0asq-0 state", undrain, NOW_MS);
	assert_true(reverted_left_ms(all, "evil/c giao0asq-0 state", undrain, NOW_MS) > 0);
	assert_int_equal(reverted_left_ms(all, "victim/slurm w-0 state", undrain, NOW_MS), 0);
	assert_int_equal(reverted_done(&all, "victim/slurm w-0 state", undrain, NOW_MS), 1);
	reverted_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_wish_of_another_version_and_time_is_the_same),
		cmocka_unit_test(test_whatever_else_differs_is_another_wish),
		cmocka_unit_test(test_nobody_else_makes_a_node_wait_by_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
