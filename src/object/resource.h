/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that the operator talks about: one row each. */
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
	RES_OLDER_SLURMJOB, /* the same as RES_SLURMJOB, of a group that came before */
	RES_POD,
	RES_PVC,
	RES_REVISION,
	RES_SECRET,
	RES_EVENT,
	RES_LEASE,
	RES_NAMESPACE,
	RES_NODE,       /* of Kubernetes; elsewhere called machine */
	RES_SLURM_NODE, /* of Slurm: the API server has none, and the texts of its row are "" */
	RES_COUNT
};

struct resource_row {
	const char *group; /* "" for core */
	const char *version;
	const char *plural;      /* "pods" */
	const char *kind;        /* "Pod" */
	const char *api_version; /* "v1", "slinky.slurm.net/v1alpha1" */
	/* What it is called where another one has its plural; else NULL */
	const char *called;
	bool namespaced;
	bool custom;      /* deploy/crds defines it */
	bool on_wish;     /* deploy/crds/older does, which only some apply */
	const char *word; /* in the names of deeds: "pod"; NULL: nothing is done to it */
	/*
	 * Of one owner many are created at a time: slowly at first, and as many as the
	 * API server takes
	 */
	bool in_numbers;
	/* Who orders its creation controls it */
	bool controlled;
	/*
	 * Members that nobody reads, of any object, and of those of others. The store
	 * does not keep them: a cluster may have many
	 */
	const char *unread[2], *unread_of_others;
	/*
	 * A member of its spec that nobody reads any more once its status has the other
	 * one, a text that says something: it was read to make what the status tells of
	 */
	const char *spent, *spent_by;
	/*
	 * Nor does anybody read it once this condition says of this very generation that
	 * it is refused, for one of these reasons, which only another object would mend.
	 * The condition has to stand as it is then
	 */
	const char *judged_by, *judged[8];
	/*
	 * Of the manager's memory. What is larger than usual needs room in the share of
	 * its namespace (engine/room.h). What is larger than most is kept in part; 0: it
	 * has a limit of its own
	 */
	size_t usual_kb, most_kb;
	/*
	 * Its room is apart from that of all others, and each object is decided by
	 * itself: that another one is short of room does not matter
	 */
	bool apart;
};
extern const struct resource_row resource_rows[RES_COUNT];

/* By which it is known: no other resource of the API server is called so. */
const char *resource_name(enum resource r);

/* An object, by what names it. */
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
