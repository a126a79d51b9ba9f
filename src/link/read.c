/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lists of nodes at the right times, and stores them. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

enum {
	REST_MS = 10000,
	SOON_MS = 500,
	WATCHED_MS = 2000, /* replaces SOON_MS while the important nodes are read one by one */
	FAILED_MS = 1000,
	/*
	 * Pause between two lists, as a multiple of the duration of the last list. So at
	 * most a sixth of the time is spent on reading
	 */
	PAUSE_TIMES = 5,
	HURRY_TIMES = 1, /* if a caller needs a list now: at most half of the time */
	LEAST_PERIOD_MS = 2000,
	/* a name that Slurm lacks and no asker needs is forgotten after this time */
	UNWANTED_MS = 600000,
	MISSED_READS = 3, /* reads that may be late before facts become unknown */
};

static void node_read(void *ctx, const struct slurm_node *seen)
{
	struct slurm_link *l = ctx;
	l->list_overtaken |= !link_node_seen(l, seen);
	link_node_find(l, seen->name)->listed = true;
}

static void sweep_absent(struct slurm_link *l, int64_t asked_ms)
{
	struct node *n, *next;
	int64_t now = loop_now_ms(l->config.loop);
	HASH_ITER (hh, l->nodes, n, next) {
		bool listed = n->listed;
		n->listed = false;
		if (!listed)
			l->list_overtaken |= !link_node_absent(l, n, asked_ms);
		bool unwanted = !n->wanted_ms || now - n->wanted_ms > UNWANTED_MS;
		if (n->known == NO && !n->under_way && unwanted)
			link_node_forget(l, n);
	}
}

/* Clears the marks of updates. Returns true if an update was in flight until now. */
static bool settle(struct slurm_link *l, int64_t asked_ms)
{
	bool any = false;
	for (struct node *n = l->nodes; n; n = n->hh.next) {
		if (!n->in_flight_until_ms || n->in_flight_until_ms > asked_ms)
			continue;
		n->in_flight_until_ms = 0;
		any = true;
	}
	return any;
}

/* Pause between the end of one list and the start of the next. */
static int64_t pause_ms(const struct slurm_link *l, enum slurm_need need)
{
	switch (need) {
	case SLURM_AT_REST:
		return max_ms(REST_MS, l->last_read_took_ms * PAUSE_TIMES);
	case SLURM_SOON:
		return max_ms(link_looks_few(l) ? WATCHED_MS : SOON_MS,
			l->last_read_took_ms * PAUSE_TIMES);
	case SLURM_NOW:
	case SLURM_WHOLE:
		break;
	}
	return max_ms(SOON_MS, l->last_read_took_ms * HURRY_TIMES);
}

static int64_t patience_ms(const struct slurm_link *l, enum slurm_need need)
{
	return MISSED_READS * max_ms(LEAST_PERIOD_MS, pause_ms(l, need));
}

/*
 * An answer that is new enough at rest must not become too old just because a plan
 * demands a newer one. Otherwise the plan would lose its facts and its demand, the answer
 * would count again, and two plans would undo each other for ever. So the newer answer
 * first gets time to arrive.
 */
int64_t link_patience_ms(const struct slurm_link *l)
{
	bool rests = l->need == SLURM_AT_REST ||
		loop_now_ms(l->config.loop) - l->needed_ms <= patience_ms(l, SLURM_SOON);
	return patience_ms(l, rests ? SLURM_AT_REST : SLURM_SOON);
}

static int64_t next_read_ms(const struct slurm_link *l)
{
	int64_t pause = l->failing ? FAILED_MS : pause_ms(l, l->need);
	int64_t left = l->read_started_ms + l->last_read_took_ms + pause -
		loop_now_ms(l->config.loop);
	/* From this server; other times are of the last one */
	bool never_read = !l->nodes_seen_ms && !l->failing;
	return l->read_again || never_read || left < 0 ? 0 : left;
}

static const char *ms_text(int64_t ms, char out[24])
{
	snprintf(out, 24, "%lld", (long long)ms);
	return out;
}

static void list_failed(struct slurm_link *l, struct err err, bool was_failing)
{
	for (struct node *n = l->nodes; n; n = n->hh.next)
		n->listed = false;
	/* A failed read may have stored half a list, so the next one must be whole. */
	slurm_nodes_forget(l->slurm);
	link_set_read_trouble(l, err.text);
	link_note_cluster(l);
	if (!was_failing)
		log_warn("reading the nodes of Slurm failed", "namespace", l->ns, "cluster",
			l->cluster, "why", err.text);
}

/* Handles a new list. Returns true if an update is settled by it. */
static bool list_came(struct slurm_link *l, bool news, int64_t asked_ms)
{
	l->nodes_seen_ms = asked_ms;
	link_set_read_trouble(l, "");
	if (news) {
		l->whole_seen_ms = asked_ms;
		sweep_absent(l, asked_ms);
	}
	/*
	 * Otherwise "nothing has changed since that list" would confirm facts that were
	 * not taken from it.
	 */
	if (l->list_overtaken)
		slurm_nodes_forget(l->slurm);
	bool settled = settle(l, asked_ms);
	link_note_cluster(l);
	for (enum question q = 0; q < ASK_COUNT; q++)
		if (l->questions[q]->listed)
			l->questions[q]->listed(l, news);
	return settled;
}

static void nodes_read(void *ctx, struct err err, bool news, int64_t asked_ms)
{
	struct slurm_link *l = ctx;
	bool was_failing = l->failing || !l->nodes_seen_ms, settled = false;
	char took[24], next[24];
	l->reading = false;
	if (l->read_started_ms >= l->well_since_ms)
		l->last_read_took_ms = loop_now_ms(l->config.loop) - l->read_started_ms;
	if (l->failing && !failed(err))
		link_well_again(l);
	l->failing = failed(err);
	l->lists_refused = err.kind == ERR_DENIED;
	if (failed(err))
		list_failed(l, err, was_failing);
	else
		settled = list_came(l, news, asked_ms);
	int64_t next_ms = next_read_ms(l);
	log_debug("nodes of Slurm read", "cluster", l->cluster, "news", news ? "yes" : "no", "ms",
		ms_text(l->last_read_took_ms, took), "next", ms_text(next_ms, next));
	link_read_schedule(l, next_ms);
	if (news || settled || was_failing != l->failing || l->need)
		link_changed(l);
}

static void read_start(void *ctx)
{
	struct slurm_link *l = ctx;
	l->read_timer = NULL;
	if (!l->slurm || l->reading)
		return;
	l->reading = true;
	l->read_again = l->list_overtaken = false;
	l->read_started_ms = loop_now_ms(l->config.loop);
	if (l->need == SLURM_WHOLE)
		slurm_nodes_forget(l->slurm);
	slurm_nodes(l->slurm, node_read, nodes_read, l);
}

void link_read_schedule(struct slurm_link *l, int64_t in_ms)
{
	timer_stop(l->config.loop, l->read_timer);
	l->read_timer = timer_start(l->config.loop, in_ms, read_start, l);
}

void link_well_again(struct slurm_link *l)
{
	l->well_since_ms = loop_now_ms(l->config.loop);
	link_set_jobs_trouble(l, "");
}

/*
 * While slurmctld is away, slurmrestd answers only after it has come back. Such a read
 * may take half a minute, and the pause after it would be minutes.
 */
void link_back(struct slurm_link *l)
{
	link_well_again(l);
	for (enum question q = 0; q < ASK_COUNT; q++)
		l->questions[q]->back(l);
}

static void back(struct slurm_link *l)
{
	l->last_read_took_ms = 0;
	if (l->slurm && !l->reading)
		link_read_schedule(l, 0);
}

void slurm_link_list_now(struct slurm_link *l)
{
	enum { QUICK_MS = 700, LEAST_MS = 200 };
	bool lately = loop_now_ms(l->config.loop) - l->read_started_ms <
		max_ms(LEAST_MS, l->last_read_took_ms);
	if (!l->slurm || l->reading || l->failing || lately || l->last_read_took_ms > QUICK_MS)
		return;
	slurm_nodes_forget(l->slurm);
	link_read_schedule(l, 0);
}

static void asked(struct slurm_link *l, const struct ask *sum)
{
	bool other = sum->need != l->need;
	if (l->need == SLURM_AT_REST && other)
		l->needed_ms = loop_now_ms(l->config.loop);
	l->need = sum->need;
	if (other && l->slurm && !l->reading)
		link_read_schedule(l, next_read_ms(l));
}

static void end(struct slurm_link *l)
{
	link_nodes_free(l);
	timer_stop(l->config.loop, TAKE(l->read_timer));
	l->nodes_seen_ms = l->whole_seen_ms = 0;
	l->reading = l->read_again = l->failing = false;
	link_set_read_trouble(l, "");
}

const struct question_row link_lists = {
	.asked = asked,
	.back = back,
	.end = end,
};
