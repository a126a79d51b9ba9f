/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SlurmJob or a WlmJob, read from its JSON: work for an existing Slurm. Borrowed from
 * the document.
 *
 * A SlurmJob has a batch script, and what it asks for stands in the script. A WlmJob has
 * an image, and says in spec.resources what it asks for.
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
	enum resource resource; /* one of those for which job_is_resource holds */
	bool cut, large;        /* only a part of it is known; for it needs too much memory */
	const char *ns, *name, *uid, *resource_version; /* never NULL */
	int64_t generation;
	bool deleting, orphaning; /* orphaning: it is being deleted, and its pod is to stay */
	bool has_finalizer;
	const char *batch;                /* "" for a WlmJob */
	size_t batch_bytes;               /* with NUL bytes that are in it */
	const char *image;                /* "" for a SlurmJob */
	const struct json *node_selector; /* NULL: none */
	const struct json *status;
	/*
	 * The phase of its pod as last written; "": the status knows of no pod. An
	 * object that was refused has a status.status of Failed, and no pod
	 */
	const char *pod_phase;
	/* The refusal of this version, whose script is not kept; NULL: not refused */
	const struct json *refusal;
	int64_t ttl_s; /* so long after its end it is deleted; -1: never */
};

/* Jobs of this resource have a script; those of the others have an image. */
static inline bool job_has_script(enum resource r)
{
	return r == RES_SLURMJOB || r == RES_OLDER_SLURMJOB;
}
/* SlurmJobs of either group, and WlmJobs. */
static inline bool job_is_resource(enum resource r) { return job_has_script(r) || r == RES_WLMJOB; }

/* Reads the object, valid or not; out points into the object. */
void job_read(enum resource r, const struct json *object, struct job *out);

/*
 * The resources that the job requests: by the script, or by spec.resources. ERR_INVALID
 * names the line of the script and what would be right.
 */
struct err job_wishes(const struct job *j, struct sbatch_wishes *out);

/* "NAME-job" or "NAME-wlm-job". */
const char *job_pod_name(struct arena *a, const struct job *j);
/* The pod of this name is that of the object of this name. */
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
 * The first of them, with what is to be done about an object that is there; reason NULL:
 * there is none.
 */
struct job_fault job_fault_of(const struct job *j);

#endif
