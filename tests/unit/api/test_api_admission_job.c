/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of admission for SlurmJobs and WlmJobs: what their conditions would tell is
 * refused before it is stored, all at once, and nothing for what was so before.
 */
#include "lib/given.h"

#include "api/admission.h"

struct scene {
	struct given g;
	const char *const *volumes; /* that the manager mounts; NULL: not known */
	struct admission found;
};

static void scene_end(struct scene *s) { given_end(&s->g); }
#define SCENE(s) struct scene s AUTO(scene_end) = { 0 }

#define SCRIPT(lines) "\"batch\":\"#!/bin/sh\\n" lines "hostname\\n\""
#define GOOD SCRIPT("#SBATCH -N 2\\n")
#define MOUNT(type) "\"mount\":{\"name\":\"data\",\"" type "\":{}}"

static struct job job_of(struct scene *s, enum resource r, const char *metadata, const char *spec)
{
	struct job j;
	const char *text = arena_printf(&s->g.arena,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"cow\"%s},\"spec\":{%s}}", metadata,
		spec);
	job_read(r, given_json(&s->g, text), &j);
	return j;
}

/* old NULL: it is made. */
static void when_written(struct scene *s, enum resource r, const char *old, const char *new,
	const char *metadata)
{
	struct job is = job_of(s, r, metadata, new), was = { 0 };
	s->found = (struct admission){ .arena = &s->g.arena };
	if (old)
		was = job_of(s, r, "", old);
	admit_job(old ? &was : NULL, &is, s->volumes, &s->found);
}

static void then_denied(const struct scene *s, size_t n, const char *says)
{
	const char *text = admission_message(&s->found);
	if (s->found.n_denials != n || !strstr(text, says))
		fail_msg("%zu denials, \"%s\", where %zu and \"%s\" are meant", s->found.n_denials,
			text, n, says);
}

static void test_a_good_job_is_taken_without_a_word(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, RES_SLURMJOB, NULL, GOOD, "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 0);
	when_written(&s, RES_WLMJOB, NULL,
		"\"image\":\"library://cow\",\"resources\":{\"nodes\":1}", "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 0);
}

/* Acceptance: operator-chart-3 */
static void test_each_fault_of_a_job_is_refused_with_its_place(void **state)
{
	(void)state;
	static const struct {
		enum resource of;
		const char *spec, *says;
	} rows[] = {
		{ RES_SLURMJOB, SCRIPT("#SBATCH -N 1\\n#SBATCH --time=soon\\n"),
			"spec.batch: line 3" },
		{ RES_SLURMJOB, GOOD ",\"nodeSelector\":{\"a\":[]}",
			"the value of a in spec.nodeSelector" },
		{ RES_SLURMJOB, GOOD ",\"results\":{\"from\":\"x\"}",
			"spec.results.mount is missing" },
		{ RES_SLURMJOB, GOOD ",\"results\":{\"mount\":{\"name\":\"A\",\"nfs\":{}}}",
			"spec.results.mount.name is \"A\"" },
		{ RES_SLURMJOB, GOOD ",\"prepare\":{\"to\":\"../x\"," MOUNT("nfs") "}",
			"may not have \"..\"" },
		{ RES_WLMJOB, "\"image\":\"\"", "spec.image is empty" },
		{ RES_WLMJOB, "\"image\":\"x\",\"resources\":{\"nodes\":-1}",
			"spec.resources.nodes must be a whole number" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		SCENE(s);
		when_written(&s, rows[i].of, NULL, rows[i].spec, "");
		then_denied(&s, 1, rows[i].says);
		/* there is no object yet that could be deleted */
		assert_null(strstr(admission_message(&s.found), "delete it"));
	}
}

/* Acceptance: operator-chart-3 */
static void test_all_faults_of_a_job_are_told_at_once(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, RES_SLURMJOB, NULL,
		SCRIPT("#SBATCH -N x\\n") ",\"nodeSelector\":{\"a\":[]},\"results\":{}", "");
	then_denied(&s, 3, "spec.results.mount is missing");
}

/* Acceptance: operator-chart-3 */
static void test_a_job_is_not_refused_for_what_was_so_before(void **state)
{
	(void)state;
	SCENE(s);
#define BAD SCRIPT("#SBATCH -N x\\n")
	when_written(&s, RES_SLURMJOB, BAD, BAD, "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 0);
	when_written(&s, RES_SLURMJOB, BAD, BAD ",\"ttlSecondsAfterFinished\":5", "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 1);
	assert_non_null(strstr(s.found.warnings[0], "as before: spec.batch: line 2"));
	when_written(&s, RES_SLURMJOB, GOOD, BAD, ",\"deletionTimestamp\":\"x\"");
	then_denied(&s, 0, "");
}

static void test_a_partition_that_is_not_followed_is_warned_of(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, RES_SLURMJOB, NULL, SCRIPT("#SBATCH --partition=gpu\\n"), "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 1);
	assert_non_null(strstr(s.found.warnings[0], "the --partition of the script has no effect"));
	when_written(&s, RES_SLURMJOB, NULL,
		SCRIPT("#SBATCH --partition=gpu\\n") ",\"nodeSelector\":{\"wlm.sylabs.io/"
						     "partition\":\"gpu\"}",
		"");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 0);
}

/* The manager may have been told to mount it: the webhook does not know. */
static void test_an_unusual_volume_of_a_job_is_warned_of(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, RES_SLURMJOB, NULL, GOOD ",\"results\":{" MOUNT("hostPath") "}", "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 1);
	assert_non_null(strstr(s.found.warnings[0], "spec.results.mount is of the type hostPath"));
}

/* Acceptance: webhook-18 */
static void test_a_volume_that_the_manager_does_not_mount_is_refused(void **state)
{
	(void)state;
	static const char *const volumes[] = { "hostPath", NULL };
	SCENE(s);
	s.volumes = volumes;
	when_written(&s, RES_SLURMJOB, NULL, GOOD ",\"results\":{" MOUNT("hostPath") "}", "");
	then_denied(&s, 0, "");
	assert_int_equal(s.found.n_warnings, 0);
	when_written(&s, RES_SLURMJOB, NULL, GOOD ",\"results\":{" MOUNT("nfs") "}", "");
	then_denied(&s, 1, "only volumes of these types are mounted: hostPath");
	when_written(&s, RES_SLURMJOB, NULL, GOOD ",\"prepare\":{\"to\":\"x\"," MOUNT("nfs") "}",
		"");
	then_denied(&s, 1, "spec.prepare.mount is of the type nfs");
}

static void test_a_job_that_is_too_large_is_refused(void **state)
{
	(void)state;
	SCENE(s);
	struct job j = job_of(&s, RES_SLURMJOB, "", GOOD);
	j.large = true;
	s.found = (struct admission){ .arena = &s.g.arena };
	admit_job(NULL, &j, NULL, &s.found);
	then_denied(&s, 1, "the object is too large: the operator reads at most 256 kB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_job_is_taken_without_a_word),
		cmocka_unit_test(test_each_fault_of_a_job_is_refused_with_its_place),
		cmocka_unit_test(test_all_faults_of_a_job_are_told_at_once),
		cmocka_unit_test(test_a_job_is_not_refused_for_what_was_so_before),
		cmocka_unit_test(test_a_partition_that_is_not_followed_is_warned_of),
		cmocka_unit_test(test_an_unusual_volume_of_a_job_is_warned_of),
		cmocka_unit_test(test_a_volume_that_the_manager_does_not_mount_is_refused),
		cmocka_unit_test(test_a_job_that_is_too_large_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
