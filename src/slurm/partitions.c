/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many partitions are UP, read conditionally: nodes.c says how slurmctld compares the
 * time. No decision relies on it, so what a clock that was set back hides may stay hidden
 * until the next whole list.
 */
#include "slurm/parts.h"

#include <string.h>

#include "base/own.h"

enum { MARGIN_S = 2, FULL_MS = 30 * 60 * 1000 };

struct partitions {
	struct slurm_op op; /* first */
	slurm_partitions_done *done;
	void *ctx;
	bool conditional;
	unsigned forgotten;
	struct answer_items items;
	struct slurm_partitions told;
};

static void partitions_release(struct slurm_op *op)
{
	items_free(&((struct partitions *)op)->items);
	free(op);
}

static void finish(struct partitions *p, struct err err, bool news)
{
	struct partitions copy = *p;
	struct err e = failed(err) ? err_wrap(err, "reading the partitions of Slurm") : OK;
	op_leave(&p->op);
	partitions_release(&p->op);
	copy.done(copy.ctx, e, news ? &copy.told : NULL);
}

static void partitions_end(struct slurm_op *op, struct verdict v)
{
	finish((struct partitions *)op, v.err, false);
}

/* Adds whole names only; foreign names are made plain. */
static void add_other(struct partitions *p, const char *name, const char *state)
{
	enum { MOST = 5 };
	struct str text AUTO(str_free) = { 0 };
	char *others = p->told.others;
	size_t n = strlen(others);
	if (p->told.named == MOST)
		return;
	str_add(&text, n ? ", " : "");
	str_add_foreign(&text, name, 64);
	str_add(&text, " (");
	str_add_foreign(&text, state, 16);
	str_add(&text, ")");
	if (n + text.len >= sizeof(p->told.others))
		return;
	memcpy(others + n, str_text(&text), text.len + 1);
	p->told.named++;
}

/* "partition": {"state": ["UP"]}; a word alone is read as well. */
static void gather(void *ctx, const struct json *partition)
{
	struct partitions *p = ctx;
	const struct json *state = json_at(partition, "partition", "state");
	const char *word = json_str(json_is_arr(state) ? json_item(state, 0) : state, "");
	p->told.n++;
	if (str_eq(word, "UP"))
		p->told.up++;
	else
		add_other(p, json_str(json_get(partition, "name"), ""), word);
}

static bool piece_came(void *ctx, const char *bytes, size_t n)
{
	return items_take(&((struct partitions *)ctx)->items, bytes, n);
}

static void remember(const struct partitions *p, const struct json *root, int64_t asked_ms)
{
	struct nodes_memory *m = &p->op.slurm->partitions;
	int64_t last = answer_number(json_get(root, "last_update"));
	if (m->forgotten != p->forgotten)
		return;
	m->last_update_s = last > MARGIN_S && last < INT64_MAX ? last : 0;
	m->full_read_ms = asked_ms;
}

static void partitions_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct partitions *p = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge_list(p->op.slurm, err, answer, &p->items, &doc);
	bool unchanged = answer && answer->status == 304;
	p->op.call = NULL;
	/*
	 * A read that is refused because of its condition is repeated without it. A 404
	 * is a failure here: the lists of nodes find a new version, and a path that a
	 * proxy does not know must not cost another one of these lists.
	 */
	if (failed(v.err) || (unchanged && p->forgotten != p->op.slurm->partitions.forgotten))
		partitions_forget(p->op.slurm);
	else if (unchanged && !p->conditional)
		v.err = answer_unasked_304();
	else if (!unchanged)
		remember(p, json_root(doc), answer->asked_ms);
	finish(p, v.err, !failed(v.err) && !unchanged);
}

static void partitions_start(struct slurm_op *op)
{
	struct partitions *p = (struct partitions *)op;
	const struct nodes_memory *m = &op->slurm->partitions;
	AUTO(str_free) struct str path = { 0 };
	bool young = loop_now_ms(op->slurm->loop) - m->full_read_ms < FULL_MS;
	p->conditional = m->last_update_s && young;
	p->forgotten = m->forgotten;
	p->told = (struct slurm_partitions){ 0 };
	str_add(&path, "/partitions/");
	if (p->conditional)
		str_addf(&path, "?update_time=%s%" PRId64, op->version->time_prefix,
			m->last_update_s - MARGIN_S);
	struct slurm_request r = {
		.path = str_text(&path),
		.timeout_ms = SLURM_READ_MS,
		.max_answer_bytes = SLURM_ERROR_BYTES,
		.on_body = piece_came,
	};
	items_begin(&p->items, op->slurm, SLURM_JOBS_BYTES);
	op->call = op_send(op, &r, partitions_read, p);
}

void slurm_read_partitions(struct slurm *s, slurm_partitions_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.start = partitions_start,
		.end = partitions_end,
		.release = partitions_release,
	};
	struct partitions *p = own_alloc(sizeof(*p));
	p->done = done;
	p->ctx = ctx;
	p->items = (struct answer_items){ .key = "partitions", .each = gather, .ctx = p };
	op_begin(s, &p->op, &kind);
}
