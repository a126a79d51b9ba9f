/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads whether jobs can start at all: the partitions, after a list of nodes, once a
 * minute at most. A failed read is not an error, because the lists of nodes report a
 * Slurm that does not answer.
 */
#include "base/str.h"
#include "link/parts.h"

enum { PERIOD_MS = 60000, WHOLE_PERIOD_MS = 15000, MISSED_READS = 3 };

struct own {
	bool wanted, whole, reading;
	int64_t asked_ms, seen_ms, whole_ms; /* monotonic; 0: never */
	struct slurm_partitions told;
};

static struct own *own_of(const struct slurm_link *l) { return l->of[ASK_PARTITIONS]; }

static bool is_other(const struct slurm_partitions *a, const struct slurm_partitions *b)
{
	return a->n != b->n || a->up != b->up || !str_eq(a->others, b->others) ||
		!str_eq(a->sets, b->sets) || !str_eq(a->nodes, b->nodes) ||
		a->takes_empty != b->takes_empty;
}

static void partitions_read(void *ctx, struct err err, const struct slurm_partitions *news)
{
	struct slurm_link *l = ctx;
	struct own *o = own_of(l);
	bool other = !o->seen_ms || (news && is_other(news, &o->told));
	o->reading = false;
	if (failed(err))
		return;
	o->seen_ms = o->asked_ms;
	if (news) {
		o->told = *news;
		o->whole_ms = o->asked_ms;
	}
	if (other)
		link_changed(l);
}

static void listed(struct slurm_link *l, bool news)
{
	struct own *o = own_of(l);
	int64_t now = loop_now_ms(l->config.loop);
	(void)news;
	int64_t period_ms = o->whole ? WHOLE_PERIOD_MS : PERIOD_MS;
	if (!l->slurm || !o->wanted || o->reading || (o->asked_ms && now - o->asked_ms < period_ms))
		return;
	o->reading = true;
	o->asked_ms = now;
	slurm_read_partitions(l->slurm, o->whole, partitions_read, l);
}

static void asked(struct slurm_link *l, const struct ask *sum)
{
	struct own *o = own_of(l);
	bool whole = sum->need >= SLURM_WHOLE, more = whole && !o->whole;
	o->wanted = sum->wanted;
	o->whole = whole;
	if (more)
		listed(l, false);
}

static void back(struct slurm_link *l) { own_of(l)->asked_ms = 0; }

static void end(struct slurm_link *l)
{
	struct own *o = own_of(l);
	*o = (struct own){ .wanted = o->wanted, .whole = o->whole };
}

struct partitions_fact slurm_link_partitions(const struct slurm_link *l)
{
	const struct own *o = own_of(l);
	int64_t age_ms = loop_now_ms(l->config.loop) - o->seen_ms;
	bool known = o->seen_ms && age_ms <= MISSED_READS * PERIOD_MS && !link_another_answers(l);
	return (struct partitions_fact){ known, o->told.n, o->told.up, o->told.others,
		o->told.named, o->told.sets, o->told.nodes, o->whole_ms, o->told.takes_empty };
}

const struct question_row link_partitions = {
	.own_bytes = sizeof(struct own),
	.asked = asked,
	.listed = listed,
	.back = back,
	.end = end,
};
