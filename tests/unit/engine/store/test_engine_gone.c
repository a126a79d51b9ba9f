/* SPDX-License-Identifier: Apache-2.0 */
/* Names of pods that went a while ago. */
#include "lib/store_world.h"

enum { KEEP_MS = 1000 };

static bool is_pending(const struct pod_fact *p) { return p->phase == POD_PENDING; }

static int given_a_store_that_remembers(void **state)
{
	given_a_store(state);
	store_gone(*state)->matters = is_pending;
	store_gone(*state)->keep_ms = KEEP_MS;
	return 0;
}

static void add(void *ctx, const char *name) { str_addf(ctx, "%s ", name); }

static void then_gone(const struct store *s, const char *ns, const char *names)
{
	AUTO(str_free) struct str text = { 0 };
	gone_each(store_gone(s), ns, add, &text);
	assert_string_equal(str_text(&text), names);
}

static void test_the_name_of_one_that_matters_is_kept_for_a_while(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "1", 1, "Pending");
	put(s, "foo-1", "2", 2, "Running");
	then_gone(s, "ns", "");
	removed(s, "foo-0", "1", 1);
	removed(s, "foo-1", "2", 2);
	then_gone(s, "ns", "foo-0 ");
	then_gone(s, "other", "");
	sim_loop_pass(&store_clock, KEEP_MS);
	then_gone(s, "ns", "");
}

static void test_one_whose_successor_is_there_has_gone(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "1", 1, "Pending");
	put(s, "foo-0", "2", 2, "Running");
	then_gone(s, "ns", "foo-0 ");
	put(s, "foo-0", "3", 3, "Running");
	then_gone(s, "ns", "foo-0 ");
}

static void put_at(struct store *s, const char *name, const char *uid, const char *ip)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%s\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"%s\"}}",
		name, uid, uid, ip);
	put_text(s, str_text(&text));
}

/* Slurm has the node of a pod that is gone for a while, at the address that it had. */
static void test_the_address_of_a_pod_that_went_is_known_for_ten_minutes(void **state)
{
	struct store *s = *state;
	put_at(s, "foo-0", "1", "10.244.0.9");
	assert_false(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.9"));
	removed(s, "foo-0", "1", 1);
	assert_true(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.9"));
	assert_false(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.8"));
	assert_false(gone_had(store_gone(s), "ns", "foo-1", "10.244.0.9"));
	assert_false(gone_had(store_gone(s), "q", "foo-0", "10.244.0.9"));
	assert_false(gone_had(store_gone(s), "ns", "foo-0", ""));
	then_gone(s, "ns", ""); /* it did not matter otherwise */
	for (int i = 0; i < 64; i++) {
		sim_loop_pass(&store_clock, 600000 / 64 + 1);
		put_at(s, "foo-2", "3", "10.244.0.7");
		removed(s, "foo-2", "3", 3);
	}
	assert_false(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.9"));
}

/* ---- who asked is told ---- */

static struct str told;

static void tell(void *ctx, const struct record *last)
{
	(void)ctx;
	str_addf(&told, "%s/%s ", last->name, last->uid);
}

static void then_told(const char *pods)
{
	assert_string_equal(str_text(&told), pods);
	str_clear(&told);
}

static void test_it_is_told_however_the_store_learns_that_a_pod_went(void **state)
{
	struct store *s = *state;
	store_on_gone(s, tell);
	for (int i = 0; i < 4; i++) {
		char name[8] = { 'f', 'o', 'o', '-', (char)('0' + i), '\0' };
		put(s, name, "u", 5, "Running");
	}
	removed(s, "foo-0", "u", 6);
	then_told("foo-0/u ");
	put(s, "foo-1", "successor", 7, "Pending");
	then_told("foo-1/u ");
	store_list_begin(s, RES_POD, NULL, 9);
	put(s, "foo-1", "successor", 7, "Pending");
	put(s, "foo-2", "u", 5, "Running");
	store_list_end(s, RES_POD, NULL, 9);
	then_told("foo-3/u ");
	uint64_t ticket = sent(s, "foo-4");
	store_outcome(s, ticket, RES_POD, "ns", "foo-4", NULL, false);
	then_told(""); /* it was never there */
	str_free(&told);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_store_that_remembers, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_the_address_of_a_pod_that_went_is_known_for_ten_minutes),
		T(test_the_name_of_one_that_matters_is_kept_for_a_while),
		T(test_one_whose_successor_is_there_has_gone),
		T(test_it_is_told_however_the_store_learns_that_a_pod_went),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
