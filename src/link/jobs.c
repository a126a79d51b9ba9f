/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads which jobs run on which nodes: all jobs that have begun and not ended, also
 * suspended ones, whose nodes look idle. They are read when a decision waits for them,
 * and from time to time for the ends of jobs.
 */
#include <stdio.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"
#include "slurm/hostlist.h"

enum {
	ENDS_MS = 30000,   /* only for the ends of jobs */
	CHANGED_MS = 2000, /* only for the ends of jobs, when nodes have changed */
	FAILED_MS = 1000,
	LEAST_MS = 250, /* between two answers, in any case */
	/*
	 * Pause for the ends of jobs, in times of the last duration: at most a sixth of
	 * the time is spent
	 */
	PAUSE_TIMES = 5,
	/* pause while a deletion waits, so that at most half of the time is spent */
	HURRY_TIMES = 1,
	NAMES_MAX = 4194304, /* of one answer; more would take too much time */
};

/* ---- an answer ---- */

struct placing {
	struct slurm_link *l;
	const struct slurm_job *job;
};

/* Reports a suspended job, because a user must act; otherwise the job that ends last. */
static void hold(struct held *h, const struct slurm_job *job)
{
	bool first = !h->job.id, suspended = job->state & (JOB_SUSPENDED | JOB_STOPPED);
	bool later = suspended != h->job.suspended ? suspended : job->end_s > h->job.end_s;
	bool others = h->job.others || (!first && h->job.id != job->id);
	h->end_s = max_ms(h->end_s, job->end_s);
	h->job.others = others;
	if (!first && !later)
		return;
	free(h->user);
	h->user = own_strdup(job->user);
	h->job = (struct job_fact){ job->id, h->user, job->end_s, suspended, others };
}

static void place(void *ctx, const char *name)
{
	struct placing *p = ctx;
	struct node *n = link_node_find(p->l, name);
	if (!n)
		return;
	if (n->held_new)
		quota_give(p->l->quota, link_held_bytes(n->held_new));
	else
		n->held_new = own_alloc(sizeof(*n->held_new));
	hold(n->held_new, p->job);
	quota_force(p->l->quota, link_held_bytes(n->held_new));
}

/* Keeps the first job without known nodes, and logs it if the answer before had none. */
static void unplaced(struct slurm_link *l, int64_t id, const char *why)
{
	char number[24];
	if (!l->unplaced_new && !l->jobs_unplaced) {
		snprintf(number, sizeof(number), "%lld", (long long)id);
		log_warn("the nodes of a job are not known", "namespace", l->ns, "cluster",
			l->cluster, "job", number, "why", why);
	}
	if (!l->unplaced_new)
		l->unplaced_new = id;
}

/*
 * A job whose nodes could not be read may have any node. The only exception is a running
 * job that can never be read, such as an array of more tasks than an answer holds: its
 * nodes look busy while it runs.
 */
static size_t job_given(void *ctx, const struct slurm_job *job)
{
	struct slurm_link *l = ctx;
	struct placing p = { l, job };
	size_t n = 0;
	bool unread = !job->nodes && (job->passing || job->state != JOB_RUNNING);
	struct err e = job->nodes ? hostlist_count(job->nodes, &n) : OK;
	if (!failed(e) && l->jobs_names + n > NAMES_MAX)
		e = err_new(ERR_TOO_LARGE,
			"with this job, all jobs together have more than %d nodes", NAMES_MAX);
	if (unread)
		e = err_new(ERR_RETRY, "its nodes could not be read");
	if (failed(e)) {
		unplaced(l, job->id, e.text);
		return 0;
	}
	l->unread_new |= !job->nodes;
	l->jobs_names += n;
	(void)hostlist_expand(job->nodes, place, &p);
	return n;
}

static bool alike(const struct held *a, const struct held *b)
{
	if (!a || !b)
		return a == b;
	return a->end_s == b->end_s && a->job.id == b->job.id &&
		a->job.suspended == b->job.suspended && a->job.others == b->job.others;
}

/*
 * Replaces the jobs of all nodes by the new answer, if it is good. Returns true if
 * anything changed.
 */
static bool take_over(struct slurm_link *l, bool good)
{
	bool news = false;
	for (struct node *n = l->nodes; n; n = n->hh.next) {
		struct held *old = good ? n->held : n->held_new;
		if (good) {
			news |= !alike(n->held, n->held_new);
			n->busy_until_s = n->held_new ? n->held_new->end_s : 0;
			n->held = n->held_new;
			n->confirmed &= !n->held;
		}
		n->held_new = NULL;
		link_held_free(l, old);
	}
	return news;
}

static void due(struct slurm_link *l);

static void jobs_read(void *ctx, struct err err, int64_t asked_ms)
{
	struct slurm_link *l = ctx;
	bool waited = l->jobs_at_ms != 0, was_failing = l->jobs_failing;
	bool before = l->jobs_started_ms < l->well_since_ms;
	struct err err_unplaced = OK;
	l->jobs_reading = false;
	l->jobs_failing = failed(err);
	l->jobs_ended_ms = loop_now_ms(l->config.loop);
	if (!before)
		l->jobs_took_ms = l->jobs_ended_ms - l->jobs_started_ms;
	bool news = take_over(l, !failed(err));
	link_note_cluster(l);
	if (!failed(err) && l->unplaced_new)
		err_unplaced = err_new(ERR_RETRY, "the nodes of job %lld cannot be read",
			(long long)l->unplaced_new);
	link_set_jobs_trouble(l,
		before && failed(err)          ? ""
			: failed(err)          ? err.text
			: failed(err_unplaced) ? err_unplaced.text
					       : "");
	if (!failed(err)) {
		l->jobs_seen_ms = asked_ms;
		l->jobs_unplaced = l->unplaced_new != 0;
		news |= l->jobs_unread != l->unread_new;
		l->jobs_unread = l->unread_new;
		l->jobs_at_ms = 0; /* a plan that still waits will demand it again */
	} else if (!was_failing) {
		log_warn("reading the jobs of Slurm failed", "namespace", l->ns, "cluster",
			l->cluster, "why", err.text);
	}
	due(l);
	if (news || waited || was_failing != l->jobs_failing)
		link_changed(l);
}

/* ---- the time of the next read ---- */

static void jobs_start(void *ctx)
{
	struct slurm_link *l = ctx;
	l->jobs_timer = NULL;
	if (!l->slurm || l->jobs_reading || l->failing)
		return;
	l->jobs_reading = true;
	l->jobs_stale = false;
	l->unplaced_new = 0;
	l->unread_new = false;
	l->jobs_names = 0;
	l->jobs_started_ms = loop_now_ms(l->config.loop);
	slurm_held_jobs(l->slurm, job_given, jobs_read, l);
}

/* When to read the jobs; INT64_MAX: no demand. */
static int64_t wanted_at_ms(const struct slurm_link *l)
{
	int64_t at = INT64_MAX;
	if (l->want_jobs) {
		int64_t pause = max_ms(l->jobs_stale ? CHANGED_MS : ENDS_MS,
			l->jobs_took_ms * PAUSE_TIMES);
		at = l->jobs_seen_ms || l->jobs_failing ? l->jobs_ended_ms + pause : 0;
	}
	return l->jobs_at_ms && l->jobs_at_ms < at
		? max_ms(l->jobs_at_ms,
			  l->jobs_ended_ms + max_ms(LEAST_MS, l->jobs_took_ms * HURRY_TIMES))
		: at;
}

static void due(struct slurm_link *l)
{
	int64_t now = loop_now_ms(l->config.loop), at = wanted_at_ms(l);
	timer_stop(l->config.loop, TAKE(l->jobs_timer));
	if (!l->slurm || !l->nodes_seen_ms || l->jobs_reading || at == INT64_MAX)
		return;
	if (l->jobs_failing)
		at = max_ms(at, l->jobs_ended_ms + FAILED_MS);
	l->jobs_timer = timer_start(l->config.loop, at > now ? at - now : 0, jobs_start, l);
}

static void asked(struct slurm_link *l, const struct ask *sum)
{
	l->want_jobs = sum->wanted;
	l->jobs_at_ms = sum->at_ms;
	due(l);
}

static void listed(struct slurm_link *l, bool news)
{
	l->jobs_stale |= news;
	due(l);
}

static void back(struct slurm_link *l)
{
	l->jobs_took_ms = 0;
	due(l);
}

static void end(struct slurm_link *l)
{
	timer_stop(l->config.loop, TAKE(l->jobs_timer));
	l->jobs_reading = l->jobs_failing = l->jobs_unplaced = l->jobs_unread = false;
	l->jobs_seen_ms = l->jobs_started_ms = l->jobs_ended_ms = l->jobs_took_ms = 0;
	link_set_jobs_trouble(l, "");
}

const struct question_row link_jobs = {
	.asked = asked,
	.listed = listed,
	.back = back,
	.end = end,
};
