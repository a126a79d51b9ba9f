/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the output of Slurm's command line tools into structures. Pure: bytes in,
 * structures in the caller's arena out. The arena has copies, so the bytes may be freed.
 * A text that Slurm did not print is "", never NULL; a number that it did not print is
 * SLURM_ABSENT.
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
	const char *state; /* one word: "CANCELLED" of "CANCELLED by 1000" */
	int exit_code;     /* without the signal */
	int64_t start_s, end_s;
};

/* A block of "scontrol show partition". */
struct slurm_partition_shown {
	const char *name;
	int64_t nodes; /* maximum for a job; without a limit all nodes of the partition */
	/*
	 * Without a limit all CPUs of the partition; slurm_tools_partitions corrects it
	 */
	int64_t cpus_per_node;
	/* SLURM_ABSENT: no limit. 0: the limit is for each CPU, not for a node */
	int64_t memory_per_node_mb;
	int64_t wall_s; /* SLURM_ABSENT: no limit */
	int64_t all_nodes, all_cpus;
	/* The nodes that sinfo counts as allocated or idle; SLURM_ABSENT: unknown */
	int64_t usable_nodes;
	const char *state; /* "UP", "DOWN", "DRAIN", "INACTIVE"; "": not printed */
	/* Groups and accounts that may use it: "ALL", or names; "": not printed */
	const char *allow_groups, *allow_accounts, *allow_qos;
	/* Alternatives to allow_accounts and allow_qos */
	const char *deny_accounts, *deny_qos;
	const char *root_only, *needs_reservation; /* "YES", "NO" */
};

/* The lines of "scontrol show config" about slurmctld itself. */
struct slurm_controller_shown {
	int64_t boot_s; /* start time; a change means another process */
	int64_t next_job_id;
	int64_t min_job_age_s; /* the minimum time that slurmctld keeps an ended job */
};

/* A record of squeue: a task, a component, or the whole job. */
struct slurm_job_mark {
	int64_t id;    /* as printed by sbatch: for an array the id of the array */
	uint64_t mark; /* changes when a field of the record changes */
};

/* A job that has a key in its comment, or had it in the command that submitted it. */
struct slurm_job_found {
	int64_t id;       /* as printed by sbatch: for an array the id of the array */
	int64_t submit_s; /* or the time of its last requeue */
	bool in_accounts; /* only the accounting database has it */
	const char *key;  /* one of the requested keys */
	int64_t first_s;  /* with in_accounts: its first submit_s */
};

/* The key of a job has 1 to SLURM_KEY_BYTES of these characters. */
#define SLURM_KEY_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@+/-"
enum { SLURM_KEY_BYTES = 128 };
bool slurm_takes_key(const char *key);

/* Whether the job's comment is this key, or has it as a word: a user may add text. */
bool slurm_job_has_key(const struct slurm_job_shown *job, const char *key);

/* Whether each of the jobs has ended, as reported by Slurm. */
bool slurm_jobs_ended(const struct slurm_job_shown *shown, size_t n);

/*
 * Reads the blocks of jobs in the order in which they are printed; *n is 0 without a
 * block.
 *
 * scontrol does not quote: a name may contain blanks and "JobState=COMPLETED". A value
 * ends at the next key that scontrol prints. If several places are possible, the order of
 * keys in scontrol's output decides. ERR_INVALID if a value does not have its form.
 */
struct err slurm_show_jobs(const char *text, struct arena *a, struct slurm_job_shown **out,
	size_t *n);
/*
 * Reads the blocks of partitions. Blocks without a name ("No partitions ...") are
 * ignored.
 */
struct err slurm_show_partitions(const char *text, struct arena *a,
	struct slurm_partition_shown **out, size_t *n);

#endif
