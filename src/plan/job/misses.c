/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the requests of a pod with the labels, taints and cordon of each node. */
#include "plan/job/misses.h"

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "children/job_pod.h"
#include "json/json.h"

enum { LABEL_TEXT = 80, VALUE_TEXT = 63, NAME_TEXT = 130 };

/* The misses of one node: the text so far, and their number. */
struct misses {
	struct str *out;
	size_t n;
};

/* Begins another miss. false: the text has enough of them, and it is only counted. */
static bool begin_miss(struct misses *m)
{
	m->n++;
	if (m->n > MISSES_TOLD)
		return false;
	str_add(m->out, m->n == 1 ? "" : ", ");
	return true;
}

/* ---- words ---- */

static void add_number(struct str *out, int64_t n) { str_addf(out, "%lld", (long long)n); }

/* As Slurm writes it: "1-02:00:00". */
static void add_time(struct str *out, int64_t s)
{
	enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
	if (s >= DAY)
		str_addf(out, "%lld-", (long long)(s / DAY));
	str_addf(out, "%02lld:%02lld:%02lld", (long long)(s % DAY / HOUR),
		(long long)(s % HOUR / MINUTE), (long long)(s % MINUTE));
}

/* "8 CPUs a node asked for, it has 4" */
static const struct limit_row {
	const char *label, *of, *has;
	void (*add)(struct str *out, int64_t n);
} limits[] = {
	{ LABEL_PARTITION_CPUS, " CPUs a node", "it has ", add_number },
	{ LABEL_PARTITION_NODES, " nodes", "it has ", add_number },
	{ LABEL_PARTITION_MEM, " MB of memory a node", "it has ", add_number },
	{ LABEL_PARTITION_WALL_TIME, " of time", "its limit is ", add_time },
};

static void add_limit(struct str *out, const struct limit_row *row, int64_t wish, const char *has)
{
	int64_t most;
	if (wish == SBATCH_NO_LIMIT)
		str_add(out, "no limit");
	else
		row->add(out, wish);
	str_addf(out, "%s asked for, ", row->of);
	if (!str_to_i64(has, INT64_MIN, INT64_MAX, &most)) {
		str_add(out, "its limit is unknown");
		return;
	}
	str_add(out, row->has);
	row->add(out, most);
}

/* "no feature gpu=a100", "label zone is b, not a" */
static void add_other(struct str *out, const char *label, char sign, const char *wish,
	const char *has)
{
	bool feature = str_has_prefix(label, LABEL_DOMAIN_WLM) && !str_eq(label, LABEL_PARTITION) &&
		!str_eq(label, LABEL_CLUSTER);
	const char *key = feature ? label + strlen(LABEL_DOMAIN_WLM) : label;
	str_addf(out, "%s%s ", has ? "" : "no ", feature ? "feature" : "label");
	str_add_foreign(out, key, LABEL_TEXT);
	if (has) {
		str_add(out, " is ");
		str_add_foreign(out, has, VALUE_TEXT);
		str_add(out, sign == '>' ? ", not more than " : ", not ");
	} else {
		str_addf(out, "%c", sign);
	}
	str_add_foreign(out, wish, VALUE_TEXT);
}

/* ---- labels ---- */

static bool has_more(const char *has, const char *than)
{
	int64_t n, wish;
	return has && str_to_i64(has, INT64_MIN, INT64_MAX, &n) &&
		str_to_i64(than, INT64_MIN, INT64_MAX, &wish) && n > wish;
}

static void add_wish(struct misses *m, const char *label, char sign, const char *wish,
	const char *has)
{
	int64_t than;
	if (sign == '>' ? has_more(has, wish) : has && str_eq(has, wish))
		return;
	if (!begin_miss(m))
		return;
	for (size_t i = 0; i < LENGTH(limits); i++)
		if (sign == '>' && str_eq(label, limits[i].label) &&
			str_to_i64(wish, 0, INT64_MAX - 1, &than)) {
			add_limit(m->out, &limits[i], than + 1, has);
			return;
		}
	add_other(m->out, label, sign, wish, has);
}

/*
 * Adds the requested labels that the node lacks. wishes has one label a line, and no
 * label contains "=" or ">".
 */
static void add_labels(struct misses *m, struct arena *a, const char *wishes,
	const struct json *labels)
{
	for (const char *at = wishes; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t line = strcspn(at, "\n"), n = strcspn(at, "=>");
		if (n >= line)
			continue;
		const char *label = arena_strndup(a, at, n);
		add_wish(m, label, at[n], arena_strndup(a, at + n + 1, line - n - 1),
			json_str(json_get(labels, label), NULL));
	}
}

/* ---- taints ---- */

#define TAINT_CORDON "node.kubernetes.io/unschedulable"

static const struct {
	const char *key, *value, *text; /* value NULL: any */
} taint_rows[] = {
	{ TAINT_UNAVAILABLE, "partition-gone", "Slurm has it no more" },
	{ TAINT_UNAVAILABLE, "partition-down", "it is DOWN in Slurm" },
	{ TAINT_UNAVAILABLE, "partition-drain", "it is in DRAIN in Slurm" },
	{ TAINT_UNAVAILABLE, "partition-inactive", "it is INACTIVE in Slurm" },
	{ TAINT_UNAVAILABLE, "root-only", "it is for root alone in Slurm" },
	{ TAINT_UNAVAILABLE, NULL, "its red-box or slurmctld does not answer" },
	{ "node.kubernetes.io/not-ready", NULL, "is not ready" },
	{ "node.kubernetes.io/unreachable", NULL, "its virtual node does not answer" },
};

static void add_taint(struct misses *m, const char *key, const char *value)
{
	if (!begin_miss(m))
		return;
	for (size_t i = 0; i < LENGTH(taint_rows); i++)
		if (str_eq(key, taint_rows[i].key) &&
			(!taint_rows[i].value || str_eq(value, taint_rows[i].value))) {
			str_add(m->out, taint_rows[i].text);
			return;
		}
	str_add(m->out, "has the taint ");
	str_add_foreign(m->out, key, LABEL_TEXT);
}

static void add_taints(struct misses *m, const struct json *spec)
{
	bool cordoned = json_bool(json_get(spec, "unschedulable"), false);
	for (struct json_iter it = json_iter(json_get(spec, "taints")); json_next(&it);) {
		const char *key = json_str(json_get(it.value, "key"), ""),
			   *value = json_str(json_get(it.value, "value"), ""),
			   *effect = json_str(json_get(it.value, "effect"), "");
		bool is_cordon = str_eq(key, TAINT_CORDON);
		cordoned |= is_cordon;
		if (!is_cordon && !str_eq(effect, "PreferNoSchedule") &&
			!job_pod_tolerates(key, value, effect))
			add_taint(m, key, value);
	}
	if (cordoned && begin_miss(m))
		str_add(m->out, "is cordoned");
}

/* ---- all of it ---- */

/* "hpc/debug", or the name of a node without these labels. */
static void add_name(struct str *out, const struct json *metadata)
{
	const struct json *labels = json_get(metadata, "labels");
	const char *cluster = json_str(json_get(labels, LABEL_CLUSTER), ""),
		   *partition = json_str(json_get(labels, LABEL_PARTITION), "");
	if (str_empty(cluster) || str_empty(partition)) {
		str_add_foreign(out, json_str(json_get(metadata, "name"), ""), NAME_TEXT);
		return;
	}
	str_add_foreign(out, cluster, VALUE_TEXT);
	str_add(out, "/");
	str_add_foreign(out, partition, VALUE_TEXT);
}

struct partition {
	const char *text;
	size_t n; /* number of misses */
};

static struct partition partition_of(struct arena *a, const char *wishes, const struct json *node)
{
	AUTO(str_free) struct str text = { 0 };
	struct misses m = { .out = &text };
	add_name(&text, json_get(node, "metadata"));
	str_add(&text, ": ");
	add_labels(&m, a, wishes, json_at(node, "metadata", "labels"));
	add_taints(&m, json_get(node, "spec"));
	if (m.n > MISSES_TOLD)
		str_addf(&text, " and %zu more", m.n - MISSES_TOLD);
	return (struct partition){ arena_strdup(a, str_text(&text)), m.n };
}

/*
 * The next of the partitions with the fewest misses, in their order; it is removed from
 * the list.
 */
static const char *take_next(struct partition *all, size_t n)
{
	struct partition *best = NULL;
	for (struct partition *p = all; p < all + n; p++)
		if (p->text && (!best || p->n < best->n))
			best = p;
	return TAKE(best->text);
}

const char *job_misses(struct arena *a, const char *wishes, const struct nodes_fact *nodes)
{
	AUTO(str_free) struct str text = { 0 };
	size_t n = json_count(nodes->list), told = 0;
	struct partition *all = arena_array(a, struct partition, n + 1), *p = all;
	if (str_empty(wishes) || !nodes->list)
		return NULL;
	for (struct json_iter it = json_iter(nodes->list); json_next(&it); p++) {
		*p = partition_of(a, wishes, it.value);
		if (!p->n)
			return NULL;
	}
	str_add(&text,
		n ? "no partition fits"
		  : "there is no partition: no node of type=virtual-kubelet exists (docs/bridge.md)");
	for (; told < n && told < PARTITIONS_TOLD; told++)
		str_addf(&text, "%s%s", told ? "; " : ": ", take_next(all, n));
	if (nodes->more)
		str_add(&text, "; and more");
	else if (told < n)
		str_addf(&text, "; and %zu more", n - told);
	return arena_strdup(a, str_text(&text));
}
