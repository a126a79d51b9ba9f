/* SPDX-License-Identifier: Apache-2.0 */
/* The pods of a NodeSet and their Slurm nodes, given to its planner (see given.h). */
#include "lib/given.h"

#include "plan/nodeset/records.h"

void given_label(struct given_pod *p, const char *key, const char *value)
{
	for (size_t i = 0; i < p->fact.n_labels; i++)
		if (str_eq(p->labels[i].key, key)) {
			p->labels[i].value = value;
			return;
		}
	p->labels[p->fact.n_labels++] = (struct kv){ key, value };
}

void given_annotation(struct given_pod *p, const char *key, const char *value)
{
	for (size_t i = 0; i < p->fact.n_annotations; i++)
		if (str_eq(p->annotations[i].key, key)) {
			p->annotations[i].value = value;
			return;
		}
	p->annotations[p->fact.n_annotations++] = (struct kv){ key, value };
	p->fact.annotated = true;
}

void given_no_annotation(struct given_pod *p, const char *key)
{
	for (size_t i = 0; i < p->fact.n_annotations; i++)
		if (str_eq(p->annotations[i].key, key))
			p->annotations[i--] = p->annotations[--p->fact.n_annotations];
}

struct given_pod *given_pod_named(struct given *g, const char *name)
{
	struct given_pod *p = &g->pods[g->n_pods++];
	p->fact = (struct pod_fact){
		.ns = "ns",
		.name = name,
		.uid = arena_printf(&g->arena, "uid-%s", name),
		.resource_version = "3",
		.node_name = "machine",
		.hostname = name,
		.why = "",
		.ip = arena_printf(&g->arena, "10.0.0.%zu", g->n_pods),
		.second_ip = "",
		.phase = POD_RUNNING,
		.ready = true,
		.created_ms = GIVEN_WALL_MS - 7200000,
		.ready_since_ms = GIVEN_WALL_MS - 3600000,
		.labels = p->labels,
		.annotations = p->annotations,
		.claims = p->claims,
		.controller = { "NodeSet", "foo", "set", true },
		.n_owners = 1,
		.second_owner_at = -1,
	};
	p->node = (struct slurm_node_fact){
		.known = YES,
		.seen_ms = GIVEN_NOW_MS - 100,
		.named_ms = GIVEN_NOW_MS - 100,
		.state = NODE_IDLE | NODE_DYNAMIC,
		.reason = "",
		.address = p->fact.ip,
		.held = NO,
		.free_since_ms = GIVEN_NOW_MS - 200,
		.holder = { .user = "" },
		.comment = arena_printf(&g->arena, "{\"namespace\":\"ns\",\"podName\":\"%s\"}",
			name),
	};
	given_label(p, "app", "slurmd");
	given_label(p, LABEL_HASH, g->hash);
	given_label(p, LABEL_POD_NAME, name);
	given_annotation(p, ANNOTATION_REGISTERED, GIVEN_SLURM);
	return p;
}

struct given_pod *given_pod(struct given *g, int ordinal)
{
	return given_pod_named(g, arena_printf(&g->arena, "foo-%d", ordinal));
}

void given_pods(struct given *g, int n)
{
	for (int i = 0; i < n; i++)
		given_pod(g, i);
}

struct given_pod *pod_of(struct given *g, const char *name)
{
	for (size_t i = 0; i < g->n_pods; i++)
		if (str_eq(g->pods[i].fact.name, name))
			return &g->pods[i];
	fail_msg("no pod %s was given", name);
	return NULL;
}

void given_old(struct given_pod *p) { given_label(p, LABEL_HASH, "older"); }

void given_our_cordon(struct given_pod *p)
{
	given_annotation(p, ANNOTATION_POD_CORDON, "true");
	given_annotation(p, ANNOTATION_CORDONED_BY, CORDONED_BY_OPERATOR);
}

void given_pending(struct given_pod *p, bool bound)
{
	p->fact.phase = POD_PENDING;
	p->fact.ready = false;
	p->fact.ready_since_ms = 0;
	p->fact.node_name = bound ? "machine" : "";
}

void given_mounted(struct given_pod *p, const char *volume, const char *claim)
{
	p->claims[p->fact.n_claims++] = (struct claim_fact){ volume, claim };
}

void given_old_pods(struct given *g, int n)
{
	for (int i = 0; i < n; i++)
		given_old(given_pod(g, i));
}

void given_orphan(struct given_pod *p)
{
	p->fact.controller = (struct owner_fact){ "", "", "", false };
}

/* ---- their Slurm nodes ---- */

void given_node(struct given_pod *p, uint32_t state, const char *reason)
{
	p->node.state = state;
	p->node.reason = reason;
}

void given_leaving(struct given_pod *p, uint32_t state)
{
	given_our_cordon(p);
	given_node(p, state, OUR_REASON);
}

void given_condemned(struct given *g, uint32_t state)
{
	given_nodeset(g, "\"replicas\":0");
	given_leaving(given_pod(g, 0), state);
}

void given_absent(struct given *g, struct given_pod *p, int64_t for_ms)
{
	p->node = (struct slurm_node_fact){
		.known = NO,
		.seen_ms = g->now_ms - 100,
		.absent_since_ms = g->slurm.nodes_seen_ms - for_ms,
		.reason = "",
		.comment = "",
		.address = "",
		.holder = { .user = "" },
	};
}

void given_slurm_silent(struct given *g)
{
	g->slurm = (struct slurm_fact){ NO, 0, 0, "slurmrestd does not answer", GIVEN_SLURM, 0,
		"" };
	for (size_t i = 0; i < g->n_pods; i++)
		g->pods[i].node = (struct slurm_node_fact){
			.known = UNKNOWN,
			.reason = "",
			.comment = "",
			.address = "",
			.holder = { .user = "" },
		};
}

struct record_fact *given_record(struct given *g, const char *pod)
{
	struct record_fact *r = &g->records[g->n_records++];
	*r = (struct record_fact){
		.node = pod,
		.pod = pod,
		.podless_since_ms = GIVEN_NOW_MS - PODLESS_MS,
		.fact = {
			.known = YES,
			.seen_ms = GIVEN_NOW_MS - 100,
			.state = NODE_IDLE | NODE_DRAIN | NODE_DYNAMIC | NODE_NOT_RESPONDING,
			.reason = OUR_REASON,
			.comment = "",
			.held = NO,
			.free_since_ms = GIVEN_NOW_MS - 200,
			.confirmed = true,
		},
	};
	return r;
}
