/* When the lists of a link are read, and what is taken from them. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/link_parts.h"
#include "slurm/hostlist.h"

enum {
	REST_MS = 10000,
	SOON_MS = 500,
	BESIDE_MS = 2000, /* soon, while the nodes that matter are read one by one */
	JOBS_MS = 30000,
	FAILED_MS = 1000,
	PAUSE = 5, /* between two lists, in times of what the last one took: at most one sixth of the time is spent on reading */
	HASTE = 1, /* the same when nothing else is in the way: one half */
	PATIENCE_MS = 2000,
	PATIENCE = 3, /* so many reads may fail to come before nothing is known */
};

static void node_read(void *ctx, const struct slurm_node *seen)
{
	struct slurm_link *l = ctx;
	l->overtaken |= !link_node_seen(l, seen);
	link_node_find(l, seen->name)->listed = true;
}

static void sweep_absent(struct slurm_link *l, int64_t asked_ms)
{
	struct node *n, *next;
	HASH_ITER(hh, l->nodes, n, next) {
		if (!n->listed && n->known != NO && n->seen_ms <= asked_ms) {
			n->known = NO;
			n->absent_since_ms = asked_ms;
			n->busy_until_s = 0;
		}
		l->overtaken |= !n->listed && n->seen_ms > asked_ms;
		n->listed = false;
	}
}

/*
 * "Nothing has changed" (304) vouches for what the last whole list said. Of a node that was read
 * singly while the list was on its way we keep what the single read said, which may be the older of
 * the two: then the next list has to be whole, or the 304 would make it look new for ever.
 */
static void read_whole_after_overtaking(struct slurm_link *l)
{
	if (l->overtaken)
		slurm_nodes_forget(l->slurm);
	l->overtaken = false;
}

static void settle(struct slurm_link *l, int64_t asked_ms)
{
	for (struct node *n = l->nodes; n; n = n->hh.next)
		if (n->in_flight_until_ms && n->in_flight_until_ms <= asked_ms)
			n->in_flight_until_ms = 0;
}

struct job_reader {
	struct slurm_link *l;
	int64_t end_s;
};

static void job_node(void *ctx, const char *name)
{
	struct job_reader *r = ctx;
	struct node *n = link_node_find(r->l, name);
	if (n && n->busy_new_s < r->end_s)
		n->busy_new_s = r->end_s;
}

static void job_read(void *ctx, const struct slurm_job *j)
{
	struct job_reader r = { ctx, j->end_s };
	struct err e = hostlist_expand(j->nodes, job_node, &r);
	if (failed(e))
		log_warn("the nodes of a job are unreadable", "why", e.text);
}

static void jobs_read(void *ctx, struct err err, int64_t asked_ms)
{
	struct slurm_link *l = ctx;
	bool news = false;
	l->reading_jobs = false;
	for (struct node *n = l->nodes; n; n = n->hh.next) {
		if (!failed(err)) {
			news |= n->busy_until_s != n->busy_new_s;
			n->busy_until_s = n->busy_new_s;
		}
		n->busy_new_s = 0;
	}
	if (!failed(err))
		l->jobs_seen_ms = asked_ms;
	if (news)
		link_changed(l);
}

static void read_jobs(struct slurm_link *l, bool nodes_changed)
{
	int64_t now = loop_now_ms(l->config.loop);
	if (!l->want_jobs || l->reading_jobs || (!nodes_changed && l->jobs_seen_ms && now - l->jobs_seen_ms < JOBS_MS))
		return;
	l->reading_jobs = true;
	slurm_running_jobs(l->slurm, job_read, jobs_read, l);
}

static int64_t max_ms(int64_t a, int64_t b) { return a > b ? a : b; }

/* Between the end of one list and the beginning of the next. */
static int64_t pause_ms(const struct slurm_link *l, enum slurm_need need)
{
	switch (need) {
	case SLURM_AT_REST: return max_ms(REST_MS, l->last_read_took_ms * PAUSE);
	case SLURM_SOON: return max_ms(l->n_watched ? BESIDE_MS : SOON_MS, l->last_read_took_ms * PAUSE);
	case SLURM_NOW: break;
	}
	return max_ms(SOON_MS, l->last_read_took_ms * HASTE);
}

int64_t link_patience_ms(const struct slurm_link *l)
{
	int64_t pause = pause_ms(l, l->need == SLURM_AT_REST ? SLURM_AT_REST : SLURM_SOON);
	return PATIENCE * max_ms(PATIENCE_MS, pause);
}

static int64_t next_read_ms(const struct slurm_link *l)
{
	int64_t pause = l->failing ? FAILED_MS : pause_ms(l, l->need);
	int64_t left = l->read_started_ms + l->last_read_took_ms + pause - loop_now_ms(l->config.loop);
	bool never_read = !l->nodes_seen_ms && !l->failing; /* this server; the times are of the last one */
	return l->read_again || never_read || left < 0 ? 0 : left;
}

static const char *ms_text(int64_t ms, char out[24])
{
	snprintf(out, 24, "%lld", (long long)ms);
	return out;
}

static void nodes_read(void *ctx, struct err err, bool news, int64_t asked_ms)
{
	struct slurm_link *l = ctx;
	bool was_failing = l->failing || !l->nodes_seen_ms;
	char took[24], next[24];
	l->reading = false;
	l->last_read_took_ms = loop_now_ms(l->config.loop) - l->read_started_ms;
	l->failing = failed(err);
	if (failed(err)) {
		for (struct node *n = l->nodes; n; n = n->hh.next)
			n->listed = false;
		/* A broken read may have brought half a list: the next one must be whole. */
		slurm_nodes_forget(l->slurm);
		link_set_trouble(l, err.text);
		if (!was_failing)
			log_warn("reading the nodes of Slurm failed", "namespace", l->ns, "cluster", l->cluster, "why", err.text);
	} else {
		l->nodes_seen_ms = asked_ms;
		if (news)
			sweep_absent(l, asked_ms);
		settle(l, asked_ms);
		read_whole_after_overtaking(l);
		read_jobs(l, news);
	}
	int64_t next_ms = next_read_ms(l);
	log_debug("nodes of Slurm read", "cluster", l->cluster, "news", news ? "yes" : "no", "ms", ms_text(l->last_read_took_ms, took), "next",
		ms_text(next_ms, next));
	link_read_schedule(l, next_ms);
	if (news || was_failing != l->failing || l->need)
		link_changed(l);
}

static void read_start(void *ctx)
{
	struct slurm_link *l = ctx;
	l->read_timer = NULL;
	if (!l->slurm || l->reading)
		return;
	l->reading = true;
	l->read_again = l->overtaken = false;
	l->read_started_ms = loop_now_ms(l->config.loop);
	slurm_nodes(l->slurm, node_read, nodes_read, l);
}

void link_read_schedule(struct slurm_link *l, int64_t in_ms)
{
	timer_stop(l->config.loop, l->read_timer);
	l->read_timer = timer_start(l->config.loop, in_ms, read_start, l);
}

void slurm_link_wants(struct slurm_link *l, enum slurm_need need, bool jobs)
{
	bool other = need != l->need;
	bool first_jobs = jobs && !l->want_jobs;
	l->need = need;
	l->want_jobs = jobs;
	if (other && l->slurm && !l->reading)
		link_read_schedule(l, next_read_ms(l));
	else if (first_jobs && l->slurm && l->nodes_seen_ms)
		read_jobs(l, true);
}
