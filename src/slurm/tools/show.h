/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of Slurm's command line tools, as structures. Pure: bytes in, structures in
 * the caller's arena out; the arena holds copies, the bytes may go. A text that Slurm did
 * not print is "", never NULL; a number that it did not print is SLURM_ABSENT.
 */
#ifndef SLURM_TOOLS_SHOW_H
#define SLURM_TOOLS_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "slurm/duration.h"
#include "slurm/job_shown.h"

/* A line of sacct: the job itself, its batch script, or a step. */
struct slurm_step_shown {
	const char *id; /* "35", "35.batch", "35_4.0" */
	const char *name;
	const char *state; /* one word: of "CANCELLED by 1000" the first */
	int exit_code;     /* without the signal */
	int64_t start_s, end_s;
};

/* A block of "scontrol show partition". */
struct slurm_partition_shown {
	const char *name;
	int64_t nodes; /* a job's most; without a limit all of the partition's */
	/* Likewise, all of the whole partition's; slurm_tools_partitions knows better */
	int64_t cpus_per_node;
	/* SLURM_ABSENT: no limit. 0: Slurm tells no limit of a node, but one of a CPU */
	int64_t memory_per_node_mb;
	int64_t wall_s; /* SLURM_ABSENT: no limit */
	int64_t all_nodes, all_cpus;
	/* SLURM_ABSENT: not known. The nodes that sinfo counts as allocated or idle */
	int64_t usable_nodes;
	const char *state; /* "UP", "DOWN", "DRAIN", "INACTIVE"; "": not printed */
	/* Groups and accounts that may use it: "ALL", or names; "": not printed */
	const char *allow_groups, *allow_accounts, *allow_qos;
	const char *deny_accounts, *deny_qos;      /* in place of the above */
	const char *root_only, *needs_reservation; /* "YES", "NO" */
};

/* The lines of "scontrol show config" about slurmctld itself. */
struct slurm_controller_shown {
	int64_t boot_s; /* when it was started; another one, another process */
	int64_t next_job_id;
	int64_t min_job_age_s; /* the minimum time that it knows a job after its end */
};

/* A record of squeue: a task, a component, or all of the job. */
struct slurm_job_mark {
	int64_t id;    /* as sbatch told it: of an array the id of the array */
	uint64_t mark; /* another one: something about it has changed */
};

/* A job that has a key in its comment, or had it in the command that submitted it. */
struct slurm_job_found {
	int64_t id;       /* as sbatch told it: of an array the id of the array */
	int64_t submit_s; /* or when it was last requeued */
	bool in_accounts; /* the accounts alone have it: slurmctld did not tell of it */
	const char *key;  /* which of those that were looked for */
	int64_t first_s;  /* in_accounts: its first submit_s */
};

/* The key of a job has 1 to SLURM_KEY_BYTES of these characters. */
#define SLURM_KEY_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@+/-"
enum { SLURM_KEY_BYTES = 128 };
bool slurm_takes_key(const char *key);

/*
 * The job's comment is this key, or has it as a word, as when a user added text beside
 * it.
 */
bool slurm_job_has_key(const struct slurm_job_shown *job, const char *key);

/* Slurm says of each of them that it has ended. */
bool slurm_jobs_ended(const struct slurm_job_shown *shown, size_t n);

/*
 * The blocks in the order in which they were printed; *n 0 for output without one.
 *
 * scontrol quotes nothing: a name may hold blanks and "JobState=COMPLETED". A value ends
 * at the next key that scontrol is known to print, and if it could end at more than one
 * place, at the one where that key stands in its output. ERR_INVALID when a value that is
 * needed does not have its form.
 */
struct err slurm_show_jobs(const char *text, struct arena *a, struct slurm_job_shown **out,
	size_t *n);
/*
 * Reads the blocks of partitions. Blocks without a name ("No partitions ...") are left
 * out.
 */
struct err slurm_show_partitions(const char *text, struct arena *a,
	struct slurm_partition_shown **out, size_t *n);

#endif
