/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of resources, and the paths of their objects. */
#include "object/resource.h"

#include <assert.h>
#include <stdio.h>

#include "object/query.h"

/* The row of SlurmJob, equal in each API group that it has been in. */
#define SLURMJOB(group)                                                                        \
	group, "v1alpha1", "slurmjobs", "SlurmJob", group "/v1alpha1", .namespaced = true,     \
		.custom = true, .word = "object", .spent = "batch", .spent_by = "status",      \
		.judged_by = "Accepted",                                                       \
		.judged = { "TooLarge", "NameTooLong", "InvalidScript", "InvalidNodeSelector", \
			"InvalidVolume", "InvalidPrepare", "InvalidResults" },                 \
		.usual_kb = 16, .most_kb = 256, .apart = true

const struct resource_row resource_rows[RES_COUNT] = {
	[RES_NONE] = { "", "", "", "", "" },
	[RES_NODESET] = { "slinky.slurm.net", "v1alpha1", "nodesets", "NodeSet",
		"slinky.slurm.net/v1alpha1", .namespaced = true, .custom = true, .word = "object",
		.usual_kb = 16, .most_kb = 256 },
	[RES_CLUSTER] = { "slinky.slurm.net", "v1alpha1", "clusters", "Cluster",
		"slinky.slurm.net/v1alpha1", .namespaced = true, .custom = true, .word = "object",
		.usual_kb = 8, .most_kb = 64 },
	[RES_SLURMJOB] = { SLURMJOB("wlm.sylabs.io") },
	[RES_WLMJOB] = { "wlm.sylabs.io", "v1alpha1", "wlmjobs", "WlmJob", "wlm.sylabs.io/v1alpha1",
		.namespaced = true, .custom = true, .word = "object", .usual_kb = 16,
		.most_kb = 256, .apart = true },
	[RES_OLDER_SLURMJOB] = { SLURMJOB("slurm.sylabs.io"), .called = "slurmjobs.slurm.sylabs.io",
		.on_wish = true },
	[RES_POD] = { "", "v1", "pods", "Pod", "v1", .namespaced = true, .word = "pod",
		.in_numbers = true, .controlled = true, .usual_kb = 4 },
	[RES_PVC] = { "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", "v1",
		.namespaced = true, .word = "pvc", .in_numbers = true,
		.unread = { "spec", "status" }, .usual_kb = 2, .most_kb = 16 },
	[RES_REVISION] = { "apps", "v1", "controllerrevisions", "ControllerRevision", "apps/v1",
		.namespaced = true, .word = "revision", .controlled = true,
		.unread_of_others = "data", .usual_kb = 16, .most_kb = 256 },
	[RES_SECRET] = { "", "v1", "secrets", "Secret", "v1", .namespaced = true },
	[RES_EVENT] = { "", "v1", "events", "Event", "v1", .namespaced = true, .word = "event" },
	[RES_LEASE] = { "coordination.k8s.io", "v1", "leases", "Lease", "coordination.k8s.io/v1",
		.namespaced = true },
	[RES_NAMESPACE] = { "", "v1", "namespaces", "Namespace", "v1" },
	[RES_NODE] = { "", "v1", "nodes", "Node", "v1" },
	[RES_SLURM_NODE] = { "", "", "", "", "" },
};

const char *resource_name(enum resource r)
{
	const struct resource_row *row = &resource_rows[r];
	return row->called ? row->called : row->plural;
}

const char *object_key(char buffer[static OBJECT_KEY_BYTES], const char *ns, const char *name)
{
	const char *end = buffer + OBJECT_KEY_BYTES;
	char *at = str_put(buffer, end, ns ? ns : "");
	at = str_put(at, end, "/");
	str_put(at, end, name ? name : "");
	return buffer;
}

const char *resource_path(struct arena *a, enum resource r, const char *ns, const char *name,
	const char *subresource)
{
	const struct resource_row *row = &resource_rows[r];
	assert(row->plural[0]); /* the API server serves it */
	AUTO(str_free) struct str path = { 0 };
	if (row->group[0])
		str_addf(&path, "/apis/%s/%s", row->group, row->version);
	else
		str_addf(&path, "/api/%s", row->version);
	if (ns && row->namespaced)
		query_segment(&path, "namespaces", ns);
	str_addf(&path, "/%s", row->plural);
	if (name)
		query_segment(&path, NULL, name);
	if (name && subresource)
		query_segment(&path, NULL, subresource);
	return arena_strndup(a, str_text(&path), path.len);
}
