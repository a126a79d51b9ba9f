/* SPDX-License-Identifier: Apache-2.0 */
/* One call over the socket: its way there, its way back, and what gets lost. */
#include "sim/sim_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "sim/sim_rand.h"
#include "wlm/wlm.h"

enum { WAY_MS = 20, LOOK_MS = 700, CUT_MS = 400000, LATE_MS = 900000 };

struct grpc_ask {
	struct grpc_ask *next, **self;
	struct sim_link *link;
	const char *method;
	const struct grpc_ask_events *events; /* NULL: the caller is gone */
	void *ctx;
	struct str bytes;
	enum { WAITS, SENT, TAKEN, OVER } state;
	bool drawn;
	enum sim_fault_kind fault;
	struct sim_rand rand;
	struct timer *timer, *limit;
	struct grpc_call *call; /* TAKEN */
	/* The outcome */
	struct str answer;
	bool answered;
	enum grpc_effect effect;
	enum grpc_status status;
	char *message;
};

struct grpc_call {
	struct grpc_call *next, **self;
	struct sim_link *link;
	struct grpc_ask *ask; /* NULL: the client has gone */
	const struct grpc_method *method;
	void *state;
	struct timer *gone;
	bool finished;
};

static struct loop *loop_of(const struct sim_link *l) { return &l->loop->loop; }

static int64_t way(struct grpc_ask *a) { return sim_rand_range(&a->rand, 1, WAY_MS); }

static void ask_free(struct grpc_ask *a)
{
	timer_stop(loop_of(a->link), a->timer);
	timer_stop(loop_of(a->link), a->limit);
	*a->self = a->next;
	if (a->next)
		a->next->self = a->self;
	if (a->call)
		a->call->ask = NULL;
	str_free(&a->bytes);
	str_free(&a->answer);
	free(a->message);
	free(a);
}

/* ---- the server's end ---- */

static void call_free(struct grpc_call *c)
{
	timer_stop(loop_of(c->link), c->gone);
	*c->self = c->next;
	if (c->next)
		c->next->self = c->self;
	if (c->ask)
		c->ask->call = NULL;
	free(c);
}

static void call_gone(void *arg)
{
	struct grpc_call *c = arg;
	c->gone = NULL;
	c->method->gone(c->link->service, c);
	call_free(c);
}

static void call_ends(struct grpc_call *c, int64_t ms)
{
	if (!c->gone)
		c->gone = timer_start(loop_of(c->link), ms, call_gone, c);
}

void grpc_call_set(struct grpc_call *c, void *state) { c->state = state; }
void *grpc_call_state(const struct grpc_call *c) { return c->state; }
int64_t grpc_call_deadline_ms(const struct grpc_call *c) { return (void)c, INT64_MAX; }
size_t grpc_queued_bytes(const struct grpc_call *c) { return (void)c, 0; }

struct grpc_counts grpc_server_counts(const struct grpc_server *s)
{
	return (void)s, (struct grpc_counts){ 0 };
}

const struct grpc_peer *grpc_call_peer(const struct grpc_call *c)
{
	static const struct grpc_peer peer = { 1, 1000, 1000 };
	return (void)c, &peer;
}

void grpc_send(struct grpc_call *c, const void *bytes, size_t n)
{
	struct grpc_ask *a = c->ask;
	if (!a || c->finished)
		return;
	str_clear(&a->answer);
	str_add_bytes(&a->answer, bytes, n);
	a->answered = true;
}

/* ---- the client's end ---- */

/* A callback may end the virtual node, but not this very call. */
static void tell(void *arg)
{
	struct grpc_ask *a = arg;
	struct sim_link *l = a->link;
	const struct grpc_ask_events *events = a->events;
	a->timer = NULL;
	if (events && a->answered && a->status == GRPC_OK && a->effect == GRPC_ANSWERED)
		events->message(a->ctx, a, a->answer.text, a->answer.len);
	/* The message may have cancelled it */
	struct grpc_ask *there = l->asks;
	while (there && there != a)
		there = there->next;
	if (!there)
		return;
	struct grpc_outcome o = { a->effect, a->status, a->message ? a->message : "" };
	void *ctx = a->ctx;
	char *message AUTO(own_free) = TAKE(a->message);
	events = a->events;
	ask_free(a);
	if (events)
		events->done(ctx, &o);
}

static void end_ask(struct grpc_ask *a, enum grpc_effect effect, enum grpc_status status,
	const char *message, int64_t ms)
{
	timer_stop(loop_of(a->link), TAKE(a->timer));
	timer_stop(loop_of(a->link), TAKE(a->limit));
	a->state = OVER;
	a->effect = effect;
	a->status = status;
	free(a->message);
	a->message = own_strdup(message);
	a->timer = timer_start(loop_of(a->link), ms, tell, a);
}

static void lose(struct grpc_ask *a, int64_t ms)
{
	end_ask(a, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE, "the connection was lost", ms);
}

void grpc_finish(struct grpc_call *c, enum grpc_status status, const char *message)
{
	struct grpc_ask *a = c->ask;
	if (c->finished)
		return;
	c->finished = true;
	call_ends(c, 0);
	if (!a)
		return;
	a->call = NULL;
	c->ask = NULL;
	if (a->fault == FAULT_LOST_AFTER)
		lose(a,
			sim_rand_chance(&a->rand, 500) ? way(a)
						       : sim_rand_range(&a->rand, 1, 9000));
	else if (a->fault != FAULT_INSIDE) /* of that the limit comes */
		end_ask(a, GRPC_ANSWERED, status, message, way(a));
}

/* ---- its way ---- */

static void out_of_time(void *arg)
{
	struct grpc_ask *a = arg;
	a->limit = NULL;
	if (a->state == WAITS) {
		end_ask(a, GRPC_NOT_SENT, GRPC_UNAVAILABLE, "red-box does not answer", 0);
		return;
	}
	if (a->call) {
		call_ends(a->call, way(a));
		a->call->ask = NULL;
		a->call = NULL;
	}
	bool arrives = a->state == SENT && a->timer;
	if (!arrives) {
		end_ask(a, GRPC_EFFECT_UNKNOWN, GRPC_DEADLINE_EXCEEDED, "no answer in time", 0);
		return;
	}
	/* The call is still on its way, and arrives after its caller is gone. */
	const struct grpc_ask_events *events = TAKE(a->events);
	struct grpc_outcome o = { GRPC_EFFECT_UNKNOWN, GRPC_DEADLINE_EXCEEDED,
		"no answer in time" };
	events->done(a->ctx, &o);
}

static const struct grpc_method *method_of(const struct sim_link *l, const char *path)
{
	const struct grpc_method *m = l->methods;
	while (m->path && strcmp(m->path, path) != 0)
		m++;
	return m;
}

static struct grpc_call *take(struct grpc_ask *a)
{
	struct sim_link *l = a->link;
	struct grpc_call *c = own_alloc(sizeof(*c));
	*c = (struct grpc_call){
		.next = l->calls,
		.self = &l->calls,
		.link = l,
		.method = method_of(l, a->method),
		.ask = a,
	};
	if (c->next)
		c->next->self = &c->next;
	l->calls = c;
	a->call = c;
	a->state = TAKEN;
	return c;
}

static void arrive(void *arg)
{
	struct grpc_ask *a = arg;
	struct sim_link *l = a->link;
	enum sim_fault_kind fault = a->fault;
	a->timer = NULL;
	if (fault == FAULT_500)
		l->crash_box(l->ctx);
	if (fault == FAULT_429)
		sim_link_cut(l, sim_rand_range(&a->rand, 5000, CUT_MS));
	if (!l->service || l->away || fault == FAULT_LOST_BEFORE) {
		if (a->events)
			lose(a, way(a));
		else
			ask_free(a);
		return;
	}
	struct grpc_call *c = take(a);
	c->method->message(l->service, c, a->bytes.text ? a->bytes.text : "", a->bytes.len);
	c->method->ended(l->service, c);
	if (c->ask && !c->ask->events) {
		ask_free(c->ask);
		call_ends(c, 5);
	}
	if (fault == FAULT_503)
		l->crash_box(l->ctx);
	if (fault == FAULT_CRASH_AFTER)
		l->crash_client(l->ctx);
}

/* Perhaps its machine has the call already, and sends it on. */
static void crash(void *arg)
{
	struct grpc_ask *a = arg;
	a->timer = NULL;
	if (sim_rand_chance(&a->rand, 500))
		a->state = SENT;
	a->link->crash_client(a->link->ctx); /* which cancels it */
}

/* "SubmitJob KEY" */
static void name_of(const struct grpc_ask *a, char out[static 200])
{
	const char *name = strrchr(a->method, '/') + 1;
	enum wlm_request_kind kind = strcmp(name, "SubmitJob") == 0 ? WLM_SUBMIT_JOB
		: strcmp(name, "CancelJob") == 0                    ? WLM_CANCEL_JOB
								    : WLM_JOB_INFO;
	bool is_of_job = kind != WLM_JOB_INFO || strcmp(name, "JobInfo") == 0;
	struct wlm_request r = { 0 };
	bool read = is_of_job && !failed(wlm_read(kind, a->bytes.text, a->bytes.len, &r));
	snprintf(out, 200, "%s %s", name, read && r.key ? r.key : "");
	wlm_request_free(&r);
}

static void draw(struct grpc_ask *a)
{
	char what[200];
	uint32_t id;
	a->drawn = true;
	name_of(a, what);
	a->fault = sim_faults_next(a->link->faults, POINT_REQUEST, what, &id);
	a->rand = sim_rand_new(a->link->seed, UINT64_C(0x300000000) + id);
}

/* No server: the call waits until its time is over. */
static void leave(void *arg)
{
	struct grpc_ask *a = arg;
	struct sim_link *l = a->link;
	a->timer = NULL;
	if (!a->drawn)
		draw(a);
	if (a->fault == FAULT_REFUSED) {
		end_ask(a, GRPC_NOT_SENT, GRPC_UNAVAILABLE, "red-box ends", way(a));
	} else if (a->fault == FAULT_CRASH_BEFORE) {
		a->timer = timer_start(loop_of(l), 0, crash, a);
	} else if (l->away || !l->service) {
		a->timer = timer_start(loop_of(l), LOOK_MS, leave, a);
	} else {
		bool late = sim_rand_chance(&a->rand, 200);
		int64_t slow = a->fault == FAULT_SLOW
			? sim_rand_range(&a->rand, 500, late ? 65000 : 8000)
			: 0;
		a->state = SENT;
		a->timer = timer_start(loop_of(l), way(a) + slow, arrive, a);
	}
}

struct grpc_ask *grpc_ask_start(struct grpc_client *client, const char *method, int64_t timeout_ms,
	const struct grpc_ask_events *events, void *ctx)
{
	struct sim_link *l = (struct sim_link *)client;
	struct grpc_ask *a = own_alloc(sizeof(*a));
	*a = (struct grpc_ask){
		.next = l->asks,
		.self = &l->asks,
		.link = l,
		.method = method,
		.events = events,
		.ctx = ctx,
	};
	if (a->next)
		a->next->self = &a->next;
	l->asks = a;
	a->limit = timer_start(loop_of(l), timeout_ms, out_of_time, a);
	return a;
}

void grpc_ask_send(struct grpc_ask *a, const void *bytes, size_t n)
{
	str_add_bytes(&a->bytes, bytes, n);
}

void grpc_ask_end(struct grpc_ask *a) { a->timer = timer_start(loop_of(a->link), 0, leave, a); }

size_t grpc_ask_queued_bytes(const struct grpc_ask *a) { return (void)a, 0; }
void grpc_ask_pause(struct grpc_ask *a) { (void)a; }
void grpc_ask_resume(struct grpc_ask *a) { (void)a; }

/*
 * A call on its way arrives all the same: perhaps long after, because a machine sends
 * again what was not acknowledged, also when the program is dead that gave it.
 */
void grpc_ask_cancel(struct grpc_ask *a)
{
	struct loop *loop = loop_of(a->link);
	if (a->state == SENT) {
		a->events = NULL;
		timer_stop(loop, TAKE(a->limit));
		bool late = !a->link->faults->off && sim_rand_chance(&a->rand, 800);
		if (!late && a->timer)
			return;
		int64_t ms = late ? sim_rand_range(&a->rand, 1000, LATE_MS) : way(a);
		timer_stop(loop, a->timer);
		a->timer = timer_start(loop, ms, arrive, a);
		return;
	}
	if (a->call)
		call_ends(a->call, way(a));
	ask_free(a);
}

bool sim_link_has_late(const struct sim_link *l)
{
	for (const struct grpc_ask *a = l->asks; a; a = a->next)
		if (!a->events)
			return true;
	return false;
}

/* ---- troubles ---- */

void sim_link_box_died(struct sim_link *l)
{
	while (l->calls) {
		struct grpc_call *c = l->calls;
		struct grpc_ask *a = c->ask;
		c->method->gone(l->service, c);
		call_free(c);
		if (a && a->events)
			lose(a, way(a));
	}
	l->service = NULL;
}

static void back(void *arg)
{
	struct sim_link *l = arg;
	l->back = NULL;
	l->away = false;
}

void sim_link_mend(struct sim_link *l)
{
	timer_stop(loop_of(l), l->back);
	back(l);
}

void sim_link_cut(struct sim_link *l, int64_t for_ms)
{
	sim_link_mend(l);
	l->away = true;
	l->back = timer_start(loop_of(l), for_ms, back, l);
	for (struct grpc_ask *a = l->asks; a; a = a->next) {
		if (a->state != TAKEN || !a->events)
			continue;
		if (a->call) {
			call_ends(a->call, way(a));
			a->call->ask = NULL;
			a->call = NULL;
		}
		lose(a, way(a));
	}
}

void sim_link_init(struct sim_link *l, struct sim_loop *loop, struct sim_faults *faults,
	uint64_t seed)
{
	*l = (struct sim_link){ .loop = loop, .faults = faults, .seed = seed };
}

void sim_link_free(struct sim_link *l)
{
	timer_stop(loop_of(l), l->back);
	while (l->calls)
		call_free(l->calls);
	while (l->asks)
		ask_free(l->asks);
}
