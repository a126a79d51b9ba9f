/* SPDX-License-Identifier: Apache-2.0 */
/* Watches of the simulated API server: in order, late, sometimes twice, sometimes cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kube.h"

struct sim_watcher {
	struct sim_kube *k;
	struct sim_target target;
	char *query;
	struct http_call *call;
	uint64_t cursor;  /* absolute number of the next change to look at */
	struct str first; /* what is sent before any change */
	bool bookmarks, observed, expired;
	int who;
	int64_t end_ms;
	struct timer *turn, *idle;
	struct sim_rand rand;
	struct sim_watcher *next, **self;
};

enum { BOOKMARK_EVERY_MS = 60000 };

static void watcher_free(struct sim_watcher *w)
{
	timer_stop(&w->k->loop->loop, w->turn);
	timer_stop(&w->k->loop->loop, w->idle);
	*w->self = w->next;
	if (w->next)
		w->next->self = w->self;
	str_free(&w->first);
	free(w->query);
	free(w);
}

static void on_close(void *ctx) { watcher_free(ctx); }

static void end(struct sim_watcher *w, bool broken)
{
	struct http_call *call = w->call;
	watcher_free(w);
	sim_stream_end(call, broken);
}

static void on_turn(void *arg);

static void arm(struct sim_watcher *w, int64_t delay_ms)
{
	if (!w->turn)
		w->turn = timer_start(&w->k->loop->loop, delay_ms, on_turn, w);
}

static bool concerns(const struct sim_watcher *w, const struct sim_version *v)
{
	return v->resource == w->target.resource && !sim_left_out(&w->target, v);
}

static void add_event(struct str *out, const char *type, const struct sim_version *v)
{
	str_add(out, "{\"type\":\"");
	str_add(out, type);
	str_add(out, "\",\"object\":");
	str_add_bytes(out, v->text, v->bytes);
	str_add(out, "}\n");
}

static void add_expired(struct str *out)
{
	struct sim_result gone = sim_refuse(410, "Expired", "too old resource version");
	str_add(out, "{\"type\":\"ERROR\",\"object\":");
	sim_status_body(&gone, out);
	str_add(out, "}\n");
}

static void add_bookmark(struct str *out, const struct sim_watcher *w)
{
	const struct resource_row *row = &resource_rows[w->target.resource];
	str_addf(out,
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\","
		"\"metadata\":{\"resourceVersion\":\"%lld\","
		"\"creationTimestamp\":null}}}\n",
		row->kind, row->api_version, (long long)w->k->store.rv);
}

/* A bookmark promises that everything up to its version has been sent. */
static bool all_sent(const struct sim_watcher *w)
{
	return w->cursor == w->k->store.dropped + w->k->store.n_history;
}

/*
 * Sends in one or two pieces that need not end with a line. False: the watcher is gone.
 */
static bool send(struct sim_watcher *w, const struct str *text)
{
	size_t cut = 0;
	if (text->len == 0)
		return true;
	if (sim_rand_chance(&w->rand, 200))
		cut = (size_t)sim_rand_range(&w->rand, 1, (int64_t)text->len - 1);
	struct http_call *call = w->call;
	if (cut > 0 && !sim_stream_send(call, text->text, cut))
		return false;
	return sim_stream_send(call, text->text + cut, text->len - cut);
}

/* Events that are collected for one turn. */
struct batch {
	struct str text;
	int64_t shown_rv;
	int events;
	enum { GO_ON, WAIT, CUT, EXPIRED } then;
};

static enum sim_fault_kind fault_of(const struct sim_watcher *w, const struct sim_version *v)
{
	char what[400];
	uint32_t id;
	snprintf(what, sizeof(what), "delivery of %s %s/%s", resource_rows[v->resource].plural,
		v->ns, v->name);
	return sim_faults_next(&w->k->net->faults, POINT_DELIVERY, what, &id);
}

static void collect(struct sim_watcher *w, struct batch *b)
{
	static const char *const types[] = { "ADDED", "MODIFIED", "DELETED" };
	const struct sim_store *s = &w->k->store;
	for (; w->cursor < s->dropped + s->n_history && b->events < 16; w->cursor++) {
		const struct sim_change *c = &s->history[w->cursor - s->dropped];
		if (!concerns(w, c->after))
			continue;
		switch (fault_of(w, c->after)) {
		case FAULT_WATCH_DELAY:
			b->then = WAIT;
			return;
		case FAULT_WATCH_CUT:
			b->then = CUT;
			return;
		case FAULT_WATCH_EXPIRED:
			b->then = EXPIRED;
			return;
		case FAULT_WATCH_REPEAT:
			add_event(&b->text, types[c->type], c->after);
			break;
		default:
			break;
		}
		add_event(&b->text, types[c->type], c->after);
		b->shown_rv = c->rv;
		b->events++;
	}
}

static void finish_turn(struct sim_watcher *w, const struct batch *b)
{
	struct sim_kube *k = w->k;
	if (b->shown_rv && w->observed && k->on_shown)
		k->on_shown(k->ctx, w->who, w->target.resource, b->shown_rv);
	if (b->text.len && !send(w, &b->text))
		return;
	if (b->then == CUT || b->then == EXPIRED)
		end(w, b->then == CUT);
	else if (b->then == WAIT)
		arm(w, sim_rand_range(&w->rand, 500, 8000));
	else if (w->cursor < k->store.dropped + k->store.n_history)
		arm(w, 0);
}

static void on_turn(void *arg)
{
	struct sim_watcher *w = arg;
	struct batch b = { .text = w->first };
	w->turn = NULL;
	w->first = (struct str){ 0 };
	if (w->cursor < w->k->store.dropped)
		w->expired = true;
	if (!w->expired)
		collect(w, &b);
	if (b.then == EXPIRED)
		sim_store_compact(&w->k->store);
	if (w->expired || b.then == EXPIRED) {
		add_expired(&b.text);
		b.then = EXPIRED;
	} else if (w->bookmarks && b.then == GO_ON && b.events > 0 && all_sent(w) &&
		sim_rand_chance(&w->rand, 50)) {
		add_bookmark(&b.text, w);
	}
	finish_turn(w, &b);
	str_free(&b.text);
}

/* Once in a while: a bookmark when nothing is pending, or the end of the watch's time. */
static void on_idle(void *arg)
{
	struct sim_watcher *w = arg;
	struct str text = { 0 };
	int64_t now = loop_now_ms(&w->k->loop->loop);
	w->idle = NULL;
	if (now >= w->end_ms) {
		end(w, false);
		return;
	}
	w->idle = timer_start(&w->k->loop->loop,
		BOOKMARK_EVERY_MS < w->end_ms - now ? BOOKMARK_EVERY_MS : w->end_ms - now, on_idle,
		w);
	if (w->bookmarks && !w->turn) {
		add_bookmark(&text, w);
		send(w, &text);
	}
	str_free(&text);
}

static void on_change(void *ctx, const struct sim_change *c)
{
	struct sim_kube *k = ctx;
	for (struct sim_watcher *w = k->watchers; w; w = w->next)
		if (concerns(w, c->after))
			arm(w, sim_rand_range(&w->rand, 1, k->watch_delay_ms));
}

/* The number of the first change after rv. */
static uint64_t cursor_after(const struct sim_store *s, int64_t rv)
{
	size_t i = s->n_history;
	while (i > 0 && s->history[i - 1].rv > rv)
		i--;
	return s->dropped + i;
}

static void start_from(struct sim_watcher *w, const char *rv_text)
{
	struct sim_kube *k = w->k;
	int64_t rv = strtoll(rv_text, NULL, 10);
	if (rv > 0) {
		w->expired = rv < k->store.compacted;
		w->cursor = cursor_after(&k->store, rv);
		return;
	}
	/* from no version: first everything that is there */
	w->cursor = k->store.dropped + k->store.n_history;
	const struct sim_list *all = &k->store.of[w->target.resource];
	for (size_t i = 0; i < all->n; i++)
		if (!sim_left_out(&w->target, all->at[i]))
			add_event(&w->first, "ADDED", all->at[i]);
}

/* How long a watch lasts; in idle_ms: until its first look. */
static int64_t time_of(struct sim_watcher *w, int64_t *idle_ms)
{
	char text[64];
	int64_t seconds = sim_query(w->query, "timeoutSeconds", text, sizeof(text))
		? strtoll(text, NULL, 10)
		: 0;
	/* seconds may be fewer than the bookmarks' pace */
	*idle_ms = seconds > 0 && seconds * 1000 < BOOKMARK_EVERY_MS ? seconds * 1000
								     : BOOKMARK_EVERY_MS;
	return seconds > 0 ? seconds * 1000 : sim_rand_range(&w->rand, 1800000, 3600000);
}

static struct sim_watcher *watcher_new(struct sim_kube *k, const struct sim_target *t,
	const struct sim_request *rq)
{
	char text[64];
	struct sim_watcher *w = own_alloc(sizeof(*w));
	*w = (struct sim_watcher){
		.k = k,
		.target = *t,
		.query = own_strdup(t->query),
		.call = rq->call,
		.observed = rq->observed,
		.who = rq->who,
		.next = k->watchers,
		.self = &k->watchers,
	};
	w->target.query = w->query;
	w->rand = sim_rand_new(sim_rand_next(&k->rand), 3);
	w->bookmarks = sim_query(t->query, "allowWatchBookmarks", text, sizeof(text)) &&
		(text[0] == '1' || text[0] == 't');
	if (w->next)
		w->next->self = &w->next;
	k->watchers = w;
	return w;
}

void sim_watch_open(struct sim_kube *k, const struct sim_target *t, const struct sim_request *rq,
	struct sim_reply *out)
{
	char text[64];
	int64_t idle_ms;
	sim_query(t->query, "resourceVersion", text, sizeof(text));
	int64_t rv = strtoll(text, NULL, 10);
	/*
	 * an old version is refused by status or, as often, by an event on an open watch
	 */
	if (!rq->stream || (rv > 0 && rv < k->store.compacted && rv % 2 == 0)) {
		struct sim_result no = rq->stream
			? sim_refuse(410, "Expired", "too old resource version: %s", text)
			: sim_refuse(400, "BadRequest", "not a stream");
		out->status = no.status;
		sim_status_body(&no, &out->body);
		return;
	}
	struct sim_watcher *w = watcher_new(k, t, rq);
	w->end_ms = loop_now_ms(&k->loop->loop) + time_of(w, &idle_ms);
	start_from(w, text);
	w->idle = timer_start(&k->loop->loop, idle_ms, on_idle, w);
	arm(w, sim_rand_range(&w->rand, 1, k->watch_delay_ms));
	*out = (struct sim_reply){
		.status = 200,
		.stream = true,
		.on_close = on_close,
		.close_ctx = w,
		.retry_after_ms = -1,
	};
}

void sim_watch_init(struct sim_kube *k) { sim_store_listen(&k->store, on_change, k); }

void sim_watch_free(struct sim_kube *k)
{
	while (k->watchers)
		watcher_free(k->watchers);
}
