/* SPDX-License-Identifier: Apache-2.0 */
/* Little is kept of a pod that is as large as the API server takes them, or of a job. */
#include "lib/vnode_world.h"

#include "api/names.h"
#include "virtual_node/parts.h"

#define W struct vnode_world *w = *state

enum { OBJECT_BYTES = 1400000, KEPT_BYTES = 20000, REFUSED_BYTES = 700 };

/* The one pod that there is. */
static size_t kept_bytes(const struct vnode_world *w)
{
	const struct vpod *p = w->vnode->parts->pods;
	assert_null(p->hh.next);
	return json_memory(json_root(p->doc));
}

typedef void add_one(struct str *out, int i);

static void add_variable(struct str *out, int i)
{
	str_addf(out, "%s{\"name\":\"a%d\"}", i ? "," : "", i);
}
static void add_container(struct str *out, int i)
{
	str_addf(out, "%s{\"name\":\"c%d\",\"image\":\"i\"}", i ? "," : "", i);
}
static void add_note(struct str *out, int i)
{
	str_addf(out, "%s\"example.com/n%d\":\"%0999d\"", i ? "," : "", i, i);
}
static void add_owner(struct str *out, int i)
{
	str_addf(out, "%s{\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"%d\"}", i ? "," : "", i);
}
static void add_letter(struct str *out, int i)
{
	(void)i;
	str_add(out, "x");
}

static void test_bad_input_little_is_kept_of_a_large_pod(void **state)
{
	static const struct {
		const char *before, *behind;
		add_one *add;
	} rows[] = {
		{ "{\"spec\":{\"containers\":[{\"name\":\"jt1\",\"image\":\"i\",\"env\":[", "]}]}}",
			add_variable },
		{ "{\"spec\":{\"containers\":[", "]}}", add_container },
		{ "{\"spec\":{\"containers\":[{\"name\":\"jt1\",\"image\":\"", "\"}]}}",
			add_letter },
		{ "{\"metadata\":{\"annotations\":{", "}}}", add_note },
		{ "{\"metadata\":{\"labels\":{", "}}}", add_note },
		{ "{\"metadata\":{\"ownerReferences\":[", "]}}", add_owner },
	};
	W;
	given_a_job(w, "cow", "SlurmJob");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str text = { 0 };
		str_add(&text, rows[i].before);
		for (int n = 0; text.len < OBJECT_BYTES; n++)
			rows[i].add(&text, n);
		str_add(&text, rows[i].behind);
		given_pod_changed(w, "cow", str_text(&text));
		when_time_passed(w, 1000);
		assert_in_range(kept_bytes(w), 1, KEPT_BYTES);
	}
}

/* 250 kB in each: etcd takes no more than 1.5 MB of them together. */
static void add_annotations(struct str *out, const char *const *names, size_t n)
{
	str_add(out, "{\"metadata\":{\"annotations\":{");
	for (size_t i = 0; i < n; i++)
		str_addf(out, "%s\"%s\":\"%0250000d\"", i ? "," : "", names[i], 1);
	str_add(out, "}}}");
}

/* Acceptance: vnode-17 */
static void test_bad_input_an_annotation_is_kept_by_name_and_length(void **state)
{
	static const char *const known[] = { ANNOTATION_JOB_ID, ANNOTATION_JOB_NODES,
		ANNOTATION_JOB_STATE, ANNOTATION_JOB_SUBMITTED, ANNOTATION_JOB_ARRAY,
		ANNOTATION_JOB_ENDED, ANNOTATION_JOB_FAILURE, ANNOTATION_JOB_KEY,
		ANNOTATION_JOB_ACCOUNT, ANNOTATION_INPUTS_WANTED, ANNOTATION_INPUTS_THERE,
		ANNOTATION_INPUTS_FAILED };
	static const char *const others[] = { LABEL_DOMAIN_WLM "x", LABEL_DOMAIN_WLM "job-id2",
		ANNOTATION_RESULTS_URL };
	W;
	w->keeps = "PATCH "; /* nothing is written */
	given_a_job(w, "cow", "SlurmJob");
	AUTO(str_free) struct str text = { 0 };
	add_annotations(&text, known, LENGTH(known));
	given_pod_changed(w, "cow", str_text(&text));
	str_clear(&text);
	add_annotations(&text, others, LENGTH(others));
	given_pod_changed(w, "cow", str_text(&text));
	when_time_passed(w, 1000);
	const struct json *kept = json_at(w->vnode->parts->pods->object.pod, "metadata",
		"annotations");
	assert_in_range(kept_bytes(w), 1, KEPT_BYTES);
	for (size_t i = 0; i < LENGTH(known); i++)
		assert_true(json_is_str(json_get(kept, known[i])));
	for (size_t i = 0; i < LENGTH(others); i++)
		assert_null(json_get(kept, others[i]));
}

/* Acceptance: vnode-17 */
static void test_bad_input_almost_nothing_is_kept_of_a_refused_pod(void **state)
{
	static const char *const known[] = { ANNOTATION_JOB_ID, ANNOTATION_JOB_ENDED };
	W;
	given_a_job(w, "cow", "SlurmJob");
	AUTO(str_free) struct str text = { 0 };
	add_annotations(&text, known, LENGTH(known));
	given_pod_changed(w, "cow", str_text(&text));
	given_pod_changed(w, "cow",
		"{\"metadata\":{\"ownerReferences\":null},\"spec\":{\"containers\":["
		"{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\"}]}}");
	when_time_passed(w, 1000);
	then_phase(w, "cow", "Failed");
	assert_string_equal(pod_text(w, "cow", "status.reason"), "NotAJob");
	assert_in_range(kept_bytes(w), 1, REFUSED_BYTES);

	/* and it goes when it is deleted */
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 1000);
	assert_false(pod_is_there(w, "cow"));
}

/* The kept part of a note is not shorter than the note that was written. */
static void test_bad_input_a_long_word_of_slurm_is_written_once(void **state)
{
	enum { WORD = 5000 };
	static struct slurm_job task;
	char word[WORD + 1];
	W;
	memset(word, '9', WORD);
	word[WORD] = '\0';
	given_a_running_job(w);
	struct slurm_job *j = slurm_job(w, "cow");
	j->array_id = "101";
	task = *j;
	task.id = 102;
	j->next_task = &task;
	j->state = "FAILED";
	j->exit_code = word;
	j->nodes = word;
	when_time_passed(w, 6000);
	int writes = w->pod_writes;
	when_time_passed(w, 20000);
	assert_int_equal(w->pod_writes, writes);
	assert_string_equal(pod_note(w, "cow", ANNOTATION_JOB_ARRAY),
		"pending=0,running=1,succeeded=0,failed=1");
	assert_in_range(strlen(pod_note(w, "cow", ANNOTATION_JOB_FAILURE)), 100, 300);
}

enum { REASON_BYTES = 9 << 20, SHARE_OF_ONE = 4, ALL_RECORDS_BYTES = 64 << 20 };

/* A red-box may say anything of a job, and of any number of jobs. */
static void given_a_talkative_job(struct vnode_world *w, const char *ns, const char *name,
	const char *reason)
{
	given_a_job_in(w, ns, name, "SlurmJob");
	when_time_passed(w, 3000);
	slurm_job(w, name)->state = "RUNNING";
	slurm_job(w, name)->reason = reason;
	when_time_passed(w, 6000);
}

/* Acceptance: vnode-17 */
static void test_bad_input_records_of_jobs_have_a_share_by_namespace(void **state)
{
	W;
	char *reason = own_alloc(REASON_BYTES), name[16];
	memset(reason, 'x', REASON_BYTES - 1);
	for (int i = 0; i < SHARE_OF_ONE; i++)
		given_a_talkative_job(w, "a", numbered(name, i), reason);
	then_phase(w, numbered(name, SHARE_OF_ONE - 2), "Running");
	then_phase(w, numbered(name, SHARE_OF_ONE - 1), "Pending"); /* half of all is used up */
	assert_in_range(w->vnode->records.used, 1, ALL_RECORDS_BYTES / 2);

	/* another namespace is told of its job, and this one when there is room */
	given_a_talkative_job(w, "b", "dog", "None");
	then_phase(w, "dog", "Running");
	slurm_job(w, numbered(name, 0))->reason = "None";
	when_time_passed(w, 40000);
	then_phase(w, numbered(name, SHARE_OF_ONE - 1), "Running");
	free(reason);
}

/*
 * Each of them fits into the share, and all of them do not: room that one holds must not
 * keep the ends of all from being told.
 */
static void test_bad_input_records_that_grow_together_find_room_in_turn(void **state)
{
	enum { JOBS = 5, SMALL = 6 << 20 };
	W;
	char *reason = own_alloc(REASON_BYTES), *shorter = own_alloc(SMALL), name[16];
	memset(reason, 'x', REASON_BYTES - 1);
	memset(shorter, 'x', SMALL - 1);
	for (int i = 0; i < JOBS; i++)
		given_a_talkative_job(w, "a", numbered(name, i), shorter);
	for (int i = 0; i < JOBS; i++) {
		slurm_job(w, numbered(name, i))->state = "COMPLETED";
		slurm_job(w, numbered(name, i))->reason = reason;
	}
	when_time_passed(w, 300000);
	for (int i = 0; i < JOBS; i++)
		then_phase(w, numbered(name, i), "Succeeded");
	free(reason);
	free(shorter);
}

/* A share is smaller when others have come: what it holds already is still told of. */
static void test_records_of_others_keep_no_end_from_being_told(void **state)
{
	enum { JOBS = 3 };
	W;
	char *reason = own_alloc(REASON_BYTES), name[16];
	memset(reason, 'x', REASON_BYTES - 1);
	for (int i = 0; i < JOBS; i++)
		given_a_talkative_job(w, "a", numbered(name, i), reason);
	given_a_talkative_job(w, "b", "dog", reason);
	given_a_talkative_job(w, "c", "hen", reason);
	then_phase(w, "dog", "Running");
	then_phase(w, "hen", "Running");
	for (int i = 0; i < JOBS; i++)
		slurm_job(w, numbered(name, i))->state = "COMPLETED";
	when_time_passed(w, 60000);
	for (int i = 0; i < JOBS; i++)
		then_phase(w, numbered(name, i), "Succeeded");
	free(reason);
}

/* Acceptance: vnode-17 */
static void test_the_records_of_a_job_go_when_its_pod_tells_the_end(void **state)
{
	W;
	given_a_running_job(w);
	assert_in_range(w->vnode->records.used, 1, 1000);
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 10000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(w->vnode->records.used, 0);
	assert_int_equal(w->vnode->parts->pods->report.n_records, 0);

	/* its deletion asks for the job once more, and it goes */
	given_pod_changed(w, "cow", DELETED);
	when_time_passed(w, 25000);
	assert_false(pod_is_there(w, "cow"));
	assert_int_equal(w->sbatches, 1);
}

static void test_bad_input_a_path_longer_than_any_is_not_kept(void **state)
{
	enum { PATH = 1 << 20 };
	W;
	char *path = own_alloc(PATH);
	memset(path, 'x', PATH - 1);
	given_a_running_job(w);
	w->std_out = path;
	when_time_passed(w, 6000);
	assert_string_equal(w->vnode->parts->pods->report.std_out, "/home/a/slurm.out");
	free(path);
}

static void add_number(struct str *out, int i) { str_add(out, i ? ",0" : "0"); }

/* The scripts of 64 jobs are kept at a time. */
static void test_bad_input_of_a_large_job_its_script_is_kept(void **state)
{
	static const struct {
		const char *before, *behind;
		add_one *add;
	} rows[] = {
		{ "{\"spec\":{\"results\":{\"mount\":{\"junk\":[", "]}}}}", add_number },
		{ "{\"spec\":{\"options\":{\"binds\":[", "]}}}", add_number },
	};
	W;
	w->holds = true; /* the script is on its way */
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str text = { 0 };
		char name[16];
		str_add(&text, rows[i].before);
		for (int n = 0; text.len < OBJECT_BYTES; n++)
			rows[i].add(&text, n);
		str_add(&text, rows[i].behind);
		given_a_job(w, numbered(name, (int)i), "SlurmJob");
		given_owner(w, name, str_text(&text));
		when_time_passed(w, 3000);
	}
	for (const struct vpod *p = w->vnode->parts->pods; p; p = p->hh.next) {
		assert_non_null(p->owner_doc);
		assert_in_range(json_memory(json_root(p->owner_doc)), 1, KEPT_BYTES);
		assert_string_equal(json_str(json_at(json_root(p->owner_doc), "spec", "batch"), ""),
			"#!/bin/sh\nhostname\n");
	}
}

static void test_a_job_of_a_large_pod_runs_to_its_end(void **state)
{
	AUTO(str_free) struct str text = { 0 };
	W;
	str_add(&text, "{\"metadata\":{\"annotations\":{\"example.com/a\":\"");
	for (int i = 0; i < OBJECT_BYTES; i++)
		str_add_bytes(&text, "x", 1);
	str_add(&text, "\"}}}");
	given_a_running_job(w);
	given_pod_changed(w, "cow", str_text(&text));
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Running");
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
	assert_int_equal(strlen(pod_note(w, "cow", "example.com/a")), OBJECT_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_bad_input_little_is_kept_of_a_large_pod),
		VNODE_TEST(test_bad_input_an_annotation_is_kept_by_name_and_length),
		VNODE_TEST(test_bad_input_almost_nothing_is_kept_of_a_refused_pod),
		VNODE_TEST(test_bad_input_a_long_word_of_slurm_is_written_once),
		VNODE_TEST(test_bad_input_records_of_jobs_have_a_share_by_namespace),
		VNODE_TEST(test_bad_input_records_that_grow_together_find_room_in_turn),
		VNODE_TEST(test_records_of_others_keep_no_end_from_being_told),
		VNODE_TEST(test_the_records_of_a_job_go_when_its_pod_tells_the_end),
		VNODE_TEST(test_bad_input_a_path_longer_than_any_is_not_kept),
		VNODE_TEST(test_bad_input_of_a_large_job_its_script_is_kept),
		VNODE_TEST(test_a_job_of_a_large_pod_runs_to_its_end),
	};
	return cmocka_run_group_tests_name("vnode_kept", tests, NULL, NULL);
}
