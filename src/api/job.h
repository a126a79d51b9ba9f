/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SlurmJob or a WlmJob, read from its JSON: work for an existing Slurm. Borrowed from
 * the document.
 *
 * A SlurmJob has a batch script, which also requests its resources. A WlmJob has an
 * image, and requests its resources in spec.resources.
 */
#ifndef API_JOB_H
#define API_JOB_H

#include "base/arena.h"
#include "base/err.h"
#include "json/json.h"
#include "object/resource.h"
#include "slurm/sbatch/sbatch.h"

struct job {
	const struct json *object;
	enum resource resource; /* job_is_resource is true for it */
	bool cut, large;        /* only a part is known; because it is too large */
	const char *ns, *name, *uid, *resource_version; /* never NULL */
	int64_t generation;
	bool deleting, orphaning; /* orphaning: deleting, but the pod must stay */
	bool has_finalizer;
	const char *batch;                /* "" for a WlmJob */
	size_t batch_bytes;               /* including NUL bytes in it */
	const char *image;                /* "" for a SlurmJob */
	const struct json *node_selector; /* NULL: none */
	const struct json *status;
	/*
	 * The phase of its pod as last written; "": the status has no pod. A refused
	 * object has a status.status of Failed, but no pod
	 */
	const char *pod_phase;
	/* The refusal of this version, whose script is not kept; NULL: not refused */
	const struct json *refusal;
	int64_t ttl_s; /* time from its end to its deletion; -1: never */
};

/* True if jobs of this resource have a script; WlmJobs have an image. */
static inline bool job_has_script(enum resource r)
{
	return r == RES_SLURMJOB || r == RES_OLDER_SLURMJOB;
}
/* True for SlurmJobs of either API group, and for WlmJobs. */
static inline bool job_is_resource(enum resource r) { return job_has_script(r) || r == RES_WLMJOB; }

/* Reads the object, valid or not; out points into the object. */
void job_read(enum resource r, const struct json *object, struct job *out);

/*
 * The resources that the job requests in the script or in spec.resources. ERR_INVALID
 * names the line of the script, and what would be right.
 */
struct err job_wishes(const struct job *j, struct sbatch_wishes *out);

/* "NAME-job" or "NAME-wlm-job". */
const char *job_pod_name(struct arena *a, const struct job *j);
/* True if pod is the name of the pod of the job with this name. */
bool job_is_pod_name(enum resource r, const char *name, const char *pod);
/* Names of the pods that copy its results and bring its inputs. */
const char *job_collector_name(struct arena *a, const struct job *j);
const char *job_inputs_pod_name(struct arena *a, const struct job *j);

/* A fault for which no pod is created. */
struct job_fault {
	const char *reason; /* CamelCase: "InvalidScript" */
	struct err err;     /* ERR_INVALID: what is wrong, where, what would be right */
};
enum { JOB_MAX_FAULTS = 10 };
/* Finds all faults; returns their number. Ignores the settings of the administrator. */
size_t job_faults(const struct job *j, struct job_fault out[JOB_MAX_FAULTS]);
/*
 * The first fault, with the remedy for an existing object; reason NULL: there is none.
 */
struct job_fault job_fault_of(const struct job *j);

#endif
