/* SPDX-License-Identifier: Apache-2.0 */
/* Converts lists from slurmrestd to facts. */
#include "exporter/take.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "exporter/take_parts.h"
#include "plan/exporter/rows.h"
#include "plan/exporter/rpcs.h"
#include "slurm/rest/counted.h"

enum {
	NODES_MOST = 65536,  /* limit of Slurm */
	JOBS_MOST = 1000000, /* Slurm's MaxJobCount is 10,000 by default */
	PARTITIONS_MOST = 4096,
};

static struct exporter_names names_of(const struct name_table *names)
{
	return (struct exporter_names){ names->v, names->n };
}

/* ---- array of items ---- */

struct source_answer *take_new(enum exporter_source of)
{
	struct source_answer *t = own_alloc(sizeof(*t));
	t->of = of;
	t->lists = own_alloc(sizeof(*t->lists));
	t->accounts = own_alloc(sizeof(*t->accounts));
	t->users = own_alloc(sizeof(*t->users));
	t->user_names = own_alloc(sizeof(*t->user_names));
	t->gres = gres_table_new();
	return t;
}

/* Adds an element to the array. NULL, and an error in t: there are too many. */
static void *one_more(struct source_answer *t, size_t bytes, size_t most, const char *what)
{
	if (t->n == most)
		t->err = err_new(ERR_TOO_LARGE, "more than %zu %s", most, what);
	if (failed(t->err))
		return NULL;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->v = own_realloc(t->v, t->cap * bytes);
	}
	return (char *)t->v + bytes * t->n++;
}

/* ---- items ---- */

/* Index of a list of names, as "a,b". */
static size_t list_of(struct source_answer *t, const struct json *names)
{
	AUTO(str_free) struct str all = { 0 };
	for (struct json_iter it = json_iter(names); json_next(&it);)
		str_addf(&all, "%s%s", all.len ? "," : "", json_str(it.value, ""));
	return name_index(t, t->lists, str_text(&all));
}

/*
 * Prometheus rejects a page with a duplicate series, so the first node of a name counts.
 */
void take_node(struct source_answer *t, const struct json *item)
{
	struct slurm_node_counted n;
	if (!failed(t->err))
		t->err = slurm_count_node(item, &n);
	if (failed(t->err))
		return;
	size_t names = t->user_names->n, at = name_index(t, t->user_names, n.name);
	if (at < names)
		return;
	take_gres(t, n.gres, false);
	take_gres(t, n.gres_used, true);
	struct exporter_node *to = one_more(t, sizeof(*to), NODES_MOST, "nodes");
	if (!to)
		return;
	*to = (struct exporter_node){
		.name = t->user_names->v[at],
		.state = n.state,
		.list = list_of(t, n.partitions),
		.cpus = n.cpus,
		.cpus_effective = n.cpus_effective,
		.cpus_alloc = n.cpus_alloc,
		.cpus_idle = n.cpus_idle,
		.memory = n.memory,
		.memory_special = n.memory_special,
		.memory_alloc = n.memory_alloc,
		.memory_free = n.memory_free,
	};
}

/* Only the name and the number together identify a user. */
static size_t user_in(struct source_answer *t, struct name_table *users, const char *name,
	int64_t uid)
{
	AUTO(str_free) struct str key = { 0 };
	str_add_bytes(&key, name, strlen(name) + 1);
	str_add_bytes(&key, &uid, sizeof(uid));
	return key_index(t, users, str_text(&key), key.len);
}

void take_job(struct source_answer *t, const struct json *item)
{
	struct slurm_job_counted j;
	if (!failed(t->err))
		t->err = slurm_count_job(item, &j);
	for (struct json_iter it = json_iter(failed(t->err) ? NULL : j.gres); json_next(&it);)
		take_gres(t, json_str(it.value, ""), true);
	struct exporter_job *to = one_more(t, sizeof(*to), JOBS_MOST, "jobs");
	if (!to)
		return;
	*to = (struct exporter_job){
		.state = j.state,
		.held = j.held,
		.list = name_index(t, t->lists, j.partition),
		.user = user_in(t, t->users, j.user, j.uid),
		.account = name_index(t, t->accounts, j.account),
		.nodes = j.nodes,
		.eligible_s = j.eligible_s,
		.cpus = j.cpus,
		.memory = j.memory,
		.id = j.id,
		.start_s = j.start_s,
	};
}

void take_partition(struct source_answer *t, const struct json *item)
{
	struct slurm_partition_counted p;
	if (!failed(t->err))
		t->err = slurm_count_partition(item, &p);
	struct exporter_partition *to = one_more(t, sizeof(*to), PARTITIONS_MOST, "partitions");
	if (!to)
		return;
	take_bytes(t, strlen(p.name));
	*to = (struct exporter_partition){ arena_strdup(&t->texts, p.name), p.nodes, p.cpus };
}

/*
 * Prometheus rejects a page with a duplicate series, so items of the same name and number
 * are added up. seen: an empty table.
 */
static struct exporter_rpcs rpcs_of(struct source_answer *t, const struct json *list,
	const char *named_by, struct name_table *seen)
{
	list = json_is_arr(list) ? list : NULL;
	struct exporter_rpc *v = arena_array(&t->texts, struct exporter_rpc, json_count(list) + 1);
	for (struct json_iter it = json_iter(list); json_next(&it);) {
		struct slurm_rpc_counted rpc = slurm_count_rpc(it.value, named_by);
		if (!*rpc.name)
			continue;
		struct exporter_rpc *to = &v[user_in(t, seen, rpc.name, rpc.uid)];
		to->name = seen->v[to - v];
		to->uid = rpc.uid;
		take_sum(&to->count, rpc.count);
		take_sum(&to->total_us, rpc.total_us);
	}
	return (struct exporter_rpcs){ v, exporter_rank_rpcs(v, seen->n) };
}

void take_statistics(struct source_answer *t, const struct json *root)
{
	const struct json *statistics = json_get(root, "statistics");
	if (!json_is_obj(statistics))
		t->err = err_new(ERR_INVALID, "the answer has no \"statistics\"");
	for (size_t i = 0; i < n_exporter_statistics; i++)
		t->diag.told[i] = slurm_count_statistic(statistics, exporter_statistics[i].path,
			&t->diag.v[i]);
	t->diag.types = rpcs_of(t, json_get(statistics, "rpcs_by_message_type"), "message_type",
		t->lists);
	t->diag.users = rpcs_of(t, json_get(statistics, "rpcs_by_user"), "user", t->users);
}

/* ---- the end ---- */

static struct exporter_rpcs copied(struct arena *a, const struct exporter_rpcs *from)
{
	struct exporter_rpc *v = arena_array(a, struct exporter_rpc, from->n + 1);
	for (size_t i = 0; i < from->n; i++) {
		v[i] = from->v[i];
		v[i].name = arena_strdup(a, v[i].name);
	}
	return (struct exporter_rpcs){ v, from->n };
}

/* Keeps only items that have series, because an answer may name 80,000 users. */
static void end_statistics(struct source_answer *t)
{
	struct arena kept = { 0 };
	t->diag.types = copied(&kept, &t->diag.types);
	t->diag.users = copied(&kept, &t->diag.users);
	name_table_empty(t->lists);
	name_table_empty(t->users);
	arena_free(&t->texts);
	t->texts = kept;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct exporter_partition *)a)->name,
		((const struct exporter_partition *)b)->name);
}

static void end_partitions(struct source_answer *t)
{
	struct exporter_partition *v = t->v;
	size_t n = 0;
	if (t->n)
		qsort(v, t->n, sizeof(*v), by_name);
	for (size_t i = 0; i < t->n; i++)
		if (!n || strcmp(v[n - 1].name, v[i].name) != 0)
			v[n++] = v[i];
	t->partitions = (struct exporter_partitions){ v, n };
}

static void end_jobs(struct source_answer *t)
{
	size_t n = t->users->n;
	struct exporter_user *users = arena_array(&t->texts, struct exporter_user, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *key = t->users->v[i];
		users[i].name = key;
		memcpy(&users[i].uid, key + strlen(key) + 1, sizeof(users[i].uid));
		users[i].named = name_index(t, t->user_names, key);
	}
	t->jobs = (struct exporter_jobs){
		.v = t->v,
		.n = t->n,
		.lists = names_of(t->lists),
		.accounts = names_of(t->accounts),
		.user_names = names_of(t->user_names),
		.users = users,
		.n_users = n,
		.gres = gres_table_list(t),
	};
}

struct err take_end(struct source_answer *t)
{
	if (failed(t->err))
		return t->err;
	if (t->of == EXPORTER_NODES)
		t->nodes = (struct exporter_nodes){ t->v, t->n, names_of(t->lists),
			gres_table_list(t) };
	else if (t->of == EXPORTER_JOBS)
		end_jobs(t);
	else if (t->of == EXPORTER_PARTITIONS)
		end_partitions(t);
	else if (t->of == EXPORTER_DIAG)
		end_statistics(t);
	return t->err;
}

void take_free(struct source_answer *t)
{
	if (!t)
		return;
	name_table_free(t->lists);
	name_table_free(t->accounts);
	name_table_free(t->users);
	name_table_free(t->user_names);
	gres_table_free(t->gres);
	free(t->v);
	arena_free(&t->texts);
	free(t);
}
