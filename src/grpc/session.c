/* SPDX-License-Identifier: Apache-2.0 */
/* The libnghttp2 session of a server connection: its limits and callbacks. */
#include "base/own.h"
#include "grpc/limits.h"
#include "grpc/server_parts.h"

enum {
	RESET_COSTS_MS = 20,
	RESETS_BESIDE = 200, /* allowed at once, in addition to one for each call */
	/* More than count_reset allows, because libnghttp2 also counts our own resets. */
	RESETS_AT_ONCE = 2000,
	RESETS_A_SECOND = 200,
};

/*
 * Counts a reset that the client has sent or caused. Each reset costs RESET_COSTS_MS; too
 * many of them are an attack, and end the session.
 */
static void count_reset(struct connection *c)
{
	int64_t now_ms = loop_now_ms(c->server->loop);
	int64_t most_ms = (int64_t)(c->server->config.max_calls + RESETS_BESIDE) * RESET_COSTS_MS;
	c->calm_ms = (c->calm_ms > now_ms ? c->calm_ms : now_ms) + RESET_COSTS_MS;
	if (c->calm_ms - now_ms > most_ms)
		nghttp2_session_terminate_session(c->wire.session, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* The call of a stream that libnghttp2 has not closed; NULL: none. */
static struct grpc_call *call_of(nghttp2_session *s, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(s, stream);
}

static int begin_headers(nghttp2_session *s, const nghttp2_frame *frame, void *connection)
{
	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	struct grpc_call *c = call_new(connection, frame->hd.stream_id);
	nghttp2_session_set_stream_user_data(s, c->stream, c);
	return 0;
}

/* Ignores headers after messages, because none of them is used. */
static int header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags,
	void *connection)
{
	struct grpc_call *c = call_of(s, frame->hd.stream_id);
	(void)flags;
	(void)connection;
	if (c && frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		head_add(&c->head, name, name_bytes, value, value_bytes);
	return 0;
}

static void stream_frame(struct grpc_call *c, const nghttp2_frame *frame)
{
	if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		call_begin(c);
	if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		call_end(c);
}

static int frame_came(nghttp2_session *s, const nghttp2_frame *frame, void *connection)
{
	struct connection *conn = connection;
	struct grpc_call *c = call_of(s, frame->hd.stream_id);
	if (frame->hd.type == NGHTTP2_SETTINGS)
		conn->greeted = true;
	if (frame->hd.type == NGHTTP2_RST_STREAM)
		count_reset(conn);
	if (c && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA))
		stream_frame(c, frame);
	return 0;
}

static int data_came(nghttp2_session *s, uint8_t flags, int32_t stream, const uint8_t *bytes,
	size_t n, void *connection)
{
	struct grpc_call *c = call_of(s, stream);
	(void)flags;
	(void)connection;
	if (c)
		call_data(c, bytes, n);
	return 0;
}

/*
 * After the end of a call its client may still send messages: RST_STREAM with NO_ERROR
 * requests that it stops (RFC 9113 8.1). Every other reset is caused by the client.
 */
static int frame_sent(nghttp2_session *s, const nghttp2_frame *frame, void *connection)
{
	struct grpc_call *c = call_of(s, frame->hd.stream_id);
	if (c && frame->hd.type == NGHTTP2_HEADERS && !c->ended &&
		frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		nghttp2_submit_rst_stream(s, NGHTTP2_FLAG_NONE, c->stream, NGHTTP2_NO_ERROR);
	if (frame->hd.type == NGHTTP2_RST_STREAM &&
		frame->rst_stream.error_code != NGHTTP2_NO_ERROR)
		count_reset(connection);
	return 0;
}

static int stream_closed(nghttp2_session *s, int32_t stream, uint32_t code, void *connection)
{
	struct grpc_call *c = call_of(s, stream);
	(void)code;
	(void)connection;
	if (c)
		c->closed = true;
	return 0;
}

/*
 * Turns off the checks of HTTP messaging: libnghttp2 would refuse an :authority with
 * slashes, which grpc-go 1.20 derives from the path of a socket. head.c checks what
 * matters.
 */
static void set_options(nghttp2_option *o)
{
	nghttp2_option_set_no_http_messaging(o, 1);
	nghttp2_option_set_stream_reset_rate_limit(o, RESETS_AT_ONCE, RESETS_A_SECOND);
}

static void queue_settings(nghttp2_session *s, const struct grpc_config *config)
{
	const nghttp2_settings_entry ours[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)config->max_calls },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEAD_MOST_BYTES },
		{ NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1 },
	};
	limits_queue(s, ours, LENGTH(ours));
}

nghttp2_session *session_new(struct connection *c)
{
	AUTO(limits_free_callbacks) nghttp2_session_callbacks *back = limits_callbacks();
	AUTO(limits_free_options) nghttp2_option *options = limits_options();
	nghttp2_session *s = NULL;
	nghttp2_session_callbacks_set_on_begin_headers_callback(back, begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(back, header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(back, frame_came);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(back, data_came);
	nghttp2_session_callbacks_set_on_frame_send_callback(back, frame_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(back, stream_closed);
	set_options(options);
	if (nghttp2_session_server_new2(&s, back, c, options) != 0)
		abort(); /* out of memory, as in own_alloc */
	queue_settings(s, &c->server->config);
	return s;
}
