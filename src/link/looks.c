/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads single nodes. The list of all nodes is slow in a large cluster (0.1 s for 1,000
 * nodes, 2 s for 10,000 with Slurm 24.11.5), and comes whole after any change. One node
 * takes 2 ms. So if decisions wait for few nodes, these are read one by one, which is
 * fast in a cluster of any size. If the list is slow, all nodes for which decisions wait
 * are read one by one. The node seen longest ago comes first, whichever asker waits for
 * it, so that no asker delays the nodes of others.
 *
 * A look is one read that a deletion waits for.
 */
#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

enum {
	PERIOD_MS = 250,
	/*
	 * Pause in times of the last round: at most a ninth of the time is spent on
	 * reading, however slow Slurm is
	 */
	PAUSE_TIMES = 8,
	/* If there are many nodes, a node is read only if no list is newer than this */
	STALE_MS = 2500,
	READS_MAX = 16, /* at a time */
	/*
	 * If few nodes are waited for, and for long (a drained node may have its job for
	 * weeks), the period is a hundredth of that time, up to a second
	 */
	WAITED_TIMES = 100,
	PERIOD_MAX_MS = 1000,
};

static void read_round(void *ctx);

/* ---- one read ---- */

static void take(struct slurm_link *l, const char *name, const struct slurm_node *seen,
	int64_t asked_ms)
{
	if (seen)
		link_node_seen(l, seen);
	struct node *n = link_node_find(l, name);
	if (!n)
		return;
	if (!seen)
		link_node_absent(l, n, asked_ms);
	n->looked_ms = asked_ms;
	n->looked_told_ms = loop_now_ms(l->config.loop);
}

static void look_free(struct look *look)
{
	DL_DELETE(look->l->looks, look);
	free(look->name);
	free(look);
}

static void look_answered(void *ctx, struct err err, const struct slurm_node *seen,
	int64_t asked_ms)
{
	struct look *look = ctx;
	slurm_done *done = look->done;
	void *done_ctx = look->ctx;
	link_note_cluster(look->l);
	if (!failed(err))
		take(look->l, look->name, seen, asked_ms);
	look_free(look);
	done(done_ctx, err);
}

void slurm_link_look(struct slurm_link *l, const char *name, slurm_done *done, void *ctx)
{
	if (!l->slurm) {
		done(ctx,
			err_new(ERR_RETRY, "Slurm cluster %s/%s has no client yet", l->ns,
				l->cluster));
		return;
	}
	struct look *look = own_alloc(sizeof(*look));
	*look = (struct look){ .l = l, .name = own_strdup(name), .done = done, .ctx = ctx };
	DL_APPEND(l->looks, look);
	slurm_one_node(l->slurm, name, look_answered, look);
}

size_t slurm_link_looks(const struct slurm_link *l)
{
	const struct look *each;
	size_t n = 0;
	DL_COUNT(l->looks, each, n);
	return n;
}

void link_looks_lost(struct slurm_link *l)
{
	while (l->looks) {
		slurm_done *done = l->looks->done;
		void *ctx = l->looks->ctx;
		look_free(l->looks);
		done(ctx,
			err_new(ERR_RETRY, "Slurm cluster %s/%s was replaced while a node was read",
				l->ns, l->cluster));
	}
}

/* ---- rounds of reads for demands ---- */

/* State of this question. */
struct looks {
	char **names;
	size_t n, reads; /* reads in flight */
	int64_t started_ms;
	int64_t took_ms[2]; /* durations of the last round and of the round before it */
	int64_t since_ms;   /* when a further node was last demanded */
	struct timer *timer;
};

static struct looks *looks_of(const struct slurm_link *l) { return l->of[ASK_LOOKS]; }

bool link_looks_few(const struct slurm_link *l)
{
	return looks_of(l)->n && looks_of(l)->n <= READS_MAX;
}

static int64_t seldom_ms(const struct slurm_link *l)
{
	const struct looks *w = looks_of(l);
	int64_t ms = (loop_now_ms(l->config.loop) - w->since_ms) / WAITED_TIMES;
	if (w->n > READS_MAX)
		return 0;
	return ms < PERIOD_MAX_MS ? ms : PERIOD_MAX_MS;
}

/* The shorter of two rounds, so that a single slow round does not delay the next one. */
static int64_t took_ms(const struct looks *w)
{
	return w->took_ms[0] < w->took_ms[1] ? w->took_ms[0] : w->took_ms[1];
}

static int64_t period_ms(const struct slurm_link *l)
{
	return max_ms(max_ms(PERIOD_MS, seldom_ms(l)), took_ms(looks_of(l)) * PAUSE_TIMES);
}

static void again(struct slurm_link *l)
{
	struct looks *w = looks_of(l);
	if (w->n && !w->reads && !w->timer)
		w->timer = timer_start(l->config.loop, period_ms(l), read_round, l);
}

/* Ignores errors: the next list fails as well, and reports its error. */
static void looked(void *ctx, struct err err)
{
	struct slurm_link *l = ctx;
	struct looks *w = looks_of(l);
	(void)err;
	assert(w->reads);
	if (--w->reads)
		return;
	if (w->started_ms >= l->well_since_ms) {
		w->took_ms[1] = w->took_ms[0];
		w->took_ms[0] = loop_now_ms(l->config.loop) - w->started_ms;
	}
	again(l);
	link_changed(l);
}

static int seen_first(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;
	return (x->seen_ms > y->seen_ms) - (x->seen_ms < y->seen_ms);
}

/* The nodes to be read in this round, at most READS_MAX of them. */
static size_t choose(struct slurm_link *l, struct node **chosen)
{
	const struct looks *w = looks_of(l);
	int64_t now = loop_now_ms(l->config.loop);
	size_t n = 0;
	for (size_t i = 0; i < w->n; i++) {
		struct node *node = link_node_find(l, w->names[i]);
		bool stale = node && now - link_node_seen_ms(l, node) > STALE_MS;
		if (node && (stale || w->n <= READS_MAX))
			chosen[n++] = node;
	}
	qsort(chosen, n, sizeof(struct node *), seen_first);
	return n < READS_MAX ? n : READS_MAX;
}

static void read_round(void *ctx)
{
	struct slurm_link *l = ctx;
	struct looks *w = looks_of(l);
	w->timer = NULL;
	AUTO(own_free) struct node **chosen = own_alloc((w->n + 1) * sizeof(struct node *));
	size_t n = l->slurm && l->nodes_seen_ms && !l->failing ? choose(l, chosen) : 0;
	w->started_ms = loop_now_ms(l->config.loop);
	w->reads = n;
	for (size_t i = 0; i < n; i++)
		slurm_link_look(l, chosen[i]->name, looked, l);
	if (!n)
		again(l);
}

/* ---- functions of the question ---- */

static void names_free(struct looks *w)
{
	while (w->n)
		free(w->names[--w->n]);
	free(TAKE(w->names));
}

static bool waits_for(const struct looks *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (str_eq(w->names[i], name))
			return true;
	return false;
}

static bool is_more(const struct looks *w, const struct ask *sum)
{
	if (sum->n_names > READS_MAX)
		return true;
	for (size_t i = 0; i < sum->n_names; i++)
		if (!waits_for(w, sum->names[i]))
			return true;
	return false;
}

/* If a further node is demanded, the next round starts soon, whenever it was due. */
static void note_more(struct slurm_link *l, const struct ask *sum)
{
	struct looks *w = looks_of(l);
	if (!is_more(w, sum))
		return;
	if (seldom_ms(l) > PERIOD_MS)
		timer_stop(l->config.loop, TAKE(w->timer));
	w->since_ms = loop_now_ms(l->config.loop);
}

static void asked(struct slurm_link *l, const struct ask *sum)
{
	struct looks *w = looks_of(l);
	note_more(l, sum);
	names_free(w);
	w->names = own_alloc((sum->n_names + 1) * sizeof(char *));
	for (size_t i = 0; i < sum->n_names; i++)
		w->names[w->n++] = own_strdup(sum->names[i]);
	again(l);
}

static void back(struct slurm_link *l)
{
	looks_of(l)->took_ms[0] = looks_of(l)->took_ms[1] = 0;
	timer_stop(l->config.loop, TAKE(looks_of(l)->timer));
	again(l);
}

static void end(struct slurm_link *l)
{
	names_free(looks_of(l));
	timer_stop(l->config.loop, TAKE(looks_of(l)->timer));
}

const struct question_row link_looks = {
	.own_bytes = sizeof(struct looks),
	.asked = asked,
	.back = back,
	.end = end,
};
