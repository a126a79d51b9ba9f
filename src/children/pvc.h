/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of worker pods: their names, their bodies and their owners. Pure. */
#ifndef CHILDREN_PVC_H
#define CHILDREN_PVC_H

#include "api/nodeset.h"
#include "json/build.h"

/* The name of the template; "" when it has none. */
const char *pvc_template_name(const struct json *template);
/* "<claim>-<nodeset>-<ordinal>" */
const char *pvc_name(struct arena *a, const struct json *template, const char *pod);
/*
 * The object to create, as JSON text. The NodeSet owns the claim from the beginning when
 * whenDeleted is Delete.
 */
const char *pvc_build(struct jdoc *d, const struct nodeset *n, const struct json *template,
	const char *name);

/*
 * Retention works through owner references: a claim is deleted with its owner. The owner
 * depends on the policy (the table of the field's documentation):
 *
 *     whenDeleted  whenScaled   pod stays   pod is deleted by a scale-in
 *     Retain       Retain       none        none
 *     Delete       Retain       NodeSet     NodeSet
 *     Retain       Delete       none        pod
 *     Delete       Delete       NodeSet     pod
 */
enum pvc_owner { PVC_OWNER_NONE, PVC_OWNER_NODESET, PVC_OWNER_POD };

enum pvc_verdict {
	PVC_FINE,   /* no change is needed */
	PVC_CHANGE, /* *patch is the merge patch to send */
	/*
	 * A predecessor of the same name owns the claim, and the GC will delete it: no
	 * change
	 */
	PVC_STALE,
	/*
	 * The claim has a foreign controller: add no reference. *patch is set when our
	 * reference must be removed
	 */
	PVC_CONFLICT,
	/*
	 * Not created by us: the claim lacks the labels of the selector. The pod uses the
	 * claim, but we add no owner, so it is never deleted with our claims
	 */
	PVC_FOREIGN,
};
/* claim: the existing PVC. pod_uid "": the pod does not exist yet. */
enum pvc_verdict pvc_retention(struct jdoc *d, const struct nodeset *n, const struct json *claim,
	const char *pod, const char *pod_uid, bool scaled_in, const char **patch);

/* Whether a pod of this uid is an owner of the claim, as controller or not. */
bool pvc_belongs_to(const struct json *claim, const char *pod_uid);
/*
 * Whether a deleted NodeSet of the same name owns the claim. The GC deletes such a claim.
 */
bool pvc_of_earlier_nodeset(const struct nodeset *n, const struct json *claim);

#endif
