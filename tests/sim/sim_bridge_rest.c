/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of the first generation beside the virtual node: in a fifth of the worlds
 * they submit jobs of their own to the same red-box by REST, each with a key. A client
 * repeats its request until it has an answer, whatever was killed, and sometimes goes
 * away in the middle. Afterwards a stranger may use its key for another script.
 *
 * P5: a key is one job; another comes only where slurmctld has lost the one before. The
 * id that is told is that of the key's job, and a client that is told that there is none
 * has none. No stranger is told of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim_bridge.h"

enum { PAUSE_MS = 20000, STAY_MS = 60000 };

static const char body[] = "{\"command\": \"#!/bin/sh\\necho cow\\n\"}";
static const char other[] = "{\"command\": \"#!/bin/sh\\nrefuse the stranger\\n\"}";

static void ask(struct rest_client *c);

static void ask_again(void *ctx)
{
	struct rest_client *c = ctx;
	c->timer = NULL;
	if (c->x) {
		bridge_note(c->b, "the client of %s goes away", c->key);
		sim_exchange_leave(c->x);
	}
	c->x = NULL;
	ask(c);
}

static void later(struct rest_client *c, int64_t most_ms)
{
	struct bridge *b = c->b;
	timer_stop(&b->loop->loop, c->timer);
	c->timer = timer_start(&b->loop->loop, sim_rand_range(&b->rest, 1, most_ms), ask_again, c);
}

static bool has_job(const struct bridge *b, const char *key, int64_t id)
{
	for (const struct hpc_job *j = b->hpc.jobs; j; j = j->next)
		if (strcmp(j->key, key) == 0 && j->id == id)
			return true;
	return false;
}

static void stranger_told(struct rest_client *c, int status)
{
	if (status == 200 && !c->b->journal_lost)
		bridge_break(c->b, "P5", "the job of %s is told as that of another script", c->key);
}

static void told(void *ctx, int status, const char *text)
{
	struct rest_client *c = ctx;
	struct bridge *b = c->b;
	bool again = status == 0 || status == 503;
	c->x = NULL;
	timer_stop(&b->loop->loop, c->timer);
	c->timer = NULL;
	bridge_note(b, "the client of %s is told %d %s", c->key, status, text);
	if (c->status) {
		stranger_told(c, status);
		return;
	}
	if (again) {
		later(c, PAUSE_MS);
		return;
	}
	c->status = status;
	if (status == 200 && !has_job(b, c->key, strtoll(text, NULL, 10)))
		bridge_break(b, "P5", "%s is told to be job %s, which it is not", c->key, text);
	if (status == 500 && sim_hpc_of(&b->hpc, c->key))
		bridge_break(b, "P5", "%s is told that it has no job, and has one: %s", c->key,
			text);
	if (status == 200 && sim_rand_chance(&b->rest, 500))
		ask(c);
}

static void ask(struct rest_client *c)
{
	struct bridge *b = c->b;
	char address[96];
	snprintf(address, sizeof(address), "unix:%s/rest", b->box.folder);
	const struct sim_rest_request q = { address, "POST", "/sbatch", c->key,
		c->status ? other : body };
	c->x = sim_exchange_send(&b->loop->loop, &b->rest, &q, told, c);
	if (!c->status && !b->calm && sim_rand_chance(&b->rest, 200))
		later(c, STAY_MS);
}

void bridge_rest_acts(struct bridge *b)
{
	bool has = b->seed % 5 == 3 && b->n_rest < BRIDGE_RESTS;
	if (!has || !sim_rand_chance(&b->rest, 300))
		return;
	struct rest_client *c = &b->rests[b->n_rest];
	*c = (struct rest_client){ .b = b };
	snprintf(c->key, sizeof(c->key), "rest-%zu", b->n_rest++);
	ask(c);
}

bool bridge_is_rest(const char *key) { return str_has_prefix(key, "rest-"); }

const char *bridge_rest_unsettled(const struct bridge *b)
{
	for (size_t i = 0; i < b->n_rest; i++)
		if (b->rests[i].x || b->rests[i].timer)
			return "a client by REST has no answer";
	return NULL;
}

void bridge_rest_end(struct bridge *b)
{
	for (size_t i = 0; i < b->n_rest; i++) {
		timer_stop(&b->loop->loop, b->rests[i].timer);
		if (b->rests[i].x)
			sim_exchange_leave(b->rests[i].x);
	}
}
