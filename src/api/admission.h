/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be written into a Cluster, a NodeSet, a SlurmJob or a WlmJob, and with what
 * defaults: the rules of the admission webhook. What is wrong with an object by itself
 * are the faults that the planner tells too (nodeset_faults, cluster_faults, job_faults);
 * here is what a change may not do, and what will work, but perhaps not as it is meant.
 *
 * What is there already is never in the way: a write is refused only for what it makes
 * worse. What leaves spec as it is (a finalizer, an annotation) is taken, and so is
 * everything but a forbidden change of what is being deleted.
 */
#ifndef API_ADMISSION_H
#define API_ADMISSION_H

#include "api/cluster.h"
#include "api/job.h"
#include "api/nodeset.h"

enum { ADMISSION_MOST = 32 };

/* What was found. Starts as { .arena = a }, which holds the sentences. */
struct admission {
	struct arena *arena;
	const char *denials[ADMISSION_MOST], *warnings[ADMISSION_MOST];
	size_t n_denials, n_warnings;
};

/* A NodeSet as it is to be; everything borrowed. */
struct nodeset_change {
	const struct nodeset *old; /* NULL: it is made */
	const struct nodeset *new;
	/* Those of its namespace, itself too; as far as their templates were kept */
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
 * The same. What cannot be changed is refused by the CRD. volumes: the types that the
 * manager mounts, NULL-terminated; NULL: not known here, so an unusual type is a warning.
 */
void admit_job(const struct job *old, const struct job *new, const char *const *volumes,
	struct admission *out);

/* The sentences of all denials as one text: "it", or "[one, two]". In the arena. */
const char *admission_message(const struct admission *a);

/* A JSON patch that sets what spec leaves out; NULL: it leaves nothing out. */
const char *nodeset_defaults(struct arena *a, const struct nodeset *n);

#endif
