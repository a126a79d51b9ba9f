/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of a virtual node: its partition, and what a job may request there. */
#include <ctype.h>
#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "plan/vnode/partition.h"
#include "plan/vnode/sheet.h"

enum { LABEL_MOST = 63, FEATURES_MOST = 100, FIXED = 12 };

/*
 * The text as a label: each illegal character becomes "_". NULL: it cannot be a label,
 * for example because it begins with a hyphen.
 */
static const char *legal(struct arena *a, const char *text)
{
	size_t n = strlen(text);
	char *copy = arena_strdup(a, text);
	if (n == 0 || n > LABEL_MOST)
		return NULL;
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at >= 0x80 ||
			(!isalnum((unsigned char)*at) && !strchr("-_.", *at)))
			*at = '_';
	return isalnum((unsigned char)copy[0]) && isalnum((unsigned char)copy[n - 1]) ? copy : NULL;
}

/* The first label of a key counts. */
static bool add(struct vlabels *l, const char *key, const char *value)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->rows[i].key, key))
			return false;
	if (value)
		l->rows[l->n++] = (struct vlabel){ key, value };
	return value != NULL;
}

/*
 * A pod requires more than its request minus one, so the largest number admits each pod.
 */
static const char *limit(struct arena *a, int64_t most, bool unlimited)
{
	return arena_printf(a, "%lld", unlimited ? (long long)INT64_MAX : (long long)most);
}

static void add_limits(struct vlabels *l, struct arena *a, const struct wlm_resources *r)
{
	add(l, LABEL_PARTITION_NODES, limit(a, r->nodes, r->nodes < 0));
	add(l, LABEL_PARTITION_CPUS, limit(a, r->cpu_per_node, r->cpu_per_node < 0));
	add(l, LABEL_PARTITION_MEM, limit(a, r->mem_per_node_mb, r->mem_per_node_mb <= 0));
	add(l, LABEL_PARTITION_WALL_TIME, limit(a, r->wall_time_s, r->wall_time_s <= 0));
}

/* An older red-box does not report the state, so the labels are absent. */
static void add_state(struct vlabels *l, struct arena *a, const struct wlm_partition *now)
{
	if (!now)
		return;
	add(l, LABEL_PARTITION_STATE, legal(a, now->state));
	add(l, LABEL_PARTITION_RESTRICTED, vpartition_is_restricted(now) ? "true" : "false");
}

static void add_feature(struct vlabels *l, struct arena *a, const char *name, const char *value)
{
	const char *key = legal(a, name);
	if (key && add(l, arena_printf(a, LABEL_DOMAIN_WLM "%s", key), value))
		l->n_features++;
}

/*
 * Two forms: NAME=VERSION, as nodeSelectors in examples of wlm-operator use it, and
 * NAME_VERSION=QUANTITY, as its virtual nodes set it.
 */
static void add_features(struct vlabels *l, struct arena *a, const struct wlm_resources *r)
{
	for (size_t i = 0; i < r->n_features && i < FEATURES_MOST; i++) {
		const struct wlm_feature *f = &r->features[i];
		const char *quantity = arena_printf(a, "%lld",
			f->quantity > 0 ? (long long)f->quantity : 0LL);
		if (str_empty(f->version)) {
			add_feature(l, a, f->name, quantity);
			continue;
		}
		add_feature(l, a, f->name, legal(a, f->version));
		add_feature(l, a, arena_printf(a, "%s_%s", f->name, f->version), quantity);
	}
}

struct vlabels vnode_labels(struct arena *a, const struct vnode_view *v)
{
	struct vlabels l = { .rows = arena_array(a, struct vlabel, FIXED + 2 * FEATURES_MOST) };
	add(&l, LABEL_NODE_TYPE, NODE_TYPE_VIRTUAL);
	add(&l, "kubernetes.io/hostname", v->name);
	add(&l, "kubernetes.io/role", "agent");
	add(&l, "node.kubernetes.io/exclude-from-external-load-balancers", "true");
	add(&l, LABEL_CLUSTER, legal(a, v->cluster));
	add(&l, LABEL_PARTITION, legal(a, v->partition));
	if (v->resources) {
		add_limits(&l, a, v->resources);
		add_state(&l, a, v->resources->now);
		add_features(&l, a, v->resources);
	}
	return l;
}
