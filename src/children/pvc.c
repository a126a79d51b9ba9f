/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of a pod, and their owners by the retention policy. */
#include "children/pvc.h"

#include "api/names.h"
#include "base/str.h"
#include "children/owner.h"
#include "json/build.h"
#include "object/metadata.h"
#include "object/selector.h"

const char *pvc_template_name(const struct json *template)
{
	return json_str(json_at(template, "metadata", "name"), "");
}

const char *pvc_name(struct arena *a, const struct json *template, const char *pod)
{
	return arena_printf(a, "%s-%s", pvc_template_name(template), pod);
}

static enum pvc_owner pvc_owner(enum retention when_deleted, enum retention when_scaled,
	bool scaled_in)
{
	if (scaled_in && when_scaled == DELETE_CLAIM)
		return PVC_OWNER_POD;
	return when_deleted == DELETE_CLAIM ? PVC_OWNER_NODESET : PVC_OWNER_NONE;
}

static void copy_members(struct jdoc *d, struct jval *to, const struct json *from)
{
	struct json_iter it = json_iter(from);
	while (json_next(&it))
		j_set(d, to, it.key, j_copy(d, it.value));
}

/* Adds the labels by which the selector recognizes the claim: see is_ours. */
static void add_selected_labels(struct jdoc *d, struct jval *labels, const struct nodeset *n)
{
	const struct json *of_pods = json_at(n->template, "metadata", "labels");
	struct json_iter it = json_iter(json_get(n->selector, "matchExpressions"));
	while (json_next(&it)) {
		const char *key = json_str(json_get(it.value, "key"), "");
		const struct json *value = json_get(of_pods, key);
		if (json_is_str(value))
			j_set(d, labels, key, j_copy(d, value));
	}
	copy_members(d, labels, json_get(n->selector, "matchLabels"));
}

const char *pvc_build(struct jdoc *d, const struct nodeset *n, const struct json *template,
	const char *name)
{
	const struct json *tm = json_get(template, "metadata");
	struct jval *pvc = j_obj(d);
	j_set_str(d, pvc, "apiVersion", "v1");
	j_set_str(d, pvc, "kind", "PersistentVolumeClaim");
	struct jval *m = j_set(d, pvc, "metadata", j_obj(d));
	j_set_str(d, m, "name", name);
	j_set_str(d, m, "namespace", n->ns);
	struct jval *labels = j_set(d, m, "labels", j_obj(d));
	copy_members(d, labels, json_get(tm, "labels"));
	add_selected_labels(d, labels, n);
	struct jval *notes = j_set(d, m, "annotations", j_obj(d));
	copy_members(d, notes, json_get(tm, "annotations"));
	j_set_str(d, notes, ANNOTATION_NODESET_UID, n->uid);
	if (pvc_owner(n->when_deleted, n->when_scaled, false) == PVC_OWNER_NODESET)
		j_push(d, j_set(d, m, "ownerReferences", j_arr(d)), nodeset_reference(d, n));
	j_set(d, pvc, "spec",
		json_is_obj(json_get(template, "spec")) ? j_copy(d, json_get(template, "spec"))
							: j_obj(d));
	return j_text(d, pvc);
}

/* The owner that an ownerReferences entry names. */
enum whose { OTHERS, OURS_NODESET, OURS_POD, PREDECESSOR };

static enum whose whose(const struct json *ref, const struct nodeset *n, const char *pod,
	const char *pod_uid)
{
	const char *kind = json_str(json_get(ref, "kind"), ""),
		   *name = json_str(json_get(ref, "name"), ""),
		   *uid = json_str(json_get(ref, "uid"), "");
	if (str_eq(kind, KIND_NODESET) && str_eq(name, n->name))
		return str_eq(uid, n->uid) ? OURS_NODESET : PREDECESSOR;
	if (str_eq(kind, "Pod") && str_eq(name, pod))
		return !str_empty(pod_uid) && str_eq(uid, pod_uid) ? OURS_POD : PREDECESSOR;
	return OTHERS;
}

struct census {
	bool predecessor, foreign_controller;
	int ours;          /* number of our references of any kind */
	bool as_it_should; /* the wanted reference exists, as controller */
};

static struct census take_census(const struct nodeset *n, const struct json *refs, const char *pod,
	const char *pod_uid, enum whose wanted)
{
	struct census c = { 0 };
	struct json_iter it = json_iter(refs);
	while (json_next(&it)) {
		enum whose w = whose(it.value, n, pod, pod_uid);
		bool controller = json_bool(json_get(it.value, "controller"), false);
		c.predecessor |= w == PREDECESSOR;
		c.foreign_controller |= w == OTHERS && controller;
		c.ours += w == OURS_NODESET || w == OURS_POD;
		c.as_it_should |= w == wanted && controller;
	}
	return c;
}

bool pvc_belongs_to(const struct json *claim, const char *pod_uid)
{
	struct json_iter it = json_iter(json_at(claim, "metadata", "ownerReferences"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "uid"), ""), pod_uid))
			return true;
	return false;
}

bool pvc_of_earlier_nodeset(const struct nodeset *n, const struct json *claim)
{
	struct json_iter it = json_iter(json_at(claim, "metadata", "ownerReferences"));
	while (json_next(&it)) {
		bool nodeset = str_eq(json_str(json_get(it.value, "kind"), ""), KIND_NODESET);
		if (nodeset && whose(it.value, n, "", "") == PREDECESSOR)
			return true;
	}
	return false;
}

/*
 * The reference does not set blockOwnerDeletion: with
 * OwnerReferencesPermissionEnforcement, setting it requires the right to update
 * pods/finalizers.
 */
static struct jval *pod_reference(struct jdoc *d, const char *pod, const char *uid)
{
	struct jval *owner = owner_reference(d, RES_POD, pod, uid, true);
	j_set_bool(d, owner, "blockOwnerDeletion", false);
	return owner;
}

/*
 * A merge patch replaces the whole list. The resourceVersion in the patch ensures that no
 * entry of another controller is lost.
 */
static const char *patch_refs(struct jdoc *d, const struct nodeset *n, const struct json *claim,
	const char *pod, const char *pod_uid, enum pvc_owner add)
{
	struct metadata m = metadata_of(claim);
	struct jval *patch = patch_of(d, m.uid, m.resource_version);
	struct jval *refs = j_set(d, patch_metadata(d, patch), "ownerReferences", j_arr(d));
	struct json_iter it = json_iter(json_at(claim, "metadata", "ownerReferences"));
	while (json_next(&it))
		if (whose(it.value, n, pod, pod_uid) == OTHERS)
			j_push(d, refs, j_copy(d, it.value));
	if (add == PVC_OWNER_NODESET)
		j_push(d, refs, nodeset_reference(d, n));
	if (add == PVC_OWNER_POD)
		j_push(d, refs, pod_reference(d, pod, pod_uid));
	return j_text(d, patch);
}

/*
 * True if a claim has the labels of the selector, which all our claims have. The name is
 * not enough, because claims of a StatefulSet have names of the same form.
 */
static bool is_ours(const struct nodeset *n, const struct json *claim)
{
	return selector_matches(n->selector, labels_of_json, json_at(claim, "metadata", "labels"));
}

enum pvc_verdict pvc_retention(struct jdoc *d, const struct nodeset *n, const struct json *claim,
	const char *pod, const char *pod_uid, bool scaled_in, const char **patch)
{
	static const enum whose as_whose[] = {
		[PVC_OWNER_NONE] = OTHERS,
		[PVC_OWNER_NODESET] = OURS_NODESET,
		[PVC_OWNER_POD] = OURS_POD,
	};
	enum pvc_owner wanted = pvc_owner(n->when_deleted, n->when_scaled, scaled_in);
	*patch = NULL;
	if (json_is_cut(claim)) /* some of its owners may be missing */
		return PVC_FINE;
	struct census c = take_census(n, json_at(claim, "metadata", "ownerReferences"), pod,
		pod_uid, as_whose[wanted]);
	if (c.predecessor)
		return PVC_STALE;
	if (c.foreign_controller && wanted != PVC_OWNER_NONE) {
		if (c.ours)
			*patch = patch_refs(d, n, claim, pod, pod_uid, PVC_OWNER_NONE);
		return PVC_CONFLICT;
	}
	if (wanted == PVC_OWNER_NONE ? c.ours == 0 : c.ours == 1 && c.as_it_should)
		return PVC_FINE;
	if (!c.ours && !is_ours(n, claim))
		return PVC_FOREIGN;
	*patch = patch_refs(d, n, claim, pod, pod_uid, wanted);
	return PVC_CHANGE;
}
