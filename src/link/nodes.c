/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a link: the nodes of Slurm, and the errors of the link. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fetch.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

/*
 * Answers about a node form an unbroken sequence if the gaps are not longer than this; a
 * slow server gets more time.
 */
enum { GAP_MS = 5000, GAP_TIMES = 2 };

void link_changed(struct slurm_link *l) { l->config.changed(l->config.ctx, l); }

static void set_text(char to[ERR_TEXT_BYTES], const char *text)
{
	size_t n = strnlen(text, ERR_TEXT_BYTES - 1);
	memcpy(to, text, n);
	to[n] = '\0';
}

void link_set_trouble(struct slurm_link *l, const char *text) { set_text(l->trouble, text); }
void link_set_read_trouble(struct slurm_link *l, const char *text)
{
	set_text(l->read_trouble, text);
}
void link_set_jobs_trouble(struct slurm_link *l, const char *text)
{
	set_text(l->jobs_trouble, text);
}

struct node *link_node_find(struct slurm_link *l, const char *name)
{
	struct node *n;
	HASH_FIND_STR(l->nodes, name, n);
	return n;
}

static size_t length(const char *text) { return text ? strlen(text) : 0; }

void link_node_pay(struct slurm_link *l, struct node *n)
{
	/* estimated overhead of the allocator for a handful of texts */
	enum { ALLOCATOR = 128 };
	size_t bytes = sizeof(*n) + ALLOCATOR + length(n->name) + length(n->reason) +
		length(n->comment) + length(n->of_pod) + length(n->address) + length(n->hostname) +
		length(n->gres);
	quota_give(l->quota, n->bytes);
	quota_force(l->quota, bytes);
	n->bytes = bytes;
}

struct node *link_node_make(struct slurm_link *l, const char *name)
{
	struct node *n = link_node_find(l, name);
	if (n)
		return n;
	n = own_alloc(sizeof(*n));
	n->name = own_strdup(name);
	n->born_ms = loop_now_ms(l->config.loop);
	HASH_ADD_KEYPTR(hh, l->nodes, n->name, strlen(n->name), n);
	link_node_pay(l, n);
	return n;
}

/* ---- nodes that plans expect ---- */

static void guess_forget(struct slurm_link *l, const struct node *n)
{
	if (n->guess_at < l->n_guesses && l->guesses[n->guess_at] == n)
		l->guesses[n->guess_at] = NULL;
}

static void guess_note(struct slurm_link *l, size_t at, struct node *n)
{
	guess_forget(l, n);
	assert(at <= l->n_guesses);
	if (at == l->guesses_cap) {
		l->guesses_cap = at ? at * 2 : 16;
		l->guesses = own_realloc(l->guesses, l->guesses_cap * sizeof(*l->guesses));
	}
	if (at == l->n_guesses)
		l->n_guesses++;
	l->guesses[at] = n;
	n->guess_at = at;
}

/* Prefetches the next guesses: first the node, then its strings. */
static void guess_fetch(const struct slurm_link *l, size_t at)
{
	enum { NODE_AHEAD = 4, TEXTS_AHEAD = 2 };
	if (at + NODE_AHEAD >= l->n_guesses)
		return;
	memory_fetch(l->guesses[at + NODE_AHEAD], 0, sizeof(struct node));
	const struct node *near = l->guesses[at + TEXTS_AHEAD];
	if (!near)
		return;
	__builtin_prefetch(near->name);
	__builtin_prefetch(near->address);
}

struct node *link_node_expected(struct slurm_link *l, const char *name)
{
	size_t at = l->next_guess++;
	struct node *n = at < l->n_guesses ? l->guesses[at] : NULL;
	guess_fetch(l, at);
	if (n && str_eq(n->name, name))
		return n;
	n = link_node_find(l, name);
	if (!n) {
		n = link_node_make(l, name);
		n->known = NO;
		n->absent_since_ms = l->nodes_seen_ms;
	}
	guess_note(l, at, n);
	return n;
}

int64_t link_node_seen_ms(const struct slurm_link *l, const struct node *n)
{
	return n->seen_ms > l->nodes_seen_ms ? n->seen_ms : l->nodes_seen_ms;
}

/* ---- answers about a node ---- */

static bool replace(char **at, const char *text)
{
	if (*at && str_eq(*at, text))
		return false;
	free(*at);
	*at = own_strdup(text ? text : "");
	return true;
}

static int64_t gap_ms(const struct slurm_link *l)
{
	return GAP_MS + GAP_TIMES * (l->last_read_took_ms + l->jobs_took_ms);
}

/*
 * Counts from the time at which the answer arrived, not at which it was requested. Slurm
 * made it at some time in between, and an answer about jobs that was requested meanwhile
 * may be older. Between two answers an administrator may have lifted the drain and set it
 * again, and a job that began meanwhile may be suspended now. Then last_busy differs, as
 * it does after each suspension (seen with 24.11.5).
 */
static int64_t free_since(const struct slurm_link *l, const struct node *n,
	const struct slurm_node *seen)
{
	bool unbroken = n->known == YES && n->free_since_ms &&
		seen->last_busy_s == n->last_busy_s &&
		seen->asked_ms - link_node_seen_ms(l, n) <= gap_ms(l);
	if (!node_state_drained(seen->state))
		return 0;
	return unbroken ? n->free_since_ms : loop_now_ms(l->config.loop);
}

/* No answer about jobs names a node that was added after that answer was requested. */
enum tri link_node_held(const struct slurm_link *l, const struct node *n)
{
	if (!l->jobs_seen_ms || l->jobs_seen_ms < n->born_ms)
		return UNKNOWN;
	return n->held ? YES : l->jobs_unplaced ? UNKNOWN : NO;
}

/*
 * Many running jobs are listed without reading their nodes again. Such a job may have
 * been suspended here when this node was read, and resumed before the jobs were listed.
 * Then the node looks busy after that list.
 */
static bool is_confirmed(const struct slurm_link *l, const struct node *n, int64_t free_since_ms,
	int64_t asked_ms)
{
	if (!free_since_ms)
		return false;
	return (n->confirmed && n->free_since_ms == free_since_ms) ||
		(link_node_held(l, n) == NO && l->jobs_seen_ms >= free_since_ms &&
			asked_ms >= l->jobs_ended_ms);
}

/* Most nodes have one name for everything, which is stored once. */
static void take_state_and_names(struct slurm_link *l, struct node *n,
	const struct slurm_node *seen)
{
	const char *hostname = str_eq(n->name, seen->hostname) ? "" : seen->hostname;
	bool same = n->known == YES && str_eq(n->address, seen->address) &&
		str_eq(n->hostname, hostname) &&
		link_node_runs(n->state) == link_node_runs(seen->state);
	n->state = seen->state;
	if (same)
		return;
	aliases_take(l, n);
	replace(&n->address, seen->address);
	replace(&n->hostname, hostname);
	aliases_put(l, n);
}

/* Most nodes have no gres, so no text is stored. */
static void take_size(struct node *n, const struct slurm_node *seen)
{
	n->cpus = (int32_t)seen->cpus;
	n->memory = (int32_t)seen->memory;
	n->memory_shared = seen->memory_shared;
	if (!str_empty(seen->gres))
		replace(&n->gres, seen->gres);
	else
		free(TAKE(n->gres));
}

static int64_t busy_since(const struct node *n, const struct slurm_node *seen)
{
	if (!(seen->state & NODE_BUSY_MASK))
		return 0;
	return n->known == YES && n->busy_since_ms ? n->busy_since_ms : seen->asked_ms;
}

bool link_node_seen(struct slurm_link *l, const struct slurm_node *seen)
{
	struct node *n = link_node_make(l, seen->name);
	if (n->seen_ms > seen->asked_ms)
		return false;
	int64_t free_since_ms = free_since(l, n, seen);
	n->confirmed = is_confirmed(l, n, free_since_ms, seen->asked_ms);
	n->free_since_ms = free_since_ms;
	n->busy_since_ms = busy_since(n, seen);
	take_state_and_names(l, n, seen);
	n->seen_ms = seen->asked_ms;
	if (n->in_flight_until_ms <= seen->asked_ms)
		n->in_flight_until_ms = 0;
	n->known = YES;
	n->absent_since_ms = 0;
	n->last_busy_s = seen->last_busy_s;
	n->reason_since_s = seen->reason_since_s;
	take_size(n, seen);
	replace(&n->reason, seen->reason);
	if (replace(&n->comment, seen->comment))
		free(TAKE(n->of_pod));
	link_node_pay(l, n);
	return true;
}

bool link_node_absent(struct slurm_link *l, struct node *n, int64_t asked_ms)
{
	if (n->seen_ms > asked_ms)
		return false;
	n->seen_ms = asked_ms;
	if (n->in_flight_until_ms <= asked_ms)
		n->in_flight_until_ms = 0;
	if (n->known == NO)
		return true;
	aliases_take(l, n);
	n->known = NO;
	n->absent_since_ms = asked_ms;
	n->free_since_ms = n->busy_since_ms = n->busy_until_s = 0;
	return true;
}

/* ---- removal ---- */

size_t link_held_bytes(const struct held *h)
{
	enum { ALLOCATOR = 32 };
	return sizeof(*h) + ALLOCATOR + length(h->user);
}

void link_held_free(struct slurm_link *l, struct held *h)
{
	if (!h)
		return;
	quota_give(l->quota, link_held_bytes(h));
	free(h->user);
	free(h);
}

static void node_free(struct slurm_link *l, struct node *n)
{
	quota_give(l->quota, n->bytes);
	link_held_free(l, n->held);
	link_held_free(l, n->held_new);
	free(n->name);
	free(n->reason);
	free(n->comment);
	free(n->of_pod);
	free(n->address);
	free(n->hostname);
	free(n->gres);
	free(n);
}

static void free_some(struct slurm_link *l, size_t most)
{
	for (; l->gone && most; most--) {
		struct node *n = l->gone;
		l->gone = n->next_gone;
		node_free(l, n);
	}
}

static void free_gone(void *ctx)
{
	enum { TURN_NODES = 8192 };
	struct slurm_link *l = ctx;
	free_some(l, TURN_NODES);
	l->gone_timer = l->gone ? timer_start(l->config.loop, 0, free_gone, l) : NULL;
}

void link_node_forget(struct slurm_link *l, struct node *n)
{
	aliases_take(l, n);
	guess_forget(l, n);
	HASH_DEL(l->nodes, n);
	n->next_gone = l->gone;
	l->gone = n;
	if (!l->gone_timer)
		l->gone_timer = timer_start(l->config.loop, 0, free_gone, l);
}

void link_nodes_free(struct slurm_link *l)
{
	struct node *n, *next;
	HASH_ITER (hh, l->nodes, n, next)
		link_node_forget(l, n);
	timer_stop(l->config.loop, TAKE(l->gone_timer));
	free_some(l, SIZE_MAX);
	free(TAKE(l->alias_chains));
	free(TAKE(l->guesses));
	l->n_guesses = l->guesses_cap = l->next_guess = 0;
}
