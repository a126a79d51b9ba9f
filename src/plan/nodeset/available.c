/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition Available: how many pods are available, and why the others are not, as
 * Kubernetes reports it.
 */
#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/groups.h"

static bool is_terminating(const struct pod *p) { return p->terminating; }
static bool has_ended(const struct pod *p) { return pod_ended(p); }
static bool is_explained(const struct pod *p) { return !str_empty(p->fact->why); }
static bool is_sent(const struct pod *p) { return str_empty(p->fact->uid); }
static bool is_pending(const struct pod *p) { return p->phase == POD_PENDING; }
static bool is_unassigned(const struct pod *p)
{
	return is_pending(p) && str_empty(p->fact->node_name);
}
static bool is_lost(const struct pod *p) { return p->phase == POD_PHASE_UNKNOWN; }
static bool is_unready(const struct pod *p) { return !p->ready; }
static bool is_any(const struct pod *p) { return p; }

/* The first row that applies counts. NULL: the cause that the pod reports. */
static const struct cause {
	pod_is *yes;
	const char *text;
} causes[] = {
	{ is_terminating, "being deleted" },
	{ has_ended, "their containers have ended" },
	{ is_explained, NULL },
	{ is_sent, "just being created" },
	{ is_unassigned, "not assigned to a Kubernetes node yet" },
	{ is_pending,
		"volumes, Secrets and images are being made ready on their Kubernetes node (if this lasts, the Events of the pod say what is missing: kubectl describe pod)" },
	{ is_lost, "their Kubernetes node does not say what became of them" },
	{ is_unready,
		"running, but not ready: the readiness probe does not succeed (kubectl describe pod)" },
	{ is_any, "ready, but not for minReadySeconds yet" },
};

const char *pod_cause(const struct pod *p)
{
	size_t i = 0;
	while (!causes[i].yes(p))
		i++;
	return causes[i].text ? causes[i].text : p->fact->why;
}

static const char *why_unavailable(struct worksheet *w)
{
	struct groups g = { .w = w };
	for (size_t i = 0; i < w->n_pods; i++)
		if (!w->pods[i].available)
			groups_add(&g, pod_cause(&w->pods[i]), w->pods[i].fact->name);
	const char *text = groups_text(&g);
	if (!str_empty(text))
		return text;
	if (w->stopped)
		return "none is created (Degraded says what to put right)";
	return w->set.deleting ? "the NodeSet is being deleted, so none is created any more"
			       : "the others have yet to be created";
}

struct condition available(struct worksheet *w)
{
	int64_t want = w->set.replicas, have = w->tally.available;
	struct condition c = { "Available", COND_TRUE, "AllAvailable", NULL };
	if (have >= want) {
		c.message = want == 1
			? "the pod is available"
			: arena_printf(w->arena, "all %lld pods are available", (long long)want);
		return c;
	}
	c.status = COND_FALSE;
	c.reason = "PodsUnavailable";
	c.message = arena_printf(w->arena, "%lld of %s %s available; %s", (long long)have,
		pods_in_words(w, want), have == 1 || want == 1 ? "is" : "are", why_unavailable(w));
	return c;
}
