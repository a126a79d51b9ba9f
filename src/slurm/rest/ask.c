/* SPDX-License-Identifier: Apache-2.0 */
/* A single request as an operation of the client. */
#include "slurm/rest/ask.h"

#include "base/own.h"
#include "slurm/rest/parts.h"

struct ask {
	struct slurm_op op; /* first */
	struct slurm_ask what;
	char *path;
	struct answer_items items;
	slurm_asked *done;
	void *ctx;
};

static void ask_items_free(struct slurm_op *op) { items_free(&((struct ask *)op)->items); }

static void ask_release(struct slurm_op *op)
{
	struct ask *a = (struct ask *)op;
	items_free(&a->items);
	free(a->path);
	free(a);
}

/*
 * Whether slurmrestd, or a server in its place, failed, and not the request itself. A
 * refusal by Slurm keeps its error kind.
 */
static bool is_of_the_way(const struct verdict *v)
{
	bool token = v->health == SLURM_DENIED &&
		(v->err.code == 401 || v->err.code == 403 || v->err.code == 511 ||
			v->err.code == 1007 || !v->err.code);
	return token || v->health == SLURM_NOT_SLURM || v->health == SLURM_VERSION ||
		v->health == SLURM_OTHER_CLUSTER || v->health == SLURM_TLS ||
		v->health == SLURM_UNREACHABLE;
}

static void ask_finish(struct ask *a, struct verdict v, const struct json *root)
{
	slurm_asked *done = a->done;
	void *ctx = a->ctx;
	bool of_the_way = failed(v.err) && is_of_the_way(&v) && v.err.kind != ERR_TOO_LARGE;
	if (of_the_way || v.err.kind == ERR_LOST)
		v.err.kind = ERR_RETRY;
	op_leave(&a->op);
	ask_release(&a->op);
	done(ctx, v.err, root);
}

static void ask_end(struct slurm_op *op, struct verdict v)
{
	ask_finish((struct ask *)op, v, NULL);
}

static struct err not_served(void)
{
	return err_new(ERR_RETRY,
		"slurmrestd does not serve slurmdbd (HTTP status 404): it needs \"-s slurmctld,slurmdbd\"");
}

/* slurmrestd adds a warning to an empty list of slurmdbd. */
static bool is_empty_list(const struct ask *a, const struct http_answer *answer,
	const struct json *root)
{
	return a->what.list && answer && answer->status == 200 && a->items.n == 0 &&
		!failed(a->items.err) && json_is_arr(json_get(root, a->what.list)) &&
		json_count(json_get(root, "warnings")) && !json_count(json_get(root, "errors"));
}

static void answered(void *ctx, struct err err, const struct http_answer *answer)
{
	struct ask *a = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = a->what.list
		? answer_judge_list(a->op.slurm, err, answer, &a->items, &doc)
		: answer_judge(a->op.slurm, err, answer, false, &doc);
	a->op.call = NULL;
	if (a->what.database && v.health == SLURM_UP && is_empty_list(a, answer, json_root(doc)))
		v.err = OK;
	if (v.other_version && !a->what.database) {
		op_restart(&a->op, v);
		return;
	}
	if (v.other_version)
		v = verdict_new(SLURM_UP, not_served());
	if (!failed(v.err) && !doc)
		v.err = answer_unasked_304();
	ask_finish(a, v, json_root(doc));
}

static bool came(void *ctx, const char *bytes, size_t n)
{
	struct ask *a = ctx;
	return items_take(&a->items, bytes, n);
}

static void ask_start(struct slurm_op *op)
{
	struct ask *a = (struct ask *)op;
	AUTO(str_free) struct str path = { 0 };
	str_add(&path, a->path);
	if (a->what.to_s)
		str_addf(&path, "&start_time=%s%" PRId64 "&end_time=%s%" PRId64,
			op->version->time_prefix, a->what.from_s, op->version->time_prefix,
			a->what.to_s);
	struct slurm_request r = {
		.path = str_text(&path),
		.database = a->what.database,
		.timeout_ms = SLURM_READ_MS,
		.max_answer_bytes = a->what.max_bytes,
	};
	if (a->what.list) {
		a->items = (struct answer_items){
			.key = a->what.list, .each = a->what.each, .ctx = a->ctx
		};
		a->what.begin(a->ctx);
		items_begin(&a->items, op->slurm, a->what.max_bytes);
		r.max_answer_bytes = SLURM_ERROR_BYTES;
		r.on_body = came;
	}
	op->call = op_send(op, &r, answered, a);
}

struct slurm_op *ask_begin(struct slurm *s, const struct slurm_ask *what, slurm_asked *done,
	void *ctx)
{
	static const struct op_kind kind = {
		.start = ask_start,
		.end = ask_end,
		.stop = ask_items_free,
		.release = ask_release,
	};
	struct ask *a = own_alloc(sizeof(*a));
	a->what = *what;
	a->path = own_strdup(what->path);
	a->done = done;
	a->ctx = ctx;
	op_begin(s, &a->op, &kind);
	return &a->op;
}

void ask_stop(struct slurm_op *op)
{
	if (!op)
		return;
	op_cancel(op);
	op_leave(op);
	op->kind->release(op);
}
