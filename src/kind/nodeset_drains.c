/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the pod of a NodeSet that has waited longest for its deletion. */
#include "kind/nodeset_drains.h"

#include "api/names.h"
#include "base/str.h"
#include "children/pod.h"
#include "json/json.h"
#include "plan/nodeset/reasons.h"

struct search {
	const struct measuring *m;
	const struct record *set;
	struct slurm_link *link; /* NULL: there is none */
	struct drain_wait found;
};

static bool waits(const struct pod_fact *p)
{
	const char *by = pod_annotation(p, ANNOTATION_CORDONED_BY);
	bool ours = str_eq(by, CORDONED_BY_OPERATOR) || str_eq(by, CORDONED_BY_AGAIN);
	return ours && str_eq(pod_annotation(p, ANNOTATION_POD_CORDON), "true") && !p->terminating;
}

static int64_t waited_ms(const struct search *s, const struct pod_fact *p,
	const struct slurm_node_fact *n)
{
	int64_t seen_ms = p->marked_ms ? p->marked_ms : p->phase_seen_ms;
	int64_t ms = loop_now_ms(s->m->loop) - seen_ms;
	bool ours = n->known == YES && (n->state & NODE_DRAIN) &&
		reason_class_of(n->reason, s->set->ns, s->set->name, p->name) == REASON_OURS;
	if (ours && n->reason_since_s)
		ms = loop_wall_ms(s->m->loop) - n->reason_since_s * 1000;
	return ms > 0 ? ms : 0;
}

static void look(void *ctx, const struct record *rec)
{
	struct search *s = ctx;
	struct slurm_node_fact node = { .known = UNKNOWN };
	if (!waits(rec->pod))
		return;
	struct slurm_who who = pod_slurm_who(rec->pod);
	if (s->link)
		node = slurm_link_node(s->link, &who);
	int64_t ms = waited_ms(s, rec->pod, &node);
	if (s->found.pod && ms <= s->found.ms)
		return;
	s->found = (struct drain_wait){ rec->name, ms, node.held == YES ? node.holder.id : 0 };
}

struct drain_wait nodeset_drain_wait(const struct measuring *m, const struct record *nodeset)
{
	const char *cluster = json_str(json_at(nodeset->object, "spec", "clusterName"), "");
	struct search s = { m, nodeset, m->link_of(m->ctx, nodeset->ns, cluster), { 0 } };
	store_each_owned(m->store, nodeset->ns, nodeset->uid, look, &s);
	return s.found;
}
