/* SPDX-License-Identifier: Apache-2.0 */
/* When two actions are the same wish, so that the second of them says: it was undone. */
#include "lib/test.h"

#include "engine/undone.h"

static uint32_t what(const char *body)
{
	return undone_what(&(struct action){ .deed = DO(PATCH_STATUS, NODESET), .body = body });
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_wish_of_another_version_and_time_is_the_same),
		cmocka_unit_test(test_whatever_else_differs_is_another_wish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
