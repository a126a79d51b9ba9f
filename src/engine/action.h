/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An action: one thing to do, with its reason and its guard. Planners make them; the
 * executor carries them out and decides nothing.
 */
#ifndef ENGINE_ACTION_H
#define ENGINE_ACTION_H

#include "base/arena.h"
#include "engine/facts.h"
#include "link/demand.h"
#include "link/facts.h"
#include "object/resource.h"

enum action_kind {
	ACT_CREATE_POD,
	ACT_PATCH_POD,
	ACT_DELETE_POD,
	ACT_CREATE_PVC,
	ACT_PATCH_PVC,
	ACT_CREATE_REVISION,
	ACT_PATCH_REVISION,
	ACT_DELETE_REVISION,
	ACT_PATCH_STATUS, /* of the object planned for */
	ACT_PATCH_OBJECT, /* its metadata: finalizers */
	ACT_DRAIN_NODES,
	ACT_UNDRAIN_NODES,
	ACT_RESUME_NODES, /* that are DOWN as well */
	ACT_COMMENT_NODE,
	ACT_DELETE_NODE, /* one */
	ACT_EMIT_EVENT,
	ACT_KINDS
};
extern const char *const action_kind_names[ACT_KINDS];

/*
 * Checked again at the moment of acting. uid and resource_version become preconditions of
 * the request itself, so the API server checks them. The Slurm part: right before the
 * request is sent, the node is looked at by a read of its own, and the newest facts must
 * still say what the planner saw.
 */
struct guard {
	const char *uid;              /* NULL: no check */
	const char *resource_version; /* NULL: no check */
	/* Of a deletion that relies on Slurm; name NULL: no check. */
	struct slurm_who node;
	/*
	 * Slurm must have no such node, nor one of that address; otherwise it must be
	 * drained, and no job may have it
	 */
	bool absent;
};

struct action {
	enum action_kind kind;
	enum resource resource; /* Kubernetes actions */
	/*
	 * The object acted on; for Slurm actions the NodeSet's namespace and cluster name
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
	 * It tells what the status of this plan begins to say: it is told when that is
	 * written, so once
	 */
	bool with_status;
	bool promised;      /* somebody was promised to be told: events_emit_promised */
	const char *reason; /* CamelCase */
	/*
	 * One sentence: log, condition and plan preview print it; the message of an
	 * Event. Never NULL
	 */
	const char *why;
	/*
	 * What to tell people once it is done or has failed; NULL: nothing. Emitted on
	 * the planned object.
	 */
	const char *event_done, *event_failed; /* reasons: "SuccessfulCreate", "FailedCreate" */
};

/* The output of a planner. Everything lives in arena. */
struct plan {
	struct arena *arena;
	struct action *actions;
	size_t n, cap;
	struct demand demand; /* what must be known of Slurm for the next one */
	int64_t again_in_ms;  /* plan again after so long even if nothing happens; 0: no need */
};

/* A zeroed action at the end of the plan. */
struct action *plan_add(struct plan *p, enum action_kind kind, const char *why);
void plan_need(struct plan *p, enum slurm_need need);
void plan_look(struct plan *p, const char *node);
/* The earlier of two times counts. */
void plan_ask_jobs(struct plan *p, int64_t at_ms);
/* The smaller non-zero of the times counts. */
void plan_again(struct plan *p, int64_t in_ms);

#endif
