/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries one red-box in rounds: its partitions, the version of its Slurm, the resources
 * of each partition, then a pause. A missing answer is no information about jobs.
 *
 * The red-box of an account is queried only to see whether it answers: if a pod uses it
 * and it has not answered for a while, and then until it answers.
 */
#include <assert.h>

#include "base/log.h"
#include "base/own.h"
#include "virtual_node/parts.h"

enum {
	ROUND_MS = 10000,
	AWAY_ROUND_MS = 3000,
	/* query an account's red-box in use this long after its last answer */
	LOOK_MS = 10000,
	CALL_MS = 5000,
};

static void next_round(void *box);
static void ask_resources(struct box *b, struct part *next);

static void wake_all(struct box *b)
{
	for (struct part *p = b->all->parts; p; p = p->hh.next)
		if (p->box == b)
			part_wake(p);
}

static void pause_for(struct box *b, int64_t ms)
{
	b->timer = timer_start(b->all->loop, ms, next_round, b);
}

/* Logs each error once. If the first error is corrected, the next one is logged. */
static void is_away(struct box *b, struct err e)
{
	if (!b->told || !str_eq(b->told, e.text)) {
		log_warn("Slurm cannot be reached through its red-box", "cluster", b->cluster,
			"account", b->account, "why", e.text);
		free(b->told);
		b->told = own_strdup(e.text);
	}
	b->away = true;
	wake_all(b);
	pause_for(b, AWAY_ROUND_MS);
}

/* Plans the pods that waited for this red-box. */
static void is_there(struct box *b)
{
	bool back = b->away;
	b->answered_ms = loop_now_ms(b->all->loop);
	b->away = false;
	free(TAKE(b->told));
	if (!back)
		return;
	log_info("Slurm can be reached through its red-box", "cluster", b->cluster, "account",
		b->account);
	for (struct part *p = b->all->parts; p; p = p->hh.next)
		if (p->box == b || p->box == b->of)
			pods_wake(p);
}

static struct wlm_caller caller(struct box *b,
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer))
{
	return (struct wlm_caller){
		.client = b->client,
		.timeout_ms = CALL_MS,
		.done = done,
		.ctx = b,
	};
}

/* ---- resources ---- */

static struct part *next_part(const struct box *b, struct part *from)
{
	while (from && (from->box != b || from->listed_ms != b->answered_ms))
		from = from->hh.next;
	return from;
}

static void round_over(struct box *b)
{
	wake_all(b);
	pause_for(b, ROUND_MS);
}

/* After a failure for one partition, the round goes on with the next one. */
static void resources_came(void *box, struct err e, const struct wlm_answer *answer)
{
	struct box *b = box;
	struct part *p = TAKE(b->asked);
	b->call = NULL;
	if (failed(e))
		log_debug("no resources of a partition", "partition", p->name, "why", e.text);
	else
		part_resources(p, &answer->resources, b->asked_ms);
	/* If one request times out, skips the rest of this round. */
	if (e.code == GRPC_DEADLINE_EXCEEDED)
		round_over(b);
	else
		ask_resources(b, next_part(b, p->hh.next));
}

static void ask_resources(struct box *b, struct part *next)
{
	struct wlm_caller by = caller(b, resources_came);
	b->asked = next;
	b->asked_ms = loop_now_ms(b->all->loop);
	if (next)
		b->call = b->all->calls->resources(&by, next->name);
	else
		round_over(b);
}

/* ---- the version ---- */

static void version_came(void *box, struct err e, const struct wlm_answer *answer)
{
	struct box *b = box;
	b->call = NULL;
	if (!failed(e) && answer->version && !str_eq(answer->version, b->version)) {
		free(b->version);
		b->version = own_strdup(answer->version);
	}
	ask_resources(b, next_part(b, b->all->parts));
}

static void ask_version(struct box *b)
{
	struct wlm_caller by = caller(b, version_came);
	b->call = b->all->calls->workload(&by);
}

/* ---- partitions ---- */

static bool is_served(const struct vnode *v, const char *partition)
{
	for (size_t i = 0; v->partitions && v->partitions[i]; i++)
		if (str_eq(v->partitions[i], partition))
			return true;
	return !v->partitions;
}

static void partitions_came(void *box, struct err e, const struct wlm_answer *answer)
{
	struct box *b = box;
	b->call = NULL;
	if (failed(e)) {
		is_away(b, e);
		return;
	}
	is_there(b);
	if (b->of)
		return; /* its partitions are those of b->of */
	for (size_t i = 0; i < answer->n_names; i++)
		if (is_served(b->all, answer->names[i])) {
			struct part *p = part_of(b, answer->names[i]);
			if (p)
				p->listed_ms = b->answered_ms;
		}
	ask_version(b);
}

static void next_round(void *box)
{
	struct box *b = box;
	struct wlm_caller by = caller(b, partitions_came);
	b->timer = NULL;
	b->call = b->all->calls->partitions(&by);
}

/*
 * There may be hundreds of accounts, so their red-boxes are queried only if a pod uses
 * them.
 */
void box_start(struct box *b)
{
	/* The first pod that uses the red-box of an account triggers a query. */
	b->answered_ms = loop_now_ms(b->all->loop) - (b->of ? VNODE_SILENT_MS : 0);
	b->away = !b->of; /* true until the first answer */
	if (!b->of)
		pause_for(b, 0);
}

/* ---- calls for pods ---- */

static void look(struct box *b)
{
	if (!b->timer && !b->call)
		pause_for(b, 0);
}

void box_is_used(struct box *b)
{
	b->under_way++;
	if (b->of && loop_now_ms(b->all->loop) - b->answered_ms >= LOOK_MS)
		look(b);
}

void box_said(struct box *b, struct err e)
{
	bool mute = failed(e) && (e.code == GRPC_UNAVAILABLE || e.code == GRPC_DEADLINE_EXCEEDED);
	b->under_way--;
	assert(b->under_way >= 0);
	if (b->of && mute)
		look(b);
	else if (b->of && !b->away)
		b->answered_ms = loop_now_ms(b->all->loop);
}

void box_stop(struct box *b)
{
	assert(!b->under_way && !b->slots); /* its pods are freed */
	timer_stop(b->all->loop, TAKE(b->timer));
	if (b->call)
		b->all->calls->call_cancel(TAKE(b->call));
	free(b->cluster);
	free(b->account);
	free(b->version);
	free(b->told);
}
