/* SPDX-License-Identifier: Apache-2.0 */
/* The store: what is in flight, what is gone, and what is older news. */
#include "lib/store_world.h"

static void test_a_deletion_that_was_sent_counts_for_the_version_that_it_names(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 5, "Running");
	assert_int_equal(get(s, "foo-0")->pod->deletion_sent_ms, 0);
	store_deletion_sent(s, RES_POD, "ns", "foo-0");
	assert_int_not_equal(get(s, "foo-0")->pod->deletion_sent_ms, 0);
	put(s, "foo-0", "u1", 5, "Running"); /* listed again */
	assert_int_not_equal(get(s, "foo-0")->pod->deletion_sent_ms, 0);
	put(s, "foo-0", "u1", 6, "Running");
	assert_int_equal(get(s, "foo-0")->pod->deletion_sent_ms, 0);
	store_deletion_sent(s, RES_POD, "ns", "unheard-of");
}

static void test_older_news_is_ignored(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 10, "Running");
	put(s, "foo-0", "u1", 9, "Pending");
	assert_int_equal(get(s, "foo-0")->pod->phase, POD_RUNNING);
	removed(s, "foo-0", "u0", 20); /* a predecessor of the same name */
	assert_non_null(get(s, "foo-0"));
	removed(s, "foo-0", "u1", 11);
	assert_null(get(s, "foo-0"));
}

static void test_a_creation_in_flight_takes_its_name_until_it_failed(void **state)
{
	struct store *s = *state;
	int owned = 0;
	uint64_t ticket = sent(s, "foo-1");
	assert_true(get(s, "foo-1")->pod->in_flight);
	store_each_owned(s, "ns", "set", count, &owned);
	assert_int_equal(owned, 1);
	store_outcome(s, ticket, RES_POD, "ns", "foo-1", NULL, false);
	assert_null(get(s, "foo-1"));
}

static void test_the_answer_to_a_creation_and_the_watch_may_come_in_any_order(void **state)
{
	struct store *s = *state;
	uint64_t ticket = sent(s, "foo-1");
	outcome(s, ticket, "foo-1", "u1", 7, false);
	put(s, "foo-1", "u1", 7, "Pending");
	assert_false(get(s, "foo-1")->in_flight);
	ticket = sent(s, "foo-2");
	put(s, "foo-2", "u2", 9, "Running");
	outcome(s, ticket, "foo-2", "u2", 8, false);
	assert_int_equal(get(s, "foo-2")->pod->phase, POD_RUNNING);
	assert_false(get(s, "foo-2")->pod->in_flight);
}

static void test_the_answer_to_a_write_does_not_bring_back_what_is_gone(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 5, "Running");
	uint64_t ticket = store_sent(s, RES_POD, "ns", "foo-0", NULL, NULL);
	removed(s, "foo-0", "u1", 8);
	outcome(s, ticket, "foo-0", "u1", 7, false);
	assert_null(get(s, "foo-0"));
}

/*
 * The answer to a deletion may come when the watch has shown its end and the successor is
 * on its way, or there.
 */
static void test_an_outcome_says_nothing_about_a_successor(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 5, "Running");
	uint64_t deletion = store_sent(s, RES_POD, "ns", "foo-0", NULL, NULL);
	removed(s, "foo-0", "u1", 8);
	uint64_t creation = sent(s, "foo-0");
	store_outcome(s, deletion, RES_POD, "ns", "foo-0", NULL, false); /* read again: not found */
	assert_true(get(s, "foo-0")->in_flight);
	outcome(s, creation, "foo-0", "u2", 9, false);
	store_outcome(s, deletion, RES_POD, "ns", "foo-0", NULL, true);
	assert_false(get(s, "foo-0")->pod->terminating);

	put(s, "foo-1", "u3", 5, "Running");
	deletion = store_sent(s, RES_POD, "ns", "foo-1", NULL, NULL);
	put(s, "foo-1", "u4", 12, "Running"); /* a new list, after a gap of the watch */
	store_outcome(s, deletion, RES_POD, "ns", "foo-1", NULL, true);
	assert_false(get(s, "foo-1")->pod->terminating);
}

static void test_an_accepted_deletion_counts_as_terminating(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u1", 5, "Running");
	uint64_t ticket = store_sent(s, RES_POD, "ns", "foo-0", NULL, NULL);
	assert_true(get(s, "foo-0")->pod->in_flight);
	store_outcome(s, ticket, RES_POD, "ns", "foo-0", NULL, true);
	assert_true(get(s, "foo-0")->pod->terminating);
	assert_false(get(s, "foo-0")->pod->in_flight);
}

static void test_a_list_forgets_what_it_does_not_bring_but_not_what_we_just_made(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u0", 5, "Running");
	put(s, "foo-1", "u1", 6, "Running");
	assert_false(store_complete(s, RES_POD, NULL));
	store_list_begin(s, RES_POD, NULL, 8);
	put(s, "foo-0", "u0", 5, "Running");
	sent(s, "foo-2");
	uint64_t ticket = sent(s, "foo-3");
	outcome(s, ticket, "foo-3", "u3", 9, false);
	store_list_end(s, RES_POD, NULL, 8);
	assert_true(store_complete(s, RES_POD, "ns"));
	assert_non_null(get(s, "foo-0"));
	assert_null(get(s, "foo-1"));
	assert_non_null(get(s, "foo-2"));
	assert_non_null(get(s, "foo-3"));
}

/*
 * Seed 1010846: the answer to our deletion came while a list of after it was taken in.
 * The record was "touched", stayed, and the watch, which goes on from the list, never
 * spoke of it again.
 */
static void test_a_list_is_right_about_what_an_older_answer_touched_meanwhile(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u0", 5, "Running");
	put(s, "foo-1", "u1", 6, "Running");
	uint64_t deletion = store_sent(s, RES_POD, "ns", "foo-0", NULL, NULL),
		 patch = store_sent(s, RES_POD, "ns", "foo-1", NULL, NULL);
	store_list_begin(s, RES_POD, NULL, 10);
	outcome(s, deletion, "foo-0", "u0", 9, true);
	outcome(s, patch, "foo-1", "u1", 12, false);
	store_list_end(s, RES_POD, NULL, 10);
	assert_null(get(s, "foo-0"));
	assert_non_null(get(s, "foo-1"));
}

/*
 * A restore of etcd sets the versions back: the older object is the truth then, and was
 * ignored for ever.
 */
static void test_a_restored_etcd_is_believed(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u0", 2500, "Running");
	put(s, "foo-1", "u1", 2527, "Running");
	store_list_begin(s, RES_POD, NULL, 2216);
	put(s, "foo-0", "u0", 2100, "Pending");
	store_list_end(s, RES_POD, NULL, 2216);
	assert_int_equal(get(s, "foo-0")->version, 2100);
	assert_int_equal(get(s, "foo-0")->pod->phase, POD_PENDING);
	assert_null(get(s, "foo-1"));
	put(s, "foo-0", "u0", 2217, "Running");
	assert_int_equal(get(s, "foo-0")->pod->phase, POD_RUNNING);
	put(s, "foo-0", "u0", 2100, "Pending"); /* what is late is late again */
	assert_int_equal(get(s, "foo-0")->version, 2217);
}

/*
 * An answer to a write may be newer than a list that was asked for before it: nothing was
 * restored.
 */
static void test_a_list_that_is_older_than_an_answer_is_not_a_restored_etcd(void **state)
{
	struct store *s = *state;
	put(s, "foo-0", "u0", 5, "Running");
	uint64_t patch = store_sent(s, RES_POD, "ns", "foo-0", NULL, NULL);
	outcome(s, patch, "foo-0", "u0", 9, false);
	store_list_begin(s, RES_POD, NULL, 8);
	put(s, "foo-0", "u0", 5, "Running");
	store_list_end(s, RES_POD, NULL, 8);
	assert_int_equal(get(s, "foo-0")->version, 9);
}

static void test_a_creation_that_a_newer_list_lacks_is_gone_when_its_answer_comes(void **state)
{
	struct store *s = *state;
	uint64_t older = sent(s, "foo-0"), newer = sent(s, "foo-1");
	store_list_begin(s, RES_POD, NULL, 20);
	store_list_end(s, RES_POD, NULL, 20);
	outcome(s, older, "foo-0", "u0", 15, false);
	outcome(s, newer, "foo-1", "u1", 25, false);
	assert_null(get(s, "foo-0"));
	assert_non_null(get(s, "foo-1"));
}

static struct json_doc *revision(const char *uid, int version)
{
	char text[200];
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-1\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%d\"}}",
		uid, version);
	struct json_doc *doc = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	return doc;
}

/*
 * The template went there and back: the revision was made, deleted and is made again, and
 * only now the watch tells of the first one.
 */
static void test_a_creation_goes_on_when_an_earlier_one_of_its_name_is_shown_late(void **state)
{
	struct store *s = *state;
	AUTO(json_auto) struct json_doc *first = revision("u1", 5), *gone = revision("u1", 6),
			       *second = revision("u2", 9);
	uint64_t ticket = store_sent(s, RES_REVISION, "ns", "foo-1",
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-1\"}}", "set");
	store_put(s, RES_REVISION, json_root(first));
	assert_true(store_get(s, RES_REVISION, "ns", "foo-1")->in_flight);
	store_list_begin(s, RES_REVISION, NULL, 7);
	store_list_end(s, RES_REVISION, NULL, 7);
	assert_true(store_get(s, RES_REVISION, "ns", "foo-1")->in_flight);
	store_remove(s, RES_REVISION, json_root(gone));
	assert_true(store_get(s, RES_REVISION, "ns", "foo-1")->in_flight);

	store_outcome(s, ticket, RES_REVISION, "ns", "foo-1", json_root(second), false);
	assert_false(store_get(s, RES_REVISION, "ns", "foo-1")->in_flight);
	assert_string_equal(store_get(s, RES_REVISION, "ns", "foo-1")->uid, "u2");
}

/*
 * The pod that has the name is about to be deleted with its owner: the creation was sent
 * all the same, and may come after that.
 */
static void test_a_creation_goes_on_when_whoever_had_its_name_goes(void **state)
{
	struct store *s = *state;
	AUTO(json_auto) struct json_doc *first = revision("u1", 5), *gone = revision("u1", 6);
	store_put(s, RES_REVISION, json_root(first));
	uint64_t ticket = store_sent(s, RES_REVISION, "ns", "foo-1",
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-1\"}}", "set");
	store_remove(s, RES_REVISION, json_root(gone));
	assert_true(store_get(s, RES_REVISION, "ns", "foo-1")->in_flight);
	store_outcome(s, ticket, RES_REVISION, "ns", "foo-1", NULL, false);
	assert_null(store_get(s, RES_REVISION, "ns", "foo-1"));
}

static void put_revision(struct store *s, const char *more)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	char text[300];
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-abc\",\"uid\":\"r\","
		"\"resourceVersion\":\"5\"%s}}",
		more);
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, RES_REVISION, json_root(doc));
}

/* Seed 1010846: while the watch was away it was deleted 70 times a second. */
static void test_what_has_no_time_to_end_is_gone_when_its_deletion_was_accepted(void **state)
{
	struct store *s = *state;
	put_revision(s, "");
	uint64_t ticket = store_sent(s, RES_REVISION, "ns", "foo-abc", NULL, NULL);
	store_outcome(s, ticket, RES_REVISION, "ns", "foo-abc", NULL, true);
	assert_null(store_get(s, RES_REVISION, "ns", "foo-abc"));
	put_revision(s, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
	ticket = store_sent(s, RES_REVISION, "ns", "foo-abc", NULL, NULL);
	store_outcome(s, ticket, RES_REVISION, "ns", "foo-abc", NULL, true);
	assert_non_null(store_get(s, RES_REVISION, "ns", "foo-abc"));
}

static void test_lists_of_two_namespaces_do_not_disturb_each_other(void **state)
{
	struct store *s = *state;
	store_list_begin(s, RES_POD, "ns", 6);
	put(s, "foo-0", "u0", 5, "Running");
	store_list_begin(s, RES_POD, "other", 7);
	store_list_end(s, RES_POD, "ns", 6);
	store_list_end(s, RES_POD, "other", 7);
	assert_non_null(get(s, "foo-0"));
}

static void test_another_object_of_the_same_owner_does_not_hide_its_pods(void **state)
{
	struct store *s = *state;
	static const char revision[] =
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-abc\",\"uid\":\"r\","
		"\"resourceVersion\":\"%d\","
		"\"ownerReferences\":[{\"uid\":\"set\",\"controller\":true}]}}";
	put(s, "foo-0", "u0", 5, "Running");
	for (int version = 6; version < 8; version++) {
		char text[512];
		struct json_doc *doc = NULL;
		snprintf(text, sizeof(text), revision, version);
		assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
		store_put(s, RES_REVISION, json_root(doc));
		json_free(doc);
	}
	int owned = 0;
	store_each_owned(s, "ns", "set", count, &owned);
	assert_int_equal(owned, 1);
}

static void put_owned_revision(struct store *s, const char *name, const char *owners)
{
	char text[512];
	AUTO(json_auto) struct json_doc *doc = NULL;
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"u\","
		"\"resourceVersion\":\"5\"%s},\"data\":{\"a\":1}}",
		name, owners);
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, RES_REVISION, json_root(doc));
}

static bool has_data(struct store *s, const char *name)
{
	return json_is_obj(json_get(store_get(s, RES_REVISION, "ns", name)->object, "data"));
}

static void test_of_the_revisions_of_others_only_the_metadata_is_kept(void **state)
{
	struct store *s = *state;
#define CONTROLLER(version, kind)                                                      \
	",\"ownerReferences\":[{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\"," \
	"\"uid\":\"u\",\"controller\":true}]"
	put_owned_revision(s, "ours", CONTROLLER("slinky.slurm.net/v1alpha1", "NodeSet"));
	put_owned_revision(s, "orphan", "");
	put_owned_revision(s, "theirs", CONTROLLER("apps/v1", "DaemonSet"));
	put_owned_revision(s, "another", CONTROLLER("cluster.x-k8s.io/v1beta1", "Cluster"));
	assert_true(has_data(s, "ours"));
	assert_true(has_data(s, "orphan"));
	assert_false(has_data(s, "theirs") || has_data(s, "another"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_store, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_deletion_that_was_sent_counts_for_the_version_that_it_names),
		T(test_older_news_is_ignored),
		T(test_a_creation_in_flight_takes_its_name_until_it_failed),
		T(test_the_answer_to_a_creation_and_the_watch_may_come_in_any_order),
		T(test_the_answer_to_a_write_does_not_bring_back_what_is_gone),
		T(test_an_outcome_says_nothing_about_a_successor),
		T(test_an_accepted_deletion_counts_as_terminating),
		T(test_a_list_forgets_what_it_does_not_bring_but_not_what_we_just_made),
		T(test_a_list_is_right_about_what_an_older_answer_touched_meanwhile),
		T(test_a_restored_etcd_is_believed),
		T(test_a_list_that_is_older_than_an_answer_is_not_a_restored_etcd),
		T(test_a_creation_that_a_newer_list_lacks_is_gone_when_its_answer_comes),
		T(test_a_creation_goes_on_when_an_earlier_one_of_its_name_is_shown_late),
		T(test_a_creation_goes_on_when_whoever_had_its_name_goes),
		T(test_what_has_no_time_to_end_is_gone_when_its_deletion_was_accepted),
		T(test_another_object_of_the_same_owner_does_not_hide_its_pods),
		T(test_lists_of_two_namespaces_do_not_disturb_each_other),
		T(test_of_the_revisions_of_others_only_the_metadata_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
