/* SPDX-License-Identifier: Apache-2.0 */
/* The output file of a job, and the effect of --since on its lines. */
#include "kubelet/file.h"

#include "base/str.h"
#include "base/time.h"
#include "plan/vnode/pod.h"

static bool waits(const struct slurm_job_shown *j)
{
	return vjob_phase_of(j->state) == VJOB_PENDING;
}

static const char *path_of(const struct slurm_job_shown *j, bool standard_error)
{
	return standard_error ? j->std_err : j->std_out;
}

/* The first started record. In an array, a record of pending tasks comes first. */
static const struct slurm_job_shown *first_begun(const struct slurm_job_shown *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!waits(&jobs[i]))
			return &jobs[i];
	return NULL;
}

static struct err refuse_waiting(const struct slurm_job_shown *j)
{
	bool told = !str_empty(j->reason) && !str_eq(j->reason, "None");
	return err_new(ERR_INVALID, "job %lld waits in Slurm%s%.60s%s: it has written nothing yet",
		(long long)j->id, told ? " (" : "", told ? j->reason : "", told ? ")" : "");
}

static struct err refuse_array(const struct slurm_job_shown *one,
	const struct slurm_job_shown *other, bool standard_error)
{
	return err_new(ERR_INVALID,
		"job %s is an array, and its tasks write to files of their own (%.100s, %.100s, ...): read them on the cluster",
		one->array_id, path_of(one, standard_error), path_of(other, standard_error));
}

/* For an array, these are the start of its first task and the end of its last task. */
static void take_times(const struct slurm_job_shown *jobs, size_t n, struct log_file *out)
{
	bool all_ended = true;
	out->start_s = out->end_s = -1;
	for (size_t i = 0; i < n; i++) {
		const struct slurm_job_shown *j = &jobs[i];
		bool ended = vjobs_ended(j, 1) && j->end_s >= 0;
		all_ended = all_ended && ended;
		if (!waits(j) && j->start_s >= 0 && (out->start_s < 0 || j->start_s < out->start_s))
			out->start_s = j->start_s;
		if (ended && j->end_s > out->end_s)
			out->end_s = j->end_s;
	}
	if (!all_ended)
		out->end_s = -1;
}

/*
 * If several records are not an array, they are the components of a heterogeneous job.
 * Its script runs in the first component, and the files of the other components stay
 * unused.
 */
static size_t count_writers(const struct slurm_job_shown *jobs, size_t n)
{
	return n > 1 && str_empty(jobs[0].array_id) ? 1 : n;
}

struct err log_file_choose(const struct slurm_job_shown *jobs, size_t n_records,
	bool standard_error, struct log_file *out)
{
	size_t n = count_writers(jobs, n_records);
	const struct slurm_job_shown *j = first_begun(jobs, n);
	if (!j)
		return n ? refuse_waiting(&jobs[0])
			 : err_new(ERR_INVALID, "red-box has no record of the job");
	for (size_t i = 0; i < n; i++)
		if (!waits(&jobs[i]) &&
			!str_eq(path_of(&jobs[i], standard_error), path_of(j, standard_error)))
			return refuse_array(j, &jobs[i], standard_error);
	out->path = path_of(j, standard_error);
	take_times(jobs, n, out);
	if (str_empty(out->path))
		return err_new(ERR_NOT_FOUND,
			"Slurm does not say to which file job %lld writes its %s", (long long)j->id,
			standard_error ? "standard error" : "standard output");
	if (str_eq(out->path, "/dev/null"))
		return err_new(ERR_INVALID,
			"job %lld writes its %s to /dev/null, so there is no log of it",
			(long long)j->id, standard_error ? "standard error" : "standard output");
	if (standard_error && str_eq(j->std_err, j->std_out))
		return err_new(ERR_INVALID,
			"job %lld writes its standard error to the file of its standard output: it is in the log of the job",
			(long long)j->id);
	return OK;
}

struct err log_file_since(const struct log_file *f, int64_t since_s, bool *none)
{
	char start[TIME_RFC3339_BYTES] = "which is not known";
	*none = since_s >= 0 && f->end_s >= 0 && since_s > f->end_s;
	if (*none || since_s < 0 || (f->start_s >= 0 && since_s <= f->start_s))
		return OK;
	if (f->start_s >= 0)
		time_format(f->start_s * 1000, start);
	return err_new(ERR_INVALID,
		"the lines of a job's log have no times: --since should reach back to the start of the job (%s), or be left out; --tail gives the last lines",
		start);
}
