/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a SlurmJob or a WlmJob, and finds its faults. */
#include "api/job.h"

#include <assert.h>
#include <string.h>

#include "api/job_container.h"
#include "api/job_older.h"
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "object/condition.h"
#include "object/dns.h"
#include "object/metadata.h"

enum { POD_NAME_MOST = 253 };

/* False for an object with a pod: it was accepted, and its conditions show that. */
static bool was_refused(const struct json *status)
{
	const struct json *conditions = json_get(status, "conditions");
	return condition_is(condition_find(conditions, "Accepted"), "False") &&
		!condition_is(condition_find(conditions, "PodMade"), "True");
}

void job_read(enum resource r, const struct json *object, struct job *out)
{
	const struct json *spec = json_get(object, "spec");
	struct metadata m = metadata_of(object);
	*out = (struct job){
		.object = object,
		.resource = r,
		.cut = json_is_cut(object),
		.large = object_is_large(object),
		.ns = m.ns,
		.name = m.name,
		.uid = m.uid,
		.resource_version = m.resource_version,
		.generation = m.generation,
		.deleting = m.deleting,
		.orphaning = m.deleting && has_finalizer(object, FINALIZER_ORPHAN),
		.has_finalizer = has_finalizer(object, FINALIZER_JOB),
		.batch = json_str(json_get(spec, "batch"), ""),
		.batch_bytes = json_str_bytes(json_get(spec, "batch")),
		.image = json_str(json_get(spec, "image"), ""),
		.node_selector = json_get(spec, "nodeSelector"),
		.status = json_get(object, "status"),
		.ttl_s = json_i64(json_get(spec, "ttlSecondsAfterFinished"), -1),
	};
	if (job_has_script(r) && json_is_null(json_get(spec, "batch")))
		out->refusal = refusal_of(&resource_rows[r], object);
	out->pod_phase = was_refused(out->status) ? ""
						  : json_str(json_get(out->status, "status"), "");
}

/* ---- names ---- */

static const char *suffix(enum resource r) { return r == RES_WLMJOB ? "-wlm-job" : "-job"; }

const char *job_pod_name(struct arena *a, const struct job *j)
{
	return arena_printf(a, "%s%s", j->name, suffix(j->resource));
}

bool job_is_pod_name(enum resource r, const char *name, const char *pod)
{
	return str_has_prefix(pod, name) && str_eq(pod + strlen(name), suffix(r));
}

const char *job_collector_name(struct arena *a, const struct job *j)
{
	return arena_printf(a, "%s%s-collect", j->name, suffix(j->resource));
}

const char *job_inputs_pod_name(struct arena *a, const struct job *j)
{
	return arena_printf(a, "%s%s-prepare", j->name, suffix(j->resource));
}

/* ---- requested resources ---- */

static int64_t number(const struct json *resources, const char *key)
{
	return json_i64(json_get(resources, key), 0);
}

struct err job_wishes(const struct job *j, struct sbatch_wishes *out)
{
	const struct json *resources = json_at(j->object, "spec", "resources");
	if (job_has_script(j->resource))
		return sbatch_read(j->batch, j->batch_bytes, out);
	*out = (struct sbatch_wishes){
		.nodes = number(resources, "nodes"),
		.wall_time_s = number(resources, "wallTime"),
		.mem_per_node_mib = number(resources, "memPerNode"),
		.cpus_per_node = number(resources, "cpuPerNode"),
	};
	return OK;
}

/* ---- faults ---- */

/* Repeats the recorded refusal, because the script was not kept and cannot be checked. */
static struct job_fault refusal_again(const struct job *j)
{
	return (struct job_fault){ json_str(json_get(j->refusal, "reason"), ""),
		err_new(ERR_INVALID, "%s", json_str(json_get(j->refusal, "message"), "")) };
}

static struct err check_kept(const struct job *j)
{
	if (!j->cut && !j->large)
		return OK;
	return err_new(ERR_INVALID,
		"the object is too large: the operator reads at most %zu kB; put large data where Slurm can read it, and let the script read it from there",
		resource_rows[j->resource].most_kb);
}

static struct err check_name(const struct job *j)
{
	size_t rest = strlen(suffix(j->resource)) + strlen("-collect"); /* and "-prepare" */
	if (strlen(j->name) + rest <= POD_NAME_MOST)
		return OK;
	return err_new(ERR_INVALID,
		"its name has %zu characters and may have %zu, because its pods are named after it; apply it with a shorter name",
		strlen(j->name), POD_NAME_MOST - rest);
}

static struct err check_script(const struct job *j)
{
	struct sbatch_wishes wishes;
	if (!job_has_script(j->resource))
		return OK;
	struct err e = job_wishes(j, &wishes);
	return failed(e) ? err_new(ERR_INVALID, "spec.batch: %.300s", e.text) : OK;
}

static struct err check_node_selector(const struct job *j)
{
	for (struct json_iter it = json_iter(j->node_selector); json_next(&it);)
		if (!json_is_str(it.value) && !json_is_int(it.value))
			return err_new(ERR_INVALID,
				"the value of %.100s in spec.nodeSelector is neither a text nor a whole number",
				it.key);
	return OK;
}

/* The pods that copy data also have volumes of the operator. */
static struct err check_volumes(const struct job *j)
{
	static const char *const parts[] = { "results", "prepare" };
	for (size_t i = 0; i < LENGTH(parts); i++) {
		const struct json *mount = json_at(j->object, "spec", parts[i], "mount");
		const char *name = json_str(json_get(mount, "name"), "");
		if (!json_is_null(mount) && !is_dns_label(name))
			return err_new(ERR_INVALID,
				"spec.%s.mount.name is \"%.80s\", and no name of a volume: lower case letters, digits and -, such as data",
				parts[i], name);
		if (str_eq(name, VOLUME_RED_BOX) || str_eq(name, VOLUME_RESULTS_TOKEN))
			return err_new(ERR_INVALID,
				"spec.%s.mount.name is %s, which is the operator's own volume: choose another name",
				parts[i], name);
	}
	return OK;
}

static const struct fault_row {
	const char *reason;
	struct err (*check)(const struct job *j);
	bool stays; /* the fault cannot be fixed in an existing object */
} rows[] = {
	{ "TooLarge", check_kept, true },
	{ "NameTooLong", check_name, false },
	{ "InvalidScript", check_script, true },
	{ "InvalidImage", job_check_image, true },
	{ "InvalidResources", job_check_resources, true },
	{ "InvalidOptions", job_check_options, true },
	{ "InvalidNodeSelector", check_node_selector, true },
	{ "InvalidNodeSelector", job_older_check_labels, true },
	{ "SshNotServed", job_older_check_ssh, false },
	{ "InvalidVolume", check_volumes, false },
};
static_assert(LENGTH(rows) <= JOB_MAX_FAULTS, "all faults of a job have room");

size_t job_faults(const struct job *j, struct job_fault out[JOB_MAX_FAULTS])
{
	size_t n = 0;
	if (j->refusal)
		out[n++] = refusal_again(j);
	for (size_t i = 0; !j->refusal && i < LENGTH(rows); i++) {
		struct err e = rows[i].check(j);
		if (failed(e))
			out[n++] = (struct job_fault){ rows[i].reason, e };
	}
	return n;
}

struct job_fault job_fault_of(const struct job *j)
{
	if (j->refusal)
		return refusal_again(j);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct err e = rows[i].check(j);
		if (failed(e) && rows[i].stays)
			e = err_new(ERR_INVALID, "%s; delete it, and apply it anew with the change",
				e.text);
		if (failed(e))
			return (struct job_fault){ rows[i].reason, e };
	}
	return (struct job_fault){ 0 };
}
