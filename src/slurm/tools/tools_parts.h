/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of slurm/tools/tools.h. */
#ifndef SLURM_TOOLS_TOOLS_PARTS_H
#define SLURM_TOOLS_TOOLS_PARTS_H

#include <stdbool.h>

#include "net/process.h"
#include "slurm/tools/printed.h"
#include "slurm/tools/tools.h"

enum tool {
	TOOL_SACCT,
	TOOL_SBATCH,
	TOOL_SCANCEL,
	TOOL_SCONTROL,
	TOOL_SINFO,
	TOOL_SQUEUE,
	TOOL_SDIAG, /* may be missing */
	TOOLS
};

/* The most CPUs of a node, while the partition has so many nodes and CPUs. */
struct tools_size {
	char *partition;
	int64_t nodes, cpus, most, asked_ms;
};

/* A client with sbatch calls that are under way or wait. */
struct tools_client {
	struct tools_client *prev, *next; /* utlist */
	char *name;
	int calls, running;
};

struct slurm_tools {
	struct loop *loop;
	int at_once, running;
	int writes_at_once; /* of them, sbatch and scancel: room is left for questions */
	int writing;
	struct tools_client *clients;
	int fresh_at_once;   /* sbatch and scancel that have just begun */
	struct timer *timer; /* they may have become old ones */
	int64_t limit_ms;
	struct arena texts;
	const char *paths[TOOLS]; /* NULL: one that may be missing is */
	const char **env_to_read, **env_of_jobs;
	struct slurm_tools_call *first, *last; /* the oldest first */
	struct tools_size *sizes;              /* as many as Slurm has had partitions */
	size_t n_sizes;
	/* Usable nodes of all partitions, from one sinfo */
	struct arena usable_of;
	struct printed_usable *usable;
	size_t n_usable;
	int64_t usable_ms; /* it was asked then; 0: never */
};

enum {
	MAX_ARGUMENTS = 12,
	/* Most bytes of output: */
	TOOLS_SMALL = 1 << 20,
	TOOLS_LARGE = 64 << 20, /* of tens of thousands of jobs */
};

/* The value with which an argument ends. Without that value the argument is left out. */
enum argument_value {
	NO_VALUE,
	THE_ID,
	THE_KEY,
	THE_PARTITION,
	THE_USER,
	THE_FIELDS,
	THE_VIEW,
	SINCE,
	VALUES
};

struct argument {
	const char *text;
	enum argument_value value;
};

/* One program: how it is called, and what its output says. */
struct question {
	enum tool tool;
	bool writes; /* it changes something: left alone when no caller waits for it */
	int limits;  /* of time, of the configuration */
	size_t max_output_bytes;
	struct argument arguments[MAX_ARGUMENTS];
	/*
	 * Reads the output into told; why: how the program failed, OK if it did not. If
	 * it sets goes_on, the program of call->question runs next.
	 */
	struct err (*read)(struct slurm_tools_call *call, struct err why,
		const struct process_end *end);
};

struct slurm_tools_call {
	struct slurm_tools *tools;
	struct slurm_tools_call *prev, *next;
	const struct question *question;
	enum { WAITING, RUNNING, FAILED_AT_ONCE } state;
	struct tools_client *client; /* of a submission */
	struct arena a;
	char *values[VALUES];
	char *input;
	bool goes_on, writing; /* writing: its program that runs does */
	struct process *process;
	int64_t started_ms;
	struct timer *timer; /* reports FAILED_AT_ONCE; ends an sbatch that has printed the id */
	struct err err;
	struct slurm_tools_told told;
	struct printed_found found;
	struct slurm_partition_shown *partitions;
	int64_t first_s, last_s; /* account: it was submitted then, or requeued until then */
	slurm_tools_done *done;  /* NULL: no caller waits for it */
	void *ctx;
};

/* ---- tools_setup.c ---- */
/* Paths and environments; ERR_INVALID names all the tools that are missing. */
struct err tools_set_up(struct slurm_tools *t, const char *folder);
extern const char *const tool_names[TOOLS];

/* ---- tools_metrics.c ---- */
/* A program has ended. command: its name. */
void tools_count(const struct slurm_tools_call *c, const char *command, struct err e);

/* ---- tools.c ---- */
struct slurm_tools_call *tools_call_new(struct slurm_tools *t, const struct question *question,
	slurm_tools_done *done, void *ctx);
/* The client that it is for, among which calls that write begin in turn. */
void tools_call_for(struct slurm_tools_call *call, const char *client);
/* Begins it, or puts it into the line; with an error tells that on the next turn. */
struct slurm_tools_call *tools_call_begin(struct slurm_tools_call *call, struct err err);
/*
 * Above such a number stands which cluster of a federation gave it. Then it is one job in
 * all of them.
 */
static inline bool tools_of_federation(int64_t job_id) { return job_id > INT64_C(0x03ffffff); }

/* ---- tools_ask.c ---- */
/* A value of an argument; copied. NULL or "": it is left out. */
void tools_set(struct slurm_tools_call *c, enum argument_value which, const char *text);
void tools_set_number(struct slurm_tools_call *c, enum argument_value which, int64_t n);
/* A call with THE_ID; with one that Slurm would misread it ends with an error. */
struct slurm_tools_call *tools_begin_with_id(struct slurm_tools_call *c, int64_t id);

/* ---- tools_why.c ---- */
/* How the program failed; OK when it did not. */
struct err tools_why(const struct slurm_tools_call *call, struct err err,
	const struct process_end *end);
/* This Slurm keeps no accounts, or its sacct has no such field. */
bool tools_no_accounts(const struct process_end *end);
bool tools_no_field(const struct process_end *end);

#endif
