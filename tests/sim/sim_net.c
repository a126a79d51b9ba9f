/* SPDX-License-Identifier: Apache-2.0 */
/* The servers' side of the wire: streams, and being up or down. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_call.h"

bool sim_stream_send(struct http_call *c, const char *text, size_t n)
{
	struct sim_net *net = c->net;
	uint32_t number = c->number;
	if (sim_call_frozen(c)) {
		str_add_bytes(&c->held_text, text, n);
		return true;
	}
	if (c->idle_ms)
		sim_call_idle(c, c->idle_ms);
	bool more = c->on_data(c->ctx, text, n);
	/* the callback may have ended the call, or the whole program */
	for (struct http_call *each = net->calls; each; each = each->next) {
		if (each != c || each->number != number)
			continue;
		if (!more)
			sim_call_done(c,
				err_new(ERR_CANCELLED, "%s %.200s: stopped by the reader",
					c->method, c->path));
		return more;
	}
	return false;
}

void sim_stream_end(struct http_call *c, bool broken)
{
	c->reply.on_close = NULL;
	c->lost = broken ? err_new(ERR_LOST, "%s %.200s: the connection broke", c->method, c->path)
			 : OK;
	if (sim_call_frozen(c))
		c->held = true;
	else
		sim_call_done(c, c->lost);
}

/* The oldest; the list has the newest first. */
static struct http_call *held_for(const struct sim_net *n, int who)
{
	struct http_call *oldest = NULL;
	for (struct http_call *c = n->calls; c; c = c->next)
		if (c->client && c->observed && c->who == who && (c->held || c->held_text.len))
			oldest = c;
	return oldest;
}

void sim_net_thaw(struct sim_net *n, int who)
{
	struct http_call *c;
	n->frozen[who] = false;
	while ((c = held_for(n, who))) {
		AUTO(str_free) struct str text = c->held_text;
		c->held_text = (struct str){ 0 };
		if (text.len)
			sim_stream_send(c, text.text, text.len);
		else
			sim_call_done(c, c->lost);
	}
}

static void up_again(void *arg)
{
	struct sim_server *s = arg;
	s->up_again = NULL;
	s->down = false;
}

void sim_server_up(struct sim_server *s)
{
	timer_stop(&s->net->loop->loop, s->up_again);
	up_again(s);
}

void sim_server_down(struct sim_server *s, int64_t for_ms)
{
	sim_server_up(s);
	s->down = true;
	s->up_again = for_ms > 0 ? timer_start(&s->net->loop->loop, for_ms, up_again, s) : NULL;
	for (struct http_call *c = s->net->calls; c; c = c->next) {
		if (c->server != s || c->state == CALL_QUEUED || c->state == CALL_SENT)
			continue;
		sim_call_close_stream(c);
		c->lost = err_new(ERR_LOST, "%s %.200s: the connection broke", c->method, c->path);
		if (c->state == CALL_STREAMING)
			sim_call_answer_in(c, sim_call_way(c));
	}
}

struct sim_net *sim_net_new(struct sim_loop *loop, uint64_t seed)
{
	struct sim_net *n = own_alloc(sizeof(*n));
	n->loop = loop;
	n->seed = seed;
	n->faults.rand = sim_rand_new(seed, 1);
	n->way_ms = 8;
	for (int i = 0; i < SIM_PROGRAMS; i++)
		n->programs[i] = (struct sim_program){ n, i, 0 };
	return n;
}

void sim_net_add(struct sim_net *n, struct sim_server *s)
{
	s->net = n;
	s->next = n->servers;
	n->servers = s;
}

size_t sim_net_calls(const struct sim_net *n, bool observed)
{
	size_t count = 0;
	for (const struct http_call *c = n->calls; c; c = c->next)
		count += c->client && c->observed == observed;
	return count;
}

static bool posts(const struct http_call *c, const char *path_end, const char *text)
{
	size_t n = strlen(c->path), end = strlen(path_end);
	return c->observed && c->state < CALL_ANSWERED && strcmp(c->method, "POST") == 0 &&
		n > end && strcmp(c->path + n - end, path_end) == 0 && c->body &&
		strstr(c->body, text);
}

size_t sim_net_posts(const struct sim_net *n, const char *path_end, const char *text)
{
	size_t count = 0;
	for (const struct http_call *c = n->calls; c; c = c->next)
		count += posts(c, path_end, text);
	return count;
}

void sim_net_free(struct sim_net *n)
{
	if (!n)
		return;
	while (n->calls)
		sim_call_free(n->calls);
	for (struct sim_server *s = n->servers; s; s = s->next)
		timer_stop(&n->loop->loop, s->up_again);
	timer_stop(&n->loop->loop, n->crash_timer);
	sim_faults_free(&n->faults);
	free(n);
}
