/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of NodeSets and Clusters, one row each: what a status says, as a number. */
#include "kind/nodeset_metrics.h"

#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "object/condition.h"

#define OF_SET "namespace,nodeset"
#define SET_GAUGE(name, help) { name, METRIC_GAUGE, help, OF_SET, METRIC_OF_MANAGER }

static struct metric numbers[] = {
	SET_GAUGE("slurm_operator_nodeset_desired_replicas", "Pods that were asked for."),
	SET_GAUGE("slurm_operator_nodeset_replicas",
		"Pods that there are, also terminating and failed ones."),
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

METRIC(slurm_nodes, "slurm_operator_nodeset_slurm_nodes", METRIC_GAUGE,
	"Slurm nodes of its pods in this state: idle, allocated (mixed ones as well), down, and "
	"drain in addition to the state. While Slurm does not answer, the last known numbers.",
	OF_SET ",state", METRIC_OF_MANAGER);
METRIC(set_conditions, "slurm_operator_nodeset_condition", METRIC_GAUGE,
	"1 for the status and the reason that a condition of the NodeSet has now.",
	OF_SET ",condition,status,reason", METRIC_OF_MANAGER);
METRIC(cluster_conditions, "slurm_operator_cluster_condition", METRIC_GAUGE,
	"1 for the status and the reason that a condition of the Cluster has now.",
	"namespace,cluster,condition,status,reason", METRIC_OF_MANAGER);
METRIC(cluster_ready, "slurm_operator_cluster_ready", METRIC_GAUGE,
	"1 while the condition Ready of the Cluster is True.", "namespace,cluster",
	METRIC_OF_MANAGER);

static void set_of_conditions(struct metric *m, const struct record *rec)
{
	struct json_iter it = json_iter(json_at(rec->object, "status", "conditions"));
	while (json_next(&it))
		metric_set(m, 1, rec->ns, rec->name, json_str(json_get(it.value, "type"), ""),
			json_str(json_get(it.value, "status"), ""),
			json_str(json_get(it.value, "reason"), ""));
}

static void measure_set(void *ctx, const struct record *rec)
{
	(void)ctx;
	for (size_t i = 0; i < LENGTH(numbers); i++)
		metric_set(&numbers[i],
			(double)json_i64(json_at(rec->object, members[i].part, members[i].member),
				0),
			rec->ns, rec->name);
	for (size_t i = 0; i < LENGTH(states); i++)
		metric_set(&slurm_nodes,
			(double)json_i64(json_at(rec->object, "status", states[i].member), 0),
			rec->ns, rec->name, states[i].state);
	set_of_conditions(&set_conditions, rec);
}

void nodeset_measure(const struct store *store)
{
	for (size_t i = 0; i < LENGTH(numbers); i++)
		metric_clear(&numbers[i]);
	metric_clear(&slurm_nodes);
	metric_clear(&set_conditions);
	store_each(store, RES_NODESET, NULL, measure_set, NULL);
}

static void measure_cluster(void *ctx, const struct record *rec)
{
	(void)ctx;
	const struct json *conditions = json_at(rec->object, "status", "conditions");
	metric_set(&cluster_ready, condition_is(condition_find(conditions, "Ready"), "True"),
		rec->ns, rec->name);
	set_of_conditions(&cluster_conditions, rec);
}

void cluster_measure(const struct store *store)
{
	metric_clear(&cluster_ready);
	metric_clear(&cluster_conditions);
	store_each(store, RES_CLUSTER, NULL, measure_cluster, NULL);
}
