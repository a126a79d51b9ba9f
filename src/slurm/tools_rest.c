/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests to slurmrestd where there is one: frequent ones about a single job or
 * partition. The others stay with the tools, for these reasons:
 *
 *     submit      slurmrestd does not read the options of a script, and the accounts keep
 *                 no command of it, by which a job is found again
 *     find, search, marks   it lists the jobs of all users only, 8 kB each
 *     controller  it does not say since when slurmctld runs
 */
#include <inttypes.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/rest_shown.h"
#include "slurm/tools_parts.h"

enum { LIST_BYTES = 256 << 20 }; /* it is read as it comes */

static void forget(void *ctx)
{
	struct slurm_tools_call *c = ctx;
	c->rest_jobs = NULL;
	c->partitions = NULL;
	c->told.n = c->rest_cap = 0;
	c->err = OK;
}

/* ---- a job ---- */

static void note_job(void *ctx, const struct json *job)
{
	struct slurm_tools_call *c = ctx;
	if (failed(c->err))
		return;
	c->rest_jobs = arena_grown(&c->a, c->rest_jobs, c->told.n, &c->rest_cap,
		sizeof(*c->rest_jobs));
	int64_t now_s = loop_wall_ms(c->tools->loop) / 1000;
	c->err = rest_job(job, now_s, &c->a, &c->rest_jobs[c->told.n]);
	c->told.n += !failed(c->err);
}

struct slurm_ask rest_ask_job(struct slurm_tools_call *c)
{
	return (struct slurm_ask){ .path = arena_printf(&c->a, "/job/%s", c->values[THE_ID]),
		.list = "jobs",
		.begin = forget,
		.each = note_job,
		.max_bytes = LIST_BYTES };
}

/*
 * The job with the number must be among the jobs of an array, or of a heterogeneous job.
 */
struct err rest_check_jobs(const struct slurm_tools_call *c)
{
	int64_t id;
	if (failed(c->err) || !str_to_i64(c->values[THE_ID], 1, PRINTED_MOST_ID, &id))
		return c->err;
	for (size_t i = 0; i < c->told.n; i++)
		if (c->rest_jobs[i].id == id || str_eq(c->rest_jobs[i].array_id, c->values[THE_ID]))
			return OK;
	return c->told.n ? err_new(ERR_RETRY, "slurmrestd tells of other jobs than %" PRId64, id)
			 : OK;
}

struct slurm_ask rest_ask_cancel(struct slurm_tools_call *c)
{
	return (struct slurm_ask){ .method = "DELETE",
		.path = arena_printf(&c->a, "/job/%s", c->values[THE_ID]),
		.writes = true };
}

/* ---- partitions ---- */

static void note_partition(void *ctx, const struct json *partition)
{
	struct slurm_tools_call *c = ctx;
	const char *name = json_str(json_get(partition, "name"), ""),
		   *one = c->values[THE_PARTITION];
	if (failed(c->err) || (one && !str_eq(name, one)))
		return;
	c->partitions = arena_grown(&c->a, c->partitions, c->told.n, &c->rest_cap,
		sizeof(*c->partitions));
	c->err = rest_partition(partition, &c->a, &c->partitions[c->told.n]);
	c->told.n += !failed(c->err);
}

/*
 * By itself slurmrestd lists hidden partitions as well; with a flag, whichever, it does
 * so with ALL only. DETAIL changes nothing of a partition. By a name in the path one that
 * is not there is an error without a number of its own.
 */
struct slurm_ask rest_ask_partitions(struct slurm_tools_call *c)
{
	bool one = c->values[THE_PARTITION];
	return (struct slurm_ask){ .path = one ? "/partitions/?flags=ALL"
					       : "/partitions/?flags=DETAIL",
		.list = "partitions",
		.begin = forget,
		.each = note_partition,
		.max_bytes = LIST_BYTES };
}

/* ---- slurmrestd itself ---- */

struct slurm_ask rest_ask_itself(struct slurm_tools_call *c)
{
	(void)c;
	return (struct slurm_ask){ .path = "/licenses/" };
}
