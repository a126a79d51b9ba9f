/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about Slurm. Each fact carries the time at which its answer was requested. A fact
 * without an answer is UNKNOWN, and UNKNOWN never counts as absent, idle or drained.
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
 * The properties by which a Slurm node can belong to a pod: its name, or the address or
 * host name of its slurmd.
 */
struct slurm_who {
	const char *name;           /* the node's expected name */
	const char *address;        /* "" if the pod has none yet */
	const char *second_address; /* of the other IP family; NULL or "": none */
	/*
	 * Kubernetes node whose name slurmd may use, with hostNetwork; NULL or "": none
	 */
	const char *machine;
};

/* A job that has begun and not ended on a node; id 0: no job. */
struct job_fact {
	int64_t id;
	const char *user; /* "" if unknown */
	int64_t end_s;    /* wall seconds, by its time limit; INT64_MAX: no limit */
	bool suspended;   /* a user must resume or cancel it */
	bool others;      /* the node also has other jobs */
};

/* Slurm's answer about one node, and its time. */
struct slurm_node_fact {
	/* NO: Slurm answered, and has no such node. UNKNOWN: no answer about the node */
	enum tri known;
	int64_t seen_ms; /* monotonic: when that answer was requested */
	/*
	 * When the newest answer that names the node was requested; "nothing has changed"
	 * names no node
	 */
	int64_t named_ms;
	/*
	 * When the newest read of only this node was requested, and when it was answered;
	 * 0: none
	 */
	int64_t looked_ms, looked_told_ms;
	/*
	 * known == NO: monotonic time of the first answer without the node, of an
	 * unbroken sequence
	 */
	int64_t absent_since_ms;
	/*
	 * When the first answer arrived that shows the node drained and without work, of
	 * an unbroken sequence; 0: the newest answer shows something else
	 */
	int64_t free_since_ms;
	/*
	 * When the first answer was requested that shows the node with work, of a
	 * sequence; 0: the newest answer shows no work
	 */
	int64_t busy_since_ms;
	/*
	 * True if, since free_since_ms, an answer about jobs was requested that shows no
	 * job on the node, and after it arrived a node answer was requested that still
	 * shows the node free. This also covers a running job whose nodes were not read
	 * for the job list: its node would look busy before or after that list.
	 */
	bool confirmed;
	uint32_t state;         /* bits of enum node_state */
	const char *reason;     /* "" if none */
	int64_t reason_since_s; /* wall, by Slurm's clock; 0: unknown */
	const char *comment;    /* "" if none */
	const char *address;    /* "" if unknown */
	const char *gres;       /* as slurmd registered; "" or NULL if none */
	int64_t cpus, memory;   /* MiB; 0: unknown */
	enum tri memory_shared; /* YES: no job has memory of its own on the node */
	/*
	 * Host name of the machine or pod of its slurmd; "" if it equals the node's name
	 */
	const char *hostname;
	/*
	 * Does the node have a job that has begun and not ended, also a suspended one?
	 * Known as of slurm_fact.jobs_seen_ms.
	 */
	enum tri held;
	/* held == YES: a suspended job, else the job that ends last */
	struct job_fact holder;
	/* Wall seconds: latest end of its jobs; 0: none known; INT64_MAX: no limit */
	int64_t busy_until_s;
	bool in_flight; /* an update of ours was sent, and no later answer has come */
	/* Monotonic: until then a DRAIN of ours may arrive whose answer was lost */
	int64_t drain_until_ms;
	/*
	 * Another live pod of this Slurm cluster uses the same node: Slurm's facts are
	 * about neither of the two pods
	 */
	bool shared;
	/*
	 * The node that has the pod's address or host name, but another name; NULL: none,
	 * or the node of the pod's name has that address
	 */
	const char *elsewhere;
};

/* A node about which nothing is known. */
#define SLURM_NODE_NOTHING \
	{ .reason = "", .comment = "", .address = "", .hostname = "", .holder = { .user = "" } }

/*
 * An update without an answer may arrive at slurmctld this long after it was sent: our
 * timeout of 30 s, and slurmrestd's of 30 s.
 */
enum { SLURM_LATE_MS = 60000 };

/*
 * Report an error if the list of nodes cannot be read for this long; a single failed read
 * is not an error.
 */
enum { SLURM_GRACE_MS = 15000 };

/* Facts about one Slurm cluster. */
struct slurm_fact {
	/*
	 * YES: the last read succeeded and is not too old (link_patience_ms); NO: reads
	 * fail; UNKNOWN: not read yet
	 */
	enum tri usable;
	/* Monotonic: when the newest complete list of nodes was requested; 0: none yet */
	int64_t nodes_seen_ms;
	/* like nodes_seen_ms, for the jobs that have begun and not ended; 0: none yet */
	int64_t jobs_seen_ms;
	const char *trouble; /* one sentence if usable != YES */
	/* the ClusterName of the Slurm that answers; "" if unknown */
	const char *cluster;
	/*
	 * Monotonic: requests from before, of another manager or an earlier client, are
	 * unknown and may arrive late
	 */
	int64_t since_ms;
	/* A sentence why the jobs of the nodes are unknown; "" if they are known */
	const char *jobs_trouble;
	/*
	 * Like nodes_seen_ms, for the newest list that named every node. "Nothing has
	 * changed" is wrong after slurmctld's clock was set back: it may hide a new node.
	 */
	int64_t whole_seen_ms;
	int64_t list_took_ms; /* duration of the newest read of the list */
	/* The newest answer about jobs has a job whose nodes could not be read */
	bool jobs_unread;
};

/*
 * Age of the newest list that named every node, less twice the duration of a read,
 * because a list may be that old when it arrives.
 */
static inline int64_t slurm_list_age_ms(const struct slurm_fact *s, int64_t now_ms)
{
	int64_t age_ms = now_ms - s->whole_seen_ms;
	return age_ms < 2 * s->list_took_ms ? 0 : age_ms - 2 * s->list_took_ms;
}

/*
 * Facts about the partitions of a Slurm, for users and for the number of pods; no
 * decision about a job may rely on them.
 */
struct partitions_fact {
	bool known; /* from an answer of the last minutes */
	size_t n, up;
	/* the first partitions that are not UP: "debug (DOWN), all (DRAIN)" */
	const char *others;
	size_t named; /* number of partitions in others */
	/* See struct slurm_partitions */
	const char *sets, *nodes;
	int64_t nodes_ms; /* monotonic: when nodes was requested */
	bool takes_empty;
};

/* Facts about the jobs that wait for nodes. */
struct queue_fact {
	bool known; /* from an answer of the last seconds */
	/*
	 * Monotonic: when an answer with this content was first and last requested; 0:
	 * never
	 */
	int64_t changed_ms, seen_ms;
	const struct slurm_queue *queue; /* NULL: unknown; valid until the next answer */
	/*
	 * Slurm takes so long to list its jobs that its nodes change meanwhile each time:
	 * waiting for a queue that is newer than the nodes would never end
	 */
	bool overtaken;
};

/* Annotation of a Secret: the servers that may get its token, separated by commas. */
#define ANNOTATION_SERVERS "slinky.slurm.net/server"

/* May the server of the Cluster get the token of its Secret? */
enum consent {
	CONSENT_UNKNOWN, /* the Secret was not read */
	CONSENT_UNSAID,  /* the Secret names no servers: each server may get its token */
	CONSENT_GIVEN,   /* the Secret names this server */
	/* the Secret names other servers, or none although it must; nothing was sent */
	CONSENT_REFUSED,
};

/*
 * A recipient: a Secret of a user, in the namespace of the Cluster, into which the link
 * writes a token. The annotation token-of permits this. The annotation token-expires has
 * the time at which the token expires.
 */
#define ANNOTATION_TOKEN_OF "slinky.slurm.net/token-of"
#define ANNOTATION_TOKEN_EXPIRES "slinky.slurm.net/token-expires"
/*
 * Annotation of the Secret with the JWT key: the users for whom tokens may be written
 * into other Secrets, separated by commas.
 */
#define ANNOTATION_TOKEN_USERS "slinky.slurm.net/token-users"

enum { RECIPIENTS_MOST = 8 };

/* The Secret that receives a token, the token's user, and its lifetime. */
struct recipient {
	const char *secret, *user;
	int64_t life_s;
};

struct recipient_fact {
	struct recipient who;
	enum tri known;      /* NO: the Secret does not exist; UNKNOWN: it was not read */
	const char *trouble; /* why it cannot be read; "" if it can */
	const char *uid, *resource_version;
	bool consents;      /* it permits this Cluster to write */
	enum tri permitted; /* the Secret with the key permits tokens for its user */
	bool in_flight;     /* a write was sent, or the Secret must be read first */
	/* True if its token is for its user and signed with the key in use */
	bool current;
	/* wall: start and end of its token's validity; 0: unknown */
	int64_t begins_s, ends_s;
};

struct recipients_fact {
	bool mintable; /* Slurm accepts tokens of the key */
	const struct recipient_fact *all;
	size_t n;
};

/* Facts about the link itself. */
struct link_fact {
	/* no pattern of the administrator fits the server: no request is sent */
	bool forbidden;
	enum tri secret; /* NO: the Secret or its member auth-token does not exist */
	enum consent consent;
	/* A check has ended since the link, its server or its token changed */
	bool checked;
	enum slurm_health health; /* valid when checked and secret == YES */
	/* health is SLURM_DENIED, and the token's own claims show that it has expired */
	bool token_expired;
	/*
	 * Wall seconds: start and end of the validity of the token in use, from its
	 * claims; 0: no token, or no such claim
	 */
	int64_t token_begins_s, token_ends_s;
	const char *version; /* "v0.0.42"; "" if unknown */
	const char *trouble; /* one sentence; "" if there is no error */
	/* ClusterName of the Slurm whose facts count; "" if unknown */
	const char *meant;
	/* ClusterName of the Slurm that answered last; "" if unknown */
	const char *answers;
};

#endif
