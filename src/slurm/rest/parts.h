/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the slurmrestd client; for the files of this folder only.
 *
 *     forget.c     what is remembered of earlier answers is void
 *     items.c      a long list as it comes
 *     send.c       one request, with the token
 *     answer.c     what an answer means, and which Slurm gave it
 *     negotiate.c  which version of the interface both sides know
 *     op.c         operations: begin, wait for the version, send, end
 *     rights.c     whether the token's user sees everything
 *     job_memory.c what jobs.c remembers of jobs
 *     list.c       a long list again and again, by conditional reads
 *     ping.c nodes.c node.c partitions.c jobs.c update.c  the operations
 *     client.c     the life of a client
 *
 * Each uses those above it in this list only. A further call of slurmrestd is a file of
 * its own, which begins as ping.c does.
 *
 * An operation is one call of the public interface. Its end calls a function of the user,
 * who may free the client in it: so the end is the last thing that any function here
 * does, and nothing ends from within the call that began it.
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
	/* Limits of lists, which are read an item at a time */
	SLURM_LIST_BYTES = 256 << 20, /* 65,536 nodes of 2.6 kB each */
	SLURM_JOBS_BYTES = 16 << 20,  /* of one id: a job has 9.7 kB, an array all its tasks */
	SLURM_ITEM_BYTES = 4194304,   /* a node has 3 kB; a job tells of each core that it has */
	SLURM_ITEM_VALUES = 1048576,  /* of that; a job as recorded has 8 bytes for each */
	SLURM_REST_BYTES = 256 << 10, /* what stands around a list */
	SLURM_ONE_BYTES = 256 << 10,  /* of all else; a node has 3 kB */
	SLURM_ERROR_BYTES = 64 << 10, /* of an answer that is no list */
	SLURM_LEAST_BYTES = 16 << 10, /* of anything, when memory is short */
	/* Measured: 10,000 nodes in 3 s, the states of 50,000 jobs in 14 s */
	SLURM_LIST_MS = 120000,
	/* Slurmrestd needs 18 s to say that slurmctld does not answer */
	SLURM_READ_MS = 30000,
};

/* The meaning of an answer: for ping its health, for everything else its error. */
struct verdict {
	enum slurm_health health;
	struct err err;
	bool other_version; /* a path of this version is unknown: ask for the versions again */
};

struct slurm_op;

struct op_kind {
	bool writes; /* goes only to the Slurm that is expected, and is never sent again */
	/* The version is known: send. Never ends the operation */
	void (*start)(struct slurm_op *op);
	/* Ends it: calls the user's function and frees the operation. */
	void (*end)(struct slurm_op *op, struct verdict v);
	/* Cancel calls beside op->call, give back what others wait for; NULL: none. */
	void (*stop)(struct slurm_op *op);
	void (*release)(struct slurm_op *op); /* free it and what it owns */
};

/* The start of each operation's own struct. */
struct slurm_op {
	const struct op_kind *kind;
	struct slurm *slurm;
	struct slurm_op *prev, *next;        /* utlist: all operations of the client */
	const struct slurm_version *version; /* the one its requests use; NULL: it waits for one */
	struct http_call *call;
	struct timer *timer; /* ends it with verdict on the next turn */
	struct verdict verdict;
	bool renegotiated; /* once only */
};

/* Facts about the list of nodes, for conditional reads. */
struct nodes_memory {
	int64_t last_update_s; /* of the newest whole answer; 0: the next read is a full one */
	int64_t full_read_ms;  /* when that answer was asked for (monotonic) */
	/* Counts slurm_nodes_forget: an answer asked for before it is not remembered */
	unsigned forgotten;
};

/* Facts about the jobs that may hold nodes: job_memory.c. */
struct job_memory {
	struct job_entry *entries;   /* uthash by id */
	size_t n;                    /* of entries */
	uint64_t round;              /* counts the lists of states */
	int64_t asked_ms, listed_ms; /* the newest list, and the newest whole one (monotonic) */
	/*
	 * From this one on they came so close behind each other that no job was requeued
	 * and placed elsewhere between two of them
	 */
	uint64_t unbroken;
	struct quota *quota;
	size_t spare; /* of it, for the next list of nodes: jobs are not asked for without one */
};

struct slurm {
	struct loop *loop;
	struct http *http;
	struct quota *quota;
	struct slurm_requests *requests;          /* of its owner; NULL: not counted */
	bool (*has)(void *ctx, const char *node); /* keeps and pays its user the node? */
	void *has_ctx;
	char *token;
	const struct slurm_version *version; /* NULL: not known (any more) */
	struct http_call *asking;            /* the negotiation's */
	/* Called at its end */
	void (*settled)(struct slurm *s, struct verdict v);
	const struct slurm_version *probing; /* the version whose ping/ is being asked */
	struct slurm_op *ops;
	char *cluster, *expected_cluster; /* NULL: not told; any */
	int64_t cluster_told_ms;          /* the name in cluster came with an answer then */
	bool known;                       /* the server has shown that it is slurmrestd: answer.c */
	bool told;                        /* an answer of this version says which Slurm it is */
	bool silent;                      /* slurmctld was, by the last ping */
	unsigned clusters;                /* counts the changes of cluster */
	unsigned tokens;                  /* counts the tokens */
	bool may_change;                  /* the token's user was seen to: see rights.c */
	const int64_t *until_ms;          /* of what changes something; NULL: for ever */
	struct nodes_memory nodes;
	struct {
		struct list_memory memory;
		struct slurm_partitions told; /* as far as the answer has come */
		slurm_partitions_done *done;
		void *ctx;
	} partitions;
	struct {
		struct list_memory memory;
		struct slurm_queue *told; /* as far as the answer has come; owned */
		slurm_queue_done *done;
		void *ctx;
	} queue;
	struct job_memory jobs;
	bool reading_jobs;
	int comments; /* requests on their way */
};

/* ---- queue_job.c ---- */

/* Adds an item of "jobs" if it waits for nodes. now_s: by the wall clock. */
void slurm_queue_add(struct slurm_queue *queue, const struct json *job, int64_t now_s);
/* A job that waits for this waits for nodes. */
bool queue_reason_counts(const char *state_reason);
/* How many tasks "0-9,12%3" is; at most 3 of them at a time. "": 1. */
int64_t queue_array_tasks(const char *tasks);

/* ---- forget.c ---- */

/* Every job is read anew; reads in flight go on. */
void jobs_forget(struct job_memory *m);

/* ---- op.c ---- */

/* Takes the operation over; it starts now or when the version is known. */
void op_begin(struct slurm *s, struct slurm_op *op, const struct op_kind *kind);
/* Takes over an operation that cannot even start. */
void op_begin_failed(struct slurm *s, struct slurm_op *op, const struct op_kind *kind,
	struct err err);
/*
 * Starts an operation that was begun and has sent nothing yet: now, or when the version
 * is known.
 */
void op_start(struct slurm_op *op);
/* Takes it off the client's list: the first thing in every end. */
void op_leave(struct slurm_op *op);
/*
 * Cancels whatever the operation has in flight, asks for the versions again when that has
 * not happened since, and starts anew. A write ends instead, with ERR_RETRY: another
 * Slurm may answer now, and only the caller knows whether the write is still wanted.
 */
void op_restart(struct slurm_op *op, struct verdict why);
/* Cancels its request in flight, without an end of the operation. */
void op_cancel(struct slurm_op *op);

struct slurm_request {
	const char *method; /* NULL: GET */
	const char *path;   /* behind "/slurm/v0.0.NN" */
	bool database;      /* behind "/slurmdb/v0.0.NN" instead */
	const char *body;   /* JSON; NULL: none */
	int64_t timeout_ms;
	size_t max_answer_bytes; /* 0: SLURM_ONE_BYTES */
	/* As in struct http_request: the answer is a list, and goes to items_take */
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
};
/* Sends with the token, and the version of the API before the path. */
struct http_call *op_send(struct slurm_op *op, const struct slurm_request *r, http_done *done,
	void *ctx);

/* ---- send.c ---- */
/* To this path, which begins with a slash. */
struct http_call *slurm_send(struct slurm *s, const struct slurm_request *r, const char *whole_path,
	http_done *done, void *ctx);

/* ---- negotiate.c ---- */
/* Asks; the version is known when settled is called, or the verdict says why not. */
void negotiate(struct slurm *s, void (*settled)(struct slurm *s, struct verdict v));

/* ---- items.c ---- */

/*
 * A long list, read as it comes: each item is given to each() before anything is known of
 * what stands behind it, and counts only with the good verdict of answer_judge_list.
 */
struct answer_items {
	const char *key;
	json_item_fn *each;
	void *ctx;
	size_t n; /* given out */
	struct json_list *list;
	struct quota *quota;
	const size_t *spare; /* to be left of it; NULL: nothing */
	size_t paid;         /* for what the list keeps */
	struct err err;
};
/* Before the request is sent; anew when it is sent again. */
void items_begin(struct answer_items *items, struct slurm *s, size_t max_bytes);
/* A piece of the answer; false: it is of no use. */
bool items_take(struct answer_items *items, const char *bytes, size_t n);
void items_free(struct answer_items *items);
/* The rest of the list is of no use then; of any other fault it may tell why. */
static inline bool is_too_much(struct err e) { return failed(e) && e.kind != ERR_INVALID; }

/* ---- answer.c ---- */

/* Fails if the newest answer that named a cluster named another one than was expected. */
struct err answer_cluster_check(const struct slurm *s);

/*
 * Judges an answer. A good one is 200 with a JSON object that lists no errors, of the
 * expected cluster; 304 is good as well, with *doc NULL. The document is the caller's
 * whenever it is not NULL, also beside an error. writes: the request was one that changes
 * something.
 */
struct verdict answer_judge(struct slurm *s, struct err err, const struct http_answer *answer,
	bool writes, struct json_doc **doc);
/*
 * Judges a read whose answer is one long list, which items_take has had. *doc is the rest
 * of the answer. A list that is absent, or empty beside warnings or errors that say why,
 * is an error.
 */
struct verdict answer_judge_list(struct slurm *s, struct err err, const struct http_answer *answer,
	struct answer_items *items, struct json_doc **doc);
/* The error of a good answer to a change that has no list of errors. */
struct err answer_vague(void);
/* The error of "not modified" to a read that did not say since when. */
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
/* The bits of a list of words, or of one word; 0 when there is none. */
uint32_t answer_bits(const struct json *v, uint32_t (*bit)(const char *word));
/*
 * The array under key of a short list's answer; the errors are those of
 * answer_judge_list.
 */
struct err answer_list(const struct json *root, const char *key, const struct json **list);

/* ---- rights.c ---- */
/* The request that tells; its answer goes to rights_told. */
struct http_call *rights_ask(struct slurm_op *op, http_done *done, void *ctx);
struct err rights_told(struct slurm *s, const struct verdict *v);
/* A change of nodes was refused: was it because of the user? */
void rights_refused(struct slurm *s, const struct err *e);

/* ---- update.c ---- */
/*
 * Anything but the plain name of one node would mean other nodes to Slurm, or another
 * path.
 */
struct err node_name_check(const char *name);

/* ---- node.c ---- */
/* Reads one node of an answer, with texts in the arena. */
struct err node_of_json(const struct json *node, int64_t asked_ms, struct arena *texts,
	struct slurm_node *out);

/* ---- job_memory.c ---- */

/* The answer of job/ID about one job. */
struct told_job {
	int64_t id, end_s;
	uint32_t state;
	char *nodes, *user; /* nodes NULL: unreadable */
};

/* An id of the list of states, and the answer of job/ID. */
struct job_entry {
	int64_t id;
	uint64_t round;  /* the newest list of states that had it */
	uint64_t over;   /* the newest one that said that it holds nothing */
	uint64_t told;   /* the newest one behind which it was read */
	uint32_t states; /* of the jobs that it is there for, together */
	size_t named;    /* so many jobs: an array's tasks go by the array's id in v0.0.40 */
	uint64_t names;  /* a sum over names and states: another one tells a change */
	uint64_t names_read;
	int64_t read_ms; /* asked for then (monotonic); -1: read anew */
	enum { READ_WELL, READ_GONE, READ_FAILED_NOW, READ_FAILED } last; /* _NOW: it may pass */
	bool gone; /* Slurm said that it has no such job */
	struct told_job *facts;
	size_t n;
	UT_hash_handle hh;
};

/* A new list of states is asked for. */
void jobs_list_begin(struct job_memory *m, int64_t now_ms);
/* Adds a job of the list; jobs that hold nothing are left out. */
struct err jobs_list_add(struct job_memory *m, const struct json *job);
/*
 * The list was whole: jobs that do not hold nodes any more are forgotten. True: a job
 * that did hold nodes is not in the list at all.
 */
bool jobs_list_end(struct job_memory *m, int64_t now_ms);
/* How the remembered answer about a job fits what the list says. */
enum job_need { JOB_KNOWN, JOB_MAY_HAVE_MOVED, JOB_UNKNOWN };
enum job_need job_need(const struct job_memory *m, const struct job_entry *e, int64_t now_ms);
/* The content of an answer of job/ID, while it comes. */
struct job_told {
	struct job_memory *memory;
	int64_t id;
	bool array_ids; /* of slurm_version */
	bool found;     /* something about this id */
	struct told_job *facts;
	size_t n;
	struct err err; /* the first fault */
};
/* A json_item_fn: one job of it. */
void job_told_one(void *told, const struct json *job);
/* Frees it without a report. */
void job_told_free(struct job_told *t);
/* The answer is complete: takes over its records, or returns its fault. */
struct err job_answered(struct job_entry *e, struct job_told *t, int64_t asked_ms);
/* The read of job/ID failed. ERR_NOT_FOUND: it has ended, unless it is listed again. */
void job_failed(struct job_memory *m, struct job_entry *e, struct err err, int64_t now_ms);

/* How far they were given out. */
struct jobs_given {
	const struct job_entry *entry; /* the next one; NULL: all were */
	size_t fact;                   /* of it */
};
/* Gives out the jobs for one turn of the loop. */
void jobs_give(struct jobs_given *at, slurm_take_job *each, void *ctx);
void jobs_free(struct job_memory *m);

#endif
