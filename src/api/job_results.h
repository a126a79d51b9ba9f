/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of a SlurmJob or a WlmJob (spec.results), and the limits that the
 * administrator sets for them. Borrowed from the document.
 */
#ifndef API_JOB_RESULTS_H
#define API_JOB_RESULTS_H

#include "api/job.h"

struct job_options {
	const char *image; /* of the pods that copy data; NULL: no such pods */
	int64_t uid, gid;  /* of the process in them */
	/*
	 * The volumes that these pods may mount; NULL-terminated. An entry is a type, as
	 * in a pod ("nfs"), a type with the only server of nfs or driver of csi
	 * ("nfs:files.example.com"), or a member of a volume that names a Secret
	 * ("nodePublishSecretRef"), which is refused without this entry
	 */
	const char *const *volumes;
};
/* The defaults. */
extern const struct job_options job_options_usual;

struct job_results {
	bool asked;
	const struct json *mount; /* the volume; NULL: absent */
	bool of_failed;           /* copy the results of a failed job too */
	bool flat;                /* without a folder for each job in the volume */
};
/* The results in the object, valid or not. */
struct job_results job_results_of(const struct job *j);

/*
 * True if the job has ended, and by its status the copy of its results goes on or has not
 * begun.
 */
bool job_results_awaited(const struct job *j);

/* ERR_INVALID: the volume of spec.PART ("results" or "prepare") may not be mounted. */
struct err job_mount_check(const char *part, const struct json *mount,
	const struct job_options *options);

/* Why the results cannot be copied; reason NULL: they can, or spec has no results. */
struct job_fault job_results_fault(const struct job *j, const struct job_options *options);

#endif
