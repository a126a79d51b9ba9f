/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An action: one thing to do, with its reason and its guard. Planners make them; the
 * executor carries them out and decides nothing.
 */
#ifndef ENGINE_ACT_ACTION_H
#define ENGINE_ACT_ACTION_H

#include "base/arena.h"
#include "engine/facts.h"
#include "link/demand.h"
#include "link/facts.h"
#include "object/resource.h"

struct removal_facts; /* engine/removal.h */

/* The operation of an action; 0: none. */
enum verb {
	VERB_NONE,
	/* To an object of Kubernetes. */
	VERB_CREATE,
	VERB_PATCH,
	VERB_PATCH_STATUS,
	VERB_SHOW, /* the state of a Slurm node, on its pod */
	VERB_DELETE,
	/* To nodes of Slurm. */
	VERB_DRAIN,
	VERB_UNDRAIN,
	VERB_RESUME, /* also where they are DOWN */
	VERB_COMMENT,
	VERB_REMOVE, /* one */
	/* A token that a link makes, into a Secret of others. */
	VERB_WRITE_TOKEN,
	/* An Event about the object that was planned. */
	VERB_TELL,
	VERB_COUNT
};

/* Through which it goes out, each with a guard of its own. */
enum backend {
	BACKEND_NONE,
	BACKEND_KUBE,
	BACKEND_SLURM,
	BACKEND_TOKEN,
	BACKEND_EVENT,
	BACKEND_COUNT
};

struct verb_row {
	const char *word; /* "create": the word of the resource follows; "drain-nodes" */
	enum backend backend;
	bool names_resource;
	bool sets; /* sets a state, which another client may undo (reverted.h) */
	/* For people only: its failures are no trouble */
	bool shows;
	int at_a_time; /* under way for one object; 0: as many as there is room for */
};
extern const struct verb_row verb_rows[VERB_COUNT];

/* A verb and the resource of its object. */
struct operation {
	enum verb verb;
	enum resource resource;
};
#define DO(verb, resource) ((struct operation){ VERB_##verb, RES_##resource })

enum { OPERATION_BYTES = 48 };
/* "create-pod", "patch-status", "drain-nodes": in metrics and logs. */
const char *operation_name(char buffer[static OPERATION_BYTES], struct operation d);

static inline bool operation_is(struct operation a, struct operation b)
{
	return a.verb == b.verb && a.resource == b.resource;
}
static inline enum backend operation_backend(struct operation d)
{
	return verb_rows[d.verb].backend;
}
/* A creation of what comes in numbers. */
static inline bool operation_in_numbers(struct operation d)
{
	return d.verb == VERB_CREATE && resource_rows[d.resource].in_numbers;
}

enum guard_read {
	READ_NOTHING,
	/* The planned object: it must have uid and resource_version still */
	READ_PLANNED,
	/*
	 * A pod: none of its name may be there that the planned object controls, or that
	 * has no controller and has FINALIZER_UNREPORTED
	 */
	READ_NO_POD,
	/* An object: it must not be there any more */
	READ_GONE,
	/* Secrets of the namespace: one of them must not be there */
	READ_NO_SECRET,
};

/*
 * Checked again at the moment of acting. uid and resource_version become preconditions of
 * the request itself, so the API server checks them. The Slurm part: right before the
 * request is sent, the node is looked at by a read of its own, and the rule by which the
 * deletion was ordered is asked again.
 */
struct guard {
	const char *uid;              /* NULL: no check */
	const char *resource_version; /* NULL: no check */
	/* For a deletion that relies on Slurm; name NULL: no check. */
	struct slurm_who node;
	/*
	 * With it: the facts that permitted the deletion, as of removal_ms (monotonic).
	 * With the newest answer of Slurm in them the rule must permit it still
	 * (removal_holds)
	 */
	const struct removal_facts *removal;
	int64_t removal_ms;
	/*
	 * For an action that may happen once only: this is read right before it is sent,
	 * as two watches are not equally new
	 */
	enum guard_read read;
	const char *pod;        /* of READ_NO_POD: its name */
	struct object_ref gone; /* of READ_GONE */
	const char *secrets;    /* of READ_NO_SECRET: names with commas between them */
	/*
	 * The API server carries the action out within this time of its receipt, or
	 * refuses it; 0: at any time
	 */
	int64_t within_ms;
};

/* A copy whose texts and facts live in the arena. */
struct guard guard_copy(struct arena *a, const struct guard *g);

struct action {
	struct operation operation;
	/*
	 * The object acted on; of Slurm nodes that whose link reaches them
	 */
	const char *ns, *name;
	struct guard guard;
	/*
	 * JSON text in the plan's arena: the new object, merge patch, JSON patch (an
	 * array), or NULL
	 */
	const char *body;
	const char *const *nodes; /* Slurm actions: node names */
	size_t n_nodes;
	const char *text; /* Slurm actions: reason or comment */
	/* Events: */
	bool warning;
	/*
	 * The Event reports a change in the status of this plan: it is emitted when the
	 * status is written, so once
	 */
	bool with_status;
	bool promised;      /* users were promised this Event: events_emit_promised */
	const char *reason; /* CamelCase */
	/*
	 * One sentence: log, condition and plan preview print it; the message of an
	 * Event. Never NULL
	 */
	const char *why;
	/*
	 * Events for people once it is done or has failed; NULL: none. Emitted on the
	 * planned object.
	 */
	const char *event_done, *event_failed; /* reasons: "SuccessfulCreate", "FailedCreate" */
	/*
	 * Reason of an Event when the API server accepts the object with a warning, and
	 * the subject of the warning: "the pods that are made"; NULL: no Event
	 */
	const char *event_warned, *warned_of;
};

/* The output of a planner. Everything lives in arena. */
struct plan {
	struct arena *arena;
	struct action *actions;
	size_t n, cap;
	struct demand demand; /* facts of Slurm that the next plan needs */
	int64_t again_in_ms;  /* plan again after so long even if nothing happens; 0: no need */
	bool more;            /* there is more to be done than there is room for now */
	bool asks_nodes;      /* which Nodes there are is to be known for the next one */
};

/* A zeroed action at the end of the plan. */
struct action *plan_add(struct plan *p, struct operation operation, const char *why);
void plan_need(struct plan *p, enum slurm_need need);
void plan_look(struct plan *p, const char *node);
/* The earlier of two times counts. */
void plan_ask_jobs(struct plan *p, int64_t at_ms);
/* Whether jobs can start at all is to be told. */
void plan_ask_partitions(struct plan *p);
/* Which jobs wait for nodes is to be told. */
void plan_ask_queue(struct plan *p);
/* The smaller non-zero of the times counts. */
void plan_again(struct plan *p, int64_t in_ms);

#endif
