/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional reads of a long list. nodes.c explains the margin, and the answer of 24.11
 * when nodes have changed but partitions have not.
 */
#include "slurm/rest/list.h"

#include "base/own.h"
#include "slurm/rest/parts.h"

enum { MARGIN_S = 2 };

struct list {
	struct slurm_op op; /* first */
	const struct slurm_list *what;
	struct list_memory *memory;
	bool conditional; /* sent with update_time */
	bool whole;       /* must be sent without update_time */
	struct answer_items items;
	slurm_listed *done;
	void *ctx;
};

static void list_stop(struct slurm_op *op) { items_free(&((struct list *)op)->items); }

static void list_release(struct slurm_op *op)
{
	list_stop(op);
	free(op);
}

static void finish(struct list *l, struct err err, bool changed, int64_t asked_ms)
{
	slurm_listed *done = l->done;
	void *ctx = l->ctx;
	op_leave(&l->op);
	list_release(&l->op);
	done(ctx, err, changed, asked_ms);
}

static void list_end(struct slurm_op *op, struct verdict v)
{
	finish((struct list *)op, v.err, false, 0);
}

static void read_whole(struct list *l)
{
	l->whole = true;
	l->op.kind->start(&l->op);
}

static void remember(const struct list *l, const struct json *root, int64_t asked_ms)
{
	int64_t last = answer_number(json_get(root, "last_update"));
	*l->memory = (struct list_memory){
		.last_update_s = last > MARGIN_S && last < INT64_MAX ? last : 0,
		.whole_read_ms = asked_ms,
		.clusters = l->op.slurm->clusters,
	};
}

/*
 * slurmrestd sends an empty list with a warning if the jobs have not changed, and also if
 * there are no jobs.
 */
static bool is_empty_with_a_warning(const struct list *l, const struct json *root)
{
	return l->items.n == 0 && json_is_arr(json_get(root, l->what->key)) &&
		json_count(json_get(root, "warnings")) && !json_count(json_get(root, "errors"));
}

static bool warns(const struct json *root, const char *beginning)
{
	const struct json *warning = json_item(json_get(root, "warnings"), 0);
	return str_has_prefix(json_str(json_get(warning, "description"), ""), beginning);
}

/* Handles an empty list with a warning. */
static void take_empty(struct list *l, const struct json *root, struct err err, int64_t asked_ms)
{
	if (l->conditional && warns(root, "No job changes")) {
		finish(l, OK, false, asked_ms);
	} else if (l->conditional) {
		read_whole(l);
	} else if (warns(root, "Zero jobs")) {
		remember(l, root, asked_ms);
		finish(l, OK, true, asked_ms);
	} else {
		finish(l, err, false, 0);
	}
}

/* Whether the request may have failed because of its condition. */
static bool is_refused(int status) { return status == 500 || status == 422 || status == 400; }

static void list_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct list *l = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge_list(l->op.slurm, err, answer, &l->items, &doc);
	int status = answer ? answer->status : 0;
	l->op.call = NULL;
	if (v.other_version && !l->what->fails_alone)
		op_restart(&l->op, v);
	else if (l->conditional && is_refused(status))
		read_whole(l);
	else if (status == 200 && is_empty_with_a_warning(l, json_root(doc)))
		take_empty(l, json_root(doc), v.err, answer->asked_ms);
	else if (failed(v.err))
		finish(l, v.err, false, 0);
	else if (status == 304 && l->conditional)
		finish(l, OK, false, answer->asked_ms);
	else if (status == 304)
		finish(l, answer_unasked_304(), false, 0);
	else {
		remember(l, json_root(doc), answer->asked_ms);
		finish(l, OK, true, answer->asked_ms);
	}
}

static bool piece_came(void *ctx, const char *bytes, size_t n)
{
	struct list *l = ctx;
	return items_take(&l->items, bytes, n);
}

static bool is_known(const struct list *l)
{
	const struct list_memory *m = l->memory;
	return m->last_update_s && m->clusters == l->op.slurm->clusters &&
		loop_now_ms(l->op.slurm->loop) - m->whole_read_ms < l->what->whole_ms;
}

static void list_start(struct slurm_op *op)
{
	struct list *l = (struct list *)op;
	AUTO(str_free) struct str path = { 0 };
	l->conditional = !l->whole && is_known(l);
	str_add(&path, l->what->path);
	if (l->conditional)
		str_addf(&path, "?update_time=%s%" PRId64, op->version->time_prefix,
			l->memory->last_update_s - MARGIN_S);
	const struct slurm_request r = {
		.path = str_text(&path),
		.timeout_ms = l->what->timeout_ms,
		.max_answer_bytes = SLURM_ERROR_BYTES,
		.on_body = piece_came,
	};
	l->what->begin(l->ctx);
	items_begin(&l->items, op->slurm, l->what->max_bytes);
	op->call = op_send(op, &r, list_read, l);
}

struct slurm_op *list_begin(struct slurm *s, struct list_memory *memory,
	const struct slurm_list *what, slurm_listed *done, void *ctx)
{
	static const struct op_kind kind = {
		.start = list_start,
		.end = list_end,
		.stop = list_stop,
		.release = list_release,
	};
	struct list *l = own_alloc(sizeof(*l));
	l->what = what;
	l->memory = memory;
	l->done = done;
	l->ctx = ctx;
	l->items = (struct answer_items){ .key = what->key, .each = what->each, .ctx = ctx };
	op_begin(s, &l->op, &kind);
	return &l->op;
}
