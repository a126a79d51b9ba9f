/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions that go to slurmrestd where there is one: frequent ones about a single
 * job or partition. The others stay with the tools, for these reasons:
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

/* ---- the cluster ---- */

/* In another one a number is another job. */
static struct err read_cluster(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	const char *name = failed(why) ? NULL : printed_cluster(end->output, &c->a);
	if (failed(why))
		return why;
	if (!name)
		return err_new(ERR_RETRY, "scontrol does not say which cluster it is of");
	slurm_expect_cluster(c->tools->slurm, name);
	c->tools->knows_cluster = true;
	c->question = c->behind;
	c->goes_on = true;
	return OK;
}

const struct question rest_way_cluster = { TOOL_SCONTROL, false, 1, TOOLS_SMALL,
	{ { "show" }, { "config" } }, read_cluster };

/* ---- a job ---- */

static void forget(void *ctx)
{
	struct slurm_tools_call *c = ctx;
	c->rest_jobs = NULL;
	c->partitions = NULL;
	c->told.n = c->rest_cap = 0;
	c->err = OK;
}

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

/*
 * The job with the number must be among the jobs of an array, or of a heterogeneous job.
 */
static struct err check_number(const struct slurm_tools_call *c)
{
	int64_t id;
	if (!str_to_i64(c->values[THE_ID], 1, PRINTED_MOST_ID, &id))
		return OK;
	for (size_t i = 0; i < c->told.n; i++)
		if (c->rest_jobs[i].id == id || str_eq(c->rest_jobs[i].array_id, c->values[THE_ID]))
			return OK;
	return c->told.n ? err_new(ERR_RETRY, "slurmrestd tells of other jobs than %" PRId64, id)
			 : OK;
}

static void jobs_asked(void *ctx, struct err err, const struct json *root)
{
	struct slurm_tools_call *c = ctx;
	(void)root;
	if (!failed(err))
		err = c->err;
	if (!failed(err))
		err = check_number(c);
	tools_asked(c, tools_take_jobs(c, err, c->rest_jobs));
}

static struct slurm_op *ask_job(struct slurm_tools_call *c)
{
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "/job/%s", c->values[THE_ID]);
	const struct slurm_ask what = { .path = str_text(&path),
		.list = "jobs",
		.begin = forget,
		.each = note_job,
		.max_bytes = LIST_BYTES };
	return ask_begin(c->tools->slurm, &what, jobs_asked, c);
}

const struct question rest_way_job = { .ask = ask_job };

/* ---- a cancellation ---- */

/* An old slurmrestd does not say what became of it: scancel does. */
static void cancel_asked(void *ctx, struct err err, const struct json *root)
{
	struct slurm_tools_call *c = ctx;
	bool tells = true;
	c->goes_on = false;
	if (!failed(err))
		err = rest_cancelled(root, &tells);
	if (!tells) {
		c->question = &tools_cancel;
		c->goes_on = true;
	}
	tools_asked(c, err);
}

static struct slurm_op *ask_cancel(struct slurm_tools_call *c)
{
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "/job/%s", c->values[THE_ID]);
	const struct slurm_ask what = {
		.method = "DELETE", .path = str_text(&path), .writes = true
	};
	return ask_begin(c->tools->slurm, &what, cancel_asked, c);
}

static const struct question cancel = { .writes = true, .ask = ask_cancel };

/* A slurmrestd that does not name its cluster cancels nothing. */
static void cluster_asked(void *ctx, struct err err, const struct json *root)
{
	struct slurm_tools_call *c = ctx;
	(void)root;
	c->question = slurm_told_cluster(c->tools->slurm) ? &cancel : &tools_cancel;
	c->goes_on = true;
	tools_asked(c, err);
}

/*
 * Each time: another slurmrestd may be there by now, and its answer to the cancellation
 * would tell too late of which cluster it is.
 */
static struct slurm_op *ask_which_cluster(struct slurm_tools_call *c)
{
	return ask_begin(c->tools->slurm, &(struct slurm_ask){ .path = "/licenses/" },
		cluster_asked, c);
}

const struct question rest_way_cancel = { .writes = true, .ask = ask_which_cluster };

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

static void partitions_asked(void *ctx, struct err err, const struct json *root)
{
	struct slurm_tools_call *c = ctx;
	(void)root;
	c->goes_on = false;
	if (!failed(err))
		err = c->err;
	if (!failed(err))
		tools_take_partitions(c, c->partitions, c->told.n);
	tools_asked(c, err);
}

static struct slurm_op *ask_partitions_at(struct slurm_tools_call *c, const char *path)
{
	const struct slurm_ask what = { .path = path,
		.list = "partitions",
		.begin = forget,
		.each = note_partition,
		.max_bytes = LIST_BYTES };
	return ask_begin(c->tools->slurm, &what, partitions_asked, c);
}

/*
 * By itself slurmrestd lists hidden partitions as well; with a flag, whichever, it does
 * so with ALL only. DETAIL changes nothing of a partition.
 */
static struct slurm_op *ask_partitions(struct slurm_tools_call *c)
{
	return ask_partitions_at(c, "/partitions/?flags=DETAIL");
}

/* By a name in the path one that is not there is an error without a number of its own. */
static struct slurm_op *ask_partition(struct slurm_tools_call *c)
{
	return ask_partitions_at(c, "/partitions/?flags=ALL");
}

const struct question rest_way_partitions = { .ask = ask_partitions };
const struct question rest_way_partition = { .ask = ask_partition };

/* ---- the version ---- */

static void version_asked(void *ctx, struct err err, const struct json *root)
{
	struct slurm_tools_call *c = ctx;
	const char *release = json_str(json_at(root, "meta", "slurm", "release"), "");
	c->goes_on = false;
	c->told.version = arena_strdup(&c->a, release);
	if (!failed(err) && !*release)
		err = err_new(ERR_INVALID, "slurmrestd told no version");
	tools_asked(c, err);
}

static struct slurm_op *ask_version(struct slurm_tools_call *c)
{
	return ask_begin(c->tools->slurm, &(struct slurm_ask){ .path = "/licenses/" },
		version_asked, c);
}

const struct question rest_way_version = { .ask = ask_version };
