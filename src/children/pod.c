/* SPDX-License-Identifier: Apache-2.0 */
/* Names the pods of a NodeSet, and builds them from the template. */
#include "children/pod.h"

#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "children/owner.h"
#include "children/pvc.h"
#include "json/build.h"

const char *pod_name(struct arena *a, const struct nodeset *n, int64_t ordinal)
{
	return arena_printf(a, "%s-%lld", n->name, (long long)ordinal);
}

int64_t pod_ordinal(const char *nodeset, const char *pod)
{
	size_t n = strlen(nodeset);
	int64_t ordinal;
	if (strncmp(pod, nodeset, n) != 0 || pod[n] != '-' ||
		!str_to_i64(pod + n + 1, 0, INT32_MAX, &ordinal))
		return -1;
	return ordinal;
}

const char *pod_slurm_name(const struct pod_fact *p)
{
	return str_empty(p->hostname) ? p->name : p->hostname;
}

struct slurm_who pod_slurm_who(const struct pod_fact *p)
{
	return (struct slurm_who){
		.name = pod_slurm_name(p),
		.address = p->ip ? p->ip : "",
		.second_address = p->second_ip,
		.machine = p->host_network ? p->node_name : NULL,
	};
}

static void add_carry_over(struct jdoc *d, struct arena *a, struct jval *pod, struct carry_over h)
{
	struct jval *m = j_child(d, pod, "metadata");
	if (h.cordoned)
		j_set_str(d, j_child(d, m, "annotations"), ANNOTATION_POD_CORDON, "true");
	if (h.returning)
		j_set_str(d, j_child(d, m, "annotations"), ANNOTATION_CORDONED_BY,
			CORDONED_BY_RETURNING);
	if (h.ended)
		j_set_str(d, j_child(d, m, "annotations"), ANNOTATION_ENDED_BEFORE,
			arena_printf(a, "%lld", (long long)h.ended));
}

struct jval *second_owner_reference(struct jdoc *d, const char *ns, const char *uid)
{
	return owner_reference(d, RES_NAMESPACE, ns, uid, false);
}

static void add_owners(struct jdoc *d, struct jval *metadata, const struct nodeset *n,
	const char *second_owner)
{
	struct jval *owners = j_set(d, metadata, "ownerReferences", j_arr(d));
	j_push(d, owners, nodeset_reference(d, n));
	if (!str_empty(second_owner))
		j_push(d, owners, second_owner_reference(d, n->ns, second_owner));
}

static void add_metadata(struct jdoc *d, struct arena *a, struct jval *pod, const struct nodeset *n,
	int64_t ordinal, const char *hash)
{
	const struct json *template = json_get(n->template, "metadata");
	struct jval *m = j_set(d, pod, "metadata", j_obj(d));
	const char *name = pod_name(a, n, ordinal);
	j_set_str(d, m, "name", name);
	j_set_str(d, m, "namespace", n->ns);
	struct jval *labels = j_set(d, m, "labels",
		json_is_obj(json_get(template, "labels")) ? j_copy(d, json_get(template, "labels"))
							  : j_obj(d));
	j_set_str(d, labels, LABEL_POD_NAME, name);
	j_set_str(d, labels, LABEL_POD_INDEX, arena_printf(a, "%lld", (long long)ordinal));
	j_set_str(d, labels, LABEL_HASH, hash);
	const struct json *annotations = json_get(template, "annotations");
	struct jval *notes = json_is_obj(annotations) ? j_copy(d, annotations) : j_obj(d);
	j_set_str(d, j_set(d, m, "annotations", notes), ANNOTATION_NODESET_UID, n->uid);
	if (json_is_arr(json_get(template, "finalizers")))
		j_set(d, m, "finalizers", j_copy(d, json_get(template, "finalizers")));
}

/*
 * The tolerations of a DaemonSet's pods, so that a worker survives a pressure condition
 * of its Kubernetes node. A cordoned node is not tolerated: it is being emptied and gets
 * no new worker.
 */
static const struct toleration {
	const char *key, *effect;
	bool only_host_network;
} tolerations[] = {
	{ "node.kubernetes.io/not-ready", "NoExecute", false },
	{ "node.kubernetes.io/unreachable", "NoExecute", false },
	{ "node.kubernetes.io/disk-pressure", "NoSchedule", false },
	{ "node.kubernetes.io/memory-pressure", "NoSchedule", false },
	{ "node.kubernetes.io/pid-pressure", "NoSchedule", false },
	{ "node.kubernetes.io/network-unavailable", "NoSchedule", true },
};

static bool tolerates(const struct json *list, const struct toleration *t)
{
	struct json_iter it = json_iter(list);
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "key"), ""), t->key) &&
			str_eq(json_str(json_get(it.value, "effect"), ""), t->effect) &&
			str_eq(json_str(json_get(it.value, "operator"), ""), "Exists") &&
			json_is_null(json_get(it.value, "tolerationSeconds")))
			return true;
	return false;
}

static void add_tolerations(struct jdoc *d, struct jval *spec, const struct json *template)
{
	const struct json *given = json_get(template, "tolerations");
	bool host_network = json_bool(json_get(template, "hostNetwork"), false);
	struct jval *list = j_set(d, spec, "tolerations",
		json_is_arr(given) ? j_copy(d, given) : j_arr(d));
	for (size_t i = 0; i < LENGTH(tolerations); i++) {
		if ((tolerations[i].only_host_network && !host_network) ||
			tolerates(given, &tolerations[i]))
			continue;
		struct jval *t = j_push(d, list, j_obj(d));
		j_set_str(d, t, "key", tolerations[i].key);
		j_set_str(d, t, "operator", "Exists");
		j_set_str(d, t, "effect", tolerations[i].effect);
	}
}

static bool has_claim_template(const struct nodeset *n, const char *volume)
{
	struct json_iter it = json_iter(n->claim_templates);
	while (json_next(&it))
		if (str_eq(pvc_template_name(it.value), volume))
			return true;
	return false;
}

/*
 * Adds a volume for each claim template; it replaces a volume of the pod template with
 * the same name.
 */
static void add_volumes(struct jdoc *d, struct arena *a, struct jval *spec, const struct nodeset *n,
	int64_t ordinal)
{
	if (!json_count(n->claim_templates))
		return;
	struct jval *volumes = j_arr(d);
	struct json_iter it = json_iter(n->claim_templates);
	while (json_next(&it)) {
		struct jval *v = j_push(d, volumes, j_obj(d));
		j_set_str(d, v, "name", pvc_template_name(it.value));
		j_set_str(d, j_set(d, v, "persistentVolumeClaim", j_obj(d)), "claimName",
			pvc_name(a, it.value, pod_name(a, n, ordinal)));
	}
	it = json_iter(json_at(n->template, "spec", "volumes"));
	while (json_next(&it))
		if (!has_claim_template(n, json_str(json_get(it.value, "name"), "")))
			j_push(d, volumes, j_copy(d, it.value));
	j_set(d, spec, "volumes", volumes);
}

const char *pod_hostname(struct arena *a, const char *nodeset, const struct json *template,
	int64_t ordinal)
{
	const char *prefix = json_str(json_at(template, "spec", "hostname"), "");
	bool own = !str_empty(prefix);
	return arena_printf(a, "%s%s%lld", own ? prefix : nodeset, own ? "" : "-",
		(long long)ordinal);
}

const char *pod_build(struct jdoc *d, struct arena *a, const struct nodeset *n, int64_t ordinal,
	const char *hash, struct carry_over carry_over, const char *second_owner)
{
	const struct json *template = json_get(n->template, "spec");
	struct jval *pod = j_obj(d);
	j_set_str(d, pod, "apiVersion", "v1");
	j_set_str(d, pod, "kind", "Pod");
	add_metadata(d, a, pod, n, ordinal, hash);
	add_carry_over(d, a, pod, carry_over);
	add_owners(d, j_get(pod, "metadata"), n, second_owner);
	struct jval *spec = j_set(d, pod, "spec", j_copy(d, template));
	j_set_str(d, spec, "hostname", pod_hostname(a, n->name, n->template, ordinal));
	if (!str_empty(n->service_name))
		j_set_str(d, spec, "subdomain", n->service_name);
	j_del(spec, "nodeName");
	add_tolerations(d, spec, template);
	add_volumes(d, a, spec, n, ordinal);
	return j_text(d, pod);
}
