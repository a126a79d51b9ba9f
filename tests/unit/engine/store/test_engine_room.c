/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the manager's memory the objects of one namespace may take. */
#include <string.h>

#include "base/str.h"
#include "lib/store_world.h"

static int told; /* how often a NodeSet was told of */

static void tell(void *ctx, enum resource r, const char *ns, const char *name, const char *owner)
{
	(void)ctx, (void)ns, (void)name, (void)owner;
	told += r == RES_NODESET;
}

static int given_a_store_that_tells(void **state)
{
	sim_loop_init(&store_clock, SIM_LOOP_WALL_MS);
	*state = store_new(&store_clock.loop, tell, NULL);
	told = 0;
	return 0;
}

/* With so many kB of members of its own. */
static struct json_doc *object(const char *ns, const char *name, int version, int kb)
{
	AUTO(str_free) struct str text = { 0 };
	struct json_doc *doc = NULL;
	str_addf(&text,
		"{\"metadata\":{\"annotations\":{\"a\":\"%0*d\"},\"namespace\":\"%s\",\"name\":"
		"\"%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"%d\"},\"data\":[0",
		kb > 1 ? kb * 256 : 1, 0, ns, name, name, version);
	while (text.len < (size_t)kb * 512)
		str_add(&text, ",\"0123456789012345678901234567890123456789\"");
	str_add(&text, "]}");
	assert_false(failed(json_parse(str_text(&text), text.len, SIZE_MAX, &doc)));
	return doc;
}

static void put_object(struct store *s, enum resource r, const char *ns, const char *name,
	int version, int kb)
{
	AUTO(json_auto) struct json_doc *doc = object(ns, name, version, kb);
	store_put(s, r, json_root(doc));
}

static void remove_object(struct store *s, enum resource r, const char *ns, const char *name)
{
	AUTO(json_auto) struct json_doc *doc = object(ns, name, 99, 1);
	store_remove(s, r, json_root(doc));
}

/* As it is, from the API server. */
static bool read_again(struct store *s, enum resource r, const char *ns, const char *name)
{
	AUTO(json_auto) struct json_doc *doc = object(ns, name, 1, 200);
	return store_read_again(s, r, json_root(doc));
}

static void put_many(struct store *s, const char *ns, int n, int kb)
{
	for (int i = 0; i < n; i++) {
		char name[300];
		/* as long as Kubernetes takes them */
		snprintf(name, sizeof(name), "%0248d-%04d", 0, i);
		put_object(s, RES_REVISION, ns, name, 1, kb);
	}
}

enum { HEAP = 150 }; /* more than fit */

static size_t memory_of_all;

static void add_memory(void *ctx, const struct record *rec)
{
	(void)ctx;
	memory_of_all += json_memory(rec->object);
	assert_int_equal(strlen(rec->name), 253);
	assert_string_equal(rec->ns, "heap");
}

/* Acceptance: removal-21 */
static void test_a_namespace_has_its_share_of_memory_and_the_others_theirs(void **state)
{
	struct store *s = *state;
	put_many(s, "heap", 300, 200);
	memory_of_all = 0;
	store_each(s, RES_REVISION, "heap", add_memory, NULL);
	/* Half of 16 MB, and of each of those that do not fit what is usual */
	assert_in_range(memory_of_all, 8 << 20, (8 << 20) + (300 * 18 << 10));
	assert_in_range(store_short(s, RES_NODESET, "heap"), 200, 299);
	put_object(s, RES_NODESET, "quiet", "foo", 1, 200);
	assert_int_equal(store_short(s, RES_NODESET, "quiet"), 0);
	assert_false(store_get(s, RES_NODESET, "quiet", "foo")->cut);
}

static void test_objects_of_the_usual_size_have_room_whatever_the_others_take(void **state)
{
	struct store *s = *state;
	char ns[32];
	for (int i = 0; i < 12; i++) {
		snprintf(ns, sizeof(ns), "heap-%d", i);
		put_many(s, ns, HEAP, 200);
		assert_int_not_equal(store_short(s, RES_NODESET, ns), 0);
	}
	put_many(s, "quiet", 500, 4);
	put_object(s, RES_NODESET, "quiet", "foo", 1, 200);
	assert_int_equal(store_short(s, RES_NODESET, "quiet"), 0);
}

static void test_what_is_known_already_is_kept_whatever_the_others_take(void **state)
{
	struct store *s = *state;
	put_many(s, "early", 30, 200);
	assert_int_equal(store_short(s, RES_NODESET, "early"), 0);
	for (int i = 0; i < 12; i++) {
		char ns[32];
		snprintf(ns, sizeof(ns), "heap-%d", i);
		put_many(s, ns, HEAP, 200);
	}
	AUTO(json_auto) struct json_doc *doc = object("early", "foo", 2, 1);
	store_put(s, RES_NODESET, json_root(doc));
	put_many(s, "early", 30, 200);
	assert_int_equal(store_short(s, RES_NODESET, "early"), 0);
}

static void test_when_there_is_room_again_all_of_it_is_read(void **state)
{
	struct store *s = *state;
	for (int i = 0; i < HEAP; i++) {
		char name[16];
		snprintf(name, sizeof(name), "r-%d", i);
		put_object(s, RES_REVISION, "heap", name, 1, 200);
	}
	put_object(s, RES_NODESET, "heap", "foo", 1, 200);
	assert_true(store_get(s, RES_NODESET, "heap", "foo")->in_short);
	assert_null(store_could_grow(s, "heap"));
	told = 0;
	for (int i = 0; i < HEAP; i++) {
		char name[16];
		snprintf(name, sizeof(name), "r-%d", i);
		remove_object(s, RES_REVISION, "heap", name);
	}
	assert_string_equal(store_could_grow(s, "heap")->name, "foo");
	assert_null(store_could_grow(s, "quiet"));
	assert_int_equal(told, 0);
	assert_true(read_again(s, RES_NODESET, "heap", "foo"));
	assert_false(store_get(s, RES_NODESET, "heap", "foo")->in_short);
	assert_false(rooms_short(store_rooms(s)));
	assert_int_equal(store_short(s, RES_NODESET, "heap"), 0);
}

/* ---- jobs: users make many, each as large as its script ---- */

static const char *job_name(int i)
{
	static char name[16];
	snprintf(name, sizeof(name), "cow-%d", i);
	return name;
}

static void put_jobs(struct store *s, int n)
{
	for (int i = 0; i < n; i++)
		put_object(s, RES_SLURMJOB, "heap", job_name(i), 1, 200);
}

static void test_jobs_never_take_the_room_of_others(void **state)
{
	struct store *s = *state;
	put_object(s, RES_NODESET, "heap", "foo", 1, 1);
	told = 0;
	put_jobs(s, HEAP);
	assert_in_range(store_short(s, RES_SLURMJOB, "heap"), 100, HEAP - 1);
	put_object(s, RES_NODESET, "heap", "large", 1, 200);
	assert_int_equal(store_short(s, RES_NODESET, "heap"), 0);
	assert_int_equal(told, 1);
}

static void test_a_job_that_is_short_of_room_does_not_wait_for_the_others(void **state)
{
	struct store *s = *state;
	put_jobs(s, HEAP);
	assert_null(store_could_grow(s, "heap"));
	for (int i = 0; i < 3; i++)
		remove_object(s, RES_SLURMJOB, "heap", job_name(i));
	size_t before = store_short(s, RES_SLURMJOB, "heap");
	const struct record *rec = store_could_grow(s, "heap");
	assert_non_null(rec);
	assert_true(rec->in_short);
	assert_true(read_again(s, RES_SLURMJOB, "heap", rec->name));
	assert_int_equal(store_short(s, RES_SLURMJOB, "heap"), before - 1);
}

/* ---- who is short ---- */

/* A watch has told that it is gone, and the answer is older than that. */
static void test_what_is_gone_does_not_come_back_when_it_is_read_again(void **state)
{
	struct store *s = *state;
	put_many(s, "heap", HEAP, 200);
	put_object(s, RES_NODESET, "heap", "foo", 1, 200);
	remove_object(s, RES_NODESET, "heap", "foo");
	assert_false(read_again(s, RES_NODESET, "heap", "foo"));
	assert_null(store_get(s, RES_NODESET, "heap", "foo"));
}

static void test_namespaces_without_room_take_turns(void **state)
{
	struct store *s = *state;
	assert_null(rooms_next_short(store_rooms(s), ""));
	put_many(s, "b", HEAP, 200);
	put_many(s, "a", HEAP, 200);
	put_many(s, "c", HEAP, 1);
	assert_string_equal(rooms_next_short(store_rooms(s), ""), "a");
	assert_string_equal(rooms_next_short(store_rooms(s), "a"), "b");
	assert_string_equal(rooms_next_short(store_rooms(s), "b"), "a");
}

/* Each of its NodeSets is planned anew then. */
static void test_the_nodesets_of_a_namespace_hear_that_it_is_short_of_room(void **state)
{
	struct store *s = *state;
	put_object(s, RES_NODESET, "heap", "foo", 1, 1);
	put_object(s, RES_NODESET, "quiet", "foo", 1, 1);
	told = 0;
	put_many(s, "heap", HEAP, 200);
	assert_int_equal(told, 1);
	for (int i = 0; i < HEAP; i++) {
		char name[300];
		snprintf(name, sizeof(name), "%0248d-%04d", 0, i);
		remove_object(s, RES_REVISION, "heap", name);
	}
	assert_int_equal(told, 2);
}

static void put_pod(struct store *s, int i)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"heap\",\"name\":\"foo-%d\",\"uid\":\"u%d\","
		"\"resourceVersion\":\"1\",\"annotations\":{\"nodeset.slinky.slurm.net/"
		"pod-cordon\":\"true\"},\"labels\":{\"app\":\"slurmd\"",
		i, i);
	for (int n = 0; n < 120; n++)
		str_addf(&text, ",\"l-%d\":\"%060d\"", n, n);
	str_addf(&text,
		"},\"ownerReferences\":[{"
		"\"apiVersion\":\"slinky.slurm.net/v1alpha1\","
		"\"kind\":\"NodeSet\",\"name\":\"%0*d\",\"uid\":\"set\",\"controller\":true}]},"
		"\"spec\":{\"volumes\":[",
		1 << 20, 0);
	for (int n = 0; n < 120; n++)
		str_addf(&text,
			"%s{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"%060d\"}}",
			n ? "," : "", n);
	str_add(&text, "]}}");
	put_text(s, str_text(&text));
}

static const struct pod_fact *pod_of(struct store *s, int i)
{
	char name[16];
	snprintf(name, sizeof(name), "foo-%d", i);
	return store_get(s, RES_POD, "heap", name)->pod;
}

static void test_of_pods_without_room_few_labels_and_claims_are_kept(void **state)
{
	enum { PODS = 1000 };
	struct store *s = *state;
	for (int i = 0; i < PODS; i++)
		put_pod(s, i);
	const struct pod_fact *first = pod_of(s, 0), *last = pod_of(s, PODS - 1);
	assert_in_range(first->bytes, 16000, 32000);
	assert_in_range(last->bytes, 1, 6000);
	assert_true(last->cut);
	assert_string_equal(pod_annotation(last, "nodeset.slinky.slurm.net/pod-cordon"), "true");
	assert_string_equal(last->controller.uid, "set");
	assert_int_not_equal(store_short(s, RES_NODESET, "heap"), 0);
}

static void test_of_a_pod_of_somebody_else_no_labels_are_kept(void **state)
{
	struct store *s = *state;
	put_text(s,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"web\",\"uid\":\"u\","
		"\"resourceVersion\":\"1\",\"labels\":{\"app\":\"web\"},\"ownerReferences\":[{"
		"\"kind\":\"ReplicaSet\",\"name\":\"web\",\"uid\":\"r\",\"controller\":true}]}}");
	put_text(s,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"lone\",\"uid\":\"v\","
		"\"resourceVersion\":\"1\",\"labels\":{\"app\":\"web\"}}}");
	assert_int_equal(get(s, "web")->pod->n_labels, 0);
	assert_int_equal(get(s, "lone")->pod->n_labels, 1);
	assert_false(get(s, "lone")->pod->cut);
}

static void put_web_pod(struct store *s, int version, const char *controller)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"web\",\"uid\":\"u\","
		"\"resourceVersion\":\"%d\",\"ownerReferences\":[%s],\"labels\":{\"app\":"
		"\"web\"",
		version, controller);
	for (int n = 0; n < 120; n++)
		str_addf(&text, ",\"l-%d\":\"%060d\"", n, n);
	str_add(&text, "}}}");
	put_text(s, str_text(&text));
}

static void test_the_labels_of_a_pod_of_somebody_else_take_no_room(void **state)
{
	struct store *s = *state;
	put_web_pod(s, 1, "");
	assert_in_range(get(s, "web")->pod->bytes, 8000, 16000);
	put_web_pod(s, 2,
		"{\"kind\":\"ReplicaSet\",\"name\":\"web\",\"uid\":\"r\","
		"\"controller\":true}");
	assert_in_range(get(s, "web")->pod->bytes, sizeof(struct pod_fact),
		sizeof(struct pod_fact) + 200);
}

#define ROOM_TEST(t) cmocka_unit_test_setup_teardown(t, given_a_store_that_tells, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOM_TEST(test_a_namespace_has_its_share_of_memory_and_the_others_theirs),
		ROOM_TEST(test_objects_of_the_usual_size_have_room_whatever_the_others_take),
		ROOM_TEST(test_what_is_known_already_is_kept_whatever_the_others_take),
		ROOM_TEST(test_when_there_is_room_again_all_of_it_is_read),
		ROOM_TEST(test_jobs_never_take_the_room_of_others),
		ROOM_TEST(test_a_job_that_is_short_of_room_does_not_wait_for_the_others),
		ROOM_TEST(test_what_is_gone_does_not_come_back_when_it_is_read_again),
		ROOM_TEST(test_namespaces_without_room_take_turns),
		ROOM_TEST(test_the_nodesets_of_a_namespace_hear_that_it_is_short_of_room),
		ROOM_TEST(test_of_pods_without_room_few_labels_and_claims_are_kept),
		ROOM_TEST(test_of_a_pod_of_somebody_else_no_labels_are_kept),
		ROOM_TEST(test_the_labels_of_a_pod_of_somebody_else_take_no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
