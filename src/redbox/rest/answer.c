/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and steps as JSON, with the members that the first generation's clients read. */
#include "redbox/rest/answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/own.h"
#include "base/time.h"
#include "json/build.h"
#include "slurm/job_state.h"

enum { NS_IN_S = 1000000000 };

const struct slurm_job_shown *rest_job_of(const struct slurm_job_shown *shown, size_t n)
{
	const struct slurm_job_shown *other = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!slurm_jobs_ended(&shown[i], 1))
			return &shown[i];
		if (!other && job_state_bit(shown[i].state) != JOB_COMPLETED)
			other = &shown[i];
	}
	return other ? other : &shown[0];
}

static void set_time(struct jdoc *d, struct jval *o, const char *key, int64_t wall_s)
{
	char text[TIME_RFC3339_BYTES];
	if (wall_s == SLURM_ABSENT) {
		j_set(d, o, key, j_null(d));
		return;
	}
	time_format(wall_s * 1000, text);
	j_set_str(d, o, key, text);
}

static void set_span(struct jdoc *d, struct jval *o, const char *key, int64_t seconds)
{
	bool known = seconds >= 0 && seconds <= INT64_MAX / NS_IN_S;
	j_set(d, o, key, known ? j_int(d, seconds * NS_IN_S) : j_null(d));
}

void rest_add_job(struct str *out, const struct slurm_job_shown *job, int64_t asked_id)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *o = j_obj(d);
	char id[24];
	snprintf(id, sizeof(id), "%" PRId64, asked_id);
	j_set_str(d, o, "id", id);
	j_set_str(d, o, "user_id", job->user);
	j_set_str(d, o, "name", job->name);
	j_set_str(d, o, "exit_code", job->exit_code);
	j_set_str(d, o, "state", job->state);
	set_time(d, o, "submit_time", job->submit_s);
	set_time(d, o, "start_time", job->start_s);
	set_span(d, o, "run_time", job->run_s);
	set_span(d, o, "time_limit", job->limit_s);
	j_set_str(d, o, "work_dir", job->work_dir);
	j_set_str(d, o, "std_out", job->std_out);
	j_set_str(d, o, "std_err", job->std_err);
	j_set_str(d, o, "partition", job->partition);
	j_set_str(d, o, "node_list", job->nodes);
	j_set_str(d, o, "batch_host", job->batch_host);
	j_set_str(d, o, "num_nodes", job->node_count);
	str_add(out, j_text(d, o));
}

void rest_add_steps(struct str *out, const struct slurm_step_shown *steps, size_t n)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *all = j_arr(d);
	for (size_t i = 0; i < n; i++) {
		struct jval *o = j_push(d, all, j_obj(d));
		j_set_str(d, o, "id", steps[i].id);
		j_set_str(d, o, "name", steps[i].name);
		set_time(d, o, "started_at", steps[i].start_s);
		set_time(d, o, "finished_at", steps[i].end_s);
		j_set_int(d, o, "exit_code", steps[i].exit_code);
		j_set_str(d, o, "state", steps[i].state);
	}
	str_add(out, j_text(d, all));
}
