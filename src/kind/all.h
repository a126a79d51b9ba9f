/* SPDX-License-Identifier: Apache-2.0 */
/* All kinds of the manager. */
#ifndef KIND_ALL_H
#define KIND_ALL_H

struct kind; /* engine/kind.h */

extern const struct kind kind_cluster, kind_nodeset, kind_slurmjob, kind_wlmjob,
	kind_older_slurmjob;
/*
 * Each list ends with NULL and has the order of controller_config.kinds. hosted: all
 * kinds but jobs.
 */
extern const struct kind *const kinds_all[], *const kinds_hosted[];

#endif
