/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SlurmJobs of slurm.sylabs.io, the group before wlm.sylabs.io. They are handled like
 * other SlurmJobs; the functions here handle the differences of their manifests. An
 * object of another resource has no differences.
 */
#ifndef API_JOB_OLDER_H
#define API_JOB_OLDER_H

#include "api/job.h"

/*
 * The label of virtual nodes that this entry of nodeSelector means; the older group has
 * another domain. NULL: the entry is true for every virtual node, and has no label.
 */
const char *job_node_label(struct arena *a, const struct job *j, const char *key,
	const char *value);
/* A member of its spec that is no longer read, such as "resources"; NULL: none. */
const char *job_unread(const struct job *j);

/* ERR_INVALID: it has spec.ssh, or its nodeSelector has a label twice. */
struct err job_older_check_ssh(const struct job *j);
struct err job_older_check_labels(const struct job *j);

#endif
