/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store keeps of objects that are as large as the API server accepts: their names and
 * their purpose, and never more than their share of memory.
 */
#include "lib/test.h"

#include <sys/resource.h>

#include "engine/pod/pod.h"
#include "engine/store/trim.h"
#include "object/metadata.h"

enum { OBJECT_BYTES = 1500000 }; /* as etcd takes them */

/* Adds a value of a hostile object, after a comma. */
typedef void add_value(struct str *out, int i);

static void add_number(struct str *out, int i) { str_addf(out, "%s0", i ? "," : ""); }
static void add_text(struct str *out, int i) { str_addf(out, "%s\"%0999d\"", i ? "," : "", i); }
static void add_member(struct str *out, int i) { str_addf(out, "%s\"k%d\":0", i ? "," : "", i); }
static void add_label(struct str *out, int i)
{
	str_addf(out, "%s\"label-%d\":\"%060d\"", i ? "," : "", i, i);
}
static void add_owner(struct str *out, int i)
{
	str_addf(out, "%s{\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"%d\"}", i ? "," : "", i);
}

static void add_values(struct str *out, const char *brackets, add_value *add)
{
	size_t end = out->len + OBJECT_BYTES;
	str_add_bytes(out, brackets, 1);
	for (int i = 0; out->len < end; i++)
		add(out, i);
	str_add(out, brackets + 1);
}

/* Where it is large. */
enum place { IN_TEMPLATE, IN_LABELS, IN_OWNERS };

static struct json_doc *given_object(enum place place, const char *brackets, add_value *add)
{
	AUTO(str_free) struct str text = { 0 };
	struct json_doc *doc;
	str_add(&text, "{\"metadata\":{\"annotations\":{\"a\":\"b\"},\"labels\":");
	if (place == IN_LABELS)
		add_values(&text, brackets, add);
	else
		str_add(&text, "{\"app\":\"foo\"}");
	str_add(&text, ",\"name\":\"foo\",\"namespace\":\"ns\",\"ownerReferences\":");
	if (place == IN_OWNERS)
		add_values(&text, brackets, add);
	else
		str_add(&text,
			"[{\"apiVersion\":\"slinky.slurm.net/v1alpha1\","
			"\"kind\":\"NodeSet\",\"controller\":true,\"uid\":\"set\"}]");
	str_add(&text,
		",\"resourceVersion\":\"7\",\"uid\":\"u\"},\"spec\":{\"clusterName\":\"slurm\","
		"\"replicas\":3,\"template\":{\"spec\":");
	if (place == IN_TEMPLATE)
		add_values(&text, brackets, add);
	else
		str_add(&text, "{}");
	str_add(&text, "}},\"data\":null}");
	assert_false(failed(json_parse(str_text(&text), text.len, SIZE_MAX, &doc)));
	return doc;
}

/*
 * Five copies of it had 37 MB beside the 12 MB that it has when it was read: one object
 * of one tenant took a third of the manager's memory for a moment.
 */
static void test_bad_input_few_copies_are_made_of_a_large_object(void **state)
{
	enum { MOST_KB = 24 << 10 };
	struct rusage was, is;
	(void)state;
	AUTO(json_auto) struct json_doc *doc = given_object(IN_TEMPLATE, "[]", add_number);
	getrusage(RUSAGE_SELF, &was);
	json_free(object_trimmed(RES_NODESET, json_root(doc), SIZE_MAX));
	getrusage(RUSAGE_SELF, &is);
	assert_in_range(is.ru_maxrss - was.ru_maxrss, 0, MOST_KB);
}

static void then_it_has_its_share(enum resource r, const struct json *whole)
{
	AUTO(json_auto) struct json_doc *kept = object_trimmed(r, whole, SIZE_MAX);
	const struct json *object = json_root(kept);
	assert_in_range(json_memory(object), 1, resource_rows[r].most_kb * 1100);
	assert_true(json_is_cut(object));
	assert_true(object_is_large(object));
	struct metadata m = metadata_of(object);
	assert_string_equal(m.ns, "ns");
	assert_string_equal(m.name, "foo");
	assert_string_equal(m.uid, "u");
	assert_string_equal(m.resource_version, "7");
}

/* Acceptance: removal-21 */
static void test_bad_input_a_large_object_has_its_share_of_memory_only(void **state)
{
	static const struct {
		enum place place;
		const char *brackets;
		add_value *add;
	} rows[] = {
		{ IN_TEMPLATE, "[]", add_number },
		{ IN_TEMPLATE, "[]", add_text },
		{ IN_TEMPLATE, "{}", add_member },
		{ IN_LABELS, "{}", add_label },
		{ IN_OWNERS, "[]", add_owner },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(json_auto) struct json_doc *doc = given_object(rows[i].place, rows[i].brackets,
			rows[i].add);
		then_it_has_its_share(RES_NODESET, json_root(doc));
		then_it_has_its_share(RES_REVISION, json_root(doc));
		if (rows[i].place != IN_TEMPLATE) /* a claim is not read there */
			then_it_has_its_share(RES_PVC, json_root(doc));
	}
}

static struct json_doc *kept_of(enum resource r, const struct json *object)
{
	return object_trimmed(r, object, SIZE_MAX);
}

/* The nodes of a NodeSet are drained, however large it is. */
static void test_bad_input_of_a_large_nodeset_its_cluster_and_size_stay(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = given_object(IN_TEMPLATE, "{}", add_member);
	AUTO(json_auto) struct json_doc *kept = kept_of(RES_NODESET, json_root(doc));
	const struct json *spec = json_get(json_root(kept), "spec");
	assert_string_equal(json_str(json_get(spec, "clusterName"), ""), "slurm");
	assert_int_equal(json_i64(json_get(spec, "replicas"), 0), 3);
}

static void test_an_ordinary_object_is_kept_whole(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = NULL;
	const char text[] = "{\"metadata\":{\"name\":\"foo\"},\"spec\":{\"a\":[1,{\"b\":null}]}}";
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	AUTO(json_auto) struct json_doc *kept = kept_of(RES_NODESET, json_root(doc));
	assert_true(json_equal(json_root(doc), json_root(kept)));
}

/* ---- members that are not read ---- */

enum { SCRIPT_BYTES = 200000 };

/* As kubectl apply makes it: its script is in it twice. */
static struct json_doc *given_a_job(const char *status)
{
	AUTO(str_free) struct str text = { 0 };
	struct json_doc *doc;
	str_addf(&text,
		"{\"metadata\":{\"annotations\":{\"a\":\"b\",\"kubectl.kubernetes.io/"
		"last-applied-configuration\":\"%0*d\"},\"name\":\"cow\",\"namespace\":\"ns\","
		"\"uid\":\"u\",\"resourceVersion\":\"7\",\"generation\":3},"
		"\"spec\":{\"batch\":\"#!/bin/sh\\n%0*d\","
		"\"nodeSelector\":{\"cuda\":10}},\"status\":{%s}}",
		SCRIPT_BYTES, 0, SCRIPT_BYTES, 0, status);
	assert_false(failed(json_parse(str_text(&text), text.len, SIZE_MAX, &doc)));
	return doc;
}

static void test_of_a_job_that_has_its_pod_no_script_is_kept(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = given_a_job("\"status\":\"Running\"");
	AUTO(json_auto) struct json_doc *kept = kept_of(RES_SLURMJOB, json_root(doc));
	AUTO(json_auto) struct json_doc *wanted = NULL;
	const char text[] =
		"{\"metadata\":{\"annotations\":{\"a\":\"b\"},\"name\":\"cow\",\"namespace\":"
		"\"ns\",\"uid\":\"u\",\"resourceVersion\":\"7\",\"generation\":3},"
		"\"spec\":{\"nodeSelector\":{"
		"\"cuda\":10}},\"status\":{\"status\":\"Running\"}}";
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &wanted)));
	assert_true(json_equal(json_root(kept), json_root(wanted)));
	assert_in_range(object_bytes(RES_SLURMJOB, json_root(doc)), 1, 1000);
}

/*
 * The pod is to be created yet. A status that another client wrote says nothing of a pod.
 */
static void test_a_job_that_has_no_pod_keeps_its_script_once(void **state)
{
	static const char *const none[] = { "", "\"status\":\"\"", "\"status\":{}",
		"\"phase\":\"Running\"" };
	(void)state;
	for (size_t i = 0; i < LENGTH(none); i++) {
		AUTO(json_auto) struct json_doc *doc = given_a_job(none[i]);
		assert_in_range(object_bytes(RES_SLURMJOB, json_root(doc)), SCRIPT_BYTES,
			SCRIPT_BYTES + 1000);
		assert_false(object_would_be_large(RES_SLURMJOB, json_root(doc)));
	}
}

#define REFUSED(generation, reason)                                                        \
	"\"conditions\":[{\"type\":\"Accepted\",\"status\":\"False\",\"reason\":\"" reason \
	"\",\"observedGeneration\":" generation "}]"

/* Refused in this version of its spec, for a reason that only another object removes. */
static void test_a_job_that_is_refused_keeps_no_script(void **state)
{
	static const struct {
		const char *status;
		bool kept;
	} rows[] = {
		{ REFUSED("3", "InvalidScript"), false },
		{ REFUSED("3", "TooLarge"), false },
		{ REFUSED("3", "InvalidPrepare"), false },
		{ REFUSED("2", "InvalidScript"), true },
		{ REFUSED("3", "NamespaceTooLarge"), true },
		{ REFUSED("3", "VolumeNotAllowed"), true },
		{ "\"status\":\"Failed\"," REFUSED("3", "VolumeNotAllowed"), true },
		{ "\"status\":\"Failed\"," REFUSED("3", "InvalidScript"), false },
		{ "\"conditions\":[{\"type\":\"Accepted\",\"status\":\"True\",\"reason\":"
		  "\"InvalidScript\",\"observedGeneration\":3}]",
			true },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(json_auto) struct json_doc *doc = given_a_job(rows[i].status);
		AUTO(json_auto) struct json_doc *kept = kept_of(RES_SLURMJOB, json_root(doc));
		bool has = json_at(json_root(kept), "spec", "batch") != NULL;
		assert_int_equal(has, rows[i].kept);
		assert_int_equal(object_bytes(RES_SLURMJOB, json_root(doc)) >= SCRIPT_BYTES, has);
	}
}

/* A text of a user there is kept, as ever. */
static void test_a_batch_of_another_kind_is_kept(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = given_a_job("\"status\":\"Running\"");
	AUTO(json_auto) struct json_doc *kept = kept_of(RES_WLMJOB, json_root(doc));
	assert_non_null(json_at(json_root(kept), "spec", "batch"));
}

/* Acceptance: removal-21 */
static void test_bad_input_of_a_pod_few_labels_are_kept(void **state)
{
	(void)state;
	AUTO(json_auto) struct json_doc *doc = given_object(IN_LABELS, "{}", add_label);
	struct pod_fact *f = pod_fact_new(json_root(doc));
	assert_in_range(f->n_labels, 50, 200);
	assert_string_equal(f->name, "foo");
	assert_string_equal(f->controller.uid, "set");
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: how much there ever was is compared */
		cmocka_unit_test(test_bad_input_few_copies_are_made_of_a_large_object),
		cmocka_unit_test(test_bad_input_a_large_object_has_its_share_of_memory_only),
		cmocka_unit_test(test_bad_input_of_a_large_nodeset_its_cluster_and_size_stay),
		cmocka_unit_test(test_an_ordinary_object_is_kept_whole),
		cmocka_unit_test(test_of_a_job_that_has_its_pod_no_script_is_kept),
		cmocka_unit_test(test_a_job_that_has_no_pod_keeps_its_script_once),
		cmocka_unit_test(test_a_job_that_is_refused_keeps_no_script),
		cmocka_unit_test(test_a_batch_of_another_kind_is_kept),
		cmocka_unit_test(test_bad_input_of_a_pod_few_labels_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
