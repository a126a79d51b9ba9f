/* SPDX-License-Identifier: Apache-2.0 */
/* The kind Cluster: its rules for the controller, and how its view is made. */
#include "api/cluster.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/kind.h"
#include "kind/all.h"
#include "kind/cluster_metrics.h"
#include "kind/users.h"
#include "plan/cluster/plan.h"

/*
 * Points the link to the server in spec. An invalid spec leaves the server and the Secret
 * of the link unchanged.
 */
static void direct_link(struct slurm_link *link, const struct json *object)
{
	struct cluster spec;
	struct recipient recipients[RECIPIENTS_MOST];
	cluster_read(object, &spec);
	struct err bad = cluster_check(&spec);
	slurm_link_mean(link, spec.slurm_cluster);
	if (failed(bad))
		slurm_link_invalid(link, bad.text);
	else if (str_empty(spec.key_ref))
		slurm_link_set(link, spec.server, spec.secret_ref);
	else
		slurm_link_set_minting(link, spec.server, spec.key_ref, spec.user);
	if (!failed(bad))
		slurm_link_set_recipients(link, recipients, cluster_recipients(&spec, recipients));
}

static void add_pod(void *ctx, const struct record *rec) { chain_add(ctx, rec->pod); }

/* The pods of a Cluster that no chart created are unknown. */
static struct chain chain_of(const struct sight *sight)
{
	const char *release = json_str(json_at(sight->rec->object, "metadata", "labels",
					       "app.kubernetes.io/instance"),
		"");
	struct chain c = { 0 };
	if (!str_empty(release))
		store_each_daemon(sight->store, sight->rec->ns, release, add_pod, &c);
	return c;
}

static void plan_cluster(const struct sight *sight, struct plan *out)
{
	const struct record *rec = sight->rec;
	direct_link(sight->link, rec->object);
	struct users users = users_of(sight->store, rec->ns, rec->name, out->arena);
	struct cluster_view view = {
		.object = rec->object,
		.in_flight = rec->in_flight,
		.link = slurm_link_fact(sight->link),
		.slurm = slurm_link_slurm(sight->link),
		.partitions = slurm_link_partitions(sight->link),
		.recipients = slurm_link_recipients(sight->link, out->arena),
		.failing = sight->failing,
		.n_failing = sight->n_failing,
		.chain = chain_of(sight),
		.pods_known = store_complete(sight->store, RES_POD, rec->ns),
		.n_nodesets = users.n,
		.nodesets = users.names,
		.nodesets_known = store_complete(sight->store, RES_NODESET, rec->ns),
	};
	cluster_plan(&view, loop_now_ms(sight->loop), loop_wall_ms(sight->loop), out);
}

static const struct rule rules[] = {
	{ "slinky.slurm.net", "clusters", "get, list, watch, patch",
		"the spec, and the finalizer" },
	{ "slinky.slurm.net", "clusters/status", "patch", "the status" },
	{ "", "secrets", "get", "the token of a Cluster, by its name; never listed" },
	{ "", "secrets", "patch",
		"tokens for other clients, in Secrets with the annotation for that" },
};

const struct kind kind_cluster = {
	.resource = RES_CLUSTER,
	.has_link = true,
	.component = "cluster-controller",
	.rules = rules,
	.n_rules = LENGTH(rules),
	.plan = plan_cluster,
	.measure = cluster_measure,
};
