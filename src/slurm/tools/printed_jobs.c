/* SPDX-License-Identifier: Apache-2.0 */
/* Parses jobs of the accounting database, which slurmctld has forgotten. */
#include "slurm/tools/printed.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/tools/output_path.h"

/* The fields of PRINTED_JOBS_NEW. */
enum {
	RAW_ID,
	ID,
	STATE,
	EXIT_CODE,
	PARTITION,
	NODES,
	NODE_COUNT,
	SUBMIT,
	START,
	END,
	RUN,
	LIMIT,
	USER,
	UID,
	WORK_DIR,
	RESTARTS,
	STD_OUT,
	STD_ERR,
	NAME,
	FIELDS
};

/* Cuts the line at its separators; false: too few. The name has the rest. */
static bool cut(char *line, char *fields[static FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		fields[i] = line;
		line = strchr(line, PRINTED_FIELD[0]);
		if (i + 1 < FIELDS && !line)
			return false;
		if (i + 1 < FIELDS)
			*line++ = '\0';
	}
	return true;
}

/* The array of a task: "42" for "42_7" and for "42_[1-8]". */
static const char *array_of(struct arena *a, const char *id)
{
	const char *end = strchr(id, '_');
	return end ? arena_strndup(a, id, (size_t)(end - id)) : "";
}

/* The first component of a heterogeneous job: "42" for "42+1". */
static const char *het_of(struct arena *a, const char *id)
{
	const char *end = strchr(id, '+');
	return end ? arena_strndup(a, id, (size_t)(end - id)) : "";
}

/* The tasks of an id: "7" of "42_7", "1-8%1" of "42_[1-8%1]". */
static const char *task_of(struct arena *a, const char *id)
{
	const char *task = strchr(id, '_');
	if (!task)
		return "";
	task += task[1] == '[' ? 2 : 1;
	return arena_strndup(a, task, strcspn(task, "]"));
}

static int64_t number_of(const char *text, int64_t unit)
{
	int64_t n;
	return str_to_i64(text, 0, INT64_MAX / unit, &n) ? n * unit : SLURM_ABSENT;
}

static struct err read_times(char *const f[static FIELDS], struct slurm_job_shown *out)
{
	struct err e = slurm_time_parse(f[SUBMIT], &out->submit_s);
	if (!failed(e))
		e = slurm_time_parse(f[START], &out->start_s);
	if (!failed(e))
		e = slurm_time_parse(f[END], &out->end_s);
	out->run_s = number_of(f[RUN], 1);
	out->limit_s = number_of(f[LIMIT], 60);
	return e;
}

static struct err read_job(char *const f[static FIELDS], const char *asked, struct arena *a,
	struct slurm_job_shown *out)
{
	bool paths = !str_eq(asked, PRINTED_JOBS_OLD);
	f[STATE][strcspn(f[STATE], " +")] = '\0'; /* "CANCELLED by 1000" */
	*out = (struct slurm_job_shown){
		.array_id = array_of(a, f[ID]),
		.task = task_of(a, f[ID]),
		.het_id = het_of(a, f[ID]),
		.name = f[NAME],
		.user = arena_printf(a, "%s(%s)", f[USER], f[UID]),
		.state = f[STATE],
		.reason = "",
		.restarts = str_eq(asked, PRINTED_JOBS_NEW) ? f[RESTARTS] : "",
		.exit_code = f[EXIT_CODE],
		.partition = f[PARTITION],
		.nodes = f[NODES],
		.node_count = f[NODE_COUNT],
		.batch_host = "",
		.work_dir = f[WORK_DIR],
		.std_out = paths ? f[STD_OUT] : "",
		.std_err = paths && *f[STD_ERR] ? f[STD_ERR]
			: paths                 ? f[STD_OUT]
						: "",
		.comment = "",
	};
	if (!str_to_i64(f[RAW_ID], 1, PRINTED_MOST_ID, &out->id))
		return err_new(ERR_INVALID, "sacct printed \"%.40s\" as the id of a job",
			f[RAW_ID]);
	out->std_out = slurm_output_pattern(a, out->std_out, out);
	out->std_err = slurm_output_pattern(a, out->std_err, out);
	return read_times(f, out);
}

struct err printed_jobs(const char *text, const char *asked, struct arena *a,
	struct slurm_job_shown **out, size_t *n)
{
	size_t cap = 0;
	*out = NULL;
	*n = 0;
	for (const char *end; *text; text = *end ? end + 1 : end) {
		char *fields[FIELDS];
		end = strchrnul(text, '\n');
		bool whole = cut(arena_strndup(a, text, (size_t)(end - text)), fields);
		if (end == text || (!whole && *n))
			continue; /* another line of a name */
		if (!whole)
			return err_new(ERR_INVALID, "sacct printed no record that can be read");
		*out = arena_grown(a, *out, *n, &cap, sizeof(**out));
		struct err e = read_job(fields, asked, a, *out + *n);
		if (failed(e))
			return err_wrap(e, "reading a job of sacct");
		++*n;
	}
	return OK;
}
