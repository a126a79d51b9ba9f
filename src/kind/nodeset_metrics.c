/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of NodeSets: the numbers of their status, and the waits of their drains. */
#include "kind/nodeset_metrics.h"

#include <stdio.h>

#include "base/metric.h"
#include "base/own.h"
#include "kind/measured.h"
#include "kind/nodeset_drains.h"

#define OF_SET "namespace,nodeset"
#define SET_GAUGE(name, help) { name, METRIC_GAUGE, help, OF_SET, METRIC_OF_MANAGER }

static struct metric numbers[] = {
	SET_GAUGE("slurm_operator_nodeset_desired_replicas", "Pods that spec.replicas requests."),
	SET_GAUGE("slurm_operator_nodeset_replicas",
		"Existing pods, including terminating and failed pods."),
	SET_GAUGE("slurm_operator_nodeset_ready_replicas", "Pods that are ready."),
	SET_GAUGE("slurm_operator_nodeset_updated_replicas", "Pods of the newest template."),
	SET_GAUGE("slurm_operator_nodeset_available_replicas",
		"Pods that have been ready for minReadySeconds."),
};
METRIC_LIST(numbers);

static const struct {
	const char *part, *member;
} members[LENGTH(numbers)] = {
	{ "spec", "replicas" },
	{ "status", "replicas" },
	{ "status", "readyReplicas" },
	{ "status", "updatedReplicas" },
	{ "status", "availableReplicas" },
};

static const struct {
	const char *member, *state;
} states[] = {
	{ "slurmIdle", "idle" },
	{ "slurmAllocated", "allocated" },
	{ "slurmDown", "down" },
	{ "slurmDrain", "drain" },
};

METRIC(node_states, "slurm_operator_nodeset_slurm_nodes", METRIC_GAUGE,
	"Slurm nodes of its pods in this state: idle, allocated (including mixed) or down, and drain in addition to the state. While Slurm does not answer, these are the last known numbers.",
	OF_SET ",state", METRIC_OF_MANAGER);
METRIC(set_conditions, "slurm_operator_nodeset_condition", METRIC_GAUGE,
	"1 for the current status and reason of a condition of the NodeSet.",
	OF_SET ",condition,status,reason", METRIC_OF_MANAGER);
METRIC(drain_wait, "slurm_operator_nodeset_drain_wait_seconds", METRIC_GAUGE,
	"Longest time that a pod has waited for its deletion: for the drain of its Slurm node, and for the jobs on that node. The time starts with the drain, as Slurm reports it. 0 if no pod waits.",
	OF_SET, METRIC_OF_MANAGER);
METRIC(drain_job, "slurm_operator_nodeset_drain_job_info", METRIC_GAUGE,
	"1. The labels have the pod that waits longest, and the job on its Slurm node: the job that ends last, or a suspended job. job_id is empty if Slurm reports no job. Only the leader has this series.",
	OF_SET ",waiting_pod,job_id", METRIC_OF_MANAGER);

static struct metric *const of_sets[] = { &node_states, &set_conditions, &drain_wait, &drain_job };

static void measure_drains(const struct measuring *m, const struct record *rec)
{
	char job[24] = "";
	struct drain_wait w = nodeset_drain_wait(m, rec);
	metric_set(&drain_wait, (double)w.ms / 1000, rec->ns, rec->name);
	if (!w.pod)
		return;
	if (w.job)
		snprintf(job, sizeof(job), "%lld", (long long)w.job);
	metric_set(&drain_job, 1, rec->ns, rec->name, w.pod, job);
}

static void measure_set(const struct measuring *m, const struct record *rec)
{
	for (size_t i = 0; i < LENGTH(numbers); i++)
		metric_set(&numbers[i],
			(double)json_i64(json_at(rec->object, members[i].part, members[i].member),
				0),
			rec->ns, rec->name);
	for (size_t i = 0; i < LENGTH(states); i++)
		metric_set(&node_states,
			(double)json_i64(json_at(rec->object, "status", states[i].member), 0),
			rec->ns, rec->name, states[i].state);
	measured_conditions(&set_conditions, rec);
	if (m->acts)
		measure_drains(m, rec);
}

void nodeset_measure(const struct measuring *m)
{
	for (size_t i = 0; i < LENGTH(numbers); i++)
		metric_clear(&numbers[i]);
	for (size_t i = 0; i < LENGTH(of_sets); i++)
		metric_clear(of_sets[i]);
	AUTO(measured_free) struct measured sets = measured_of(m->store, RES_NODESET, m->most);
	for (size_t i = 0; i < sets.n; i++)
		measure_set(m, sets.all[i]);
}
