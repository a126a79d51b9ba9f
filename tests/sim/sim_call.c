/* SPDX-License-Identifier: Apache-2.0 */
/* The life of one request: its way, its faults, its answer. */
#include "sim/sim_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static struct loop *loop_of(const struct http_call *c) { return &c->net->loop->loop; }

void sim_call_free(struct http_call *c)
{
	timer_stop(loop_of(c), c->timer);
	timer_stop(loop_of(c), c->timeout);
	*c->self = c->next;
	if (c->next)
		c->next->self = c->self;
	str_free(&c->reply.body);
	str_free(&c->held_text);
	free(c->method);
	free(c->path);
	free(c->content_type);
	free(c->slurm_token);
	free(c->body);
	free(c);
}

/*
 * The oldest queued call of a client goes out when there is room. The list has the newest
 * first.
 */
static void pump(struct sim_client *client)
{
	while (client->in_flight < client->max_in_flight) {
		struct http_call *oldest = NULL;
		for (struct http_call *c = client->net->calls; c; c = c->next)
			if (c->client == client && c->state == CALL_QUEUED)
				oldest = c;
		if (!oldest)
			return;
		sim_call_go(oldest);
	}
}

void sim_call_detach(struct http_call *c)
{
	struct sim_client *client = c->client;
	c->client = NULL;
	timer_stop(loop_of(c), c->timeout);
	c->timeout = NULL;
	if (!client || !c->counted)
		return;
	c->counted = false;
	client->in_flight--;
	pump(client);
}

void sim_call_close_stream(struct http_call *c)
{
	void (*on_close)(void *ctx) = c->reply.on_close;
	if (c->state != CALL_STREAMING || !on_close)
		return;
	c->reply.on_close = NULL;
	on_close(c->reply.close_ctx);
}

/* To a reader of pieces, in two. */
static void give_body(const struct http_call *c, struct http_answer *a, struct err *e)
{
	size_t half = a->body_bytes / 2;
	if (failed(*e) || !c->on_body || a->status != 200)
		return;
	if (!c->on_body(c->ctx, a->body, half) ||
		!c->on_body(c->ctx, a->body + half, a->body_bytes - half))
		*e = err_new(ERR_CANCELLED, "it was ended by its reader");
	a->body = "";
	a->body_bytes = 0;
}

void sim_call_done(struct http_call *c, struct err e)
{
	http_done *done = c->client ? c->done : NULL;
	sim_call_detach(c);
	sim_call_close_stream(c);
	struct http_answer answer = {
		.status = c->reply.status,
		.body = str_text(&c->reply.body),
		.body_bytes = c->reply.body.len,
		.asked_ms = c->asked_ms,
		.retry_after_ms = c->reply.retry_after_ms,
	};
	if (done && !failed(e) && c->reply.seen.what && c->observed && c->net->on_seen)
		c->net->on_seen(c->net->seen_ctx, c->who, c->reply.seen);
	/* unlinked before the callback, which may free everything of the client */
	struct http_call kept = *c;
	c->reply.body = (struct str){ 0 };
	sim_call_free(c);
	if (done)
		give_body(&kept, &answer, &e);
	if (done)
		done(kept.ctx, e, failed(e) ? NULL : &answer);
	str_free(&kept.reply.body);
}

bool sim_call_frozen(const struct http_call *c)
{
	return c->client && c->observed && c->net->frozen[c->who];
}

static void deliver(void *arg)
{
	struct http_call *c = arg;
	c->timer = NULL;
	if (sim_call_frozen(c))
		c->held = true;
	else
		sim_call_done(c, c->lost);
}

void sim_call_answer_in(struct http_call *c, int64_t delay_ms)
{
	c->state = CALL_ANSWERED;
	c->timer = timer_start(loop_of(c), delay_ms, deliver, c);
}

static void lose(struct http_call *c, enum err_kind kind, const char *how, int64_t delay_ms)
{
	c->lost = err_new(kind, "%s %.200s: %s", c->method, c->path, how);
	sim_call_answer_in(c, delay_ms);
}

int64_t sim_call_way(struct http_call *c) { return sim_rand_range(&c->rand, 1, c->net->way_ms); }

/* A lost answer is noticed at once (reset) or late (silence). */
static int64_t silence(struct http_call *c)
{
	return sim_rand_chance(&c->rand, 500) ? sim_call_way(c)
					      : sim_rand_range(&c->rand, 100, 10000);
}

enum { FROZEN_LOOK_MS = 1000 }; /* then it is looked at again */

static void on_idle(void *arg)
{
	struct http_call *c = arg;
	c->timeout = NULL;
	if (sim_call_frozen(c)) {
		sim_call_idle(c, FROZEN_LOOK_MS);
		return;
	}
	if (c->state != CALL_SENT) {
		sim_call_done(c,
			err_new(ERR_LOST, "%s %.200s: nothing came for too long", c->method,
				c->path));
		return;
	}
	http_done *done = c->done;
	void *ctx = c->ctx;
	struct err e = err_new(ERR_LOST, "%s %.200s: no answer in %lld ms", c->method, c->path,
		(long long)c->timeout_ms);
	sim_call_detach(c); /* it still arrives */
	done(ctx, e, NULL);
}

void sim_call_idle(struct http_call *c, int64_t ms)
{
	timer_stop(loop_of(c), c->timeout);
	c->timeout = ms > 0 ? timer_start(loop_of(c), ms, on_idle, c) : NULL;
}

static void serve(struct http_call *c)
{
	struct sim_request rq = {
		.method = c->method,
		.path = c->path,
		.content_type = c->content_type,
		.slurm_token = c->slurm_token,
		.body = c->body ? c->body : "",
		.body_bytes = c->body_bytes,
		.sent_ms = c->asked_ms,
		.number = c->number,
		.observed = c->observed,
		.who = c->who,
		.life = c->life,
		.stream = c->on_data != NULL,
		.call = c,
	};
	c->server->serve(c->server->ctx, &rq, &c->reply);
}

static void crash(struct sim_net *n, int who) { n->on_crash(n->crash_ctx, who); }

/* Lets the server handle the request, and delivers the answer. */
static void answer(struct http_call *c)
{
	serve(c);
	if (c->fault == FAULT_CRASH_AFTER)
		crash(c->net,
			c->who); /* state is still CALL_SENT: the freed client only detaches */
	if (c->reply.stream && !c->client) {
		c->state = CALL_STREAMING;
		sim_call_close_stream(c);
	}
	if (!c->client) {
		sim_call_free(c);
	} else if (c->fault == FAULT_LOST_AFTER && !c->reply.stream) {
		lose(c, ERR_LOST, "the connection broke before the answer", silence(c));
	} else if (c->reply.stream) {
		c->state = CALL_STREAMING;
		sim_call_idle(c, c->idle_ms);
	} else {
		bool in_pieces = c->on_body && c->reply.status == 200;
		if (c->most_bytes && !in_pieces && c->reply.body.len > c->most_bytes)
			c->lost = err_new(ERR_TOO_LARGE,
				"%s %.200s: the answer has more than %zu bytes", c->method, c->path,
				c->most_bytes);
		sim_call_answer_in(c, sim_call_way(c) + c->reply.delay_ms);
	}
}

static void arrive(void *arg);

static bool works_on(struct http_call *c)
{
	const struct sim_server *s = c->server;
	int64_t ms = s->works_ms && !c->worked_on && !s->down
		? s->works_ms(s->ctx, c->method, c->path)
		: 0;
	c->worked_on = true;
	if (ms <= 0)
		return false;
	c->timer = timer_start(loop_of(c), ms, arrive, c);
	return true;
}

/* The query "timeout" in milliseconds; 0: none. */
static int64_t deadline_ms(const struct http_call *c)
{
	const char *at = strstr(c->path, "?timeout=");
	return at ? strtoll(at + strlen("?timeout="), NULL, 10) : 0;
}

/*
 * As an API server answers at the deadline of a request that it could not carry out
 * (1.34.4, with its etcd stopped).
 */
static void answer_timed_out(struct http_call *c)
{
	c->reply.status = 504;
	if (c->server->fault_body)
		c->server->fault_body(c->reply.status, &c->reply.body);
	sim_call_answer_in(c, sim_call_way(c));
}

static void arrive(void *arg)
{
	struct http_call *c = arg;
	static const int statuses[FAULT_KINDS] = {
		[FAULT_500] = 500,
		[FAULT_503] = 503,
		[FAULT_429] = 429,
		[FAULT_INSIDE] = 200,
	};
	c->timer = NULL;
	if (works_on(c))
		return;
	if (c->server->down) {
		lose(c, ERR_LOST, "the connection broke", sim_call_way(c));
	} else if (c->fault == FAULT_LOST_BEFORE) {
		lose(c, ERR_LOST, "the connection broke", silence(c));
	} else if (c->timed_out) {
		answer_timed_out(c);
	} else if (statuses[c->fault]) {
		c->reply.status = c->fault == FAULT_INSIDE && !c->server->errors_inside
			? 500
			: statuses[c->fault];
		if (c->server->fault_body)
			c->server->fault_body(c->reply.status, &c->reply.body);
		c->reply.retry_after_ms = c->fault == FAULT_429 ? 1000 : -1;
		sim_call_answer_in(c, sim_call_way(c));
	} else {
		answer(c);
	}
}

static void crash_now(void *arg)
{
	struct sim_net *n = arg;
	n->crash_timer = NULL;
	crash(n, n->crashing);
}

static enum sim_fault_kind draw_fault(struct http_call *c, uint32_t *id)
{
	char what[400];
	snprintf(what, sizeof(what), "%s%s %.*s", c->method, c->on_data ? " stream" : "",
		(int)strcspn(c->path, "?"), c->path);
	enum sim_fault_kind f = sim_faults_next(&c->net->faults, POINT_REQUEST, what, id);
	bool may_crash = c->observed && c->net->on_crash;
	if (f == FAULT_CRASH_BEFORE && !may_crash)
		return FAULT_LOST_BEFORE;
	if (f == FAULT_CRASH_AFTER && !may_crash)
		return FAULT_LOST_AFTER;
	return f;
}

static bool is_too_late(const struct http_call *c)
{
	int64_t now_ms = loop_now_ms(loop_of(c));
	return (c->max_wait_ms && now_ms - c->queued_ms > c->max_wait_ms) ||
		(c->leave_by_ms && now_ms >= *c->leave_by_ms);
}

void sim_call_go(struct http_call *c)
{
	struct sim_net *n = c->net;
	if (is_too_late(c)) {
		lose(c, ERR_RETRY, "it was not sent", 0);
		return;
	}
	c->number = n->faults.points;
	uint32_t id;
	n->sent++;
	c->fault = draw_fault(c, &id);
	c->rand = sim_rand_new(n->seed, UINT64_C(0x100000000) + id);
	c->asked_ms = loop_now_ms(&n->loop->loop);
	c->state = CALL_SENT;
	if (c->client && !c->on_data) {
		c->counted = true;
		c->client->in_flight++;
	}
	sim_call_idle(c, c->on_data ? c->idle_ms : c->timeout_ms);
	if (!c->server || c->server->down || c->fault == FAULT_REFUSED) {
		lose(c, ERR_RETRY, "the connection was refused", sim_call_way(c));
	} else if (c->fault == FAULT_CRASH_BEFORE) {
		lose(c, ERR_LOST, "the connection broke", sim_call_way(c));
		if (!n->crash_timer) {
			n->crashing = c->who;
			n->crash_timer = timer_start(&n->loop->loop, 0, crash_now, n);
		}
	} else {
		int64_t slow_ms = c->fault == FAULT_SLOW ? sim_rand_range(&c->rand, 500, 8000) : 0;
		c->timed_out = deadline_ms(c) && slow_ms > deadline_ms(c);
		c->timer = timer_start(&n->loop->loop,
			sim_call_way(c) + (c->timed_out ? deadline_ms(c) : slow_ms), arrive, c);
	}
}
