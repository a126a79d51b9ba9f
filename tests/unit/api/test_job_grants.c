/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who may create a SlurmJob and nothing else (SECURITY.md) gets no Secret, no
 * server and no folder by it: each attempt leaves no pod that would mount it, and both
 * the condition and the admission say the same sentence.
 */
#include "lib/given_job.h"

#include "api/admission.h"

#define RESULTS(volume) \
	"\"batch\":\"#!/bin/sh\",\"results\":{\"mount\":{\"name\":\"d\"," volume "}}"
#define PREPARE(volume)                                                       \
	"\"batch\":\"#!/bin/sh\",\"prepare\":{\"to\":\".\",\"mount\":{\"name" \
	"\":\"d\"," volume "}}"
#define IMAGE(volume) "\"image\":\"x\",\"results\":{\"mount\":{\"name\":\"d\"," volume "}}"

#define SMB                                                                           \
	"\"csi\":{\"driver\":\"smb.csi.k8s.io\",\"volumeAttributes\":{\"source\":\"/" \
	"/attacker.example/x\"},\"nodePublishSecretRef\":{\"name\":\"of-others\"}}"
#define NFS(server) "\"nfs\":{\"server\":\"" server "\",\"path\":\"/p\"}"
#define CEPH "\"cephfs\":{\"monitors\":[\"m\"],\"secretRef\":{\"name\":\"of-others\"}}"

static bool is_refused(const char *spec, const char *const *volumes, const char *says)
{
	JOB(w);
	given_job_spec(&w, spec, JOB_KEPT, "");
	w.options = job_options_usual;
	w.options.volumes = volumes ? volumes : job_options_usual.volumes;
	w.view.options = &w.options;
	when_job_planned(&w);
	if (find_action(&w.g, DO(CREATE, POD), NULL))
		return false;
	when_job_published(&w);
	then_condition(&w.g, "Accepted", "False", "VolumeNotAllowed");
	then_condition(&w.g, "Failed", "True", "VolumeNotAllowed");
	then_says(&w.g, "Accepted", says);
	return true;
}

static const struct {
	const char *spec, *says;
} attempts[] = {
	{ RESULTS(SMB), "spec.results.mount is of the type csi (smb.csi.k8s.io); only volumes" },
	{ PREPARE(SMB), "spec.prepare.mount is of the type csi (smb.csi.k8s.io); only volumes" },
	{ IMAGE(SMB), "spec.results.mount is of the type csi" },
	{ RESULTS(NFS("attacker.example")), "is of the type nfs (attacker.example); only" },
	{ PREPARE(NFS("attacker.example")), "is of the type nfs (attacker.example); only" },
	{ RESULTS("\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{\"resources\":{\"requests\":{"
		  "\"storage\":\"10Ti\"}}}}}"),
		"is of the type ephemeral; only volumes" },
	{ RESULTS(CEPH), "is of the type cephfs; only volumes" },
	{ RESULTS("\"hostPath\":{\"path\":\"/etc\"}"), "is of the type hostPath; only" },
	{ PREPARE("\"secret\":{\"secretName\":\"of-others\"}"), "is of the type secret; only" },
	{ PREPARE("\"projected\":{\"sources\":[{\"secret\":{\"name\":\"of-others\"}}]}"),
		"is of the type projected; only" },
	{ PREPARE("\"configMap\":{\"name\":\"of-others\"}"), "is of the type configMap; only" },
	{ RESULTS("\"persistentVolumeClaim\":{\"claimName\":\"c\"},"
		  "\"secret\":{\"secretName\":\"of-others\"}"),
		"is of the type secret; only" },
};

/* Acceptance: job-22 */
static void test_a_slurmjob_mounts_claims_and_nothing_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(attempts); i++)
		if (!is_refused(attempts[i].spec, NULL, attempts[i].says))
			fail_msg("there is a pod for %s", attempts[i].spec);
	assert_false(is_refused(RESULTS("\"persistentVolumeClaim\":{\"claimName\":\"c\"}"), NULL,
		""));
}

/* Only the volumes that the administrator has allowed. */
/* Acceptance: job-22 */
static void test_an_allowed_type_gives_no_secret_and_no_other_server(void **state)
{
	(void)state;
	static const char *const types[] = { "csi", "cephfs", NULL };
	static const char *const secrets[] = { "csi", "nodePublishSecretRef", NULL };
	static const char *const two[] = { "csi", "nfs", NULL };
	static const char *const named[] = { "csi:image.csi.k8s.io", "nfs:files.example.com",
		NULL };
	static const struct {
		const char *spec;
		const char *const *volumes;
		const char *says; /* NULL: it is mounted */
	} rows[] = {
		{ RESULTS("\"csi\":{\"driver\":\"a\"}"), types, NULL },
		{ RESULTS(SMB), types,
			"spec.results.mount names a Secret (nodePublishSecretRef), with which its "
			"driver would log in; the option --results-volumes of manager and "
			"webhook allows no nodePublishSecretRef" },
		{ PREPARE(CEPH), types, "spec.prepare.mount names a Secret (secretRef)" },
		{ RESULTS("\"cephfs\":{\"monitors\":[\"m\"]}"), types, NULL },
		{ RESULTS(SMB), secrets, NULL },
		{ RESULTS("\"csi\":{\"driver\":\"image.csi.k8s.io\"}"), named, NULL },
		{ RESULTS("\"csi\":{\"driver\":\"a\"}"), named, "is of the type csi (a); only" },
		{ RESULTS("\"csi\":{}"), named, "is of the type csi; only" },
		{ RESULTS(NFS("files.example.com")), named, NULL },
		{ RESULTS(NFS("files.example.com.attacker.example")), named,
			"is of the type nfs (files.example.com.attacker.example); only volumes of "
			"these types are mounted: csi:image.csi.k8s.io, nfs:files.example.com" },
		{ RESULTS(NFS("a") ",\"csi\":{\"driver\":\"a\"}"), two,
			"names more than one type" },
		{ RESULTS("\"nfs\":{\"server\":[\"files.example.com\"]}"), named,
			"is of the type nfs; only" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (is_refused(rows[i].spec, rows[i].volumes, rows[i].says) != !!rows[i].says)
			fail_msg("%s is %s", rows[i].spec, rows[i].says ? "mounted" : "refused");
}

/* The webhook does not know what the manager was told: it warns with its sentence. */
/* Acceptance: job-22 */
static void test_admission_warns_with_the_sentence_of_the_condition(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(attempts); i++) {
		JOB(w);
		given_job_spec(&w, attempts[i].spec, JOB_KEPT, "");
		when_job_published(&w);
		const char *said = condition_member(&w.g, "Accepted", "message");
		struct job job;
		struct admission found = { .arena = &w.g.arena };
		job_read(w.view.resource, w.g.object, &job);
		admit_job(NULL, &job, NULL, &found);
		assert_int_equal(found.n_denials, 0);
		assert_int_equal(found.n_warnings, 1);
		if (!strstr(said, found.warnings[0]))
			fail_msg("the webhook says \"%s\", and the condition \"%s\"",
				found.warnings[0], said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_slurmjob_mounts_claims_and_nothing_else),
		cmocka_unit_test(test_an_allowed_type_gives_no_secret_and_no_other_server),
		cmocka_unit_test(test_admission_warns_with_the_sentence_of_the_condition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
