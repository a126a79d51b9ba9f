/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SlurmJobs of slurm.sylabs.io, the group that came before wlm.sylabs.io. Such jobs are
 * read and served as the others are; the functions here handle the differences of their
 * manifests. An object of another resource has no differences.
 */
#ifndef API_JOB_OLDER_H
#define API_JOB_OLDER_H

#include "api/job.h"

/*
 * The label of virtual nodes that this entry of its nodeSelector means: the domain is
 * another one there. NULL: every virtual node is so, and none has a label for it.
 */
const char *job_node_label(struct arena *a, const struct job *j, const char *key,
	const char *value);
/* A member of its spec that is not read any more, such as "resources"; NULL: none. */
const char *job_unread(const struct job *j);

/* ERR_INVALID: what it asks for is never done, or its nodeSelector says two things. */
struct err job_older_check_ssh(const struct job *j);
struct err job_older_check_labels(const struct job *j);

#endif
