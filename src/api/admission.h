/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the admission webhook: the values that a Cluster, a NodeSet, a SlurmJob or
 * a WlmJob may have, and their defaults. The faults of an object by itself are those that
 * the planner reports too (nodeset_faults, cluster_faults, job_faults). The rules here
 * deny forbidden changes, and warn of values that may work otherwise than meant.
 *
 * A fault that the object has already denies no write: a write is denied only for a fault
 * that it adds. A write that leaves spec as it is (a finalizer, an annotation) is
 * admitted. So is every write but a forbidden change to an object that is being deleted.
 */
#ifndef API_ADMISSION_H
#define API_ADMISSION_H

#include "api/cluster.h"
#include "api/job.h"
#include "api/nodeset.h"

enum { ADMISSION_MOST = 32 };

/* Faults and warnings. Begins as { .arena = a }, which holds the sentences. */
struct admission {
	struct arena *arena;
	const char *denials[ADMISSION_MOST], *warnings[ADMISSION_MOST];
	size_t n_denials, n_warnings;
};

/* A NodeSet as it is to be; everything borrowed. */
struct nodeset_change {
	const struct nodeset *old; /* NULL: it is made */
	const struct nodeset *new;
	/* The NodeSets of its namespace, with itself; the kept part of their templates */
	const struct nodeset *others;
	size_t n_others;
	bool others_known; /* all of them are there */
	bool unnamed;      /* the others are not named to this caller */
};

/* Adds what speaks against the change, and what is to be said of it. */
void admit_nodeset(const struct nodeset_change *c, struct admission *out);
/* old NULL: it is made. */
void admit_cluster(const struct cluster *old, const struct cluster *new, struct admission *out);
/*
 * Judges a SlurmJob or a WlmJob. The CRD refuses changes of immutable members. volumes:
 * the types that the manager mounts, NULL-terminated; NULL: not known here, so an unusual
 * type is a warning.
 */
void admit_job(const struct job *old, const struct job *new, const char *const *volumes,
	struct admission *out);

/* The sentences of all denials as one text: "it", or "[one, two]". In the arena. */
const char *admission_message(const struct admission *a);

/* A JSON patch that sets what spec leaves out; NULL: it leaves nothing out. */
const char *nodeset_defaults(struct arena *a, const struct nodeset *n);

#endif
