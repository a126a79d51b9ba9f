/* SPDX-License-Identifier: Apache-2.0 */
/* The worker pods of a NodeSet: their names and the body to create one. Pure. */
#ifndef CHILDREN_POD_H
#define CHILDREN_POD_H

#include "api/nodeset.h"
#include "engine/facts.h"
#include "json/build.h"
#include "link/facts.h"

/* "<nodeset>-<ordinal>" */
const char *pod_name(struct arena *a, const struct nodeset *n, int64_t ordinal);
/* The host name of the pod of this ordinal. It is also the name of its Slurm node. */
const char *pod_hostname(struct arena *a, const char *nodeset, const struct json *template,
	int64_t ordinal);
/*
 * The ordinal of a pod of this NodeSet; -1 for any other name. "foo-bar-0" is not a pod
 * of foo, and "foo-01" is not a pod of any NodeSet.
 */
int64_t pod_ordinal(const char *nodeset, const char *pod);
/* The name of the pod's Slurm node: the host name of the pod, or the pod's name. */
const char *pod_slurm_name(const struct pod_fact *p);
struct slurm_who pod_slurm_who(const struct pod_fact *p);

/* Values that a new pod inherits from the previous pod of its ordinal. */
enum { POD_MAX_ENDED = 11 };
struct carry_over {
	bool cordoned;  /* by a user */
	int64_t ended;  /* predecessors that ended soon after their start: 0 to POD_MAX_ENDED */
	bool returning; /* the node is being undrained, or may be at any moment */
};

/*
 * The object to create, as JSON text in the arena of d. hash: hash of the revision;
 * second_owner: uid of the Namespace, "" while unknown.
 */
const char *pod_build(struct jdoc *d, struct arena *a, const struct nodeset *n, int64_t ordinal,
	const char *hash, struct carry_over carry_over, const char *second_owner);

/*
 * A reference to the Namespace as second owner, without blockOwnerDeletion. When a
 * NodeSet is deleted in the foreground, or loses its finalizer, the garbage collector
 * deletes its dependents at once. If a dependent has another owner, the garbage collector
 * only removes the reference to the NodeSet. The second owner is the Namespace because it
 * outlives its objects. A Cluster may be deleted in the foreground together with its
 * NodeSets.
 */
struct jval *second_owner_reference(struct jdoc *d, const char *ns, const char *uid);

#endif
