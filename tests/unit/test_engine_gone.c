/* SPDX-License-Identifier: Apache-2.0 */
/* Names of pods that went a while ago. */
#include "lib/sim_loop.h"
#include "lib/test.h"

#include "engine/store.h"

enum { KEEP_MS = 1000 };

static struct sim_loop clock_;

static bool is_pending(const struct pod_fact *p) { return p->phase == POD_PENDING; }

static struct store *given_store(void)
{
	sim_loop_init(&clock_, SIM_LOOP_WALL_MS);
	struct store *s = store_new(&clock_.loop, NULL, NULL);
	store_gone(s)->matters = is_pending;
	store_gone(s)->keep_ms = KEEP_MS;
	return s;
}

static void end(struct store *s)
{
	store_free(s);
	assert_int_equal(sim_loop_end(&clock_), 0);
}

static struct json_doc *pod(const char *name, const char *uid, const char *phase)
{
	char text[300];
	struct json_doc *doc = NULL;
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%s\"},"
		"\"status\":{\"phase\":\"%s\"}}",
		name, uid, uid, phase);
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	return doc;
}

static void put(struct store *s, const char *name, const char *uid, const char *phase)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, phase);
	store_put(s, RES_POD, json_root(doc));
}

static void removed(struct store *s, const char *name, const char *uid)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, "Pending");
	store_remove(s, RES_POD, json_root(doc));
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
	(void)state;
	struct store *s = given_store();
	put(s, "foo-0", "1", "Pending");
	put(s, "foo-1", "2", "Running");
	then_gone(s, "ns", "");
	removed(s, "foo-0", "1");
	removed(s, "foo-1", "2");
	then_gone(s, "ns", "foo-0 ");
	then_gone(s, "other", "");
	sim_loop_pass(&clock_, KEEP_MS);
	then_gone(s, "ns", "");
	end(s);
}

static void test_one_whose_successor_is_there_has_gone(void **state)
{
	(void)state;
	struct store *s = given_store();
	put(s, "foo-0", "1", "Pending");
	put(s, "foo-0", "2", "Running");
	then_gone(s, "ns", "foo-0 ");
	put(s, "foo-0", "3", "Running");
	then_gone(s, "ns", "foo-0 ");
	end(s);
}

static void put_at(struct store *s, const char *name, const char *uid, const char *ip)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%s\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"%s\"}}",
		name, uid, uid, ip);
	assert_false(failed(json_parse(str_text(&text), text.len, SIZE_MAX, &doc)));
	store_put(s, RES_POD, json_root(doc));
}

/* Slurm has the node of a pod that is gone for a while, at the address that it had. */
static void test_the_address_of_a_pod_that_went_is_known_for_ten_minutes(void **state)
{
	(void)state;
	struct store *s = given_store();
	put_at(s, "foo-0", "1", "10.244.0.9");
	assert_false(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.9"));
	removed(s, "foo-0", "1");
	assert_true(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.9"));
	assert_false(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.8"));
	assert_false(gone_had(store_gone(s), "ns", "foo-1", "10.244.0.9"));
	assert_false(gone_had(store_gone(s), "q", "foo-0", "10.244.0.9"));
	assert_false(gone_had(store_gone(s), "ns", "foo-0", ""));
	then_gone(s, "ns", ""); /* it did not matter otherwise */
	for (int i = 0; i < 64; i++) {
		sim_loop_pass(&clock_, 600000 / 64 + 1);
		put_at(s, "foo-2", "3", "10.244.0.7");
		removed(s, "foo-2", "3");
	}
	assert_false(gone_had(store_gone(s), "ns", "foo-0", "10.244.0.9"));
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_address_of_a_pod_that_went_is_known_for_ten_minutes),
		cmocka_unit_test(test_the_name_of_one_that_matters_is_kept_for_a_while),
		cmocka_unit_test(test_one_whose_successor_is_there_has_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
