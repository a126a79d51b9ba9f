/*
 * The parts of the slurmrestd client; for the files of this folder only.
 *
 *     client.c     operations: begin, wait for the version, send, end
 *     negotiate.c  which version of the interface both sides know
 *     answer.c     what an answer means
 *     ping.c nodes.c jobs.c update.c  the operations
 *
 * An operation is one call of the public interface. Its end calls a function of the user, who may free the client in it: so the end is the last
 * thing that any function here does, and nothing ends from within the call that began it.
 */
#ifndef SLURM_PARTS_H
#define SLURM_PARTS_H

#include <inttypes.h>

#include "base/str.h"
#include "slurm/client.h"
#include "slurm/version.h"

enum {
	SLURM_LIST_BYTES = 256 << 20, /* 65,536 nodes of 2.6 kB each; or the tasks of one array, 9.7 kB each */
	SLURM_LIST_MS = 120000,       /* measured: 10,000 nodes in 3 s, the states of 50,000 jobs in 14 s */
	SLURM_READ_MS = 30000,        /* slurmrestd needs 18 s to say that slurmctld does not answer */
};

/* What an answer means: for ping its health, for everything else its error. */
struct verdict {
	enum slurm_health health;
	struct err err;
	bool other_version; /* a path of this version is unknown: ask for the versions again */
};

struct slurm_op;

struct op_kind {
	void (*start)(struct slurm_op *op); /* the version is known: send. Never ends the operation */
	/* Ends it: calls the user's function and frees the operation. */
	void (*end)(struct slurm_op *op, struct verdict v);
	void (*stop)(struct slurm_op *op);    /* cancel calls of its own beside op->call; NULL: it has none */
	void (*release)(struct slurm_op *op); /* free it and what it owns */
};

/* The start of each operation's own struct. */
struct slurm_op {
	const struct op_kind *kind;
	struct slurm *slurm;
	struct slurm_op *prev, *next;        /* utlist: all operations of the client */
	const struct slurm_version *version; /* the one its requests use; NULL: it waits for one */
	struct http_call *call;
	struct timer *timer;     /* ends it with verdict on the next turn */
	struct verdict verdict;
	bool renegotiated;       /* once only */
};

/* What is known of the nodes' list, for conditional reads. */
struct nodes_memory {
	int64_t last_update_s; /* of the newest whole answer; 0: the next read is a full one */
	int64_t full_read_ms;  /* when that answer was asked for (monotonic) */
	unsigned forgotten;    /* counts slurm_nodes_forget: an answer asked for before it is not remembered */
};

struct slurm {
	struct loop *loop;
	struct http *http;
	char *token;
	const struct slurm_version *version; /* NULL: not known (any more) */
	struct http_call *asking;            /* the negotiation's */
	const struct slurm_version *probing; /* the version whose ping/ is being asked */
	struct slurm_op *ops;
	struct nodes_memory nodes;
	struct job_entry *jobs;              /* uthash by id: see jobs.c */
	uint64_t jobs_round;
	bool reading_jobs;
};

/* ---- client.c ---- */

/* Takes the operation over; it starts now or when the version is known. */
void op_begin(struct slurm *s, struct slurm_op *op, const struct op_kind *kind);
/* The same for an operation that cannot even start. */
void op_begin_failed(struct slurm *s, struct slurm_op *op, const struct op_kind *kind, struct err err);
/* Takes it off the client's list: the first thing in every end. */
void op_leave(struct slurm_op *op);
/* Cancels whatever the operation has in flight, asks for the versions again when that has not happened since, and starts anew. */
void op_restart(struct slurm_op *op, struct verdict why);
/* The negotiation has ended: start those who wait, or fail them. */
void op_version_known(struct slurm *s, struct verdict v);

struct slurm_request {
	const char *method;  /* NULL: GET */
	const char *path;    /* behind "/slurm/v0.0.NN" */
	const char *body;    /* JSON; NULL: none */
	int64_t timeout_ms;
	size_t max_answer_bytes;
};
struct http_call *op_send(struct slurm_op *op, const struct slurm_request *r, http_done *done, void *ctx);
struct http_call *slurm_send(struct slurm *s, const struct slurm_request *r, const char *whole_path, http_done *done, void *ctx);

/* ---- negotiate.c ---- */
void negotiate(struct slurm *s);

/* ---- answer.c ---- */

/*
 * Judges an answer. A good one is 200 with a JSON object that lists no errors; 304 is good as well, with *doc NULL. The document is the caller's
 * whenever it is not NULL, also beside an error. writes: the request was one that changes something.
 */
struct verdict answer_judge(struct err err, const struct http_answer *answer, bool writes, struct json_doc **doc);
/*
 * The same for a read whose answer is one long list: each item is given to each() as it is read, before anything is known of what stands behind it, and
 * counts only with a good verdict. *doc is the rest of the answer. A list that is absent, or empty beside warnings or errors
 * that say why, is an error.
 */
struct answer_items {
	const char *key;
	json_item_fn *each;
	void *ctx;
	size_t n; /* given out */
};
struct verdict answer_judge_list(struct err err, const struct http_answer *answer, struct answer_items *items, struct json_doc **doc);
struct verdict verdict_new(enum slurm_health health, struct err err);
/* A plain number, or {"set":, "infinite":, "number":}. Infinite, not set and absent are INT64_MAX, -1 and -1. */
int64_t answer_number(const struct json *v);
/* Does a list of words, or one word, have this one? */
bool answer_has_word(const struct json *v, const char *word);
/* The array under key of a short list's answer; the errors are those of answer_judge_list. */
struct err answer_list(const struct json *root, const char *key, const struct json **list);

/* ---- update.c ---- */
/* Anything but the plain name of one node would mean other nodes to Slurm, or another path. */
struct err node_name_check(const char *name);

/* ---- jobs.c ---- */
void jobs_forget(struct slurm *s); /* every job is read anew; reads in flight go on */
void jobs_free(struct slurm *s);

#endif
