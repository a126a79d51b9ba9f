/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Slurm behind red-box: slurmctld, its nodes and its accounts. These structures are
 * the truth; red-box learns of it by Slurm's tools alone (sim_hpc_tools.c).
 *
 * slurmctld writes its state down every five seconds. When it is killed it loses the jobs
 * that it accepted since, and gives their numbers again; what runs of them ends when the
 * next one begins. It forgets the cancellations of red-box since, too. Other changes of a
 * job are kept: its node tells of them again.
 *
 * slurmdbd hears of a change a moment later, and while it is away nothing is asked of it.
 * When it is back it has heard of all before it answers: the real one answers for some
 * seconds without what slurmctld kept for it.
 *
 * The tasks of an array that wait have one record, with the number of the array. A task
 * that begins gets a number of its own; the last one keeps that of the array. The
 * components of a heterogeneous job have one number each, begin together, end with the
 * script of the first one, and are forgotten together (24.11.5).
 *
 * The partition is UP, DOWN, in DRAIN or INACTIVE, and has nodes or none; limits are
 * reached and free again. sbatch says so in the words of the real one.
 */
#ifndef SIM_HPC_H
#define SIM_HPC_H

#include "base/err.h"
#include "lib/sim_loop.h"
#include "sim/sim_fault.h"

enum hpc_state {
	HPC_PENDING,
	HPC_HELD,
	HPC_RUNNING,
	HPC_SUSPENDED,
	HPC_COMPLETING, /* it has ended, and its node is not free yet */
	HPC_COMPLETED,  /* from here on it has ended */
	HPC_FAILED,
	HPC_TIMEOUT,
	HPC_OUT_OF_MEMORY,
	HPC_NODE_FAIL,
	HPC_CANCELLED,
	HPC_STATES
};
extern const char *const hpc_words[HPC_STATES];

enum { HPC_TASKS = 3, HPC_KEY_BYTES = 64 };

enum hpc_kind { HPC_SINGLE, HPC_ARRAY, HPC_HET };

/* The job itself, a task of its array, or a component of a heterogeneous job. */
struct hpc_task {
	int64_t id; /* while it waits in the record of its array: that of the array */
	int index;
	bool own;      /* it has a record of its own */
	bool vanished; /* a user cancelled it while it waited: there is no record of it */
	bool last;     /* the same, and no other waited: the record of its array shows that */
	enum hpc_state state, then; /* then: behind HPC_COMPLETING */
	enum hpc_state effect;      /* how it ends if users do not meddle */
	int exit_code, signal;
	int64_t start_s, end_s; /* 0: not yet */
	int64_t due_ms;         /* its next step, by itself */
	int64_t run_ms;
	bool begun; /* it ran, ever */
	int restarts;
	bool purged; /* slurmctld has forgotten it, MinJobAge after its end */
};

struct hpc_job {
	struct hpc_job *next; /* in the order of their submission */
	char key[HPC_KEY_BYTES];
	int64_t id, submit_s, submit_ms;
	int64_t begun_ms; /* its sbatch was started, and took its time */
	struct hpc_task tasks[HPC_TASKS];
	struct hpc_task uncancelled[HPC_TASKS]; /* what they were before */
	bool cancel_unsaved;                    /* slurmctld has not written that down */
	enum hpc_kind kind;
	int n_tasks;
	bool saved;     /* slurmctld has written down that it has it */
	bool lost;      /* slurmctld was killed, and has it no more */
	bool by_backup; /* the same, because its state is an old one */
	/* As the accounts have it */
	bool accounted;
	struct hpc_task told[HPC_TASKS];
};

/* The partition that jobs are submitted to, and the limits that all jobs share. */
struct hpc_partition {
	const char *state; /* "UP", "DOWN", "DRAIN", "INACTIVE" */
	bool root_only;
	int64_t nodes, usable_nodes;
	const struct hpc_refusal *limit; /* why sbatch takes no job; NULL: it takes them */
};

struct slurm_tools_call;
struct sim_hpc {
	struct sim_loop *loop;
	struct sim_rand rand;
	struct sim_faults *faults;
	uint64_t seed;
	bool up, accounts, dbd_up;
	bool fragile; /* slurmctld dies often before a cancellation is on its disk */
	int64_t boot_s, min_job_age_s, next_id, saved_next_id;
	int64_t saved_ms;
	struct hpc_job *jobs, **last;
	struct timer *tick, *start, *dbd_back;
	struct sim_rand changes;
	struct hpc_partition own, *debug; /* debug: its own, or that of another account */
	struct slurm_tools_call *calls;
	uint32_t n_calls;
	/* Called with the truth as it is then. NULL: not needed */
	void (*on_submit)(void *ctx, const struct hpc_job *job);
	/* sbatch has refused it; for_good: until a person decides otherwise */
	void (*on_refuse)(void *ctx, const char *key, bool for_good);
	/* By red-box; before it is done, of a job that lives */
	void (*on_cancel)(void *ctx, const struct hpc_job *job);
	void (*crash_box)(void *ctx); /* red-box dies; nothing of it is on the stack */
	void (*note)(void *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
	void *ctx;
};

void sim_hpc_init(struct sim_hpc *h, struct sim_loop *loop, struct sim_faults *faults,
	uint64_t seed);
void sim_hpc_free(struct sim_hpc *h);
/* An sbatch runs, with or without a caller. */
bool sim_hpc_submits(const struct sim_hpc *h);
/* Tools that run still are ended. */
void sim_hpc_end_calls(struct sim_hpc *h);

/* ---- troubles ---- */
void sim_hpc_kill(struct sim_hpc *h, int64_t down_ms);    /* it saves nothing */
void sim_hpc_restart(struct sim_hpc *h, int64_t down_ms); /* it saves its state first */
/* slurmctld begins with the state that it had age_ms ago. */
void sim_hpc_restore(struct sim_hpc *h, int64_t age_ms, int64_t down_ms);
/*
 * The machine of slurmctld was replaced: slurmctld begins without any state, gives all
 * numbers again, and reports the live jobs as cancelled to the accounts.
 */
void sim_hpc_renew(struct sim_hpc *h, int64_t down_ms);
void sim_hpc_dbd_down(struct sim_hpc *h, int64_t for_ms);
/* All is up, and what was held or suspended goes on. */
void sim_hpc_calm(struct sim_hpc *h);
/* Another user holds, suspends, requeues or cancels a job, drawn. */
void sim_hpc_meddle(struct sim_hpc *h);
/* A user cancels tasks of an array that wait, or a component that runs, drawn. */
void sim_hpc_cancel_part(struct sim_hpc *h);
/* The administrator, or nodes that come and go, change the partition or a limit. */
void sim_hpc_change_partition(struct sim_hpc *h);
/* The partition takes and starts jobs. */
void sim_hpc_open_partition(struct sim_hpc *h);
/* Jobs that wait begin there. */
bool hpc_starts_jobs(const struct hpc_partition *p);

/* ---- what tools do ---- */
struct hpc_job *sim_hpc_submit(struct sim_hpc *h, const char *key, const char *script,
	int64_t begun_ms);
/* Whether sbatch takes the script, and if not, its error as red-box judges it. */
struct err sim_hpc_takes(const struct sim_hpc *h, const char *key, const char *script);
/* The one of this number that slurmctld knows; NULL */
struct hpc_job *sim_hpc_job(const struct sim_hpc *h, int64_t id);
/* The newest of this number in the accounts; NULL */
struct hpc_job *sim_hpc_account(const struct sim_hpc *h, int64_t id);
/* is_kept: a slurmctld that is killed at once knows of it, too. */
void sim_hpc_cancel(struct sim_hpc *h, struct hpc_job *j, int64_t id, bool is_kept);
int64_t sim_hpc_now_s(const struct sim_hpc *h);

/* ---- the truth ---- */
bool hpc_task_ended(const struct hpc_task *t);
/* Slurm has it, and it has not ended */
bool hpc_job_lives(const struct hpc_job *j);
/* slurmctld tells of it still */
bool hpc_job_known(const struct hpc_job *j);
/* The newest of this key that was not lost; NULL: there is none */
const struct hpc_job *sim_hpc_of(const struct sim_hpc *h, const char *key);

#endif
