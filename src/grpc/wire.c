/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the bytes of a connection, in turns. */
#include "grpc/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

enum {
	READ_BYTES = 32 << 10,   /* read from a connection in one turn */
	GATHER_BYTES = 32 << 10, /* small frames are sent together */
	SENDS = 8,               /* sends in one turn */
	MOST_FRAMES = 2000,      /* queued for a peer that does not read, without messages */
};

static void break_off(struct wire *w, const char *why)
{
	w->broken = true;
	w->why = w->why ? w->why : why;
}

/* ---- the end: recv and send, or TLS ---- */

void end_close(struct end e)
{
	if (e.tls)
		tls_close(e.tls);
	else
		close(e.fd);
}

/* Below 0: would block, or the connection is broken */
static ssize_t outcome(struct wire *w, ssize_t n)
{
	if (w->end.tls && n == TLS_BROKEN)
		break_off(w, tls_why(w->end.tls));
	else if (!w->end.tls && n < 0 && errno != EAGAIN && errno != EINTR)
		break_off(w, strerror(errno));
	return n;
}

static ssize_t give(struct wire *w, const char *bytes, size_t n)
{
	return outcome(w,
		w->end.tls ? tls_send(w->end.tls, bytes, n)
			   : send(w->end.fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT));
}

static ssize_t take(struct wire *w, uint8_t *to, size_t most)
{
	return outcome(w,
		w->end.tls ? tls_recv(w->end.tls, to, most)
			   : recv(w->end.fd, to, most, MSG_DONTWAIT));
}

/* ---- sending ---- */

static bool is_blocked(const struct wire *w) { return w->sent < w->out.len; }

static void gather(struct wire *w)
{
	const uint8_t *bytes;
	nghttp2_ssize n = 0;
	while (w->out.len < GATHER_BYTES && (n = nghttp2_session_mem_send2(w->session, &bytes)) > 0)
		str_add_bytes(&w->out, bytes, (size_t)n);
	if (n < 0)
		break_off(w, nghttp2_strerror((int)n));
}

/*
 * Sends until the queue is empty or the socket is full, and SENDS times at most, so that
 * other connections have their turn.
 */
static void send_some(struct wire *w)
{
	for (int i = 0; i < SENDS && !w->broken; i++) {
		if (!is_blocked(w))
			gather(w);
		if (!is_blocked(w))
			return;
		ssize_t n = give(w, w->out.text + w->sent, w->out.len - w->sent);
		if (n < 0)
			return;
		w->sent += (size_t)n;
		if (is_blocked(w))
			continue;
		str_clear(&w->out);
		w->sent = 0;
	}
}

/* ---- receiving ---- */

static void receive(struct wire *w)
{
	uint8_t bytes[READ_BYTES];
	ssize_t n = take(w, bytes, sizeof(bytes));
	if (n < 0)
		return;
	w->heard = true;
	/*
	 * A peer that closed its side cannot send window updates either, so all calls
	 * end.
	 */
	if (n == 0) {
		break_off(w, "it was closed");
		return;
	}
	nghttp2_ssize taken = nghttp2_session_mem_recv2(w->session, bytes, (size_t)n);
	if (taken < 0)
		break_off(w, nghttp2_strerror((int)taken));
	else if (nghttp2_session_get_outbound_queue_size(w->session) > MOST_FRAMES)
		break_off(w, "the peer does not read what we send");
}

/* ---- turns ---- */

static void ready(void *wire, int events);

static void watch(struct wire *w)
{
	int wanted = FD_READABLE | (is_blocked(w) ? FD_WRITABLE : 0);
	if (w->watch && w->watched == wanted)
		return;
	fd_watch_stop(TAKE(w->watch));
	w->watched = wanted;
	if (failed(fd_watch_start(w->loop, w->end.fd, wanted, ready, w, &w->watch)))
		break_off(w, "descriptors ran out");
}

static bool is_over(const struct wire *w)
{
	return !nghttp2_session_want_read(w->session) && !nghttp2_session_want_write(w->session) &&
		!is_blocked(w);
}

/* Sends the queue, and then runs settle or over. */
static void take_turn(struct wire *w)
{
	w->in_turn = true;
	/* Bytes that TLS has already read from the socket trigger no event. */
	while (w->end.tls && !w->broken && tls_has_more(w->end.tls))
		receive(w);
	send_some(w);
	w->events->settle(w->owner);
	w->in_turn = false;
	if (!w->broken && !is_over(w))
		watch(w);
	if (w->broken || is_over(w))
		w->events->over(w->owner);
	else if (!is_blocked(w) && nghttp2_session_want_write(w->session))
		wire_changed(w);
}

static void kicked(void *wire)
{
	struct wire *w = wire;
	w->kick = NULL;
	take_turn(w);
}

void wire_changed(struct wire *w)
{
	if (!w->in_turn && !w->kick)
		w->kick = timer_start(w->loop, 0, kicked, w);
}

static void ready(void *wire, int events)
{
	struct wire *w = wire;
	w->in_turn = true;
	if (events & FD_READABLE)
		receive(w);
	take_turn(w);
}

/* ---- lifecycle ---- */

void wire_start(struct wire *w)
{
	watch(w);
	wire_changed(w); /* sends the queue, or ends the connection */
}

void wire_close(struct wire *w)
{
	fd_watch_stop(w->watch);
	end_close(w->end);
	timer_stop(w->loop, w->kick);
	nghttp2_session_del(w->session);
	str_free(&w->out);
}
