/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the admission webhook: the values that a Cluster, a NodeSet, a SlurmJob or
 * a WlmJob may have, and their defaults. The faults of a single object are those that the
 * planner reports too (nodeset_faults, cluster_faults, job_faults). The rules here also
 * deny forbidden changes, and warn of values that may not do what the user expects.
 *
 * A write is denied only for a fault that it adds, not for a fault that the object has
 * already. A write that does not change spec (a finalizer, an annotation) is admitted. If
 * the object is being deleted, only forbidden changes are denied.
 */
#ifndef API_ADMISSION_H
#define API_ADMISSION_H

#include "api/cluster.h"
#include "api/job.h"
#include "api/nodeset.h"

enum { ADMISSION_MOST = 32 };

/* Faults and warnings. Initialize as { .arena = a }; the arena holds the sentences. */
struct admission {
	struct arena *arena;
	const char *denials[ADMISSION_MOST], *warnings[ADMISSION_MOST];
	size_t n_denials, n_warnings;
};

/* A change of a NodeSet; all members are borrowed. */
struct nodeset_change {
	const struct nodeset *old; /* NULL: it is being created */
	const struct nodeset *new;
	/* The NodeSets of its namespace and itself, with a part of their templates */
	const struct nodeset *others;
	size_t n_others;
	bool others_known; /* the list is complete */
	bool unnamed;      /* this caller must not see the names of the others */
};

/* Adds the denials and warnings for the change. */
void admit_nodeset(const struct nodeset_change *c, struct admission *out);
/* old NULL: the Cluster is being created. */
void admit_cluster(const struct cluster *old, const struct cluster *new, struct admission *out);
/*
 * Judges a SlurmJob or a WlmJob. The CRD refuses changes of immutable members. volumes:
 * the types that the manager mounts, NULL-terminated; NULL: unknown, so other types than
 * the default are only a warning.
 */
void admit_job(const struct job *old, const struct job *new, const char *const *volumes,
	struct admission *out);

/* All denials as one text in the arena: the sentence alone, or "[first, second]". */
const char *admission_message(const struct admission *a);

/* A JSON patch with the defaults for members that spec lacks; NULL: it lacks none. */
const char *nodeset_defaults(struct arena *a, const struct nodeset *n);

#endif
