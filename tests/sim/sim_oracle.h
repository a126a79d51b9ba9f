/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles: the promises P1 to P10, judged from the truth of the world at the moment at
 * which a request of the program takes effect.
 *
 * No program can know what it was not yet told. Where a promise depends on a recent
 * action of another client, the oracles look at what the program had been shown (lists,
 * watch events, Slurm answers delivered) race_ms before it sent the request. A change
 * that is older than fresh_ms for the end of a pod, or older than patience_ms for a
 * drain, counts as known in any case: no program may act on an answer that old.
 */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include "sim/sim_kube.h"
#include "sim/sim_slurm.h"

enum { ORACLE_SHOWN = 256, ORACLE_TOKENS = 64, ORACLE_SHORT = 12, ORACLE_ROW = 64 };
enum { ORACLE_SLURMS = 6, ORACLE_HOLDERS = 16 };
/* The Cluster whose Slurm the slurmd of a pod joins; default: that of its namespace */
/* The holder of the lease: a program, and its life */
#define ORACLE_IDENTITY "manager-%d-%d"
#define ORACLE_CLUSTER_LABEL "example.com/cluster"

/* A version that was shown, and when: a ring, newest last. */
struct oracle_shown {
	struct {
		int64_t at_ms, value;
	} ring[ORACLE_SHOWN];
	uint64_t n;
};

/* The view of one program, in all its lives. */
struct oracle_mind {
	bool alive;
	int64_t life_ms;   /* since then it lives, or is dead */
	int64_t frozen_ms; /* since then it is frozen; 0: it is not */
	struct oracle_shown objects[RES_COUNT];
	int64_t unread[RES_COUNT]; /* what has come for it while it was frozen; 0: nothing */
	struct {
		struct oracle_shown nodes;
		/* Since then another Slurm answers, and it has been shown it; 0: no */
		int64_t stranger_ms;
		/*
		 * Since then, in one life, it is shown the one that it began with; 0: not
		 * yet
		 */
		int64_t home_ms;
		int64_t answered_ms; /* when it was shown that one last */
	} of[ORACLE_SLURMS];
};

struct sim_oracle {
	uint64_t seed;
	struct sim_kube *kube;
	struct oracle_slurm {
		struct sim_oracle *o;
		struct sim_slurm *slurm;
		char ns[32], cluster[32]; /* of the Cluster that means it */
	} slurms[ORACLE_SLURMS];
	int n_slurms;
	int64_t race_ms, fresh_ms, patience_ms;
	/*
	 * Time that a slurmd may take to register: before that, an absent node is about
	 * to come
	 */
	int64_t absent_ms;
	int n_broken;
	char promise[8];  /* "P1": the first one */
	char broken[700]; /* the first one: a sentence with seed, time, request, pod and job */
	struct oracle_mind minds[SIM_PROGRAMS];
	struct oracle_deleted {
		char *uid, *of;            /* of: of its NodeSet, or NULL */
		int64_t sent_ms, taken_ms; /* by the API server */
		bool up;                   /* it was available until then */
		bool free;                 /* of P1: the user's wish, or nothing ran any more */
	} *deleted;                        /* pods that the program deleted */
	size_t n_deleted, cap_deleted;
	int64_t life_ms; /* since then no program has begun to live, or died */
	/*
	 * The newest that a life which could act on it had been shown of NodeSets, a
	 * while ago
	 */
	int64_t known_rv;
	int64_t stray_ms, stray_rv; /* when a user last created a pod by hand */
	struct oracle_excess {
		char *uid;
	} *excess; /* pods that were one too many when their deletion was taken */
	size_t n_excess;
	/* Names of claims whose last patch by the program was refused */
	struct oracle_denied {
		char *claim;      /* "ns/name" */
		int64_t until_ms; /* so long it is no fault that the claim is as it was */
	} *denied;
	size_t n_denied;
	struct oracle_orphaned {
		char *uid, *of;
		/*
		 * Pods whose NodeSet, deleted in the foreground, the collector took from
		 * them
		 */
	} *orphaned;
	size_t n_orphaned;
	struct oracle_short {
		char *name; /* "ns/name" */
		int n;
		bool ended;         /* the last one did, and by itself */
		int64_t generation; /* of the NodeSet that the last one was made for */
		/* A ring of the last creations, each of which ended at once */
		int64_t made_ms[ORACLE_SHORT];
	} *short_lived;
	size_t n_short;
	struct {
		int64_t at_ms;
		uint32_t what;
	} row[ORACLE_ROW]; /* a ring of the last writes */
	size_t n_row;
	char **cordons; /* uids of pods that a user has cordoned */
	size_t n_cordons;
	char *tokens[ORACLE_TOKENS];
	int n_tokens;
	/* The leader, where programs choose one; from the Lease itself */
	struct oracle_lease {
		bool elected; /* they do */
		struct oracle_holder {
			int who, life; /* life 0: none */
			int64_t since_ms;
			int64_t renewed_ms; /* when its last renewal was sent */
		} holders[ORACLE_HOLDERS];  /* a ring, newest last */
		size_t n;
	} lease;
	struct {
		uint64_t acts;    /* what people did, and faults */
		uint32_t jobs;    /* all jobs, as they have been since still_ms */
		int64_t still_ms; /* 0: there is no peace yet */
		bool foreign;     /* not the program was the last who set spec.replicas */
		struct oracle_scaled {
			char uid[64];
			uint64_t acts;
			uint32_t jobs;
			int changes, turns;
			bool up; /* the last one */
		} scaled;        /* spec.replicas that the program has set, meanwhile */
	} queue;
	uint64_t writes; /* requests that write, but for leases */
	int64_t last_write_ms;
	char last_write[240];
	bool trace;
	struct str log; /* with trace: one line for each write */
};

void sim_oracle_init(struct sim_oracle *o, uint64_t seed, struct sim_kube *kube);
/* Adds a Slurm, and the Cluster that means it. The first of a namespace is the usual */
void sim_oracle_watch(struct sim_oracle *o, struct sim_slurm *slurm, const char *ns,
	const char *cluster);
void sim_oracle_free(struct sim_oracle *o);
/* The first broken promise; NULL while all hold. */
const char *sim_oracle_broken(const struct sim_oracle *o);
/* That program has ended, or a new life of it begins: it knows nothing. */
void sim_oracle_forget(struct sim_oracle *o, int who, bool alive);
/* Text that must never be written anywhere but to Slurm. */
void sim_oracle_secret(struct sim_oracle *o, const char *token);
/* P10 for anything else that the program has written: log, metrics, Events. */
void sim_oracle_text(struct sim_oracle *o, const char *what, const char *text, size_t n);
/*
 * P6: NULL when the world is as the objects request and the program has written nothing
 * for quiet_ms; else why not (in out). The requests of each kind: sim_kind.fits.
 */
const char *sim_oracle_converged(const struct sim_oracle *o, int64_t quiet_ms, char *out,
	size_t cap);
/*
 * A NodeSet: replicas pods, Running and Ready, of the newest template, no node drained by
 * the program, status true; not half deleted
 */
bool sim_nodeset_fits(const struct sim_oracle *o, const struct sim_version *nodeset, char *out,
	size_t cap);

/* ---- between the files ---- */
void sim_oracle_break(struct sim_oracle *o, const char *promise, const struct sim_request *rq,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Writes of other clients stay: checks the program's writes of any object */
void sim_oracle_on_kept(struct sim_oracle *o, const struct sim_write *w);
/* The program creates or deletes a pod */
void sim_oracle_on_end_of_pod(struct sim_oracle *o, const struct sim_write *w);
/* Data: sim_rules_data.c */
void sim_oracle_on_end_of_claim(struct sim_oracle *o, const struct sim_write *w);
void sim_oracle_on_orphaned(struct sim_oracle *o, const struct sim_write *w); /* NodeSets */
void sim_oracle_on_claim(struct sim_oracle *o, const struct sim_write *w);
void sim_oracle_on_denied(void *ctx, enum resource r, const char *ns, const char *name);
/* A request of the program was lost or refused on its way: "PATCH /api/v1/..." */
void sim_oracle_on_lost(struct sim_oracle *o, const char *what);
bool sim_oracle_claim_denied(const struct sim_oracle *o, const struct sim_version *claim);
/* The claim could be written after all. */
void sim_oracle_claim_written(struct sim_oracle *o, const struct sim_version *claim);
void sim_oracle_denied_free(struct sim_oracle *o);
void sim_oracle_on_excess(struct sim_oracle *o, const struct sim_write *w);
void sim_oracle_on_name(struct sim_oracle *o, const struct sim_write *w); /* creations */
void sim_oracle_on_create(struct sim_oracle *o, const struct sim_write *w);
void sim_oracle_note_known(struct sim_oracle *o);
void sim_oracle_on_collected(struct sim_oracle *o, const struct sim_write *w);
/* Uid of the NodeSet; "": it was not */
const char *sim_oracle_orphaned_of(const struct sim_oracle *o, const char *uid);
void sim_oracle_on_again(struct sim_oracle *o, const struct sim_write *w); /* back-off */
void sim_oracle_data_free(struct sim_oracle *o);
/* NodeSets that follow the queue: sim_rules_queue.c */
void sim_oracle_on_act(struct sim_oracle *o); /* people act, or a fault happens */
/* The program has set other spec.replicas */
void sim_oracle_on_scaled(struct sim_oracle *o, const struct sim_write *w);
/* A write of a NodeSet by any client: who scales it, and is reported */
void sim_oracle_on_conflict(struct sim_oracle *o, const struct sim_write *w);
/* Called now and then when faults and people have ended */
void sim_oracle_on_peace(struct sim_oracle *o);
/* The job waits for nodes that the NodeSet, which follows the queue, can have */
bool sim_oracle_job_fits(const struct sim_oracle *o, const struct sim_version *nodeset,
	const struct sim_job *j);
/* The owner of a pod: writes of any client */
void sim_oracle_on_pod(struct sim_oracle *o, const struct sim_write *w);
/* A NodeSet is gone, deleted by any client */
void sim_oracle_on_release(struct sim_oracle *o, const struct sim_write *w);
/* No write is sent twice at the same time */
void sim_oracle_once(struct sim_oracle *o, const struct sim_request *rq);
/* The program that the Lease names; -1: none */
int sim_oracle_leader(const struct sim_oracle *o);
/* The one that leads since then, and is neither dead nor frozen; -1: none */
int sim_oracle_acting(const struct sim_oracle *o, int64_t since_ms);
/* A write of a program other than of the lease has come: did it lead when it sent it? */
void sim_oracle_on_sent(struct sim_oracle *o, const struct sim_request *rq);
/*
 * P11: another than this Slurm answers in its place, and the program has been told in
 * time for this request. For a shared Slurm it is unknown which Cluster was told.
 */
bool sim_oracle_strange(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_slurm *s);
void sim_oracle_on_slurm_request(void *ctx, const struct sim_request *rq);
void sim_oracle_on_slurm_note(void *ctx, const char *format, va_list args);
/* The rules on Slurm nodes */
void sim_oracle_on_update(void *ctx, const struct sim_node_update *u);
/* The process in a pod is about to end */
void sim_oracle_on_end(struct sim_oracle *o, const char *uid);
/*
 * Whether is(object) holds now, or held in any state since the one that the program had
 * been shown race_ms before it sent the request: a request may be under way for long, and
 * what others did meanwhile is not its fault. True too when the history does not reach
 * back that far.
 */
bool sim_oracle_at_any_time(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_version *now, bool (*is)(const struct sim_version *v, const void *with),
	const void *with);
/* ---- what was shown: sim_shown.c ---- */
/* The newest version that the sender had been shown race_ms before; -1: none */
int64_t sim_oracle_view(const struct sim_oracle *o, enum resource r, const struct sim_request *rq);
/*
 * The newest that all programs that live had been shown then; where they elect one, the
 * one that could act since then. -1: nothing
 */
int64_t sim_oracle_all_shown(const struct sim_oracle *o, enum resource r, int64_t at_ms);
/* When that Slurm's nodes were as the sender had been shown them until then; -1: never */
int64_t sim_oracle_nodes_shown(const struct sim_oracle *o, const struct sim_request *rq,
	const struct sim_slurm *s, int64_t at_ms);
/* Several Clusters name it: each reads it for itself, and knows nothing by another */
bool sim_oracle_shared(const struct sim_oracle *o, const struct sim_slurm *s);
/*
 * Since when a program is shown that Slurm without an outage, later by the time in which
 * it was frozen; 0: not yet
 */
int64_t sim_oracle_home_ms(const struct sim_oracle *o, const struct sim_slurm *s);
void sim_oracle_on_shown(void *ctx, int who, enum resource r, int64_t rv);
void sim_oracle_on_freeze(struct sim_oracle *o, int who);
/* The program reads what came meanwhile. */
void sim_oracle_on_thaw(struct sim_oracle *o, int who);
void sim_oracle_on_seen(void *ctx, int who, struct sim_seen seen);

/* ---- whose Slurm ---- */
/* That the slurmd of the pod joins; of a NodeSet: that of its Cluster */
struct sim_slurm *sim_oracle_slurm_of(const struct sim_oracle *o, const struct sim_version *pod);
/* In whatever Slurm; NULL: none */
struct sim_node *sim_oracle_node_of(const struct sim_oracle *o, const char *uid);
/* The node that has the pod's name in its Slurm, with any owner; NULL */
struct sim_node *sim_oracle_node_named(const struct sim_oracle *o, const struct sim_version *pod);
/* spec.selector.matchLabels */
bool sim_selects(const struct sim_version *nodeset, yyjson_val *labels);
bool sim_pod_available(const struct sim_version *pod, int64_t min_ready_s, int64_t wall_ms);
/* Whether the pod is of the newest template */
bool sim_pod_current(const struct sim_version *pod, const struct sim_version *nodeset);
const char *sim_slurm_name(const struct sim_version *pod);
/* The slurmd is started with -N and another name: "alt-" and the host's */
bool sim_other_name(const struct sim_version *pod);
bool sim_mute(const struct sim_version *pod); /* no slurmd runs in it */
int64_t sim_replicas(const struct sim_version *nodeset);
/* A label, annotation, finalizer or condition of the program's own */
bool sim_own_key(const char *key);

#endif
