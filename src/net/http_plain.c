/* SPDX-License-Identifier: Apache-2.0 */
/* Requests, each with its connection: connect, send, read the head, read the body. */
#include "net/http_plain.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "net/fd.h"
#include "net/http_head.h"
#include "net/plain_way.h"

enum {
	IN_FLIGHT = 64,
	TIMEOUT_MS = 30000,
	ANSWER_BYTES = 64 << 20,
	PIECE_BYTES = 64 << 10, /* of an answer, in a turn of the loop */
	BUSY_MS = 20,           /* the server's line is full: it is tried again after */
};

struct plain {
	struct http http; /* first */
	struct loop *loop;
	struct plain_way to;
	char *bearer;
	struct http_call *calls; /* the oldest first */
	int in_flight;
};

struct http_call {
	struct http_call *prev, *next;
	struct plain *h;
	enum { WAITS, CONNECTS, SENDS, READS, OVER } state;
	int fd; /* -1: none */
	struct fd_watch *watch;
	struct timer *timer, *limit, *wait; /* its next try, or its end; its times */
	struct str out;
	size_t sent;
	struct http_head head;
	struct str body;
	int64_t read_bytes; /* of the body */
	size_t most_bytes;
	int64_t asked_ms, timeout_ms;
	const int64_t *leave_by_ms;
	struct err err;
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	http_done *done;
	void *ctx;
};

/* ---- the end ---- */

static void start_those_who_wait(struct plain *h);

static void hang_up(struct http_call *c)
{
	fd_watch_stop(TAKE(c->watch));
	timer_stop(c->h->loop, TAKE(c->timer));
	timer_stop(c->h->loop, TAKE(c->limit));
	timer_stop(c->h->loop, TAKE(c->wait));
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	if (c->state == CONNECTS || c->state == SENDS || c->state == READS)
		c->h->in_flight--;
	c->state = OVER;
}

static void call_free(struct http_call *c)
{
	hang_up(c);
	DL_DELETE(c->h->calls, c);
	str_wipe(&c->out);
	str_free(&c->head.text);
	str_free(&c->body);
	free(c);
}

static void tell(void *ctx)
{
	struct http_call *c = ctx;
	struct plain *h = c->h;
	http_done *done = c->done;
	void *user = c->ctx;
	struct err e = c->err;
	struct http_answer a = { c->head.status, NULL, c->body.len, c->asked_ms,
		c->head.retry_after_ms, NULL };
	AUTO(own_free) char *body = str_take(&c->body);
	a.body = body;
	c->timer = NULL;
	call_free(c);
	start_those_who_wait(h);
	done(user, e, failed(e) ? NULL : &a);
}

/* On the next turn; nothing comes or goes any more. */
static void end(struct http_call *c, struct err e)
{
	hang_up(c);
	c->err = e;
	c->timer = timer_start(c->h->loop, 0, tell, c);
}

/* Whether the server may have it. */
static enum err_kind kind_of_loss(const struct http_call *c)
{
	return c->sent ? ERR_LOST : ERR_RETRY;
}

static void broken(struct http_call *c, int number)
{
	end(c,
		err_new(kind_of_loss(c), "the connection broke: %s",
			number ? strerror(number) : "it ended before the answer was whole"));
}

static void too_late(void *ctx)
{
	struct http_call *c = ctx;
	c->limit = NULL;
	end(c,
		err_new(kind_of_loss(c), "no whole answer within %lld ms",
			(long long)c->timeout_ms));
}

/* ---- the answer ---- */

static bool is_whole(const struct http_call *c)
{
	return c->head.whole && c->head.body_bytes >= 0 && c->read_bytes >= c->head.body_bytes;
}

/* false: it is over. */
static bool take_body(struct http_call *c, const char *bytes, size_t n)
{
	int64_t left = c->head.body_bytes >= 0 ? c->head.body_bytes - c->read_bytes : INT64_MAX;
	n = (int64_t)n < left ? n : (size_t)left;
	c->read_bytes += (int64_t)n;
	if (c->on_body && c->head.status == 200) {
		if (!n || c->on_body(c->ctx, bytes, n))
			return true;
		end(c, err_new(ERR_CANCELLED, "its reader had enough of it"));
		return false;
	}
	if (n > c->most_bytes - c->body.len) {
		end(c, err_new(ERR_TOO_LARGE, "an answer of more than %zu bytes", c->most_bytes));
		return false;
	}
	str_add_bytes(&c->body, bytes, n);
	return true;
}

static void take(struct http_call *c, const char *bytes, size_t n)
{
	size_t used = 0;
	if (!c->head.whole) {
		struct err e = http_head_take(&c->head, bytes, n, &used);
		if (failed(e)) {
			end(c, e);
			return;
		}
	}
	if (c->head.whole && take_body(c, bytes + used, n - used) && is_whole(c))
		end(c, OK);
}

/* A piece on each turn, so that nothing else waits for a long one. */
static void receive(struct http_call *c)
{
	static char piece[PIECE_BYTES];
	ssize_t n = recv(c->fd, piece, sizeof(piece), 0);
	if (n > 0)
		take(c, piece, (size_t)n);
	else if (n == 0 && c->head.whole && c->head.body_bytes < 0)
		end(c, OK);
	else if (n == 0)
		broken(c, 0);
	else if (errno != EAGAIN && errno != EINTR)
		broken(c, errno);
}

/* ---- the request ---- */

static void wait_for(struct http_call *c, int events);

static void send_more(struct http_call *c)
{
	ssize_t n = send(c->fd, c->out.text + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		broken(c, errno);
		return;
	}
	c->sent += n > 0 ? (size_t)n : 0;
	c->state = c->sent == c->out.len ? READS : SENDS;
	wait_for(c, c->state == READS ? FD_READABLE : FD_WRITABLE);
}

static void ready(void *ctx, int events)
{
	struct http_call *c = ctx;
	int number = 0;
	socklen_t bytes = sizeof(number);
	(void)events;
	if (c->state == READS) {
		receive(c);
		return;
	}
	if (c->state == CONNECTS && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &number, &bytes) == 0 &&
		number)
		end(c, err_new(ERR_RETRY, "connecting: %s", strerror(number)));
	else
		send_more(c);
}

static void wait_for(struct http_call *c, int events)
{
	fd_watch_stop(TAKE(c->watch));
	struct err e = fd_watch_start(c->h->loop, c->fd, events, ready, c, &c->watch);
	if (failed(e))
		end(c, err_new(kind_of_loss(c), "%s", e.text));
}

static void start(void *ctx);

static void try_again(struct http_call *c)
{
	close(c->fd);
	c->fd = -1;
	c->timer = timer_start(c->h->loop, BUSY_MS, start, c);
}

static bool has_left_in_time(struct http_call *c)
{
	if (!c->leave_by_ms || c->asked_ms < *c->leave_by_ms)
		return true;
	end(c, err_new(ERR_RETRY, "the time in which it may be sent is over"));
	return false;
}

/* It is in flight, and has no connection yet. */
static void start(void *ctx)
{
	struct http_call *c = ctx;
	struct plain *h = c->h;
	c->timer = NULL;
	c->asked_ms = loop_now_ms(h->loop);
	if (!has_left_in_time(c))
		return;
	c->fd = socket(h->to.at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0) {
		end(c, err_new(ERR_RETRY, "making a socket: %s", strerror(errno)));
		return;
	}
	int code = connect(c->fd, &h->to.at.any, h->to.bytes);
	if (code == 0 || errno == EINPROGRESS)
		wait_for(c, FD_WRITABLE);
	else if (errno == EAGAIN) /* of a unix socket: its line is full */
		try_again(c);
	else
		end(c, err_new(ERR_RETRY, "connecting: %s", strerror(errno)));
}

static void start_those_who_wait(struct plain *h)
{
	for (struct http_call *c = h->calls; c && h->in_flight < IN_FLIGHT; c = c->next) {
		if (c->state != WAITS)
			continue;
		timer_stop(h->loop, TAKE(c->wait));
		h->in_flight++;
		c->state = CONNECTS;
		c->timer = timer_start(h->loop, 0, start, c);
	}
}

static void waited_too_long(void *ctx)
{
	struct http_call *c = ctx;
	c->wait = NULL;
	end(c, err_new(ERR_RETRY, "it waited too long for its turn"));
}

static void write_request(struct http_call *c, const struct http_request *r)
{
	struct str *out = &c->out;
	str_reserve(out, 8192 + r->body_bytes); /* it has a token: it is to stay in one place */
	str_addf(out, "%s %s HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n", r->method,
		r->path);
	for (size_t i = 0; i < r->n_headers; i++)
		str_addf(out, "%s: %s\r\n", r->headers[i].name, r->headers[i].value);
	if (c->h->bearer)
		str_addf(out, "Authorization: Bearer %s\r\n", c->h->bearer);
	if (r->body || !str_eq(r->method, "GET"))
		str_addf(out, "Content-Length: %zu\r\n", r->body ? r->body_bytes : 0);
	str_add(out, "\r\n");
	if (r->body)
		str_add_bytes(out, r->body, r->body_bytes);
}

static struct http_call *plain_send(struct http *http, const struct http_request *r,
	http_done *done, void *ctx)
{
	struct plain *h = (struct plain *)http;
	struct http_call *c = own_alloc(sizeof(*c));
	*c = (struct http_call){
		.h = h,
		.fd = -1,
		.timeout_ms = r->timeout_ms ? r->timeout_ms : TIMEOUT_MS,
		.most_bytes = r->max_answer_bytes ? r->max_answer_bytes : ANSWER_BYTES,
		.leave_by_ms = r->leave_by_ms,
		.on_body = r->on_body,
		.drop = r->drop,
		.done = done,
		.ctx = ctx,
	};
	c->head.retry_after_ms = -1;
	DL_APPEND(h->calls, c);
	write_request(c, r);
	c->limit = timer_start(h->loop, c->timeout_ms, too_late, c);
	if (r->max_wait_ms)
		c->wait = timer_start(h->loop, r->max_wait_ms, waited_too_long, c);
	start_those_who_wait(h);
	return c;
}

static void plain_cancel(struct http *http, struct http_call *c)
{
	struct plain *h = (struct plain *)http;
	void (*drop)(void *ctx) = c->drop;
	void *ctx = c->ctx;
	call_free(c);
	if (drop)
		drop(ctx);
	start_those_who_wait(h);
}

static void plain_set_bearer(struct http *http, const char *token)
{
	struct plain *h = (struct plain *)http;
	own_wipe(h->bearer);
	h->bearer = own_strdup(token);
}

static void plain_free(struct http *http)
{
	struct plain *h = (struct plain *)http;
	for (struct http_call *c = h->calls; c; c = c->next)
		c->state = c->state == WAITS ? OVER : c->state;
	while (h->calls)
		plain_cancel(http, h->calls);
	own_wipe(h->bearer);
	free(h);
}

struct err http_plain_check(const char *base_url)
{
	struct plain_way none = { 0 };
	return plain_way_find(&none, base_url);
}

struct err http_plain_new(struct loop *uv_loop, const char *base_url, struct http **out)
{
	static const struct http_ops ops = {
		.send = plain_send,
		.cancel = plain_cancel,
		.set_bearer = plain_set_bearer,
		.free = plain_free,
	};
	struct plain *h = own_alloc(sizeof(*h));
	struct err e = plain_way_find(&h->to, base_url);
	if (failed(e)) {
		free(h);
		return e;
	}
	h->http.ops = &ops;
	h->loop = uv_loop;
	*out = &h->http;
	return OK;
}
