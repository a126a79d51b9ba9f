/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a SlurmJob: the content of a volume, which is copied to the file system
 * of Slurm before the job is submitted. A WlmJob has none. Borrowed from the document.
 *
 * All of src calls them inputs, and says that a pod brings them. Users see these names:
 *
 *     spec.prepare, InvalidPrepare        the object
 *     InputsPrepared, status.preparer     its status
 *     NAME-prepare                        the pod, which runs "slurm-operator prepare"
 *     /prepare/NAMESPACE/POD              the virtual node, with tokens for
 *                                         "wlm.sylabs.io/prepare"
 */
#ifndef API_JOB_INPUTS_H
#define API_JOB_INPUTS_H

#include "api/job_results.h"

struct job_inputs {
	bool asked;
	const struct json *mount; /* the volume; NULL: absent */
	const char *to;           /* a folder in the file system of Slurm; "": absent */
};
/* The inputs in the object, valid or not. */
struct job_inputs job_inputs_of(const struct job *j);

/* Why the inputs cannot be copied; reason NULL: they can, or there are none. */
struct job_fault job_inputs_fault(const struct job *j, const struct job_options *options);

/*
 * The folder for the content of the volume, in the arena: "TO/NAME", where NAME is that
 * of the volume, or just "NAME" if TO is ".".
 */
const char *job_inputs_folder(struct arena *a, const struct job_inputs *p);

#endif
