/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and frees a collector. */
#include "transfer/transfer.h"

#include <string.h>

#include "base/own.h"
#include "transfer/parts.h"

enum { PROGRESS_MS = 30000 };

static void say_progress(void *results)
{
	struct results *r = results;
	r->progress = timer_start(r->config.loop, PROGRESS_MS, say_progress, r);
	if (r->part)
		results_say(r, "%.300s: %lld of %lld bytes", r->entry.path,
			(long long)part_bytes(r->part), (long long)r->entry.size);
	if (r->walk && r->input.fd >= 0)
		results_say(r, "%.300s: %lld of %lld bytes", r->entry.path,
			(long long)r->piece.offset, (long long)r->entry.size);
}

struct err results_new(const struct results_config *config, struct results **out)
{
	struct tree *tree = NULL;
	struct walk *walk = NULL;
	struct err e = config->from ? walk_open(config->from, &walk)
				    : tree_open(config->to, config->pod, &tree);
	if (failed(e))
		return e;
	struct results *r = own_alloc(sizeof(*r));
	r->config = *config;
	r->tree = tree;
	r->walk = walk;
	r->input.fd = -1;
	r->answered_ms = loop_now_ms(config->loop);
	r->progress = timer_start(config->loop, PROGRESS_MS, say_progress, r);
	results_later(r, 0, walk ? inputs_next : list_get);
	*out = r;
	return OK;
}

void results_free(struct results *r)
{
	if (!r)
		return;
	http_cancel(r->config.http, r->call);
	timer_stop(r->config.loop, r->timer);
	timer_stop(r->config.loop, r->progress);
	part_close(r->part);
	if (r->list)
		fclose(r->list);
	lines_reset(&r->lines);
	inputs_close(r);
	walk_close(r->walk);
	tree_close(r->tree);
	arena_free(&r->arena);
	free(r->why);
	free(r);
}
