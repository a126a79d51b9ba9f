/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of the slurmrestd client; private to this folder.
 *
 *     forget.c     drops the facts of earlier responses
 *     items.c      parses a long list while it arrives
 *     send.c       sends a request with the token
 *     answer.c     judges a response, and checks its cluster
 *     negotiate.c  finds an API version that both sides support
 *     op.c         operations: begin, wait for the version, send, end
 *     rights.c     checks whether the token's user sees all jobs
 *     job_memory.c the cache of jobs for jobs.c
 *     list.c       conditional reads of a long list
 *     ping.c nodes.c node.c partitions.c jobs.c update.c  the operations
 *     client.c     creates, configures and frees a client
 *
 * Each file uses only files above it in this list. A new call of slurmrestd gets a file
 * of its own, which begins like ping.c.
 *
 * An operation is one call of the public interface. Its end calls the caller's done,
 * which may free the client. So a function here ends an operation as its last step, and
 * no operation ends within the call that began it.
 */
#ifndef SLURM_REST_PARTS_H
#define SLURM_REST_PARTS_H

#include <inttypes.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "slurm/rest/client.h"
#include "slurm/rest/list.h"
#include "slurm/rest/version.h"

enum {
	/* Limits of lists, which are parsed one item at a time */
	SLURM_LIST_BYTES = 256 << 20, /* 65,536 nodes of 2.6 kB each */
	SLURM_JOBS_BYTES = 16 << 20,  /* of one id: 9.7 kB for each job or task */
	SLURM_ITEM_BYTES = 4194304,   /* a node has 3 kB; a job lists each of its cores */
	SLURM_ITEM_VALUES = 1048576,  /* of an item; recorded jobs have 8 bytes for each */
	SLURM_REST_BYTES = 256 << 10, /* of a response without its list */
	SLURM_ONE_BYTES = 256 << 10,  /* of any other response; a node has 3 kB */
	SLURM_ERROR_BYTES = 64 << 10, /* of a response that is not a list */
	SLURM_LEAST_BYTES = 16 << 10, /* of any response, when memory is short */
	/* Measured: 10,000 nodes in 3 s, the states of 50,000 jobs in 14 s */
	SLURM_LIST_MS = 120000,
	/* slurmrestd needs 18 s to report that slurmctld does not answer */
	SLURM_READ_MS = 30000,
};

/* The result of a response: health for ping, err for every other request. */
struct verdict {
	enum slurm_health health;
	struct err err;
	bool other_version; /* the server has no such path: negotiate again */
};

struct slurm_op;

struct op_kind {
	bool writes; /* sent only to the expected cluster, and never repeated */
	/* Sends the request once the version is known. Never ends the operation */
	void (*start)(struct slurm_op *op);
	/* Calls the caller's done and frees the operation. */
	void (*end)(struct slurm_op *op, struct verdict v);
	/* Cancels calls beside op->call, and releases shared resources; may be NULL. */
	void (*stop)(struct slurm_op *op);
	void (*release)(struct slurm_op *op); /* frees the operation and what it owns */
};

/* The start of each operation's own struct. */
struct slurm_op {
	const struct op_kind *kind;
	struct slurm *slurm;
	struct slurm_op *prev, *next;        /* utlist: all operations of the client */
	const struct slurm_version *version; /* of its requests; NULL: not negotiated yet */
	struct http_call *call;
	struct timer *timer; /* ends the operation with verdict on the next turn */
	struct verdict verdict;
	bool renegotiated; /* set by op_restart, which negotiates only once */
};

/* Facts about the list of nodes, for conditional reads. */
struct nodes_memory {
	int64_t last_update_s; /* of the newest whole list; 0: the next read is a full one */
	int64_t full_read_ms;  /* when that list was requested (monotonic) */
	/*
	 * Counts calls of slurm_nodes_forget: a list requested before is not remembered
	 */
	unsigned forgotten;
};

/* Facts about the jobs that may hold nodes: job_memory.c. */
struct job_memory {
	struct job_entry *entries; /* uthash by id */
	size_t n;                  /* of entries */
	uint64_t round;            /* counts the lists of states */
	/* Requests of the newest list and the newest complete list (monotonic) */
	int64_t asked_ms, listed_ms;
	/*
	 * The first round since which the lists had no gap of 5 s or more, so that no job
	 * was requeued and placed elsewhere between two lists
	 */
	uint64_t unbroken;
	struct quota *quota;
	size_t spare; /* of the quota, reserved for the next list of nodes */
};

struct slurm {
	struct loop *loop;
	struct http *http;
	struct quota *quota;
	struct slurm_requests *requests;          /* the caller's; NULL: not counted */
	bool (*has)(void *ctx, const char *node); /* see slurm_user_has */
	void *has_ctx;
	char *token;
	const struct slurm_version *version; /* NULL: not negotiated */
	struct http_call *asking;            /* the call of the negotiation */
	/* Called at the end of the negotiation */
	void (*settled)(struct slurm *s, struct verdict v);
	const struct slurm_version *probing; /* the version whose ping/ is in flight */
	struct slurm_op *ops;
	char *cluster, *expected_cluster; /* NULL: not reported; any */
	int64_t cluster_told_ms;          /* when the name in cluster arrived */
	/* A response has shown that the server is slurmrestd (answer.c) */
	bool known;
	bool told;               /* a response of this version has named the cluster */
	bool silent;             /* slurmctld did not answer the last ping */
	unsigned clusters;       /* counts the changes of cluster */
	unsigned tokens;         /* counts the changes of the token */
	bool may_change;         /* the token's user may change nodes (rights.c) */
	const int64_t *until_ms; /* time limit for sending writes; NULL: none */
	struct nodes_memory nodes;
	struct {
		struct list_memory memory;
		struct slurm_partitions told; /* of the list that is arriving */
		slurm_partitions_done *done;
		void *ctx;
	} partitions;
	struct {
		struct list_memory memory;
		struct slurm_queue *told; /* of the list that is arriving; owned */
		slurm_queue_done *done;
		void *ctx;
	} queue;
	struct job_memory jobs;
	bool reading_jobs;
	int comments; /* requests in flight */
};

/* ---- queue_job.c ---- */

/* Adds an item of "jobs" if it waits for nodes. now_s: by the wall clock. */
void slurm_queue_add(struct slurm_queue *queue, const struct json *job, int64_t now_s);
/* Whether a job with this reason waits for nodes. */
bool queue_reason_counts(const char *state_reason);
/* The number of tasks that may run at a time: 3 for "0-9,12%3"; 1 for "". */
int64_t queue_array_tasks(const char *tasks);

/* ---- forget.c ---- */

/* Marks every job to be read again; reads in flight continue. */
void jobs_forget(struct job_memory *m);

/* ---- op.c ---- */

/* Adds an operation to the client; it starts now or when the version is known. */
void op_begin(struct slurm *s, struct slurm_op *op, const struct op_kind *kind);
/* Adds an operation that fails with err on the next turn. */
void op_begin_failed(struct slurm *s, struct slurm_op *op, const struct op_kind *kind,
	struct err err);
/*
 * Starts an operation that has no request in flight: now, or when the version is known.
 */
void op_start(struct slurm_op *op);
/* Removes the operation from the client: the first step of every end. */
void op_leave(struct slurm_op *op);
/*
 * Cancels the requests of the operation, negotiates unless another operation has begun
 * that already, and starts the operation again. A write ends with ERR_RETRY instead:
 * another cluster may answer now, and only the caller can decide whether to write again.
 */
void op_restart(struct slurm_op *op, struct verdict why);
/* Cancels the requests in flight, but does not end the operation. */
void op_cancel(struct slurm_op *op);

struct slurm_request {
	const char *method; /* NULL: GET */
	const char *path;   /* the part after "/slurm/v0.0.NN" */
	bool database;      /* the path follows "/slurmdb/v0.0.NN" instead */
	const char *body;   /* JSON; NULL: none */
	int64_t timeout_ms;
	size_t max_answer_bytes; /* 0: SLURM_ONE_BYTES */
	/* As in struct http_request, for a list: passes the bytes to items_take */
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
};
/* Sends a request with the token; puts the API version before the path. */
struct http_call *op_send(struct slurm_op *op, const struct slurm_request *r, http_done *done,
	void *ctx);

/* ---- send.c ---- */
/* Sends a request to whole_path, which begins with a slash. */
struct http_call *slurm_send(struct slurm *s, const struct slurm_request *r, const char *whole_path,
	http_done *done, void *ctx);

/* ---- negotiate.c ---- */
/*
 * Starts the negotiation. settled is called when the version is known, or with an error.
 */
void negotiate(struct slurm *s, void (*settled)(struct slurm *s, struct verdict v));

/* ---- items.c ---- */

/*
 * A long list that is parsed while it arrives. each() receives an item before the rest
 * has arrived, so items count only if answer_judge_list succeeds.
 */
struct answer_items {
	const char *key;
	json_item_fn *each;
	void *ctx;
	size_t n; /* passed to each() */
	struct json_list *list;
	struct quota *quota;
	const size_t *spare; /* bytes of the quota to leave free; NULL: none */
	size_t paid;         /* bytes taken from the quota for the list */
	struct err err;
};
/* Starts a new parser; call it before each sending of the request. */
void items_begin(struct answer_items *items, struct slurm *s, size_t max_bytes);
/* Parses a piece of the response; false: stop reading. */
bool items_take(struct answer_items *items, const char *bytes, size_t n);
void items_free(struct answer_items *items);
/* Whether to stop reading. After ERR_INVALID the rest may still report the cause. */
static inline bool is_too_much(struct err e) { return failed(e) && e.kind != ERR_INVALID; }

/* ---- answer.c ---- */

/* Fails if the newest reported cluster name is not the expected name. */
struct err answer_cluster_check(const struct slurm *s);

/*
 * Judges a response. Success is 200 with a JSON object of the expected cluster and
 * without errors, or 304 with *doc NULL. The caller frees *doc, also after an error.
 * writes: the request was a write.
 */
struct verdict answer_judge(struct slurm *s, struct err err, const struct http_answer *answer,
	bool writes, struct json_doc **doc);
/*
 * Judges a response with one long list, which items_take has parsed. *doc is the response
 * without the list. It is an error if the list is absent, comes with an error, or is
 * empty and comes with a warning.
 */
struct verdict answer_judge_list(struct slurm *s, struct err err, const struct http_answer *answer,
	struct answer_items *items, struct json_doc **doc);
/* The error of a write whose successful response has no list "errors". */
struct err answer_vague(void);
/* The error of a 304 to a read without a condition. */
struct err answer_unasked_304(void);
struct verdict verdict_new(enum slurm_health health, struct err err);
/*
 * A plain number, or {"set":, "infinite":, "number":}. Infinite, not set and absent are
 * INT64_MAX, -1 and -1.
 */
int64_t answer_number(const struct json *v);
/* Like the function above; 0 for a number that is not set, absent or below zero. */
int64_t answer_count(const struct json *v);
/* Like the function above; 0 also for infinite. */
int64_t answer_finite(const struct json *v);
/* The bits of a list of words, or of one word; 0 if there is none. */
uint32_t answer_bits(const struct json *v, uint32_t (*bit)(const char *word));
/*
 * Reads the array under key of a short response; the errors are those of
 * answer_judge_list.
 */
struct err answer_list(const struct json *root, const char *key, const struct json **list);

/* ---- rights.c ---- */
/* Sends the request of the check; pass its response to rights_told. */
struct http_call *rights_ask(struct slurm_op *op, http_done *done, void *ctx);
struct err rights_told(struct slurm *s, const struct verdict *v);
/* Clears may_change if Slurm refused a write because of the user. */
void rights_refused(struct slurm *s, const struct err *e);

/* ---- update.c ---- */
/*
 * Accepts only the plain name of one node: any other text could mean other nodes to
 * Slurm, or another path.
 */
struct err node_name_check(const char *name);

/* ---- node.c ---- */
/* Reads one node of a response; its texts are in the arena. */
struct err node_of_json(const struct json *node, int64_t asked_ms, struct arena *texts,
	struct slurm_node *out);

/* ---- job_memory.c ---- */

/* One job of a response to job/ID. */
struct told_job {
	int64_t id, end_s;
	uint32_t state;
	char *nodes, *user; /* nodes NULL: unreadable */
};

/* An id of the list of states, and the response to job/ID. */
struct job_entry {
	int64_t id;
	uint64_t round;  /* the newest list of states with this job */
	uint64_t over;   /* the newest list of states in which the job holds no nodes */
	uint64_t told;   /* the newest list of states before job/ID was read */
	uint32_t states; /* of all jobs of this id together */
	size_t named;    /* number of jobs of this id: in v0.0.40 all tasks of an array */
	uint64_t names;  /* a sum over names and states, which shows a change */
	uint64_t names_read;
	int64_t read_ms; /* when job/ID was requested (monotonic); -1: read again */
	enum { READ_WELL, READ_GONE, READ_FAILED_NOW, READ_FAILED } last; /* _NOW: temporary */
	bool gone; /* Slurm reported that it has no such job */
	struct told_job *facts;
	size_t n;
	UT_hash_handle hh;
};

/* Begins a new list of states. */
void jobs_list_begin(struct job_memory *m, int64_t now_ms);
/* Adds a job of the list; leaves out jobs that hold no nodes. */
struct err jobs_list_add(struct job_memory *m, const struct json *job);
/*
 * Ends a complete list: drops the jobs that no longer hold nodes. True: a job that held
 * nodes is missing from the list.
 */
bool jobs_list_end(struct job_memory *m, int64_t now_ms);
/* Whether the cached response still matches the list of states. */
enum job_need { JOB_KNOWN, JOB_MAY_HAVE_MOVED, JOB_UNKNOWN };
enum job_need job_need(const struct job_memory *m, const struct job_entry *e, int64_t now_ms);
/* The content of a response to job/ID while it arrives. */
struct job_told {
	struct job_memory *memory;
	int64_t id;
	bool array_ids; /* as in struct slurm_version */
	bool found;     /* the response has this id */
	struct told_job *facts;
	size_t n;
	struct err err; /* the first error */
};
/* Adds one job of the response; a json_item_fn. */
void job_told_one(void *told, const struct json *job);
/* Frees the content. */
void job_told_free(struct job_told *t);
/* The response is complete: moves its jobs to the entry, or returns its error. */
struct err job_answered(struct job_entry *e, struct job_told *t, int64_t asked_ms);
/*
 * The read of job/ID failed. ERR_NOT_FOUND: the job has ended, unless it is listed again.
 */
void job_failed(struct job_memory *m, struct job_entry *e, struct err err, int64_t now_ms);

/* The position among the jobs that are passed to the caller. */
struct jobs_given {
	const struct job_entry *entry; /* the next entry; NULL: none is left */
	size_t fact;                   /* the next fact of entry */
};
/* Passes the jobs for one turn of the loop. */
void jobs_give(struct jobs_given *at, slurm_take_job *each, void *ctx);
void jobs_free(struct job_memory *m);

#endif
