/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the jobs in responses of slurmdb. */
#include "slurm/rest/ended.h"

#include "slurm/job_state.h"
#include "slurm/rest/parts.h"

#define MIB 1048576

/* The count of a type in [{"type":"mem","name":"","id":2,"count":100}]. */
static int64_t tres(const struct json *list, const char *type)
{
	for (struct json_iter it = json_iter(json_is_arr(list) ? list : NULL); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "type"), ""), type))
			return answer_finite(json_get(it.value, "count"));
	return 0;
}

/*
 * The usage of a step is in "requested", not in "consumed": sacct calls it
 * TRESUsageInTot.
 */
static void add_step(const struct json *step, struct slurm_ended_job *out)
{
	const struct json *total = json_at(step, "time", "total");
	int64_t used = tres(json_get(json_at(step, "tres", "requested"), "total"), "mem");
	out->cpu_s += (double)answer_finite(json_get(total, "seconds")) +
		(double)answer_finite(json_get(total, "microseconds")) / 1e6;
	out->memory_used = used > out->memory_used ? used : out->memory_used;
}

struct err slurm_read_ended(const struct json *job, struct slurm_ended_job *out)
{
	const struct json *time = json_get(job, "time"), *steps = json_get(job, "steps");
	const struct json *array = json_get(job, "array");
	uint32_t state = answer_bits(json_at(job, "state", "current"), job_state_bit);
	int64_t mib = tres(json_at(job, "tres", "requested"), "mem");
	*out = (struct slurm_ended_job){
		.id = json_i64(json_get(job, "job_id"), 0),
		.array_id = answer_finite(json_get(array, "job_id")),
		.task = answer_finite(json_get(array, "task_id")),
		.start_s = answer_finite(json_get(time, "start")),
		.end_s = answer_finite(json_get(time, "end")),
		.elapsed_s = answer_finite(json_get(time, "elapsed")),
		.ended = !(state & (JOB_PENDING | JOB_RUNNING | JOB_SUSPENDED)),
		.partition = json_str(json_get(job, "partition"), ""),
		.account = json_str(json_get(job, "account"), ""),
		.user = json_str(json_get(job, "user"), ""),
		.cpus = tres(json_at(job, "tres", "allocated"), "cpu"),
		.memory = mib < INT64_MAX / MIB ? mib * MIB : 0,
	};
	for (struct json_iter it = json_iter(json_is_arr(steps) ? steps : NULL); json_next(&it);)
		add_step(it.value, out);
	return out->id > 0 ? OK : err_new(ERR_INVALID, "a job of slurmdbd's list has no number");
}
