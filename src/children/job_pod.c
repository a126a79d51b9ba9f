/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the pod that represents a Slurm job. */
#include "children/job_pod.h"

#include "api/job_older.h"
#include "api/job_inputs.h"
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/facts.h"
#include "json/build.h"
#include "object/metadata.h"

/*
 * The user of the containers. They never run, but a namespace may enforce the Pod
 * Security Standard "restricted", which requires a user that is not root.
 */
enum { NOBODYS_UID = 1000, NOBODYS_GID = 1000 };

static void add_metadata(struct jdoc *d, struct arena *a, struct jval *pod, const struct job *j,
	const struct sbatch_wishes *w)
{
	struct jval *m = j_set(d, pod, "metadata", j_obj(d));
	j_set_str(d, m, "name", job_pod_name(a, j));
	j_set_str(d, m, "namespace", j->ns);
	if (job_inputs_of(j).asked)
		j_set_str(d, j_child(d, m, "annotations"), ANNOTATION_INPUTS_WANTED, "true");
	if (w->tasks)
		j_set_str(d, j_child(d, m, "annotations"), ANNOTATION_JOB_TASKS,
			arena_printf(a, "%lld", (long long)w->tasks));
	j_push(d, j_set(d, m, "finalizers", j_arr(d)), j_str(d, FINALIZER_UNREPORTED));
	j_push(d, j_set(d, m, "ownerReferences", j_arr(d)),
		owner_reference(d, j->resource, j->name, j->uid, true));
}

/* Adds the user's labels first. Ours overwrite them: the pod needs a virtual node. */
static void add_node_selector(struct jdoc *d, struct arena *a, struct jval *spec,
	const struct job *j)
{
	struct jval *selector = j_set(d, spec, "nodeSelector", j_obj(d));
	for (struct json_iter it = json_iter(j->node_selector); json_next(&it);) {
		const char *value = json_is_int(it.value)
			? arena_printf(a, "%lld", (long long)json_i64(it.value, 0))
			: json_str(it.value, "");
		const char *label = job_node_label(a, j, it.key, value);
		if (label)
			j_set_str(d, selector, label, value);
	}
	j_set_str(d, selector, LABEL_NODE_TYPE, NODE_TYPE_VIRTUAL);
}

/*
 * Slurm runs the job even while its virtual node does not answer. Without the last two
 * tolerations the node controller would delete the pod after five minutes, and with it
 * the job.
 */
static const struct {
	const char *key, *operator, * value, *effect;
} tolerations[] = {
	{ TAINT_PROVIDER, "Equal", PROVIDER_WLM, "NoSchedule" },
	{ "node.kubernetes.io/not-ready", "Exists", NULL, "NoExecute" },
	{ "node.kubernetes.io/unreachable", "Exists", NULL, "NoExecute" },
};

bool job_pod_tolerates(const char *key, const char *value, const char *effect)
{
	for (size_t i = 0; i < LENGTH(tolerations); i++)
		if (str_eq(key, tolerations[i].key) && str_eq(effect, tolerations[i].effect) &&
			(!tolerations[i].value || str_eq(value, tolerations[i].value)))
			return true;
	return false;
}

static void add_tolerations(struct jdoc *d, struct jval *spec)
{
	struct jval *list = j_set(d, spec, "tolerations", j_arr(d));
	for (size_t i = 0; i < LENGTH(tolerations); i++) {
		struct jval *t = j_push(d, list, j_obj(d));
		j_set_str(d, t, "key", tolerations[i].key);
		j_set_str(d, t, "operator", tolerations[i].operator);
		if (tolerations[i].value)
			j_set_str(d, t, "value", tolerations[i].value);
		j_set_str(d, t, "effect", tolerations[i].effect);
	}
}

/*
 * Adds "label is at least wish", as "greater than wish - 1": the scheduler has only Gt.
 */
static void add_wish(struct jdoc *d, struct arena *a, struct jval *expressions, const char *label,
	int64_t wish)
{
	if (wish <= 0)
		return;
	struct jval *e = j_push(d, expressions, j_obj(d));
	j_set_str(d, e, "key", label);
	j_set_str(d, e, "operator", "Gt");
	j_push(d, j_set(d, e, "values", j_arr(d)),
		j_str(d, arena_printf(a, "%lld", (long long)(wish - 1))));
}

/* An empty term would match no node at all. */
static void add_affinity(struct jdoc *d, struct arena *a, struct jval *spec,
	const struct sbatch_wishes *w)
{
	if (w->nodes <= 0 && w->wall_time_s <= 0 && w->mem_per_node_mib <= 0 &&
		w->cpus_per_node <= 0)
		return;
	struct jval *node = j_child(d, j_child(d, spec, "affinity"), "nodeAffinity");
	struct jval *required = j_child(d, node, "requiredDuringSchedulingIgnoredDuringExecution");
	struct jval *terms = j_set(d, required, "nodeSelectorTerms", j_arr(d));
	struct jval *term = j_push(d, terms, j_obj(d));
	struct jval *expressions = j_set(d, term, "matchExpressions", j_arr(d));
	add_wish(d, a, expressions, LABEL_PARTITION_NODES, w->nodes);
	add_wish(d, a, expressions, LABEL_PARTITION_WALL_TIME, w->wall_time_s);
	add_wish(d, a, expressions, LABEL_PARTITION_MEM, w->mem_per_node_mib);
	add_wish(d, a, expressions, LABEL_PARTITION_CPUS, w->cpus_per_node);
}

static void add_container(struct jdoc *d, struct jval *spec, const struct job *j)
{
	struct jval *c = j_push(d, j_set(d, spec, "containers", j_arr(d)), j_obj(d));
	j_set_str(d, c, "name", job_has_script(j->resource) ? "jt1" : "jt2");
	j_set_str(d, c, "image", "no-image");
	struct jval *security = j_child(d, c, "securityContext");
	j_set_bool(d, security, "allowPrivilegeEscalation", false);
	j_push(d, j_set(d, j_child(d, security, "capabilities"), "drop", j_arr(d)),
		j_str(d, "ALL"));
}

static void add_user(struct jdoc *d, struct jval *spec)
{
	struct jval *security = j_child(d, spec, "securityContext");
	j_set_bool(d, security, "runAsNonRoot", true);
	j_set_int(d, security, "runAsUser", NOBODYS_UID);
	j_set_int(d, security, "runAsGroup", NOBODYS_GID);
	j_set_str(d, j_child(d, security, "seccompProfile"), "type", "RuntimeDefault");
}

const char *job_pod_build(struct jdoc *d, struct arena *a, const struct job *j,
	const struct sbatch_wishes *wishes)
{
	struct jval *pod = j_obj(d);
	j_set_str(d, pod, "apiVersion", "v1");
	j_set_str(d, pod, "kind", "Pod");
	add_metadata(d, a, pod, j, wishes);
	struct jval *spec = j_set(d, pod, "spec", j_obj(d));
	add_container(d, spec, j);
	add_node_selector(d, a, spec, j);
	add_tolerations(d, spec);
	add_affinity(d, a, spec, wishes);
	add_user(d, spec);
	j_set_str(d, spec, "restartPolicy", "Never");
	j_set_bool(d, spec, "automountServiceAccountToken", false);
	j_set_bool(d, spec, "enableServiceLinks", false);
	return j_text(d, pod);
}
