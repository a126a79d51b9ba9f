/* SPDX-License-Identifier: Apache-2.0 */
/* The resources of the simulated API server, a row each. */
#include "sim/sim_resource.h"

#include <string.h>

#include "sim/sim_kube.h"

/*
 * Every patch of a ControllerRevision writes its data anew, with the members of each
 * object in the order of their names, and then compares bytes.
 */
static bool comes_through(yyjson_val *v)
{
	const char *before = "";
	yyjson_obj_iter it = yyjson_obj_iter_with(v);
	yyjson_val *key;
	while ((key = yyjson_obj_iter_next(&it))) {
		if (strcmp(before, yyjson_get_str(key)) > 0 ||
			!comes_through(yyjson_obj_iter_get_val(key)))
			return false;
		before = yyjson_get_str(key);
	}
	yyjson_arr_iter in = yyjson_arr_iter_with(v);
	while ((v = yyjson_arr_iter_next(&in)))
		if (!comes_through(v))
			return false;
	return true;
}

static bool data_differs(const struct sim_version *old, yyjson_mut_doc *d, yyjson_mut_val *root)
{
	yyjson_val *data = sim_get(old->root, "data");
	return !comes_through(data) || !sim_same(d, yyjson_mut_obj_get(root, "data"), data);
}

static bool spec_differs(const struct sim_version *old, yyjson_mut_doc *d, yyjson_mut_val *root)
{
	return !sim_same(d, yyjson_mut_obj_get(root, "spec"), sim_get(old->root, "spec"));
}

/* A pod's spec may change in its images only. */
static bool more_than_images(const struct sim_version *old, yyjson_mut_doc *d, yyjson_mut_val *root)
{
	yyjson_val *stored = sim_get(old->root, "spec");
	yyjson_mut_val *spec = yyjson_mut_obj_get(root, "spec"), *container;
	if (sim_same(d, spec, stored))
		return false;
	yyjson_mut_val *copy = yyjson_mut_val_mut_copy(d, spec);
	yyjson_mut_arr_iter it = yyjson_mut_arr_iter_with(yyjson_mut_obj_get(copy, "containers"));
	for (size_t i = 0; (container = yyjson_mut_arr_iter_next(&it)); i++)
		sim_put_back(d, container, yyjson_arr_get(sim_get(stored, "containers"), i),
			"image");
	return !sim_same(d, copy, stored);
}

static const char *needs_containers(yyjson_val *body)
{
	return yyjson_arr_size(sim_at(body, "spec", "containers"))
		? NULL
		: "spec.containers: Required value";
}

const struct sim_resource sim_resources[RES_COUNT] = {
	[RES_POD] = { .has_status = true,
		.status_has_notes = true,
		.has_grace = true,
		.phase = "Pending",
		.missing = needs_containers,
		.fixed = more_than_images,
		.orphaned = "nodeset.slinky.slurm.net/pod-cordon" },
	[RES_PVC] = { .has_status = true,
		.phase = "Pending",
		.finalizer = "kubernetes.io/pvc-protection",
		.fixed = spec_differs },
	[RES_REVISION] = { .fixed = data_differs },
	[RES_EVENT] = { .own = true, .most = 64 },
	[RES_LEASE] = { .own = true, .versioned = true, .ungenerated = true },
	[RES_NODE] = { .has_status = true },
	[RES_NAMESPACE] = { .has_status = true, .phase = "Active", .stays_until_empty = true },
};

bool sim_has_status(enum resource r)
{
	return resource_rows[r].custom || sim_resources[r].has_status;
}

bool sim_versioned(enum resource r)
{
	return resource_rows[r].custom || sim_resources[r].versioned;
}
