/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the link: its state, and what its parts call of each other. */
#ifndef LINK_PARTS_H
#define LINK_PARTS_H

#include "base/err.h"
#include "base/hash.h"
#include "link/link.h"

/* By which address or host name a node is found: aliases.c. */
struct alias {
	struct alias *prev, *next; /* in its chain: utlist */
	uint64_t hash;             /* of the text */
	const char *text;          /* of the node; NULL: it is in no chain */
	struct node *node;
};

struct node {
	/* Beside each other: walks over ten thousand of them look at these */
	UT_hash_handle hh;
	uint32_t state;
	enum tri known; /* YES or NO */
	char *name, *reason, *comment;
	char *address, *hostname; /* hostname "": the same as name */
	char *gres;               /* NULL: none */
	int32_t cpus, memory;     /* MiB; 0: not told */
	enum tri memory_shared;   /* as in struct slurm_node */
	/* "ns/pod" of the comment; "" when it names none, NULL when it was not read */
	char *of_pod;
	int64_t podless_since_ms; /* 0: it has a pod, or that was not looked up */
	bool listed;              /* in the list that is being read */
	int64_t born_ms;          /* it is in this table since then */
	/*
	 * The newest answer that names it, or that was about it alone, was asked for then
	 */
	int64_t seen_ms;
	int64_t looked_ms, looked_told_ms; /* as in struct slurm_node_fact */
	int64_t wanted_ms;                 /* the facts were asked for then; 0: never */
	uint64_t expected_in;              /* the newest round in which it was expected; 0: none */
	size_t guess_at;                   /* its place in link.guesses, if it is there */
	/* As in struct slurm_node_fact */
	int64_t absent_since_ms, free_since_ms, busy_since_ms;
	bool confirmed;                      /* the same */
	int64_t last_busy_s, reason_since_s; /* as in struct slurm_node */
	/* Updates sent, not answered: a comment and a drain can be at the same time */
	int under_way;
	int64_t late_until_ms;  /* until then one that was lost may arrive */
	int64_t drain_until_ms; /* as in slurm_node_fact */
	/* An answer asked for after this settles it; INT64_MAX while sent; 0 none */
	int64_t in_flight_until_ms;
	int64_t busy_until_s;
	struct held *held;     /* by the newest answer about jobs; NULL: by none */
	struct held *held_new; /* by the one that is being read */
	struct alias by_address, by_hostname;
	size_t bytes; /* paid for it */
	struct node *next_gone;
};

/* A job on a node. */
struct held {
	char *user;          /* of the job */
	struct job_fact job; /* user is own */
	int64_t end_s;       /* latest of all that have the node */
};

/* A Secret of others: recipients.c. */
struct recipient_secret {
	struct slurm_link *l;
	char *name, *user;
	int64_t life_s;
	enum tri known;
	bool consents;
	char *token, *uid, *version; /* NULL: it has none, or was not read */
	char trouble[ERR_TEXT_BYTES];
	int64_t read_ms;        /* it was read then; 0: it has to be */
	struct http_call *call; /* it is being read or written */
	slurm_done *done;       /* of the write; NULL: there is none */
	void *ctx;
};

struct slurm_link {
	struct link_config config;
	struct quota *quota;
	char *ns, *cluster, *server, *secret_name;
	char *token, *ca_pem;
	char *user; /* whose tokens are made; NULL: the Secret has one */
	/*
	 * The key of which tokens are made, and the one that Slurm took before; in
	 * base64. NULL: none
	 */
	char *key, *key_before;
	bool key_taken;     /* Slurm has taken a token of key */
	bool lists_refused; /* the newest read of nodes was, for its token */
	int64_t made_ms;    /* wall: the one that is in use */
	char *token_users;  /* as the Secret with the key says; NULL: it does not */
	struct recipient_secret *recipients;
	size_t n_recipients;
	char *meant;   /* the ClusterName that is to answer; "" while none has */
	char *answers; /* that has answered last; "" while none has */
	struct slurm *slurm;
	struct slurm_requests requests; /* of all its clients */
	struct link_fact fact;
	bool logged, logged_expired; /* parts of the last ping that were logged */
	enum slurm_health logged_health;
	char trouble[ERR_TEXT_BYTES]; /* of the Secret, the client and the ping */
	/*
	 * The Secret cannot be read, or its new key is unusable; the former key is still
	 * used
	 */
	char secret_trouble[ERR_TEXT_BYTES];
	char read_trouble[ERR_TEXT_BYTES], version[16], jobs_trouble[ERR_TEXT_BYTES];
	struct node *nodes;
	uint64_t round; /* of slurm_link_begin */
	/*
	 * The nodes in the order in which they were expected last: a plan expects them in
	 * that order again. NULL where no node is known; a node is there once at most
	 */
	struct node **guesses;
	size_t n_guesses, guesses_cap, next_guess;
	struct node *gone; /* out of nodes, their memory is yet to be given back */
	struct timer *gone_timer;
	struct alias **alias_chains; /* by hash; NULL: there has never been one */
	size_t n_alias_chains, n_aliases;
	int64_t nodes_seen_ms, whole_seen_ms, read_started_ms, last_read_took_ms;
	/*
	 * Then another manager, or a client before, may have sent updates that come late
	 */
	int64_t alone_since_ms;
	/*
	 * Slurm was away, or refused another token, until then: a request from before
	 * tells neither what is wrong nor how long a read takes
	 */
	int64_t well_since_ms;
	bool reading, failing, checking, read_again;
	bool list_overtaken; /* something of the list that is being read was known better already */
	const struct question_row *const *questions; /* ASK_COUNT of them */
	void *of[ASK_COUNT];                         /* what each keeps for itself */
	struct asker *askers;                        /* uthash by who */
	size_t granted;                              /* of the quota, for their nodes */
	enum slurm_need need;
	int64_t needed_ms; /* when that was last more than at rest, after a rest */
	bool unusable;     /* no server or no token, and waiting does not help */
	struct timer *check_timer, *read_timer;
	struct http_call *secret_call;
	int64_t secret_ms;      /* it was read then, with a token in it; 0: never */
	bool secret_asked;      /* it was asked for by the check under way */
	struct update *updates; /* sent, not answered */
	struct look *looks;     /* single reads, each with a waiting caller */
	/* Jobs: jobs.c */
	int64_t jobs_seen_ms, jobs_started_ms, jobs_ended_ms, jobs_took_ms;
	bool jobs_reading, jobs_failing, want_jobs;
	bool jobs_stale;      /* nodes have changed since they were asked for */
	bool jobs_unplaced;   /* by the newest answer, a job may have any node */
	int64_t unplaced_new; /* by the one that is being read: the id of such a job; 0: none */
	bool jobs_unread, unread_new; /* the same of one that runs, and makes its nodes busy */
	size_t jobs_names;            /* names of nodes in it so far */
	int64_t jobs_at_ms;           /* as in struct ask */
	struct timer *jobs_timer;
};

/* A question of demand.h: its functions for each change. A file each. */
struct question_row {
	size_t own_bytes; /* what it keeps for itself, zeroed at first: slurm_link.of */
	/* This is what all askers want together now. */
	void (*asked)(struct slurm_link *l, const struct ask *sum);
	/* A list of nodes has come; news: it named them. NULL: that is nothing to it */
	void (*listed)(struct slurm_link *l, bool news);
	/*
	 * Slurm is back: how long an answer took before tells nothing any more, and what
	 * is wanted is asked for at once
	 */
	void (*back)(struct slurm_link *l);
	/* The client is gone: its answers are void, and nothing is asked for. */
	void (*end)(struct slurm_link *l);
};

/* An asker, and its demand. */
struct asker {
	const void *who;
	struct demand demand;
	struct arena names; /* of the demand */
	UT_hash_handle hh;
};

/* A read of one node for which a caller waits. */
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

/* The files from below; each uses those above it in this list only. */

static inline int64_t max_ms(int64_t a, int64_t b) { return a > b ? a : b; }

/* nodes.c: the facts */
void link_changed(struct slurm_link *l);
void link_set_trouble(struct slurm_link *l, const char *text);
/*
 * A trouble of reading the nodes; "" when well. This trouble never hides that of the
 * ping, or the two would alternate.
 */
void link_set_read_trouble(struct slurm_link *l, const char *text);
/* A trouble of asking for jobs; "" when well. */
void link_set_jobs_trouble(struct slurm_link *l, const char *text);
struct node *link_node_find(struct slurm_link *l, const char *name); /* NULL when it is not known */
struct node *link_node_make(struct slurm_link *l, const char *name);
/*
 * Pays anew for the present size of the node. The payment is forced: the list had room
 * for the node.
 */
void link_node_pay(struct slurm_link *l, struct node *n);
/* As link_node_make, for a plan: a new node is known to be absent. */
struct node *link_node_expected(struct slurm_link *l, const char *name);
/* Takes over an answer about a node. False: the known facts are newer, and stay. */
bool link_node_seen(struct slurm_link *l, const struct slurm_node *seen);
/* Takes over an answer that says that Slurm has no such node. */
bool link_node_absent(struct slurm_link *l, struct node *n, int64_t asked_ms);
/* The newest answer that tells of the node, whole lists included, was asked for then. */
int64_t link_node_seen_ms(const struct slurm_link *l, const struct node *n);
/*
 * Could the node have a job? A DOWN node has none: a slurmd that comes back makes it idle
 * first.
 */
static inline bool link_node_runs(uint32_t state) { return !(state & (NODE_DOWN | NODE_FUTURE)); }
/* Does a job have it, by the newest answer about jobs? */
enum tri link_node_held(const struct slurm_link *l, const struct node *n);

/* ---- aliases.c ---- */

/*
 * Makes the node findable by its address and its host name if it could run something;
 * these and its state stay as they are until it is taken.
 */
void aliases_put(struct slurm_link *l, struct node *n);
void aliases_take(struct slurm_link *l, struct node *n); /* also when it was not put */
/*
 * The node that has this address or host name under another name and could run something;
 * NULL: none.
 */
struct node *link_node_elsewhere(struct slurm_link *l, const struct slurm_who *who);
/* Bytes of the quota that it has, from its making to its end. */
size_t link_held_bytes(const struct held *h);
void link_held_free(struct slurm_link *l, struct held *h);
/* Removes the node from the facts; many at once are freed over many turns of the loop. */
void link_node_forget(struct slurm_link *l, struct node *n);
void link_nodes_free(struct slurm_link *l);

/* who.c: which Slurm it is that answers */
/* Takes notice of which Slurm has answered; the first one is the one that is meant. */
void link_note_cluster(struct slurm_link *l);
/* By the newest answer to anything. */
bool link_another_answers(const struct slurm_link *l);
/* From now on this manager acts; requests of a manager before it may come late. */
void link_take_over(struct slurm_link *l);

/* looks.c: single nodes, one by one */
extern const struct question_row link_looks;
/* Something waits for single nodes, and for so few that each is read in every round. */
bool link_looks_few(const struct slurm_link *l);
/* The client is gone, and no answer can come: tells the callers that wait. */
void link_looks_lost(struct slurm_link *l);

/* jobs.c: which jobs have which nodes */
extern const struct question_row link_jobs;

/* partitions.c: whether jobs can start at all */
extern const struct question_row link_partitions;

/* queue.c: which jobs wait for nodes */
extern const struct question_row link_queue;

/* read.c: the lists of nodes */
extern const struct question_row link_lists;
void link_read_schedule(struct slurm_link *l, int64_t in_ms);
/* An answer that is older says nothing any more. */
int64_t link_patience_ms(const struct slurm_link *l);
/* A former trouble is over; answers to requests from before do not count any more. */
void link_well_again(struct slurm_link *l);
/* Calls link_well_again, and reads everything at once, however long it took before. */
void link_back(struct slurm_link *l);

/* update.c */
/*
 * The client goes away with updates unanswered: tells the callers that the outcome is
 * unknown.
 */
void link_updates_lost(struct slurm_link *l);

/* Member of the Secrets with a token, ours and those of others */
#define TOKEN_MEMBER "auth-token"

/* pass.c: the token, and where it comes from */
/* As the Secret says; another: than before. ERR_INVALID with a sentence: it says none. */
struct err link_pass_read(struct slurm_link *l, const struct json *secret, bool *another);
/* Makes a new token in place of a made one when half of its time is over. */
void link_pass_renew(struct slurm_link *l);
void link_pass_drop(struct slurm_link *l);
/* Slurm refuses it, as the check says or, while that says nothing better, the lists. */
bool link_pass_refused(const struct slurm_link *l);
/*
 * The text of this member of the data of a Secret; NULL: there is none. The caller frees.
 */
char *link_secret_text(const struct json *secret, const char *member);
/*
 * Reads a Secret of the Cluster's namespace. Its bytes are wiped when done has seen them.
 */
struct http_call *link_secret_read(struct slurm_link *l, const char *name, kube_done *done,
	void *ctx);

/* recipients.c: Secrets of others, and the tokens in them */
/* Reads those whose time it is. */
void link_recipients_look(struct slurm_link *l);
void link_recipients_free(struct slurm_link *l);
/* Takes over which users the Secret with the key names. True: that is new. */
bool link_recipients_users(struct slurm_link *l, const struct json *secret);
/* The Secret with the key lacks one of the recipients' users. */
bool link_recipients_lack_user(const struct slurm_link *l);

/* check.c: the Secret, the client, the ping */
void link_check_start(void *link);
/* Everything that the old client said is void: the new one may be another cluster. */
void link_forget(struct slurm_link *l);

/* questions.c: what all askers want together */
/* The rows, by enum question. */
extern const struct question_row *const link_questions[ASK_COUNT];
void link_askers_free(struct slurm_link *l);

#endif
