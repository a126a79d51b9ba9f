/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node: parsing its facts, reading it alone, and deleting it.
 *
 * If the name in GET node/NAME is unknown, Slurm 24.11.5 and 26.05.5 answer with 200,
 * without "nodes", and with one entry in errors[] whose number is 0 ("No error"). Any
 * other response without a node is a failure, and proves nothing about the node.
 */
#include "slurm/rest/parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/own.h"

enum { UNKNOWN_NODE = 2018, DELETE_MS = 30000, NAME_MOST_BYTES = 255 };

/* Rejects a text that cannot be the name of a host. */
static bool is_name(const char *text)
{
	size_t n = 0;
	while (text[n] > ' ' && text[n] < 127)
		n++;
	return n && !text[n] && n <= NAME_MOST_BYTES;
}

static int64_t node_size(const struct json *node, const char *key)
{
	int64_t n = answer_number(json_get(node, key));
	return n > 0 && n <= INT32_MAX ? n : 0;
}

/*
 * With SelectTypeParameters=CR_Core a job gets no memory. With CR_Core_Memory, which is
 * Slurm's default, a job that requests no memory gets all memory of the node (24.11.5).
 */
static enum tri memory_shared(const struct json *node)
{
	if (!node_size(node, "alloc_cpus"))
		return UNKNOWN;
	return node_size(node, "alloc_memory") ? NO : YES;
}

struct err node_of_json(const struct json *node, int64_t asked_ms, struct arena *texts,
	struct slurm_node *out)
{
	const char *name = json_str(json_get(node, "name"), "");
	const struct json *state = json_get(node, "state");
	if (str_empty(name))
		return err_new(ERR_INVALID, "a node without a name");
	if (!is_name(name))
		return err_new(ERR_INVALID, "a node with a name that no host can have");
	if (!json_is_arr(state) && !json_is_str(state))
		return err_new(ERR_INVALID, "node %s without a state", name);
	uint32_t bits = answer_bits(state, node_state_bit);
	*out = (struct slurm_node){
		.name = arena_strdup(texts, name),
		.reason = arena_strdup(texts, json_str(json_get(node, "reason"), "")),
		.comment = arena_strdup(texts, json_str(json_get(node, "comment"), "")),
		.address = arena_strdup(texts, json_str(json_get(node, "address"), "")),
		.hostname = arena_strdup(texts, json_str(json_get(node, "hostname"), "")),
		.gres = arena_strdup(texts, json_str(json_get(node, "gres"), "")),
		.cpus = node_size(node, "cpus"),
		.memory = node_size(node, "real_memory"),
		.memory_shared = memory_shared(node),
		.state = bits ? bits : NODE_OTHER,
		.last_busy_s = answer_number(json_get(node, "last_busy")),
		.reason_since_s = answer_finite(json_get(node, "reason_changed_at")),
		.asked_ms = asked_ms,
	};
	return OK;
}

/* ---- a read ---- */

struct node_read {
	struct slurm_op op; /* first */
	slurm_node_done *done;
	void *ctx;
	char *name;
};

static void read_release(struct slurm_op *op)
{
	free(((struct node_read *)op)->name);
	free(op);
}

static void read_finish(struct node_read *r, struct err err, const struct slurm_node *n,
	int64_t asked_ms)
{
	slurm_node_done *done = r->done;
	void *ctx = r->ctx;
	if (failed(err))
		err = err_wrap(err, "reading node %s of Slurm", r->name);
	op_leave(&r->op);
	read_release(&r->op);
	done(ctx, err, n, failed(err) ? 0 : asked_ms);
}

static void read_end(struct slurm_op *op, struct verdict v)
{
	read_finish((struct node_read *)op, v.err, NULL, 0);
}

/* There is no node, and at least one entry in errors[], each with "No error". */
static bool says_absent(const struct json *root)
{
	const struct json *errors = json_get(root, "errors"), *nodes = json_get(root, "nodes");
	bool none = json_is_null(nodes) || (json_is_arr(nodes) && json_count(nodes) == 0);
	for (struct json_iter it = json_iter(errors); none && json_next(&it);)
		none = json_i64(json_get(it.value, "error_number"), -1) == 0;
	return none && json_is_arr(errors) && json_count(errors) > 0;
}

static bool is_unknown(const struct err *e, int status)
{
	return e->kind == ERR_NOT_FOUND && e->code == UNKNOWN_NODE &&
		(status == 500 || status == 422 || status == 404);
}

/* Reads the node of a response; a response about another node is an error. */
static struct err node_of_answer(const struct json *root, const char *name, int64_t asked_ms,
	struct arena *texts, struct slurm_node *out)
{
	const struct json *list;
	struct err e = answer_list(root, "nodes", &list);
	if (!failed(e) && json_count(list) != 1)
		e = err_new(ERR_INVALID, "the answer is about %zu nodes", json_count(list));
	if (!failed(e))
		e = node_of_json(json_item(list, 0), asked_ms, texts, out);
	if (!failed(e) && !str_eq(out->name, name))
		e = err_new(ERR_INVALID, "the answer is about node %s", out->name);
	return e;
}

static void node_answered(void *ctx, struct err err, const struct http_answer *answer)
{
	struct node_read *r = ctx;
	struct slurm_node node;
	AUTO(arena_free) struct arena texts = { 0 };
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(r->op.slurm, err, answer, false, &doc);
	r->op.call = NULL;
	if (v.other_version) {
		op_restart(&r->op, v);
		return;
	}
	if (is_unknown(&v.err, answer ? answer->status : 0) ||
		(!failed(v.err) && says_absent(json_root(doc)))) {
		read_finish(r, OK, NULL, answer->asked_ms);
		return;
	}
	if (!failed(v.err))
		v.err = node_of_answer(json_root(doc), r->name, answer->asked_ms, &texts, &node);
	read_finish(r, v.err, failed(v.err) ? NULL : &node, answer ? answer->asked_ms : 0);
}

static void read_start(struct slurm_op *op)
{
	struct node_read *r = (struct node_read *)op;
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "/node/%s", r->name);
	struct slurm_request request = {
		.path = str_text(&path),
		.timeout_ms = SLURM_READ_MS,
	};
	op->call = op_send(op, &request, node_answered, r);
}

void slurm_one_node(struct slurm *s, const char *name, slurm_node_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.start = read_start,
		.end = read_end,
		.release = read_release,
	};
	struct node_read *r = own_alloc(sizeof(*r));
	struct err e = node_name_check(name);
	r->done = done;
	r->ctx = ctx;
	r->name = own_strdup(name ? name : "");
	if (failed(e))
		op_begin_failed(s, &r->op, &kind, e);
	else
		op_begin(s, &r->op, &kind);
}

/* ---- a deletion ---- */

struct node_delete {
	struct slurm_op op; /* first */
	slurm_done *done;
	void *ctx;
	char *name;
};

static void delete_release(struct slurm_op *op)
{
	free(((struct node_delete *)op)->name);
	free(op);
}

static void delete_end(struct slurm_op *op, struct verdict v)
{
	struct node_delete *d = (struct node_delete *)op;
	slurm_done *done = d->done;
	void *ctx = d->ctx;
	if (failed(v.err))
		v.err = err_wrap(v.err, "deleting node %s of Slurm", d->name);
	op_leave(op);
	delete_release(op);
	done(ctx, v.err);
}

static void deleted(void *ctx, struct err err, const struct http_answer *answer)
{
	struct node_delete *d = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(d->op.slurm, err, answer, true, &doc);
	d->op.call = NULL;
	if (v.other_version) {
		op_restart(&d->op, v);
		return;
	}
	if (v.err.kind == ERR_NOT_FOUND && v.err.code == UNKNOWN_NODE)
		v.err = OK;
	else if (!failed(v.err) && !json_is_arr(json_get(json_root(doc), "errors")))
		v.err = answer_vague();
	delete_end(&d->op, v);
}

static void delete_start(struct slurm_op *op)
{
	struct node_delete *d = (struct node_delete *)op;
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "/node/%s", d->name);
	struct slurm_request r = {
		.method = "DELETE",
		.path = str_text(&path),
		.timeout_ms = DELETE_MS,
	};
	op->call = op_send(op, &r, deleted, d);
}

void slurm_delete_node(struct slurm *s, const char *name, slurm_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.writes = true,
		.start = delete_start,
		.end = delete_end,
		.release = delete_release,
	};
	struct node_delete *d = own_alloc(sizeof(*d));
	struct err e = node_name_check(name);
	d->done = done;
	d->ctx = ctx;
	d->name = own_strdup(name ? name : "");
	if (failed(e))
		op_begin_failed(s, &d->op, &kind, e);
	else
		op_begin(s, &d->op, &kind);
}
