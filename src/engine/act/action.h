/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An action: one operation on one object, with its reason and its guard. Planners order
 * actions. The executor carries them out and decides nothing.
 */
#ifndef ENGINE_ACT_ACTION_H
#define ENGINE_ACT_ACTION_H

#include "base/arena.h"
#include "engine/facts.h"
#include "link/demand.h"
#include "link/facts.h"
#include "object/resource.h"

struct removal_facts; /* engine/removal.h */

/* The verb of an operation; 0: no operation. */
enum verb {
	VERB_NONE,
	/* On an object of Kubernetes. */
	VERB_CREATE,
	VERB_PATCH,
	VERB_PATCH_STATUS,
	VERB_SHOW, /* writes the state of a Slurm node to its pod */
	VERB_DELETE,
	/* On nodes of Slurm. */
	VERB_DRAIN,
	VERB_UNDRAIN,
	VERB_RESUME, /* also a node that is DOWN */
	VERB_COMMENT,
	VERB_REMOVE, /* one node */
	/* The link makes a token and writes it to a Secret of another owner. */
	VERB_WRITE_TOKEN,
	/* Emits an Event about the planned object. */
	VERB_TELL,
	VERB_COUNT
};

/* The backends that carry out actions; each has its own guard. */
enum backend {
	BACKEND_NONE,
	BACKEND_KUBE,
	BACKEND_SLURM,
	BACKEND_TOKEN,
	BACKEND_EVENT,
	BACKEND_COUNT
};

struct verb_row {
	const char *word; /* "create", before the word of the resource; or "drain-nodes" */
	enum backend backend;
	bool names_resource;
	bool sets; /* sets a state, which another client may undo (reverted.h) */
	/* For people only: a failure is not reported in a status */
	bool shows;
	int at_a_time; /* limit of actions in flight for one object; 0: no special limit */
};
extern const struct verb_row verb_rows[VERB_COUNT];

/* A verb and the resource of its object. */
struct operation {
	enum verb verb;
	enum resource resource;
};
#define DO(verb, resource) ((struct operation){ VERB_##verb, RES_##resource })

enum { OPERATION_BYTES = 48 };
/* The name in metrics and logs: "create-pod", "patch-status", "drain-nodes". */
const char *operation_name(char buffer[static OPERATION_BYTES], struct operation d);

static inline bool operation_is(struct operation a, struct operation b)
{
	return a.verb == b.verb && a.resource == b.resource;
}
static inline enum backend operation_backend(struct operation d)
{
	return verb_rows[d.verb].backend;
}
/* True for a creation of a resource that comes in numbers (resource_row.in_numbers). */
static inline bool operation_in_numbers(struct operation d)
{
	return d.verb == VERB_CREATE && resource_rows[d.resource].in_numbers;
}

enum guard_read {
	READ_NOTHING,
	/* The planned object: it must still have the guard's uid and resource_version */
	READ_PLANNED,
	/*
	 * A pod: no pod of this name may exist that the planned object controls, or that
	 * has FINALIZER_UNREPORTED and no controller
	 */
	READ_NO_POD,
	/* An object: it must no longer exist */
	READ_GONE,
	/* Secrets of the namespace: at least one of them must not exist */
	READ_NO_SECRET,
};

/*
 * Conditions that are checked again right before an action is sent. uid and
 * resource_version become preconditions of the request, so the API server checks them.
 * For a deletion that relies on Slurm, the executor reads the Slurm node once more and
 * applies the rule again that ordered the deletion.
 */
struct guard {
	const char *uid;              /* NULL: no check */
	const char *resource_version; /* NULL: no check */
	/* The Slurm node, for a deletion that relies on Slurm; name NULL: no check */
	struct slurm_who node;
	/*
	 * The facts that permitted that deletion, as of removal_ms (monotonic). With the
	 * newest answer of Slurm in these facts, the rule must still permit the deletion
	 * (removal_holds)
	 */
	const struct removal_facts *removal;
	int64_t removal_ms;
	/*
	 * The object to read immediately before the action is sent, if the action may
	 * happen only once: a watch that the plan used may lag
	 */
	enum guard_read read;
	const char *pod;        /* for READ_NO_POD: the name of the pod */
	struct object_ref gone; /* for READ_GONE */
	const char *secrets;    /* for READ_NO_SECRET: names, separated by commas */
	/*
	 * The API server carries the action out within this time after it receives the
	 * request, or refuses it; 0: no limit
	 */
	int64_t within_ms;
};

/* A copy whose texts and facts are in the arena. */
struct guard guard_copy(struct arena *a, const struct guard *g);

struct action {
	struct operation operation;
	/*
	 * The object of the action; for Slurm nodes, the object whose link reaches them
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
	/* For Events: */
	bool warning;
	/*
	 * The Event reports a change in the status of this plan. It is emitted once, when
	 * the status is written
	 */
	bool with_status;
	bool promised;      /* users were promised this Event: events_emit_promised */
	const char *reason; /* CamelCase */
	/*
	 * The reason in one sentence, for logs, conditions and plan previews; for an
	 * Event, its message. Never NULL
	 */
	const char *why;
	/*
	 * Reasons of the Events on the planned object when the action succeeds or fails;
	 * NULL: no Event
	 */
	const char *event_done, *event_failed; /* "SuccessfulCreate", "FailedCreate" */
	/*
	 * The reason of an Event when the API server accepts the object with a warning,
	 * and the subject of the warning: "the pods that are made"; NULL: no Event
	 */
	const char *event_warned, *warned_of;
};

/* The output of a planner. All memory is in arena. */
struct plan {
	struct arena *arena;
	struct action *actions;
	size_t n, cap;
	struct demand demand; /* facts of Slurm that the next plan needs */
	int64_t again_in_ms;  /* time until the next plan, even if nothing changes; 0: none */
	bool more;            /* more actions are needed than may be sent now */
	bool asks_nodes;      /* the next plan needs the list of Nodes */
};

/* Adds a zeroed action at the end of the plan. */
struct action *plan_add(struct plan *p, struct operation operation, const char *why);
void plan_need(struct plan *p, enum slurm_need need);
void plan_look(struct plan *p, const char *node);
/* The next plan needs the list of jobs, from this time on; the earliest time counts. */
void plan_ask_jobs(struct plan *p, int64_t at_ms);
/* The next plan needs the partitions: whether jobs can start at all. */
void plan_ask_partitions(struct plan *p);
/* The next plan needs the queue: which jobs wait for nodes. */
void plan_ask_queue(struct plan *p);
/* Plan again after this time; the smallest time above 0 counts. */
void plan_again(struct plan *p, int64_t in_ms);

#endif
