/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurmrestd client of one Slurm cluster.
 *
 * The client negotiates the API version: the newest of v0.0.40 to v0.0.45 that
 * /openapi/v3 of the server lists. It negotiates again when the server answers 404 to a
 * known path, as after an upgrade or downgrade. slurm_ping sends a second, cheap request
 * after /ping, because /ping answers 200 to a bad token.
 *
 * All calls are asynchronous on the loop. The client itself repeats a request only after
 * a negotiation, and after the documented 500 of a conditional read. No function calls a
 * callback before it returns. A done callback may call slurm_free; an each callback may
 * not.
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
 * The client sends token unchanged as X-SLURM-USER-TOKEN, and owns http. slurm_set_token
 * replaces the token later.
 */
struct slurm *slurm_new(struct loop *loop, struct http *http, const char *token);
void slurm_set_token(struct slurm *s, const char *token);
/*
 * Replaces a token that will expire with a new token of the same user, with the same
 * rights.
 */
void slurm_renew_token(struct slurm *s, const char *token);
/*
 * Sets the memory quota for responses of Slurm; the quota must outlive the client. A
 * response over quota ends with ERR_RETRY. Call it before the first request; without a
 * quota there is no limit.
 */
void slurm_pays_from(struct slurm *s, struct quota *quota);
/*
 * The quota also covers the memory that the caller of slurm_nodes keeps for each node.
 * has() reports whether the caller already keeps a node, so that the node does not count
 * twice. Call it before the first request; without has() every node counts as new.
 */
void slurm_user_has(struct slurm *s, bool (*has)(void *ctx, const char *node), void *ctx);
/* Counts the client's requests in requests, which must outlive the client. */
void slurm_counts(struct slurm *s, struct slurm_requests *requests);
void slurm_free(struct slurm *s); /* cancels all calls without callbacks; accepts NULL */

/*
 * The name of the cluster that answers. Every JSON response has the ClusterName
 * (meta.slurm.cluster) of slurmrestd's own slurm.conf; a 304 has none. A response with
 * another name than the expected one is an error (SLURM_OTHER_CLUSTER, ERR_INVALID), and
 * its content is dropped. A response without a name is accepted. The client sends a write
 * only while the newest name is the expected one. A write ends with ERR_RETRY if
 * slurmrestd no longer serves the negotiated version, because another cluster may answer
 * there.
 */
const char *slurm_cluster_name(const struct slurm *s);        /* "": not reported yet */
void slurm_expect_cluster(struct slurm *s, const char *name); /* NULL or "": any */
/*
 * Sets a time limit for sending writes, by the clock of the loop: after *until_ms a write
 * ends with ERR_RETRY, because it may have waited while the program was frozen. *until_ms
 * may change; it must outlive the client. NULL: no limit
 */
void slurm_may_change(struct slurm *s, const int64_t *until_ms);

/* version: "v0.0.42" or NULL */
typedef void slurm_ping_done(void *ctx, enum slurm_health health, struct err err,
	const char *version);
void slurm_ping(struct slurm *s, slurm_ping_done *done, void *ctx);

/* A node in a response; strings are valid during the call only, "" when absent. */
struct slurm_node {
	const char *name, *reason, *comment;
	const char *address, *hostname; /* where Slurm reaches its slurmd */
	const char *gres;               /* "gpu:2(S:0-1)" */
	int64_t cpus, memory;           /* memory in MiB; 0: not reported */
	enum tri memory_shared;         /* YES: jobs hold CPUs of the node, but no memory */
	uint32_t state;                 /* enum node_state bits */
	/*
	 * By Slurm's clock: when a job ended or was suspended, a drain was lifted, or the
	 * node registered. Setting a drain, with or without a reason, does not change it
	 * (24.11.5). -1: not reported
	 */
	int64_t last_busy_s;
	int64_t reason_since_s; /* by Slurm's clock: when the reason was set; 0: not reported */
	int64_t asked_ms;
};
/*
 * Reads all nodes; by a conditional read (update_time) if an earlier read succeeded. On
 * success each() receives every node, and then done is called with changed=true. If
 * nothing has changed (304), only done is called, with changed=false: all earlier facts
 * still hold as of asked_ms. A body without "nodes", or with errors[], is an error and
 * never an empty list. The whole response is checked before the first each(). A long list
 * is passed in parts, one on each turn of the loop. asked_ms is 0 with an error.
 */
typedef void slurm_nodes_done(void *ctx, struct err err, bool changed, int64_t asked_ms);
void slurm_nodes(struct slurm *s, void (*each)(void *ctx, const struct slurm_node *n),
	slurm_nodes_done *done, void *ctx);
void slurm_nodes_forget(struct slurm *s); /* the next read is a full one */
/*
 * Reads a single node. The cost does not depend on the number of nodes (2 ms and 3 kB
 * with 10,000 nodes, 24.11.5). OK and n == NULL: Slurm answered, and has no node of this
 * name. asked_ms is 0 with an error.
 */
typedef void slurm_node_done(void *ctx, struct err err, const struct slurm_node *n,
	int64_t asked_ms);
void slurm_one_node(struct slurm *s, const char *name, slurm_node_done *done, void *ctx);

enum { PARTITION_SETS_BYTES = 4096, PARTITION_NODES_BYTES = 4096 };

/*
 * Counts the partitions, and the partitions that are UP; by a conditional read if an
 * earlier read succeeded. news is NULL if nothing has changed, and with an error. The
 * client keeps only names of partitions, so 500 partitions cost no memory (their response
 * has 663 kB in 24.11.5, 0 if unchanged). Only one read at a time.
 */
struct slurm_partitions {
	size_t n, up;
	/*
	 * The first partitions that are not UP: "debug (DOWN), all (DRAIN)"; their number
	 */
	char others[400];
	size_t named;
	/*
	 * The node sets (slurm.conf) of each partition: "debug=compute,gpu;all=ALL;".
	 * Partitions that do not fit are left out
	 */
	char sets[PARTITION_SETS_BYTES];
	/*
	 * The nodes of each partition as a host list:
	 * "debug=debug-0,debug-future[0-2];all=;". It includes FUTURE nodes, which the
	 * list of nodes omits. Partitions that do not fit are left out
	 */
	char nodes[PARTITION_NODES_BYTES];
	/* Slurm accepts jobs for a partition without nodes (26.05) */
	bool takes_empty;
};
typedef void slurm_partitions_done(void *ctx, struct err err, const struct slurm_partitions *news);
/*
 * whole: read without the condition. slurmctld reports "unchanged" even after a partition
 * has got nodes by "scontrol create" or by a slurmd that registered (24.11.5, 26.05.5).
 */
void slurm_read_partitions(struct slurm *s, bool whole, slurm_partitions_done *done, void *ctx);

/*
 * Reads the jobs that wait for nodes; by a conditional read of all jobs if an earlier
 * read succeeded. news is valid during the call; NULL if nothing has changed, and with an
 * error. asked_ms is 0 with an error. Only one read at a time.
 */
typedef void slurm_queue_done(void *ctx, struct err err, const struct slurm_queue *news,
	int64_t asked_ms);
void slurm_read_queue(struct slurm *s, slurm_queue_done *done, void *ctx);

/*
 * Reads the jobs that may hold nodes (job_state_holds): first the short list of states
 * (jobs/state), then the host list of each job (job/ID), with 16 reads at a time. The
 * result for a RUNNING job is cached for five minutes if the states are read at least
 * every 5 s, because no job is requeued and placed elsewhere within 5 s. Otherwise it is
 * cached for 5 s. A change of the job's state ends the cache. A failed read is repeated
 * after five minutes, or after 2 s if the failure is temporary; the other jobs are passed
 * all the same. A job that has ended meanwhile is not passed.
 *
 * A RUNNING job also shows in the state of its nodes. So RUNNING jobs are read last, for
 * two seconds at most. The nodes of the remaining jobs are unknown until later calls read
 * them.
 *
 * The call ends with ERR_DENIED if the token's user may not change nodes, because Slurm
 * may silently hide jobs of others from that user. asked_ms is the time of the request
 * for the states. A second call while one is in progress ends with ERR_RETRY.
 */
struct slurm_job {
	int64_t id;
	uint32_t state;    /* enum job_state bits */
	const char *nodes; /* host list; "": holds no node; NULL: unknown */
	const char *user;  /* "" when absent */
	int64_t end_s;     /* start_time + time_limit (wall); INT64_MAX: no limit, or unknown */
	bool passing;      /* nodes == NULL because of a temporary failure */
};
/*
 * Receives one job, and returns the number of names in its host list. After many names,
 * the remaining jobs are passed on later turns, so that a long list does not block the
 * loop.
 */
typedef size_t slurm_take_job(void *ctx, const struct slurm_job *j);
typedef void slurm_jobs_done(void *ctx, struct err err, int64_t asked_ms);
void slurm_held_jobs(struct slurm *s, slurm_take_job *each, slurm_jobs_done *done, void *ctx);

/*
 * Updates many nodes (POST nodes/), with 1,000 nodes in each request, one request after
 * the other. If a node is unknown, Slurm answers with error 2018 although it updates the
 * known nodes; done receives ERR_NOT_FOUND. Read the nodes back in any case. After an
 * unknown node or a refused request the later requests are still sent; any other error
 * stops them. Names that mean more than one node to Slurm ("n[1-2]", "ALL") and texts
 * with a line end are ERR_INVALID. ERR_LOST: the update may have been done.
 *
 * At most two requests with comments are in flight, in order, so that other requests do
 * not wait behind hundreds of comments.
 */
/* RESUME ends DOWN as well as a drain; UNDRAIN leaves a node DOWN (24.11.5). */
enum slurm_update { SLURM_DRAIN, SLURM_UNDRAIN, SLURM_RESUME, SLURM_COMMENT };
typedef void slurm_done(void *ctx, struct err err);
void slurm_update_nodes(struct slurm *s, enum slurm_update what, const char *const *names, size_t n,
	const char *text /* reason or comment */, slurm_done *done, void *ctx);

/*
 * Deletes a dynamic node from Slurm. OK also if Slurm has no such node; ERR_CONFLICT
 * while a job runs on it. Slurm deletes even a node with a suspended job (seen with
 * 24.11.5 and 26.05.5), so call slurm_held_jobs first. A slurmd that keeps running does
 * not register again until it is restarted.
 */
void slurm_delete_node(struct slurm *s, const char *name, slurm_done *done, void *ctx);

#endif
