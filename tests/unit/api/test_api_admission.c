/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of admission: what is refused when an object is made, what when it is
 * changed, what is warned of, and that nothing is refused for what was so before.
 */
#include "lib/given.h"
#include "api/admission.h"

struct scene {
	struct given g;
	struct nodeset old, new, others[4];
	struct nodeset_change change;
	struct admission found;
};

static void scene_end(struct scene *s) { given_end(&s->g); }
#define SCENE(s) struct scene s AUTO(scene_end) = { 0 }

#define TEMPLATE_OF(labels, metadata, spec)                                                \
	"\"template\":{\"metadata\":{\"labels\":{" labels "}" metadata "},\"spec\":{" spec \
	"\"containers\":[{\"name\":\"slurmd\"}]}}"
#define APP "\"app\":\"slurmd\""
#define NAMES "\"clusterName\":\"slurm\",\"serviceName\":\"svc\","
#define SELECTOR "\"selector\":{\"matchLabels\":{" APP "}},"
#define GOOD_BUT_TEMPLATE NAMES SELECTOR "\"replicas\":3,"
#define GOOD GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, "", "")

static struct nodeset named(struct scene *s, const char *name, const char *metadata,
	const char *spec)
{
	struct nodeset n;
	nodeset_read(given_json(&s->g,
			     arena_printf(&s->g.arena,
				     "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\"%s},"
				     "\"spec\":{%s}}",
				     name, metadata, spec)),
		&n);
	return n;
}

/* old NULL: it is made. */
static void when_written(struct scene *s, const char *old, const char *new, const char *metadata)
{
	s->change.others = s->others;
	s->change.others_known = true;
	s->found = (struct admission){ .arena = &s->g.arena };
	s->new = named(s, "foo", metadata, new);
	s->change.new = &s->new;
	s->change.old = NULL;
	if (old) {
		s->old = named(s, "foo", "", old);
		s->change.old = &s->old;
	}
	admit_nodeset(&s->change, &s->found);
}

static void then_denied(const struct scene *s, const char *says)
{
	const char *text = admission_message(&s->found);
	if (!says && s->found.n_denials)
		fail_msg("denied: %s", text);
	if (says && (s->found.n_denials != 1 || !strstr(text, says)))
		fail_msg("%zu denials, \"%s\", where \"%s\" is meant", s->found.n_denials, text,
			says);
}

static void then_warned(const struct scene *s, const char *says)
{
	bool said = !says;
	for (size_t i = 0; i < s->found.n_warnings && says; i++)
		said |= strstr(s->found.warnings[i], says) != NULL;
	if (!said || (!says && s->found.n_warnings))
		fail_msg("%zu warnings, of which the first is \"%s\", where \"%s\" is meant",
			s->found.n_warnings, s->found.n_warnings ? s->found.warnings[0] : "",
			says ? says : "none");
}

static void test_a_good_nodeset_is_taken_without_a_word(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, NULL, GOOD, "");
	then_denied(&s, NULL);
	then_warned(&s, NULL);
}

/* Objects that are denied at creation, and when a good one becomes so. */
static const struct {
	const char *spec, *says;
} denied[] = {
	{ "\"clusterName\":\"slurm\"," SELECTOR TEMPLATE_OF(APP, "", ""),
		"spec.serviceName is empty" },
	{ "\"serviceName\":\"svc\"," SELECTOR TEMPLATE_OF(APP, "", ""),
		"spec.clusterName is empty" },
	{ GOOD ",\"updateStrategy\":{\"type\":\"Recreate\"}",
		"is \"Recreate\"; it must be RollingUpdate or OnDelete" },
	{ GOOD ",\"persistentVolumeClaimRetentionPolicy\":{\"whenDeleted\":\"Keep\","
	       "\"whenScaled\":\"Retain\"}",
		"whenDeleted \"Keep\"" },
	{ GOOD ",\"persistentVolumeClaimRetentionPolicy\":{\"whenDeleted\":\"Retain\"}",
		"whenScaled \"\"; each must be Retain or Delete" },
	{ NAMES SELECTOR "\"replicas\":-1," TEMPLATE_OF(APP, "", ""), "spec.replicas is -1" },
	{ NAMES SELECTOR "\"replicas\":65537," TEMPLATE_OF(APP, "", ""), "from 0 to 65536" },
	{ NAMES "\"selector\":{}," TEMPLATE_OF(APP, "", ""), "every pod of namespace ns" },
	{ GOOD_BUT_TEMPLATE TEMPLATE_OF("\"app\":\"other\"", "", ""), "does not match the labels" },
	{ GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, "", "\"restartPolicy\":\"Sometimes\","),
		"\"Sometimes\"; it must be Always" },
	{ GOOD ",\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":\"a few\"}}",
		"neither a number of pods nor a percentage" },
	{ GOOD ",\"minReadySeconds\":-1", "must not be negative" },
};

/* Acceptance: webhook-1 */
static void test_each_denial_has_its_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++) {
		SCENE(s);
		when_written(&s, NULL, denied[i].spec, "");
		then_denied(&s, denied[i].says);
	}
}

/* Acceptance: webhook-1 */
static void test_what_is_denied_when_it_is_made_is_denied_when_a_good_one_becomes_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++) {
		SCENE(s);
		when_written(&s, GOOD, denied[i].spec, "");
		assert_true(s.found.n_denials > 0);
		assert_non_null(strstr(admission_message(&s.found), denied[i].says));
	}
}

/* Acceptance: webhook-3 */
static void test_a_fault_that_was_there_before_is_only_warned_of(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++) {
		SCENE(s);
		const char *other = arena_printf(&s.g.arena, "%s,\"paused\":true", denied[i].spec);
		when_written(&s, denied[i].spec, other, "");
		then_denied(&s, NULL);
		then_warned(&s, "as before: ");
		when_written(&s, other, denied[i].spec, ",\"finalizers\":[\"a\"]");
		then_denied(&s, NULL);
	}
}

/* Acceptance: webhook-3 */
static void test_a_finalizer_passes_whatever_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++) {
		SCENE(s);
		when_written(&s, denied[i].spec, denied[i].spec, "," GIVEN_FINALIZER);
		then_denied(&s, NULL);
		then_warned(&s, NULL);
	}
}

/* Acceptance: webhook-3 */
static void test_what_is_being_deleted_may_be_changed(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, GOOD, GOOD ",\"minReadySeconds\":-1", "," GIVEN_DELETING);
	then_denied(&s, NULL);
	when_written(&s, GOOD,
		"\"clusterName\":\"other\",\"serviceName\":\"svc\"," SELECTOR TEMPLATE_OF(APP, "",
			""),
		"," GIVEN_DELETING);
	then_denied(&s, "spec.clusterName cannot be changed");
}

/* Acceptance: webhook-2 */
static void test_what_cannot_be_changed(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *says;
	} rows[] = {
		{ "\"clusterName\":\"other\",\"serviceName\":\"svc\"," SELECTOR TEMPLATE_OF(APP, "",
			  ""),
			"spec.clusterName cannot be changed from \"slurm\"" },
		{ "\"clusterName\":\"slurm\",\"serviceName\":\"other\"," SELECTOR TEMPLATE_OF(APP,
			  "", ""),
			"spec.serviceName cannot be changed from \"svc\"" },
		{ NAMES "\"selector\":{\"matchLabels\":{\"b\":\"c\"}}," TEMPLATE_OF(APP
			  ",\"b\":\"c\"",
			  "", ""),
			"spec.selector cannot be changed" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		SCENE(s);
		when_written(&s, GOOD, rows[i].spec, "");
		then_denied(&s, rows[i].says);
		then_denied(&s, "what can be changed: autoscaling, minReadySeconds, ");
	}
}

/* Acceptance: webhook-2 */
static void test_a_selector_that_selects_nothing_can_be_put_right(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, NAMES "\"selector\":{}," TEMPLATE_OF(APP, "", ""), GOOD, "");
	then_denied(&s, NULL);
	when_written(&s,
		NAMES "\"selector\":{\"matchLabels\":{\"b\":\"c\"}}," TEMPLATE_OF(APP, "", ""),
		GOOD, "");
	then_denied(&s, NULL);
	/* Another spelling is no change. */
	when_written(&s, GOOD, NAMES SELECTOR TEMPLATE_OF(APP, "", ""), "");
	then_denied(&s, NULL);
}

/* Acceptance: webhook-1 */
static void test_all_denials_are_told_at_once(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, NULL, SELECTOR TEMPLATE_OF(APP, "", ""), "");
	assert_int_equal(s.found.n_denials, 2);
	assert_string_equal(admission_message(&s.found),
		"[spec.clusterName is empty; name a Cluster of namespace ns, spec.serviceName is "
		"empty; name the headless Service of the pods]");
}

/* Acceptance: webhook-5 */
static void test_what_may_not_be_meant_is_warned_of(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *metadata, *says;
	} rows[] = {
		{ NAMES SELECTOR TEMPLATE_OF(APP, "", ""), "", "spec.replicas is not set" },
		{ GOOD ",\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":0}}", "",
			"maxUnavailable is 0" },
		{ GOOD ",\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":\"0%\"}}", "",
			"maxUnavailable is 0" },
		{ GOOD ",\"updateStrategy\":{\"type\":\"OnDelete\",\"rollingUpdate\":{"
		       "\"maxUnavailable\":2}}",
			"", "does nothing with the type OnDelete" },
		{ GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, "", "\"nodeName\":\"m1\","), "",
			"spec.template.spec.nodeName is not used" },
		{ GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, ",\"name\":\"x\"", ""), "",
			"spec.template.metadata.name is not used" },
		{ GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, "", "\"restartPolicy\":\"Never\","), "",
			"restartPolicy is Never" },
		{ GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, "", "\"hostNetwork\":true,"), "",
			"with spec.template.spec.hostNetwork" },
		{ GOOD_BUT_TEMPLATE TEMPLATE_OF(APP,
			  ",\"annotations\":{\"" ANNOTATION_POD_CORDON "\":\"true\"}", ""),
			"", "is drained from the start" },
		{ GOOD, ",\"annotations\":{\"" ANNOTATION_RELEASE_NOW "\":\"true\"}",
			"the jobs on them end" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		SCENE(s);
		when_written(&s, NULL, rows[i].spec, rows[i].metadata);
		then_denied(&s, NULL);
		then_warned(&s, rows[i].says);
	}
}

static void test_new_claim_templates_count_for_later_claims(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, GOOD,
		GOOD ",\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"}}]", "");
	then_denied(&s, NULL);
	then_warned(&s, "existing claims stay as they are");
}

#define HOSTNAME(name) GOOD_BUT_TEMPLATE TEMPLATE_OF(APP, "", "\"hostname\":\"" name "\",")

/* Acceptance: webhook-4 */
static void test_two_nodesets_of_a_cluster_give_no_host_name_twice(void **state)
{
	(void)state;
	static const struct {
		const char *name, *metadata, *spec; /* of the other one */
		const char *ours, *denial, *warning;
	} rows[] = {
		{ "bar", "", GOOD, GOOD, NULL, NULL },
		{ "bar", "", HOSTNAME("foo-"), GOOD, "host name foo-0, ", NULL },
		{ "bar", "", HOSTNAME("gpu"), HOSTNAME("gpu"), "so do those of NodeSet bar", NULL },
		{ "bar", ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", HOSTNAME("gpu"),
			HOSTNAME("gpu"), NULL, "NodeSet bar, which is being deleted" },
		/* gpu has 3 now: gpu10 comes later */
		{ "bar", "", HOSTNAME("gpu"), HOSTNAME("gpu1"), NULL, "host name gpu10, " },
		{ "bar", "", HOSTNAME("gpu"), HOSTNAME("gpu0"), NULL, NULL },
		{ "bar", "", HOSTNAME("gpu"), HOSTNAME("gpu-1"), NULL, NULL },
		{ "bar", "",
			NAMES SELECTOR
			"\"replicas\":11," TEMPLATE_OF(APP, "", "\"hostname\":\"gpu\","),
			HOSTNAME("gpu1"), "host name gpu10, ", NULL },
		/* of another Cluster */
		{ "bar", "",
			"\"clusterName\":\"c2\",\"serviceName\":\"svc\"," SELECTOR TEMPLATE_OF(APP,
				"", "\"hostname\":\"gpu\","),
			HOSTNAME("gpu"), NULL,
			"no other NodeSet of the namespace has that (bar has \"c2\")" },
		/* itself, as it was */
		{ "foo", "", HOSTNAME("gpu"), HOSTNAME("gpu"), NULL, NULL },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		SCENE(s);
		s.others[0] = named(&s, rows[i].name, rows[i].metadata, rows[i].spec);
		s.change.n_others = 1;
		when_written(&s, NULL, rows[i].ours, "");
		then_denied(&s, rows[i].denial);
		then_warned(&s, rows[i].warning);
	}
}

static void test_a_clash_that_was_there_before_is_only_warned_of(void **state)
{
	(void)state;
	SCENE(s);
	s.others[0] = named(&s, "bar", "", HOSTNAME("gpu"));
	s.change.n_others = 1;
	when_written(&s, HOSTNAME("gpu"), HOSTNAME("gpu") ",\"minReadySeconds\":3", "");
	then_denied(&s, NULL);
	then_warned(&s, "as before: its pods get the host name gpu0");
}

#define ARGS(args)                                                                          \
	GOOD_BUT_TEMPLATE                                                                   \
	"\"template\":{\"metadata\":{\"labels\":{" APP "}},\"spec\":{\"hostname\":\"gpu\"," \
	"\"containers\":[{\"name\":\"slurmd\",\"args\":[\"-Z\",\"--conf\",\"" args "\"]}]}}"

/* Acceptance: webhook-4 */
static void test_a_host_name_is_no_name_of_a_nodeset_line(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, NULL, ARGS("'Features=gpu1'"), "");
	then_denied(&s, "the host name gpu1, which is a feature of the slurmds of NodeSet foo");
	when_written(&s, NULL, ARGS("'Features=gpu,big,gpu7 Weight=2'"), "");
	then_denied(&s, NULL);
	then_warned(&s, "pods of NodeSet foo would get the host name gpu7");
	when_written(&s, NULL, ARGS("'Features=gpu,gpu1'"), "");
	then_denied(&s, NULL);
	then_warned(&s, "pods of NodeSet foo get the host name gpu1");
	when_written(&s, NULL, ARGS("'Features=gpu Weight=2'"), "");
	then_warned(&s, NULL);
	/* The name of another NodeSet, in either direction. */
	s.others[0] = named(&s, "bar", "", ARGS("Gres=gpu:2 feature=foo-2"));
	s.change.n_others = 1;
	when_written(&s, NULL, GOOD, "");
	then_denied(&s, "the host name foo-2, which is a feature of the slurmds of NodeSet bar");
}

static void test_other_nodesets_are_not_named_to_an_unknown_caller(void **state)
{
	(void)state;
	SCENE(s);
	s.change.n_others = s.change.unnamed = true;
	/* given another NodeSet that gives the same host names, then it is not named */
	s.others[0] = named(&s, "secret", "", HOSTNAME("gpu"));
	when_written(&s, NULL, HOSTNAME("gpu"), "");
	then_denied(&s, "so do those of another NodeSet of the namespace; set");
	s.others[0] = named(&s, "secret", "", ARGS("Gres=gpu:2 feature=foo-2"));
	when_written(&s, NULL, GOOD, "");
	then_denied(&s, "a feature of the slurmds of another NodeSet of the namespace: if");
	s.others[0] = named(&s, "secret", "", GOOD);
	when_written(&s, NULL, ARGS("'Features=secret-1'"), "");
	then_denied(&s, "pods of another NodeSet of the namespace get the host name secret-1, ");
	when_written(&s, NULL, "\"clusterName\":\"c2\"," SELECTOR TEMPLATE_OF(APP, "", ""), "");
	then_warned(&s, "no other NodeSet of the namespace has that:");
}

/* Acceptance: webhook-4 */
static void test_who_does_not_know_the_others_says_so(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, NULL, GOOD, "");
	s.found = (struct admission){ .arena = &s.g.arena };
	s.change.others_known = false;
	admit_nodeset(&s.change, &s.found);
	then_denied(&s, NULL);
	then_warned(&s, "it was not checked whether one of them gives the same host names");
}

static void test_of_what_is_too_large_nothing_else_is_said(void **state)
{
	(void)state;
	SCENE(s);
	when_written(&s, NULL, "\"clusterName\":\"slurm\"", "");
	assert_int_equal(s.found.n_denials, 3);
	s.new.large = true;
	s.found = (struct admission){ .arena = &s.g.arena };
	admit_nodeset(&s.change, &s.found);
	then_denied(&s, "the NodeSet is too large: it needs more than 256 kB");
}

/* ---- defaults ---- */

/* Acceptance: webhook-6, webhook-7 */
static void test_defaults_are_a_patch(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *patch;
	} rows[] = {
		{ "\"revisionHistoryLimit\":2,\"updateStrategy\":{\"type\":\"OnDelete\"}", NULL },
		{ "\"revisionHistoryLimit\":0,\"updateStrategy\":{\"type\":\"x\"}", NULL },
		{ "\"updateStrategy\":{\"type\":\"OnDelete\"}",
			"[{\"op\":\"add\",\"path\":\"/spec/revisionHistoryLimit\",\"value\":0}]" },
		{ "\"revisionHistoryLimit\":2,\"updateStrategy\":{}",
			"[{\"op\":\"add\",\"path\":\"/spec/updateStrategy/type\",\"value\":"
			"\"RollingUpdate\"}]" },
		{ "\"revisionHistoryLimit\":2,\"updateStrategy\":{\"type\":\"\"}",
			"[{\"op\":\"add\",\"path\":\"/spec/updateStrategy/type\",\"value\":"
			"\"RollingUpdate\"}]" },
		{ "\"revisionHistoryLimit\":2",
			"[{\"op\":\"add\",\"path\":\"/spec/updateStrategy\",\"value\":{\"type\":"
			"\"RollingUpdate\"}}]" },
		/* A value of another type: the schema refuses it. */
		{ "\"revisionHistoryLimit\":2,\"updateStrategy\":\"x\"", NULL },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		SCENE(s);
		struct nodeset n = named(&s, "foo", "", rows[i].spec);
		const char *patch = nodeset_defaults(&s.g.arena, &n);
		if (!patch != !rows[i].patch || (patch && strcmp(patch, rows[i].patch) != 0))
			fail_msg("%s, where %s is meant", patch ? patch : "none",
				rows[i].patch ? rows[i].patch : "none");
		n = named(&s, "foo", ",\"deletionTimestamp\":\"x\"", rows[i].spec);
		assert_null(nodeset_defaults(&s.g.arena, &n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_nodeset_is_taken_without_a_word),
		cmocka_unit_test(test_each_denial_has_its_sentence),
		cmocka_unit_test(
			test_what_is_denied_when_it_is_made_is_denied_when_a_good_one_becomes_so),
		cmocka_unit_test(test_a_fault_that_was_there_before_is_only_warned_of),
		cmocka_unit_test(test_a_finalizer_passes_whatever_is_wrong),
		cmocka_unit_test(test_what_is_being_deleted_may_be_changed),
		cmocka_unit_test(test_what_cannot_be_changed),
		cmocka_unit_test(test_a_selector_that_selects_nothing_can_be_put_right),
		cmocka_unit_test(test_all_denials_are_told_at_once),
		cmocka_unit_test(test_what_may_not_be_meant_is_warned_of),
		cmocka_unit_test(test_new_claim_templates_count_for_later_claims),
		cmocka_unit_test(test_two_nodesets_of_a_cluster_give_no_host_name_twice),
		cmocka_unit_test(test_a_clash_that_was_there_before_is_only_warned_of),
		cmocka_unit_test(test_a_host_name_is_no_name_of_a_nodeset_line),
		cmocka_unit_test(test_other_nodesets_are_not_named_to_an_unknown_caller),
		cmocka_unit_test(test_who_does_not_know_the_others_says_so),
		cmocka_unit_test(test_of_what_is_too_large_nothing_else_is_said),
		cmocka_unit_test(test_defaults_are_a_patch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
