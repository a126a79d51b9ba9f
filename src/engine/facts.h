/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about Kubernetes: trimmed records of what is known of it. A fact is as old as the
 * watch that brought it, so every write guards itself by uid and resourceVersion. Facts
 * that no guard covers, such as another pod of the same name or a wish that was
 * withdrawn, count for KUBE_FRESH_MS. Facts about Slurm: link/facts.h.
 */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tri.h"
#include "object/resource.h"

struct json; /* json/json.h */

struct kv {
	const char *key, *value;
	size_t key_bytes; /* without the terminator; 0: not counted */
};

/*
 * Finalizer of a pod that is made once and never again: it stays until the status of its
 * owner says that there was a pod. The manager creates the pod with it and removes it
 * (plan/job/rule.h); no other program of ours writes it.
 */
#define FINALIZER_UNREPORTED "wlm.sylabs.io/untold"

/*
 * On a worker pod, for people: the state of its Slurm node in a word, and Slurm's reason
 * where it has one.
 */
#define LABEL_SLURM_STATE "nodeset.slinky.slurm.net/slurm-state"
#define ANNOTATION_SLURM_REASON "nodeset.slinky.slurm.net/slurm-reason"

enum { SHOWN_MOST = 20 }; /* conditions of a pod that say the state of a node */

/* The state of its Slurm node that a pod shows (slurm/state_shown.h). */
struct shown_fact {
	uint32_t states;      /* bits of enum node_state that have a condition which is True */
	uint8_t n;            /* of such conditions, whatever they say */
	bool listed;          /* status.conditions is there */
	bool cut;             /* it has more conditions than are looked at */
	bool labelled, noted; /* it has the label, the annotation */
	/* Label, annotation and the messages of the conditions fit them */
	bool whole;
	struct {
		uint8_t at; /* its place in the list */
		int8_t row; /* of state_shown_rows; -1: it is to go */
	} of[SHOWN_MOST];
};

enum pod_phase {
	POD_EMPTY,
	POD_PENDING,
	POD_RUNNING,
	POD_SUCCEEDED,
	POD_FAILED,
	POD_PHASE_UNKNOWN
};

/* A pod of that phase never runs again. */
static inline bool pod_phase_over(enum pod_phase phase)
{
	return phase == POD_FAILED || phase == POD_SUCCEEDED;
}

/*
 * A deletion without an answer may take effect this long after it was sent: 30 s of ours,
 * and 60 s of the API server's.
 */
enum { DELETION_LATE_MS = 90000 };

/*
 * Facts from Kubernetes count for this long after the time as of which they are known. A
 * watch in order reports something every minute, and after 150 s of silence everything is
 * listed.
 */
enum { KUBE_FRESH_MS = 180000 };

/* Dependencies of the daemons: each needs those before it, as far as they are there. */
enum slurm_daemon {
	DAEMON_NONE,
	DAEMON_DATABASE,
	DAEMON_SLURMDBD,
	DAEMON_SLURMCTLD,
	DAEMON_SLURMRESTD,
	DAEMON_COUNT
};

struct owner_fact {
	const char *kind, *name, *uid;
	bool controller;
	enum resource resource; /* of ours; kinds of several groups have one name */
};

/* A volume of a pod that comes from a claim. */
struct claim_fact {
	const char *volume, *claim;
};

struct pod_fact {
	const char *ns, *name, *uid;
	const char *resource_version; /* "" for a pod whose creation is in flight */
	const char *node_name;        /* spec.nodeName; "" while unscheduled */
	const char *hostname;         /* spec.hostname; "" when unset */
	const char *ip;               /* status.podIP; "" while it has none */
	const char *second_ip;        /* of the other family (status.podIPs); "": none */
	bool host_network;            /* it has the machine's name and addresses */
	enum pod_phase phase;
	/*
	 * The pod failed because its Kubernetes node is no longer there, as the pod
	 * garbage collector says: how it ended was not seen
	 */
	bool unseen_end;
	/*
	 * Monotonic: since when it has been seen in this phase and on this machine
	 * without a restart of a container
	 */
	int64_t phase_seen_ms;
	int64_t restarts; /* of its containers together */
	/*
	 * Monotonic: since when it has been seen with the annotation of store_mark
	 * without a break; 0: since it was first seen, or it has none
	 */
	int64_t marked_ms;
	/*
	 * Pending, and the kubelet says that a container cannot start: its image or its
	 * configuration is wrong
	 */
	bool stuck;
	/* Nothing of it has ever started, as the kubelet says (pod_halt.h) */
	bool unstarted;
	/* Nothing of it runs, and the kubelet waits before it tries again (pod_halt.h) */
	bool halted;
	/* Wall: its container ended then, by the clock of its machine; 0: it never ran */
	int64_t halted_end_ms;
	/*
	 * Monotonic: it was seen to become so then; 0: it is not so, or was when it was
	 * first seen
	 */
	int64_t halted_ms;
	/* The Secrets without which it cannot start, with commas between them; "" */
	const char *secrets;
	/*
	 * For a pod that its kubelet still makes ready: the ConfigMaps and Secrets that
	 * it mounts, "configmap/a secret/b"; "" otherwise (pod_halt.h)
	 */
	const char *mounts;
	bool ready;
	/*
	 * Why it is not ready, as the scheduler or the kubelet says it: "ErrImagePull:
	 * ..."; "" when they say nothing (pod_why.h)
	 */
	const char *why;
	/*
	 * For a job's pod that no node takes: its requirements on the labels of a node, a
	 * line each: "gpu=a100", "wlm.sylabs.io/nodes>2"; "" otherwise (pod_wishes.h)
	 */
	const char *wishes;
	bool terminating;           /* has a deletionTimestamp, or our deletion was accepted */
	bool disrupted;             /* Kubernetes takes it away by itself: DisruptionTarget */
	const char *finalizer;      /* the first one; "" when it has none */
	int unreported_at;          /* place of FINALIZER_UNREPORTED among them; -1: it has none */
	int64_t unreported_seen_ms; /* monotonic: since when it has been seen with it; 0: never */
	int64_t ending_seen_ms; /* monotonic: since when it has been seen terminating; 0: never */
	/* Wall: deletionTimestamp, when its time to end is over; 0: it has none */
	int64_t ends_at_ms;
	/*
	 * An action of ours on this pod has not come back through the watch yet: do not
	 * order another
	 */
	bool in_flight;
	int64_t deletion_sent_ms; /* monotonic: of this version, by this manager; 0: never */
	int64_t created_ms;       /* wall; 0: unknown */
	int64_t started_ms;       /* wall: its kubelet took it on then; 0: unknown */
	int64_t ended_ms;         /* wall: when it failed or succeeded; 0: has not, or unknown */
	int64_t ready_since_ms;   /* wall, of the Ready condition's last transition; 0: unknown */
	int64_t unready_since_ms; /* the same while it is not ready; 0: it is, or unknown */
	/*
	 * When its first container started (wall; 0: unknown), and the exit code with
	 * which that ended, -1: none
	 */
	int64_t begun_ms;
	int64_t exit_code;
	/*
	 * Why that container waits or ended, in a word, or else why the pod did:
	 * "Resources", "TIMEOUT", "Evicted"; and the sentence to it. "" when not known
	 */
	const char *reason, *message;
	struct shown_fact shown;
	const struct kv *labels, *annotations;
	size_t n_labels, n_annotations; /* annotations: those of domains of ours */
	bool annotated;                 /* it has any, of whatever domain */
	struct owner_fact controller;   /* uid "" when it has none */
	int n_owners, controller_at,
		second_owner_at; /* places in its list of owners; -1: it has none */
	/* The uid of its Namespace, when that is among its owners; "" otherwise */
	const char *second_owner_uid;
	const struct claim_fact *claims;
	size_t n_claims;
	/*
	 * Set for a pod of one of Slurm's own daemons (pod_daemon.h); otherwise
	 * DAEMON_NONE and "". release: of chart slurm. container: which one to look at.
	 * ending: how that ended, with its last words
	 */
	enum slurm_daemon daemon;
	const char *release, *container, *ending;
	/* For a pod of slurmctld: the configuration that it refuses, and why; "": none */
	const char *refused;
	bool cut;     /* it has labels or claims that are not kept */
	size_t bytes; /* of this fact, with its texts */
};

/* Nodes of Kubernetes, those that a label selector chooses (node_list.h). */
struct nodes_fact {
	/*
	 * An array of Nodes: of each name, labels, taints and cordon are kept. NULL: not
	 * known
	 */
	const struct json *list;
	bool more;    /* there are more than those */
	bool refused; /* the API server does not tell us */
};

/*
 * Ten thousand facts are more than the processor's caches hold, and most of a plan's time
 * was waiting for memory, one pod after the other. A walk over all of them fetches the
 * next ones ahead: the fact first, then its texts.
 */
enum { FACT_AHEAD = 4, TEXTS_AHEAD = 2 };
void pod_fact_fetch(const struct pod_fact *p);
void pod_texts_fetch(const struct pod_fact *p);

const char *pod_label(const struct pod_fact *p, const char *key);      /* NULL when absent */
const char *pod_annotation(const struct pod_fact *p, const char *key); /* NULL when absent */
/* True if this is one of its two addresses; false for "" and NULL. */
bool pod_has_ip(const struct pod_fact *p, const char *address);
/*
 * Whether a node at this address can be the pod's. A node at another address is the
 * record of a predecessor, or of another slurmd. True also for a host name, which Slurm
 * may give instead of an address: it excludes nothing.
 */
bool pod_may_be_at(const struct pod_fact *p, const char *address);
/*
 * Whether a slurmd of this host name runs on the machine whose network the pod has. Where
 * the network rewrites the machine's address on the way to slurmctld, the host name that
 * the slurmd gives is the only thing that tells. The whole name: two machines may have
 * the same first label.
 */
bool pod_is_on_machine(const struct pod_fact *p, const char *hostname);

#endif
