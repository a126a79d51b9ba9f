/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the fields of a WlmJob by the rules of red-box. */
#include "api/job_container.h"

#include "base/own.h"
#include "base/str.h"
#include "slurm/sbatch/container.h"

struct err job_check_image(const struct job *j)
{
	if (job_has_script(j->resource))
		return OK;
	return container_check_image("spec.image", j->image);
}

static const struct {
	const char *key, *field;
} numbers[CONTAINER_NUMBERS] = {
	[CONTAINER_TIME] = { "wallTime", "spec.resources.wallTime" },
	[CONTAINER_MEMORY] = { "memPerNode", "spec.resources.memPerNode" },
	[CONTAINER_NODES] = { "nodes", "spec.resources.nodes" },
	[CONTAINER_CPUS] = { "cpuPerNode", "spec.resources.cpuPerNode" },
};

struct err job_check_resources(const struct job *j)
{
	const struct json *resources = json_at(j->object, "spec", "resources");
	struct json_iter it = json_iter(resources);
	struct err e = OK;
	if (job_has_script(j->resource))
		return OK;
	while (json_next(&it))
		if (json_i64(it.value, -1) < 0)
			return err_new(ERR_INVALID,
				"spec.resources.%.40s must be a whole number, 0 or more", it.key);
	for (size_t i = 0; !failed(e) && i < LENGTH(numbers); i++)
		e = container_check_number((enum container_number)i, numbers[i].field,
			json_i64(json_get(resources, numbers[i].key), 0));
	return e;
}

static struct err check_binds(const struct json *binds)
{
	struct err e = OK;
	if (json_count(binds) > CONTAINER_BINDS)
		return err_new(ERR_INVALID, "spec.options.binds has %zu entries, and may have %d",
			json_count(binds), CONTAINER_BINDS);
	for (struct json_iter it = json_iter(binds); !failed(e) && json_next(&it);)
		e = container_check_bind("an entry of spec.options.binds", json_str(it.value, ""));
	return e;
}

struct err job_check_options(const struct job *j)
{
	const struct json *options = json_at(j->object, "spec", "options");
	if (job_has_script(j->resource))
		return OK;
	struct err e = container_check_text("spec.options.app",
		json_str(json_get(options, "app"), ""));
	if (!failed(e))
		e = container_check_text("spec.options.hostName",
			json_str(json_get(options, "hostName"), ""));
	return failed(e) ? e : check_binds(json_get(options, "binds"));
}
