/* SPDX-License-Identifier: Apache-2.0 */
/* A connection of the client: its asks, its keepalive, its end. */
#include <utlist.h>

#include "base/own.h"
#include "grpc/client_parts.h"

enum {
	MOST_TRUNKS = 4, /* retired connections, and the one that takes asks */
	MOST_PING_MS = 600000,
};

static void break_off(struct trunk *t, const char *why)
{
	t->wire.why = t->wire.why ? t->wire.why : why;
	trunk_free(t, t->wire.why);
}

/* ---- keepalive ---- */

/*
 * Finds a dead server. libnghttp2 answers PINGs of the server by itself. Ours are sent
 * only while the server owes an answer: a server may treat many PINGs as an attack.
 */
static void tick(void *trunk)
{
	struct trunk *t = trunk;
	const struct grpc_client_config *config = &t->client->config;
	bool silent = !t->wire.heard;
	t->tick = NULL;
	t->wire.heard = false;
	if (!t->greeted) {
		break_off(t, "the server did not begin to talk");
	} else if (t->asked && silent) {
		break_off(t, "the server did not answer a PING");
	} else {
		t->asked = silent && t->asks.first;
		t->tick = timer_start(t->wire.loop,
			t->asked ? config->patience_ms : config->ping_ms, tick, t);
		if (!t->asked)
			return;
		nghttp2_submit_ping(t->wire.session, NGHTTP2_FLAG_NONE, NULL);
		wire_changed(&t->wire);
	}
}

/* ---- turns ---- */

/* Calls writable of drained asks; its callback may remove other asks from the list. */
static void settle(void *trunk)
{
	struct trunk *t = trunk;
	for (struct grpc_ask *a = t->asks.first; a;) {
		bool tell = a->drained && !queue_left(&a->outbox) && !a->finished;
		a->drained = false;
		if (tell && a->events->writable) {
			a->events->writable(a->ctx, a);
			a = t->asks.first;
		} else {
			a = a->next;
		}
	}
}

static void over(void *trunk)
{
	struct trunk *t = trunk;
	break_off(t, "the server did not keep to HTTP/2, or ended it");
}

/* ---- lifecycle ---- */

/*
 * Limits the connections: a server that ends gracefully, again and again, may leave
 * several that still have asks.
 */
static void count_trunks(struct grpc_client *c)
{
	const struct trunk *t;
	int n;
	DL_COUNT(c->trunks, t, n);
	if (n > MOST_TRUNKS)
		break_off(c->trunks, "too many connections before it have ended");
}

void trunk_new(struct grpc_client *c, struct end end)
{
	static const struct wire_events events = { settle, over };
	struct trunk *t = own_alloc(sizeof(*t));
	t->client = c;
	t->wire = (struct wire){ c->loop, end, trunk_session(t), t, &events };
	t->tick = timer_start(c->loop, c->config.patience_ms, tick, t);
	DL_APPEND(c->trunks, t);
	c->trunk = t;
	count_trunks(c);
	wire_start(&t->wire);
}

void trunk_retire(struct trunk *t)
{
	struct grpc_client *c = t->client;
	if (c->trunk != t)
		return;
	c->trunk = NULL;
	str_clear(&c->trouble);
	str_addf(&c->trouble, "the server has ended the connection");
	client_act(c);
}

void trunk_not_so_often(struct trunk *t)
{
	struct grpc_client_config *config = &t->client->config;
	if (config->ping_ms < MOST_PING_MS)
		config->ping_ms *= 2;
}

static void lose(struct grpc_ask *a, const char *why)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "the connection broke: %s", why);
	if (a->ended) {
		a->trunk = NULL;
		ask_move(a, &a->client->parked);
	} else {
		ask_over(a, a->sent ? GRPC_FATE_UNKNOWN : GRPC_NOT_SENT, GRPC_UNAVAILABLE,
			str_text(&text));
	}
}

void trunk_free(struct trunk *t, const char *why)
{
	struct grpc_client *c = t->client;
	trunk_retire(t);
	str_clear(&c->trouble);
	str_addf(&c->trouble, "the connection broke: %s", why);
	t->wire.broken = t->wire.in_turn = true; /* drop what is still queued */
	while (t->asks.first)
		lose(t->asks.first, why);
	DL_DELETE(c->trunks, t);
	timer_stop(c->loop, t->tick);
	wire_close(&t->wire);
	free(t);
}

void trunk_fill(struct trunk *t)
{
	struct grpc_client *c = t->client;
	uint32_t theirs = nghttp2_session_get_remote_settings(t->wire.session,
		NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
	int most = theirs < (uint32_t)c->config.max_calls ? (int)theirs : c->config.max_calls;
	while (t->greeted && c->trunk == t && c->waiting.first && t->asks.n < most)
		if (!ask_submit(c->waiting.first, t))
			trunk_retire(t);
	wire_changed(&t->wire);
}
