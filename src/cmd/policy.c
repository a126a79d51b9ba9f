/* SPDX-License-Identifier: Apache-2.0 */
/* The admission policy of the manager's account: limits that a role cannot express. */
#include "cmd/policy.h"

#include "api/names.h"
#include "base/own.h"
#include "cmd/rbac.h"
#include "engine/facts.h"
#include "link/facts.h"
#include "slurm/state_shown.h"

/* An owner reference o names a NodeSet. No expression can check that it exists. */
#define NODESET "o.kind == 'NodeSet' && o.apiVersion.startsWith('slinky.slurm.net/')"
/* An owner reference o names a job, which has one pod and adopts none. */
#define JOB                                                                                   \
	"(o.kind in ['SlurmJob', 'WlmJob'] && o.apiVersion.startsWith('wlm.sylabs.io/')) || " \
	"(o.kind == 'SlurmJob' && o.apiVersion.startsWith('slurm.sylabs.io/'))"
#define CONTROLS "o.?controller.orValue(false)"
/* The pod of a claim, whose name ends with that of the pod. */
#define POD_OF_IT \
	"o.kind == 'Pod' && o.apiVersion == 'v1' && object.metadata.name.endsWith('-' + o.name)"

/* Two maps are equal, except for the value of one key. */
#define SAME_BUT(key, before, after)                                                  \
	after ".all(k, k == '" key "' || (k in " before " && " before "[k] == " after \
	      "[k])) && " before ".all(k, k in " after ")"

/*
 * Variables that the rules below share. An owner reference can delete an object, because
 * the garbage collector deletes an object whose owner does not exist.
 * So an existing object gets an owner reference only if it has a mark of its creation by
 * a manager. The rules let the manager's account add no such mark. The mark of a pod is a
 * label with its name, which other operators for NodeSets set as well. The mark of a
 * claim, and of a pod whose reference the garbage collector has removed, is an annotation
 * with the uid of its NodeSet. A NodeSet adopts an object without a controller only if
 * the name of the object begins with its own.
 */
static const struct {
	const char *name, *expression;
} variables[] = {
	{ "before", "oldObject == null ? [] : oldObject.metadata.?ownerReferences.orValue([])" },
	{ "after", "object == null ? [] : object.metadata.?ownerReferences.orValue([])" },
	{ "wasControlled", "variables.before.exists(o, " CONTROLS ")" },
	{ "wasOurs", "variables.before.exists(o, " CONTROLS " && ((" NODESET ") || (" JOB ")))" },
	{ "becomesOurs",
		"!variables.wasControlled && variables.after.exists(o, " CONTROLS " && ((" NODESET
		") || (oldObject == null && (" JOB
		"))) && object.metadata.name.startsWith(o.name + '-'))" },
	{ "wasStripped",
		"oldObject != null && !variables.wasControlled && '" ANNOTATION_NODESET_UID
		"' in oldObject.metadata.?annotations.orValue({})" },
	{ "wasLabelled",
		"oldObject != null && oldObject.metadata.?labels[?'" LABEL_POD_NAME
		"'].orValue('') == oldObject.metadata.name" },
	{ "notesBefore", "oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})" },
	{ "notesAfter", "object == null ? {} : object.metadata.?annotations.orValue({})" },
	{ "labelsBefore", "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})" },
	{ "labelsAfter", "object == null ? {} : object.metadata.?labels.orValue({})" },
	{ "claimIsOurs",
		"oldObject == null || '" ANNOTATION_NODESET_UID
		"' in variables.notesBefore || variables.before.exists(o, " CONTROLS
		" && ((" NODESET ") || (" POD_OF_IT ")))" },
	{ "dataBefore", "oldObject == null ? {} : dyn(oldObject).?data.orValue({})" },
	{ "dataAfter", "object == null ? {} : dyn(object).?data.orValue({})" },
};

/* A write of a pod's status may change only the state of its Slurm node. */
#define OF_STATUS(object, member) "dyn(" object ").?status.?" member
#define SAME_STATUS(member) OF_STATUS("object", member) " == " OF_STATUS("oldObject", member)
#define OTHER_CONDITIONS(object)        \
	OF_STATUS(object, "conditions") \
	".orValue([]).filter(c, "       \
	"!c.type.startsWith('" STATE_CONDITION_PREFIX "'))"
/* Like SAME_BUT, but the key may also be removed. */
#define SAME_OTHERS(key, before, after)                                               \
	after ".all(k, k == '" key "' || (k in " before " && " before "[k] == " after \
	      "[k])) && " before ".all(k, k == '" key "' || k in " after ")"
#define SAME_LABELS \
	SAME_OTHERS(LABEL_SLURM_STATE, "variables.labelsBefore", "variables.labelsAfter")
#define SAME_NOTES \
	SAME_OTHERS(ANNOTATION_SLURM_REASON, "variables.notesBefore", "variables.notesAfter")
#define SHOWS_ONLY                                                                               \
	OTHER_CONDITIONS("object")                                                               \
	" == " OTHER_CONDITIONS("oldObject") " && " SAME_STATUS("phase") " && " SAME_STATUS(     \
		"podIPs") " && " SAME_STATUS("containerStatuses") " && " SAME_LABELS             \
								  " && " SAME_NOTES " && "       \
								  "object.metadata.?finalizers " \
								  "== "                          \
								  "oldObject.metadata.?finalizers"

static const struct {
	const char *expression, *message;
} rules[] = {
	{ "request.resource.resource in ['persistentvolumeclaims', 'secrets'] || "
	  "variables.wasOurs || variables.wasStripped || (request.operation != 'DELETE' && "
	  "variables.becomesOurs)",
		"the manager makes, changes and deletes only what a NodeSet, a SlurmJob or a WlmJob controls" },
	{ "request.resource.resource != 'pods' || oldObject == null || variables.wasOurs || "
	  "variables.wasStripped || variables.wasLabelled",
		"the manager adopts only pods that were made for a NodeSet (label " LABEL_POD_NAME
		" with the name of the pod)" },
	{ "request.resource.resource != 'persistentvolumeclaims' || variables.after.all(o, o in "
	  "variables.before || (" NODESET ") || (" POD_OF_IT "))",
		"the manager gives claims to NodeSets and to their pods only" },
	{ "request.resource.resource != 'persistentvolumeclaims' || variables.claimIsOurs || "
	  "variables.after.all(o, o in variables.before)",
		"the manager adds owners only to claims that it made: those with the annotation " ANNOTATION_NODESET_UID
		". Add this annotation, with any value, to a claim that another operator made" },
	{ "request.resource.resource != 'persistentvolumeclaims' || oldObject == null || "
	  "(dyn(object).spec == dyn(oldObject).spec && object.metadata.?labels == "
	  "oldObject.metadata.?labels && object.metadata.?annotations == "
	  "oldObject.metadata.?annotations && object.metadata.?finalizers == "
	  "oldObject.metadata.?finalizers)",
		"the manager may change only the owner of a claim" },
	{ "request.?subResource.orValue('') != 'status' || (" SHOWS_ONLY ")",
		"the manager may change in the status of a pod only the conditions " STATE_CONDITION_PREFIX
		"*" },
	{ "request.resource.resource != 'secrets' || '" ANNOTATION_TOKEN_OF
	  "' in variables.notesBefore",
		"the manager writes only into Secrets that say whose tokens they want (annotation " ANNOTATION_TOKEN_OF
		")" },
	{ "request.resource.resource != 'secrets' || (" SAME_BUT("auth-token",
		  "variables.dataBefore",
		  "variables.dataAfter") " && " SAME_BUT(ANNOTATION_TOKEN_EXPIRES,
		  "variables.notesBefore",
		  "variables.notesAfter") " && variables.before == variables.after && "
					  "object.metadata.?labels == oldObject.metadata.?labels "
					  "&& "
					  "object.metadata.?finalizers == "
					  "oldObject.metadata.?finalizers "
					  "&& dyn(object).?immutable == dyn(oldObject).?immutable)",
		"the manager may change only the token in a Secret" },
};

static void print_head(struct str *out, const char *kind, const char *own_ns)
{
	str_addf(out,
		"---\napiVersion: admissionregistration.k8s.io/v1\nkind: %s\nmetadata:\n"
		"  name: %s.manager.slinky.slurm.net\nspec:\n",
		kind, own_ns);
}

static void print_rule(struct str *out, const char *expression, const char *message)
{
	str_addf(out,
		"    - expression: >-\n        %s\n      reason: Forbidden\n"
		"      message: >-\n        %s\n",
		expression, message);
}

static void print_label_rule(struct str *out, const struct rbac_config *c)
{
	struct str expression AUTO(str_free) = { 0 }, message AUTO(str_free) = { 0 };
	str_addf(&expression, "namespaceObject.metadata.?labels[?'%s'].orValue('') == '%s'",
		c->label_key, c->label_value);
	str_addf(&message, "the manager writes in namespaces with the label %s=%s only",
		c->label_key, c->label_value);
	print_rule(out, str_text(&expression), str_text(&message));
}

void policy_print(struct str *out, const char *own_ns, const struct rbac_config *config)
{
	print_head(out, "ValidatingAdmissionPolicy", own_ns);
	str_addf(out,
		"  failurePolicy: Fail\n"
		"  matchConstraints:\n    resourceRules:\n"
		"      - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE, UPDATE, "
		"DELETE], resources: [pods, pods/status, persistentvolumeclaims, secrets]}\n"
		"      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE, "
		"DELETE], resources: [controllerrevisions]}\n"
		"  matchConditions:\n    - name: the-account-of-the-manager\n      expression: "
		"request.userInfo.username == 'system:serviceaccount:%s:slurm-operator'\n"
		"  variables:\n",
		own_ns);
	for (size_t i = 0; i < LENGTH(variables); i++)
		str_addf(out, "    - name: %s\n      expression: >-\n        %s\n",
			variables[i].name, variables[i].expression);
	str_add(out, "  validations:\n");
	for (size_t i = 0; i < LENGTH(rules); i++)
		print_rule(out, rules[i].expression, rules[i].message);
	if (config->label_key)
		print_label_rule(out, config);
	print_head(out, "ValidatingAdmissionPolicyBinding", own_ns);
	str_addf(out, "  policyName: %s.manager.slinky.slurm.net\n  validationActions: [Deny]\n",
		own_ns);
}
