/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of a SlurmJob or a WlmJob (spec.results), and the limits that the
 * administrator sets for them. Borrowed from the document.
 */
#ifndef API_JOB_RESULTS_H
#define API_JOB_RESULTS_H

#include "api/job.h"

struct job_options {
	const char *image; /* of the pods that copy data; NULL: there are none */
	int64_t uid, gid;  /* of the process in them */
	/*
	 * The volumes that they may mount; NULL-terminated. An entry is a type, as a pod
	 * names it ("nfs"); a type with the one server of nfs, or driver of csi
	 * ("nfs:files.example.com"); or the member of a volume that names a Secret
	 * ("nodePublishSecretRef"), which is refused otherwise
	 */
	const char *const *volumes;
};
/* Where nothing else was said. */
extern const struct job_options job_options_usual;

struct job_results {
	bool asked;
	const struct json *mount; /* the volume; NULL: none is named */
	bool of_failed;           /* of a job that has failed, too */
	bool flat;                /* no folder of its own in the volume */
};
/* The results as the object has them, valid or not. */
struct job_results job_results_of(const struct job *j);

/*
 * Whether the job has ended, and its status says that its results are being copied, or
 * says nothing of them yet.
 */
bool job_results_awaited(const struct job *j);

/* ERR_INVALID: the volume of spec.PART ("results" or "prepare") may not be mounted. */
struct err job_mount_check(const char *part, const struct json *mount,
	const struct job_options *options);

/* Why they cannot be copied; reason NULL: they can, or none are asked for. */
struct job_fault job_results_fault(const struct job *j, const struct job_options *options);

#endif
