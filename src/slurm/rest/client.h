/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurmrestd client of one Slurm cluster.
 *
 * The version is negotiated: the newest of v0.0.40 to v0.0.45 that /openapi/v3 of the
 * server names; asked again when the server answers 404 to a known method (an upgrade or
 * downgrade). The ping asks a real, cheap endpoint beside /ping, because /ping answers
 * 200 to a bad token.
 *
 * All calls are asynchronous on the loop; none retries by itself but the negotiation and
 * the documented 500 of a conditional read. No callback comes from within the call that
 * was given it; slurm_free may be called from within a done (not from within an each).
 *
 * Errors: ERR_DENIED for a refused token (401, 511, errors[] 1007), ERR_RETRY/ERR_LOST
 * for an unreachable slurmrestd or slurmctld (502, 504, 1800), ERR_INVALID for anything
 * that is not slurmrestd (HTML, not JSON, wrong version, plain HTTP on a TLS port) and
 * for another cluster than the expected one.
 */
#ifndef SLURM_REST_CLIENT_H
#define SLURM_REST_CLIENT_H

#include "base/budget.h"
#include "base/tri.h"
#include "json/json.h"
#include "net/http.h"
#include "slurm/job_state.h"
#include "slurm/rest/queue.h"
#include "slurm/rest/requests.h"
#include "slurm/state.h"
#include "slurm/health.h"

struct slurm;

/*
 * token is sent as X-SLURM-USER-TOKEN, as it is. http becomes the client's. The token may
 * be replaced later.
 */
struct slurm *slurm_new(struct loop *loop, struct http *http, const char *token);
void slurm_set_token(struct slurm *s, const char *token);
/* Replaces the token in time by the next one of the same user, with the same rights. */
void slurm_renew_token(struct slurm *s, const char *token);
/*
 * Sets the quota that pays the memory for Slurm's answers, and outlives the client. An
 * answer that does not fit ends with ERR_RETRY. Call it before the first request; without
 * it there is no limit
 */
void slurm_pays_from(struct slurm *s, struct quota *quota);
/*
 * A list of nodes is paid with what its user keeps of it, but for nodes that are kept,
 * and paid, already: has() tells. To be said before the first call; none: nothing is kept
 */
void slurm_user_has(struct slurm *s, bool (*has)(void *ctx, const char *node), void *ctx);
/* Counts its requests in requests, which outlives the client. */
void slurm_counts(struct slurm *s, struct slurm_requests *requests);
void slurm_free(struct slurm *s); /* cancels; no callback comes any more. Accepts NULL */

/*
 * The Slurm that answers. Every JSON answer names its ClusterName (meta.slurm.cluster); a
 * 304 does not. An answer that names another cluster than the expected one is an error of
 * SLURM_OTHER_CLUSTER and ERR_INVALID, whatever was asked, and nothing of it is given
 * out. An answer that names no cluster is accepted as it is. slurmrestd takes the name
 * from its own slurm.conf. A request that changes something is sent only while the newest
 * answer that names a cluster names the expected one, and ends with ERR_RETRY when
 * slurmrestd turns out to speak another version: another Slurm may answer there.
 */
const char *slurm_cluster_name(const struct slurm *s); /* of the newest answer; "": none told it */
void slurm_expect_cluster(struct slurm *s, const char *name); /* NULL or "": any */
/*
 * A request that changes something leaves before *until_ms, by the loop's clock, or ends
 * with ERR_RETRY: it may have waited here while the program was frozen. The time may
 * change; until_ms outlives the client. NULL: there is none
 */
void slurm_may_change(struct slurm *s, const int64_t *until_ms);

/* version: "v0.0.42" or NULL */
typedef void slurm_ping_done(void *ctx, enum slurm_health health, struct err err,
	const char *version);
void slurm_ping(struct slurm *s, slurm_ping_done *done, void *ctx);

/* A node as an answer gave it; strings live during the call only, "" when absent. */
struct slurm_node {
	const char *name, *reason, *comment;
	const char *address, *hostname; /* where Slurm reaches its slurmd */
	const char *gres;               /* "gpu:2(S:0-1)" */
	int64_t cpus, memory;           /* MiB; 0: not told */
	enum tri memory_shared;         /* jobs have CPUs of it, and none of its memory */
	uint32_t state;                 /* enum node_state bits */
	/*
	 * Slurm's clock: when a job left it, also by being suspended, when its drain was
	 * lifted, or when it registered; not when a drain is set, with a reason or
	 * without (24.11.5). -1: not told
	 */
	int64_t last_busy_s;
	int64_t reason_since_s; /* Slurm's clock: its reason was set then; 0: not told */
	int64_t asked_ms;
};
/*
 * All nodes, by a conditional read when an earlier one succeeded (update_time; 304:
 * unchanged). On success: each() for every node, then done with changed=true; or only
 * done with changed=false, which says that all earlier facts still hold as of asked_ms. A
 * body that lacks "nodes" or lists errors[] is an error, never an empty list. An answer
 * is checked whole before the first each(). Many nodes are given in parts, one on each
 * turn of the loop. asked_ms is 0 with an error.
 */
typedef void slurm_nodes_done(void *ctx, struct err err, bool changed, int64_t asked_ms);
void slurm_nodes(struct slurm *s, void (*each)(void *ctx, const struct slurm_node *n),
	slurm_nodes_done *done, void *ctx);
void slurm_nodes_forget(struct slurm *s); /* the next read is a full one */
/*
 * Reads a single node, which costs the same however many there are (2 ms, 3 kB of 10,000
 * nodes in 24.11.5). OK and n == NULL: Slurm answered, and has no node of this name.
 * asked_ms is 0 with an error.
 */
typedef void slurm_node_done(void *ctx, struct err err, const struct slurm_node *n,
	int64_t asked_ms);
void slurm_one_node(struct slurm *s, const char *name, slurm_node_done *done, void *ctx);

enum { PARTITION_SETS_BYTES = 4096, PARTITION_NODES_BYTES = 4096 };

/*
 * How many partitions there are, and how many are UP, by a conditional read when an
 * earlier one succeeded. News NULL: nothing has changed, or an error says why that is
 * unknown. Nothing is kept of a partition but names, so 500 of them cost no memory
 * (663 kB on the way in 24.11.5, 0 when nothing has changed). Only one at a time.
 */
struct slurm_partitions {
	size_t n, up;
	/* The first that are not UP: "debug (DOWN), all (DRAIN)"; how many these are */
	char others[400];
	size_t named;
	/*
	 * The node sets of slurm.conf of each: "debug=compute,gpu;all=ALL;". Partitions
	 * for which there is no room are left out
	 */
	char sets[PARTITION_SETS_BYTES];
	/*
	 * The nodes of each as host lists, with those in the state FUTURE, which the list
	 * of nodes leaves out: "debug=debug-0,debug-future[0-2];all=;". Partitions for
	 * which there is no room are left out
	 */
	char nodes[PARTITION_NODES_BYTES];
	/* Slurm takes jobs for a partition that has no nodes (26.05) */
	bool takes_empty;
};
typedef void slurm_partitions_done(void *ctx, struct err err, const struct slurm_partitions *news);
/*
 * whole: not "nothing has changed", which slurmctld says also when partitions have got
 * nodes by scontrol create, or by a slurmd that registered (24.11.5, 26.05.5).
 */
void slurm_read_partitions(struct slurm *s, bool whole, slurm_partitions_done *done, void *ctx);

/*
 * The jobs that wait for nodes, by a conditional read of all jobs when an earlier one
 * succeeded. News NULL: nothing has changed, or an error says why that is unknown; it
 * lives during the call. asked_ms is 0 with an error. Only one at a time.
 */
typedef void slurm_queue_done(void *ctx, struct err err, const struct slurm_queue *news,
	int64_t asked_ms);
void slurm_read_queue(struct slurm *s, slurm_queue_done *done, void *ctx);

/*
 * The jobs that may hold nodes (job_state_holds) by the light list of states
 * (jobs/state), each with its host list by one read of its own (job/ID), 16 at a time.
 * The answer of such a read is used for five minutes while the job stays RUNNING and is
 * asked about every 5 s, so that none is requeued and placed elsewhere meanwhile; for 5 s
 * otherwise, and never beyond a change of its state. A read that fails is repeated after
 * five minutes, or after 2 s when its failure may pass; the others are given all the
 * same. A job that has ended meanwhile is not given.
 *
 * Jobs that are just RUNNING show in the state of their nodes. Such jobs are read last,
 * and for two seconds only: the nodes of those that are left are unknown until later
 * calls have read them.
 *
 * A token whose user may not change nodes ends it with ERR_DENIED: Slurm may hide jobs of
 * others from that user, and does not say so. asked_ms is that of the states. Only one at
 * a time: a second call before the first has ended ends with ERR_RETRY.
 */
struct slurm_job {
	int64_t id;
	uint32_t state;    /* enum job_state bits */
	const char *nodes; /* host list; "": it holds none; NULL: perhaps some, not known */
	const char *user;  /* "" when absent */
	int64_t end_s;     /* start_time + time_limit (wall); INT64_MAX: no limit, or not known */
	bool passing;      /* nodes == NULL: why may pass, and it is read again soon */
};
/*
 * Takes one job, and gives how many names it made of its host list: they are counted, and
 * what is left is given on later turns of the loop, so that no answer holds up the rest.
 */
typedef size_t slurm_take_job(void *ctx, const struct slurm_job *j);
typedef void slurm_jobs_done(void *ctx, struct err err, int64_t asked_ms);
void slurm_held_jobs(struct slurm *s, slurm_take_job *each, slurm_jobs_done *done, void *ctx);

/*
 * A single update of many nodes (POST nodes/). An unknown node among them makes Slurm
 * answer 2018 although the known ones are updated: that is reported as ERR_NOT_FOUND;
 * read the nodes back in any case. n of at most 1,000 is sent in one request; more in
 * several, one after the other, done once; an unknown node, or a refusal of one of them,
 * does not keep the later ones from being sent, any other error does. Names that Slurm
 * would take for more than one node ("n[1-2]", "ALL") and texts with a line end are
 * ERR_INVALID. ERR_LOST: it may have been done.
 *
 * Comments are sent two at a time, in order; the others wait, so that nothing else has to
 * wait behind hundreds of them.
 */
/* RESUME ends DOWN as well as a drain; UNDRAIN leaves a node DOWN (24.11.5). */
enum slurm_update { SLURM_DRAIN, SLURM_UNDRAIN, SLURM_RESUME, SLURM_COMMENT };
typedef void slurm_done(void *ctx, struct err err);
void slurm_update_nodes(struct slurm *s, enum slurm_update what, const char *const *names, size_t n,
	const char *text /* reason or comment */, slurm_done *done, void *ctx);

/*
 * Takes a dynamic node out of Slurm. OK also when Slurm has no such node; ERR_CONFLICT
 * while a job runs on it. A suspended job does not keep Slurm from it (seen with 24.11.5
 * and 26.05.5): ask slurm_held_jobs first. A slurmd that lives on does not register again
 * until it is restarted.
 */
void slurm_delete_node(struct slurm *s, const char *name, slurm_done *done, void *ctx);

#endif
