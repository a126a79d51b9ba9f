/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of worker pods: their names, their bodies and whom they belong to. Pure. */
#ifndef CHILDREN_PVC_H
#define CHILDREN_PVC_H

#include "api/nodeset.h"

/* The name of the template; "" when it has none. */
const char *pvc_template_name(const struct json *template);
/* "<claim>-<nodeset>-<ordinal>" */
const char *pvc_name(struct arena *a, const struct json *template, const char *pod);
/*
 * The object to create, as JSON text. Belongs to the NodeSet from the beginning when
 * whenDeleted is Delete.
 */
const char *pvc_build(struct jdoc *d, const struct nodeset *n, const struct json *template,
	const char *name);

/*
 * Retention works through owner references: what owns a claim takes it along. Who should
 * own it (the table of the field's documentation):
 *
 *     whenDeleted  whenScaled   pod stays   pod goes because of a scale-in
 *     Retain       Retain       nobody      nobody
 *     Delete       Retain       NodeSet     NodeSet
 *     Retain       Delete       nobody      pod
 *     Delete       Delete       NodeSet     pod
 */
enum pvc_owner { PVC_OWNER_NONE, PVC_OWNER_NODESET, PVC_OWNER_POD };

enum pvc_verdict {
	PVC_FINE,   /* as it should be */
	PVC_CHANGE, /* *patch is the merge patch to send */
	/*
	 * Belongs to a predecessor of the same name and is about to be collected: left
	 * alone
	 */
	PVC_STALE,
	/*
	 * Has a controller that is none of ours: nothing of ours is added. *patch is set
	 * when something of ours must go
	 */
	PVC_CONFLICT,
	/*
	 * Somebody else made it: it lacks the labels of the selector. It is used, but
	 * nothing of ours takes it along
	 */
	PVC_FOREIGN,
};
/* claim: the PVC as it is. pod_uid "": the pod does not exist yet. */
enum pvc_verdict pvc_retention(struct jdoc *d, const struct nodeset *n, const struct json *claim,
	const char *pod, const char *pod_uid, bool scaled_in, const char **patch);

/* Whether a pod of this uid is among its owners, as controller or not. */
bool pvc_belongs_to(const struct json *claim, const char *pod_uid);
/* Whether a NodeSet of the same name that is gone owns it: the collector takes it. */
bool pvc_of_earlier_nodeset(const struct nodeset *n, const struct json *claim);

#endif
