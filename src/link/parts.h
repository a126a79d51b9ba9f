/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the link: its state, and the functions that its files share. */
#ifndef LINK_PARTS_H
#define LINK_PARTS_H

#include "base/err.h"
#include "base/hash.h"
#include "link/link.h"

/* An address or host name by which a node is found: aliases.c. */
struct alias {
	struct alias *prev, *next; /* in its hash chain (utlist) */
	uint64_t hash;             /* of text */
	const char *text;          /* owned by node; NULL: in no chain */
	struct node *node;
};

struct node {
	/* Next to each other, because loops over ten thousand nodes read these members */
	UT_hash_handle hh;
	uint32_t state;
	enum tri known; /* YES or NO */
	char *name, *reason, *comment;
	char *address, *hostname; /* hostname "": equal to name */
	char *gres;               /* NULL: none */
	int32_t cpus, memory;     /* MiB; 0: unknown */
	enum tri memory_shared;   /* see struct slurm_node */
	/*
	 * "ns/pod" in the comment; "" if it names no pod, NULL if it was not parsed yet
	 */
	char *of_pod;
	int64_t podless_since_ms; /* 0: it has a pod, or this was not checked */
	bool listed;              /* in the list that is being read */
	int64_t born_ms;          /* when it was added to the table */
	/* When the newest answer that names it, or is about it alone, was requested */
	int64_t seen_ms;
	int64_t looked_ms, looked_told_ms; /* see struct slurm_node_fact */
	/* when its facts were last requested; 0: never */
	int64_t wanted_ms;
	/* the newest round that expected it; 0: none */
	uint64_t expected_in;
	size_t guess_at; /* its index in link.guesses, if it is there */
	/* See struct slurm_node_fact */
	int64_t absent_since_ms, free_since_ms, busy_since_ms;
	bool confirmed;                      /* see struct slurm_node_fact */
	int64_t last_busy_s, reason_since_s; /* see struct slurm_node */
	/*
	 * Updates without an answer yet: a comment and a drain can be in flight together
	 */
	int under_way;
	int64_t late_until_ms;  /* until then a lost update may arrive */
	int64_t drain_until_ms; /* see slurm_node_fact */
	/*
	 * An answer requested after this time shows its result; INT64_MAX while sent; 0:
	 * no update
	 */
	int64_t in_flight_until_ms;
	int64_t busy_until_s;
	struct held *held;     /* from the newest answer about jobs; NULL: no job */
	struct held *held_new; /* from the answer that is being read */
	struct alias by_address, by_hostname;
	size_t bytes; /* bytes taken from the quota */
	struct node *next_gone;
};

/* A job on a node. */
struct held {
	char *user;          /* user of the job */
	struct job_fact job; /* its user points to the member above */
	int64_t end_s;       /* the latest end of all jobs on the node */
};

/* A Secret that receives tokens: recipients.c. */
struct recipient_secret {
	struct slurm_link *l;
	char *name, *user;
	int64_t life_s;
	enum tri known;
	bool consents;
	char *token, *uid, *version; /* NULL: none, or not read */
	char trouble[ERR_TEXT_BYTES];
	int64_t read_ms;        /* when it was read; 0: read it again */
	struct http_call *call; /* the read or write in flight */
	slurm_done *done;       /* of the write; NULL: no write */
	void *ctx;
};

struct slurm_link {
	struct link_config config;
	struct quota *quota;
	char *ns, *cluster, *server, *secret_name;
	char *token, *ca_pem;
	char *user; /* user of the tokens that are made; NULL: the Secret has a token */
	/*
	 * The key of which tokens are made, and the key that Slurm accepted before, both
	 * in base64. NULL: none
	 */
	char *key, *key_before;
	bool key_taken;     /* Slurm has accepted a token of key */
	bool lists_refused; /* Slurm refused the token in the newest read of nodes */
	int64_t made_ms;    /* wall: when the token in use was made */
	char *token_users;  /* annotation of the Secret with the key; NULL: not read */
	struct recipient_secret *recipients;
	size_t n_recipients;
	char *meant;   /* ClusterName of the expected Slurm; "" while unknown */
	char *answers; /* ClusterName of the Slurm that answered last; "" while unknown */
	struct slurm *slurm;
	struct slurm_requests requests; /* counters of all its clients */
	struct link_fact fact;
	bool logged, logged_expired; /* parts of the last ping that were logged */
	enum slurm_health logged_health;
	char trouble[ERR_TEXT_BYTES]; /* error of the Secret, the client or the ping */
	/*
	 * Error if the Secret cannot be read or its new key cannot be used, while the
	 * former key still works
	 */
	char secret_trouble[ERR_TEXT_BYTES];
	char read_trouble[ERR_TEXT_BYTES], version[16], jobs_trouble[ERR_TEXT_BYTES];
	struct node *nodes;
	uint64_t round; /* number of the round of slurm_link_begin */
	/*
	 * The nodes in the order of the last round, because a plan expects them in the
	 * same order again. NULL: no node. No node is in it twice
	 */
	struct node **guesses;
	size_t n_guesses, guesses_cap, next_guess;
	struct node *gone; /* removed from nodes, not freed yet */
	struct timer *gone_timer;
	struct alias **alias_chains; /* hash table of chains; NULL: not made yet */
	size_t n_alias_chains, n_aliases;
	int64_t nodes_seen_ms, whole_seen_ms, read_started_ms, last_read_took_ms;
	/*
	 * Until then another manager, or an earlier client, may have sent updates that
	 * arrive late
	 */
	int64_t alone_since_ms;
	/*
	 * Until then Slurm was away, or refused another token. A request from before that
	 * time proves no error, and its duration does not count
	 */
	int64_t well_since_ms;
	bool reading, failing, checking, read_again;
	/* the list being read has a node about which newer facts are known */
	bool list_overtaken;
	const struct question_row *const *questions; /* ASK_COUNT rows */
	void *of[ASK_COUNT];                         /* the own state of each question */
	struct asker *askers;                        /* uthash, by who */
	/* bytes of the quota granted for their nodes */
	size_t granted;
	enum slurm_need need;
	int64_t needed_ms; /* when need last rose above SLURM_AT_REST */
	bool unusable;     /* no server or no token, and waiting does not help */
	struct timer *check_timer, *read_timer;
	struct http_call *secret_call;
	int64_t secret_ms;      /* when it was last read with a token in it; 0: never */
	bool secret_asked;      /* the running check has read it */
	struct update *updates; /* updates without an answer yet */
	struct look *looks;     /* reads of one node for callers that wait */
	/* Jobs: jobs.c */
	int64_t jobs_seen_ms, jobs_started_ms, jobs_ended_ms, jobs_took_ms;
	bool jobs_reading, jobs_failing, want_jobs;
	bool jobs_stale;    /* nodes have changed since the jobs were requested */
	bool jobs_unplaced; /* in the newest answer, the nodes of a job are unknown */
	/* in the answer being read: the id of such a job; 0: none */
	int64_t unplaced_new;
	/* there is a running job with unknown nodes, which look busy */
	bool jobs_unread, unread_new;
	size_t jobs_names;  /* node names in the answer so far */
	int64_t jobs_at_ms; /* see struct ask */
	struct timer *jobs_timer;
};

/*
 * A question of demand.h: the functions that handle it. Each question has its own file.
 */
struct question_row {
	size_t own_bytes; /* size of its own state, zeroed at first: slurm_link.of */
	/* The sum of all demands for this question changed. */
	void (*asked)(struct slurm_link *l, const struct ask *sum);
	/*
	 * A list of nodes has come; news: it named them. NULL: the question ignores lists
	 */
	void (*listed)(struct slurm_link *l, bool news);
	/*
	 * Slurm is back. Forgets how long answers took before, and reads at once what is
	 * demanded
	 */
	void (*back)(struct slurm_link *l);
	/* The client was removed: drops its answers, and stops reading. */
	void (*end)(struct slurm_link *l);
};

/* An asker with its demand. */
struct asker {
	const void *who;
	struct demand demand;
	struct arena names; /* strings of the demand */
	UT_hash_handle hh;
};

/* A read of one node for a caller that waits. */
struct look {
	struct look *prev, *next;
	struct slurm_link *l;
	char *name;
	slurm_done *done;
	void *ctx;
};

struct update {
	struct update *next;
	struct slurm_link *l;
	enum slurm_update what;
	char **names;
	size_t n;
	int64_t sent_ms;
	bool deletes;
	slurm_done *done;
	void *ctx;
};

/*
 * The files from the lowest to the highest; each uses only those above it in this list.
 */

static inline int64_t max_ms(int64_t a, int64_t b) { return a > b ? a : b; }

/* nodes.c: the facts */
void link_changed(struct slurm_link *l);
void link_set_trouble(struct slurm_link *l, const char *text);
/*
 * Sets the error of reading the nodes; "" if there is none. It never hides the error of
 * the ping, or the two would alternate.
 */
void link_set_read_trouble(struct slurm_link *l, const char *text);
/* Sets the error of reading jobs; "" if there is none. */
void link_set_jobs_trouble(struct slurm_link *l, const char *text);
struct node *link_node_find(struct slurm_link *l, const char *name); /* NULL if unknown */
struct node *link_node_make(struct slurm_link *l, const char *name);
/*
 * Updates the quota for the present size of the node. The quota may be exceeded, because
 * the list had room for the node.
 */
void link_node_pay(struct slurm_link *l, struct node *n);
/* Like link_node_make, for a plan: a new node counts as absent. */
struct node *link_node_expected(struct slurm_link *l, const char *name);
/* Stores an answer about a node. False: newer facts are known, and stay. */
bool link_node_seen(struct slurm_link *l, const struct slurm_node *seen);
/* Stores an answer which shows that Slurm has no such node. */
bool link_node_absent(struct slurm_link *l, struct node *n, int64_t asked_ms);
/* When the newest answer about the node was requested, including lists without news. */
int64_t link_node_seen_ms(const struct slurm_link *l, const struct node *n);
/*
 * True if the node could have a job. A DOWN node has none: when its slurmd comes back,
 * the node is idle first.
 */
static inline bool link_node_runs(uint32_t state) { return !(state & (NODE_DOWN | NODE_FUTURE)); }
/* Does a job have the node, in the newest answer about jobs? */
enum tri link_node_held(const struct slurm_link *l, const struct node *n);

/* ---- aliases.c ---- */

/*
 * If the node could run a job, adds it to the table by address and by host name. Neither
 * these nor the node's state may change before aliases_take.
 */
void aliases_put(struct slurm_link *l, struct node *n);
/* also for a node that was not put */
void aliases_take(struct slurm_link *l, struct node *n);
/*
 * The node that has this address or host name, but another name, and could run a job;
 * NULL: none.
 */
struct node *link_node_elsewhere(struct slurm_link *l, const struct slurm_who *who);
/* Bytes of the quota that it uses, from allocation to free. */
size_t link_held_bytes(const struct held *h);
void link_held_free(struct slurm_link *l, struct held *h);
/*
 * Removes the node from the facts. Memory of many nodes is freed over many turns of the
 * loop.
 */
void link_node_forget(struct slurm_link *l, struct node *n);
void link_nodes_free(struct slurm_link *l);

/* who.c: which Slurm answers */
/* Notes which Slurm has answered. The first one becomes the expected Slurm. */
void link_note_cluster(struct slurm_link *l);
/* True if the newest answer came from another Slurm than expected. */
bool link_another_answers(const struct slurm_link *l);
/* From now on this manager acts; late requests of an earlier manager may still arrive. */
void link_take_over(struct slurm_link *l);

/* looks.c: reads of single nodes */
extern const struct question_row link_looks;
/* True if decisions wait for so few nodes that each is read in every round. */
bool link_looks_few(const struct slurm_link *l);
/* The client was removed: calls back the waiting callers with an error. */
void link_looks_lost(struct slurm_link *l);

/* jobs.c: which jobs run on which nodes */
extern const struct question_row link_jobs;

/* partitions.c: whether jobs can start at all */
extern const struct question_row link_partitions;

/* queue.c: which jobs wait for nodes */
extern const struct question_row link_queue;

/* read.c: the lists of nodes */
extern const struct question_row link_lists;
void link_read_schedule(struct slurm_link *l, int64_t in_ms);
/* Maximum age of an answer that counts. */
int64_t link_patience_ms(const struct slurm_link *l);
/* An error is over: answers to requests from before do not count any more. */
void link_well_again(struct slurm_link *l);
/* Calls link_well_again, and reads everything at once, however long reads took before. */
void link_back(struct slurm_link *l);

/* update.c */
/*
 * The client is removed while updates have no answer: reports to the callers that the
 * outcome is unknown.
 */
void link_updates_lost(struct slurm_link *l);

/* The member of a Secret that has a token */
#define TOKEN_MEMBER "auth-token"

/* pass.c: the token and its source */
/*
 * Takes the token, or the key, from the Secret. *another: it differs from before.
 * ERR_INVALID with a sentence: the Secret has none.
 */
struct err link_pass_read(struct slurm_link *l, const struct json *secret, bool *another);
/* Replaces a token made of a key when half of its lifetime is over. */
void link_pass_renew(struct slurm_link *l);
void link_pass_drop(struct slurm_link *l);
/*
 * Slurm refuses the token: the check shows it, or the lists while the check shows no
 * success.
 */
bool link_pass_refused(const struct slurm_link *l);
/*
 * Decoded text of this member in the data of a Secret; NULL: no such member. The caller
 * frees it.
 */
char *link_secret_text(const struct json *secret, const char *member);
/* Reads a Secret in the Cluster's namespace. Its bytes are wiped after done returns. */
struct http_call *link_secret_read(struct slurm_link *l, const char *name, kube_done *done,
	void *ctx);

/* recipients.c: Secrets that receive tokens */
/* Reads the Secrets that are due. */
void link_recipients_look(struct slurm_link *l);
void link_recipients_free(struct slurm_link *l);
/* Stores the users that the Secret with the key names. Returns true if they changed. */
bool link_recipients_users(struct slurm_link *l, const struct json *secret);
/* True if the Secret with the key does not name all of the recipients' users. */
bool link_recipients_lack_user(const struct slurm_link *l);

/* check.c: the Secret, the client, the ping */
void link_check_start(void *link);
/* Drops all facts of the old client: the new client may belong to another cluster. */
void link_forget(struct slurm_link *l);

/* questions.c: the sum of all demands */
/* The rows, indexed by enum question. */
extern const struct question_row *const link_questions[ASK_COUNT];
void link_askers_free(struct slurm_link *l);

#endif
