/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the decisions of one plan share: the view, the NodeSet read from it, and one
 * row for each of its pods. Private to this folder.
 */
#ifndef PLAN_NODESET_WORKSHEET_H
#define PLAN_NODESET_WORKSHEET_H

#include "api/names.h"
#include "api/nodeset.h"
#include "base/own.h"
#include "base/time.h"
#include "children/owner.h"
#include "children/pod.h"
#include "engine/removal.h"
#include "json/build.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/nodeset/plan.h"
#include "plan/nodeset/undrain.h"

enum { COMMENTS_PER_PLAN = 100 }; /* one Slurm call each */

enum { NAMES_AGAIN_MS = 5000 }; /* no event reports that a name becomes free */

enum { REGISTER_GRACE_MS = 30000 }; /* time for a new slurmd to register */

/* Why a pod leaves. */
enum leave { STAY, LEAVE_DELETION, LEAVE_ENDED, LEAVE_SCALE_IN, LEAVE_UPDATE, LEAVE_FORGOTTEN };

/* Change of an annotation. */
enum edit { EDIT_KEEP, EDIT_SET, EDIT_REMOVE };

/* Change of the two annotations of a cordon. */
enum cordon_edit {
	CORDON_KEEP,
	CORDON_SET,    /* cordoned by the operator */
	CORDON_RETURN, /* no cordon any more; written before the drain of its node is lifted */
	CORDON_CLEAR,  /* no annotation of ours is left */
};

struct pod {
	const struct pod_fact *fact;
	const struct slurm_node_fact *node;
	/* Copied from the fact, because nearly every step reads these members */
	enum pod_phase phase;
	bool bound, ready, terminating, stuck; /* bound: it has a Kubernetes node */
	int64_t phase_seen_ms;
	bool at_its_address; /* Slurm has its node at its address, or reports no address */
	/* -1: its name has none, and it is kept only while the NodeSet is deleted */
	int64_t ordinal;
	const char *slurm_name;
	const char *hash; /* label; "" when absent */
	int64_t cost;     /* pod-deletion-cost */
	/* Annotations: end of its work; Slurm with which it registered; NULL: absent */
	const char *noted_end, *noted_slurm;
	bool noted_here; /* noted_slurm is the Slurm that answers now */
	int64_t ends_ms; /* end of its Slurm work, wall clock; 0: no work, INT64_MAX: unknown */
	bool held;       /* an action on it is in flight or in this plan: order no other */
	/* Not ours yet, and perhaps never: it only occupies its name and its place */
	bool adopting;
	bool cordoned, cordoned_by_us; /* by_us implies cordoned */
	/* Noted: the drain of its node is being lifted; implies not cordoned_by_us */
	bool returning;
	/* "returning" was noted when it was cordoned: an UNDRAIN may still arrive */
	bool was_returning;
	bool healthy;   /* ours, running, ready, not terminating */
	bool available; /* healthy for minReadySeconds */
	bool updated;   /* has the newest revision */
	enum leave leave;
	enum removal removal; /* valid if it leaves and is not terminating */
	enum slurm_need need; /* urgency of its request to Slurm; SLURM_AT_REST: none */
	enum cordon_edit cordon;
	enum edit deadline;
	int64_t deadline_s; /* with EDIT_SET; INT64_MAX: no end is known */
	bool relabel;
	/* This NodeSet does not give its host name, so no fact of Slurm is about it */
	bool misnamed;
	bool other_slurm; /* it registered with a Slurm other than the one that answers */
	bool hidden;      /* its slurmd may have registered under another pod's wrong name */
	bool displaced;   /* a slurmd at another address has its node */
	int64_t ended;    /* consecutive pods of its ordinal that ended soon, including itself */
	bool paused;      /* ended, and must not be recreated yet */
	int64_t again_ms; /* wall clock: time to recreate it; 0: unknown */
	bool lacks_second_owner; /* no second owner, or no note of its NodeSet (keep.c) */
	bool note_slurm;         /* the Slurm that has its node must be noted on it */
	/* The problem of its Slurm node (degraded.c); NULL: none */
	const struct node_row *node_row;
};

/* A row of the index of claims. */
struct claim_row {
	const char *name;
	const struct object_fact *fact;
	bool has_pod; /* a pod of ours has the name to which the claim belongs */
};

/* Numbers for status and conditions. */
struct tally {
	int64_t replicas, updated, ready, available;
	int64_t idle, allocated, down, drain;
	int64_t scaling_in, updating, waiting[REMOVAL_RELEASED + 1];
	int64_t creating;          /* missing pods: created now, or waiting for something */
	const char *conflict;      /* a claim with a foreign controller */
	const char *foreign_claim; /* a claim of another client, so no NodeSet owns it */
	const char *ending_claim;  /* a claim that must vanish before its pod can be created */
	const char *names_taken; /* a sentence: names of ours that pods of other controllers have */
	/* A sentence: host names of ours on which other jobs run */
	const char *names_busy;
	int64_t old_left; /* pods that a rolling update has yet to replace */
	int64_t unusable; /* ready pods whose Slurm node is missing, DOWN or strange */
	bool released;    /* release-now permits the deletion of a pod in this plan */
};

/* An obstacle of the NodeSet; word: its text in the column TROUBLE. */
struct trouble {
	const char *reason, *text, *word;
};

enum { MOST_TROUBLES = 40 }; /* more than the rows of degraded.c */

struct worksheet {
	const struct nodeset_view *view;
	struct nodeset set;
	struct fault faults[NODESET_MAX_FAULTS];
	size_t n_faults;
	int64_t now_ms, now_wall_ms;
	struct plan *out;
	struct arena *arena;
	struct jdoc *d;
	struct pod *pods; /* the claimed pods, in the order of the view */
	size_t n_pods;
	/*
	 * Pods of the view that the NodeSet controls or is adopting, or that it
	 * controlled until the garbage collector removed the reference
	 */
	size_t n_owned;
	bool undecided; /* it is unknown whether orphaned pods are ours: only wait */
	bool stopped;   /* only the status is written; its pods are those that it controls */
	bool usable;    /* Slurm's facts may be used */
	/*
	 * Hash of the newest revision; NULL: unknown, because the NodeSet is being
	 * deleted or is invalid
	 */
	const char *hash;
	int64_t collisions;
	/*
	 * The newest template has a revision that is ours, so pods may be created from it
	 * or adopted
	 */
	bool revision_kept;
	bool revisions_settled; /* no action on a revision is in flight, so history may be cut */
	bool pods_stay; /* the NodeSet is being deleted, and its former pods stay (orphaned.c) */
	/*
	 * Available pods that stay with their cordon, because an earlier deletion may
	 * still remove them
	 */
	size_t n_unsettled;
	struct claim_row *claims; /* sorted by name; made at first use */
	/*
	 * Claims without a pod that must lose their owner before the NodeSet is deleted
	 */
	size_t n_claims_left;
	/* Prefixes of host names: the template and its revisions; filled at first use */
	const char **prefixes;
	size_t n_prefixes;
	/*
	 * For each of view.host_names while pods are missing: true if a new pod with the
	 * name would take the node of a running slurmd, and slurmctld would end its jobs
	 */
	bool *host_busy;
	struct carry_over *noted; /* by ordinal; see carry_over_noted */
	int64_t n_noted;
	size_t n_creates;     /* ordered in this plan */
	size_t creates_bytes; /* of their bodies */
	/* Ordered in this plan; second: those that rely on Slurm */
	size_t n_patches, n_deletions[2];
	size_t n_records_left; /* nodes of deleted pods that can be removed from Slurm soon */
	struct trouble troubles[MOST_TROUBLES]; /* most serious first; filled by degradation() */
	size_t n_troubles;
	/* For the status: the word of the first trouble; "" if there is none */
	const char *trouble;
	const char *unready_word; /* of the first pod that unready_sentence names */
	struct tally tally;
	struct autoscale *autoscale; /* autoscale.h; NULL: there is none */
};

/* The steps, in their order. */
void step_revisions(struct worksheet *w);
void step_claim_pods(struct worksheet *w);
void step_leaving(struct worksheet *w);
void step_ended(struct worksheet *w);
void step_update(struct worksheet *w);
void step_forgotten(struct worksheet *w);
void step_slurm(struct worksheet *w);
void step_host_names(struct worksheet *w);
void step_registered(struct worksheet *w);
void step_claims(struct worksheet *w);
void step_carry_over(struct worksheet *w);
void step_removal(struct worksheet *w);
void step_patch_pods(struct worksheet *w);
void step_keep(struct worksheet *w);
void step_create(struct worksheet *w);
void step_comments(struct worksheet *w);
void step_losses(struct worksheet *w);
void step_records(struct worksheet *w);
void step_history(struct worksheet *w);
void step_autoscale(struct worksheet *w);
void step_status(struct worksheet *w);
void step_show(struct worksheet *w);
void step_finish(struct worksheet *w);

/* Helpers that several decisions use. */
/* Ours, and not terminating. */
static inline bool pod_live(const struct pod *p) { return !p->terminating && !p->adopting; }
static inline bool pod_ended(const struct pod *p) { return pod_phase_over(p->phase); }
/* Facts of Kubernetes are fresh. Older facts permit no deletion and no removal. */
static inline bool kube_is_fresh(const struct worksheet *w)
{
	return w->now_ms - w->view->kube_seen_ms <= KUBE_FRESH_MS;
}
/*
 * A slurmd on a host, or in a foreign or an earlier pod, has the node at another address,
 * so the jobs of the node are not the pod's. The node is the pod's when the pod's slurmd
 * registers or the other slurmd does not respond any more.
 */
static inline bool pod_node_is_anothers(const struct pod *p)
{
	return p->node->known == YES && node_state_answers(p->node->state) && !p->at_its_address;
}
/* Whether Slurm has the node; UNKNOWN if Slurm's facts may not be used. */
static inline enum tri pod_node_known(const struct worksheet *w, const struct pod *p)
{
	return w->usable ? p->node->known : UNKNOWN;
}
static inline int64_t pod_node_age_ms(const struct worksheet *w, const struct pod *p)
{
	return w->now_ms - p->node->seen_ms;
}
/*
 * Age of the newest answer that contains the node. Only such an answer permits setting or
 * lifting a drain: after slurmctld's clock was set back, the answer "nothing has changed"
 * may hide a drain by an administrator.
 */
static inline int64_t pod_node_named_age_ms(const struct worksheet *w, const struct pod *p)
{
	return w->now_ms - p->node->named_ms;
}
/*
 * Since this time the slurmd may be about to register: the pod was assigned, started or
 * restarted, and Slurm has had no node of its name.
 */
static inline int64_t pod_node_since_ms(const struct pod *p)
{
	bool later = p->node->known == NO && p->node->absent_since_ms > p->phase_seen_ms;
	return later ? p->node->absent_since_ms : p->phase_seen_ms;
}
/*
 * A node may have been absent for days when a pod of its name starts: only the time since
 * the start counts. The newest list decides, because a read of one node does not show
 * whether the pod's slurmd has registered under another name.
 */
static inline int64_t pod_node_absent_for_ms(const struct worksheet *w, const struct pod *p)
{
	return p->node->known == NO ? w->view->slurm.nodes_seen_ms - pod_node_since_ms(p) : 0;
}

/* A Kubernetes action on an object of the NodeSet's namespace (actions.c). */
struct action *order(struct worksheet *w, struct operation o, const char *name, const char *why);
/*
 * Orders the creation of a pod or a claim, counts it against view.max_creates, and emits
 * an Event.
 */
struct action *order_creation(struct worksheet *w, struct operation o, const char *name,
	const char *why, const char *body);
bool may_create(const struct worksheet *w); /* the limits of this plan permit one more creation */
/* Counts one more order in n; false: the limit is reached, and plan.more is set. */
bool may_write(struct worksheet *w, size_t *n);
/* A patch of the NodeSet in the planned version, and the order to send it. */
struct jval *own_patch(const struct worksheet *w);
struct action *order_own(struct worksheet *w, struct operation o, const char *why,
	const char *body);
/*
 * A JSON patch of a pod: other entries of its lists stay unchanged. The API server
 * refuses it for another version of the pod, or another pod of its name. value NULL:
 * none.
 */
struct jval *pod_operations(struct worksheet *w, const struct pod_fact *f);
struct jval *pod_operation(struct worksheet *w, struct jval *patch, const char *op,
	const char *path, struct jval *value);
/* See pod.lacks_second_owner. */
bool pod_lacks_second_owner(const struct worksheet *w, const struct pod_fact *f);
/* Adds the annotation that names the NodeSet of the pod (keep.c). */
void note_nodeset(struct worksheet *w, struct jval *patch, const struct pod_fact *f);
/* A warning about the NodeSet. */
struct action *order_warning(struct worksheet *w, const char *reason, const char *message);

/*
 * The order in which pods are deleted (pod_order.c): negative if a is deleted before b;
 * never 0 for two different pods.
 */
int pod_order(const struct pod *a, const struct pod *b);
/* Sorts by pod_order, but pods whose deletion may be in flight come first. */
void pod_sort_going_first(struct pod **pods, size_t n);
bool pod_may_be_going(const struct pod *p);

/* Slurm's facts under the pod's name may be about another slurmd (protect.c). */
bool pod_is_ambiguous(const struct pod *p);
/* Slurm forgot the pod's node before the time limit of its job was over (protect.c). */
bool pod_lost_work(const struct worksheet *w, const struct pod *p);
/* An UNDRAIN of an earlier manager may be on its way to the pod's node (protect.c). */
bool pod_lift_may_come(const struct worksheet *w, const struct pod *p);
/* Facts for the two rules that protect jobs (protect.c). */
struct removal_facts removal_facts_of(const struct worksheet *w, const struct pod *p);
struct undrain_facts undrain_facts_of(const struct worksheet *w, const struct pod *p);

/* An UNDRAIN may be on its way to the node of a pod that will be created. */
bool lift_may_come_for_next(const struct worksheet *w, const char *pod);

/*
 * Time for which the pod has been ready; if the clock was set back, time since that was
 * seen. Only for a pod with ready_since_ms.
 */
static inline int64_t pod_ready_for_ms(const struct worksheet *w, const struct pod *p)
{
	int64_t ms = w->now_wall_ms - p->fact->ready_since_ms;
	return ms >= 0 ? ms : w->now_ms - p->phase_seen_ms;
}

/* The Slurm that answers had the pod's node since the pod started (registered.c). */
bool pod_was_registered(const struct worksheet *w, const struct pod *p);
/*
 * That Slurm has the node no more, and the pod had no work: no job starts (forgotten.c).
 */
bool pod_is_forgotten(const struct worksheet *w, const struct pod *p);
/* See pod.displaced. */
bool pod_is_displaced(struct worksheet *w, const struct pod *p);
/* A Slurm other than the one that answers had the pod's node. */
bool pod_registered_with_another(const struct worksheet *w, const struct pod *p);

/*
 * RFC 3339 time of the end of Slurm work; without an end, the end of the year 9999
 * (slurm_sync.c).
 */
void pod_deadline_text(int64_t until_s, char out[static TIME_RFC3339_BYTES]);
/* The deadline in words: "until T", or "without a time limit". */
const char *pod_deadline_words(struct arena *a, const char *deadline);
/*
 * A slurmd may have registered since the newest list of nodes. If Slurm answers soon,
 * pods are created only after a new list; otherwise they are created without one
 * (hostname.c).
 */
bool host_names_known(struct worksheet *w);

/* True if the comment on a node is ours and names another pod (comments.c). */
bool comment_names_another(struct arena *a, const char *comment, const char *ns, const char *pod);
/* "namespace/pod" of a comment of ours; "" for any other comment. */
const char *comment_pod(struct arena *a, const char *comment);
/* True if the comment must be replaced: it is empty, or names another pod. */
bool comment_wanted(struct arena *a, const char *comment, const char *wanted, const char *ns,
	const char *pod);

/* True if the node of a pod of this name is being removed from Slurm (records.c). */
bool record_is_going(const struct worksheet *w, const char *pod);

/* Whether every claim of a leaving pod has the right owner (claims.c). */
bool claims_settled(struct worksheet *w, const struct pod *p);
/* Whether all claims of a new pod exist; orders missing ones (claims.c). */
bool claims_ready(struct worksheet *w, const char *pod);

/*
 * Judges the Slurm nodes of pods that have been ready for longer than a slurmd needs to
 * register (degraded.c).
 */
void step_judge_nodes(struct worksheet *w);

/* True from the start of the manager to the first answer of Slurm. */
static inline bool slurm_not_asked(const struct worksheet *w)
{
	return w->view->cluster != NO && w->view->slurm.usable == UNKNOWN;
}

/* Single conditions, each in the file of its name. */
struct condition available(struct worksheet *w);
struct condition draining(struct worksheet *w);
struct condition degradation(struct worksheet *w);
/* Owner of pods that name this NodeSet and have no controller any more (orphaned.c). */
enum orphaned { ORPHANED_UNDECIDED, ORPHANED_OURS, ORPHANED_FREE };
enum orphaned orphaned_fate(struct worksheet *w);

/* The holder of an ordinal's place (places.c). */
enum place {
	PLACE_FREE,
	PLACE_HELD, /* by a pod of ours, also a terminating one, or by one without a controller */
	PLACE_FOREIGN, /* by a pod of another controller: the ordinal is skipped */
	PLACE_EARLIER, /* by a pod of a deleted NodeSet of the same name, collected soon */
	PLACE_BUSY,    /* no pod, but a slurmd has its host name: the place is reserved */
};
/* The places of the ordinals below limit. */
const enum place *places(struct worksheet *w, int64_t limit);
/* Reports in the tally which other pods have names that ours should get. */
void tell_taken_names(struct worksheet *w);
/*
 * Ordinals from here on get no pod after all terminating pods are gone. Lower ordinals
 * that are free or terminating are recreated (places.c).
 */
int64_t first_not_made_again(struct worksheet *w);

/* Pods that end again and again, and when they are recreated; NULL: none (ended.c). */
const char *ended_sentence(struct worksheet *w);
/* Pods that a finalizer keeps, and the finalizer; NULL: none (ended.c). */
const char *stuck_sentence(struct worksheet *w);

/* Why a pod is not available (available.c). */
const char *pod_cause(const struct pod *p);
/* Pods that have not been ready for a minute, and the cause; NULL: none (unready.c). */
const char *unready_sentence(struct worksheet *w);

/* Actions that keep failing, with advice; NULL: none (failing.c). */
const char *actions_failing_sentence(struct worksheet *w);

/* True if this NodeSet does not give the host name of the pod (hostname.c). */
bool pod_misnamed(struct worksheet *w, const struct pod_fact *f);

/* State that the next pod of an ordinal inherits (carry_over.c). */
struct carry_over carry_over_noted(const struct worksheet *w, int64_t ordinal);
/*
 * Whether the state that the next pod inherits from this leaving pod is noted. The pod
 * waits for the note of a cordon without limit. It waits for a count two minutes only: a
 * NodeSet that cannot be written must not block the next pod.
 */
bool carry_over_settled(struct worksheet *w, const struct pod *p);

/* Conditions (conditions.c): the array to write, and Events for new troubles. */
struct jval *conditions_of(struct worksheet *w);
/* The conditions of a stopped NodeSet. */
struct jval *conditions_stopped(struct worksheet *w);
/* Counts the pods, and reports why nothing is changed. */
void step_status_stopped(struct worksheet *w);

/* Objects must be deleted or released before this NodeSet is deleted (finalizer.c). */
bool deletion_waits(const struct worksheet *w);
/* Adds our finalizer, before the first pod (finalizer.c). */
void add_finalizer(struct worksheet *w);
/* Removes our finalizer (finalizer.c). */
void finish_deletion(struct worksheet *w, const char *why);

#endif
