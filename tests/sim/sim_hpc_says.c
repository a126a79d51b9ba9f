/* SPDX-License-Identifier: Apache-2.0 */
/* The output of Slurm's tools for red-box, from the truth. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "sim/sim_hpc_call.h"

struct err hpc_away(void) { return err_new(ERR_RETRY, "Unable to contact slurm controller"); }

static const char *reason_of(const struct hpc_task *t)
{
	return t->state == HPC_PENDING ? "Resources"
		: t->state == HPC_HELD ? "JobHeldUser"
				       : "None";
}

static struct slurm_job_shown record(struct slurm_tools_call *c, const struct hpc_job *j,
	const struct hpc_task *t, bool by_accounts)
{
	bool ran = t->state != HPC_PENDING && t->state != HPC_HELD && t->start_s;
	bool killed = t->state == HPC_TIMEOUT || t->state == HPC_OUT_OF_MEMORY;
	int signal = killed ? 9 : t->signal;
	const char *state = hpc_words[t->state];
	if (by_accounts && t->state == HPC_COMPLETING)
		state = "RUNNING";
	return (struct slurm_job_shown){
		.id = t->id,
		.array_id = j->kind == HPC_ARRAY ? arena_printf(&c->a, "%" PRId64, j->id) : "",
		.task = "",
		.het_id = j->kind == HPC_HET ? arena_printf(&c->a, "%" PRId64, j->id) : "",
		.name = "job",
		.user = arena_printf(&c->a, "bridge(%u)", (unsigned)geteuid()),
		.state = state,
		.reason = by_accounts ? "" : reason_of(t),
		.exit_code = !hpc_task_ended(t) ? "0:0"
			: signal                ? arena_printf(&c->a, "0:%d", signal)
						: arena_printf(&c->a, "%d:0", t->exit_code),
		.partition = "debug",
		.nodes = ran ? "node-1" : "(null)",
		.node_count = "1",
		.batch_host = "",
		.work_dir = "/home/bridge",
		.std_out = "/home/bridge/out",
		.std_err = "",
		.restarts = arena_printf(&c->a, "%d", t->restarts),
		.comment = by_accounts ? "" : arena_strdup(&c->a, j->key),
		.submit_s = j->submit_s,
		.start_s = t->start_s ? t->start_s : SLURM_ABSENT,
		.end_s = t->end_s ? t->end_s : SLURM_ABSENT,
		.run_s = 0,
		.limit_s = SLURM_ABSENT,
	};
}

/* The text of the tasks that have the record of their array: "0-2", "0,2". */
static const char *waiting_tasks(struct slurm_tools_call *c, const struct hpc_task *tasks, int n)
{
	char text[40] = "";
	for (int i = 0; i < n; i++) {
		size_t at = strlen(text);
		if (!tasks[i].own && !tasks[i].vanished)
			snprintf(text + at, sizeof(text) - at, "%s%d", at ? "," : "",
				tasks[i].index);
	}
	return arena_strdup(&c->a, strcmp(text, "0,1,2") == 0 ? "0-2" : text);
}

/* A record of an array without tasks shows this number in place of them (24.11.5). */
#define NO_TASK "4294967294"

/* tasks: as slurmctld or the accounts have them. */
static size_t add_records(struct slurm_tools_call *c, const struct hpc_job *j,
	const struct hpc_task *tasks, struct slurm_job_shown *rows)
{
	const bool by_accounts = tasks != j->tasks;
	const char *waiting = waiting_tasks(c, tasks, j->n_tasks);
	bool one = false;
	size_t n = 0;
	for (int i = 0; i < j->n_tasks; i++) {
		const struct hpc_task *t = &tasks[i];
		bool of_array = !t->own && !t->vanished;
		if ((t->purged && !by_accounts) || (t->vanished && !t->last) || (of_array && one))
			continue;
		one |= of_array;
		rows[n] = record(c, j, t, by_accounts);
		if (j->kind == HPC_ARRAY)
			rows[n].task = of_array ? waiting
				: t->vanished   ? NO_TASK
						: arena_printf(&c->a, "%d", t->index);
		n++;
	}
	return n;
}

static struct err unknown(void) { return err_new(ERR_NOT_FOUND, "Invalid job id specified"); }

static struct err show_account(struct slurm_tools_call *c, struct slurm_job_shown *rows)
{
	const struct hpc_job *j = sim_hpc_account(c->h, c->number);
	c->told.from_accounts = j != NULL;
	c->told.n = j ? add_records(c, j, j->told, rows) : 0;
	return j ? OK : unknown();
}

/* The last of that number and time, whatever has the number now. */
static struct err show_former(struct slurm_tools_call *c)
{
	const struct sim_hpc *h = c->h;
	struct slurm_job_shown *rows = arena_array(&c->a, struct slurm_job_shown, HPC_TASKS);
	c->told.jobs = rows;
	c->told.from_accounts = true;
	if (h->accounts && !h->dbd_up)
		return err_new(ERR_RETRY, "slurmdbd is away");
	for (const struct hpc_job *j = h->jobs; h->accounts && j; j = j->next) {
		bool is = j->accounted && j->id == c->number && j->submit_s >= c->first_s &&
			j->submit_s <= c->last_s;
		c->told.n = is ? add_records(c, j, j->told, rows) : c->told.n;
	}
	return c->told.n ? OK : unknown();
}

static bool is_shown(const struct slurm_tools_call *c, int64_t id)
{
	for (size_t i = 0; i < c->told.n; i++)
		if (c->told.jobs[i].id == id)
			return true;
	return false;
}

/* Tasks that only the accounts have, of an array that slurmctld knows to have ended. */
static struct err show_forgotten(struct slurm_tools_call *c, const struct hpc_job *j,
	struct slurm_job_shown *rows)
{
	struct slurm_job_shown told[HPC_TASKS];
	bool known = sim_hpc_account(c->h, j->id) == j;
	size_t n = known ? add_records(c, j, j->told, told) : 0;
	for (size_t i = 0; i < n; i++) {
		if (is_shown(c, told[i].id))
			continue;
		if (!slurm_jobs_ended(&told[i], 1))
			return err_new(ERR_RETRY, "by the accounts a task has not ended");
		rows[c->told.n++] = told[i];
	}
	return OK;
}

/* By its own number scontrol shows one task or component alone. */
static void keep_one(struct slurm_tools_call *c, struct slurm_job_shown *rows)
{
	for (size_t i = 1; i < c->told.n; i++)
		rows[0] = rows[i].id == c->number ? rows[i] : rows[0];
	c->told.n = c->told.n > 0;
}

static struct err show(struct slurm_tools_call *c)
{
	const struct sim_hpc *h = c->h;
	struct slurm_job_shown *rows = arena_array(&c->a, struct slurm_job_shown, 2 * HPC_TASKS);
	const struct hpc_job *j = sim_hpc_job(h, c->number);
	c->told.jobs = rows;
	c->told.n = j ? add_records(c, j, j->tasks, rows) : 0;
	if (j && j->id != c->number)
		keep_one(c, rows);
	if (j && (j->kind != HPC_ARRAY || hpc_job_lives(j)))
		return OK;
	if (!h->accounts)
		return j ? OK : unknown();
	if (!h->dbd_up)
		return err_new(ERR_RETRY, "slurmdbd is away");
	return j ? show_forgotten(c, j, rows) : show_account(c, rows);
}

/* For a number and a key the record of slurmctld counts, or else the last one. */
static void add_account(struct slurm_job_found *rows, size_t *n, const struct hpc_job *j)
{
	for (size_t i = 0; i < *n; i++) {
		if (rows[i].id != j->id || strcmp(rows[i].key, j->key) != 0)
			continue;
		rows[i].submit_s = rows[i].in_accounts ? j->submit_s : rows[i].submit_s;
		return;
	}
	rows[(*n)++] = (struct slurm_job_found){ j->id, j->submit_s, true, j->key, j->submit_s };
}

static int by_id(const void *a, const void *b)
{
	const struct slurm_job_found *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

/* Whether it is one of the keys, which have a blank between them. */
static bool is_one_of(const char *keys, const char *key)
{
	size_t n = strlen(key);
	for (const char *at = keys; (at = strstr(at, key)); at++)
		if ((at == keys || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

static int by_mark(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The keys of all that find could have found. */
static void tell_words(struct slurm_tools_call *c, size_t most)
{
	uint64_t *words = arena_array(&c->a, uint64_t, most + 1);
	for (const struct hpc_job *j = c->h->jobs; j; j = j->next)
		if (hpc_job_known(j) ||
			(c->h->accounts && j->accounted && j->submit_s >= c->number))
			words[c->told.n_words++] = slurm_key_mark(j->key);
	qsort(words, c->told.n_words, sizeof(*words), by_mark);
	c->told.words = words;
}

static struct err find(struct slurm_tools_call *c)
{
	const struct sim_hpc *h = c->h;
	size_t n = 0;
	for (const struct hpc_job *j = h->jobs; j; j = j->next)
		n++;
	const size_t n_jobs = n;
	struct slurm_job_found *rows = arena_array(&c->a, struct slurm_job_found, n + 1);
	c->told.found = rows;
	n = 0;
	for (const struct hpc_job *j = h->jobs; j; j = j->next)
		if (hpc_job_known(j) && is_one_of(c->key, j->key))
			rows[n++] = (struct slurm_job_found){ j->id, j->submit_s, false, j->key };
	c->told.no_accounting = c->number != SLURM_ABSENT && !h->accounts;
	bool asks = c->number != SLURM_ABSENT && h->accounts;
	if (asks && !h->dbd_up)
		return err_new(ERR_RETRY, "slurmdbd is away");
	for (const struct hpc_job *j = h->jobs; asks && j; j = j->next)
		if (j->accounted && is_one_of(c->key, j->key) && j->submit_s >= c->number)
			add_account(rows, &n, j);
	qsort(rows, n, sizeof(*rows), by_id);
	tell_words(c, n_jobs);
	c->told.n = n;
	return OK;
}

static void add_marks(struct slurm_tools_call *c, const struct hpc_job *j,
	struct slurm_job_mark *rows)
{
	struct slurm_job_shown shown[HPC_TASKS];
	size_t n = j->lost ? 0 : add_records(c, j, j->tasks, shown);
	for (size_t i = 0; i < n; i++) {
		const struct slurm_job_shown *of = &shown[i];
		const char *text = arena_printf(&c->a, "%s %s %" PRId64 " %s %" PRId64 " %s",
			of->state, of->reason, of->start_s, j->key, of->id, of->task);
		rows[c->told.n++] = (struct slurm_job_mark){ j->id,
			fnv1_32(FNV1_START, text, strlen(text)) };
	}
}

static struct err marks(struct slurm_tools_call *c)
{
	size_t n = 0;
	for (const struct hpc_job *j = c->h->jobs; j; j = j->next)
		n += HPC_TASKS;
	struct slurm_job_mark *rows = arena_array(&c->a, struct slurm_job_mark, n + 1);
	c->told.marks = rows;
	for (const struct hpc_job *j = c->h->jobs; j; j = j->next)
		add_marks(c, j, rows);
	return OK;
}

static struct err submit(struct slurm_tools_call *c)
{
	const char *key = c->key ? c->key : "";
	struct err e = sim_hpc_takes(c->h, key, c->script);
	if (failed(e))
		return e;
	c->told.job_id = sim_hpc_submit(c->h, key, c->script, c->begun_ms)->id;
	return OK;
}

enum { MOMENT_MS = 2000 };

/*
 * A scancel that was started for another slurmctld, or a moment after the job came or
 * before, finds nothing: between the question whose the number is and a real scancel it
 * may be given to another job, which that would end.
 */
static struct err cancel(struct slurm_tools_call *c)
{
	struct sim_hpc *h = c->h;
	struct hpc_job *j = sim_hpc_job(h, c->number);
	if (c->boot_s != h->boot_s)
		return hpc_away();
	if (j && j->kind == HPC_HET && j->id != c->number && j->tasks[0].state < HPC_RUNNING)
		return err_new(ERR_INVALID,
			"Operation not permitted on individual component of heterogeneous job");
	if (j && hpc_job_lives(j) && c->begun_ms - j->submit_ms > MOMENT_MS) {
		h->note(h->ctx, "slurm: job %" PRId64 " is cancelled by red-box", j->id);
		if (h->on_cancel)
			h->on_cancel(h->ctx, j);
		sim_hpc_cancel(h, j, c->number, false);
	}
	return OK;
}

static struct err partitions(struct slurm_tools_call *c)
{
	const struct hpc_partition *p = c->h->debug;
	struct slurm_partition_shown *debug = arena_array(&c->a, struct slurm_partition_shown, 1);
	*debug = (struct slurm_partition_shown){
		.name = "debug",
		.nodes = p->nodes,
		.cpus_per_node = 8,
		.memory_per_node_mb = SLURM_ABSENT,
		.wall_s = SLURM_ABSENT,
		.all_nodes = p->nodes,
		.all_cpus = 8 * p->nodes,
		.usable_nodes = p->usable_nodes,
		.state = p->state,
		.allow_groups = "ALL",
		.allow_accounts = "ALL",
		.allow_qos = "ALL",
		.deny_accounts = "",
		.deny_qos = "",
		.root_only = p->root_only ? "YES" : "NO",
		.needs_reservation = "NO",
	};
	c->told.partitions = debug;
	c->told.n = 1;
	return OK;
}

struct err hpc_tell(struct slurm_tools_call *c)
{
	const struct sim_hpc *h = c->h;
	if (c->tool == VERSION) {
		c->told.version = "24.11.5";
		return OK;
	}
	if (!h->up)
		return hpc_away();
	switch (c->tool) {
	case SUBMIT:
		return submit(c);
	case CANCEL:
		return cancel(c);
	case FIND:
		return find(c);
	case JOB:
		return show(c);
	case ACCOUNT:
		return show_former(c);
	case MARKS:
		return marks(c);
	case CONTROLLER:
		c->told.controller = (struct slurm_controller_shown){ h->boot_s, h->next_id,
			h->min_job_age_s };
		return OK;
	case PARTITIONS:
		return partitions(c);
	default:
		return OK;
	}
}
