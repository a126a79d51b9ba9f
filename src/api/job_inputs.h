/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a SlurmJob: the content of a volume, which is copied to the side of Slurm
 * before the job is submitted. A WlmJob has none. Borrowed from the document.
 *
 * src calls them inputs everywhere, and "to bring" is what a pod does with them. Outside
 * they are called:
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
	const struct json *mount; /* the volume; NULL: none is named */
	const char *to;           /* a folder on the side of Slurm; "": none is named */
};
/* The inputs as the object has them, valid or not. */
struct job_inputs job_inputs_of(const struct job *j);

/* Why they cannot be brought; reason NULL: they can, or none are wished. */
struct job_fault job_inputs_fault(const struct job *j, const struct job_options *options);

/*
 * The folder that gets the content of the volume: "TO/NAME", and for a TO of "." just
 * "NAME", where NAME is that of the volume. In the arena.
 */
const char *job_inputs_folder(struct arena *a, const struct job_inputs *p);

#endif
