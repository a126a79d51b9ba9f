/* SPDX-License-Identifier: Apache-2.0 */
/* A server call: its start, its messages and its end. */
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "grpc/server_parts.h"

enum { HTTP_STATUS_OK = 200 };

static struct loop *loop_of(const struct grpc_call *c) { return c->connection->server->loop; }
static void *ctx_of(const struct grpc_call *c) { return c->connection->server->config.ctx; }

static size_t queued(const struct grpc_call *c) { return queue_left(&c->queue); }

/* ---- sending ---- */

struct fields {
	nghttp2_nv rows[4];
	size_t n;
};

static void add_field(struct fields *f, const char *name, const char *value)
{
	f->rows[f->n++] = (nghttp2_nv){ (uint8_t *)name, (uint8_t *)value, strlen(name),
		strlen(value), NGHTTP2_NV_FLAG_NONE };
}

/* text: buffer for the status number; it must live as long as the fields. */
static void add_end(struct fields *f, const struct grpc_call *c, char text[static 12])
{
	snprintf(text, 12, "%d", (int)c->status);
	add_field(f, "grpc-status", text);
	if (c->text.len)
		add_field(f, "grpc-message", str_text(&c->text));
}

static nghttp2_ssize read_queue(nghttp2_session *session, int32_t stream, uint8_t *to, size_t most,
	uint32_t *flags, nghttp2_data_source *source, void *connection)
{
	(void)session;
	(void)stream;
	(void)connection;
	return call_read(source->ptr, to, most, flags);
}

static void respond(struct grpc_call *c, int http)
{
	const nghttp2_data_provider2 queue = { { .ptr = c }, read_queue };
	struct fields f = { .n = 0 };
	char status[12], code[12];
	snprintf(status, sizeof(status), "%d", http);
	add_field(&f, ":status", status);
	add_field(&f, "content-type", "application/grpc");
	if (c->finished)
		add_end(&f, c, code);
	c->responded = true;
	nghttp2_submit_response2(c->connection->wire.session, c->stream, f.rows, f.n,
		c->finished ? NULL : &queue);
}

static void send_trailers(struct grpc_call *c)
{
	struct fields f = { .n = 0 };
	char code[12];
	add_end(&f, c, code);
	nghttp2_submit_trailer(c->connection->wire.session, c->stream, f.rows, f.n);
}

static void queue_changed(struct grpc_call *c)
{
	if (c->deferred)
		nghttp2_session_resume_data(c->connection->wire.session, c->stream);
	c->deferred = false;
	connection_changed(c->connection);
}

/* http: the HTTP status of a response without messages. */
static void finish(struct grpc_call *c, int http, enum grpc_status status, const char *message)
{
	if (c->finished || c->closed || c->connection->wire.broken)
		return;
	c->finished = true;
	c->status = status;
	percent_encode(&c->text, message);
	if (!c->responded)
		respond(c, http);
	queue_changed(c);
}

nghttp2_ssize call_read(struct grpc_call *c, uint8_t *to, size_t most, uint32_t *flags)
{
	size_t n = queue_take(&c->queue, to, most);
	bool empty = !queued(c);
	if (empty && c->finished) {
		*flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
		send_trailers(c);
	} else if (!n) {
		c->deferred = true;
		return NGHTTP2_ERR_DEFERRED;
	}
	c->drained = c->drained || (empty && !c->finished);
	return (nghttp2_ssize)n;
}

/* ---- lifecycle ---- */

struct grpc_call *call_new(struct connection *c, int32_t stream)
{
	struct grpc_call *call = own_alloc(sizeof(*call));
	call->connection = c;
	call->stream = stream;
	call->deadline_ms = INT64_MAX;
	DL_APPEND(c->calls, call);
	return call;
}

/* path NULL: the call was refused. */
static void tell_over(const struct grpc_call *c, const char *path)
{
	const struct grpc_config *config = &c->connection->server->config;
	const struct grpc_over over = {
		.path = path,
		.status = c->finished ? c->status : GRPC_CANCELLED,
		.took_ms = loop_now_ms(loop_of(c)) - c->began_ms,
	};
	if (config->over)
		config->over(config->ctx, &over);
}

static void tell_gone(struct grpc_call *c)
{
	const struct grpc_method *m = TAKE(c->method);
	timer_stop(loop_of(c), TAKE(c->deadline));
	if (!m)
		return;
	c->connection->server->under_way--;
	tell_over(c, m->path);
	if (m->gone)
		m->gone(ctx_of(c), c);
}

static void call_free(struct grpc_call *c)
{
	DL_DELETE(c->connection->calls, c);
	inbox_clear(&c->inbox, c->connection->quota);
	head_free(&c->head);
	queue_free(&c->queue);
	str_free(&c->text);
	free(c);
}

/*
 * Ends the call at its deadline. The queue is not sent first, because the client no
 * longer waits.
 */
static void deadline_passed(void *call)
{
	struct grpc_call *c = call;
	c->deadline = NULL;
	if (c->finished || queued(c))
		nghttp2_submit_rst_stream(c->connection->wire.session, NGHTTP2_FLAG_NONE, c->stream,
			NGHTTP2_CANCEL);
	else
		finish(c, HTTP_STATUS_OK, GRPC_DEADLINE_EXCEEDED,
			"the deadline of the call passed");
	inbox_clear(&c->inbox, c->connection->quota);
	connection_changed(c->connection);
	tell_gone(c);
}

static void start_clock(struct grpc_call *c, int64_t timeout_ms)
{
	if (timeout_ms == INT64_MAX)
		return;
	c->deadline_ms = loop_now_ms(loop_of(c)) + timeout_ms;
	c->deadline = timer_start(loop_of(c), timeout_ms, deadline_passed, c);
}

void call_begin(struct grpc_call *c)
{
	struct grpc_server *s = c->connection->server;
	struct refusal why = { 0 };
	c->began_ms = loop_now_ms(loop_of(c));
	if (head_judge(&c->head, &why) && head_is_for(&c->head, s->config.audience, &why))
		c->method = head_method(&c->head, s->config.methods, &why);
	if (!c->method) {
		finish(c, why.http, why.status, str_text(&why.text));
		tell_over(c, NULL);
	} else {
		s->under_way++;
		start_clock(c, head_timeout_ms(&c->head));
		if (c->method->begin)
			c->method->begin(s->config.ctx, c);
	}
	str_free(&why.text);
	head_free(&c->head);
}

static void message_came(void *call, const void *bytes, size_t n)
{
	struct grpc_call *c = call;
	if (c->method && c->method->message)
		c->method->message(ctx_of(c), c, bytes, n);
}

static void refuse_message(void *call, enum inbox_fault fault, const char *text)
{
	static const enum grpc_status statuses[INBOX_FAULTS] = {
		[INBOX_COMPRESSED] = GRPC_UNIMPLEMENTED,
		[INBOX_MALFORMED] = GRPC_INTERNAL,
		[INBOX_TOO_LARGE] = GRPC_RESOURCE_EXHAUSTED,
		[INBOX_NO_ROOM] = GRPC_RESOURCE_EXHAUSTED,
	};
	struct grpc_call *c = call;
	c->connection->server->messages_refused += fault == INBOX_NO_ROOM;
	grpc_finish(c, statuses[fault], text);
}

void call_data(struct grpc_call *c, const uint8_t *bytes, size_t n)
{
	const struct inbox_reader reader = { c->connection->server->config.max_message_bytes,
		c->connection->quota, c, message_came, refuse_message };
	for (size_t used; n && c->method && !c->finished; n -= used, bytes += used)
		used = inbox_take(&c->inbox, &reader, bytes, n);
}

void call_end(struct grpc_call *c)
{
	c->ended = true;
	if (!c->method || c->finished)
		return;
	if (c->inbox.prefix_bytes)
		grpc_finish(c, GRPC_INTERNAL, "the client ended the call within a message");
	else if (c->method->ended)
		c->method->ended(ctx_of(c), c);
}

void calls_settle(struct connection *c)
{
	struct grpc_call *call, *next;
	DL_FOREACH_SAFE(c->calls, call, next)
	{
		bool drained = call->drained && !queued(call) && !call->finished;
		call->drained = false;
		if (call->closed) {
			tell_gone(call);
			call_free(call);
		} else if (drained && call->method && call->method->writable) {
			call->method->writable(ctx_of(call), call);
		}
	}
}

/* ---- the interface for methods ---- */

void grpc_call_set(struct grpc_call *c, void *state) { c->state = state; }

void *grpc_call_state(const struct grpc_call *c) { return c->state; }

const struct grpc_peer *grpc_call_peer(const struct grpc_call *c) { return &c->connection->peer; }

int64_t grpc_call_deadline_ms(const struct grpc_call *c) { return c->deadline_ms; }

void grpc_send(struct grpc_call *c, const void *bytes, size_t n)
{
	if (!c->method || c->finished || c->closed || c->connection->wire.broken)
		return;
	queue_add_message(&c->queue, bytes, n);
	if (!c->responded)
		respond(c, HTTP_STATUS_OK);
	queue_changed(c);
}

size_t grpc_queued_bytes(const struct grpc_call *c)
{
	return c->closed || c->connection->wire.broken ? 0 : queued(c);
}

void grpc_finish(struct grpc_call *c, enum grpc_status status, const char *message)
{
	if (c->method)
		finish(c, HTTP_STATUS_OK, status, message);
}
