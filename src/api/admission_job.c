/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for SlurmJobs and WlmJobs: the faults that their planner would report later. */
#include "api/admission_parts.h"
#include "api/job_inputs.h"
#include "api/names.h"
#include "base/str.h"

enum { MOST = JOB_MAX_FAULTS + 2 };

/* Adds a fault of results or inputs. A volume that may be allowed is only a warning. */
static void add_copying(struct err errs[MOST], size_t *n, struct job_fault f, bool known,
	struct admission *out)
{
	if (!f.reason)
		return;
	if (known || !str_eq(f.reason, "VolumeNotAllowed"))
		errs[(*n)++] = f.err;
	else if (out)
		admission_warn(out, f.err.text);
}

/*
 * Kubernetes chooses the node, and with it the partition, so the --partition of the
 * script has no effect. No warning if the nodeSelector names a partition or a node.
 */
static void warn_of_partition(const struct job *j, struct admission *out)
{
	struct sbatch_wishes wishes = { 0 };
	if (job_has_script(j->resource) && !failed(job_wishes(j, &wishes)) && wishes.partition &&
		!json_get(j->node_selector, LABEL_PARTITION) &&
		!json_get(j->node_selector, "kubernetes.io/hostname"))
		admission_warn(out,
			"spec.batch: the --partition of the script has no effect: the job goes to a partition that has the requested resources. To choose a partition, set spec.nodeSelector with " LABEL_PARTITION
			" and its name");
}

/* out NULL: no warnings are added. */
static size_t faults_of(const struct job *j, const char *const *volumes, struct err errs[MOST],
	struct admission *out)
{
	struct job_options options = job_options_usual;
	struct job_fault faults[JOB_MAX_FAULTS];
	size_t n = job_faults(j, faults);
	for (size_t i = 0; i < n; i++)
		errs[i] = faults[i].err;
	options.volumes = volumes ? volumes : options.volumes;
	add_copying(errs, &n, job_results_fault(j, &options), volumes, out);
	add_copying(errs, &n, job_inputs_fault(j, &options), volumes, out);
	return n;
}

void admit_job(const struct job *old, const struct job *new, const char *const *volumes,
	struct admission *out)
{
	struct err is[MOST], was[MOST];
	if (new->deleting ||
		(old && same_value(json_get(old->object, "spec"), json_get(new->object, "spec"))))
		return;
	size_t n_was = old ? faults_of(old, volumes, was, NULL) : 0;
	size_t n = faults_of(new, volumes, is, out);
	warn_of_partition(new, out);
	admission_judge_all(out, is, n, was, n_was);
}
