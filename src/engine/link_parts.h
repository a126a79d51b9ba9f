/* Private to the link: its state, and the doors between its parts. */
#ifndef ENGINE_LINK_PARTS_H
#define ENGINE_LINK_PARTS_H

#include <uthash.h>

#include "base/err.h"
#include "engine/action.h"
#include "engine/slurm_link.h"

struct node {
	char *name, *reason, *comment;
	uint32_t state;
	enum tri known; /* YES or NO */
	bool listed;    /* in the list that is being read */
	int64_t seen_ms; /* the answer that named it was asked for then */
	int64_t absent_since_ms;
	int under_way;              /* updates sent, not answered: a comment and a drain can be at the same time */
	int64_t in_flight_until_ms; /* an answer asked for after this settles it; INT64_MAX while sent; 0 none */
	int64_t busy_until_s, busy_new_s;
	UT_hash_handle hh;
};

struct slurm_link {
	struct link_config config;
	char *ns, *cluster, *server, *secret_name;
	char *token, *ca_pem;
	struct slurm *slurm;
	struct link_fact fact;
	char trouble[ERR_TEXT_BYTES], version[16];
	struct node *nodes;
	int64_t nodes_seen_ms, jobs_seen_ms, read_started_ms, last_read_took_ms;
	bool reading, failing, want_jobs, reading_jobs, checking, read_again;
	bool overtaken; /* the list that is being read: something newer is known of one of its nodes */
	enum slurm_need need;
	bool no_way; /* there is nobody to ask, or nothing to ask with, and that is no matter of a moment */
	struct timer *check_timer, *read_timer;
	struct http_call *secret_call;
	struct update *updates; /* sent, not answered */
	char *watched[PLAN_MAX_WATCHED];
	size_t n_watched, watch_reads; /* reads: of single nodes, under way */
	int64_t watch_started_ms, watch_took_ms;
	struct timer *watch_timer;
};

struct update {
	struct update *next;
	struct slurm_link *l;
	enum slurm_update what;
	char **names;
	size_t n;
	slurm_done *done;
	void *ctx;
};

/* The files from below; each uses those above it in this list only; slurm_link.c, the life of a link and its facts, is the last. */

/* link_nodes.c: what is known */
void link_changed(struct slurm_link *l);
void link_set_trouble(struct slurm_link *l, const char *text);
struct node *link_node_find(struct slurm_link *l, const char *name); /* NULL when it is not known */
struct node *link_node_make(struct slurm_link *l, const char *name);
/* Takes over what an answer says of a node. False: what is known is newer. */
bool link_node_seen(struct slurm_link *l, const struct slurm_node *seen);
void link_nodes_free(struct slurm_link *l);

/* link_watch.c: single nodes, one by one */
void link_watch_end(struct slurm_link *l);

/* link_read.c: the lists */
void link_read_schedule(struct slurm_link *l, int64_t in_ms);
/* An answer that is older says nothing any more. */
int64_t link_patience_ms(const struct slurm_link *l);

/* link_update.c */
/* The client goes away with updates unanswered: whoever waits is told that nobody knows, if tell. */
void link_updates_lost(struct slurm_link *l, bool tell);

/* link_check.c: the Secret, the client, the ping */
void link_check_start(void *link);
/* Everything that the old client said is void: the new one may be another cluster. */
void link_forget(struct slurm_link *l);

#endif
