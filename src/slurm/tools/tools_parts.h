/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of slurm/tools/tools.h; private to this folder. */
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

/* The CPUs of the largest node, valid while the partition has this size. */
struct tools_size {
	char *partition;
	int64_t nodes, cpus, most, asked_ms;
};

/* A client whose sbatch calls are running or waiting. */
struct tools_client {
	struct tools_client *prev, *next; /* utlist */
	char *name;
	int calls, running;
};

struct slurm_tools {
	struct loop *loop;
	int at_once, running;
	int writes_at_once; /* limit for sbatch and scancel, which leaves room for reads */
	int writing;
	struct tools_client *clients;
	int fresh_at_once;   /* limit for sbatch and scancel that have just started */
	struct timer *timer; /* for the next check of fresh_at_once */
	int64_t limit_ms;
	struct arena texts;
	const char *paths[TOOLS]; /* NULL: an optional tool that is missing */
	const char **env_to_read, **env_of_jobs;
	struct slurm_tools_call *first, *last; /* the oldest first */
	struct tools_size *sizes;              /* one for each partition that Slurm has had */
	size_t n_sizes;
	/* Usable nodes of all partitions, from one sinfo */
	struct arena usable_of;
	struct printed_usable *usable;
	size_t n_usable;
	int64_t usable_ms; /* when they were requested; 0: never */
};

enum {
	MAX_ARGUMENTS = 12,
	/* Most bytes of output: */
	TOOLS_SMALL = 1 << 20,
	TOOLS_LARGE = 64 << 20, /* for tens of thousands of jobs */
};

/* The value at the end of an argument. Without that value the argument is left out. */
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

/* One program: its arguments, and the function that reads its output. */
struct question {
	enum tool tool;
	bool writes; /* changes something: not stopped when the call is cancelled */
	int limits;  /* time limit, as a multiple of the configured limit */
	size_t max_output_bytes;
	struct argument arguments[MAX_ARGUMENTS];
	/*
	 * Reads the output into told. why: the error of the program, or OK. If read sets
	 * goes_on, the program of call->question runs next.
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
	bool goes_on, writing; /* writing: the running program writes */
	struct process *process;
	int64_t started_ms;
	struct timer *timer; /* reports FAILED_AT_ONCE; ends an sbatch that has printed the id */
	struct err err;
	struct slurm_tools_told told;
	struct printed_found found;
	struct slurm_partition_shown *partitions;
	int64_t first_s, last_s; /* account: time of its submission and of its last requeue */
	slurm_tools_done *done;  /* NULL: no caller waits for it */
	void *ctx;
};

/* ---- tools_setup.c ---- */
/* Sets paths and environments; ERR_INVALID names all the tools that are missing. */
struct err tools_set_up(struct slurm_tools *t, const char *folder);
extern const char *const tool_names[TOOLS];

/* ---- tools_metrics.c ---- */
/* Counts a program that has ended. command: its name. */
void tools_count(const struct slurm_tools_call *c, const char *command, struct err e);

/* ---- tools.c ---- */
struct slurm_tools_call *tools_call_new(struct slurm_tools *t, const struct question *question,
	slurm_tools_done *done, void *ctx);
/* Sets the client of a call. Calls that write take turns among clients. */
void tools_call_for(struct slurm_tools_call *call, const char *client);
/* Starts the call, or lets it wait; reports an error on the next turn. */
struct slurm_tools_call *tools_call_begin(struct slurm_tools_call *call, struct err err);
/*
 * Larger ids contain the cluster of a federation that assigned the id, and are valid in
 * all its clusters.
 */
static inline bool tools_of_federation(int64_t job_id) { return job_id > INT64_C(0x03ffffff); }

/* ---- tools_ask.c ---- */
/* Sets a value of an argument; copied. NULL or "": the argument is left out. */
void tools_set(struct slurm_tools_call *c, enum argument_value which, const char *text);
void tools_set_number(struct slurm_tools_call *c, enum argument_value which, int64_t n);
/* Starts a call with THE_ID; fails for an id that Slurm would misread. */
struct slurm_tools_call *tools_begin_with_id(struct slurm_tools_call *c, int64_t id);

/* ---- tools_why.c ---- */
/* The error of the program; OK if it succeeded. */
struct err tools_why(const struct slurm_tools_call *call, struct err err,
	const struct process_end *end);
/* Whether this Slurm has no accounting, or its sacct has no such field. */
bool tools_no_accounts(const struct process_end *end);
bool tools_no_field(const struct process_end *end);

#endif
