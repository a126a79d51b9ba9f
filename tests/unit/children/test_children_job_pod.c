/* SPDX-License-Identifier: Apache-2.0 */
/* The pod that stands for a job: what virtual nodes for red-box are used to. */
#include "lib/given.h"
#include "children/collector_pod.h"
#include "children/job_pod.h"
#include "json/build.h"

#define COLLECTOR                                                                               \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"                       \
	"\"cow-wlm-job-collect\",\"namespace\":\"ns\",\"annotations\":{"                        \
	"\"wlm.sylabs.io/collect-attempt\":\"3\",\"wlm.sylabs.io/results-url\":\"https://u\","  \
	"\"wlm.sylabs.io/results-key\":\"sha256//k\"},\"ownerReferences\":[{\"apiVersion\":"    \
	"\"wlm.sylabs.io/v1alpha1\",\"kind\":\"WlmJob\",\"name\":\"cow\",\"uid\":\"job\","      \
	"\"controller\":true}]},\"spec\":{\"containers\":[{\"name\":\"cr1\",\"image\":\"i\","   \
	"\"args\":[\"results\",\"--url=https://u\",\"--public-key=sha256//k\","                 \
	"\"--pod=ns/cow-wlm-job\","                                                             \
	"\"--token-file=/var/run/secrets/wlm.sylabs.io/token\",\"--to=/collect/cow-wlm-job\"]," \
	"\"resources\":{\"requests\":{\"cpu\":\"10m\",\"memory\":\"32Mi\"},\"limits\":{"        \
	"\"cpu\":\"1\",\"memory\":\"128Mi\"}},\"securityContext\":{"                            \
	"\"allowPrivilegeEscalation\":false,\"readOnlyRootFilesystem\":true,"                   \
	"\"capabilities\":{\"drop\":[\"ALL\"]}},\"volumeMounts\":[{\"name\":\"d\","             \
	"\"mountPath\":\"/collect\"},{\"name\":\"results-token\",\"mountPath\":"                \
	"\"/var/run/secrets/wlm.sylabs.io\",\"readOnly\":true}]}],\"volumes\":[{\"name\":"      \
	"\"d\",\"nfs\":{\"server\":\"s\",\"path\":\"/p\"}},{\"name\":\"results-token\","        \
	"\"projected\":{\"sources\":[{\"serviceAccountToken\":{\"audience\":"                   \
	"\"wlm.sylabs.io/results\",\"expirationSeconds\":3600,\"path\":\"token\"}}],"           \
	"\"defaultMode\":288}}],\"securityContext\":{\"runAsNonRoot\":true,\"runAsUser\":7,"    \
	"\"runAsGroup\":8,\"fsGroup\":8,\"fsGroupChangePolicy\":\"OnRootMismatch\","            \
	"\"seccompProfile\":{\"type\":\"RuntimeDefault\"}},\"restartPolicy\":\"Never\","        \
	"\"automountServiceAccountToken\":false,\"enableServiceLinks\":false}}"

static const struct json *built(struct given *g, const char *spec)
{
	struct job j;
	struct sbatch_wishes wishes;
	g->d = jdoc_new(&g->arena);
	job_read(strstr(spec, "\"image\"") ? RES_WLMJOB : RES_SLURMJOB,
		given_json(g,
			arena_printf(&g->arena,
				"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"cow\",\"uid\":"
				"\"job\"},\"spec\":{%s}}",
				spec)),
		&j);
	struct err e = job_wishes(&j, &wishes);
	if (failed(e))
		fail_msg("%s", e.text);
	return given_json(g, job_pod_build(g->d, &g->arena, &j, &wishes));
}

static void then_is(struct given *g, const struct json *v, const char *text)
{
	if (!json_equal(v, given_json(g, text)))
		fail_msg("%s is not %s", json_text(v, NULL), text);
}

/* Slurm runs the job on while its virtual node does not answer. */
#define SILENT(taint)                          \
	"{\"key\":\"node.kubernetes.io/" taint \
	"\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"}"
#define POD(name, kind, container, more)                                                        \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                \
	"\",\"namespace\":\"ns\",\"finalizers\":[\"wlm.sylabs.io/untold\"],"                    \
	"\"ownerReferences\":[{\"apiVersion\":\"wlm.sylabs.io/v1alpha1\",\"kind\":\"" kind      \
	"\",\"name\":\"cow\",\"uid\":\"job\",\"controller\":true,\"blockOwnerDeletion\":true}"  \
	"]},\"spec\":{\"containers\":[{\"name\":\"" container "\",\"image\":\"no-image\","      \
	"\"securityContext\":{\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":["  \
	"\"ALL\"]}}}],"                                                                         \
	"\"nodeSelector\":{\"type\":\"virtual-kubelet\"},\"tolerations\":[{\"key\":"            \
	"\"virtual-kubelet.io/provider\",\"operator\":\"Equal\",\"value\":\"wlm\",\"effect\":"  \
	"\"NoSchedule\"}," SILENT("not-ready") "," SILENT(                                      \
		"unreachable") "]," more "\"securityContext\":{\"runAsNonRoot\":true,"          \
			       "\"runAsUser\":1000,\"runAsGroup\":1000,"                        \
			       "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}},"             \
			       "\"restartPolicy\":\"Never\","                                   \
			       "\"automountServiceAccountToken\":false,\"enableServiceLinks\":" \
			       "false}}"
#define AFFINITY(expressions)                                                                  \
	"\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{" \
	"\"nodeSelectorTerms\":[{\"matchExpressions\":[" expressions "]}]}}},"
#define GT(label, value) \
	"{\"key\":\"wlm.sylabs.io/" label "\",\"operator\":\"Gt\",\"values\":[\"" value "\"]}"

/* An empty term would match no node, and the original made no pod at all. */
/* Acceptance: job-1, word-13 */
static void test_a_script_that_asks_for_nothing_has_no_affinity(void **state)
{
	(void)state;
	WORLD(g);
	then_is(&g, built(&g, "\"batch\":\"#!/bin/sh\\nhostname\\n\""),
		POD("cow-job", "SlurmJob", "jt1", ""));
}

/* Acceptance: job-1 */
static void test_an_image_asks_by_its_resources(void **state)
{
	(void)state;
	WORLD(g);
	then_is(&g,
		built(&g,
			"\"image\":\"x\",\"resources\":{\"nodes\":2,\"cpuPerNode\":8,"
			"\"memPerNode\":1,\"wallTime\":60}"),
		POD("cow-wlm-job", "WlmJob", "jt2",
			AFFINITY(GT("nodes", "1") "," GT("wall-time", "59") "," GT("mem-per-node",
				"0") "," GT("cpu-per-node", "7"))));
}

/* Acceptance: job-1, word-12 */
static void test_a_script_asks_by_its_directives(void **state)
{
	(void)state;
	static const struct {
		const char *directives, *expressions;
	} rows[] = {
		{ "#SBATCH --time=00:05:00", GT("wall-time", "299") },
		{ "#SBATCH --time=0", GT("wall-time", "9223372036854775806") },
		{ "#SBATCH -N 7", GT("nodes", "6") },
		{ "#SBATCH --mem=120060", GT("mem-per-node", "120059") },
		{ "#SBATCH --cpus-per-task 8", GT("cpu-per-node", "7") },
		{ "#SBATCH -N 7  --mem=120060\\n#SBATCH --time=1-00:05:00\\n\\n#SBATCH "
		  "--cpus-per-task=8\\n#SBATCH --ntasks-per-node=2",
			GT("nodes", "6") "," GT("wall-time", "86699") "," GT("mem-per-node",
				"120059") "," GT("cpu-per-node", "15") },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		const char *spec = arena_printf(&g.arena,
			"\"batch\":\"\\n#!/bin/sh\\n%s\\nsrun x\"", rows[i].directives);
		const struct json *affinity = json_at(built(&g, spec), "spec", "affinity",
			"nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
		then_is(&g, affinity,
			arena_printf(&g.arena,
				"{\"nodeSelectorTerms\":[{\"matchExpressions\":[%s]}]}",
				rows[i].expressions));
	}
}

/* Acceptance: vnode-31 */
static void test_the_pod_of_an_array_has_the_number_of_its_tasks(void **state)
{
	(void)state;
	WORLD(g);
	then_is(&g,
		json_at(built(&g, "\"batch\":\"#!/bin/sh\\n#SBATCH --array=0-9%2\\n\""), "metadata",
			"annotations"),
		"{\"wlm.sylabs.io/array-tasks\":\"10\"}");
}

/* A number, as in an example of the original, ended that for all jobs. */
/* Acceptance: job-2 */
static void test_a_number_in_the_node_selector_is_its_text(void **state)
{
	(void)state;
	WORLD(g);
	then_is(&g,
		json_at(built(&g,
				"\"batch\":\"#!/bin/"
				"sh\",\"nodeSelector\":{\"cuda\":10,\"a\":\"b\"}"),
			"spec", "nodeSelector"),
		"{\"cuda\":\"10\",\"a\":\"b\",\"type\":\"virtual-kubelet\"}");
}

/* Acceptance: job-2 */
static void test_no_node_selector_leads_away_from_virtual_nodes(void **state)
{
	(void)state;
	WORLD(g);
	then_is(&g,
		json_at(built(&g, "\"batch\":\"#!/bin/sh\",\"nodeSelector\":{\"type\":\"mine\"}"),
			"spec", "nodeSelector"),
		"{\"type\":\"virtual-kubelet\"}");
}

/* ---- the pod that copies its results ---- */

/* V22: fit for the restricted standard, and nothing of a machine is mounted. */
/* Acceptance: job-14, V22 */
static void test_the_pod_that_copies_results_has_no_rights_but_its_token(void **state)
{
	(void)state;
	WORLD(g);
	struct job j;
	const struct job_options options = { .image = "i", .uid = 7, .gid = 8 };
	const struct collector c = { &j, &options, "https://u", "sha256//k", 3 };
	g.d = jdoc_new(&g.arena);
	job_read(RES_WLMJOB,
		given_json(&g,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"cow\",\"uid\":\"job\"},"
			"\"spec\":{\"image\":\"x\",\"results\":{\"mount\":{\"name\":\"d\",\"nfs\":{"
			"\"server\":\"s\",\"path\":\"/p\"}}}}}"),
		&j);
	then_is(&g, given_json(&g, collector_pod_build(g.d, &g.arena, &c)), COLLECTOR);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_script_that_asks_for_nothing_has_no_affinity),
		T(test_an_image_asks_by_its_resources),
		T(test_the_pod_of_an_array_has_the_number_of_its_tasks),
		T(test_a_script_asks_by_its_directives),
		T(test_a_number_in_the_node_selector_is_its_text),
		T(test_no_node_selector_leads_away_from_virtual_nodes),
		T(test_the_pod_that_copies_results_has_no_rights_but_its_token),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
