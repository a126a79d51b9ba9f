/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of Clusters: their status, and the facts about their links. */
#include "kind/cluster_metrics.h"

#include "base/metric.h"
#include "base/own.h"
#include "kind/measured.h"
#include "object/condition.h"

#define OF_CLUSTER "namespace,cluster"

METRIC(conditions, "slurm_operator_cluster_condition", METRIC_GAUGE,
	"1 for the current status and reason of a condition of the Cluster.",
	OF_CLUSTER ",condition,status,reason", METRIC_OF_MANAGER);
METRIC(ready, "slurm_operator_cluster_ready", METRIC_GAUGE,
	"1 while the condition Ready of the Cluster is True.", OF_CLUSTER, METRIC_OF_MANAGER);
METRIC(token_ends, "slurm_operator_cluster_token_expires_seconds", METRIC_GAUGE,
	"Seconds until the token for slurmrestd expires, as the token itself states; negative after its expiry. A token that the manager makes from a key is replaced after half of its 15 minutes.",
	OF_CLUSTER, METRIC_OF_MANAGER);
METRIC(token_life, "slurm_operator_cluster_token_life_seconds", METRIC_GAUGE,
	"Lifetime of that token.", OF_CLUSTER, METRIC_OF_MANAGER);
METRIC(answer_age, "slurm_operator_cluster_answer_age_seconds", METRIC_GAUGE,
	"Age of the newest response of Slurm about its nodes, from the time of the request. A response without a change also counts. When idle, the manager reads the nodes every 10 s.",
	OF_CLUSTER, METRIC_OF_MANAGER);
METRIC(requests, "slurm_operator_slurmrestd_requests_total", METRIC_COUNTER,
	"Requests to slurmrestd since the Cluster exists. The code is <error> if there was no response, and other for a rare code.",
	OF_CLUSTER ",method,route,code", METRIC_OF_MANAGER);
METRIC(request_seconds, "slurm_operator_slurmrestd_request_duration_seconds", METRIC_HISTOGRAM,
	"Time from the start of a request to slurmrestd, including its wait in the queue of the client, to its end.",
	OF_CLUSTER, METRIC_OF_MANAGER, slurm_took_bounds, SLURM_TOOK_BOUNDS);

static struct metric *const of_clusters[] = { &conditions, &ready, &token_ends, &token_life,
	&answer_age, &requests, &request_seconds };

static void count_request(void *ctx, const struct slurm_request_count *c)
{
	const struct record *rec = ctx;
	metric_set(&requests, (double)c->n, rec->ns, rec->name, c->method, c->route, c->code);
}

static void measure_token(const struct measuring *m, const struct record *rec,
	const struct link_fact *f)
{
	double now_s = (double)loop_wall_ms(m->loop) / 1000;
	if (!f->token_ends_s)
		return;
	metric_set(&token_ends, (double)f->token_ends_s - now_s, rec->ns, rec->name);
	metric_set(&token_life, (double)(f->token_ends_s - f->token_begins_s), rec->ns, rec->name);
}

static void measure_link(const struct measuring *m, struct record *rec, struct slurm_link *link)
{
	const struct link_fact fact = slurm_link_fact(link);
	const struct slurm_requests *sent = slurm_link_requests(link);
	int64_t seen_ms = slurm_link_slurm(link).nodes_seen_ms;
	measure_token(m, rec, &fact);
	if (seen_ms)
		metric_set(&answer_age, (double)(loop_now_ms(m->loop) - seen_ms) / 1000, rec->ns,
			rec->name);
	slurm_requests_each(sent, count_request, rec);
	metric_set_histogram(&request_seconds, sent->took, sent->took_s, rec->ns, rec->name);
}

void cluster_measure(const struct measuring *m)
{
	for (size_t i = 0; i < LENGTH(of_clusters); i++)
		metric_clear(of_clusters[i]);
	AUTO(measured_free) struct measured clusters = measured_of(m->store, RES_CLUSTER, m->most);
	for (size_t i = 0; i < clusters.n; i++) {
		struct record rec = *clusters.all[i];
		struct slurm_link *link = m->link_of(m->ctx, rec.ns, rec.name);
		const struct json *told = json_at(rec.object, "status", "conditions");
		metric_set(&ready, condition_is(condition_find(told, "Ready"), "True"), rec.ns,
			rec.name);
		measured_conditions(&conditions, &rec);
		if (link)
			measure_link(m, &rec, link);
	}
}
