/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host name of a pod is the name of its Slurm node. A user who creates pods in the
 * namespace may write any host name, including that of a host outside of Kubernetes. So a
 * host name counts only if this NodeSet gives it to the pod: by its template, by one of
 * its revisions, or as the name of the pod.
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "children/pod.h"
#include "plan/nodeset/worksheet.h"

static void add_prefix(struct worksheet *w, const struct json *template)
{
	const char *prefix = json_str(json_at(template, "spec", "hostname"), "");
	for (size_t i = 0; i < w->n_prefixes; i++)
		if (str_eq(w->prefixes[i], prefix))
			return;
	if (!str_empty(prefix))
		w->prefixes[w->n_prefixes++] = prefix;
}

static void read_prefixes(struct worksheet *w)
{
	w->prefixes = arena_array(w->arena, const char *, w->view->n_revisions + 1);
	add_prefix(w, w->set.template);
	for (size_t i = 0; i < w->view->n_revisions; i++) {
		const struct json *revision = w->view->revisions[i].object;
		if (str_eq(controller_uid(revision), w->set.uid))
			add_prefix(w, json_at(revision, "data", "spec", "template"));
	}
}

bool pod_misnamed(struct worksheet *w, const struct pod_fact *f)
{
	int64_t ordinal = pod_ordinal(w->set.name, f->name), behind;
	if (str_eq(pod_slurm_name(f), f->name))
		return false;
	if (!w->prefixes)
		read_prefixes(w);
	for (size_t i = 0; i < w->n_prefixes; i++) {
		size_t n = strlen(w->prefixes[i]);
		if (strncmp(f->hostname, w->prefixes[i], n) == 0 &&
			str_to_i64(f->hostname + n, 0, INT32_MAX, &behind) && behind == ordinal)
			return false;
	}
	return true;
}

/* Until the node is DOWN, its jobs may run, and new ones may start. */
static bool slurmd_may_live(const struct slurm_node_fact *f)
{
	bool works = (f->state & NODE_BUSY_MASK) || f->held == YES;
	bool serves = node_state_answers(f->state) && !node_state_strange(f->state) &&
		!(f->state & NODE_POWER);
	return !(f->state & (NODE_DOWN | NODE_FUTURE)) && (works || serves);
}

/* A name that Slurm does not report is free: a NodeSet grows while Slurm is away. */
static bool is_busy(const struct worksheet *w, const struct host_name *h)
{
	if (h->pod)
		return true;
	if (!w->usable || h->left_behind || !slurmd_may_live(&h->node))
		return false;
	const char *ours = arena_printf(w->arena, "%s/%s-%lld", w->set.ns, w->set.name,
		(long long)h->ordinal);
	return !str_eq(comment_pod(w->arena, h->node.comment), ours);
}

static bool creations_under_way(const struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods; i++)
		if (str_empty(w->pods[i].fact->resource_version))
			return true;
	return false;
}

bool host_names_known(struct worksheet *w)
{
	enum { QUICK_MS = 2000, LATELY_MS = 1000, TIMES = 4, BATCH_MS = 10000 };
	const struct slurm_fact *slurm = &w->view->slurm;
	int64_t age_ms = w->now_ms - slurm->nodes_seen_ms;
	int64_t lately_ms = LATELY_MS + TIMES * slurm->list_took_ms;
	if (creations_under_way(w))
		lately_ms = BATCH_MS; /* a batch of creations does not wait for each new list */
	if (!w->usable || slurm->list_took_ms > QUICK_MS || age_ms <= lately_ms)
		return true;
	plan_need(w->out, SLURM_NOW);
	return false;
}

static const char *who_has(const struct worksheet *w, const struct host_name *h)
{
	const char *address = str_empty(h->node.address) ? "an unknown address" : h->node.address,
		   *pod = comment_pod(w->arena, h->node.comment);
	AUTO(str_free) struct str who = { 0 };
	if (h->pod && str_eq(h->pod->ns, w->set.ns))
		return arena_printf(w->arena, "pod %s", h->pod->name);
	if (h->pod)
		return arena_printf(w->arena, "pod %s/%s", h->pod->ns, h->pod->name);
	str_add(&who, "a slurmd at ");
	str_add_foreign(&who, address, 100);
	str_add(&who, str_empty(pod) ? "" : " (pod ");
	str_add_foreign(&who, pod, 200);
	str_add(&who, str_empty(pod) ? "" : ")");
	return arena_strdup(w->arena, str_text(&who));
}

static const char *busy_text(const struct worksheet *w, const struct host_name *first, size_t n)
{
	return arena_printf(w->arena,
		"%s has the host name of %s-%lld%s, and a second slurmd of that name would end its jobs: the pod is created when that slurmd is gone; give one of the two another spec.template.spec.hostname",
		who_has(w, first), w->set.name, (long long)first->ordinal,
		n > 1 ? arena_printf(w->arena, " (and likewise for %zu more)", n - 1) : "");
}

void step_host_names(struct worksheet *w)
{
	const struct host_name *first = NULL;
	size_t n = 0;
	if (w->set.deleting || (int64_t)w->n_pods >= w->set.replicas)
		return; /* no pod will be created */
	w->host_busy = arena_array(w->arena, bool, w->view->n_host_names + 1);
	for (size_t i = 0; i < w->view->n_host_names; i++) {
		const struct host_name *h = &w->view->host_names[i];
		w->host_busy[i] = is_busy(w, h);
		first = w->host_busy[i] && !first ? h : first;
		n += w->host_busy[i];
	}
	if (!n)
		return;
	w->tally.names_busy = busy_text(w, first, n);
	plan_again(w->out, NAMES_AGAIN_MS); /* no event reports the end of that slurmd */
}
