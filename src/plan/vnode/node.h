/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner of one virtual node, whose Node object stands for one partition of one
 * Slurm. Pure.
 *
 * The Node is created with its labels and its taint when the resources of the partition
 * are known, so that the scheduler never sees it without them. The Node is never deleted,
 * because Kubernetes would delete its pods, too. While nothing can be submitted there,
 * the Node has one more taint but stays Ready, because Kubernetes evicts pods from a node
 * that is not Ready.
 *
 * Labels, taints, conditions and resources of other owners stay.
 */
#ifndef PLAN_VNODE_NODE_H
#define PLAN_VNODE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "json/json.h"
#include "wlm/plain.h"

enum {
	VNODE_WRITE_MS = 2000,     /* between two writes, even if a client reverts them */
	VNODE_REPORT_MS = 3600000, /* its status is written at least this often */
	VNODE_SILENT_MS = 20000,   /* a red-box that is silent for this time is reported as away */
	VNODE_MISSED_MS = 30000,   /* a partition that is not listed for this time is gone */
	VNODE_NAME_MOST = 63       /* the name is the value of a label, too */
};

enum vnode_trouble {
	VNODE_FINE,
	VNODE_AWAY, /* red-box has not answered for a while */
	VNODE_GONE, /* Slurm has no such partition, or it is not served any more */
};

/* The facts about one partition, its red-box and its Node object. */
struct vnode_view {
	const char *name, *cluster, *partition;
	bool known;              /* the nodes of Kubernetes were listed */
	bool in_flight;          /* a write of ours is under way */
	const struct json *node; /* NULL: there is none */
	bool red_box_away;       /* the last call to it failed */
	/* Monotonic: time when it last listed its partitions, or of its first query */
	int64_t answered_ms;
	int64_t listed_ms; /* time when it last listed this one, or of the first query */
	const struct wlm_resources *resources; /* NULL: not known */
	const char *address;                   /* of the kubelet API; "": none */
	int port;                              /* 0: no kubelet API */
	const char *public_key;                /* of its certificate; "": not known */
	int64_t written_ms;                    /* monotonic: time of its last write; 0: never */
	const char *slurm_version;             /* "": not known */
	int64_t reported_ms; /* monotonic: time of the last write of its status; 0: never */
};

enum vnode_step {
	VNODE_LEAVE,
	VNODE_REFUSE, /* a node of another owner has the name: nothing is written */
	VNODE_CREATE,
	VNODE_PATCH,  /* labels, annotations, taints */
	VNODE_REPORT, /* the status */
};

struct vnode_plan {
	enum vnode_step step;
	const char *why;
	const char *body;
	int64_t again_ms; /* time until the next plan; -1: when a fact changes */
};

/*
 * A red-box that does not answer gives no information about its partitions. A partition
 * that became known a moment ago also has time to be listed.
 */
static inline enum vnode_trouble vnode_trouble_of(const struct vnode_view *v, int64_t now_ms)
{
	if (v->red_box_away)
		return now_ms - v->answered_ms >= VNODE_SILENT_MS ? VNODE_AWAY : VNODE_FINE;
	return v->answered_ms - v->listed_ms >= VNODE_MISSED_MS ? VNODE_GONE : VNODE_FINE;
}

/* now_ms: monotonic. Texts of the plan are in the arena. */
void vnode_plan(const struct vnode_view *view, struct arena *arena, int64_t now_ms,
	int64_t now_wall_ms, struct vnode_plan *out);

/*
 * "slurm-CLUSTER-PARTITION", in lower case. If a character was changed or the name was
 * cut, a hash of the whole is appended, so that two partitions have two names. The
 * cluster has letters and digits only.
 */
const char *vnode_name(struct arena *a, const char *cluster, const char *partition);
/* The value of ANNOTATION_PARTITION; NULL: the node belongs to another cluster. */
const char *vnode_partition_of(const struct json *node, const char *cluster);

#endif
