/* SPDX-License-Identifier: Apache-2.0 */
/* SlurmJobs of both groups and WlmJobs: pods, rules, and how their view is made. */
#include "api/names.h"
#include "base/own.h"
#include "engine/kind.h"
#include "kind/all.h"
#include "kind/results_server.h"
#include "plan/job/plan.h"

static const struct pod_fact *pod_named(const struct store *store, const char *ns, const char *name)
{
	const struct record *rec = store_get(store, RES_POD, ns, name);
	return rec ? rec->pod : NULL;
}

static void *begin(struct kube *kube, const struct record *rec, void (*wake)(void *ctx), void *ctx)
{
	(void)rec;
	return results_server_new(kube, wake, ctx);
}

static void end(void *own) { results_server_free(own); }

static void plan_job(const struct sight *sight, struct plan *out)
{
	const struct store *store = sight->store;
	const struct record *rec = sight->rec;
	struct job job;
	job_read(rec->resource, rec->object, &job);
	struct job_view view = {
		.resource = rec->resource,
		.object = rec->object,
		.in_flight = rec->in_flight,
		.in_short = rec->in_short || store_short(store, RES_POD, rec->ns) > 0,
		.pods_known = store_complete(store, RES_POD, rec->ns),
		.pod = pod_named(store, rec->ns, job_pod_name(out->arena, &job)),
		.collector = pod_named(store, rec->ns, job_collector_name(out->arena, &job)),
		.inputs_pod = pod_named(store, rec->ns, job_inputs_pod_name(out->arena, &job)),
		.options = sight->jobs ? sight->jobs : &job_options_usual,
		.server = { .url = "", .key = "" },
		.may_come = loop_now_ms(sight->loop) - sight->acting_since_ms < DELETION_LATE_MS,
		.nodes = sight->nodes,
		.pod_overtaken = store_overtaken(store, rec->uid) > 0,
		.failing = sight->failing,
		.n_failing = sight->n_failing,
	};
	int64_t now_wall_ms = loop_wall_ms(sight->loop);
	const char *node = job_wants_node(&view, now_wall_ms, out->arena);
	if (node)
		view.server = results_server_of(sight->own, node);
	job_plan(&view, now_wall_ms, out);
}

static void job_left(const struct sight *sight, const struct pod_fact *pod, struct plan *out)
{
	const struct job_left_view view = { pod, sight->seen_ms };
	job_left_plan(&view, loop_now_ms(sight->loop), out);
}

/* Pods of other controllers are never adopted. */
static const struct child children[] = { { RES_POD, .adopted = false } };

#define RULES(group, plural)                                                                 \
	{ group, plural, "get, list, watch, patch, delete",                                  \
		"the spec, the finalizer, and the deletion after ttlSecondsAfterFinished" }, \
		{ group, plural "/status", "patch", "the status" },                          \
		{ group, plural "/finalizers", "update",                                     \
			"owner references that block deletion (OwnerReferencesPermissionEnforcement)" }

static const struct rule slurmjob_rules[] = { RULES("wlm.sylabs.io", "slurmjobs") };
static const struct rule wlmjob_rules[] = { RULES("wlm.sylabs.io", "wlmjobs") };
static const struct rule older_rules[] = { RULES("slurm.sylabs.io", "slurmjobs") };

#define VIRTUAL_NODES LABEL_NODE_TYPE "=" NODE_TYPE_VIRTUAL
#define KIND_OF_JOB(res, who, its_rules)        \
	{                                       \
		.resource = (res),              \
		.optional = true,               \
		.children = children,           \
		.n_children = LENGTH(children), \
		.nodes = VIRTUAL_NODES,         \
		.component = (who),             \
		.rules = (its_rules),           \
		.n_rules = LENGTH(its_rules),   \
		.begin = begin,                 \
		.end = end,                     \
		.plan = plan_job,               \
		.pod_left = job_left,           \
	}

const struct kind kind_slurmjob = KIND_OF_JOB(RES_SLURMJOB, "slurmjob-controller", slurmjob_rules);
const struct kind kind_wlmjob = KIND_OF_JOB(RES_WLMJOB, "wlmjob-controller", wlmjob_rules);
const struct kind kind_older_slurmjob = KIND_OF_JOB(RES_OLDER_SLURMJOB, "slurmjob-controller",
	older_rules);
