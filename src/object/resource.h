/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that the operator reads or writes: one row each. */
#ifndef OBJECT_RESOURCE_H
#define OBJECT_RESOURCE_H

#include <stdbool.h>

#include "base/arena.h"

enum resource {
	RES_NONE,
	RES_NODESET,
	RES_CLUSTER,
	RES_SLURMJOB,
	RES_WLMJOB,
	RES_OLDER_SLURMJOB, /* SlurmJob in its former API group */
	RES_POD,
	RES_PVC,
	RES_REVISION,
	RES_SECRET,
	RES_EVENT,
	RES_LEASE,
	RES_NAMESPACE,
	RES_NODE,       /* a Kubernetes node; other comments call it machine */
	RES_SLURM_NODE, /* a Slurm node, which the API server does not have; its texts are "" */
	RES_COUNT
};

struct resource_row {
	const char *group; /* "" for core */
	const char *version;
	const char *plural;      /* "pods" */
	const char *kind;        /* "Pod" */
	const char *api_version; /* "v1", "slinky.slurm.net/v1alpha1" */
	/* The name if another resource has the same plural; else NULL */
	const char *called;
	bool namespaced;
	bool custom;      /* deploy/crds defines it */
	bool on_wish;     /* deploy/crds/older defines it, which is optional */
	const char *word; /* in the names of actions: "pod"; NULL: in no name */
	/*
	 * An owner may create many of these objects at once. The first batch is small,
	 * and each next batch is larger (engine/act/slow_start.h)
	 */
	bool in_numbers;
	/* The object that orders its creation controls it */
	bool controlled;
	/*
	 * Members that the operator does not read in any object, and in objects of other
	 * controllers. The store drops them, because a cluster may have many such objects
	 */
	const char *unread[2], *unread_of_others;
	/*
	 * spent: a member of spec that is no longer read once the member spent_by of the
	 * status is a text that is not empty, because spent was read to reach that
	 * status. While the condition judged_by refuses the object, only judged counts
	 */
	const char *spent, *spent_by;
	/*
	 * spent is no longer read either once the condition judged_by refuses this
	 * generation for one of the reasons in judged, which only a changed object would
	 * fix. Then the condition must stay as it is
	 */
	const char *judged_by, *judged[8];
	/*
	 * Memory of the manager. An object larger than usual_kb needs room in the
	 * quota of its namespace (engine/store/room.h). The store keeps only a part of an
	 * object larger than most_kb; 0: the resource has a limit of its own
	 */
	size_t usual_kb, most_kb;
	/*
	 * The resource has a quota apart from all others, and each object is decided by
	 * itself: another object that is over quota does not matter
	 */
	bool apart;
};
extern const struct resource_row resource_rows[RES_COUNT];

/* The unique name of the resource: no other resource of the API server has it. */
const char *resource_name(enum resource r);

/* The identity of an object. */
struct object_ref {
	enum resource resource;
	const char *ns, *name, *uid;
};

enum { OBJECT_KEY_BYTES = 512 }; /* a namespace has 63 characters, a name 253 */
/* "NS/NAME"; NULL is "". */
const char *object_key(char buffer[static OBJECT_KEY_BYTES], const char *ns, const char *name);

/*
 * "/api/v1/namespaces/NS/pods/NAME/SUBRESOURCE" ; name and subresource may be NULL, ns
 * NULL is all namespaces.
 */
const char *resource_path(struct arena *a, enum resource r, const char *ns, const char *name,
	const char *subresource);

#endif
