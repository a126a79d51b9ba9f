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

enum { REGISTER_GRACE_MS = 30000 }; /* a slurmd that has just been started is about to register */

/* Why a pod is to go. */
enum leave { STAY, LEAVE_DELETION, LEAVE_ENDED, LEAVE_SCALE_IN, LEAVE_UPDATE, LEAVE_FORGOTTEN };

/* Change of an annotation. */
enum edit { EDIT_KEEP, EDIT_SET, EDIT_REMOVE };

/* Change of the two annotations of a cordon. */
enum cordon_edit {
	CORDON_KEEP,
	CORDON_SET,    /* cordoned by the operator */
	CORDON_RETURN, /* cordoned no more; written before the drain of its node is lifted */
	CORDON_CLEAR,  /* nothing is left of ours */
};

struct pod {
	const struct pod_fact *fact;
	const struct slurm_node_fact *node;
	/* Copied from the fact, because nearly every step reads these */
	enum pod_phase phase;
	bool bound, ready, terminating, stuck; /* bound: it has a machine */
	int64_t phase_seen_ms;
	bool at_its_address; /* Slurm has its node at its address, or does not say where */
	/* -1: none of ours by name, kept only while the NodeSet is being deleted */
	int64_t ordinal;
	const char *slurm_name;
	const char *hash; /* label; "" when absent */
	int64_t cost;     /* pod-deletion-cost */
	/*
	 * Annotations: when its work ends, and with which Slurm it registered; NULL:
	 * absent
	 */
	const char *noted_end, *noted_slurm;
	bool noted_here; /* that Slurm is the one that is meant */
	/* Wall: its Slurm work ends then; 0: it has none, INT64_MAX: no end known */
	int64_t ends_ms;
	bool held; /* an action on it is under way or in this plan: order no other */
	/*
	 * Not ours yet, and may never be: it has its name and its place, and is good for
	 * nothing else
	 */
	bool adopting;
	bool cordoned, cordoned_by_us; /* by_us implies cordoned */
	/* Says that its node's drain is being lifted; implies not cordoned_by_us */
	bool returning;
	/* Said so when it was cordoned: a lift that was sent then may yet arrive */
	bool was_returning;
	bool healthy;   /* ours, running, ready, not terminating */
	bool available; /* healthy for minReadySeconds */
	bool updated;   /* has the newest revision */
	enum leave leave;
	enum removal removal; /* valid when leave != STAY and it is not terminating */
	enum slurm_need need; /* of its removal; SLURM_AT_REST: it does not wait for Slurm */
	enum cordon_edit cordon;
	enum edit deadline;
	int64_t deadline_s; /* with EDIT_SET; INT64_MAX: no end is known */
	bool relabel;
	/* This NodeSet gives no such host name: no fact of Slurm is about it */
	bool misnamed;
	bool other_slurm; /* it registered with another Slurm than the one that answers */
	bool hidden;      /* its slurmd may have registered under the wrong name of another pod's */
	bool displaced;   /* a slurmd at an address that is not its own has its node */
	int64_t ended;    /* pods of its ordinal that ended soon in a row, with itself */
	bool paused;      /* ended, and too early to make it again */
	int64_t again_ms; /* wall: it is made again then; 0: unknown */
	bool lacks_second_owner; /* its second owner, or the note of whose it is (keep.c) */
	bool note_slurm;         /* which Slurm has its node is to be noted on it */
	/* The fault of its Slurm node (degraded.c); NULL: none */
	const struct node_row *node_row;
};

/* A row of the index of claims. */
struct claim_row {
	const char *name;
	const struct object_fact *fact;
	bool has_pod; /* a pod of ours is called so that the claim is its */
};

/* Numbers for status and conditions. */
struct tally {
	int64_t replicas, updated, ready, available;
	int64_t idle, allocated, down, drain;
	int64_t scaling_in, updating, waiting[REMOVAL_RELEASED + 1];
	int64_t creating;          /* pods missing: created now or waiting for something */
	const char *conflict;      /* a claim with a foreign controller */
	const char *foreign_claim; /* a claim that another client made: it is no NodeSet's */
	const char *ending_claim;  /* a claim that must vanish before its pod can be created */
	const char *names_taken;   /* a sentence: names of ours that other controllers' pods have */
	/* A sentence: host names of ours on which jobs of others run */
	const char *names_busy;
	int64_t old_left; /* pods that a rolling update has yet to replace */
	int64_t unusable; /* ready pods whose Slurm node is missing, DOWN or strange */
	bool released;    /* release-now let a pod go in this plan */
};

/* An obstacle of the NodeSet; word: its text in the column TROUBLE. */
struct trouble {
	const char *reason, *text, *word;
};

enum { MOST_TROUBLES = 40 }; /* more than there are rows for them */

struct worksheet {
	const struct nodeset_view *view;
	struct nodeset set;
	struct fault faults[NODESET_MAX_FAULTS];
	size_t n_faults;
	int64_t now_ms, now_wall_ms;
	struct plan *out;
	struct arena *arena;
	struct jdoc *d;
	struct pod *pods; /* the claimed ones, in the order of the view */
	size_t n_pods;
	/*
	 * Pods of the view that the NodeSet controls or is adopting, or controlled until
	 * the collector came
	 */
	size_t n_owned;
	bool undecided; /* the outcome of such pods is not known yet: only wait */
	bool stopped;   /* only the status is written; its pods are those that it controls */
	bool usable;    /* Slurm's facts may be used */
	/*
	 * Hash of the newest revision; NULL: unknown, as the NodeSet is being deleted or
	 * invalid
	 */
	const char *hash;
	int64_t collisions;
	/*
	 * The newest template has a revision that is ours: pods may be made from it, or
	 * adopted
	 */
	bool revision_kept;
	bool revisions_settled; /* nothing about revisions is in flight: history may be cut */
	/* The NodeSet is being deleted, and its former pods are to stay (orphaned.c) */
	bool pods_stay;
	/*
	 * Spared pods, available, that a deletion sent earlier may still take: they are
	 * cordoned as they were then
	 */
	size_t n_unsettled;
	struct claim_row *claims; /* sorted by name; made when first asked for */
	size_t n_claims_left; /* without a pod, and still to be let go of before the NodeSet goes */
	/* Prefixes of host names: the template and its revisions; filled at first use */
	const char **prefixes;
	size_t n_prefixes;
	/*
	 * For each of view.host_names while pods are missing: a pod that is made with it
	 * would take the node of a slurmd that lives, and slurmctld would end its jobs
	 */
	bool *host_busy;
	struct carry_over *noted; /* by ordinal; see carry_over_noted */
	int64_t n_noted;
	size_t n_creates;                 /* ordered in this plan */
	size_t creates_bytes;             /* of their bodies */
	size_t n_patches, n_deletions[2]; /* the same; second: those that rely on Slurm */
	size_t n_records_left; /* nodes of pods that are gone, to be removed from Slurm soon */
	struct trouble troubles[MOST_TROUBLES]; /* the gravest first; filled by degradation() */
	size_t n_troubles;
	const char *trouble;      /* of status: the word of the first one; "" when all is well */
	const char *unready_word; /* of the first pod that unready_sentence tells of */
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
/* Ours, and not going already. */
static inline bool pod_live(const struct pod *p) { return !p->terminating && !p->adopting; }
static inline bool pod_ended(const struct pod *p) { return pod_phase_over(p->phase); }
/* Facts of Kubernetes are fresh: older ones permit no deletion and no removal. */
static inline bool kube_is_fresh(const struct worksheet *w)
{
	return w->now_ms - w->view->kube_seen_ms <= KUBE_FRESH_MS;
}
/*
 * A slurmd of a host, or of a foreign or an earlier pod, answers at another address: its
 * jobs are not the pod's. The node is the pod's when the pod's slurmd registers, or the
 * other one falls silent.
 */
static inline bool pod_node_is_anothers(const struct pod *p)
{
	return p->node->known == YES && node_state_answers(p->node->state) && !p->at_its_address;
}
/* Does Slurm have its node? UNKNOWN whenever Slurm's facts may not be used. */
static inline enum tri pod_node_known(const struct worksheet *w, const struct pod *p)
{
	return w->usable ? p->node->known : UNKNOWN;
}
static inline int64_t pod_node_age_ms(const struct worksheet *w, const struct pod *p)
{
	return w->now_ms - p->node->seen_ms;
}
/*
 * Age of the newest answer that names the node. Only such an answer permits to set or
 * lift a drain: after slurmctld's clock was set back, "nothing has changed" may hide that
 * an administrator has drained the node meanwhile.
 */
static inline int64_t pod_node_named_age_ms(const struct worksheet *w, const struct pod *p)
{
	return w->now_ms - p->node->named_ms;
}
/*
 * Since then its slurmd may be about to register: it was assigned, started or restarted,
 * and Slurm has had no node of its name.
 */
static inline int64_t pod_node_since_ms(const struct pod *p)
{
	bool later = p->node->known == NO && p->node->absent_since_ms > p->phase_seen_ms;
	return later ? p->node->absent_since_ms : p->phase_seen_ms;
}
/*
 * A node may have been absent for days when a pod of its name starts: only what was
 * absent since then counts. As of the newest list: a read of the one node does not tell
 * whether the pod's slurmd has registered under another name.
 */
static inline int64_t pod_node_absent_for_ms(const struct worksheet *w, const struct pod *p)
{
	return p->node->known == NO ? w->view->slurm.nodes_seen_ms - pod_node_since_ms(p) : 0;
}

/* A Kubernetes action on an object of the NodeSet's namespace (actions.c). */
struct action *order(struct worksheet *w, struct operation o, const char *name, const char *why);
/*
 * Orders the creation of a pod or a claim: it counts against view.max_creates and emits
 * an Event.
 */
struct action *order_creation(struct worksheet *w, struct operation o, const char *name,
	const char *why, const char *body);
bool may_create(const struct worksheet *w); /* there is room for one more of them */
/* Counts another order of this sort, after n; false: no room, and plan.more says so. */
bool may_write(struct worksheet *w, size_t *n);
/* A patch of the NodeSet in the version that was planned, and the order to send it. */
struct jval *own_patch(const struct worksheet *w);
struct action *order_own(struct worksheet *w, struct operation o, const char *why,
	const char *body);
/*
 * A JSON patch of a pod: other entries of its lists stay as they are, known to us or not.
 * Another version of the pod, or another pod of its name, is refused. value NULL: none.
 */
struct jval *pod_operations(struct worksheet *w, const struct pod_fact *f);
struct jval *pod_operation(struct worksheet *w, struct jval *patch, const char *op,
	const char *path, struct jval *value);
/* See pod.lacks_second_owner. */
bool pod_lacks_second_owner(const struct worksheet *w, const struct pod_fact *f);
/* The annotation that says whose the pod is (keep.c). */
void note_nodeset(struct worksheet *w, struct jval *patch, const struct pod_fact *f);
/* A warning about the NodeSet. */
struct action *order_warning(struct worksheet *w, const char *reason, const char *message);

/*
 * The order in which pods are deleted (pod_order.c): negative when a goes before b; never
 * 0 for two different pods.
 */
int pod_order(const struct pod *a, const struct pod *b);
/* Sorts by pod_order, but pods whose deletion may be in flight come first. */
void pod_sort_going_first(struct pod **pods, size_t n);
bool pod_may_be_going(const struct pod *p);

/* Slurm's facts under the pod's name may concern another slurmd (protect.c). */
bool pod_is_ambiguous(const struct pod *p);
/* Slurm forgot its node with a job whose time limit is not over yet (protect.c). */
bool pod_lost_work(const struct worksheet *w, const struct pod *p);
/* An UNDRAIN of the manager before may be on its way to its node (protect.c). */
bool pod_lift_may_come(const struct worksheet *w, const struct pod *p);
/* Facts for the two rules that protect jobs (protect.c). */
struct removal_facts removal_facts_of(const struct worksheet *w, const struct pod *p);
struct undrain_facts undrain_facts_of(const struct worksheet *w, const struct pod *p);

/* An UNDRAIN may be on its way to the node of a pod that is to be made. */
bool lift_may_come_for_next(const struct worksheet *w, const char *pod);

/*
 * How long the pod has been ready, or was seen so if the clock was set back meanwhile.
 * Only for a pod with ready_since_ms.
 */
static inline int64_t pod_ready_for_ms(const struct worksheet *w, const struct pod *p)
{
	int64_t ms = w->now_wall_ms - p->fact->ready_since_ms;
	return ms >= 0 ? ms : w->now_ms - p->phase_seen_ms;
}

/* The Slurm that answers had its node since it started (registered.c). */
bool pod_was_registered(const struct worksheet *w, const struct pod *p);
/* And has it no more, and it had no work: nothing starts on it (forgotten.c). */
bool pod_is_forgotten(const struct worksheet *w, const struct pod *p);
/* See pod.displaced. */
bool pod_is_displaced(struct worksheet *w, const struct pod *p);
/* Another Slurm than the one that answers had it. */
bool pod_registered_with_another(const struct worksheet *w, const struct pod *p);

/*
 * RFC 3339 of the end of Slurm work; no end at all is the end of year 9999
 * (slurm_sync.c).
 */
void pod_deadline_text(int64_t until_s, char out[static TIME_RFC3339_BYTES]);
/* The deadline in words: "until T", or "without a time limit". */
const char *pod_deadline_words(struct arena *a, const char *deadline);
/*
 * A slurmd may have registered since the newest list of nodes. Where Slurm answers soon,
 * no pod is made before a new list; elsewhere pods are made without one (hostname.c).
 */
bool host_names_known(struct worksheet *w);

/* Whether the comment on a node is ours and names another pod (comments.c). */
bool comment_names_another(struct arena *a, const char *comment, const char *ns, const char *pod);
/* "namespace/pod" of a comment of ours; "": it is none. */
const char *comment_pod(struct arena *a, const char *comment);
/* Whether it is to be replaced: it is empty, or names another pod. */
bool comment_wanted(struct arena *a, const char *comment, const char *wanted, const char *ns,
	const char *pod);

/* Whether the node of a pod of this name is just being removed from Slurm (records.c). */
bool record_is_going(const struct worksheet *w, const char *pod);

/* Whether every claim of a pod that is to go has the owner that it should (claims.c). */
bool claims_settled(struct worksheet *w, const struct pod *p);
/* Whether the claims of a pod to be created are there; orders missing ones (claims.c). */
bool claims_ready(struct worksheet *w, const char *pod);

/*
 * Judges the Slurm nodes of pods that have been ready for longer than a slurmd takes to
 * register (degraded.c).
 */
void step_judge_nodes(struct worksheet *w);

/* From the start of the manager to the first answer of Slurm. */
static inline bool slurm_not_asked(const struct worksheet *w)
{
	return w->view->cluster != NO && w->view->slurm.usable == UNKNOWN;
}

/* Single conditions, each in the file of its name. */
struct condition available(struct worksheet *w);
struct condition draining(struct worksheet *w);
struct condition degradation(struct worksheet *w);
/* Owner of a pod that says it was ours and has no controller any more (orphaned.c). */
enum orphaned { ORPHANED_UNDECIDED, ORPHANED_OURS, ORPHANED_FREE };
enum orphaned orphaned_fate(struct worksheet *w);

/* The holder of an ordinal's place (places.c). */
enum place {
	PLACE_FREE,
	PLACE_HELD,    /* by a pod of ours, also a terminating one, or one without a controller */
	PLACE_FOREIGN, /* by a pod of another controller: the ordinal is left out */
	PLACE_EARLIER, /* by a pod of a NodeSet of the same name that is gone: collected soon */
	PLACE_BUSY,    /* free, but a slurmd has its host name: it is kept */
};
/* The places of the ordinals below this one. */
const enum place *places(struct worksheet *w, int64_t limit);
/* Says in the tally whose pods have names that ours should get. */
void tell_taken_names(struct worksheet *w);
/*
 * Ordinals from here on get no pod, once all that terminate are gone; lower ones that are
 * free or terminate are made again (places.c).
 */
int64_t first_not_made_again(struct worksheet *w);

/* Which pods end again and again, and when they are recreated; NULL: none (ended.c). */
const char *ended_sentence(struct worksheet *w);
/* Which pods a finalizer keeps, and which; NULL: none (ended.c). */
const char *stuck_sentence(struct worksheet *w);

/* Why a pod is not available (available.c). */
const char *pod_cause(const struct pod *p);
/* Which pods have not been ready for a minute, and why; NULL: none (unready.c). */
const char *unready_sentence(struct worksheet *w);

/* Which actions keep failing, and what helps; NULL: none (failing.c). */
const char *actions_failing_sentence(struct worksheet *w);

/* Whether the host name of a pod is none that this NodeSet gives (hostname.c). */
bool pod_misnamed(struct worksheet *w, const struct pod_fact *f);

/* State that the next pod of an ordinal inherits (carry_over.c). */
struct carry_over carry_over_noted(const struct worksheet *w, int64_t ordinal);
/*
 * Whether what the next pod takes over from this one, which goes, is noted. A cordon is
 * waited for; for how often it ended, two minutes: the next one shall not wait for ever
 * because the NodeSet cannot be written.
 */
bool carry_over_settled(struct worksheet *w, const struct pod *p);

/* Conditions (conditions.c): the array to write, and Events for what has just begun. */
struct jval *conditions_of(struct worksheet *w);
/* The conditions of a stopped NodeSet. */
struct jval *conditions_stopped(struct worksheet *w);
/* Counts its pods and says why nothing is touched. */
void step_status_stopped(struct worksheet *w);

/*
 * Something has to go, or to be let go of, before a NodeSet that is deleted
 * (finalizer.c).
 */
bool deletion_waits(const struct worksheet *w);
/* Our finalizer, before the first pod (finalizer.c). */
void add_finalizer(struct worksheet *w);
/* Takes it away (finalizer.c). */
void finish_deletion(struct worksheet *w, const char *why);

#endif
