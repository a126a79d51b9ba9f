/* SPDX-License-Identifier: Apache-2.0 */
/* Deletes the pod of a job whose object is being deleted, which cancels the job. */
#include <assert.h>

#include "plan/job/sheet.h"

/*
 * The user has deleted the object. The pod has its usual grace period, in which the
 * virtual node cancels the job in Slurm.
 */
void order_job_pod_deletion(struct job_sheet *s)
{
	const struct pod_fact *pod = s->view->pod;
	assert(s->step == JOB_DELETE_POD && s->job.deleting && !pod->terminating);
	struct action *a = job_order(s, DO(DELETE, POD), pod->name,
		arena_printf(s->arena,
			"deleting pod %s, and with it the job in Slurm: the %s is being deleted",
			pod->name, job_kind(s)));
	a->guard = (struct guard){
		.uid = pod->uid,
		.resource_version = pod->resource_version,
	};
	a->event_done = "SuccessfulDelete";
	a->event_failed = "FailedDelete";
}
