/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated Slurm: slurmctld with dynamic nodes and jobs, and slurmrestd in front of
 * it. Behaviour as measured with 24.11.5 and 26.05.5.
 */
#ifndef SIM_SLURM_H
#define SIM_SLURM_H

#include <stdarg.h>

#include "sim/sim_http.h"

enum sim_drainer { DRAINED_BY_NOBODY, DRAINED_BY_OPERATOR, DRAINED_BY_ADMIN };

struct sim_node {
	struct sim_slurm *s;
	char *name, *reason, *comment;
	char *uid;                /* of the pod whose slurmd registered last */
	char *address, *hostname; /* of its slurmd */
	bool down, drain, not_responding, undrain;
	bool invalid_reg;         /* registered with less than slurm.conf says */
	bool saved;               /* slurmctld has written it: it survives a crash */
	int64_t job, ending;      /* RUNNING or COMPLETING on it; 0: none */
	enum sim_drainer drainer; /* truth, for the oracles: who set the drain that is there */
	/*
	 * The program gave it with a drain that it has not lifted: what stands under it
	 * looks like the program's
	 */
	bool their_reason;
	int64_t admin_ms; /* monotonic: when an administrator last touched it; 0: never */
	/* Monotonic: when the program last lifted a drain of it; 0: never */
	int64_t lifted_ms;
	int64_t started_ms;    /* monotonic: when its slurmd was started */
	int64_t registered_ms; /* monotonic: when its slurmd last registered */
	int64_t known_ms;      /* monotonic: since when Slurm has it */
	int64_t drained_ms;    /* monotonic: when its drain was set */
	int64_t changed_ms;    /* monotonic: when it last changed */
	/*
	 * Slurm's clock: it registered, a job left it, or its drain was lifted then
	 * (24.11.5)
	 */
	int64_t last_busy_s;
	struct timer *timer; /* to NOT_RESPONDING, to DOWN, to responding again */
	struct sim_node *next;
};

enum sim_job_state { JOB_PENDING, JOB_RUNNING, JOB_SUSPENDED, JOB_COMPLETING, JOB_COMPLETED };
struct sim_job {
	struct sim_slurm *s;
	int64_t id;
	enum sim_job_state state;
	int want;          /* number of nodes */
	char *only;        /* wants this node; NULL: any */
	int64_t run_ms;    /* for so long; while it is suspended: still */
	int64_t ends_ms;   /* monotonic, while it runs */
	bool resumes;      /* suspended, and to go on as soon as its nodes are free */
	bool again;        /* completing, to be pending afterwards */
	int64_t start_s;   /* servers' wall clock */
	int64_t limit_min; /* 0: no limit */
	char *hosts;       /* its nodes, comma separated; "" while pending */
	int requeues;
	struct timer *timer;
	struct sim_job *next;
};

/* A process in a pod; lives also while slurmctld does not know it. */
struct sim_slurmd {
	struct sim_slurm *s;
	char *name, *uid, *address, *hostname;
	bool registered;
	int64_t started_ms;
	struct timer *timer;
	struct sim_slurmd *next;
};

/* An update of a node by the program, before it is applied. */
struct sim_node_update {
	const struct sim_node *node;
	bool drain, undrain, down;    /* UNDRAIN and RESUME are undrain */
	bool resume;                  /* it was RESUME, which also ends DOWN */
	const char *reason, *comment; /* NULL: not given */
	bool deleted;
	const struct sim_request *request;
};

struct sim_slurm {
	struct sim_loop *loop;
	struct sim_server server;
	struct sim_rand rand;
	struct sim_node *nodes; /* in order of registration */
	struct sim_job *jobs;
	struct sim_slurmd *slurmds;
	int64_t clock_ms; /* slurmctld's clock beyond that of the other servers */
	int64_t next_job, last_update_s;
	int partition_reads;
	bool ctld_down;
	struct timer *ctld_up, *schedule;
	char token[64];     /* the one that is accepted */
	const char *key;    /* of which others are, in base64; NULL: of none */
	int oldest, newest; /* versions v0.0.oldest to v0.0.newest are served */
	/* 24.11.5: a conditional read that finds changed nodes answers 500 */
	bool partitions_bug;
	bool refuse_422;     /* 26.05: refusals are 422, not 500 */
	bool id_text;        /* jobs/state gives job ids as text */
	bool prestop;        /* a pod that ends gracefully deletes its node */
	const char *cluster; /* ClusterName */
	int64_t epilog_ms;   /* longest time that a job completes */
	/*
	 * 24.11.5: UNDRAIN keeps the reason or takes the one given; the next job clears
	 * it
	 */
	bool keeps_reasons;
	bool stays_down;       /* ReturnToService=1 */
	bool odd_words;        /* some states have words that are in no manual */
	int64_t list_ms;       /* longest time for a list; 0: at once */
	int64_t list_least_ms; /* 0: half of that */
	bool lists_begin_late; /* it looks at the end of that time, not at the beginning */
	bool slow_unchanged;   /* 304 takes as long */
	/* Some node of other users changes all the time: there is never a 304 */
	bool busy;
	bool no_future;            /* slurm.conf has no FUTURE records in the partition */
	int64_t no_future_ms;      /* monotonic: since then */
	struct sim_rand list_rand; /* its own, so that slow lists change nothing else */
	/* Answers in its place: another Slurm behind the same address */
	struct sim_slurm *stand_in;
	bool stranger; /* it is such another */
	bool deaf;     /* it answers an update of the program's with "done" and does nothing */
	int invalid_per_mille; /* so many slurmds register with less than slurm.conf says */
	void (*on_request)(void *ctx, const struct sim_request *rq);
	void (*on_update)(void *ctx, const struct sim_node_update *u);
	/* Events, for a trace */
	void (*on_note)(void *ctx, const char *format, va_list args);
	void *ctx;
};

/*
 * sim_seen.what of an answer that shows all nodes, or says that nothing changed; value is
 * the monotonic time that it shows.
 */
enum { SIM_SEEN_NODES = 200 };
/*
 * of any other answer that names its cluster, and of any of a Slurm that stands in for
 * another.
 */
enum { SIM_SEEN_SLURM = 201, SIM_SEEN_STRANGER = 202 };

void sim_slurm_init(struct sim_slurm *s, struct sim_net *net, const char *base_url, uint64_t seed);
void sim_slurm_free(struct sim_slurm *s);

/* ---- pods ---- */
struct sim_slurmd_id {
	const char *node, *uid, *address, *hostname;
};
void sim_slurmd_started(struct sim_slurm *s, const struct sim_slurmd_id *id);
void sim_slurmd_stopped(struct sim_slurm *s, const char *uid, bool graceful);

/* ---- people and troubles ---- */
/* The job's id */
int64_t sim_slurm_submit(struct sim_slurm *s, int nodes, const char *only, int64_t run_ms);
bool sim_slurm_admin_drain(struct sim_slurm *s, const char *node,
	const char *reason /* NULL: none given */);
bool sim_slurm_admin_undrain(struct sim_slurm *s, const char *node);
/* UNDRAIN, and the end of DOWN */
bool sim_slurm_admin_resume(struct sim_slurm *s, const char *node);
/* A running one: its nodes look idle, its processes stay */
void sim_slurm_suspend(struct sim_slurm *s, struct sim_job *j);
/* The job has nothing more to do: it ends by itself, as soon as it runs */
void sim_slurm_let_end(struct sim_slurm *s, struct sim_job *j);
/* A suspended one, when its nodes are free */
void sim_slurm_resume(struct sim_slurm *s, struct sim_job *j);
/* Cancels the jobs that wait for nodes, but for the first ones */
void sim_slurm_cancel_waiting(struct sim_slurm *s, int but);
void sim_slurm_requeue(struct sim_slurm *s, struct sim_job *j); /* a running one */
void sim_slurmctld_down(struct sim_slurm *s, int64_t for_ms);   /* 0: until sim_slurmctld_up */
void sim_slurmctld_up(struct sim_slurm *s);
/* Forget: killed; what was never written is gone */
void sim_slurmctld_restart(struct sim_slurm *s, bool forget, int64_t down_ms);
/*
 * slurmctld comes back with a state that was saved age_ms ago: it does not know what
 * joined, was drained or began since then.
 */
void sim_slurmctld_restore(struct sim_slurm *s, int64_t age_ms, int64_t down_ms);
void sim_slurm_version(struct sim_slurm *s, bool new_one); /* 26.05 instead of 24.11 */

/* ---- questions ---- */
/* NULL: Slurm does not know it */
struct sim_node *sim_slurm_node(const struct sim_slurm *s, const char *name);
/* As sim_node_job; 0 too when it is unknown */
int64_t sim_slurm_busy(const struct sim_slurm *s, const char *name);
/* The node of the pod, whatever its name; NULL: none */
struct sim_node *sim_slurm_node_of(const struct sim_slurm *s, const char *uid);
/* That has begun on it and not ended; 0: none */
int64_t sim_node_job(const struct sim_node *n);
struct sim_job *sim_slurm_job(const struct sim_slurm *s, int64_t id);
size_t sim_slurm_running(const struct sim_slurm *s);

/* ---- between the files ---- */
/* Seconds since 1970, as slurmctld has them */
int64_t sim_slurm_clock_s(const struct sim_slurm *s);
void sim_slurm_note(const struct sim_slurm *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void sim_slurm_serve(void *ctx, const struct sim_request *rq, struct sim_reply *out);
int64_t sim_slurm_works_ms(void *ctx, const char *method, const char *path);
void sim_slurm_fault_body(int status, struct str *out);
void sim_slurm_touch(struct sim_slurm *s, struct sim_node *n); /* it changed */
void sim_slurm_save(struct sim_slurm *s);                      /* slurmctld writes its state */
void sim_slurm_set_drain(struct sim_slurm *s, struct sim_node *n, bool drain, const char *reason,
	enum sim_drainer who);
bool sim_slurm_delete_node(struct sim_slurm *s, struct sim_node *n);
void sim_slurm_set_down(struct sim_slurm *s, struct sim_node *n, const char *reason);
/* A node that is DOWN is not any more */
void sim_slurm_set_up(struct sim_slurm *s, struct sim_node *n);
void sim_slurm_wake(struct sim_slurm *s); /* look for jobs that can start */

#endif
