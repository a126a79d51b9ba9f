/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange: a request and its answer, at once, later, or in pieces. */
#include "net/server_parts.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"

/* ---- lifecycle ---- */

static struct exchange *exchange_new(struct http_server *s, struct MHD_Connection *c,
	const char *path, const char *method)
{
	struct exchange *x = own_alloc(sizeof(*x));
	x->server = s;
	x->mhd = c;
	x->path = own_strdup(path);
	x->method = own_strdup(method);
	x->since_ms = loop_now_ms(s->loop);
	DL_APPEND(s->exchanges, x);
	return x;
}

static void exchange_free(struct exchange *x)
{
	body_release(x);
	DL_DELETE(x->server->exchanges, x);
	fd_watch_stop(x->watch);
	if (x->response)
		MHD_destroy_response(x->response);
	str_free(&x->out);
	free(x->path);
	free(x->method);
	free(x);
}

static void tell_gone(struct exchange *x)
{
	void (*gone)(void *ctx) = TAKE(x->gone);
	if (x->over)
		return;
	x->over = true;
	x->broken = true;
	x->there = NULL;
	if (gone)
		gone(x->ctx);
}

void exchange_completed(void *server, struct MHD_Connection *c, void **exchange,
	enum MHD_RequestTerminationCode how)
{
	struct exchange *x = TAKE(*exchange);
	(void)how;
	if (!x)
		return;
	connection_turn(server, c, TURN_KEPT);
	if (x->streams && x->server->stream_ms)
		MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT,
			server_idle_seconds(server));
	tell_gone(x);
	exchange_free(x);
}

/* ---- suspended ---- */

static void wake(struct exchange *x)
{
	if (!x->suspended)
		return;
	x->suspended = false;
	fd_watch_stop(TAKE(x->watch));
	MHD_resume_connection(x->mhd); /* also wakes the loop */
}

static void client_gone(void *exchange, int events)
{
	struct exchange *x = exchange;
	struct http_server *s = x->server;
	(void)events;
	if (!x->streams && connection_still_reads(x->mhd)) {
		fd_watch_stop(TAKE(x->watch));
		return;
	}
	server_enter(s);
	tell_gone(x);
	wake(x);
	server_leave(s);
}

static void suspend(struct exchange *x)
{
	int fd = MHD_get_connection_info(x->mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	x->suspended = true;
	connection_turn(x->server, x->mhd, TURN_HANDLER);
	MHD_suspend_connection(x->mhd);
	/* If the watch fails, a disconnect is detected only when the answer is sent. */
	struct err e = fd_watch_start(x->server->loop, fd, FD_GONE, client_gone, x, &x->watch);
	(void)e;
}

void exchanges_tell_gone(struct http_server *s)
{
	struct exchange *x;
	DL_FOREACH(s->exchanges, x)
	tell_gone(x);
}

void exchanges_resume(struct http_server *s)
{
	struct exchange *x;
	DL_FOREACH(s->exchanges, x)
	wake(x);
}

/* ---- callbacks of libmicrohttpd ---- */

static void reply_text(struct exchange *x, int status, const char *text)
{
	struct str body = { 0 };
	str_add(&body, text);
	exchange_reply(x, status, "text/plain; charset=utf-8", &body);
}

static bool takes_body(const struct exchange *x)
{
	return x->server->max_body_bytes || str_eq(x->method, "GET") || str_eq(x->method, "HEAD");
}

static void reply_too_large(struct exchange *x)
{
	struct str body = { 0 };
	str_addf(&body, "the body is longer than %zu bytes\n", x->server->max_body_bytes);
	exchange_reply(x, MHD_HTTP_CONTENT_TOO_LARGE, "text/plain; charset=utf-8", &body);
}

/* Refuses a request by its head, so that the client need not send the body. */
static void look_at_head(struct exchange *x)
{
	const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
	if (!takes_body(x)) {
		reply_text(x, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are answered here\n");
		MHD_add_response_header(x->response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	} else if (length && exchange_header(x, MHD_HTTP_HEADER_EXPECT) &&
		strtoull(length, NULL, 10) > x->server->max_body_bytes) {
		reply_too_large(x);
	}
}

/* Answers a request whose body was refused. True: it has been answered. */
static bool reply_without_body(struct exchange *x)
{
	if (x->too_large)
		reply_too_large(x);
	else if (x->too_many)
		reply_text(x, MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests are in flight\n");
	return x->too_large || x->too_many;
}

static void tell_body(struct exchange *x)
{
	void (*there)(void *ctx) = TAKE(x->there);
	void (*gone)(void *ctx) = x->gone;
	if (!reply_without_body(x)) {
		there(x->ctx);
		return;
	}
	x->gone = NULL;
	gone(x->ctx);
}

static void ask_handler(struct exchange *x)
{
	x->asked = true;
	if (reply_without_body(x))
		return;
	x->in_handler = true;
	x->server->handler(x->server->ctx, x);
	x->in_handler = false;
	if (!x->response && !x->gone && !x->over)
		reply_text(x, MHD_HTTP_INTERNAL_SERVER_ERROR, "no handler has answered\n");
}

/* Sets the time after which libmicrohttpd closes an idle connection. */
static void allow_silence(struct exchange *x, int64_t ms)
{
	MHD_set_connection_option(x->mhd, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)(ms / 1000 + 1));
}

static enum MHD_Result queue(struct exchange *x)
{
	if (x->over) /* the handler no longer needs the body */
		body_release(x);
	if (x->streams && x->server->stream_ms)
		allow_silence(x, x->server->stream_ms);
	connection_turn(x->server, x->mhd, x->streams ? TURN_HANDLER : TURN_CLIENT_TAKES);
	if (x->server->finishing)
		MHD_add_response_header(x->response, MHD_HTTP_HEADER_CONNECTION, "close");
	return MHD_queue_response(x->mhd, (unsigned)x->status, x->response);
}

static bool has_body(const struct exchange *x)
{
	const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
	return (length && !str_eq(length, "0")) ||
		exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/*
 * Calls the handler before the body is read. Few clients read an answer while they send,
 * so the answer is sent after the body has arrived, except to a client that sent Expect.
 */
static enum MHD_Result ask_before_body(struct exchange *x)
{
	if (!x->asked)
		ask_handler(x);
	if (x->response && exchange_header(x, MHD_HTTP_HEADER_EXPECT))
		return queue(x);
	x->goes_on = x->response || x->there;
	if (x->goes_on) {
		connection_turn(x->server, x->mhd, TURN_CLIENT_SENDS);
		return MHD_YES;
	}
	if (x->server->dead || x->over)
		return MHD_NO;
	suspend(x);
	return MHD_YES;
}

enum MHD_Result exchange_step(void *server, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **exchange)
{
	struct http_server *s = server;
	struct exchange *x = *exchange;
	(void)version;
	if (connection_is_over(c))
		return MHD_NO;
	if (!x) { /* the head has arrived */
		*exchange = x = exchange_new(s, c, path, method);
		connection_goes_on(s, c);
		look_at_head(x);
		if (x->response)
			return queue(x);
		x->goes_on = !s->asks_first || !has_body(x);
		return x->goes_on ? MHD_YES : ask_before_body(x);
	}
	if (!x->goes_on)
		return ask_before_body(x);
	if (*upload_bytes) {
		if (!s->asks_first || x->there)
			body_take(x, upload, *upload_bytes);
		*upload_bytes = 0;
		return MHD_YES;
	}
	x->whole = true;
	if (!x->asked)
		ask_handler(x);
	if (x->there)
		tell_body(x);
	if (x->response && !(x->streams && x->broken))
		return queue(x);
	if (s->dead || x->over) /* ends the connection */
		return MHD_NO;
	suspend(x);
	return MHD_YES;
}

static int hex(char c)
{
	return c >= '0' && c <= '9'    ? c - '0'
		: c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F' ? c - 'A' + 10
				       : -1;
}

/* Decodes %XX in place. A %00 stays, because it would end the text. */
size_t exchange_unescape(void *unused, struct MHD_Connection *c, char *text)
{
	char *to = text;
	(void)unused, (void)c;
	for (const char *p = text; *p;) {
		int high = *p == '%' ? hex(p[1]) : -1;
		int low = high >= 0 ? hex(p[2]) : -1;
		bool escape = low >= 0 && high + low > 0;
		*to++ = escape ? (char)(high * 16 + low) : *p;
		p += escape ? 3 : 1;
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* ---- the request ---- */

const char *exchange_method(const struct exchange *x) { return x->method; }

const char *exchange_path(const struct exchange *x) { return x->path; }

const char *exchange_query(const struct exchange *x, const char *name)
{
	const char *value = NULL;
	size_t n;
	if (MHD_lookup_connection_value_n(x->mhd, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value,
		    &n) != MHD_YES)
		return NULL;
	return value ? value : "";
}

const char *exchange_header(const struct exchange *x, const char *name)
{
	return MHD_lookup_connection_value(x->mhd, MHD_HEADER_KIND, name);
}

bool exchange_client(const struct exchange *x, struct arena *a, struct x509_subject *out)
{
	const struct tls_pair *tls = x->server->tls;
	const union MHD_ConnectionInfo *info = tls
		? MHD_get_connection_info(x->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION)
		: NULL;
	*out = (struct x509_subject){ 0 };
	if (!info || !client_is_trusted(info->tls_session, pair_clients(tls)))
		return false;
	unsigned n = 0;
	const gnutls_datum_t *shown = gnutls_certificate_get_peers(info->tls_session, &n);
	return n && !failed(x509_read_subject(shown[0].data, shown[0].size, a, out));
}

/* ---- the answer ---- */

static void answer(struct exchange *x, int status, const char *type, struct MHD_Response *r)
{
	if (!r)
		abort(); /* out of memory */
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	for (size_t i = 0; i < LENGTH(x->headers) && x->headers[i].name; i++)
		MHD_add_response_header(r, x->headers[i].name, x->headers[i].value);
	x->response = r;
	x->status = status;
	x->there = NULL;
}

void exchange_add_header(struct exchange *x, const char *name, const char *value)
{
	size_t i = 0;
	while (i < LENGTH(x->headers) - 1 && x->headers[i].name)
		i++;
	x->headers[i].name = name;
	x->headers[i].value = value;
}

void exchange_respond(struct exchange *x, int status, const char *type, struct MHD_Response *r)
{
	answer(x, status, type, r);
	x->over = true;
	wake(x);
}

void exchange_reply(struct exchange *x, int status, const char *type, struct str *body)
{
	size_t n = body->len;
	exchange_respond(x, status, type,
		MHD_create_response_from_buffer_with_free_callback(n, str_take(body), free));
}

void exchange_later(struct exchange *x, void (*gone)(void *ctx), void *ctx)
{
	x->gone = gone;
	x->ctx = ctx;
}

void exchange_take_body(struct exchange *x, void (*there)(void *ctx))
{
	x->there = there;
	x->since_ms = loop_now_ms(x->server->loop);
	wake(x);
}

/* Copies the next bytes of a stream; called while the client reads. */
static ssize_t give_piece(void *exchange, uint64_t position, char *room, size_t most)
{
	struct exchange *x = exchange;
	size_t n = x->out.len - x->out_sent;
	(void)position;
	if (n == 0 && !x->over && x->drained) {
		x->drained(x->ctx); /* drained may write more */
		n = x->out.len - x->out_sent;
	}
	if (x->broken || (n == 0 && x->cut))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (n == 0 && x->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n == 0) {
		suspend(x);
		return 0;
	}
	n = n < most ? n : most;
	memcpy(room, x->out.text + x->out_sent, n);
	x->out_sent += n;
	if (x->out_sent == x->out.len) {
		str_clear(&x->out);
		x->out_sent = 0;
	}
	return (ssize_t)n;
}

void exchange_stream(struct exchange *x, int status, const char *type, void (*gone)(void *ctx),
	void *ctx)
{
	exchange_later(x, gone, ctx);
	x->streams = true;
	answer(x, status, type,
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, SERVER_PIECE_BYTES, give_piece,
			x, NULL));
	wake(x);
}

bool exchange_write(struct exchange *x, const void *bytes, size_t n)
{
	size_t waits = x->out.len - x->out_sent;
	if (waits && waits + n > SERVER_STREAM_BYTES)
		return false;
	if (x->out_sent > SERVER_STREAM_BYTES) { /* drop the bytes that were sent */
		memmove(x->out.text, x->out.text + x->out_sent, waits);
		x->out.len = waits;
		x->out_sent = 0;
	}
	str_add_bytes(&x->out, bytes, n);
	if (n)
		wake(x);
	return true;
}

size_t exchange_waiting(const struct exchange *x) { return x->out.len - x->out_sent; }

void exchange_on_drained(struct exchange *x, void (*drained)(void *ctx)) { x->drained = drained; }

void exchange_end(struct exchange *x)
{
	x->ended = true;
	x->over = true;
	connection_turn(x->server, x->mhd, TURN_CLIENT_TAKES_STREAM);
	wake(x);
}

void exchange_break(struct exchange *x)
{
	x->cut = true;
	exchange_end(x);
}
