/*
 * While decisions wait for a few nodes, these are read one by one. The list of all nodes takes as long as the cluster is large (0.1 s for 1,000, 2 s for
 * 10,000 with Slurm 24.11.5), and is whole whenever anything has changed; one node takes 2 ms. So the end of a job is seen soon in any cluster.
 */
#include "base/own.h"
#include "engine/link_parts.h"

enum {
	WATCH_MS = 250,
	WATCH_PAUSE = 8, /* in times of what a round took: at most a ninth of the time is spent on it, however slow Slurm is */
};

static void watch_round(void *ctx);

static void watch_again(struct slurm_link *l)
{
	int64_t least = l->watch_took_ms * WATCH_PAUSE;
	if (l->n_watched && !l->watch_reads && !l->watch_timer)
		l->watch_timer = timer_start(l->config.loop, least > WATCH_MS ? least : WATCH_MS, watch_round, l);
}

/* An error tells nothing: the list will, and says what is wrong. */
static void watched_read(void *ctx, struct err err, const struct slurm_node *seen, int64_t asked_ms)
{
	struct slurm_link *l = ctx;
	(void)err, (void)asked_ms;
	if (seen)
		link_node_seen(l, seen);
	if (--l->watch_reads)
		return;
	l->watch_took_ms = loop_now_ms(l->config.loop) - l->watch_started_ms;
	watch_again(l);
	link_changed(l);
}

static void watch_round(void *ctx)
{
	struct slurm_link *l = ctx;
	l->watch_timer = NULL;
	if (!l->slurm || !l->nodes_seen_ms || l->failing) {
		watch_again(l);
		return;
	}
	l->watch_started_ms = loop_now_ms(l->config.loop);
	l->watch_reads = l->n_watched;
	for (size_t i = 0, n = l->n_watched; i < n; i++)
		slurm_one_node(l->slurm, l->watched[i], watched_read, l);
}

static void names_free(struct slurm_link *l)
{
	while (l->n_watched)
		free(l->watched[--l->n_watched]);
}

/* The client is gone, and its callbacks with it. */
void link_watch_end(struct slurm_link *l)
{
	names_free(l);
	l->watch_reads = 0;
	timer_stop(l->config.loop, TAKE(l->watch_timer));
}

void slurm_link_watch(struct slurm_link *l, const char *const *names, size_t n)
{
	names_free(l);
	for (size_t i = 0; i < PLAN_MAX_WATCHED && i < n; i++)
		l->watched[l->n_watched++] = own_strdup(names[i]);
	watch_again(l);
}
