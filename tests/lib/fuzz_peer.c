/* SPDX-License-Identifier: Apache-2.0 */
/* A peer for fuzz targets, which answers with what the fuzzer says. */
#include "lib/fuzz_peer.h"

#include <string.h>

#include "base/log.h"
#include "base/str.h"

enum { PEER_MOST = 64 }; /* requests and timers at once */
static const int64_t LONGEST_MS = INT64_C(400) * 86400 * 1000;

/* The log would take most of the time. */
__attribute__((constructor)) static void quiet(void)
{
	log_set_level((enum log_level)(LOG_ERROR + 1));
}

char *piece_take(struct pieces *p, size_t *n, bool keep_last)
{
	const char *end = p->n ? memmem(p->at, p->n, "\n--\n", 4) : NULL;
	*n = end ? (size_t)(end - p->at) : p->n;
	char *text = own_alloc(*n + 1);
	if (*n)
		memcpy(text, p->at, *n);
	if (end || !keep_last) {
		size_t used = end ? *n + 4 : p->n;
		p->at += used;
		p->n -= used;
	}
	return text;
}

/* ---- the loop ---- */

static const struct loop_ops *plain;

static struct timer *start_checked(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	if (delay_ms < 0 || delay_ms > LONGEST_MS)
		abort(); /* a reader believed a number of the input */
	if (((struct sim_loop *)l)->n == PEER_MOST)
		abort();
	return plain->timer_start(l, delay_ms, fn, ctx);
}

void peer_begin(struct fuzz_peer *p, const uint8_t *bytes, size_t n)
{
	static struct loop_ops checked;
	sim_loop_init(&p->loop, SIM_LOOP_WALL_MS);
	plain = p->loop.loop.ops;
	checked = *plain;
	checked.timer_start = start_checked;
	p->loop.loop.ops = &checked;
	fake_http_init(&p->http, &p->loop);
	p->http.forgets = true;
	p->input = (struct pieces){ (const char *)bytes, n };
}

/* ---- answers ---- */

/* So that seeds can be read; 200 for everything else. */
static int status_of(char c)
{
	static const int statuses[] = { 200, 304, 400, 401, 403, 404, 409, 410, 413, 422, 429, 500,
		502, 504, 511, 201 };
	if (c >= '0' && c <= '9')
		return statuses[c - '0'];
	return c >= 'A' && c <= 'F' ? statuses[c - 'A' + 10] : 200;
}

/* The bytes of a stream in two pieces, then its end. */
static void stream(struct http_call *c, struct http_answer *a)
{
	size_t half = a->body_bytes / 2;
	if (!fake_data_bytes(c, a->body, half) ||
		!fake_data_bytes(c, a->body + half, a->body_bytes - half))
		return;
	a->body = "";
	a->body_bytes = 0;
	fake_end(c, OK, a);
}

static void answer(struct fuzz_peer *p, struct http_call *c)
{
	size_t n;
	AUTO(own_free) char *text = piece_take(&p->input, &n, true);
	struct http_answer a = {
		.status = status_of(text[0]),
		.body = n ? text + 1 : text,
		.body_bytes = n ? n - 1 : 0,
		.retry_after_ms = -1,
		.asked_ms = p->loop.now_ms,
	};
	if (c->on_data && a.status == 200)
		stream(c, &a);
	else if (text[0] == '!')
		fake_fail(c, ERR_LOST);
	else
		fake_end(c, OK, &a);
}

void peer_run(struct fuzz_peer *p, int turns)
{
	for (int turn = 0; turn < turns; turn++) {
		for (int i = 0; i < p->http.n; i++)
			if (p->http.calls[i].open)
				answer(p, &p->http.calls[i]);
		if (p->http.n > PEER_MOST)
			abort();
		for (size_t timers = p->loop.n; timers > 0; timers--)
			sim_loop_step(&p->loop);
	}
}

void peer_end(struct fuzz_peer *p)
{
	if (fake_count(&p->http, "") || sim_loop_end(&p->loop))
		abort();
	fake_http_clear(&p->http);
}
