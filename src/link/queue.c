/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads which jobs wait for nodes, each second while this is demanded. When a job has
 * changed, the nodes are read as well. A failed read is not an error, because the lists
 * of nodes report a Slurm that does not answer. After a few failed reads the queue is
 * unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "link/parts.h"

enum { PERIOD_MS = 1000, TIMES = 5, PATIENCE_MS = 10000, MISSED_READS = 3 };
enum { OVERTAKEN = 2 }; /* reads in a row */

struct own {
	bool wanted, reading;
	int64_t asked_ms, took_ms;   /* monotonic; 0: never */
	int64_t seen_ms, changed_ms; /* monotonic; 0: never */
	int overtaken;               /* reads in a row during which the nodes changed */
	struct timer *timer;
	struct slurm_queue *told; /* NULL: no answer yet */
};

static struct own *own_of(const struct slurm_link *l) { return l->of[ASK_QUEUE]; }

static int64_t period_ms(const struct own *o) { return max_ms(PERIOD_MS, TIMES * o->took_ms); }

static void start(void *link);

static void due(struct slurm_link *l)
{
	struct own *o = own_of(l);
	int64_t now = loop_now_ms(l->config.loop), at = o->asked_ms + o->took_ms + period_ms(o);
	timer_stop(l->config.loop, TAKE(o->timer));
	if (!l->slurm || !o->wanted || o->reading)
		return;
	o->timer = timer_start(l->config.loop, o->asked_ms && at > now ? at - now : 0, start, l);
}

static bool is_other(const struct slurm_queue *a, const struct slurm_queue *b)
{
	return !a || a->n != b->n || a->left_out != b->left_out ||
		memcmp(a->sorts, b->sorts, a->n * sizeof(*a->sorts)) != 0;
}

static size_t bytes_of(const struct slurm_queue *q) { return q ? queue_bytes(q->n) : 0; }

/*
 * Stores the queue; NULL: unknown. The quota may be exceeded, because a queue has a
 * maximum size.
 */
static void tell(struct slurm_link *l, const struct slurm_queue *news)
{
	struct own *o = own_of(l);
	quota_give(l->quota, bytes_of(o->told));
	quota_force(l->quota, bytes_of(news));
	free(TAKE(o->told));
	if (!news)
		return;
	o->told = own_alloc(queue_bytes(news->n));
	memcpy(o->told, news, queue_bytes(news->n));
}

/* Reads the nodes, because a job has begun or ended. */
static void read_nodes(struct slurm_link *l)
{
	int64_t at = l->read_started_ms + (TIMES + 1) * l->last_read_took_ms;
	int64_t now = loop_now_ms(l->config.loop);
	if (!l->reading && !l->failing)
		link_read_schedule(l, at > now ? at - now : 0);
}

static void queue_read(void *ctx, struct err err, const struct slurm_queue *news, int64_t asked_ms)
{
	struct slurm_link *l = ctx;
	struct own *o = own_of(l);
	bool known = slurm_link_queue(l).known;
	o->reading = false;
	link_note_cluster(l);
	o->took_ms = loop_now_ms(l->config.loop) - o->asked_ms;
	due(l);
	if (failed(err))
		return;
	if (news)
		read_nodes(l);
	bool other = news && is_other(o->told, news);
	/*
	 * The plan waits for this answer: nodes became busy, and their jobs may have left
	 * the queue
	 */
	bool awaited = o->told && o->told->n && l->whole_seen_ms > o->seen_ms;
	o->seen_ms = asked_ms;
	o->overtaken = l->whole_seen_ms > asked_ms ? o->overtaken + 1 : 0;
	if (other) {
		tell(l, news);
		o->changed_ms = asked_ms;
	}
	if (other || awaited || !known)
		link_changed(l);
}

static void start(void *link)
{
	struct slurm_link *l = link;
	struct own *o = own_of(l);
	o->timer = NULL;
	o->reading = true;
	o->asked_ms = loop_now_ms(l->config.loop);
	slurm_read_queue(l->slurm, queue_read, l);
}

static void asked(struct slurm_link *l, const struct ask *sum)
{
	struct own *o = own_of(l);
	if (o->wanted == sum->wanted)
		return;
	o->wanted = sum->wanted;
	due(l);
}

/* After the first list of a new client, starts the reads again. */
static void listed(struct slurm_link *l, bool news)
{
	(void)news;
	if (!own_of(l)->timer)
		due(l);
}

static void back(struct slurm_link *l)
{
	own_of(l)->took_ms = 0;
	own_of(l)->asked_ms = 0;
	due(l);
}

static void end(struct slurm_link *l)
{
	struct own *o = own_of(l);
	timer_stop(l->config.loop, o->timer);
	tell(l, NULL);
	*o = (struct own){ .wanted = o->wanted };
}

struct queue_fact slurm_link_queue(const struct slurm_link *l)
{
	const struct own *o = own_of(l);
	int64_t age_ms = loop_now_ms(l->config.loop) - o->seen_ms;
	int64_t patience_ms = max_ms(PATIENCE_MS, MISSED_READS * period_ms(o));
	bool known = o->told && age_ms <= patience_ms && !link_another_answers(l);
	return (struct queue_fact){ known, o->changed_ms, o->seen_ms, known ? o->told : NULL,
		o->overtaken >= OVERTAKEN };
}

const struct question_row link_queue = {
	.own_bytes = sizeof(struct own),
	.asked = asked,
	.listed = listed,
	.back = back,
	.end = end,
};
