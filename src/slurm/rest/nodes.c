/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional reads of the list of all nodes.
 *
 * slurmctld answers 304 to update_time=T if its newest change of a node is from a second
 * before T. It subtracts one second itself, so that a change in the same second as an
 * earlier response is not lost (measured with 24.11.5 and 26.05.5). A change has the time
 * at which slurmctld began with it. After that, slurmctld may have waited for a lock
 * while it made our earlier response. MARGIN_S covers such waits, and costs one or two
 * more whole lists after a change. If the clock of slurmctld's machine is set back, a
 * change may stay hidden for FULL_MS at most. A caller that relies on the absence of a
 * node requests a whole list (slurm_nodes_forget).
 *
 * Only the times of slurmctld itself are used, never ours.
 */
#include "slurm/rest/parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/own.h"
#include "slurm/hostlist.h"

enum {
	MARGIN_S = 2,
	FULL_MS = 30 * 60 * 1000,
	TURN_NODES = 8192, /* passed in one turn of the loop: about 8 ms */
	/* Bytes that the caller keeps for a node, without its texts */
	KEPT_BYTES = 512,
	MORE_BYTES = 64 << 10, /* that the next list may need in addition */
};

/*
 * The nodes of a response. They are passed only if the whole response is valid: after
 * half a list the other nodes would look absent.
 */
struct gathered {
	struct arena texts;
	struct slurm_node *nodes;
	size_t n, room;
	struct slurm *slurm; /* NULL: not begun */
	size_t paid;
	size_t spare;   /* of the quota, before this list */
	struct err err; /* the first error */
};

struct nodes {
	struct slurm_op op; /* first */
	void (*each)(void *ctx, const struct slurm_node *n);
	slurm_nodes_done *done;
	void *ctx;
	bool conditional; /* sent with update_time */
	bool whole;       /* must be sent without update_time */
	unsigned forgotten;
	struct answer_items items;
	struct gathered gathered;
	size_t given; /* passed to each() */
	int64_t asked_ms;
};

static void gathered_begin(struct gathered *g, struct slurm *s)
{
	*g = (struct gathered){ .slurm = s, .spare = s->jobs.spare };
}

static void gathered_free(struct gathered *g)
{
	arena_free(&g->texts);
	free(g->nodes);
	if (g->slurm) {
		quota_give(g->slurm->quota, g->paid);
		g->slurm->jobs.spare = g->spare;
	}
	*g = (struct gathered){ 0 };
}

static void nodes_release(struct slurm_op *op)
{
	struct nodes *n = (struct nodes *)op;
	items_free(&n->items);
	gathered_free(&n->gathered);
	free(op);
}

static void finish(struct nodes *n, struct err err, bool changed, int64_t asked_ms)
{
	struct nodes copy = *n;
	struct err e = failed(err) ? err_wrap(err, "reading the nodes of Slurm") : OK;
	op_leave(&n->op);
	nodes_release(&n->op);
	copy.done(copy.ctx, e, changed, asked_ms);
}

static void nodes_end(struct slurm_op *op, struct verdict v)
{
	finish((struct nodes *)op, v.err, false, 0);
}

/* The memory of a node here, and that of the caller if the node is new. */
static size_t bytes_of(const struct slurm *s, const struct slurm_node *n)
{
	bool new = !s->has || !s->has(s->has_ctx, n->name);
	size_t texts = strlen(n->name) + strlen(n->reason) + strlen(n->comment) +
		strlen(n->address) + strlen(n->hostname);
	return 2 * sizeof(*n) + (new ? KEPT_BYTES : 0) + 2 * texts;
}

static struct err add(struct gathered *g, const struct json *node)
{
	size_t *spare = &g->slurm->jobs.spare;
	if (g->n == HOSTLIST_MAX)
		return err_new(ERR_TOO_LARGE, "more nodes than the %d that a Slurm can have",
			HOSTLIST_MAX);
	if (g->n == g->room) {
		g->room = g->room ? 2 * g->room : 16;
		g->nodes = own_realloc(g->nodes, g->room * sizeof(*g->nodes));
	}
	struct err e = node_of_json(node, 0, &g->texts, &g->nodes[g->n]);
	size_t bytes = failed(e) ? 0 : bytes_of(g->slurm, &g->nodes[g->n]);
	if (!failed(e))
		e = quota_take(g->slurm->quota, bytes);
	if (failed(e))
		return e;
	g->paid += bytes;
	*spare -= bytes < *spare ? bytes : *spare;
	g->n++;
	return OK;
}

static void gather(void *ctx, const struct json *node)
{
	struct gathered *g = ctx;
	if (!failed(g->err))
		g->err = add(g, node);
}

static bool piece_came(void *ctx, const char *bytes, size_t n)
{
	struct nodes *nodes = ctx;
	return items_take(&nodes->items, bytes, n) && !is_too_much(nodes->gathered.err);
}

/* Passes some thousand nodes on each turn of the loop. */
static void give(void *ctx)
{
	struct nodes *n = ctx;
	n->op.timer = NULL;
	for (size_t i = 0; i < TURN_NODES && n->given < n->gathered.n; i++, n->given++) {
		n->gathered.nodes[n->given].asked_ms = n->asked_ms;
		n->each(n->ctx, &n->gathered.nodes[n->given]);
	}
	if (n->given < n->gathered.n)
		n->op.timer = timer_start(n->op.slurm->loop, 0, give, n);
	else
		finish(n, OK, true, n->asked_ms);
}

static void remember(const struct nodes *n, const struct json *root, int64_t asked_ms)
{
	struct nodes_memory *m = &n->op.slurm->nodes;
	int64_t last = answer_number(json_get(root, "last_update"));
	if (m->forgotten != n->forgotten)
		return;
	m->last_update_s = last > MARGIN_S && last < INT64_MAX ? last : 0;
	m->full_read_ms = asked_ms;
}

static void use(struct nodes *n, const struct json *root, int64_t asked_ms)
{
	remember(n, root, asked_ms);
	n->gathered.spare = n->gathered.paid + MORE_BYTES;
	n->asked_ms = asked_ms;
	n->given = 0;
	give(n);
}

/*
 * Frees the cache of jobs to make room: once the nodes are read, jobs can be read again.
 */
static void no_room(struct nodes *n, struct err err)
{
	if (!n->op.slurm->reading_jobs)
		jobs_free(&n->op.slurm->jobs);
	finish(n, is_too_much(n->gathered.err) ? n->gathered.err : err, false, 0);
}

static void read_whole(struct nodes *n)
{
	n->whole = true;
	n->op.kind->start(&n->op);
}

static void nodes_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct nodes *n = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge_list(n->op.slurm, err, answer, &n->items, &doc);
	int status = answer ? answer->status : 0;
	n->op.call = NULL;
	if (v.other_version)
		op_restart(&n->op, v);
	/*
	 * 24.11 answers 500 "Unable to query partitions" when nodes have changed but
	 * partitions have not, because it reads the partitions with the same condition.
	 * Any read that may have failed because of its condition is repeated without it.
	 */
	else if (n->conditional && (status == 500 || status == 422 || status == 400))
		read_whole(n);
	else if (n->conditional && status == 304 && n->forgotten != n->op.slurm->nodes.forgotten)
		read_whole(n); /* the caller needs a whole list by now */
	else if (is_too_much(n->gathered.err) || is_too_much(n->items.err))
		no_room(n, v.err);
	else if (failed(v.err))
		finish(n, v.err, false, 0);
	else if (failed(n->gathered.err))
		finish(n, n->gathered.err, false, 0);
	else if (status == 304 && n->conditional)
		finish(n, OK, false, answer->asked_ms);
	else if (status == 304)
		finish(n, answer_unasked_304(), false, 0);
	else
		use(n, json_root(doc), answer->asked_ms);
}

static void nodes_start(struct slurm_op *op)
{
	struct nodes *n = (struct nodes *)op;
	const struct nodes_memory *m = &op->slurm->nodes;
	AUTO(str_free) struct str path = { 0 };
	bool young = loop_now_ms(op->slurm->loop) - m->full_read_ms < FULL_MS;
	n->conditional = !n->whole && m->last_update_s && young;
	n->forgotten = m->forgotten;
	str_add(&path, "/nodes/");
	if (n->conditional)
		str_addf(&path, "?update_time=%s%" PRId64, op->version->time_prefix,
			m->last_update_s - MARGIN_S);
	struct slurm_request r = {
		.path = str_text(&path),
		.timeout_ms = SLURM_LIST_MS,
		.max_answer_bytes = SLURM_ERROR_BYTES,
		.on_body = piece_came,
	};
	gathered_free(&n->gathered);
	gathered_begin(&n->gathered, op->slurm);
	items_begin(&n->items, op->slurm, SLURM_LIST_BYTES);
	op->call = op_send(op, &r, nodes_read, n);
}

void slurm_nodes(struct slurm *s, void (*each)(void *ctx, const struct slurm_node *n),
	slurm_nodes_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.start = nodes_start,
		.end = nodes_end,
		.release = nodes_release,
	};
	struct nodes *n = own_alloc(sizeof(*n));
	n->each = each;
	n->done = done;
	n->ctx = ctx;
	n->items = (struct answer_items){ .key = "nodes", .each = gather, .ctx = &n->gathered };
	op_begin(s, &n->op, &kind);
}
