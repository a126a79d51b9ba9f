/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client call (ask): its start, its messages, the status from the server, and its end.
 *
 * A call counts as answered only with a gRPC status in the right place. Otherwise the
 * outcome is unknown, unless HTTP/2 reports that the server did nothing (RFC 9113 8.7).
 */
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "grpc/client_parts.h"

enum { ALL_WAITING_BYTES = 64 << 20, MOST_HTTP = 999, INFORMATIONAL = 200, UNKNOWN_TO_US = -1 };
static const int64_t MOST_TIMEOUT_MS = INT64_C(100) * 365 * 24 * 3600 * 1000;

static bool is_over(const struct grpc_ask *a)
{
	const struct grpc_client *c = a->client;
	return a->list == &c->over || a->list == &c->telling;
}

static bool is_waiting(const struct grpc_ask *a) { return a->list == &a->client->waiting; }

void ask_move(struct grpc_ask *a, struct ask_list *to)
{
	if (is_waiting(a))
		a->client->waiting_bytes -= queue_left(&a->outbox);
	if (a->list) {
		DL_DELETE(a->list->first, a);
		a->list->n--;
	}
	a->list = to;
	if (to) {
		DL_APPEND(to->first, a);
		to->n++;
	}
}

/* ---- sending ---- */

/* Writes grpc-timeout, rounded up: up to eight digits and a unit. */
static void write_timeout(char out[static 16], int64_t ms)
{
	enum { MOST = 99999999, SECOND_MS = 1000, HOUR_MS = 3600000 };
	ms = ms > 1 ? ms : 1;
	if (ms <= MOST)
		snprintf(out, 16, "%lldm", (long long)ms);
	else if (ms / SECOND_MS < MOST)
		snprintf(out, 16, "%lldS", (long long)(ms / SECOND_MS + 1));
	else
		snprintf(out, 16, "%lldH",
			(long long)(ms / HOUR_MS < MOST ? ms / HOUR_MS + 1 : MOST));
}

static nghttp2_nv field(const char *name, const char *value)
{
	return (nghttp2_nv){ (uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
		strlen(value), NGHTTP2_NV_FLAG_NONE };
}

/* Copies the next bytes of the outbox for libnghttp2. */
static nghttp2_ssize take_outbox(struct grpc_ask *a, uint8_t *to, size_t most, uint32_t *flags)
{
	size_t n = queue_take(&a->outbox, to, most);
	bool empty = !queue_left(&a->outbox);
	if (empty && a->finished)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	else if (!n) {
		a->deferred = true;
		return NGHTTP2_ERR_DEFERRED;
	}
	a->drained = a->drained || empty;
	return (nghttp2_ssize)n;
}

static nghttp2_ssize read_outbox(nghttp2_session *session, int32_t stream, uint8_t *to, size_t most,
	uint32_t *flags, nghttp2_data_source *source, void *conn)
{
	struct grpc_ask *a = nghttp2_session_get_stream_user_data(session, stream);
	(void)source;
	(void)conn;
	return a ? take_outbox(a, to, most, flags) : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

bool ask_submit(struct grpc_ask *a, struct conn *t)
{
	const nghttp2_data_provider2 outbox = { { .ptr = a }, read_outbox };
	char timeout[16];
	write_timeout(timeout, a->deadline_ms - loop_now_ms(a->client->loop));
	const char *audience = a->client->config.audience;
	const nghttp2_nv head[] = {
		field(":method", "POST"),
		field(":scheme", "http"),
		field(":path", a->method),
		field(":authority", a->client->config.authority),
		field("te", "trailers"),
		field("grpc-timeout", timeout),
		field("content-type", "application/grpc"),
		field("user-agent", "slurm-operator/" OPERATOR_VERSION),
		field(HEAD_AUDIENCE, audience ? audience : ""),
	};
	size_t n = LENGTH(head) - (audience ? 0 : 1);
	int32_t stream = nghttp2_submit_request2(t->wire.session, NULL, head, n, &outbox, a);
	if (stream < 0)
		return false;
	a->stream = stream;
	a->conn = t;
	ask_move(a, &t->asks);
	return true;
}

static void outbox_changed(struct grpc_ask *a)
{
	if (!a->conn)
		return;
	if (a->deferred)
		nghttp2_session_resume_data(a->conn->wire.session, a->stream);
	a->deferred = false;
	wire_changed(&a->conn->wire);
}

/* ---- the end of an ask ---- */

static void ask_free(struct grpc_ask *a)
{
	ask_move(a, NULL);
	queue_free(&a->outbox);
	queue_free(&a->held);
	head_free(&a->head);
	str_free(&a->text);
	free(a->method);
	free(a);
}

void asks_tell(void *client)
{
	struct grpc_client *c = client;
	c->tell = NULL;
	while (c->over.first)
		ask_move(c->over.first, &c->telling);
	for (struct grpc_ask *a; (a = c->telling.first) != NULL; ask_free(a)) {
		const struct grpc_outcome o = { a->effect, a->status, str_text(&a->text),
			loop_now_ms(c->loop) - a->began_ms };
		const struct grpc_ask_events *events = TAKE(a->events);
		if (events && events->done)
			events->done(a->ctx, &o);
	}
}

/*
 * Whether to send RST_STREAM. Not needed if both sides have ended the stream, or it is
 * closed.
 */
static bool is_to_be_reset(const struct grpc_ask *a, const struct conn *t)
{
	bool half = nghttp2_session_get_stream_local_close(t->wire.session, a->stream) != 0;
	return !t->wire.broken && !a->closed && !(a->ended && half);
}

static void leave_conn(struct grpc_ask *a, uint32_t code)
{
	struct conn *t = TAKE(a->conn);
	if (!t)
		return;
	nghttp2_session_set_stream_user_data(t->wire.session, a->stream, NULL);
	if (is_to_be_reset(a, t))
		nghttp2_submit_rst_stream(t->wire.session, NGHTTP2_FLAG_NONE, a->stream, code);
	wire_changed(&t->wire);
}

static void set_outcome(struct grpc_ask *a, enum grpc_effect effect, enum grpc_status status,
	const char *text)
{
	a->effect = effect;
	a->status = status;
	str_clear(&a->text);
	str_add(&a->text, status == GRPC_OK ? "" : text);
}

void ask_over(struct grpc_ask *a, enum grpc_effect effect, enum grpc_status status,
	const char *text)
{
	struct grpc_client *c = a->client;
	if (is_over(a))
		return;
	if (text)
		set_outcome(a, effect, status, text);
	if (effect == GRPC_ANSWERED)
		client_is_well(c);
	leave_conn(a, a->ended ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
	inbox_clear(&a->inbox, c->quota);
	timer_stop(c->loop, TAKE(a->deadline));
	timer_stop(c->loop, TAKE(a->resume));
	ask_move(a, &c->over);
	if (!c->tell)
		c->tell = timer_start(c->loop, 0, asks_tell, c);
	c->asks_changed(c); /* another ask may start */
}

/* The last bytes have arrived. The ask ends when they have been passed on. */
static void has_ended(struct grpc_ask *a, enum grpc_effect effect, enum grpc_status status,
	const char *text)
{
	a->ended = true;
	if (text)
		set_outcome(a, effect, status, text);
	if (queue_left(&a->held))
		return;
	if (a->inbox.prefix_bytes && a->status == GRPC_OK)
		set_outcome(a, GRPC_EFFECT_UNKNOWN, GRPC_INTERNAL,
			"the server ended the call within a message");
	ask_over(a, a->effect, a->status, NULL);
}

/* Ends the ask because its deadline has passed. */
static void too_late(struct grpc_ask *a)
{
	struct grpc_client *c = a->client;
	AUTO(str_free) struct str text = { 0 };
	bool away = is_waiting(a) && !(c->conn && c->conn->greeted);
	str_addf(&text, "the deadline of the call passed%s%s", away ? ": " : "",
		away ? str_text(&c->trouble) : "");
	ask_over(a, a->sent ? GRPC_EFFECT_UNKNOWN : GRPC_NOT_SENT,
		away ? GRPC_UNAVAILABLE : GRPC_DEADLINE_EXCEEDED, str_text(&text));
}

static void deadline_passed(void *ask)
{
	struct grpc_ask *a = ask;
	a->deadline = NULL;
	too_late(a);
}

void asks_end(struct ask_list *list)
{
	while (list->first)
		ask_over(list->first, list->first->sent ? GRPC_EFFECT_UNKNOWN : GRPC_NOT_SENT,
			GRPC_CANCELLED, "the client was closed");
}

/* ---- receiving ---- */

static void lost(struct grpc_ask *a, enum grpc_status status, const char *text)
{
	ask_over(a, GRPC_EFFECT_UNKNOWN, status, text);
}

/* Ends an ask whose messages exceed the limits. */
static void refuse(void *ask, enum inbox_fault fault, const char *text)
{
	static const enum grpc_status statuses[INBOX_FAULTS] = {
		[INBOX_COMPRESSED] = GRPC_INTERNAL,
		[INBOX_MALFORMED] = GRPC_INTERNAL,
		[INBOX_TOO_LARGE] = GRPC_RESOURCE_EXHAUSTED,
		[INBOX_NO_ROOM] = GRPC_UNAVAILABLE,
	};
	lost(ask, statuses[fault], text);
}

static void message_came(void *ask, const void *bytes, size_t n)
{
	struct grpc_ask *a = ask;
	if (a->events && a->events->message)
		a->events->message(a->ctx, a, bytes, n);
}

/* Parses as many bytes as the ask accepts now; returns how many it used. */
static size_t pump(struct grpc_ask *a, const uint8_t *bytes, size_t n)
{
	const struct inbox_reader reader = { a->client->config.max_message_bytes, a->client->quota,
		a, message_came, refuse };
	size_t used = 0;
	while (used < n && !a->paused && !is_over(a))
		used += inbox_take(&a->inbox, &reader, bytes + used, n - used);
	if (a->conn && used)
		nghttp2_session_consume_stream(a->conn->wire.session, a->stream, used);
	return used;
}

void ask_data(struct grpc_ask *a, const uint8_t *bytes, size_t n)
{
	size_t used = queue_left(&a->held) ? 0 : pump(a, bytes, n);
	if (used < n && !is_over(a))
		queue_add(&a->held, bytes + used, n - used);
}

static void take_held(void *ask)
{
	struct grpc_ask *a = ask;
	a->resume = NULL;
	queue_drop(&a->held, pump(a, queue_next(&a->held), queue_left(&a->held)));
	if (is_over(a))
		return;
	if (a->conn)
		wire_changed(&a->conn->wire); /* its flow control window has grown */
	if (a->ended && !queue_left(&a->held))
		has_ended(a, a->effect, a->status, NULL);
}

/* ---- the status from the server ---- */

/* https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md */
static enum grpc_status status_of_http(int http)
{
	static const struct {
		int http;
		enum grpc_status status;
	} rows[] = {
		{ 400, GRPC_INTERNAL },
		{ 401, GRPC_UNAUTHENTICATED },
		{ 403, GRPC_PERMISSION_DENIED },
		{ 404, GRPC_UNIMPLEMENTED },
		{ 429, GRPC_UNAVAILABLE },
		{ 502, GRPC_UNAVAILABLE },
		{ 503, GRPC_UNAVAILABLE },
		{ 504, GRPC_UNAVAILABLE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].http == http)
			return rows[i].status;
	return GRPC_UNKNOWN;
}

/* https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Errors" */
static enum grpc_status status_of_reset(uint32_t code)
{
	static const struct {
		uint32_t code;
		enum grpc_status status;
	} rows[] = {
		{ NGHTTP2_REFUSED_STREAM, GRPC_UNAVAILABLE },
		{ NGHTTP2_CANCEL, GRPC_CANCELLED },
		{ NGHTTP2_ENHANCE_YOUR_CALM, GRPC_RESOURCE_EXHAUSTED },
		{ NGHTTP2_INADEQUATE_SECURITY, GRPC_PERMISSION_DENIED },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].code == code)
			return rows[i].status;
	return GRPC_INTERNAL;
}

/* Handles the headers that end a call, alone or after messages. */
static void end_by_head(struct grpc_ask *a)
{
	AUTO(str_free) struct str text = { 0 };
	int status = head_number(&a->head.status, GRPC_STATUSES - 1);
	percent_decode(&text, str_text(&a->head.message));
	if (!a->head.status.text)
		lost(a, GRPC_UNKNOWN, "the server ended the call without a status");
	else if (a->head.spoiled || status == UNKNOWN_TO_US)
		lost(a, GRPC_UNKNOWN, "the server ended the call with an invalid status");
	else
		has_ended(a, GRPC_ANSWERED, (enum grpc_status)status, str_text(&text));
}

/* Ends a call whose response is not gRPC: it is from a proxy, or from another program. */
static bool refuse_answer(struct grpc_ask *a, int http)
{
	char text[64];
	snprintf(text, sizeof(text), "the server answered with HTTP status %d", http);
	if (http != HTTP_STATUS_OK && !a->head.status.text)
		lost(a, status_of_http(http), text);
	else if (!head_is_grpc(&a->head))
		lost(a, GRPC_UNKNOWN, "the content-type of the response is not application/grpc");
	else
		return false;
	return true;
}

void ask_headers_came(struct grpc_ask *a, bool last)
{
	int http = head_number(&a->head.http, MOST_HTTP);
	if (a->head.bytes > HEAD_MOST_BYTES) {
		lost(a, GRPC_INTERNAL, "the headers of the answer have more than 16384 bytes");
		return;
	}
	bool first = !a->responded && http >= INFORMATIONAL;
	a->responded = a->responded || first;
	if (first && refuse_answer(a, http))
		return;
	if (last)
		end_by_head(a);
	head_free(&a->head);
	a->head = (struct head){ 0 };
}

void ask_data_ended(struct grpc_ask *a)
{
	lost(a, GRPC_UNKNOWN, "the server ended the call without a status");
}

/*
 * Whether a reset means the deadline. The server has the deadline, too, and may cancel
 * the call at it. Either the reset or our timer comes first.
 */
static bool ended_by_deadline(const struct grpc_ask *a, uint32_t code)
{
	return code == NGHTTP2_CANCEL && loop_now_ms(a->client->loop) >= a->deadline_ms;
}

void ask_stream_closed(struct grpc_ask *a, uint32_t code)
{
	char text[96];
	bool refused = code == NGHTTP2_REFUSED_STREAM && !a->responded;
	snprintf(text, sizeof(text), "the server reset the call: %s", nghttp2_http2_strerror(code));
	a->closed = true;
	if (a->ended) /* the received messages are still passed on */
		return;
	if (ended_by_deadline(a, code))
		too_late(a);
	else
		ask_over(a, !a->sent || refused ? GRPC_NOT_SENT : GRPC_EFFECT_UNKNOWN,
			status_of_reset(code), text);
}

/* ---- the interface ---- */

struct grpc_ask *grpc_ask_start(struct grpc_client *c, const char *method, int64_t timeout_ms,
	const struct grpc_ask_events *events, void *ctx)
{
	struct grpc_ask *a = own_alloc(sizeof(*a));
	a->client = c;
	a->method = own_strdup(method);
	a->events = events;
	a->ctx = ctx;
	timeout_ms = timeout_ms < MOST_TIMEOUT_MS ? timeout_ms : MOST_TIMEOUT_MS;
	a->began_ms = loop_now_ms(c->loop);
	a->deadline_ms = a->began_ms + timeout_ms;
	a->deadline = timer_start(c->loop, timeout_ms, deadline_passed, a);
	ask_move(a, &c->waiting);
	if (c->waiting.n > c->config.max_waiting)
		ask_over(a, GRPC_NOT_SENT, GRPC_RESOURCE_EXHAUSTED,
			"too many calls wait for the server");
	c->asks_changed(c);
	return a;
}

void grpc_ask_send(struct grpc_ask *a, const void *bytes, size_t n)
{
	struct grpc_client *c = a->client;
	if (is_over(a) || a->finished)
		return;
	size_t before = queue_left(&a->outbox);
	queue_add_message(&a->outbox, bytes, n);
	if (is_waiting(a))
		c->waiting_bytes += queue_left(&a->outbox) - before;
	if (c->waiting_bytes > ALL_WAITING_BYTES && is_waiting(a))
		ask_over(a, GRPC_NOT_SENT, GRPC_RESOURCE_EXHAUSTED,
			"the calls that wait for the server are too large");
	outbox_changed(a);
}

size_t grpc_ask_queued_bytes(const struct grpc_ask *a) { return queue_left(&a->outbox); }

void grpc_ask_end(struct grpc_ask *a)
{
	a->finished = true;
	outbox_changed(a);
}

void grpc_ask_pause(struct grpc_ask *a) { a->paused = true; }

void grpc_ask_resume(struct grpc_ask *a)
{
	a->paused = false;
	if (!is_over(a) && !a->resume && queue_left(&a->held))
		a->resume = timer_start(a->client->loop, 0, take_held, a);
}

void grpc_ask_cancel(struct grpc_ask *a)
{
	a->events = NULL;
	ask_over(a, a->sent ? GRPC_EFFECT_UNKNOWN : GRPC_NOT_SENT, GRPC_CANCELLED, "");
}
