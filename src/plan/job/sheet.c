/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the facts that every step of a job needs, and adds its actions to the plan. */
#include "plan/job/sheet.h"

#include "base/str.h"

struct action *job_order(struct job_sheet *s, struct operation operation, const char *name,
	const char *why)
{
	struct action *a = plan_add(s->out, operation, why);
	a->ns = s->job.ns;
	a->name = name;
	return a;
}

const char *job_kind(const struct job_sheet *s) { return resource_rows[s->job.resource].kind; }

const struct pod_fact *job_pod_of(const struct job_sheet *s)
{
	return s->facts.pod == JOB_POD_OURS ? s->view->pod : NULL;
}

bool job_ended(const struct job_sheet *s)
{
	return str_eq(s->job.pod_phase, "Succeeded") || str_eq(s->job.pod_phase, "Failed");
}

bool job_seeks_node(const struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	return pod && !pod->terminating && !s->job.deleting && !str_empty(pod->wishes);
}

bool job_asks_nodes(const struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	bool placed = pod && !pod_phase_over(pod->phase) && !str_empty(pod->node_name);
	return job_seeks_node(s) || (placed && !s->job.deleting);
}

bool job_is_unplaced(const struct job_sheet *s)
{
	const struct pod_fact *pod = job_pod_of(s);
	return pod && pod->terminating && !s->job.deleting && str_empty(pod->node_name) &&
		!pod_phase_over(pod->phase);
}

bool job_is_refused(const struct job_sheet *s)
{
	return s->step == JOB_REFUSE && !str_eq(s->fault.reason, "NamespaceTooLarge");
}

const char *job_failure_of(const struct job_sheet *s, enum verb verb, const char *pod)
{
	const struct operation operation = { verb, RES_POD };
	for (size_t i = 0; i < s->view->n_failing; i++) {
		const struct failing_action *f = &s->view->failing[i];
		if (operation_is(f->operation, operation) && str_eq(f->name, pod))
			return f->sentence;
	}
	return NULL;
}
