/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad input in a SlurmJob or a WlmJob: each gives one condition, which names the line of
 * the script or the field, and one Event; no pod is made, so nothing is submitted.
 */
#include "lib/given_job.h"

#include "object/condition.h"

static int conditions(const struct job_world *w)
{
	int n = 0;
	struct json_iter it = json_iter(json_at(w->g.object, "status", "conditions"));
	while (json_next(&it))
		n++;
	return n;
}

static void is_refused(const char *spec, const char *reason, const char *says)
{
	JOB(w);
	given_job_spec(&w, spec, JOB_KEPT, "");
	when_job_planned(&w);
	then_no(&w.g, DO(CREATE, POD), NULL);
	if (events_of(&w.g, reason) != 1)
		fail_msg("%s: no Event %s", spec, reason);
	when_job_published(&w);
	assert_int_equal(conditions(&w), 3); /* who waits for its end has it, too */
	then_condition(&w.g, "Ended", "True", reason);
	then_condition(&w.g, "Failed", "True", reason);
	then_condition(&w.g, "Accepted", "False", reason);
	then_says(&w.g, "Accepted", says);
	then_nothing(&w.g);
}

/* ---- scripts: line 1 is the interpreter's, line 3 is the wrong one ---- */

static void script_is_refused(const char *directive, const char *says)
{
	AUTO(str_free) struct str spec = { 0 }, line = { 0 };
	str_addf(&spec, "\"batch\":\"#!/bin/sh\\n# a remark\\n%s\\n#SBATCH -N 2\\nsrun x\\n\"",
		directive);
	str_addf(&line, "spec.batch: line 3: %s", says);
	is_refused(str_text(&spec), "InvalidScript", str_text(&line));
}

/* Acceptance: word-5 */
static void test_bad_input_each_wrong_directive_is_told_with_its_line(void **state)
{
	static const struct {
		const char *directive, *says;
	} rows[] = {
		{ "#SBATCH --time=invalid", "--time: \"invalid\" should be" },
		{ "#SBATCH --time 00:05:00   -N=foo", "--nodes: \"foo\" should be" },
		{ "#SBATCH --mem=foo", "--mem: \"foo\" should be" },
		{ "#SBATCH --ntasks-per-node foo", "--ntasks-per-node: \"foo\" should be" },
		{ "#SBATCH --cpus-per-task=foo_bar", "--cpus-per-task: \"foo_bar\" should be" },
		{ "#SBATCH --nodes=5-", "--nodes: \"5-\" should be" },
		{ "#SBATCH --nodes=7-5", "--nodes: \"7-5\" should be" },
		{ "#SBATCHX -N 5", "\"X\" is no option" },
		{ "#SBATCH -N 2 total number of nodes", "\"total\" is no option" },
		{ "#SBATCH -J 'open", "the quote ' is not closed" },
		{ "#SBATCH --hold=yes", "--hold takes no value" },
		{ "#SBATCH --tim=5", "--tim is ambiguous" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		script_is_refused(rows[i].directive, rows[i].says);
}

/* Acceptance: word-3 */
static void test_bad_input_each_wrong_duration_is_told_with_its_line(void **state)
{
	static const char *const rows[] = { "6:6:6:6", "foo", "foo:06", "6:foo", "foo:6:06",
		"6:foo:06", "6:06:foo", "foo-5", "3-foo", "3-5:foo", "3-5:07:bar" };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str directive = { 0 }, says = { 0 };
		str_addf(&directive, "#SBATCH --time=%s", rows[i]);
		str_addf(&says, "--time: \"%s\" should be", rows[i]);
		script_is_refused(str_text(&directive), str_text(&says));
	}
}

/* A directive that waits for its value is wrong where it stands. */
/* Acceptance: word-10 */
static void test_bad_input_the_first_wrong_line_is_told(void **state)
{
	(void)state;
	is_refused("\"batch\":\"#!/bin/sh\\n#SBATCH -N\\n\"", "InvalidScript",
		"spec.batch: line 2: --nodes needs a value");
	is_refused("\"batch\":\"#!/bin/sh\\n#SBATCH -t x\\n#SBATCH -N x\\n\"", "InvalidScript",
		"spec.batch: line 2: --time: \"x\"");
	is_refused("\"batch\":\"\"", "InvalidScript", "line 1: the script is empty");
	is_refused("\"batch\":\"\\n\\n#SBATCH -N 5\\n\"", "InvalidScript",
		"spec.batch: line 3: a batch script begins with #!");
}

/* ---- fields ---- */

/* Acceptance: word-10 */
static void test_bad_input_each_wrong_field_is_told_by_its_name(void **state)
{
	static const char *const numbers[] = { "nodes", "cpuPerNode", "memPerNode", "wallTime" };
	static const char *const wrong[] = { "-1", "\"two\"", "1.5", "true", "[]" };
	(void)state;
	for (size_t i = 0; i < LENGTH(numbers); i++)
		for (size_t k = 0; k < LENGTH(wrong); k++) {
			AUTO(str_free) struct str spec = { 0 }, says = { 0 };
			str_addf(&spec, "\"image\":\"x\",\"resources\":{\"%s\":%s}", numbers[i],
				wrong[k]);
			str_addf(&says, "spec.resources.%s must be a whole number, 0 or more",
				numbers[i]);
			is_refused(str_text(&spec), "InvalidResources", str_text(&says));
		}
	is_refused("\"image\":\"\"", "InvalidImage", "spec.image is empty");
	is_refused("\"batch\":\"#!/bin/sh\",\"nodeSelector\":{\"cuda\":1.5}", "InvalidNodeSelector",
		"the value of cuda in spec.nodeSelector");
	is_refused("\"batch\":\"#!/bin/sh\",\"results\":{\"mount\":{\"name\":\"a_b\"}}",
		"InvalidVolume", "spec.results.mount.name is \"a_b\"");
}

/* The rules of red-box: what it would refuse later is refused at once. */
static void test_bad_input_what_red_box_takes_of_no_container_job_is_told(void **state)
{
	static const struct {
		const char *spec, *reason, *says;
	} rows[] = {
		{ "\"image\":\"a\\nb\"", "InvalidImage", "spec.image holds a line break" },
		{ "\"image\":\"-e\"", "InvalidImage", "spec.image begins with \"-\"" },
		{ "\"image\":\"local.filea.sif\"", "InvalidImage",
			"spec.image: an absolute path must follow local.file" },
		{ "\"image\":\"x\",\"resources\":{\"cpuPerNode\":65001}", "InvalidResources",
			"spec.resources.cpuPerNode is 65001: 0 to 65000 is wanted" },
		{ "\"image\":\"x\",\"resources\":{\"wallTime\":315360001}", "InvalidResources",
			"spec.resources.wallTime is 315360001" },
		{ "\"image\":\"x\",\"options\":{\"app\":\"a\\u0007\"}", "InvalidOptions",
			"spec.options.app holds" },
		{ "\"image\":\"x\",\"options\":{\"hostName\":\"a\\u007f\"}", "InvalidOptions",
			"spec.options.hostName holds" },
		{ "\"image\":\"x\",\"options\":{\"binds\":[\"/a\",\"\"]}", "InvalidOptions",
			"an entry of spec.options.binds is empty: SOURCE[:PLACE]" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		is_refused(rows[i].spec, rows[i].reason, rows[i].says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_input_each_wrong_directive_is_told_with_its_line),
		cmocka_unit_test(test_bad_input_each_wrong_duration_is_told_with_its_line),
		cmocka_unit_test(test_bad_input_the_first_wrong_line_is_told),
		cmocka_unit_test(test_bad_input_each_wrong_field_is_told_by_its_name),
		cmocka_unit_test(test_bad_input_what_red_box_takes_of_no_container_job_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
