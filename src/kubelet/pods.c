/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods in the kubelet API. Slurm has no query for the CPU and memory use of a single
 * job, so only start times are reported.
 */
#include "base/own.h"
#include "base/time.h"
#include "json/build.h"
#include "kubelet/parts.h"

struct list {
	struct jdoc *d;
	struct jval *items;
	bool running;
};

static bool runs(const struct kubelet_pod *p) { return p->is_job && p->start_s > 0 && !p->ended; }

/* Adds {"items": [...]}, or another key, to out. one adds an item. */
static void add_list(const struct kubelet *k, struct list *l, struct jval *root, const char *key,
	void (*one)(void *list, const struct kubelet_pod *p), struct str *out)
{
	l->items = j_set(l->d, root, key, j_arr(l->d));
	k->config.each(k->config.ctx, one, l);
	str_add(out, j_text(l->d, root));
	str_add(out, "\n");
}

/* ---- pods ---- */

static struct jval *container_of(struct list *l, struct jval *in, const struct kubelet_pod *p)
{
	struct jval *c = j_obj(l->d);
	j_push(l->d, j_set(l->d, in, "containers", j_arr(l->d)), c);
	j_set_str(l->d, c, "name", p->container);
	return c;
}

static void add_pod(void *list, const struct kubelet_pod *p)
{
	struct list *l = list;
	if (l->running && !runs(p))
		return;
	struct jval *pod = j_push(l->d, l->items, j_obj(l->d));
	struct jval *m = j_child(l->d, pod, "metadata"), *spec = j_child(l->d, pod, "spec");
	j_set_str(l->d, m, "name", p->name);
	j_set_str(l->d, m, "namespace", p->ns);
	j_set_str(l->d, m, "uid", p->uid);
	j_set_str(l->d, spec, "nodeName", p->node);
	container_of(l, spec, p);
}

void kubelet_add_pods(const struct kubelet *k, bool running, struct str *out)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct list l = { .d = jdoc_new(&a), .running = running };
	struct jval *root = j_obj(l.d);
	j_set_str(l.d, root, "kind", "PodList");
	j_set_str(l.d, root, "apiVersion", "v1");
	j_child(l.d, root, "metadata");
	add_list(k, &l, root, "items", add_pod, out);
}

/* ---- stats ---- */

static void add_stats(void *list, const struct kubelet_pod *p)
{
	struct list *l = list;
	char start[TIME_RFC3339_BYTES];
	if (!runs(p))
		return;
	struct jval *pod = j_push(l->d, l->items, j_obj(l->d));
	struct jval *ref = j_child(l->d, pod, "podRef");
	time_format(p->start_s * 1000, start);
	j_set_str(l->d, ref, "name", p->name);
	j_set_str(l->d, ref, "namespace", p->ns);
	j_set_str(l->d, ref, "uid", p->uid);
	j_set_str(l->d, pod, "startTime", start);
	j_set_str(l->d, container_of(l, pod, p), "startTime", start);
}

void kubelet_add_summary(const struct kubelet *k, struct str *out)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct list l = { .d = jdoc_new(&a) };
	struct jval *root = j_obj(l.d);
	/* All nodes share one address, so the request does not name a node. */
	j_set_str(l.d, j_child(l.d, root, "node"), "nodeName", "");
	add_list(k, &l, root, "pods", add_stats, out);
}

static void add_metric(void *text, const struct kubelet_pod *p)
{
	if (runs(p))
		str_addf(text,
			"container_start_time_seconds{container=\"%s\",namespace=\"%s\",pod=\"%s\"}"
			" %lld\n",
			p->container, p->ns, p->name, (long long)p->start_s);
}

void kubelet_add_metrics(const struct kubelet *k, struct str *out)
{
	str_add(out,
		"# HELP container_start_time_seconds When the job began, since 1970.\n"
		"# TYPE container_start_time_seconds gauge\n");
	k->config.each(k->config.ctx, add_metric, out);
}
