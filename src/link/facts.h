/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about Slurm: its answers, with the time as of which they are known. A fact
 * carries the time at which the answer was asked for. A fact that no answer has told is
 * UNKNOWN, and UNKNOWN never counts as absent, idle or drained.
 */
#ifndef LINK_FACTS_H
#define LINK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tri.h"
#include "slurm/health.h"
#include "slurm/rest/queue.h"

/*
 * By what a node of Slurm can be the one of a pod: its name, or the address or host name
 * of its slurmd.
 */
struct slurm_who {
	const char *name;           /* that the node should have */
	const char *address;        /* "" when the pod has none yet */
	const char *second_address; /* of the other family; NULL or "": none */
	/*
	 * The Kubernetes node whose name its slurmd may take, with hostNetwork; NULL or
	 * "": none
	 */
	const char *machine;
};

/* A job that has begun and not ended on a node; id 0: none. */
struct job_fact {
	int64_t id;
	const char *user; /* "" unknown */
	int64_t end_s;    /* wall seconds, by its time limit; INT64_MAX: it has no end yet */
	bool suspended;   /* a user must resume or cancel it */
	bool others;      /* other jobs have the node as well */
};

/* Slurm's answer about one node, and its time. */
struct slurm_node_fact {
	/* NO: Slurm answered and has no such node. UNKNOWN: no answer that tells */
	enum tri known;
	int64_t seen_ms; /* monotonic: the answer that says so was asked for then */
	/*
	 * The newest answer that names the node was asked for then; "nothing has changed"
	 * names none
	 */
	int64_t named_ms;
	/*
	 * The newest read of this node alone was asked for then, and answered then; 0:
	 * none
	 */
	int64_t looked_ms, looked_told_ms;
	/*
	 * known == NO: monotonic time of the first of the unbroken answers that lack it
	 */
	int64_t absent_since_ms;
	/*
	 * When the first of the unbroken answers came that say drained and without work;
	 * 0: the newest does not
	 */
	int64_t free_since_ms;
	/*
	 * The first of the answers in a row by which it has work was asked for then; 0:
	 * by the newest it has none
	 */
	int64_t busy_since_ms;
	/*
	 * A later such answer was asked for after an answer about jobs had come that was
	 * asked for since then, and by which no job has the node. A job that was listed
	 * as running, and whose nodes were not read just then, is not on a node that was
	 * free before that list and behind it.
	 */
	bool confirmed;
	uint32_t state;         /* enum node_state bits */
	const char *reason;     /* "" when none */
	int64_t reason_since_s; /* wall, by Slurm's clock; 0: Slurm does not tell */
	const char *comment;    /* "" when none */
	const char *address;    /* "" when Slurm does not tell */
	const char *gres;       /* as it registered; "" or NULL when none */
	int64_t cpus, memory;   /* MiB; 0: Slurm does not tell */
	enum tri memory_shared; /* YES: its jobs have none of its memory to themselves */
	/* Host name of the machine or pod of its slurmd; "" when it is the node's name */
	const char *hostname;
	/*
	 * Does a job that has begun and not ended have it, suspended ones too? As of
	 * slurm_fact.jobs_seen_ms.
	 */
	enum tri held;
	struct job_fact holder; /* held == YES: the one that ends last, or a suspended one */
	/* Wall seconds: latest end of its jobs; 0: none known; INT64_MAX: no limit */
	int64_t busy_until_s;
	bool in_flight; /* an update of ours was sent and no later answer has come yet */
	/* Monotonic: until then a DRAIN of ours whose answer was lost may come */
	int64_t drain_until_ms;
	/*
	 * Another live pod of this Slurm cluster names the same node: nothing that Slurm
	 * says is about one of them
	 */
	bool shared;
	/*
	 * The node that has the pod's address or host name, under another name; NULL:
	 * none, or the named node is at that address
	 */
	const char *elsewhere;
};

/* A node of which nothing is known. */
#define SLURM_NODE_NOTHING \
	{ .reason = "", .comment = "", .address = "", .hostname = "", .holder = { .user = "" } }

/*
 * An update without an answer may arrive at slurmctld this long after it was sent: 30 s
 * of ours, and as much of slurmrestd's.
 */
enum { SLURM_LATE_MS = 60000 };

/*
 * A list of nodes that cannot be read for this long is a trouble; a single failed read is
 * none.
 */
enum { SLURM_GRACE_MS = 15000 };

/* Facts about one Slurm cluster. */
struct slurm_fact {
	/*
	 * YES: the last read succeeded and is not older than the cluster's patience; NO:
	 * known to fail; UNKNOWN: never asked
	 */
	enum tri usable;
	/* Monotonic asked-time of the newest complete list of nodes; 0: none yet */
	int64_t nodes_seen_ms;
	int64_t jobs_seen_ms; /* same for the jobs that have begun and not ended; 0: none yet */
	const char *trouble;  /* one sentence when usable != YES */
	const char *cluster;  /* the ClusterName of the Slurm that answers; "" while unknown */
	/*
	 * Monotonic: requests sent before it, by another manager or an earlier client,
	 * are not known and may come late
	 */
	int64_t since_ms;
	/* A sentence why it is unknown which jobs have which nodes; "" when well */
	const char *jobs_trouble;
	/*
	 * As nodes_seen_ms, of the newest list that named every node. "Nothing has
	 * changed" is untrue after slurmctld's clock was set back: it may hide a node
	 * that has come.
	 */
	int64_t whole_seen_ms;
	int64_t list_took_ms; /* the newest list, whichever it was */
	/* By the newest answer about jobs one has nodes that could not be read */
	bool jobs_unread;
};

/*
 * Age of the newest list that named every node, less twice the time that reading one
 * takes: so old is any when it comes.
 */
static inline int64_t slurm_list_age_ms(const struct slurm_fact *s, int64_t now_ms)
{
	int64_t age_ms = now_ms - s->whole_seen_ms;
	return age_ms < 2 * s->list_took_ms ? 0 : age_ms - 2 * s->list_took_ms;
}

/*
 * Facts about the partitions of one Slurm: for people, and for how many pods are wanted;
 * no decision about a job may rely on them.
 */
struct partitions_fact {
	bool known; /* by an answer of the last minutes */
	size_t n, up;
	const char *others; /* the first that are not UP: "debug (DOWN), all (DRAIN)" */
	size_t named;       /* so many */
	/* As in struct slurm_partitions */
	const char *sets, *nodes;
	int64_t nodes_ms; /* monotonic: nodes are as of then */
	bool takes_empty;
};

/* Facts about the jobs that wait for nodes. */
struct queue_fact {
	bool known; /* by an answer of the last seconds */
	/* Monotonic: they are these since then, and as of then; 0: never asked */
	int64_t changed_ms, seen_ms;
	const struct slurm_queue *queue; /* NULL: not known; lives until the next answer */
	/*
	 * Slurm takes so long to list its jobs that its nodes change meanwhile, again and
	 * again: waiting for a queue that is newer than the nodes would never end
	 */
	bool overtaken;
};

/* Annotation of a Secret: the servers that get its token, with commas between them. */
#define ANNOTATION_SERVERS "slinky.slurm.net/server"

/* May the server of the Cluster get the token of its Secret? */
enum consent {
	CONSENT_UNKNOWN, /* the Secret was not read */
	CONSENT_UNSAID,  /* it names no servers: its token is used for any */
	CONSENT_GIVEN,   /* it names this one */
	CONSENT_REFUSED, /* it does not, where it names others or has to: nothing was sent */
};

/*
 * A recipient: a Secret of others, in the namespace of the Cluster, into which a token is
 * written. Its annotation token-of permits that; the annotation token-expires says when
 * the token expires.
 */
#define ANNOTATION_TOKEN_OF "slinky.slurm.net/token-of"
#define ANNOTATION_TOKEN_EXPIRES "slinky.slurm.net/token-expires"
/*
 * Annotation of the Secret with the JWT key: the users for whom tokens may be written
 * into others, with commas between them.
 */
#define ANNOTATION_TOKEN_USERS "slinky.slurm.net/token-users"

enum { RECIPIENTS_MOST = 8 };

/* The Secret that is to have a token, the token's user, and its lifetime. */
struct recipient {
	const char *secret, *user;
	int64_t life_s;
};

struct recipient_fact {
	struct recipient who;
	enum tri known;      /* NO: there is no such Secret; UNKNOWN: it was not read */
	const char *trouble; /* why it cannot be read; "" */
	const char *uid, *resource_version;
	bool consents;      /* it lets this Cluster write */
	enum tri permitted; /* the Secret with the key lets its user have tokens */
	bool in_flight;     /* a write was sent, or it has to be read first */
	/* True if its token is for its user and signed with the key in use */
	bool current;
	int64_t begins_s, ends_s; /* wall: its token is valid from and until; 0: unknown */
};

struct recipients_fact {
	bool mintable; /* Slurm takes tokens of the key */
	const struct recipient_fact *all;
	size_t n;
};

/* Facts about the link itself. */
struct link_fact {
	bool forbidden;  /* no pattern of the administrator fits the server: it is not asked */
	enum tri secret; /* NO: the Secret or its key auth-token does not exist */
	enum consent consent;
	/* A check has ended since the link, its server or its token changed */
	bool checked;
	enum slurm_health health; /* valid when checked and secret == YES */
	/* Health is SLURM_DENIED, and by its own words the token has expired */
	bool token_expired;
	/*
	 * Wall seconds: since and until when the token in use is good, by its own words;
	 * 0: there is none, or it does not say
	 */
	int64_t token_begins_s, token_ends_s;
	const char *version; /* "v0.0.42"; "" unknown */
	const char *trouble; /* one sentence; "" when well */
	const char *meant;   /* ClusterName of the Slurm whose facts count; "" unknown */
	const char *answers; /* of the one that answered last; "" unknown */
};

#endif
