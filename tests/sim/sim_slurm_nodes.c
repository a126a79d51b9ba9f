/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of slurmrestd about nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "sim/sim_slurm_ask.h"

static void add_state(struct ask *a, yyjson_mut_val *object, const struct sim_node *n)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(a->d, object, "state");
	bool odd = a->s->odd_words && !n->job && sim_node_job(n) % 4 == 1;
	yyjson_mut_arr_add_str(a->d, list,
		odd               ? "HIBERNATING"
			: n->down ? "DOWN"
			: n->job  ? "ALLOCATED"
				  : "IDLE");
	if (n->ending)
		yyjson_mut_arr_add_str(a->d, list, "COMPLETING");
	if (n->drain)
		yyjson_mut_arr_add_str(a->d, list, "DRAIN");
	if (n->undrain)
		yyjson_mut_arr_add_str(a->d, list, "UNDRAIN");
	if (n->not_responding)
		yyjson_mut_arr_add_str(a->d, list, "NOT_RESPONDING");
	if (n->invalid_reg)
		yyjson_mut_arr_add_str(a->d, list, "INVALID_REG");
	yyjson_mut_arr_add_str(a->d, list, "DYNAMIC_NORM");
}

static void add_node(struct ask *a, yyjson_mut_val *list, const struct sim_node *n)
{
	yyjson_mut_val *o = yyjson_mut_arr_add_obj(a->d, list);
	yyjson_mut_obj_add_str(a->d, o, "name", n->name);
	yyjson_mut_obj_add_str(a->d, o, "hostname", n->hostname);
	yyjson_mut_obj_add_str(a->d, o, "address", n->address);
	add_state(a, o, n);
	yyjson_mut_obj_add_str(a->d, o, "reason", n->reason);
	yyjson_mut_obj_add_str(a->d, o, "comment", n->comment);
	sim_ask_number(a, o, "last_busy", false, n->last_busy_s);
	yyjson_mut_obj_add_int(a->d, o, "cpus", 4);
	yyjson_mut_obj_add_int(a->d, o, "alloc_cpus", n->job ? 4 : 0);
}

static int64_t query_number(const char *path, const char *key)
{
	const char *q = strchr(path, '?');
	size_t n = strlen(key);
	for (q = q ? q + 1 : ""; *q; q += strcspn(q, "&"), q += *q == '&')
		if (strncmp(q, key, n) == 0 && q[n] == '=')
			return strtoll(q + n + 1, NULL, 10);
	return 0;
}

bool sim_ask_unchanged(const struct sim_slurm *s, const char *path)
{
	int64_t since = query_number(path, "update_time");
	/* Nothing has changed after that, however busy it is */
	bool to_come = since > sim_loop_server_ms(s->loop) / 1000 + 1;
	return since > 0 && since - 1 >= s->last_update_s && (!s->busy || to_come);
}

void sim_ask_nodes(struct ask *a)
{
	int64_t since = query_number(a->rq->path, "update_time");
	/* an answer to a question about the far future says nothing of now */
	if (since <= sim_slurm_clock_s(a->s) && !a->s->stranger)
		a->out->seen = (struct sim_seen){
			.what = SIM_SEEN_NODES,
			.value = a->s->loop->now_ms,
		};
	if (sim_ask_unchanged(a->s, a->rq->path)) {
		sim_ask_plain(a->out, 304, "");
		return;
	}
	if (since > 0 && a->s->partitions_bug) {
		a->out->seen.what = 0;
		sim_ask_refuse(a, 500, -1, "Unable to query partitions");
		return;
	}
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(a->d, a->root, "nodes");
	for (const struct sim_node *n = a->s->nodes; n; n = n->next)
		add_node(a, list, n);
	sim_ask_last_update(a);
}

/* As names alone, in the order in which they came. */
static void add_names(struct ask *a, yyjson_mut_val *partition)
{
	AUTO(str_free) struct str names = { 0 };
	for (const struct sim_node *n = a->s->nodes; n; n = n->next)
		str_addf(&names, "%s%s", names.len ? "," : "", n->name);
	if (!a->s->no_future)
		str_addf(&names, "%sfuture[0-3]", names.len ? "," : "");
	yyjson_mut_obj_add_strcpy(a->d, yyjson_mut_obj_add_obj(a->d, partition, "nodes"),
		"configured", str_text(&names));
}

/*
 * Answers with the only partition, which is UP from the beginning to the end. That it has
 * other nodes is no change (24.11.5, 26.05.5).
 */
void sim_ask_partitions(struct ask *a)
{
	a->s->partition_reads++;
	if (query_number(a->rq->path, "update_time") > 0) {
		sim_ask_plain(a->out, 304, "");
		return;
	}
	yyjson_mut_val *all = yyjson_mut_arr_add_obj(a->d,
		yyjson_mut_obj_add_arr(a->d, a->root, "partitions"));
	yyjson_mut_obj_add_str(a->d, all, "name", "all");
	yyjson_mut_obj_add_str(a->d, all, "node_sets", "ALL");
	add_names(a, all);
	yyjson_mut_arr_add_str(a->d,
		yyjson_mut_obj_add_arr(a->d, yyjson_mut_obj_add_obj(a->d, all, "partition"),
			"state"),
		"UP");
	sim_ask_last_update(a);
}

void sim_ask_node(struct ask *a, const char *name)
{
	const struct sim_node *n = sim_slurm_node(a->s, name);
	if (!n) {
		sim_ask_refuse(a, 200, 0, "Failure to query node");
		return;
	}
	add_node(a, yyjson_mut_obj_add_arr(a->d, a->root, "nodes"), n);
	sim_ask_last_update(a);
}

/* ---- updates ---- */

static bool word_in(yyjson_val *list, const char *word)
{
	yyjson_val *v;
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	if (yyjson_is_str(list))
		return yyjson_equals_str(list, word);
	while ((v = yyjson_arr_iter_next(&it)))
		if (yyjson_equals_str(v, word))
			return true;
	return false;
}

/*
 * Slurm says no, but the reason is overwritten all the same, and the other nodes of the
 * call are done.
 */
static void refuse_state(struct ask *a, struct sim_node *n, const char *reason)
{
	if (reason) {
		free(n->reason);
		n->reason = own_strdup(reason);
		sim_slurm_touch(a->s, n);
	}
	sim_ask_refuse(a, a->s->refuse_422 ? 422 : 500, 2028, "Invalid node state specified");
}

static bool update_node(struct ask *a, const char *name, yyjson_val *body)
{
	struct sim_slurm *s = a->s;
	struct sim_node *n = sim_slurm_node(s, name);
	yyjson_val *state = yyjson_obj_get(body, "state");
	if (!n)
		return false;
	struct sim_node_update u = {
		.node = n,
		.drain = word_in(state, "DRAIN"),
		.undrain = word_in(state, "UNDRAIN") || word_in(state, "RESUME"),
		.resume = word_in(state, "RESUME"),
		.down = word_in(state, "DOWN"),
		.reason = yyjson_get_str(yyjson_obj_get(body, "reason")),
		.comment = yyjson_get_str(yyjson_obj_get(body, "comment")),
		.request = a->rq,
	};
	if (a->rq->observed && s->on_update)
		s->on_update(s->ctx, &u);
	enum sim_drainer who = a->rq->observed ? DRAINED_BY_OPERATOR : DRAINED_BY_ADMIN;
	if (u.comment) {
		free(n->comment);
		n->comment = own_strdup(u.comment);
		sim_slurm_touch(s, n);
	}
	if (a->rq->observed && s->deaf)
		return true;
	if (u.undrain && n->invalid_reg) {
		refuse_state(a, n, u.reason);
		return true;
	}
	if (u.resume)
		sim_slurm_set_up(s, n);
	if (u.drain)
		sim_slurm_set_drain(s, n, true, u.reason, who);
	else if (u.undrain)
		sim_slurm_set_drain(s, n, false, u.reason, who);
	if (u.down)
		sim_slurm_set_down(s, n, u.reason ? u.reason : "");
	sim_slurm_save(s); /* any update makes slurmctld write its state */
	return true;
}

/*
 * Calls update_node for each host of "a-0", "a-[0-2,5]" or comma separated ones. Counts
 * the unknown.
 */
static int update_list(struct ask *a, const char *list, yyjson_val *body)
{
	int unknown = 0;
	char name[256];
	while (*list) {
		size_t stem = strcspn(list, "[,"), n = stem;
		if (list[stem] != '[') {
			snprintf(name, sizeof(name), "%.*s", (int)stem, list);
			unknown += !update_node(a, name, body);
		} else {
			char *at = (char *)(uintptr_t)(list + stem + 1);
			while (*at && *at != ']') {
				char *end = at;
				long from = strtol(at, &end, 10),
				     to = *end == '-' ? strtol(end + 1, &end, 10) : from;
				for (; from <= to; from++) {
					snprintf(name, sizeof(name), "%.*s%ld", (int)stem, list,
						from);
					unknown += !update_node(a, name, body);
				}
				at = *end == ',' ? end + 1 : *end == ']' ? end : end + strlen(end);
			}
			n = (size_t)(at - list) + (*at == ']');
		}
		list += n;
		list += *list == ',';
	}
	return unknown;
}

void sim_ask_update(struct ask *a, const char *one)
{
	yyjson_doc *doc = yyjson_read(a->rq->body, a->rq->body_bytes, 0);
	yyjson_val *body = yyjson_doc_get_root(doc), *name = yyjson_obj_get(body, "name"), *each;
	int unknown = 0;
	if (!yyjson_is_obj(body) || (!one && !name)) {
		sim_ask_refuse(a, 400, 9202, "Unable to parse the body");
	} else if (one) {
		unknown = !update_node(a, one, body);
	} else if (yyjson_is_str(name)) {
		unknown = update_list(a, yyjson_get_str(name), body);
	} else {
		yyjson_arr_iter it = yyjson_arr_iter_with(name);
		while ((each = yyjson_arr_iter_next(&it)))
			unknown += yyjson_is_str(each) ? update_list(a, yyjson_get_str(each), body)
						       : 1;
	}
	if (unknown)
		sim_ask_refuse(a, a->s->refuse_422 ? 422 : 500, 2018,
			"Failure to update node: Invalid node name specified");
	yyjson_doc_free(doc);
}

void sim_ask_delete(struct ask *a, const char *name)
{
	struct sim_node *n = sim_slurm_node(a->s, name);
	int refused = a->s->refuse_422 ? 422 : 500;
	if (n && a->rq->observed && a->s->on_update)
		a->s->on_update(a->s->ctx,
			&(struct sim_node_update){ .node = n, .deleted = true, .request = a->rq });
	if (!n)
		sim_ask_refuse(a, refused, 2018, "Invalid node name specified");
	else if (!sim_slurm_delete_node(a->s, n))
		sim_ask_refuse(a, refused, 2016, "Requested nodes are busy");
}
