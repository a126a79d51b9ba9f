/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about Kubernetes: trimmed records of its objects. A fact is as old as the watch
 * that reported it, so every write is guarded by uid and resourceVersion. Facts that no
 * guard covers, such as another pod of the same name or a withdrawn request, count for
 * KUBE_FRESH_MS. Facts about Slurm are in link/facts.h.
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
 * Finalizer of a pod that is created once and never again. It stays until the status of
 * the owner records that there was a pod. The manager creates the pod with it and removes
 * it (plan/job/rule.h); no other program of ours writes it.
 */
#define FINALIZER_UNREPORTED "wlm.sylabs.io/untold"

/*
 * For people, on a worker pod: the state of its Slurm node in a word, and Slurm's reason,
 * if any.
 */
#define LABEL_SLURM_STATE "nodeset.slinky.slurm.net/slurm-state"
#define ANNOTATION_SLURM_REASON "nodeset.slinky.slurm.net/slurm-reason"

enum { SHOWN_MOST = 20 }; /* conditions of a pod that show the state of a node */

/* The state of its Slurm node that a pod shows (slurm/state_shown.h). */
struct shown_fact {
	uint32_t states;      /* bits of enum node_state whose condition is True */
	uint8_t n;            /* number of such conditions, with any status */
	bool listed;          /* status.conditions exists */
	bool cut;             /* the pod has more conditions than are read */
	bool labelled, noted; /* the pod has the label, the annotation */
	/* Label, annotation and messages of the conditions agree with states */
	bool whole;
	struct {
		uint8_t at; /* index in status.conditions */
		int8_t row; /* of state_shown_rows; -1: to be removed */
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
 * A deletion without an answer may take effect this long after it was sent: our timeout
 * of 30 s and the API server's of 60 s.
 */
enum { DELETION_LATE_MS = 90000 };

/*
 * Facts from Kubernetes count for this long. A working watch reports something every
 * minute, and after 150 s of silence everything is listed again.
 */
enum { KUBE_FRESH_MS = 180000 };

/* The daemons in the order of their dependencies: each needs those before it. */
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
	enum resource resource; /* one of ours, or RES_NONE: kind alone is ambiguous */
};

/* A volume of a pod that comes from a claim. */
struct claim_fact {
	const char *volume, *claim;
};

struct pod_fact {
	const char *ns, *name, *uid;
	const char *resource_version; /* "" while its creation is in flight */
	const char *node_name;        /* spec.nodeName; "" while unscheduled */
	const char *hostname;         /* spec.hostname; "" when unset */
	const char *ip;               /* status.podIP; "" when unset */
	const char *second_ip;        /* of the other IP family (status.podIPs); "": none */
	bool host_network;            /* it has the name and addresses of its machine */
	enum pod_phase phase;
	/*
	 * The pod garbage collector set the pod to Failed because its Kubernetes node no
	 * longer exists. How the pod ended is unknown
	 */
	bool unseen_end;
	/*
	 * Monotonic: start of the time in which the pod was seen in this phase and on
	 * this machine, without a restart of a container
	 */
	int64_t phase_seen_ms;
	int64_t restarts; /* sum of its containers */
	/*
	 * Monotonic: when the annotation of store_mark was first seen on the pod; 0: the
	 * pod had it from the first time it was seen, or does not have it
	 */
	int64_t marked_ms;
	/*
	 * Pending, and the kubelet reports that a container cannot start: its image or
	 * its configuration is wrong
	 */
	bool stuck;
	/* The kubelet reports that no container has ever started (pod_halt.h) */
	bool unstarted;
	/* No container runs, and the kubelet waits before its next try (pod_halt.h) */
	bool halted;
	/* Wall, by the clock of its machine: end of the halted container; 0: never ran */
	int64_t halted_end_ms;
	/*
	 * Monotonic: when the pod was seen to become halted; 0: it is not halted, or was
	 * halted when it was first seen
	 */
	int64_t halted_ms;
	/* The Secrets that it cannot start without, separated by commas; "": none */
	const char *secrets;
	/*
	 * While the kubelet still prepares volumes and network: the ConfigMaps and
	 * Secrets that the pod mounts, "configmap/a secret/b"; else "" (pod_halt.h)
	 */
	const char *mounts;
	bool ready;
	/*
	 * Why the pod is not ready, in the words of the scheduler or the kubelet:
	 * "ErrImagePull: ..."; "" when they give no reason (pod_why.h)
	 */
	const char *why;
	/*
	 * For an unschedulable pod of a job: its requirements on node labels, one a line:
	 * "gpu=a100", "wlm.sylabs.io/nodes>2"; else "" (pod_wishes.h)
	 */
	const char *wishes;
	bool terminating;           /* has a deletionTimestamp, or our deletion was accepted */
	bool disrupted;             /* Kubernetes itself removes it: condition DisruptionTarget */
	const char *finalizer;      /* the first one; "": none */
	int unreported_at;          /* index of FINALIZER_UNREPORTED; -1: absent */
	int64_t unreported_seen_ms; /* monotonic: when that was first seen; 0: never */
	int64_t ending_seen_ms;     /* monotonic: when it was first seen terminating; 0: never */
	/* Wall: deletionTimestamp, the end of its grace period; 0: none */
	int64_t ends_at_ms;
	/*
	 * The outcome of an action of ours on this pod is unknown: do not order another
	 * action
	 */
	bool in_flight;
	int64_t deletion_sent_ms; /* monotonic: for this version, by this manager; 0: never */
	int64_t created_ms;       /* wall; 0: unknown */
	int64_t started_ms;       /* wall: when its kubelet accepted it; 0: unknown */
	int64_t ended_ms;         /* wall: when it failed or succeeded; 0: not yet, or unknown */
	int64_t ready_since_ms;   /* wall, of the Ready condition's last transition; 0: unknown */
	int64_t unready_since_ms; /* wall: that time while it is not ready; 0: ready, or unknown */
	/*
	 * Start of its first container (wall; 0: unknown), and the container's exit code
	 * (-1: none)
	 */
	int64_t begun_ms;
	int64_t exit_code;
	/*
	 * The reason why that container waits or ended, or else the reason of the pod:
	 * "Resources", "TIMEOUT", "Evicted"; and its message. "": unknown
	 */
	const char *reason, *message;
	struct shown_fact shown;
	const struct kv *labels, *annotations;
	size_t n_labels, n_annotations;               /* annotations: only those of our domains */
	bool annotated;                               /* it has annotations, of any domain */
	struct owner_fact controller;                 /* uid "": none */
	int n_owners, controller_at, second_owner_at; /* indexes in ownerReferences; -1: none */
	/* The uid of the Namespace among its owners; "": there is none */
	const char *second_owner_uid;
	const struct claim_fact *claims;
	size_t n_claims;
	/*
	 * Set for a pod of one of Slurm's daemons (pod_daemon.h); else DAEMON_NONE and
	 * "". release: of chart slurm. container: the one that is not ready. ending: how
	 * it ended, with its last lines
	 */
	enum slurm_daemon daemon;
	const char *release, *container, *ending;
	/* For a pod of slurmctld: why it refuses a new configuration; "": it does not */
	const char *refused;
	bool cut;     /* some of its labels or claims are not kept */
	size_t bytes; /* size of this fact, with its texts */
};

/* The Nodes of Kubernetes that a label selector matches (node_list.h). */
struct nodes_fact {
	/*
	 * An array of Nodes: name, labels, taints and cordon of each. NULL: unknown
	 */
	const struct json *list;
	bool more;    /* list is incomplete */
	bool refused; /* the API server refuses the list */
};

/*
 * Ten thousand facts are more than the caches of the processor hold, and most of a plan's
 * time was spent waiting for memory, pod by pod. So a walk over all facts prefetches the
 * next ones: first the fact, then its texts.
 */
enum { FACT_AHEAD = 4, TEXTS_AHEAD = 2 };
void pod_fact_fetch(const struct pod_fact *p);
void pod_texts_fetch(const struct pod_fact *p);

const char *pod_label(const struct pod_fact *p, const char *key);      /* NULL when absent */
const char *pod_annotation(const struct pod_fact *p, const char *key); /* NULL when absent */
/* True if this is one of its two addresses; false for "" and NULL. */
bool pod_has_ip(const struct pod_fact *p, const char *address);
/*
 * True if a Slurm node at this address can be the pod's. A node at another address is the
 * record of a predecessor, or of another slurmd. Also true for a host name, which Slurm
 * may report instead of an address and which excludes no pod.
 */
bool pod_may_be_at(const struct pod_fact *p, const char *address);
/*
 * True if a slurmd with this host name runs on the machine whose network the pod uses. If
 * the network rewrites the machine's address on the way to slurmctld, only the host name
 * that the slurmd reports shows this. The whole names are compared, because two machines
 * may have the same first label.
 */
bool pod_is_on_machine(const struct pod_fact *p, const char *hostname);

#endif
